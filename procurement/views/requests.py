"""Pages of requests for quotes: list, request, form, and the steps from draft to opening."""

from collections.abc import Iterable
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.choices import asked_item_choices, fabric_choices, power_status_choices
from procurement.forms.requests import ExtensionForm, RequestForm, StepForm
from procurement.models import QuoteRequest, RequestInvitation, RequestOpening, RequestState
from procurement.selectors import clock
from procurement.selectors.requests import (
    STANDING,
    bids_of,
    invitations_of,
    letters_of,
    questions_of,
    request_state,
    requests_all,
    requests_counted,
)
from procurement.services.actors import Actor
from procurement.services.requests import (
    request_cancel,
    request_create,
    request_extend,
    request_publish,
    request_update,
)
from procurement.services.requests_letters import has_mail_server
from procurement.services.requests_openings import request_open
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page
from procurement.views.filters import RequestFilter
from procurement.views.frame import Entry
from procurement.views.history import history_shown
from procurement.views.suggestions import suggestions

TABS = (
    ("Request", "request"),
    ("Suppliers and bids", "request_bids"),
    ("Questions", "request_questions"),
    ("Letters", "request_letters"),
    ("Comparison", "request_comparison"),
    ("History", "request_history"),
)
ENDED = (RequestState.AWARDED, RequestState.CANCELLED)


