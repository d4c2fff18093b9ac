"""Pages of price sheets: upload, what became of the rows, release of held ones."""

from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.quotes import PriceSheetForm, ReleaseForm
from procurement.models import PriceSheet, Quote, SheetRow
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.quotes import price_sheets_all, sheet_rows_open
from procurement.services.actors import Actor
from procurement.services.price_sheet_releases import sheet_row_release
from procurement.services.price_sheets import price_sheet_receive
from procurement.views.base import Column, FormPage, ListPage, Page
from procurement.views.filters import SheetFilter
from procurement.views.frame import Entry
from procurement.views.suggestions import suggestions

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


class SheetPage(Page):
    """What the pages of one sheet share."""

    def sheet(self) -> PriceSheet:
        """Return the sheet asked for."""
        return get_object_or_404(price_sheets_all(), pk=self.kwargs["pk"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        quotes, sheets = reverse("procurement:quotes"), reverse("procurement:price_sheets")
        return [Entry("Quotes", quotes), Entry("Price sheets", sheets)]


class PriceSheetDetailView(SheetPage):
    """What became of a sheet: counts, faults and held rows by line."""

    template = "procurement/price_sheet.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the page, or only the part that changes while the sheet is being read."""
        sheet = self.sheet()
        context = {"sheet": sheet, "rows": sheet_rows_open(sheet)[:1000], "is_waiting": sheet.state == "received"}
        if request.htmx:  # type: ignore[attr-defined]
            status = 200 if context["is_waiting"] else POLLING_STOPS
            return self.show(context, status=status, template="procurement/price_sheet_outcome.html")
        return self.show(context)


class PriceSheetFileView(SheetPage):
    """The original file, byte for byte."""

    def get(self, request: HttpRequest, pk: int) -> FileResponse:
        """Return it under its own name."""
        sheet = self.sheet()
        return FileResponse(sheet.file.open("rb"), as_attachment=True, filename=sheet.file_name)


class PriceSheetCreateView(FormPage):
    """Upload a file of prices, or paste its rows."""

    action = "quote.edit"
    heading = "Import prices"
    button = "Import"
    success = "{record} was received and is being read."
    template = "procurement/price_sheet_form.html"

    def make_form(self, *args: Any, **kwargs: Any) -> PriceSheetForm:
        """Return the form, with today as the day of the prices."""
        return PriceSheetForm(*args, initial={"observed_on": day_of_evaluation()}, **kwargs)

    def store(self, form: PriceSheetForm, by: Actor) -> PriceSheet:
        """Receive the file; the same file again is the same sheet."""
        name, content = form.content()
        day, source = form.cleaned_data["observed_on"], form.cleaned_data["source"]
        sheet, _ = price_sheet_receive(
            by=by, file_name=name, content=content, observed_on=day, source=source, options=form.options()
        )
        return sheet

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
