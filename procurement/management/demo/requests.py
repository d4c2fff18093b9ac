"""Requests for quotes: one that is open, one whose bids are opened.

Bids are sealed against the real clock, so the days of these requests cannot be pinned like the rest of the demo: they
are counted from the day on which the request is published, in the zone of the request, and its need says so.
"""

import time as clock_time
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from procurement.management.demo.base import by, data
from procurement.models import Provider, QuoteRequest, RequestInvitation, RequestState
from procurement.selectors import clock
from procurement.selectors.requests import request_state, request_today
from procurement.services.requests import request_create, request_publish
from procurement.services.requests_bids import bid_receive
from procurement.services.requests_invitations import (
    invitation_create,
    invitation_decline,
    question_answer,
    question_ask,
)
from procurement.services.requests_openings import request_open

LONGEST_WAIT = 30.0  # seconds for a deadline that was set to pass while the demo starts
DAYS = ("quoted_on", "valid_until", "earliest_start", "start_on", "end_on", "latest_delivery_on")


def open_request() -> int:
    """Publish the request that stays open; when its deadline has passed since, ask anew, as a person would.

    The closed one stays as it is, for its bids can still be opened; so does one that a person cancelled or opened.
    """
    entry = data("requests/open.json")
    known = QuoteRequest.objects.filter(title=entry["request"]["title"]).first()
    if known is not None and request_state(known) != RequestState.CLOSED:
        return 0
    today = clock.database_now().astimezone(ZoneInfo(entry["request"]["time_zone"])).date()
    noon = datetime.combine(today + timedelta(days=entry["open_days"]), time(12), ZoneInfo("Europe/Stockholm"))
    _ask(entry, due_at=noon)
    return 1


def opened_request() -> int:
    """Publish the request whose bids are opened a moment later: its deadline passes while the demo starts."""
    entry = data("requests/opened.json")
    if QuoteRequest.objects.filter(title=entry["request"]["title"]).exists():
        return 0
    _ask(entry, due_at=clock.database_now() + timedelta(seconds=entry["open_seconds"]))
    return 1


def bids_opened() -> int:
    """Open the bids once the deadline has passed, and file the bid that came too late."""
    entry = data("requests/opened.json")
    quote_request = QuoteRequest.objects.filter(title=entry["request"]["title"]).first()
    if quote_request is None or quote_request.state != RequestState.PUBLISHED or quote_request.due_at is None:
        return 0
    left = (quote_request.due_at - clock.database_now()).total_seconds()
    if left > LONGEST_WAIT:
        return 0
    clock_time.sleep(max(0.0, left) + 0.01)
    for late in entry["late_bids"]:
        _bid(quote_request, late)
    request_open(by=by("finance"), quote_request=quote_request, version=quote_request.version)
    return 1


def _ask(entry: Mapping[str, Any], *, due_at: datetime) -> None:
    """Publish a request to its suppliers, and record what they ask, decline and bid."""
    zone = ZoneInfo(entry["request"]["time_zone"])
    today = clock.database_now().astimezone(zone).date()
    values = {**_dated(entry["request"], today), "due_at": due_at}
    quote_request = request_create(by=by("analyst"), values=values)
    for supplier in entry["suppliers"]:
        invited = {**supplier, "provider": Provider.objects.get(code=supplier["provider"])}
        invitation_create(by=by("analyst"), quote_request=quote_request, values=invited)
    quote_request = request_publish(by=by("analyst"), quote_request=quote_request, version=quote_request.version)
    for asked in entry["questions"]:
        invitation = _invitation(quote_request, asked["provider"])
        question = question_ask(
            by=by("analyst"), quote_request=quote_request, question=asked["question"], invitation=invitation
        )
        if "answer" in asked:
            question_answer(by=by("analyst"), question=question, answer=asked["answer"])
    for declined in entry["declined"]:
        invitation = _invitation(quote_request, declined["provider"])
        invitation_decline(by=by("analyst", declined["reason"]), invitation=invitation, version=invitation.version)
    for bid in entry["bids"]:
        _bid(quote_request, bid)


def _bid(quote_request: QuoteRequest, entry: Mapping[str, Any]) -> None:
    invitation = _invitation(quote_request, entry["provider"])
    terms = _dated(entry["terms"], request_today(quote_request))
    bid_receive(by=by("analyst"), invitation=invitation, values=terms, option=entry["option"])


def _invitation(quote_request: QuoteRequest, provider: str) -> RequestInvitation:
    invitations = RequestInvitation.objects.select_related("request", "provider")
    return invitations.get(request=quote_request, provider__code=provider)


def _dated(entry: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return an entry with its days, which the files state as numbers of days from today, as days."""
    return {name: today + timedelta(days=value) if name in DAYS else value for name, value in entry.items()}
