"""Reads of requests for quotes. What a sealed bid says is not among them: it lies encrypted until the opening."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from django.db.models import Count, Q, QuerySet

from procurement.models import (
    BidState,
    QuoteRequest,
    RequestBid,
    RequestInvitation,
    RequestLetter,
    RequestQuestion,
    RequestState,
)
from procurement.selectors import clock

STANDING = (BidState.SEALED, BidState.OPENED, BidState.AWARDED, BidState.NOT_AWARDED)
READABLE = (BidState.OPENED, BidState.REJECTED, BidState.AWARDED, BidState.NOT_AWARDED)


def requests_all() -> QuerySet[QuoteRequest]:
    """Return all requests, newest first."""
    return QuoteRequest.objects.select_related("created_by")


def requests_counted() -> QuerySet[QuoteRequest]:
    """Return requests with how many suppliers are asked, will not bid and lie in the box; no amount is counted."""
    counted = requests_all().annotate(
        invited_count=Count("invitations", distinct=True),
        declined_count=Count("invitations", filter=Q(invitations__state="declined"), distinct=True),
        bid_count=Count("bids", filter=Q(bids__state__in=STANDING), distinct=True),
    )
    return counted.order_by("-created_at", "-pk")


def request_state(quote_request: QuoteRequest, now: datetime | None = None) -> RequestState:
    """Return where a request stands by the clock of the database: published turns closed after the deadline."""
    state = RequestState(quote_request.state)
    if state != RequestState.PUBLISHED or quote_request.due_at is None:
        return state
    now = now or clock.database_now()
    return RequestState.CLOSED if now > quote_request.due_at else state


def request_today(quote_request: QuoteRequest, now: datetime | None = None) -> date:
    """Return the day in the zone of the request, against which the validity of its bids counts."""
    return (now or clock.database_now()).astimezone(ZoneInfo(quote_request.time_zone)).date()


def instant_words(quote_request: QuoteRequest, moment: datetime | None) -> str:
    """Return an instant in the zone of the request and in UTC."""
    if moment is None:
        return "no deadline"
    local = moment.astimezone(ZoneInfo(quote_request.time_zone))
    return f"{local:%Y-%m-%d %H:%M:%S} {quote_request.time_zone} ({moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC)"


def invitations_of(quote_request: QuoteRequest) -> QuerySet[RequestInvitation]:
    """Return the suppliers who were asked."""
    return quote_request.invitations.select_related("provider", "created_by", "request")


def invitations_silent(quote_request: QuoteRequest) -> QuerySet[RequestInvitation]:
    """Return the suppliers who were asked, did not decline, and of whom no bid is on file."""
    invited = invitations_of(quote_request).filter(state="invited", is_archived=False)
    return invited.exclude(pk__in=quote_request.bids.exclude(state=BidState.WITHDRAWN).values("invitation"))


def bids_of(quote_request: QuoteRequest) -> QuerySet[RequestBid]:
    """Return every version of every bid; the sealed content itself is left in the database."""
    related = ("invitation__provider", "received_by", "state_by", "quote", "request", "terms")
    return quote_request.bids.select_related(*related).defer("sealed")


def letters_of(quote_request: QuoteRequest) -> QuerySet[RequestLetter]:
    """Return the letters of all notices, newest first."""
    letters = RequestLetter.objects.filter(notice__request=quote_request)
    return letters.select_related("notice", "invitation__provider", "sent_by")


def questions_of(quote_request: QuoteRequest) -> QuerySet[RequestQuestion]:
    """Return the questions, oldest first."""
    return quote_request.asked_questions.select_related("invitation__provider", "recorded_by", "answered_by")
