"""Imports step by step: validate, mend, execute, undo, each with a report that is kept."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView, ListApi, PostApi, VersionedActionApi, actor, found
from procurement.api.conditional import version_asked
from procurement.api.filters import Filter
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_sheets import (
    CorrectionOutput,
    CorrectionsInput,
    ExecuteInput,
    PriceSheetOutput,
    ProfileOutput,
    ReportLineOutput,
    ReportOutput,
    UndoInput,
    ValidateInput,
)
from procurement.models import CellCorrection, ImportProfile, ImportReport, PriceSheet, ReportKind
from procurement.selectors.imports import profiles_all, reports_of
from procurement.selectors.quotes import price_sheets_all
from procurement.services.actors import Actor
from procurement.services.price_sheet_undo import price_sheet_undo
from procurement.services.price_sheets import (
    Correction,
    price_sheet_change,
    price_sheet_confirm,
    price_sheet_correct,
    price_sheet_discard,
)

MODE_FLAGS = {"strict": False, "skip_faulty": True}


class SheetActionApi(VersionedActionApi):
    """An action on the version of a sheet that its person saw."""

    resource = "price-sheets"
    actions = {"POST": "quote.edit"}
    output = PriceSheetOutput
    may_conflict = True

    def record(self, **kwargs: Any) -> PriceSheet:
        """Return the sheet."""
        return found(price_sheets_all(), "price sheet", id=kwargs["id"])


class ImportValidateApi(SheetActionApi):
    """Say more of a draft and check all its rows again; the validation report follows, nothing is in force."""

    input = ValidateInput

    def carry_out(self, by: Actor, record: PriceSheet, version: int, values: dict[str, Any]) -> PriceSheet:
        """Change the draft and queue its check."""
        return price_sheet_change(by=by, sheet=record, version=version, values=values)


class ImportExecuteApi(SheetActionApi):
    """Confirm a checked draft; its prices come into force together, and the execution report says what was done."""

    input = ExecuteInput

    def carry_out(self, by: Actor, record: PriceSheet, version: int, values: dict[str, Any]) -> PriceSheet:
        """Confirm it and queue its publication."""
        mode = MODE_FLAGS.get(values.get("mode", ""))
        return price_sheet_confirm(by=by, sheet=record, version=version, is_skipping_faulty=mode)


class ImportUndoApi(SheetActionApi):
    """Take an import back: the versions before it are in force again."""

    input = UndoInput

    def carry_out(self, by: Actor, record: PriceSheet, version: int, values: dict[str, Any]) -> PriceSheet:
        """Undo it."""
        return price_sheet_undo(by=by, sheet=record, version=version)


class ImportDiscardApi(SheetActionApi):
    """Put a draft away."""

    input = ReasonInput

    def carry_out(self, by: Actor, record: PriceSheet, version: int, values: dict[str, Any]) -> PriceSheet:
        """Discard it."""
        return price_sheet_discard(by=by, sheet=record, version=version)


class ImportCorrectionListApi(ListApi, PostApi):
    """Cells of a draft that people mended, and more of them; all rows are then checked again."""

    resource = "price-sheets"
    actions = {"POST": "quote.edit"}
    output = CorrectionOutput
    input = CorrectionsInput
    has_precondition = True
    may_conflict = True

    def records(self, **kwargs: Any) -> QuerySet[CellCorrection]:
        """Return all corrections of the sheet."""
        return found(price_sheets_all(), "price sheet", id=kwargs["id"]).corrections.select_related("made_by")

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Put the cells in and queue the check."""
        sheet = found(price_sheets_all(), "price sheet", id=kwargs["id"])
        version = version_asked(request, sheet)
        values, reason = self.read_body(request)
        rows = {row.line: row.raw for row in sheet.rows.filter(line__in=[one["line"] for one in values["corrections"]])}
        corrections = [
            Correction(one["line"], one["column"], str(rows.get(one["line"], {}).get(one["column"], "")), one["value"])
            for one in values["corrections"]
        ]
        price_sheet_correct(by=actor(request, reason), sheet=sheet, version=version, corrections=corrections)
        newest = sheet.corrections.select_related("made_by").order_by("-pk").first()
        return self.shown(newest, status=201)


class ImportReportListApi(ListApi):
    """Reports of validations, executions and undos of a sheet, without their content."""

    resource = "price-sheets"
    filters = (Filter("kind", "kind", "what it is of", choices=lambda: ReportKind.choices),)
    output = ReportLineOutput

    def records(self, **kwargs: Any) -> QuerySet[ImportReport]:
        """Return the reports of the sheet."""
        return reports_of(found(price_sheets_all(), "price sheet", id=kwargs["id"]))


class ImportReportDetailApi(ApiView):
    """One report with every fault by row and column, every held row and every difference."""

    resource = "price-sheets"
    output = ReportOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the report."""
        sheet = found(price_sheets_all(), "price sheet", id=kwargs["id"])
        return self.shown(found(reports_of(sheet), "report", id=kwargs["report_id"]))


class ImportProfileListApi(ListApi):
    """How the columns of suppliers' sheets are read, as people matched them."""

    resource = "price-sheets"
    filters = (Filter("provider", "provider__code", "code of the supplier"),)
    output = ProfileOutput

    def records(self, **kwargs: Any) -> QuerySet[ImportProfile]:
        """Return all profiles."""
        return profiles_all()
