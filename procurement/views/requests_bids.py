"""Pages of bids: enter, receipt, terms after the opening, comparison, award."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.errors import ProcurementError
from procurement.forms.requests import AwardForm, BidForm, StepForm
from procurement.models import BidState, QuoteRequest, RequestBid
from procurement.selectors.requests import READABLE, bids_of, invitations_of, invitations_silent
from procurement.selectors.requests_comparison import Comparison, request_comparison
from procurement.selectors.requests_compliance import is_expired
from procurement.selectors.requests_files import comparison_csv, comparison_workbook
from procurement.services.actors import Actor
from procurement.services.requests_awards import request_award
from procurement.services.requests_bids import bid_attachment, bid_receive, bid_reject, bid_withdraw
from procurement.services.sealing import SealBroken
from procurement.views.base import file_answer
from procurement.views.requests import RequestFormPage, RequestPage, RequestStepPage

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class BidCreateView(RequestFormPage):
    """A bid, entered for a supplier; it is sealed on receipt."""

    button = "Seal and file the bid"
    success = "The {record} was filed. Its digest is on the receipt."
    template = "procurement/request_bid_form.html"

    def invitation(self) -> Any:
        """Return the invitation it answers."""
        return get_object_or_404(invitations_of(self.quote_request()), pk=self.kwargs["pk"])

    def make_form(self, *args: Any, **kwargs: Any) -> BidForm:
        """Return the empty form: what was sealed before is shown to nobody."""
        return BidForm(*args, quote_request=self.quote_request(), **kwargs)

    def store(self, form: BidForm, by: Actor) -> RequestBid:
        """Seal and file it."""
        values = form.values()
        for name in ("option", "attachment"):
            values.pop(name, None)
        return bid_receive(
            by=by, invitation=self.invitation(), values=values, option=form.cleaned_data["option"],
            attachment=form.file(),
        )  # fmt: skip

    def more(self) -> dict[str, Any]:
        """Name the supplier."""
        quote_request = self.quote_request()
        heading = f"Bid of {self.invitation().provider}"
        return {**super().more(), **self.shown(quote_request), "tabs": [], "heading": heading}

    def address_after(self, record: RequestBid) -> str:
        """Return the receipt."""
        return reverse("procurement:request_bid", args=[record.request.code, record.pk])


class BidPage(RequestPage):
    """What the pages of a bid share."""

    def bid(self) -> RequestBid:
        """Return the bid asked for."""
        return get_object_or_404(bids_of(self.quote_request()), pk=self.kwargs["pk"])


class BidDetailView(BidPage):
    """The receipt of a bid, and what it says once it was opened."""

    template = "procurement/request_bid.html"

    def get(self, request: HttpRequest, code: str, pk: int) -> HttpResponse:
        """Show it."""
        bid = self.bid()
        context = {**self.shown(self.quote_request()), "tabs": [], "bid": bid}
        if bid.state in READABLE:
            comparison = request_comparison(bid.request)
            context |= _column_of(comparison, bid)
        context["may_withdraw"] = bid.state == BidState.SEALED and context["is_published"]
        context["may_reject"] = bid.state == BidState.OPENED and context["is_opened"]
        return self.show(context)


class BidFileView(BidPage):
    """The file of an opened bid; always saved, never opened as a page."""

    def get(self, request: HttpRequest, code: str, pk: int) -> HttpResponse:
        """Return it under its own name."""
        try:
            name, content = bid_attachment(by=self.actor(), bid=self.bid())
        except (ProcurementError, SealBroken) as error:
            raise Http404(str(error)) from error
        return file_answer(name, content, "application/octet-stream")


class BidStepPage(BidPage, RequestStepPage):
    """A step of one bid that asks why."""

    def make_form(self, *args: Any, **kwargs: Any) -> StepForm:
        """Return the form."""
        return StepForm(args[0] if args else None)

    def more(self) -> dict[str, Any]:
        """Name the bid."""
        return {**super().more(), "heading": f"{self.heading} the {self.bid()}"}

    def address_after(self, record: RequestBid) -> str:
        """Return the page of the bid."""
        return reverse("procurement:request_bid", args=[self.kwargs["code"], record.pk])


class BidWithdrawView(BidStepPage):
    """Give a sealed bid back before the deadline."""

    heading = "Withdraw"
    button = "Withdraw the bid"
    success = "The {record} is withdrawn; it stays on file, sealed."

    def store(self, form: StepForm, by: Actor) -> RequestBid:
        """Withdraw it."""
        return bid_withdraw(by=by, bid=self.bid())


class BidRejectView(BidStepPage):
    """Leave an opened bid out of the award."""

    action = "request.award"
    heading = "Reject"
    button = "Reject the bid"
    success = "The {record} is rejected; it stays on file with the reason."

    def store(self, form: StepForm, by: Actor) -> RequestBid:
        """Reject it."""
        return bid_reject(by=by, bid=self.bid())


class ComparisonView(RequestPage):
    """Opened bids side by side."""

    template = "procurement/request_comparison.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show them; before the opening there is nothing to show."""
        quote_request = self.quote_request()
        context = self.shown(quote_request)
        comparison = request_comparison(quote_request)
        without = {
            "declined": [row for row in invitations_of(quote_request) if row.state == "declined"],
            "silent": invitations_silent(quote_request),
        }
        return self.show({**context, "comparison": comparison, **without})


