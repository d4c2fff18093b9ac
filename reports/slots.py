"""From the clock to frozen messages: slots are opened once, written once, and a slot that cannot be written says so."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.permissions import can, require
from reports.errors import ReportUnavailable
from reports.mail import make_issue, report_letter, unchanged_letter
from reports.message import Addressee, Letter, one_line, write_message
from reports.models import (
    CatchUp,
    MessageKind,
    OutboxMessage,
    ReportSlot,
    ReportSubscription,
    SlotState,
    Unchanged,
)
from reports.outbox import lease
from reports.schedule import slots_between, zone_of
from reports.selectors import recipients_of, run_finished, slot_last_prepared, subscriptions_sending

log = structlog.get_logger(__name__)

ON_TIME = timedelta(minutes=10)  # a slot looked at later than this was missed and falls under the catch-up rule
MOST_ATTEMPTS = 3
STOPPED = "Writing the report stopped three times before it was done."


def slots_open(now: datetime) -> int:
    """Write a row for every slot up to now, of any number of schedulers once; return how many are due.

    Missed slots follow the subscription's rule and are kept with the reason when nothing is sent for them.
    """
    return sum(_open(pk, now) for pk in subscriptions_sending().values_list("pk", flat=True))


def _open(subscription_id: int, now: datetime) -> int:
    with transaction.atomic():
        free = ReportSubscription.objects.select_for_update(skip_locked=True, of=("self",))
        subscription = free.filter(pk=subscription_id, is_active=True, is_archived=False).first()
        if subscription is None or subscription.counted_to >= now:
            return 0
        slots = slots_between(
            days=subscription.days, at=subscription.time, zone=zone_of(subscription.time_zone),
            after=subscription.counted_to, until=now,
        )  # fmt: skip
        if not slots:
            return 0
        due, missed = caught_up(slots, now, subscription.catch_up)
        rows = [ReportSlot(subscription=subscription, slot_at=slot) for slot in due]
        rows += [
            ReportSlot(
                subscription=subscription, slot_at=slot, state=SlotState.MISSED,
                message="No scheduler ran at that time; nothing is sent afterwards, as the subscription asks.",
            )
            for slot in missed
        ]  # fmt: skip
        ReportSlot.objects.bulk_create(rows, ignore_conflicts=True)
        ReportSubscription.objects.filter(pk=subscription.pk).update(counted_to=slots[-1])
        return len(due)


def caught_up(slots: Sequence[datetime], now: datetime, rule: str) -> tuple[list[datetime], list[datetime]]:
    """Return which slots are sent and which are missed; a slot that is on time is always sent."""
    late = [slot for slot in slots if now - slot > ON_TIME]
    on_time = [slot for slot in slots if now - slot <= ON_TIME]
    if rule == CatchUp.ALL:
        return list(slots), []
    if rule == CatchUp.ONE and not on_time:
        return late[-1:], late[:-1]
    return on_time, late


def slots_give_up() -> int:
    """Mark slots as failed whose writing stopped too often; return how many."""
    stuck = ReportSlot.objects.filter(state=SlotState.DUE, attempts__gte=MOST_ATTEMPTS, next_attempt_at__lte=Now())
    failed = 0
    for slot in stuck.select_related("subscription__owner"):
        failed += _fail(slot, STOPPED)
    return failed


def slot_prepare(slot_id: int) -> list[int]:
    """Write the messages of a due slot, one a recipient, all from one run; return them.

    Messages and the mark `prepared` commit together. A report that cannot be made ends the slot as failed, with an
    alarm to its owner; a crash leaves it due, three times at most.
    """
    due = ReportSlot.objects.filter(
        pk=slot_id, state=SlotState.DUE, next_attempt_at__lte=Now(), attempts__lt=MOST_ATTEMPTS
    )
    if not due.update(attempts=F("attempts") + 1, next_attempt_at=Now() + lease()):
        return []
    slot = ReportSlot.objects.select_related("subscription__owner").get(pk=slot_id)
    try:
        with transaction.atomic():
            return _write(slot)
    except ProcurementError as refusal:
        _fail(slot, refusal.message)
        return []


def _write(slot: ReportSlot) -> list[int]:
    subscription = slot.subscription
    if not can(subscription.owner, "subscription.edit"):
        raise ReportUnavailable(f"{subscription.owner}, who owns the subscription, may no longer send reports.")
    run = run_finished()
    last = slot_last_prepared(subscription, slot.slot_at)
    issue = make_issue(subscription, run, slot.slot_at, last.run if last else None)
    slot.run, slot.content_digest, slot.state = run, issue.content_digest, SlotState.PREPARED
    is_same = last is not None and last.content_digest == issue.content_digest
    if is_same and subscription.if_unchanged == Unchanged.SKIP:
        slot.state, slot.message = SlotState.UNCHANGED, "The report says the same as last time."
        letter = None
    elif is_same and subscription.if_unchanged == Unchanged.SHORT:
        letter = unchanged_letter(subscription, issue)
    else:
        letter = report_letter(subscription, issue)
    held = ReportSlot.objects.select_for_update().filter(pk=slot.pk, state=SlotState.DUE)
    if not held.exists():
        return []
    slot.save(update_fields=["run", "content_digest", "state", "message"])
    if letter is None:
        return []
    messages = [_message(subscription, letter, recipient, slot=slot) for recipient in recipients_of(subscription)]
    OutboxMessage.objects.bulk_create(messages, ignore_conflicts=True)
    return list(slot.messages.order_by("pk").values_list("pk", flat=True))


def trial_message(*, subscription: ReportSubscription, user: User) -> OutboxMessage:
    """Write the report of now as a test to the person asking; it holds no slot, so the real one is untouched."""
    require(user, "subscription.edit")
    if not user.email:
        raise ProcurementError("no_address", "Your account has no mail address; an administrator can add one.")
    run = run_finished()
    issue = make_issue(subscription, run, timezone.now(), None)
    letter = report_letter(subscription, issue, is_test=True)
    message = _message(subscription, letter, user.email.lower(), kind=MessageKind.TEST)
    message.run = run
    message.save(force_insert=True)
    return message


def _message(
    subscription: ReportSubscription, letter: Letter, recipient: str, *, slot: ReportSlot | None = None,
    kind: MessageKind = MessageKind.REPORT,
) -> OutboxMessage:  # fmt: skip
    owner = subscription.owner.email
    written = write_message(letter, Addressee(recipient, subscription.pk, subscription.name, owner))
    return OutboxMessage(
        subscription=subscription, slot=slot, slot_at=slot.slot_at if slot else None, kind=kind, recipient=recipient,
        run=slot.run if slot else None, subject=written.subject, message_id=written.message_id,
        content=written.content, content_sha256=hashlib.sha256(written.content).hexdigest(),
    )  # fmt: skip


def _fail(slot: ReportSlot, message: str) -> int:
    with transaction.atomic():
        failed = ReportSlot.objects.filter(pk=slot.pk, state=SlotState.DUE).update(
            state=SlotState.FAILED, message=message[:2000]
        )
        if failed and slot.subscription.owner.email:
            _alarm(slot, message).save(force_insert=True)
    log.error("report was not written", slot=slot.pk, subscription=slot.subscription_id, message=message)
    return failed


def _alarm(slot: ReportSlot, message: str) -> OutboxMessage:
    subscription = slot.subscription
    subject = one_line(f"Not sent: {subscription.name}")
    words = f"The report `{subscription.name}` due {slot.slot_at:%Y-%m-%d %H:%M} UTC was not sent.\n\n{message}\n"
    html = f"<p>{_escaped(words)}</p>"
    letter = Letter(subject, words, html)
    return _message(subscription, letter, subscription.owner.email.lower(), kind=MessageKind.ALARM)


def _escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n\n", "</p><p>")
