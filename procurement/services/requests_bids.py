"""Writes of bids: checked and sealed at receipt, replaced or withdrawn until the deadline, late ones kept unopened.

Nothing that a bid says leaves this file before the opening: not into a row, an audit entry, a log or a reply. What is
kept at receipt is the cipher text and a digest over bid and salt, from which no price can be guessed back.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max

from procurement.errors import ProcurementError
from procurement.models import (
    BidState,
    BidTerms,
    InvitationState,
    Quote,
    RequestBid,
    RequestInvitation,
    RequestState,
)
from procurement.permissions import require
from procurement.selectors import clock
from procurement.selectors.requests import instant_words, request_today
from procurement.services.actors import Actor, reason_required
from procurement.services.audit import audit_record
from procurement.services.builds import MAX_ATTACHMENT_BYTES
from procurement.services.checks import quote_check
from procurement.services.file_names import kept_name
from procurement.services.quotes import quote_derive
from procurement.services.records import record_update, validation_error
from procurement.services.requests import request_locked, state_required
from procurement.services.sealing import SealBroken, seal, unseal

TAKING = (RequestState.PUBLISHED, RequestState.CLOSED, RequestState.OPENED)
NOT_TERMS = ("id", "bid", "salt", "attachment_name", "attachment_sha256")
TERMS = tuple(field.name for field in BidTerms._meta.concrete_fields if field.name not in NOT_TERMS)
QUOTE_TERMS = tuple(name for name in TERMS if name in {field.name for field in Quote._meta.concrete_fields})
LONGEST_ANSWER = 2000
_OPTION = re.compile(r"[\w .,()+/-]{1,60}")
_CURRENCY = re.compile(r"[A-Z]{3}")
Attachment = tuple[str, bytes]


class Unsealed(NamedTuple):
    """What lay in a seal."""

    terms: BidTerms
    attachment: Attachment | None


def bid_receive(
    *,
    by: Actor,
    invitation: RequestInvitation,
    values: Mapping[str, Any],
    option: str = "main",
    attachment: Attachment | None = None,
) -> RequestBid:
    """Check a bid, seal it and file it; after the deadline it is filed as late and is never opened.

    A later bid of the same option replaces the one before it, which is kept. What is wrong is refused now, field by
    field, for nobody can ask about a sealed bid.
    """
    require(by.user, "request.edit")
    by = Actor(by.user, by.source, "")  # a reason could say the price
    terms = _checked_terms(invitation, values, option)
    if attachment is not None and len(attachment[1]) > MAX_ATTACHMENT_BYTES:
        message = f"The file has {len(attachment[1]):,} bytes; at most {MAX_ATTACHMENT_BYTES:,} are kept."
        raise ProcurementError("invalid", message, {"attachment": [message]})
    with transaction.atomic():
        locked = request_locked(invitation.request)
        now = clock.database_now()
        state = state_required(locked, TAKING, "take a bid", now)
        earlier = locked.bids.filter(invitation=invitation, option=option)
        version = (earlier.aggregate(last=Max("version"))["last"] or 0) + 1
        bid = RequestBid(
            request=locked, invitation=invitation, option=option, version=version, received_at=now,
            received_by=by.user, received_through=by.source,
            state=BidState.SEALED if state == RequestState.PUBLISHED else BidState.LATE,
        )  # fmt: skip
        _seal(bid, terms, attachment)
        if bid.state == BidState.SEALED:
            _replace(by=by, bids=earlier.filter(state=BidState.SEALED), now=now, version=version)
            _bid_after_all(by=by, invitation=invitation)
        else:
            bid.state_reason = f"Received after the deadline, {instant_words(locked, locked.due_at)}."
            bid.state_at = now
        bid.save(force_insert=True)
        changes = {"digest": [None, bid.digest], "received_at": [None, now], "state": [None, bid.state]}
        audit_record(by=by, action="request_bid.receive", record=bid, changes=changes)
    return bid


def bid_withdraw(*, by: Actor, bid: RequestBid) -> RequestBid:
    """Take a sealed bid back before the deadline; it is kept, sealed, and never opened."""
    require(by.user, "request.edit")
    reason_required(by, "why the supplier takes the bid back")
    with transaction.atomic():
        locked = request_locked(bid.request)
        state_required(locked, (RequestState.PUBLISHED,), "give a bid back")
        return bid_move(by=by, bid=bid, wanted=BidState.SEALED, state=BidState.WITHDRAWN, action="request_bid.withdraw")


def bid_reject(*, by: Actor, bid: RequestBid) -> RequestBid:
    """Leave an opened bid out of the award, with the reason; it stays readable on file."""
    require(by.user, "request.award")
    reason_required(by, "why the bid is rejected; it stays on file with it")
    with transaction.atomic():
        locked = request_locked(bid.request)
        state_required(locked, (RequestState.OPENED,), "reject bids")
        return bid_move(by=by, bid=bid, wanted=BidState.OPENED, state=BidState.REJECTED, action="request_bid.reject")


def bid_move(*, by: Actor, bid: RequestBid, wanted: BidState, state: BidState, action: str) -> RequestBid:
    """Move a bid to its next state in the caller's locked transaction; refuses one that stands elsewhere."""
    record = RequestBid.objects.select_for_update(of=("self",)).get(pk=bid.pk)
    if record.state != wanted:
        raise ProcurementError(
            "wrong_state",
            f"The {record} is {record.get_state_display().lower()}; that needs it {wanted.label.lower()}.",
        )
    record.state, record.state_reason = state, by.reason
    record.state_at, record.state_by = clock.database_now(), by.user
    record.save(update_fields=["state", "state_reason", "state_at", "state_by", "quote"])
    audit_record(by=by, action=action, record=record, changes={"state": [wanted, state]})
    return record


