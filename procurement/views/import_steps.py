"""The steps of an import after its file: match columns, check all rows, confirm; undo, discard, and the downloads."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from procurement.errors import PermissionRefused, ProcurementError, VersionConflict
from procurement.forms.imports import MatchForm
from procurement.models import ImportProfile, PriceSheet, SheetState
from procurement.selectors.imports import bad_rows, differences_of, profile_for, staged_rows
from procurement.selectors.reference import time_zone_names
from procurement.services.import_profiles import headers_digest
from procurement.services.price_sheet_undo import price_sheet_undo
from procurement.services.price_sheets import (
    price_sheet_change,
    price_sheet_confirm,
    price_sheet_correct,
    price_sheet_discard,
)
from procurement.services.typed_cells import typed_cells_forget, typed_cells_keep
from procurement.tasks import nudge
from procurement.views.base import ActionPage, FormPage, file_answer, whole
from procurement.views.import_grid import (
    asked_of,
    conflict_rows,
    corrections_in,
    grid_of,
    headers_of,
    kept_of,
    typed_in,
)
from procurement.views.import_reasons import reasons_faulty, reasons_held
from procurement.views.price_sheets import SheetPage, steps_of
from procurement.views.suggestions import suggestions
from providers.own_table import guarded

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
ROWS = 50  # of the grid on one page
SHOWN = ("faulty", "held", "changed", "new", "same")


class ImportMatchView(SheetPage, FormPage):
    """Step 2: what each column of a sheet of no known format means."""

    action = "quote.edit"
    heading = "Match columns"
    button = "Check all rows"
    success = "The columns are matched; all rows are being checked."
    template = "procurement/import_match.html"

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Show the columns, or go where the sheet stands now."""
        sheet = self.sheet()
        if not sheet.is_draft or sheet.state not in (SheetState.MATCHING, SheetState.CHECKED) or not sheet.preview:
            return HttpResponseRedirect(reverse("procurement:price_sheet", args=[sheet.pk]))
        return super().get(request, **kwargs)

    def kept(self) -> ImportProfile | None:
        """Return the profile that such a sheet was read with before."""
        return profile_for(self.sheet(), headers_digest(self.sheet().preview.get("headers", ())))

    def make_form(self, *args: Any, **kwargs: Any) -> MatchForm:
        """Return the form with what was matched before, else with guesses."""
        sheet, kept = self.sheet(), self.kept()
        return MatchForm(
            args[0] if args else None, sheet=sheet, profile=sheet.profile or (kept.profile if kept else None),
            zone=kept.zone if kept else "",
        )  # fmt: skip

    def store(self, form: MatchForm, by: Any) -> PriceSheet:
        """Keep the profile and check all rows."""
        return price_sheet_change(by=by, sheet=form.sheet, version=form.cleaned_data["version"], values=form.settings())

    def conflict(self, form: MatchForm) -> HttpResponse:
        """Say that somebody else changed the draft; what was typed stays."""
        form.data = {**form.data.dict(), "version": str(self.sheet().version)}
        form.add_error(
            None, f"{self.changed_by()} changed this draft meanwhile. Yours is below; send it again to keep it."
        )
        return self.show({"form": form, **self.more()}, status=409)

    def more(self) -> dict[str, Any]:
        """Return the sheet, the kept profile and lists to choose from."""
        sheet = self.sheet()
        return {
            **super().more(), "sheet": sheet, "kept": self.kept(), "steps": steps_of(sheet), **suggestions(),
            "zones": time_zone_names(),
        }  # fmt: skip

    def address_after(self, record: PriceSheet) -> str:
        """Return the page that waits for the check."""
        return reverse("procurement:price_sheet", args=[record.pk])


