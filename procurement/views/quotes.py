"""Pages of quotes: list, offer, versions, form, expiries."""

from typing import Any

from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.quotes import QuoteForm
from procurement.models import Quote
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.builds import evidence_expiring
from procurement.selectors.expiry import price_watches
from procurement.selectors.prices import price_book
from procurement.selectors.quote_table import quotes_table
from procurement.selectors.quotes import quote_versions, quotes_all, quotes_expiring, version_changes
from procurement.selectors.reference import time_zone_names
from procurement.selectors.sources import price_sources_failing
from procurement.services.actors import Actor
from procurement.services.quotes import quote_archive, quote_create, quote_supersede
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page, file_answer
from procurement.views.filters import QuoteFilter
from procurement.views.frame import Entry
from procurement.views.history import changes_shown, history_shown
from procurement.views.quote_compare import compared
from procurement.views.suggestions import suggestions
from providers import export_csv, export_workbook, template_csv

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EXPIRY_DAYS = 30
NIGHTS_SHOWN = 7
COMPARED_AT_MOST = 8


class QuoteListView(ListPage):
    """Offers, one line each, with how long they can be signed."""

    template = "procurement/quotes.html"
    section_name = "quotes"
    filterset = QuoteFilter
    order = "provider__name"
    columns = (
        Column("Offer", "code"),
        Column("Provider", "provider__name"),
        Column("Accelerator", "accelerator"),
        Column("Bought", "purchase_model"),
        Column("Price, as quoted", "price", "per its basis", True),
        Column("Price", "price_per_accelerator_hour", "per accelerator-hour", True),
        Column("In base currency", "", "per accelerator-hour", True),
        Column("Together", "quantity_available", "accelerators", True),
        Column("Quoted on", "quoted_on"),
        Column("Can be signed until", "valid_until"),
    )

    def rows(self) -> Any:
        """Return the newest version of each offer, archived ones only when asked for."""
        return quotes_all().filter(is_current=True, is_archived=self.request.GET.get("state") == "archived")

    def more(self, page: Any) -> dict[str, Any]:
        """Return the lines as they stand on the day, and the sources whose refresh failed."""
        book = price_book()
        base = book.exchange.base if book.exchange else ""
        return {
            "rows": book.all_priced(page), "today": book.day, "zone": book.time_zone, "base": base,
            "failing": price_sources_failing(book.day),
        }  # fmt: skip


class QuoteExportView(QuoteListView):
    """The list as the filters leave it, in the columns that an import reads."""

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        """Return every chosen row; nothing is cut off."""
        table = quotes_table(self.chosen())
        return file_answer("quotes.csv", export_csv(table), "text/csv; charset=utf-8", rows=len(table))


class QuoteExportWorkbookView(QuoteListView):
    """The same as a workbook, which an import reads as well."""

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        """Return every chosen row; texts are text, numbers numbers."""
        table = quotes_table(self.chosen())
        return file_answer("quotes.xlsx", export_workbook(table), XLSX, rows=len(table))


class QuoteTemplateView(Page):
    """An empty sheet with the meaning of every column."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Return it."""
        return file_answer("quotes-template.csv", template_csv(), "text/csv; charset=utf-8")