def bid_attachment(*, by: Actor, bid: RequestBid) -> Attachment:
    """Return name and content of an opened bid's file; refuses one that was not opened or has none."""
    require(by.user, "record.view")
    terms = BidTerms.objects.filter(bid=bid).first()
    if terms is None:
        raise ProcurementError("sealed", f"The {bid} was not opened; its file is sealed like the bid itself.")
    if not terms.attachment_name:
        raise ProcurementError("not_found", f"The {bid} came without a file.")
    return terms.attachment_name, _unsealed_file(bid)


def bid_unseal(bid: RequestBid) -> Unsealed:
    """Return what a bid says, checked against the digest taken at receipt; for the opening alone.

    Raises
    ------
    SealBroken
        When bid, attachment or digest are not what was filed.
    """
    envelope = json.loads(unseal(bytes(bid.sealed), purpose=_purpose(bid)))
    if bid_digest(envelope) != bid.digest:
        raise SealBroken(_purpose(bid))
    terms = BidTerms(bid=bid, salt=envelope["salt"])
    for name, value in envelope["terms"].items():
        setattr(terms, name, BidTerms._meta.get_field(name).to_python(value))
    stated = envelope["attachment"]
    if stated is None:
        return Unsealed(terms, None)
    content = _unsealed_file(bid)
    if hashlib.sha256(content).hexdigest() != stated["sha256"]:
        raise SealBroken(_purpose(bid))
    terms.attachment_name, terms.attachment_sha256 = stated["name"], stated["sha256"]
    return Unsealed(terms, (stated["name"], content))


def bid_digest(envelope: Mapping[str, Any]) -> str:
    """Return the digest of a bid: of its salt, a line feed, and terms and attachment as sorted JSON."""
    said = {"terms": envelope["terms"], "attachment": envelope["attachment"]}
    content = f"{envelope['salt']}\n{json.dumps(said, sort_keys=True, separators=(',', ':'))}"
    return hashlib.sha256(content.encode()).hexdigest()


def terms_document(terms: BidTerms) -> dict[str, Any]:
    """Return the terms as they are sealed: numbers as plain text, days in ISO."""
    return {name: _plain(getattr(terms, name)) for name in TERMS}


def bid_quote(terms: BidTerms, invitation: RequestInvitation, source: str) -> Quote:
    """Return the quote that a bid amounts to, with its derived hourly price; not stored."""
    values = {name: getattr(terms, name) for name in QUOTE_TERMS}
    quote = Quote(**values, code="bid", provider=invitation.provider, source=source[:500])
    quote_derive(quote)
    return quote