class ImportCheckView(SheetPage):
    """Step 3: all rows at once, with what each would do, and the cells that can be mended."""

    template = "procurement/import_check.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the check, or go where the sheet stands now."""
        sheet = self.sheet()
        if sheet.state != SheetState.CHECKED:
            return HttpResponseRedirect(reverse("procurement:price_sheet", args=[sheet.pk]))
        return self.show(self.context_of(sheet))

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Put the changed cells in and check all rows anew."""
        sheet = self.sheet()
        sent = {name: value.replace("\0", "") for name, value in request.POST.items()}
        corrections = corrections_in(sheet, sent)
        corrections += kept_of(sheet, request.user).beside([*corrections, *typed_in(sent)])
        try:
            price_sheet_correct(
                by=self.actor("mended in the grid"), sheet=sheet, version=whole(sent.get("version", "")) or 0,
                corrections=corrections,
            )  # fmt: skip
        except VersionConflict as conflict:
            rows = conflict_rows(corrections, conflict.differences)
            context = {"conflict": rows, "has_conflict": True, "changed_by": self.changed_by()}
            now = self.sheet()
            if now.state != SheetState.CHECKED:
                messages.warning(request, f"{context['changed_by']} changed this draft; it is being checked again.")
            return self.show({**self.context_of(now), **context}, status=409)
        except PermissionRefused:
            raise
        except ProcurementError as error:
            return self.show({**self.context_of(sheet, sent), "refusal": error.message}, status=422)
        nudge()
        if not corrections:
            messages.info(request, "No cell was changed.")
        return HttpResponseRedirect(reverse("procurement:price_sheet", args=[sheet.pk]))

    def context_of(self, sheet: PriceSheet, typed: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the rows that the address asks for, as a grid or a list, with the counts of all."""
        counts = {
            "faulty": sheet.rows_faulty, "held": sheet.rows_held, "changed": sheet.rows_changed, "new": sheet.rows_new,
            "same": sheet.rows_same,
        }  # fmt: skip
        first = next((name for name in SHOWN if counts[name]), "faulty")
        shown = self.asked("show") if self.asked("show") in SHOWN else first
        is_bad = shown in ("faulty", "held")
        outcomes = ("same", "older") if shown == "same" else (shown,)
        page = Paginator(bad_rows(sheet, shown) if is_bad else staged_rows(sheet, outcomes), ROWS).get_page(
            self.asked("page")
        )
        report = sheet.reports.filter(kind="validation").first()
        content = report.content if report else {}
        kept = kept_of(sheet, self.request.user)
        grid = grid_of(sheet, list(page), {**kept.typed(sheet), **(typed or {})}) if is_bad else None
        return {
            "sheet": sheet, "steps": steps_of(sheet), "shown": shown, "counts": counts, "page": page, "report": report,
            "page_numbers": page.paginator.get_elided_page_range(page.number), "is_bad": is_bad,
            "grid": grid, "asked": asked_of(grid, headers_of(sheet)) if grid else "", "content": content,
            "may_mend": bool(sheet.preview.get("may_mend")), "kept": kept,
            "ambiguous": next((one for one in content.get("faults", ()) if one["rule"] == "ambiguous_number"), None),
            "reasons": {"held": reasons_held, "faulty": reasons_faulty}[shown](content) if is_bad else [],
            "count_to_import": sheet.rows_new + sheet.rows_changed,
        }  # fmt: skip