class QuotePage(Page):
    """What the pages of one offer share."""

    def quote(self) -> Quote:
        """Return the version asked for."""
        return get_object_or_404(quotes_all(), pk=self.kwargs["pk"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Quotes", reverse("procurement:quotes"))]

    def shown(self, quote: Quote) -> dict[str, Any]:
        """Return what every tab shows."""
        names = (
            ("Offer", "quote"), ("Prices over time", "quote_prices"), ("Versions", "quote_versions"),
            ("History", "quote_history"),
        )  # fmt: skip
        addresses = [(words, reverse(f"procurement:{name}", args=[quote.pk])) for words, name in names]
        tabs = [Entry(words, address, address == self.request.path) for words, address in addresses]
        book = price_book()
        priced = book.priced(quote)
        return {"quote": quote, "priced": priced, "today": book.day, "zone": book.time_zone, "tabs": tabs}


class QuoteDetailView(QuotePage):
    """One version of an offer with the derivation of its price."""

    template = "procurement/quote.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show it."""
        return self.show(self.shown(self.quote()))


class QuoteVersionsView(QuotePage):
    """All versions of an offer."""

    template = "procurement/quote_versions.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show them, newest first."""
        quote = self.quote()
        versions = quote_versions(quote.code).select_related("supersedes", "created_by")
        lines = [_version_shown(version) for version in versions]
        return self.show({**self.shown(quote), "lines": lines})


def _version_shown(version: Quote) -> dict[str, Any]:
    changes = changes_shown("quote", version_changes(version))
    words = "1 field" if len(changes) == 1 else f"{len(changes)} fields"
    return {"version": version, "title": f"What version {version.version} changed", "changes": changes, "note": words}


class QuoteCompareView(Page):
    """Offers side by side: one a column, what differs marked."""

    template = "procurement/quote_compare.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the offers that the address names, in its order; unknown ones are said."""
        codes = list(dict.fromkeys(code for code in request.GET.getlist("code") if "\0" not in code))[:COMPARED_AT_MOST]
        found = {quote.code: quote for quote in quotes_all().filter(code__in=codes, is_current=True)}
        book = price_book()
        columns = book.all_priced(found[code] for code in codes if code in found)
        context = {
            "columns": columns, "groups": compared(columns), "today": book.day, "zone": book.time_zone,
            "missing": [code for code in codes if code not in found], "most": COMPARED_AT_MOST,
        }  # fmt: skip
        return self.show(context)

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Quotes", reverse("procurement:quotes"))]


class QuoteHistoryView(QuotePage):
    """Who changed the offer, when and why."""

    template = "procurement/quote_history.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show it, newest first."""
        quote = self.quote()
        return self.show({**self.shown(quote), "entries": history_shown(quote)})


class QuoteByCodeView(Page):
    """An offer by the name that runs and files use."""

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Go to the version in force, else to the newest."""
        newest = quote_versions(code.replace("\0", "")).first()
        if newest is None:
            raise Http404(f"no offer is named {code}")
        return HttpResponseRedirect(reverse("procurement:quote", args=[newest.pk]))


class QuoteFormPage(FormPage):
    """What entering and re-quoting share."""

    action = "quote.edit"
    template = "procurement/quote_form.html"

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Quotes", reverse("procurement:quotes"))]

    def more(self) -> dict[str, Any]:
        """Return known names to choose from."""
        return {**super().more(), **suggestions(), "zones": time_zone_names()}

    def address_after(self, record: Quote) -> str:
        """Return the page of the offer, or the form again for the next one."""
        if "another" in self.request.POST:
            return reverse("procurement:quote_new")
        return reverse("procurement:quote", args=[record.pk])


class QuoteCreateView(QuoteFormPage):
    """A new offer."""

    heading = "New quote"
    button = "Save quote"
    success = "{record} was saved. Recommendations are being recomputed."

    def make_form(self, *args: Any, **kwargs: Any) -> QuoteForm:
        """Return the form, with today as the day of the quote."""
        return QuoteForm(*args, initial={"quoted_on": day_of_evaluation()}, **kwargs)

    def store(self, form: QuoteForm, by: Actor) -> Quote:
        """Store version 1."""
        return quote_create(by=by, values=form.values())


class QuoteUpdateView(QuoteFormPage):
    """A new version of an offer."""

    heading = "New version"
    button = "Save as new version"
    success = "{record} is in force. The version before stays readable."

    def make_form(self, *args: Any, **kwargs: Any) -> QuoteForm:
        """Return the form on the version in force."""
        quote = get_object_or_404(quotes_all(), pk=self.kwargs["pk"])
        return QuoteForm(*args, instance=self.current(quote), **kwargs)

    def store(self, form: QuoteForm, by: Actor) -> Quote:
        """Append the version."""
        version = form.cleaned_data["version"]
        return quote_supersede(by=by, quote=form.instance, version=version, values=form.values())

    def current(self, record: Model) -> Model:
        """Return the version in force."""
        return quotes_all().get(code=record.code, is_current=True)  # type: ignore[attr-defined]

    def more(self) -> dict[str, Any]:
        """Name the offer in the heading."""
        quote = get_object_or_404(quotes_all(), pk=self.kwargs["pk"])
        return {**super().more(), "heading": f"New version of {quote.code}"}


class QuoteArchiveView(ActionPage):
    """Take an offer out of every comparison, or bring it back."""

    action = "quote.edit"
    is_archived = True

    @property
    def success(self) -> str:  # type: ignore[override]
        """Say what happened."""
        return "The offer was archived; no version is lost." if self.is_archived else "The offer is back."

    def act(self, by: Actor) -> str:
        """Archive the version in force."""
        self.quote = get_object_or_404(quotes_all(), pk=self.kwargs["pk"])
        version = self.version_sent(self.quote.version)
        quote_archive(by=by, quote=self.quote, version=version, is_archived=self.is_archived)
        return self.address_back()

    def undo_address(self) -> str:
        """Return the way back."""
        return reverse("procurement:quote_restore", args=[self.quote.pk]) if self.is_archived else ""

    def address_back(self) -> str:
        """Return the page of the offer."""
        return reverse("procurement:quote", args=[self.kwargs["pk"]])


class ExpiryListView(Page):
    """What stops counting soon: quotes that can no longer be signed, evidence that grows too old."""

    template = "procurement/expiries.html"
    section_name = "quotes"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show quotes and evidence, soonest first."""
        days = int(request.GET["days"]) if request.GET.get("days") in {"7", "14", "30", "90"} else EXPIRY_DAYS
        context = {"quotes": quotes_expiring(days), "evidence": evidence_expiring(days), "days": days}
        nights = price_watches()[:NIGHTS_SHOWN]
        return self.show({**context, "today": day_of_evaluation(), "spans": (7, 14, 30, 90), "nights": nights})
