"""Requests for quotes made through the services, and a clock that a test moves."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from procurement.models import QuoteRequest, RequestBid, RequestInvitation
from procurement.selectors import clock
from procurement.services.requests import request_create, request_publish
from procurement.services.requests_bids import bid_receive
from procurement.services.requests_invitations import invitation_create, question_ask
from procurement.services.requests_openings import request_open
from tests.factories import actor, make_provider

DUE = datetime(2026, 12, 4, 11, 0, tzinfo=UTC)  # 12:00 in Berlin
MICROSECOND = timedelta(microseconds=1)


@dataclass
class MovedClock:
    """The database's clock, as a test sets it."""

    now: datetime = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the instant."""
        return self.now


def moved_clock(monkeypatch: Any) -> MovedClock:
    """Put a clock in place of the database's."""
    moved = MovedClock()
    monkeypatch.setattr(clock, "database_now", moved)
    return moved


def make_request(*suppliers: str, is_published: bool = True, **changes: Any) -> QuoteRequest:
    """Return a request for 64 H100 in one fabric, due 2026-12-04 12:00 in Berlin, published to two suppliers."""
    values = {
        "title": "64 H100 for training", "need": "Base model, second generation.", "accelerator_types": ["H100-SXM"],
        "accelerators": 64, "least_interconnect": "multi_node", "least_domain_accelerators": 64,
        "accepted_power": ["firm"], "due_at": DUE, "time_zone": "Europe/Berlin", **changes,
    }  # fmt: skip
    quote_request = request_create(by=actor("analyst"), values=values)
    for code in suppliers or ("acme", "neptune"):
        make_invitation(quote_request, code)
    if is_published:
        quote_request = request_publish(by=actor("analyst"), quote_request=quote_request, version=quote_request.version)
    return quote_request


def make_invitation(quote_request: QuoteRequest, code: str) -> RequestInvitation:
    """Return the invitation of a supplier."""
    values = {"provider": make_provider(code), "contact_email": f"sales@{code}.example"}
    return invitation_create(by=actor("analyst"), quote_request=quote_request, values=values)


def terms(**changes: Any) -> dict[str, Any]:
    """Return a bid that meets every must-have: 2.35 USD an accelerator-hour for 24 months."""
    return {
        "accelerator": "H100-SXM", "quantity_available": 64, "price": "2.35", "currency": "USD",
        "valid_until": date(2027, 1, 31), "interconnect": "multi_node", "largest_domain_accelerators": 128,
        "fabric": "infiniband", "power_status": "firm", "term_months": 24, **changes,
    }  # fmt: skip


def make_bid(quote_request: QuoteRequest, code: str = "acme", **changes: Any) -> RequestBid:
    """Return a bid of a supplier; ``option`` and ``attachment`` are told apart from its terms."""
    apart = {name: changes.pop(name) for name in ("option", "attachment", "by") if name in changes}
    invitation = RequestInvitation.objects.select_related("request", "provider").get(
        request=quote_request, provider__code=code
    )
    return bid_receive(**{"by": actor("analyst"), **apart}, invitation=invitation, values=terms(**changes))


def opened_sample() -> QuoteRequest:
    """Return a request with an opened bid that came with a file, a question and letters, by the real clock."""
    now = clock.database_now()
    quote_request = make_request(due_at=now + timedelta(hours=1))
    make_bid(quote_request, attachment=("offer.pdf", b"offer"), valid_until=now.date() + timedelta(days=60))
    question_ask(by=actor("analyst"), quote_request=quote_request, question="Is RoCE accepted?")
    QuoteRequest.objects.filter(pk=quote_request.pk).update(due_at=now)
    request_open(by=actor("finance"), quote_request=quote_request, version=quote_request.version)
    return QuoteRequest.objects.get(pk=quote_request.pk)


def opened(quote_request: QuoteRequest, moved: MovedClock) -> QuoteRequest:
    """Return the request with its bids opened, an hour after the deadline."""
    moved.now = DUE + timedelta(hours=1)
    request_open(by=actor("finance"), quote_request=quote_request, version=quote_request.version)
    return QuoteRequest.objects.get(pk=quote_request.pk)