class ImportTypedView(SheetPage):
    """Keep what a person types in the grid, cell by cell, so that leaving the page loses none of it."""

    action = "quote.edit"

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Keep it; the answer is a line of text for the foot of the grid."""
        sheet = self.sheet()
        sent = {name: value.replace("\0", "") for name, value in request.POST.items()}
        version = whole(sent.get("version", "")) or 0
        try:
            typed_cells_keep(by=self.actor(), sheet=sheet, version=version, cells=typed_in(sent))
        except PermissionRefused:
            raise
        except ProcurementError as error:
            return HttpResponse(error.message, status=409, content_type="text/plain; charset=utf-8")
        return HttpResponse(status=204)


class ImportActionView(SheetPage, ActionPage):
    """What the buttons of a draft share."""

    action = "quote.edit"

    def address_back(self) -> str:
        """Return the page of the sheet."""
        return reverse("procurement:price_sheet", args=[self.kwargs["pk"]])


class ImportConfirmView(ImportActionView):
    """Confirm: the worker puts the prices in force."""

    success = "Confirmed. The prices are being put in force, all of them at once."

    def act(self, by: Any) -> str:
        """Confirm the draft that the person saw."""
        sheet = self.sheet()
        mode = {"strict": False, "skip_faulty": True}.get(self.sent("mode"))
        price_sheet_confirm(by=by, sheet=sheet, version=self.version_sent(sheet.version), is_skipping_faulty=mode)
        return self.address_back()


class ImportDecimalView(ImportActionView):
    """Say which sign is the decimal sign, and check all rows anew."""

    success = "All rows are being checked again with that decimal sign."

    def act(self, by: Any) -> str:
        """Change the draft."""
        sheet = self.sheet()
        values: dict[str, Any] = {"decimal": self.sent("decimal")}
        if sheet.profile:
            values["profile"] = {**sheet.profile, "decimal": self.sent("decimal")}
        price_sheet_change(by=by, sheet=sheet, version=self.version_sent(sheet.version), values=values)
        return self.address_back()


class ImportRecheckView(ImportActionView):
    """Check all rows anew: a name was mapped, or a rate came, since the last check."""

    success = "All rows are being checked again."

    def act(self, by: Any) -> str:
        """Check the draft anew as it is."""
        sheet = self.sheet()
        price_sheet_change(by=by, sheet=sheet, version=self.version_sent(sheet.version), values={})
        return self.address_back()


class ImportFormatView(ImportActionView):
    """Say which of several formats a file is, and check all rows with it."""

    success = "All rows are being checked as that format."

    def act(self, by: Any) -> str:
        """Change the draft."""
        sheet = self.sheet()
        values = {"format_key": self.sent("format_key"), "profile": None}
        price_sheet_change(by=by, sheet=sheet, version=self.version_sent(sheet.version), values=values)
        return self.address_back()


class ImportDiscardView(ImportActionView):
    """Put a draft away."""

    success = "The draft was put away; nothing of it was in force."

    def act(self, by: Any) -> str:
        """Discard it."""
        sheet = self.sheet()
        price_sheet_discard(by=by, sheet=sheet, version=self.version_sent(sheet.version))
        return reverse("procurement:price_sheets")


class ImportForgetView(ImportActionView):
    """Forget what one has typed and not sent."""

    success = "What you had typed and not sent is forgotten."

    def act(self, by: Any) -> str:
        """Forget it."""
        typed_cells_forget(by=by, sheet=self.sheet())
        return self.address_back()


class ImportUndoView(ImportActionView):
    """Take an import back."""

    success = "The import was taken back; the prices before it are in force again."

    def act(self, by: Any) -> str:
        """Undo it."""
        sheet = self.sheet()
        price_sheet_undo(by=by, sheet=sheet, version=self.version_sent(sheet.version))
        return self.address_back()


class ImportFaultsFileView(SheetPage):
    """Every held and faulty row with a column that says what is wrong."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return them as CSV."""
        sheet = self.sheet()
        rows = list(sheet.rows.exclude(state="released").order_by("line", "pk"))
        headers = headers_of(sheet)
        lines = [
            [row.line, row.state, " | ".join(reason["message"] for reason in row.reasons),
             *(row.raw.get(header, "") for header in headers)]
            for row in rows
        ]  # fmt: skip
        return _csv(f"faults-{pk}.csv", ["line", "state", "what is wrong", *headers], lines)


class ImportFaultListView(SheetPage):
    """What is wrong, one line for each fault and each reason."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return line, column, value, rule and hint as CSV."""
        rows = self.sheet().rows.exclude(state="released").order_by("line", "pk")
        lines = [
            [row.line, row.state, reason.get("column", ""), reason.get("value", ""), reason["code"], reason["release"]]
            for row in rows
            for reason in row.reasons
        ]
        return _csv(f"fault-list-{pk}.csv", ["line", "state", "column", "value", "rule", "hint"], lines)


class ImportDifferencesFileView(SheetPage):
    """Every changed column against the prices in force."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return them as CSV."""
        names = ("line", "quote", "column", "in_force", "new")
        lines = [[one[name] for name in names] for one in differences_of(self.sheet())]
        return _csv(f"differences-{pk}.csv", names, lines)


def _csv(name: str, header: Sequence[str], lines: Iterable[Sequence[Any]]) -> HttpResponse:
    file = io.StringIO()
    writer = csv.writer(file)
    written = [[_safe(cell) for cell in line] for line in (header, *lines)]
    writer.writerows(written)
    content = file.getvalue().encode("utf-8-sig")
    return file_answer(name, content, "text/csv; charset=utf-8", rows=len(written) - 1)


def _safe(cell: Any) -> Any:
    """Return a cell that no spreadsheet runs; a number that the file wrote stays one, -12.5 too."""
    return guarded(cell) if isinstance(cell, str) and not NUMBER.fullmatch(cell) else cell