class ComparisonFileView(RequestPage):
    """The comparison as a file."""

    is_workbook = False

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Return every row of the page."""
        comparison = request_comparison(self.quote_request())
        rows = len(comparison.compared.rows)
        if self.is_workbook:
            return file_answer(f"{code}-comparison.xlsx", comparison_workbook(comparison), XLSX, rows=rows)
        return file_answer(f"{code}-comparison.csv", comparison_csv(comparison), "text/csv; charset=utf-8", rows=rows)


class AwardView(RequestStepPage):
    """Choose one or several bids, and say why."""

    action = "request.award"
    heading = "Award"
    button = "Award"
    success = "{record} is awarded. The chosen bids are quotes in force; the letters are ready."

    def make_form(self, *args: Any, **kwargs: Any) -> AwardForm:
        """Return the form with the bids that can be signed, comparable ones first; it names those that cannot."""
        quote_request = self.quote_request()
        comparison = request_comparison(quote_request)
        opened = [option for option in _options(comparison) if option.bid.state == BidState.OPENED]
        expired = [option for option in opened if is_expired(option.terms, comparison.today)]
        choices = [(option.bid.pk, _choice(option)) for option in opened if option not in expired]
        form = AwardForm(args[0] if args else None, choices=choices, initial={"version": quote_request.version})
        if expired:
            names = ", ".join(option.name for option in expired)
            form.fields["bids"].help_text = f"Expired, so not to be chosen: {names}."
        return form

    def store(self, form: AwardForm, by: Actor) -> QuoteRequest:
        """Award it."""
        found = form.cleaned_data
        return request_award(
            by=by, quote_request=self.quote_request(), version=found["version"], bids=found["bids"],
            deviation_reason=found["deviation_reason"],
        )  # fmt: skip

    def conflict(self, form: Any) -> HttpResponse:
        """Say that it was changed meanwhile."""
        form.add_error(None, "The request was changed meanwhile; look at it again.")
        return self.show({"form": form, **self.more()}, status=409)


def _options(comparison: Comparison) -> tuple[Any, ...]:
    return (*comparison.compared.options, *comparison.apart.options)


def _choice(option: Any) -> str:
    rate = option.why_no_rate if option.rate is None else f"{option.terms.currency} {option.rate:,.4f}"
    words = f"{option.name}: {rate} per accelerator-hour"
    return f"{words} ({'; '.join(option.reasons)})" if option.reasons else words


def _column_of(comparison: Comparison, bid: RequestBid) -> dict[str, Any]:
    """Return the answers of one bid, from the group it stands in."""
    for matrix in (comparison.compared, comparison.apart):
        for place, option in enumerate(matrix.options):
            if option.bid.pk == bid.pk:
                rows = [{"row": row, "cell": row.cells[place]} for row in matrix.rows]
                return {"option": option, "answers": rows, "currency": comparison.currency}
    return {}
