"""Pages of price sheets: upload, what became of the rows, release of held ones."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.imports import PriceSheetForm, ReleaseForm
from procurement.models import PriceSheet, Quote, SheetRow, SheetState
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.history import history_of
from procurement.selectors.imports import WAITING, drafts_open, import_job, reports_of
from procurement.selectors.quotes import price_sheets_all, sheet_rows_open
from procurement.selectors.reference import time_zone_names
from procurement.services.actors import Actor
from procurement.services.price_sheet_releases import sheet_row_release
from procurement.services.price_sheets import price_sheet_receive
from procurement.views.base import Column, FormPage, ListPage, Page, stored_file
from procurement.views.filters import SheetFilter
from procurement.views.frame import Entry
from procurement.views.suggestions import suggestions

ROWS = 1_000  # held and faulty rows on the page of a sheet
POLLING_STOPS = 286  # htmx: swap this answer in and stop asking


class PriceSheetListView(ListPage):
    """Files of prices as they were received."""

    template = "procurement/price_sheets.html"
    section_name = "quotes"
    filterset = SheetFilter
    columns = (
        Column("File", "file_name"),
        Column("Prices of", "observed_on"),
        Column("Source"),
        Column("Format", "format_key"),
        Column("State", "state"),
        Column("New", "rows_new", "rows", True),
        Column("Changed", "rows_changed", "rows", True),
        Column("Same", "rows_same", "rows", True),
        Column("Held", "rows_held", "rows", True),
        Column("Faulty", "rows_faulty", "rows", True),
        Column("Received", "received_at"),
    )

    def rows(self) -> Any:
        """Return them, newest first."""
        return price_sheets_all()


class Step(NamedTuple):
    """One step of an import, with its address where it can be gone back to."""

    name: str
    is_current: bool = False
    is_done: bool = False
    address: str = ""


def steps_of(sheet: PriceSheet | None) -> list[Step]:
    """Return the steps of an import and where a sheet stands."""
    names = ["Choose file", "Match columns", "Check all rows", "Done"]
    if sheet is None:
        place = 0
    elif sheet.state == SheetState.MATCHING:
        place = 1
    else:
        place = 2 if sheet.state in (SheetState.RECEIVED, SheetState.CHECKED) else 3
    match = ""
    if sheet is not None and sheet.state == SheetState.CHECKED and sheet.profile:
        match = reverse("procurement:import_match", args=[sheet.pk])
    return [
        Step(name, number == place, number < place, match if number == 1 else "") for number, name in enumerate(names)
    ]


class SheetPage(Page):
    """What the pages of one sheet share."""

    def sheet(self) -> PriceSheet:
        """Return the sheet asked for."""
        return get_object_or_404(price_sheets_all(), pk=self.kwargs["pk"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        quotes, sheets = reverse("procurement:quotes"), reverse("procurement:price_sheets")
        return [Entry("Quotes", quotes), Entry("Price sheets", sheets)]

    def changed_by(self) -> str:
        """Return who changed the sheet last."""
        last = history_of(self.sheet()).first()
        return str(last.user) if last and last.user else "Somebody"


class PriceSheetDetailView(SheetPage):
    """What became of a sheet: counts, faults and held rows by line."""

    template = "procurement/price_sheet.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the page, or only the part that changes while the sheet is being read; a draft goes to its step."""
        sheet = self.sheet()
        step = {SheetState.MATCHING: "import_match", SheetState.CHECKED: "import_check"}.get(SheetState(sheet.state))
        address = reverse(f"procurement:{step or 'price_sheet'}", args=[sheet.pk])
        is_waiting = sheet.state in WAITING
        if request.htmx and not is_waiting:  # type: ignore[attr-defined]
            return HttpResponse(status=POLLING_STOPS, headers={"HX-Redirect": address})
        if step:
            return HttpResponseRedirect(address)
        context = {
            "sheet": sheet, "rows": sheet_rows_open(sheet)[:ROWS], "rows_shown": ROWS, "is_waiting": is_waiting,
            "steps": steps_of(sheet),
            "job": import_job(sheet) if is_waiting else None, "reports": reports_of(sheet),
            "corrections": sheet.corrections.select_related("made_by")[:200],
        }  # fmt: skip
        if request.htmx:  # type: ignore[attr-defined]
            return self.show(context, template="procurement/price_sheet_outcome.html")
        return self.show(context)


class PriceSheetFileView(SheetPage):
    """The original file, byte for byte."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Return it under its own name."""
        sheet = self.sheet()
        return stored_file(sheet.file, sheet.file_name)


class PriceSheetCreateView(FormPage):
    """Upload a file of prices, or paste its rows."""

    action = "quote.edit"
    heading = "Import prices"
    button = "Check the file"
    success = "{record} was received; all its rows are being checked. Nothing is in force yet."
    template = "procurement/price_sheet_form.html"

    def make_form(self, *args: Any, **kwargs: Any) -> PriceSheetForm:
        """Return the form, with today as the day of the prices."""
        return PriceSheetForm(*args, initial={"observed_on": day_of_evaluation()}, **kwargs)

    def store(self, form: PriceSheetForm, by: Actor) -> PriceSheet:
        """Receive the file; the same file again is the same sheet."""
        name, content = form.content()
        day, source = form.cleaned_data["observed_on"], form.cleaned_data["source"]
        sheet, is_new = price_sheet_receive(
            by=by, file_name=name, content=content, observed_on=day, source=source, options=form.options()
        )
        if not is_new:
            self.success = "This file of that day is here already; nothing was received twice."
        return sheet

    def more(self) -> dict[str, Any]:
        """Return the steps, the drafts that wait and names to choose from."""
        return {
            **super().more(),
            "steps": steps_of(None),
            "drafts": drafts_open()[:5],
            "zones": time_zone_names(),
            **suggestions(),
        }

    def address_after(self, record: PriceSheet) -> str:
        """Return the page of the sheet."""
        return reverse("procurement:price_sheet", args=[record.pk])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Price sheets", reverse("procurement:price_sheets"))]


class SheetRowReleaseView(FormPage):
    """Let a held row count, with what was missing and why it may be trusted."""

    action = "quote.edit"
    heading = "Release a held row"
    button = "Release as quote"
    success = "{record} counts from now on."
    template = "procurement/sheet_row_release.html"

    def row(self) -> SheetRow:
        """Return the row asked for."""
        return get_object_or_404(SheetRow.objects.select_related("sheet"), pk=self.kwargs["pk"])

    def make_form(self, *args: Any, **kwargs: Any) -> ReleaseForm:
        """Return the form with what was read of the row."""
        return ReleaseForm(args[0] if args else None, row_values=self.row().values)

    def store(self, form: ReleaseForm, by: Actor) -> Quote:
        """Release it."""
        return sheet_row_release(by=by, row=self.row(), values=form.changed_values())

    def more(self) -> dict[str, Any]:
        """Return the row with its raw values."""
        return {**super().more(), "row": self.row(), **suggestions()}

    def address_after(self, record: Quote) -> str:
        """Return the sheet, for the next row."""
        return reverse("procurement:price_sheet", args=[self.row().sheet_id])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        row = self.row()
        address = reverse("procurement:price_sheet", args=[row.sheet_id])
        return [Entry("Price sheets", reverse("procurement:price_sheets")), Entry(row.sheet.file_name, address)]
