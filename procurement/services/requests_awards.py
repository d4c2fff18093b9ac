"""The award: chosen bids become quotes in force, the others are told, and why is kept."""

from collections.abc import Sequence

from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import BidState, NoticeKind, QuoteRequest, RequestBid, RequestState
from procurement.permissions import require
from procurement.selectors import clock
from procurement.selectors.requests import bids_of, request_today
from procurement.selectors.requests_compliance import is_expired, must_have_faults
from procurement.services.actors import Actor, reason_required
from procurement.services.quotes import quote_create
from procurement.services.records import record_update
from procurement.services.requests import request_locked, state_required
from procurement.services.requests_bids import QUOTE_TERMS, bid_move, bid_quote
from procurement.services.requests_letters import notice_send

WON = "Thank you for your bid. We award to your option {options}. We will write to you about the contract."
LOST = "Thank you for your bid. We have awarded to another bid this time."
NO_BID = "The request was awarded."


def request_award(
    *, by: Actor, quote_request: QuoteRequest, version: int, bids: Sequence[int], deviation_reason: str = ""
) -> QuoteRequest:
    """Choose one or several opened bids; each becomes a quote in force whose source is the bid.

    Refuses bids that can no longer be signed today in the request's zone. A bid that breaks a must-have, or an award
    with fewer bids than suppliers had to be asked, needs ``deviation_reason`` besides the reason of the award.
    """
    require(by.user, "request.award")
    reason_required(by, "why these bids are chosen")
    with transaction.atomic():
        locked = request_locked(quote_request)
        state_required(locked, (RequestState.OPENED,), "be awarded")
        chosen = _chosen(locked, bids)
        deviations = _deviations(locked, chosen)
        if deviations and not deviation_reason.strip():
            message = f"Say why it is awarded all the same: {'; '.join(deviations)}."
            raise ProcurementError("invalid", message, {"deviation_reason": [message]})
        for bid in chosen:
            _win(by, bid)
        for bid in locked.bids.filter(state=BidState.OPENED).order_by("id"):
            told = Actor(by.user, by.source, "Another bid was chosen.")
            bid_move(
                by=told, bid=bid, wanted=BidState.OPENED, state=BidState.NOT_AWARDED, action="request_bid.not_award"
            )
        reason = by.reason + (f" Deviation: {deviation_reason.strip()}" if deviation_reason.strip() else "")
        values = {"state": RequestState.AWARDED, "closing_reason": reason, "closed_at": clock.database_now()}
        awarded = record_update(by=by, record=locked, version=version, values=values, action="request.award")
        notice_send(by=by, quote_request=awarded, kind=NoticeKind.RESULT, body=NO_BID, texts=_results(awarded, chosen))
    return awarded


def _chosen(quote_request: QuoteRequest, numbers: Sequence[int]) -> list[RequestBid]:
    """Return the bids, or refuse with what keeps each of them from being awarded."""
    known = {bid.pk: bid for bid in bids_of(quote_request)}
    today = request_today(quote_request)
    faults = [] if numbers else ["Choose at least one opened bid."]
    for number in numbers:
        bid = known.get(number)
        if bid is None:
            faults.append(f"{quote_request.code} holds no bid {number}.")
        elif bid.state != BidState.OPENED:
            faults.append(f"The {bid} is {bid.get_state_display().lower()}; only an opened bid can be awarded.")
        elif is_expired(bid.terms, today):
            faults.append(
                f"The {bid} could be signed until {bid.terms.valid_until}, and today is {today} in "
                f"{quote_request.time_zone}; choose a bid that holds, or cancel and ask anew."
            )
    if faults:
        raise ProcurementError("invalid", " ".join(faults), {"bids": faults})
    return [known[number] for number in dict.fromkeys(numbers)]


def _deviations(quote_request: QuoteRequest, chosen: Sequence[RequestBid]) -> list[str]:
    found = [
        f"{bid.invitation.provider} {fault}" for bid in chosen for fault in must_have_faults(quote_request, bid.terms)
    ]
    bidders = quote_request.bids.filter(state__in=(BidState.OPENED, BidState.REJECTED)).values("invitation").distinct()
    if bidders.count() < quote_request.least_bidders and not quote_request.sole_source_reason.strip():
        found.append(f"{bidders.count()} of at least {quote_request.least_bidders} suppliers bid")
    return found


def _win(by: Actor, bid: RequestBid) -> None:
    source = f"{bid.request.code}, bid of {bid.invitation.provider.name} ({bid.option}), digest {bid.digest}"
    quote = bid_quote(bid.terms, bid.invitation, source)
    values = {name: getattr(quote, name) for name in (*QUOTE_TERMS, "provider", "source")}
    values["time_zone"] = bid.request.time_zone
    bid.quote = quote_create(by=by, values=values)
    RequestBid.objects.filter(pk=bid.pk).update(quote=bid.quote)
    bid_move(by=by, bid=bid, wanted=BidState.OPENED, state=BidState.AWARDED, action="request_bid.award")


def _results(quote_request: QuoteRequest, chosen: Sequence[RequestBid]) -> dict[int, str]:
    """Return what each supplier who bid is told; no letter names another supplier or a price."""
    texts = {bid.invitation_id: LOST for bid in quote_request.bids.exclude(state=BidState.WITHDRAWN)}
    for bid in chosen:
        options = [other.option for other in chosen if other.invitation_id == bid.invitation_id]
        texts[bid.invitation_id] = WON.format(options=", ".join(options))
    return texts