def _checked_terms(invitation: RequestInvitation, values: Mapping[str, Any], option: str) -> BidTerms:
    terms = BidTerms(**{"quoted_on": request_today(invitation.request), **values})
    try:
        terms.full_clean(exclude=["bid", "salt"])
    except ValidationError as error:
        raise validation_error(error) from error
    faults = _faults(terms, option)
    if faults:
        raise ProcurementError("invalid", " ".join(text for texts in faults.values() for text in texts), faults)
    quote = bid_quote(terms, invitation, "bid")
    if quote.price_per_accelerator_hour is None:
        message = f"No price per accelerator-hour follows from it: {quote.derivation['result']}."
        raise ProcurementError("invalid", message, {"price_basis": [message]})
    quote_check(quote)
    return terms


def _faults(terms: BidTerms, option: str) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    if not _OPTION.fullmatch(option) or option != option.strip():
        faults["option"] = ["Should be 1 to 60 letters, digits, blanks or . , ( ) + / -."]
    if not _CURRENCY.fullmatch(terms.currency):
        faults["currency"] = ["Should be an ISO 4217 code in capitals, such as USD or EUR."]
    if terms.price < 0 or (terms.price == 0 and not terms.upfront > 0):
        faults["price"] = ["Should be above 0; a price of 0 needs an upfront payment above 0."]
    for name in ("upfront", "setup_fee", "exit_fee"):
        if getattr(terms, name) < 0:
            faults[name] = ["Should be 0 or more."]
    if terms.quantity_available < 1:
        faults["quantity_available"] = ["Should be at least 1 accelerator."]
    if terms.valid_until < terms.quoted_on:
        faults["valid_until"] = [f"Should not lie before {terms.quoted_on}, the day of the bid."]
    answers = terms.further_answers
    if not isinstance(answers, list) or not all(isinstance(text, str) for text in answers):
        faults["further_answers"] = ["Should be a list of texts, in the order of the questions."]
    elif len(answers) > 50 or any(len(text) > LONGEST_ANSWER for text in answers):
        faults["further_answers"] = [f"Should be at most 50 texts of at most {LONGEST_ANSWER:,} characters."]
    return faults


def _seal(bid: RequestBid, terms: BidTerms, attachment: Attachment | None) -> None:
    stated = None
    if attachment is not None:
        name, content = attachment
        stated = {"name": kept_name(name)[:255], "sha256": hashlib.sha256(content).hexdigest()}
        sealed = seal(content, purpose=f"{_purpose(bid)}:file")
        # the stored name is ours: the sender's could say the price
        bid.sealed_file.save(f"{secrets.token_hex(16)}.bin", ContentFile(sealed), save=False)
    envelope = {"salt": secrets.token_hex(32), "terms": terms_document(terms), "attachment": stated}
    bid.digest = bid_digest(envelope)
    bid.sealed = seal(json.dumps(envelope).encode(), purpose=_purpose(bid))


def _unsealed_file(bid: RequestBid) -> bytes:
    try:
        with bid.sealed_file.open("rb") as file:
            content: bytes = file.read()
    except (OSError, ValueError) as error:
        raise SealBroken(f"{_purpose(bid)}:file") from error
    return unseal(content, purpose=f"{_purpose(bid)}:file")


def _purpose(bid: RequestBid) -> str:
    return f"bid:{bid.request.code}:{bid.invitation_id}:{bid.version}:{bid.option}"


def _replace(*, by: Actor, bids: Any, now: datetime, version: int) -> None:
    for earlier in bids.select_for_update(of=("self",)):
        earlier.state, earlier.state_reason = BidState.REPLACED, f"Replaced by version {version}."
        earlier.state_at, earlier.state_by = now, by.user
        earlier.save(update_fields=["state", "state_reason", "state_at", "state_by"])


def _bid_after_all(*, by: Actor, invitation: RequestInvitation) -> None:
    """Take a no-bid back when the supplier bids after all."""
    current = RequestInvitation.objects.get(pk=invitation.pk)
    if current.state == InvitationState.DECLINED:
        values = {"state": InvitationState.INVITED, "decline_reason": "", "declined_at": None}
        record_update(
            by=by, record=current, version=current.version, values=values, action="request_invitation.bid_after_all"
        )


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return value.isoformat() if isinstance(value, date) else value