class RequestListView(ListPage):
    """Requests, newest first, with how many suppliers are asked and how many bids lie in the box."""

    template = "procurement/requests.html"
    section_name = "quotes"
    filterset = RequestFilter
    columns = (
        Column("Request", "code"), Column("State"), Column("Deadline", "due_at"),
        Column("Accelerators", "accelerators", "", True), Column("Suppliers asked", "invited_count", "", True),
        Column("Bids on file", "bid_count", "", True),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return them."""
        return requests_counted()

    def more(self, page: Any) -> dict[str, Any]:
        """Return the lines with their state by the clock and the deadline in its zone."""
        now = clock.database_now()
        rows = [{"request": row, "state": request_state(row, now), "due": due_shown(row)} for row in page]
        return {"rows": rows}


class RequestPage(Page):
    """What the pages of one request share."""

    def quote_request(self) -> QuoteRequest:
        """Return the request asked for."""
        return get_object_or_404(requests_all(), code=self.kwargs["code"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        crumbs = [Entry("Requests", reverse("procurement:requests"))]
        if len(self.request.path.strip("/").split("/")) > 2:
            address = reverse("procurement:request", args=[self.kwargs["code"]])
            crumbs.append(Entry(self.kwargs["code"], address))
        return crumbs

    def shown(self, quote_request: QuoteRequest) -> dict[str, Any]:
        """Return what every tab shows."""
        addresses = [(words, reverse(f"procurement:{name}", args=[quote_request.code])) for words, name in TABS]
        now = clock.database_now()
        state = request_state(quote_request, now)
        return {
            "quote_request": quote_request, "state": state.value, "due": due_shown(quote_request),
            "tabs": [Entry(words, address, address == self.request.path) for words, address in addresses],
            "is_sealed": state in (RequestState.PUBLISHED, RequestState.CLOSED),
            "is_draft": state == RequestState.DRAFT,
            "is_published": state == RequestState.PUBLISHED,
            "is_closed": state == RequestState.CLOSED,
            "is_opened": state == RequestState.OPENED,
            "is_taking_bids": state in (RequestState.PUBLISHED, RequestState.CLOSED, RequestState.OPENED),
            "is_ended": state in ENDED,
            "opening": RequestOpening.objects.filter(request=quote_request)
            .select_related("begun_by", "opened_by")
            .first(),
        }  # fmt: skip


class RequestDetailView(RequestPage):
    """What is asked, what must hold, where it stands and what comes next."""

    template = "procurement/request.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show it."""
        quote_request = self.quote_request()
        invitations = invitations_of(quote_request).filter(is_archived=False)
        counts = {"suppliers": invitations.count(), "declined": invitations.filter(state="declined").count()}
        asked = {"musts": musts_shown(quote_request), "asked": asked_shown(quote_request)}
        shown = self.shown(quote_request)
        opened = opened_shown(shown["opening"], invitations)
        return self.show({**shown, **asked, "counts": counts, "opened_bids": opened})


class RequestBidsView(RequestPage):
    """Who is asked, who will not bid, and every bid on file with its receipt."""

    template = "procurement/request_bids.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show them."""
        quote_request = self.quote_request()
        bids = list(bids_of(quote_request))
        bidders = {bid.invitation_id for bid in bids if bid.state in STANDING}
        context = {"invitations": invitations_of(quote_request), "bids": bids, "bidders": bidders}
        return self.show({**self.shown(quote_request), **context})


class RequestQuestionsView(RequestPage):
    """What was asked about the request and what all were told."""

    template = "procurement/request_questions.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show them."""
        quote_request = self.quote_request()
        return self.show({**self.shown(quote_request), "questions": questions_of(quote_request)})


class RequestLettersView(RequestPage):
    """Every notice with its letters, and which of them went out."""

    template = "procurement/request_letters.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show them."""
        quote_request = self.quote_request()
        context = {"letters": letters_of(quote_request), "has_mail_server": has_mail_server()}
        return self.show({**self.shown(quote_request), **context})


class RequestHistoryView(RequestPage):
    """Who did what to the request, when and why."""

    template = "procurement/request_history.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show it, newest first."""
        quote_request = self.quote_request()
        return self.show({**self.shown(quote_request), "entries": history_shown(quote_request)})


class RequestFormPage(RequestPage, FormPage):
    """What entering and changing a request share."""

    action = "request.edit"

    def more(self) -> dict[str, Any]:
        """Return known names to choose from."""
        return {**super().more(), **suggestions()}

    def address_after(self, record: QuoteRequest) -> str:
        """Return the page of the request."""
        return reverse("procurement:request", args=[record.code])


class RequestCreateView(RequestFormPage):
    """A new draft."""

    heading = "New request for quotes"
    button = "Save draft"
    success = "{record} is a draft. Invite suppliers, then publish it."

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Requests", reverse("procurement:requests"))]

    def make_form(self, *args: Any, **kwargs: Any) -> RequestForm:
        """Return the empty form."""
        return RequestForm(*args, **kwargs)

    def store(self, form: RequestForm, by: Actor) -> QuoteRequest:
        """Store it."""
        return request_create(by=by, values=form.values())


class RequestUpdateView(RequestFormPage):
    """A draft that is changed, or an amendment that goes to all."""

    button = "Save"
    success = "{record} was changed."

    def make_form(self, *args: Any, **kwargs: Any) -> RequestForm:
        """Return the form on the request."""
        return RequestForm(*args, instance=self.quote_request(), **kwargs)

    def store(self, form: RequestForm, by: Actor) -> QuoteRequest:
        """Store the change."""
        version = form.cleaned_data["version"]
        return request_update(by=by, quote_request=form.instance, version=version, values=form.values())

    def current(self, record: Model) -> Model:
        """Return the request as it stands now."""
        return requests_all().get(pk=record.pk)

    def more(self) -> dict[str, Any]:
        """Say whether this changes a draft or goes to all."""
        quote_request = self.quote_request()
        is_draft = quote_request.state == RequestState.DRAFT
        heading = f"{'Edit' if is_draft else 'Amend'} {quote_request.code}"
        return {**super().more(), "heading": heading, "button": "Save draft" if is_draft else "Tell all suppliers"}


class RequestStepPage(RequestFormPage):
    """A step that asks why."""

    def make_form(self, *args: Any, **kwargs: Any) -> Any:
        """Return the form at the version that the person sees."""
        return StepForm(args[0] if args else None, initial={"version": self.quote_request().version})

    def more(self) -> dict[str, Any]:
        """Name the request in the heading."""
        return {**super().more(), "heading": f"{self.heading} {self.kwargs['code']}"}


class RequestExtendView(RequestStepPage):
    """A later deadline, told to all."""

    heading = "Extend the deadline of"
    button = "Extend and tell all suppliers"
    success = "The deadline of {record} was extended; the letters are ready."

    def make_form(self, *args: Any, **kwargs: Any) -> ExtensionForm:
        """Return the form with the deadline as it stands."""
        quote_request = self.quote_request()
        due = due_shown(quote_request)
        initial = {"version": quote_request.version, "due_on": due.get("day"), "due_time": due.get("time")}
        return ExtensionForm(args[0] if args else None, zone=quote_request.time_zone, initial=initial)

    def store(self, form: ExtensionForm, by: Actor) -> QuoteRequest:
        """Extend it."""
        version, due_at = form.cleaned_data["version"], form.cleaned_data["due_at"]
        return request_extend(by=by, quote_request=self.quote_request(), version=version, due_at=due_at)

    def conflict(self, form: Any) -> HttpResponse:
        """Show the deadline as it stands now."""
        form.add_error(None, "The request was changed meanwhile; look at it again.")
        return self.show({"form": form, **self.more()}, status=409)


class RequestCancelView(RequestStepPage):
    """The end of a request without award."""

    heading = "Cancel"
    button = "Cancel the request"
    success = "{record} is cancelled. Bids that were not opened stay sealed."

    def store(self, form: StepForm, by: Actor) -> QuoteRequest:
        """Cancel it."""
        quote_request = self.quote_request()
        version = form.cleaned_data.get("version") or quote_request.version
        return request_cancel(by=by, quote_request=quote_request, version=version)

    def conflict(self, form: Any) -> HttpResponse:
        """Say that it was changed meanwhile."""
        form.add_error(None, "The request was changed meanwhile; look at it again.")
        return self.show({"form": form, **self.more()}, status=409)


class RequestActionPage(ActionPage):
    """A button on the page of a request."""

    def quote_request(self) -> QuoteRequest:
        """Return the request asked for."""
        return get_object_or_404(requests_all(), code=self.kwargs["code"])

    def address_back(self) -> str:
        """Return the page of the request."""
        return reverse("procurement:request", args=[self.kwargs["code"]])


class RequestPublishView(RequestActionPage):
    """Publish a draft to its suppliers."""

    action = "request.edit"
    success = "Published. Under Letters stands which invitations go by mail and which wait for you."

    def act(self, by: Actor) -> str:
        """Publish it."""
        quote_request = self.quote_request()
        request_publish(by=by, quote_request=quote_request, version=self.version_sent(quote_request.version))
        return self.address_back()


class RequestOpenView(RequestActionPage):
    """Open the bids after the deadline."""

    action = "request.open"

    @property
    def success(self) -> str:  # type: ignore[override]
        """Say whether a second person is waited for."""
        return "The bids are open." if self.opening.opened_at else "Begun. A second person opens the bids."

    def act(self, by: Actor) -> str:
        """Open it, or begin to."""
        quote_request = self.quote_request()
        self.opening = request_open(
            by=by, quote_request=quote_request, version=self.version_sent(quote_request.version)
        )
        page = "request_comparison" if self.opening.opened_at else "request"
        return reverse(f"procurement:{page}", args=[quote_request.code])


def due_shown(quote_request: QuoteRequest) -> dict[str, Any]:
    """Return the deadline as day and time of its zone; empty without one."""
    if quote_request.due_at is None:
        return {}
    wall = quote_request.due_at.astimezone(ZoneInfo(quote_request.time_zone))
    return {"day": wall.date(), "time": f"{wall:%H:%M}", "zone": quote_request.time_zone, "at": quote_request.due_at}


def opened_shown(opening: RequestOpening | None, invitations: Iterable[RequestInvitation]) -> list[dict[str, Any]]:
    """Return the bids in the record of an opening, with the names of their suppliers."""
    names = {invitation.provider.code: invitation.provider.name for invitation in invitations}
    return [{**bid, "name": names.get(bid["supplier"], bid["supplier"])} for bid in (opening.bids if opening else ())]


def asked_shown(quote_request: QuoteRequest) -> list[dict[str, Any]]:
    """Return what every bid is asked to say: name, what is meant, whether it must be answered."""
    split = [(key, words.partition(": ")) for key, words in asked_item_choices()]
    return [
        {"name": words[0], "meaning": words[2], "is_must": key in quote_request.must_answer} for key, words in split
    ]


def musts_shown(quote_request: QuoteRequest) -> list[dict[str, Any]]:
    """Return the must-haves that are stated: name, value, unit."""
    words = dict((*fabric_choices(), *power_status_choices()))
    asked = {key: text.partition(":")[0].lower() for key, text in asked_item_choices()}
    rows = (
        ("Accelerators that may be offered", quote_request.accelerator_types, ""),
        ("Together, at least", quote_request.accelerators, "accelerators"),
        ("Region", quote_request.region, ""),
        ("Scale, at least", quote_request.get_least_interconnect_display(), ""),
        ("Fabric domain, at least", quote_request.least_domain_accelerators, "accelerators"),
        ("Fabrics", [words[code] for code in quote_request.accepted_fabrics], ""),
        ("Measured all-reduce, at least", quote_request.least_allreduce_gbps, "Gbit/s"),
        ("Power", [words[code] for code in quote_request.accepted_power], ""),
        ("Delivered by", quote_request.latest_delivery_on, ""),
        ("Term, at most", quote_request.longest_term_months, "months"),
        ("Must be answered", [asked[code] for code in quote_request.must_answer], ""),
    )
    return [{"name": name, "value": value, "unit": unit} for name, value, unit in rows if value not in (None, "", [])]
