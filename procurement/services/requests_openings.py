"""The opening of bids: after the deadline by the database's clock, by one person or two, each bid checked."""

from collections.abc import Sequence

from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import BidState, QuoteRequest, RequestBid, RequestOpening, RequestState
from procurement.permissions import require
from procurement.selectors import clock
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.records import record_update, version_conflict
from procurement.services.requests import request_locked, state_required
from procurement.services.requests_bids import bid_unseal
from procurement.services.sealing import SealBroken

BROKEN = "What was filed is not what lies there now: the bid, its file or its digest were changed."


def request_open(*, by: Actor, quote_request: QuoteRequest, version: int) -> RequestOpening:
    """Open every sealed bid once the deadline has passed; where two people are asked for, the second one opens.

    A bid whose seal or digest is wrong is set aside as broken and named in the record; the others are opened. When
    none opens, nothing is changed: then the secret of the installation is not the one they were sealed with.
    """
    require(by.user, "request.open")
    with transaction.atomic():
        locked = request_locked(quote_request)
        if locked.version != version:
            raise version_conflict(locked, {})
        state_required(locked, (RequestState.CLOSED,), "be opened")
        opening = RequestOpening.objects.filter(request=locked).first()
        if opening is None:
            opening = RequestOpening(request=locked, begun_by=by.user, begun_at=clock.database_now())
            opening.save(force_insert=True)
            audit_record(by=by, action="request.begin_opening", record=locked, changes={})
            if locked.opening_people > 1:
                return opening
        elif by.user is None or opening.begun_by_id == by.user.pk:
            raise ProcurementError(
                "same_person", f"{opening.begun_by} has begun the {opening}; a second person must open it."
            )
        return _open(by, locked, opening)


def _open(by: Actor, quote_request: QuoteRequest, opening: RequestOpening) -> RequestOpening:
    sealed = quote_request.bids.filter(state=BidState.SEALED).order_by("id").select_for_update(of=("self",))
    bids = list(sealed.select_related("invitation__provider", "request"))
    opening.bids = [{**_receipt(bid), "is_intact": _open_bid(by, bid)} for bid in bids]
    _refuse_all_broken(quote_request, opening.bids)
    opening.opened_by, opening.opened_at = by.user, clock.database_now()
    opening.save()
    values = {"state": RequestState.OPENED}
    record_update(by=by, record=quote_request, version=quote_request.version, values=values, action="request.open")
    changes = {"bids": [None, [f"{entry['supplier']}, {entry['option']}: {entry['digest']}" for entry in opening.bids]]}
    audit_record(by=by, action="request.record_opening", record=quote_request, changes=changes)
    return opening


def _open_bid(by: Actor, bid: RequestBid) -> bool:
    """Write the terms of a bid; return whether it was intact."""
    bid.state_at, bid.state_by = clock.database_now(), by.user
    try:
        unsealed = bid_unseal(bid)
    except SealBroken:
        bid.state, bid.state_reason = BidState.BROKEN, BROKEN
    else:
        unsealed.terms.save(force_insert=True)
        bid.state = BidState.OPENED
    bid.save(update_fields=["state", "state_reason", "state_at", "state_by"])
    return bid.state == BidState.OPENED


def _refuse_all_broken(quote_request: QuoteRequest, entries: Sequence[dict[str, object]]) -> None:
    if entries and not any(entry["is_intact"] for entry in entries):
        raise ProcurementError(
            "seal_broken",
            f"None of the {len(entries)} bids of {quote_request.code} opens. Was SECRET_KEY changed? Put the earlier "
            "one into SECRET_KEY_FALLBACKS and open again; nothing was changed.",
        )


def _receipt(bid: RequestBid) -> dict[str, object]:
    return {
        "bid": bid.pk, "supplier": bid.invitation.provider.code, "option": bid.option, "version": bid.version,
        "received_at": bid.received_at.isoformat(), "digest": bid.digest,
    }  # fmt: skip
