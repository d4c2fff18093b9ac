"""Writes of requests for quotes: draft, publish, amend, extend, cancel. Each refusal names the state that it needs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.db import transaction

from procurement.choices import asked_item_choices, fabric_choices, power_status_choices
from procurement.errors import ProcurementError
from procurement.models import NoticeKind, QuoteRequest, RequestState, Workload
from procurement.permissions import require
from procurement.selectors import clock
from procurement.selectors.assumptions import zone_of_evaluation
from procurement.selectors.requests import instant_words, request_state
from procurement.services.actors import Actor, reason_required
from procurement.services.locks import Lock
from procurement.services.records import next_code, record_create, record_update
from procurement.services.requests_letters import notice_send

LISTS = ("workloads", "accelerator_types", "accepted_fabrics", "accepted_power", "must_answer", "questions")
LONGEST_LIST = 50
NEXT_STEP = {
    RequestState.DRAFT: "publish it first",
    RequestState.PUBLISHED: "wait for the deadline, or cancel it",
    RequestState.CLOSED: "its deadline has passed: open the bids, or cancel it and ask anew",
    RequestState.OPENED: "its bids are open: award it, or cancel it and ask anew",
    RequestState.AWARDED: "it is over: ask anew",
    RequestState.CANCELLED: "it is over: ask anew",
}


def request_create(*, by: Actor, values: Mapping[str, Any]) -> QuoteRequest:
    """Store a draft with the next number of the year; suppliers are added before it is published.

    A deadline without a time zone is one of the zone of the assumptions.
    """
    require(by.user, "request.edit")
    with transaction.atomic():
        record = QuoteRequest(**{"time_zone": zone_of_evaluation(), **values})
        record.code = next_code(QuoteRequest.objects.all(), prefix=f"RFQ-{_year()}-", lock=Lock.REQUEST_NUMBERS)
        return record_create(by=by, record=record, action="request.create", check=_check)


def request_update(*, by: Actor, quote_request: QuoteRequest, version: int, values: Mapping[str, Any]) -> QuoteRequest:
    """Change a draft freely. After publishing each change needs a reason and goes to all suppliers as an amendment.

    The deadline of a published request is extended, not amended; what a deadline has closed no longer changes.
    """
    require(by.user, "request.edit")
    with transaction.atomic():
        locked = request_locked(quote_request)
        state = state_required(locked, (RequestState.DRAFT, RequestState.PUBLISHED), "be changed")
        is_draft = state == RequestState.DRAFT
        if not is_draft:
            _refuse_deadline(locked, values)
            reason_required(by, "what changes for the suppliers")
        before = {name: getattr(locked, name) for name in values}
        action = "request.update" if is_draft else "request.amend"
        changed = record_update(by=by, record=locked, version=version, values=values, action=action, check=_check)
        told = {
            name: [before[name], getattr(changed, name)] for name in values if before[name] != getattr(changed, name)
        }
        if told and not is_draft:
            notice_send(by=by, quote_request=changed, kind=NoticeKind.AMENDMENT, body=by.reason, changes=told)
    return changed


def request_publish(*, by: Actor, quote_request: QuoteRequest, version: int) -> QuoteRequest:
    """Publish a draft to its suppliers; refuses one without deadline ahead, or with too few suppliers and no reason."""
    require(by.user, "request.edit")
    with transaction.atomic():
        locked = request_locked(quote_request)
        state_required(locked, (RequestState.DRAFT,), "be published")
        now = clock.database_now()
        faults = _faults_to_publish(locked, now)
        if faults:
            raise ProcurementError("not_ready", " ".join(faults))
        values = {"state": RequestState.PUBLISHED, "published_at": now}
        published = record_update(by=by, record=locked, version=version, values=values, action="request.publish")
        notice_send(by=by, quote_request=published, kind=NoticeKind.INVITATION, body="")
    return published


def request_extend(*, by: Actor, quote_request: QuoteRequest, version: int, due_at: datetime) -> QuoteRequest:
    """Move the deadline of a published request to a later instant, while it has not passed; all are told why."""
    require(by.user, "request.edit")
    reason_required(by, "why the deadline moves; all suppliers read it")
    with transaction.atomic():
        locked = request_locked(quote_request)
        state_required(locked, (RequestState.PUBLISHED,), "be extended")
        if locked.due_at is None or due_at <= locked.due_at:
            message = (
                f"A deadline is only ever extended: state an instant after {instant_words(locked, locked.due_at)}."
            )
            raise ProcurementError("invalid", message, {"due_at": [message]})
        before = locked.due_at
        extended = record_update(
            by=by, record=locked, version=version, values={"due_at": due_at}, action="request.extend"
        )
        told = {"due_at": [instant_words(locked, before), instant_words(locked, due_at)]}
        notice_send(by=by, quote_request=extended, kind=NoticeKind.EXTENSION, body=by.reason, changes=told)
    return extended


def request_cancel(*, by: Actor, quote_request: QuoteRequest, version: int) -> QuoteRequest:
    """End a request without award, with the reason; bids that were not opened stay sealed for ever."""
    require(by.user, "request.edit")
    reason_required(by, "why it is cancelled; suppliers who were invited read it")
    with transaction.atomic():
        locked = request_locked(quote_request)
        state = state_required(
            locked,
            (RequestState.DRAFT, RequestState.PUBLISHED, RequestState.CLOSED, RequestState.OPENED),
            "be cancelled",
        )
        values = {
            "state": RequestState.CANCELLED, "closing_reason": by.reason, "closed_at": clock.database_now(),
        }  # fmt: skip
        cancelled = record_update(by=by, record=locked, version=version, values=values, action="request.cancel")
        if state != RequestState.DRAFT:
            notice_send(by=by, quote_request=cancelled, kind=NoticeKind.CANCELLATION, body=by.reason)
    return cancelled


def request_locked(quote_request: QuoteRequest) -> QuoteRequest:
    """Return the request, locked to the end of the transaction: deadline, bids and opening never pass each other."""
    return QuoteRequest.objects.select_for_update().get(pk=quote_request.pk)


def state_required(
    quote_request: QuoteRequest, allowed: Sequence[RequestState], verb: str, now: datetime | None = None
) -> RequestState:
    """Return the state of a request; refuses one that does not allow what is asked, and says what would be right."""
    state = request_state(quote_request, now)
    if state not in allowed:
        wanted = " or ".join(item.label.lower() for item in allowed)
        raise ProcurementError(
            "wrong_state",
            f"{quote_request.code} is {state.label.lower()} and cannot {verb}; that needs it {wanted}. "
            f"Now: {NEXT_STEP[state]}.",
        )
    return state


def _faults_to_publish(quote_request: QuoteRequest, now: datetime) -> list[str]:
    faults = []
    if quote_request.due_at is None:
        faults.append("It has no deadline; state one.")
    elif quote_request.due_at <= now:
        faults.append(
            f"Its deadline {instant_words(quote_request, quote_request.due_at)} has passed; state a later one."
        )
    asked = quote_request.invitations.filter(is_archived=False).count()
    if asked == 0:
        faults.append("No supplier is invited; invite one.")
    elif asked < quote_request.least_bidders and not quote_request.sole_source_reason.strip():
        faults.append(
            f"{asked} of at least {quote_request.least_bidders} suppliers are invited; invite more, or say in "
            "`sole_source_reason` why fewer are asked."
        )
    return faults


def _refuse_deadline(quote_request: QuoteRequest, values: Mapping[str, Any]) -> None:
    fixed = {
        name: ["It is fixed since the request was published; extend the deadline instead."]
        for name in ("due_at", "time_zone", "opening_people")
        if name in values and values[name] != getattr(quote_request, name)
    }
    if fixed:
        raise ProcurementError(
            "invalid",
            "The opening is fixed since it was published; extend the deadline instead.",
            fixed,
        )


def _check(quote_request: QuoteRequest) -> None:
    """Refuse lists that hold what is not known here, and a zone that is none."""
    faults: dict[str, list[str]] = {}
    for name in LISTS:
        value = getattr(quote_request, name)
        is_list = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
        if not is_list or len(value) > LONGEST_LIST or any(len(item) > 500 for item in value):
            faults[name] = [f"Should be a list of at most {LONGEST_LIST} texts of 1 to 500 characters."]
    if not faults:
        known = {
            "accepted_fabrics": [code for code, _ in fabric_choices()],
            "accepted_power": [code for code, _ in power_status_choices()],
            "must_answer": [code for code, _ in asked_item_choices()],
        }
        known["workloads"] = list(
            Workload.objects.filter(code__in=quote_request.workloads).values_list("code", flat=True)
        )
        for name, allowed in known.items():
            strange = [item for item in getattr(quote_request, name) if item not in allowed]
            if strange:
                may = f"Use {', '.join(allowed)}." if name != "workloads" else "Use the code of a workload."
                faults[name] = [f"`{strange[0][:60]}` is not known here. {may}"]
        if not quote_request.accelerator_types:
            faults["accelerator_types"] = ["Name at least one accelerator that may be offered."]
    if quote_request.time_zone not in available_timezones():
        message = f"`{quote_request.time_zone}` is no time zone; write an IANA name such as Europe/Berlin or UTC."
        faults["time_zone"] = [message]
    if faults:
        sentences = "; ".join(f"{name}: {' '.join(texts)}" for name, texts in faults.items())
        raise ProcurementError("invalid", sentences, faults)


def _year() -> int:
    """Return the year of the one clock, in UTC, since a request states a zone of its own."""
    return clock.database_now().astimezone(ZoneInfo("UTC")).year
