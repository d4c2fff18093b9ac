"""The outbox: a message is claimed before it is sent, and a crash at any point leaves a state that says what is known.

Until its text begins to go out a message may be tried again. From there to the server's answer nobody can know whether
it arrived: such a message ends as uncertain, with an alarm, and is sent again only by a person or by the subscription's
own setting.
"""

import uuid
from datetime import timedelta
from functools import partial

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import F
from django.db.models.functions import Now

from procurement.errors import ProcurementError
from procurement.models import RequestLetter
from procurement.permissions import can, require
from reports.failpoints import reach
from reports.models import MessageKind, MessageState, OutboxMessage, WhenUncertain
from reports.transport import Envelope, Refused, Transport, Uncertain, transport

log = structlog.get_logger(__name__)

MOST_ATTEMPTS = 6
WAIT_MINUTES = (1, 5, 15, 60, 240)
_KNOWN = ("subscription__owner", "letter__notice__created_by")
VANISHED = "The sender vanished after the text had begun to go out; it may have arrived."
TAKEN_OVER = "Somebody else took the message over before it went out."


def lease() -> timedelta:
    """Return how long a sender may hold a message without a sign of life."""
    return timedelta(seconds=4 * settings.JOB_LEASE_SECONDS)


def message_deliver(message_id: int, way: Transport | None = None) -> str:
    """Send one message if it is due and nobody else has it; return its state afterwards.

    Safe to call by any number of senders at once and to be killed at any point.
    """
    reach("before_claim")
    owner = str(uuid.uuid4())
    claimed = OutboxMessage.objects.filter(
        pk=message_id, state__in=(MessageState.PENDING, MessageState.RETRY), next_attempt_at__lte=Now()
    ).update(state=MessageState.CLAIMED, owner=owner, lease_until=Now() + lease(), attempts=F("attempts") + 1)
    message = OutboxMessage.objects.select_related(*_KNOWN).filter(pk=message_id).first()
    if message is None or not claimed:
        return message.state if message else ""
    reach("after_claim")
    refusal = refusal_of(message)
    if refusal:
        return _end(message, owner, MessageState.FAILED, refusal)
    envelope = Envelope(message.recipient, message.message_id, message.frozen)
    try:
        reply = (way or transport()).send(envelope, partial(_going_out, message.pk, owner))
    except Uncertain as doubt:
        return _uncertain(message, owner, str(doubt))
    except Refused as refused:
        return _refused(message, owner, refused)
    state = _end(message, owner, MessageState.SENT, reply)
    reach("after_commit")
    return state


def refusal_of(message: OutboxMessage) -> str:
    """Return why a recipient may not get the message any more; empty when nothing speaks against it."""
    if message.letter is not None:
        return _refusal_of_letter(message.letter)
    known = User.objects.filter(email__iexact=message.recipient).first()
    if known is not None and not can(known, "record.view"):
        return f"{message.recipient} may no longer see reports: the account is closed or has no role."
    owner = message.subscription.owner if message.subscription else None
    if owner is None or not can(owner, "subscription.edit"):
        return f"{owner}, who owns the subscription, may no longer send reports."
    return ""


def _refusal_of_letter(letter: RequestLetter) -> str:
    """Return why a letter is not to be mailed any more: somebody sent it by hand, or its writer has lost the right."""
    if letter.sent_at is not None:
        return f"It was noted as sent by hand at {letter.sent_at:%Y-%m-%d %H:%M} UTC, so it is not mailed."
    writer = letter.notice.created_by
    if writer is None or not can(writer, "request.edit"):
        return f"{writer or 'The writer'}, who wrote the letter, may no longer write to suppliers."
    return ""


