"""Subscriptions to a report, their slots in time, and the outbox of messages."""

from typing import Any

import pghistory
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from procurement.models import RequestLetter, Run
from procurement.models.records import EditableRecord


class Unchanged(models.TextChoices):
    """What a subscriber gets when the report says the same as last time."""

    SHORT = "short", "Send a short note"
    SKIP = "skip", "Send nothing"
    FULL = "full", "Send the whole report"


class CatchUp(models.TextChoices):
    """What happens to slots that passed while no scheduler ran."""

    ONE = "one", "Send the newest one"
    NONE = "none", "Send none"
    ALL = "all", "Send each of them"


class WhenUncertain(models.TextChoices):
    """What happens when a message may or may not have arrived."""

    HOLD = "hold", "Hold and ask a person"
    RESEND = "resend", "Send again, with the same message id"


def default_days() -> list[str]:
    """Return the days of a new subscription."""
    return ["mon"]


@pghistory.track()
class ReportSubscription(EditableRecord):
    """Who gets which report, on which days, at what time of which zone."""

    name = models.CharField(max_length=120, unique=True)
    report = models.CharField(max_length=60, help_text="key of the report")
    filters = models.JSONField(default=dict, blank=True, help_text="filters of the report by name")
    recipients = models.JSONField(default=list, help_text="mail addresses; each gets a message of its own")
    days = models.JSONField(default=default_days, help_text="days of the week: mon, tue, wed, thu, fri, sat, sun")
    time = models.TimeField(help_text="time of day in the time zone")
    time_zone = models.CharField(max_length=60, default="UTC", help_text="IANA name such as Europe/Berlin")
    if_unchanged = models.CharField(max_length=10, choices=Unchanged.choices, default=Unchanged.SHORT)
    catch_up = models.CharField(max_length=10, choices=CatchUp.choices, default=CatchUp.ONE)
    when_uncertain = models.CharField(max_length=10, choices=WhenUncertain.choices, default=WhenUncertain.HOLD)
    is_active = models.BooleanField(default=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="report_subscriptions")
    counted_to = models.DateTimeField(editable=False, help_text="slots up to this instant are dealt with")

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class OptOut(models.Model):
    """A recipient who wants no more mail of a subscription."""

    subscription = models.ForeignKey(ReportSubscription, on_delete=models.CASCADE, related_name="opt_outs")
    recipient = models.EmailField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (models.UniqueConstraint(fields=("subscription", "recipient"), name="opt_out_once"),)

    def __str__(self) -> str:
        return f"{self.recipient} left {self.subscription}"


class SlotState(models.TextChoices):
    """What became of a slot."""

    DUE = "due", "Due"
    PREPARED = "prepared", "Prepared"
    UNCHANGED = "unchanged", "Nothing changed, nothing sent"
    MISSED = "missed", "Missed"
    FAILED = "failed", "Failed"


class ReportSlot(models.Model):
    """One instant at which a subscription was due; it exists once, however many schedulers run."""

    subscription = models.ForeignKey(ReportSubscription, on_delete=models.PROTECT, related_name="slots")
    slot_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=SlotState.choices, default=SlotState.DUE)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    content_digest = models.CharField(max_length=64, blank=True, help_text="of what the report says")
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(db_default=Now())
    message = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())
    acknowledged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-slot_at", "-id")
        constraints = (models.UniqueConstraint(fields=("subscription", "slot_at"), name="report_slot_once"),)

    def __str__(self) -> str:
        return f"{self.subscription} at {self.slot_at:%Y-%m-%dT%H:%MZ}"


class MessageState(models.TextChoices):
    """Where a message stands. `uncertain`: the connection broke after its text had gone out."""

    PENDING = "pending", "Pending"
    CLAIMED = "claimed", "Claimed"
    SENDING = "sending", "Sending"
    SENT = "sent", "Sent"
    RETRY = "retry", "Retry"
    FAILED = "failed", "Failed"
    UNCERTAIN = "uncertain", "Uncertain"


class MessageKind(models.TextChoices):
    """Why a message was written."""

    REPORT = "report", "Report"
    TEST = "test", "Test"
    ALARM = "alarm", "Alarm"
    LETTER = "letter", "Letter to a supplier"


class OutboxMessage(models.Model):
    """One message to one recipient, frozen with its hash before anything is sent."""

    subscription = models.ForeignKey(
        ReportSubscription, on_delete=models.PROTECT, null=True, blank=True, related_name="messages"
    )
    letter = models.OneToOneField(
        RequestLetter, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="letter of a request for quotes, which is mailed once",
    )  # fmt: skip
    slot = models.ForeignKey(ReportSlot, on_delete=models.PROTECT, null=True, blank=True, related_name="messages")
    slot_at = models.DateTimeField(null=True, blank=True, help_text="empty for test messages: they hold no slot")
    kind = models.CharField(max_length=10, choices=MessageKind.choices, default=MessageKind.REPORT)
    recipient = models.EmailField()
    run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    subject = models.CharField(max_length=300)
    message_id = models.CharField(max_length=200)
    content = models.BinaryField(help_text="the whole message as it goes out")
    content_sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=MessageState.choices, default=MessageState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(db_default=Now())
    owner = models.CharField(max_length=36, blank=True, help_text="who sends it now")
    lease_until = models.DateTimeField(null=True, blank=True)
    last_reply = models.TextField(blank=True, help_text="what the mail server or the network said last")
    created_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True, help_text="when a person had seen its alarm")

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=("state", "next_attempt_at"), name="outbox_next_to_send"),)
        constraints = (
            models.UniqueConstraint(fields=("subscription", "slot_at", "recipient"), name="outbox_one_a_recipient"),
            models.CheckConstraint(
                condition=Q(kind=MessageKind.REPORT, slot_at__isnull=False) | ~Q(kind=MessageKind.REPORT),
                name="outbox_report_has_slot",
            ),
            models.CheckConstraint(
                condition=Q(kind=MessageKind.LETTER, letter__isnull=False, subscription__isnull=True)
                | (~Q(kind=MessageKind.LETTER) & Q(letter__isnull=True, subscription__isnull=False)),
                name="outbox_letter_or_subscription",
            ),
        )

    def __str__(self) -> str:
        return f"{self.subject} to {self.recipient} ({self.state})"

    @property
    def is_alarming(self) -> bool:
        """Whether a person must look at it and nobody has."""
        return self.state in ALARMING and self.acknowledged_at is None

    @property
    def frozen(self) -> bytes:
        """The message as it goes out."""
        stored: Any = self.content
        return bytes(stored)


ALARMING = (MessageState.FAILED, MessageState.UNCERTAIN)