def messages_recover() -> int:
    """Free what a vanished sender held: unsent messages are due again, half-sent ones uncertain; return how many."""
    expired = OutboxMessage.objects.filter(lease_until__lt=Now())
    freed = expired.filter(state=MessageState.CLAIMED).update(
        state=MessageState.RETRY, owner="", lease_until=None, next_attempt_at=Now(), last_reply="The sender vanished."
    )
    half_sent = list(expired.filter(state=MessageState.SENDING).select_related("subscription"))
    for message in half_sent:
        _uncertain(message, message.owner, VANISHED)
    return freed + len(half_sent)


def message_resend(*, message: OutboxMessage, user: User, reason: str) -> OutboxMessage:
    """Send an uncertain or failed message again, with the same id; refuses one that was sent or is on its way."""
    require(user, _right_over(message))
    changed = OutboxMessage.objects.filter(
        pk=message.pk, state__in=(MessageState.UNCERTAIN, MessageState.FAILED)
    ).update(
        state=MessageState.PENDING, attempts=0, next_attempt_at=Now(), owner="", lease_until=None,
        acknowledged_at=Now(), last_reply=f"Sent again by {user}{f': {reason}' if reason else ''}.",
    )  # fmt: skip
    if not changed:
        raise ProcurementError(
            "not_resendable", f"The message to {message.recipient} was sent or is on its way; it is not sent twice."
        )
    log.info("message is sent again", message=message.pk, user=str(user), reason=reason)
    return OutboxMessage.objects.get(pk=message.pk)


def message_acknowledge(*, message: OutboxMessage, user: User) -> None:
    """Note that a person has seen the alarm of a message; repeating it changes nothing."""
    require(user, _right_over(message))
    OutboxMessage.objects.filter(pk=message.pk, acknowledged_at=None).update(acknowledged_at=Now())


def _right_over(message: OutboxMessage) -> str:
    return "request.edit" if message.letter_id else "subscription.edit"


def _going_out(message_id: int, owner: str) -> None:
    held = OutboxMessage.objects.filter(pk=message_id, owner=owner, state=MessageState.CLAIMED)
    if not held.update(state=MessageState.SENDING, lease_until=Now() + lease()):
        raise Refused(TAKEN_OVER, is_permanent=False)


def _refused(message: OutboxMessage, owner: str, refused: Refused) -> str:
    is_last = message.attempts >= MOST_ATTEMPTS
    if refused.is_permanent or is_last:
        return _end(message, owner, MessageState.FAILED, str(refused))
    wait = timedelta(minutes=WAIT_MINUTES[min(message.attempts, len(WAIT_MINUTES)) - 1])
    return _end(message, owner, MessageState.RETRY, str(refused), wait)


def _uncertain(message: OutboxMessage, owner: str, reply: str) -> str:
    wish = message.subscription.when_uncertain if message.subscription else WhenUncertain.HOLD
    resends = wish == WhenUncertain.RESEND and message.kind == MessageKind.REPORT
    if resends and message.attempts < MOST_ATTEMPTS:
        return _end(message, owner, MessageState.RETRY, reply, timedelta(minutes=WAIT_MINUTES[0]))
    return _end(message, owner, MessageState.UNCERTAIN, reply)


def _end(message: OutboxMessage, owner: str, state: MessageState, reply: str, wait: timedelta = timedelta(0)) -> str:
    open_states = (MessageState.CLAIMED, MessageState.SENDING, MessageState.UNCERTAIN)
    changes = {"state": state, "lease_until": None, "last_reply": reply[:2000], "next_attempt_at": Now() + wait}
    if state != MessageState.UNCERTAIN:
        changes["owner"] = ""
    if state == MessageState.SENT:
        changes["sent_at"] = Now()
    held = OutboxMessage.objects.filter(pk=message.pk, owner=owner, state__in=open_states)
    if not held.update(**changes):
        log.warning("message was taken over", message=message.pk, state=state)
        return str(OutboxMessage.objects.values_list("state", flat=True).get(pk=message.pk))
    report = log.error if state in (MessageState.FAILED, MessageState.UNCERTAIN) else log.info
    report("message delivery", message=message.pk, state=str(state), reply=reply[:200])
    return str(state)
