"""Subscriptions and deliveries as the interface takes and shows them."""

from typing import Any

from rest_framework import serializers

from procurement.api.fields import Document, Text, Texts
from procurement.api.serializers_base import RECORD_FIELDS, RecordInput, RecordOutput
from reports.models import OptOut, OutboxMessage, ReportSubscription

EDITABLE = (
    "name", "report", "filters", "recipients", "days", "time", "time_zone", "if_unchanged", "catch_up",
    "when_uncertain", "is_active",
)  # fmt: skip
WALL_TIME = "%H:%M"


class WallTime(serializers.TimeField):
    """A time of day such as 08:00."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(format=WALL_TIME, input_formats=[WALL_TIME], **kwargs)

    def to_internal_value(self, value: Any) -> Any:
        """Return the time; anything but a text is refused like a text that is none."""
        return super().to_internal_value(value if isinstance(value, str) else repr(value)[:20])


class SubscriptionInput(RecordInput):
    """What may be written of a subscription."""

    recipients = Texts(help_text="mail addresses; each gets a message of its own")
    days = Texts(help_text="mon, tue, wed, thu, fri, sat, sun")
    time = WallTime(help_text="time of day in the time zone, such as 08:00")
    filters = Document(required=False, help_text='filters of the report, such as {"within_days": 30}')

    class Meta:
        model = ReportSubscription
        fields = (*EDITABLE, "reason")


class SubscriptionOutput(RecordOutput):
    """Who gets which report, and when."""

    owner = serializers.CharField(source="owner.username")
    time = WallTime()
    recipients = Texts()
    days = Texts()
    filters = Document()
    unsubscribed = serializers.SerializerMethodField(help_text="recipients who left by themselves")

    class Meta:
        model = ReportSubscription
        fields = ("id", *EDITABLE, "owner", "unsubscribed", *RECORD_FIELDS)

    def get_unsubscribed(self, subscription: ReportSubscription) -> list[str]:
        """Return recipients who left by themselves."""
        left = OptOut.objects.filter(subscription=subscription).order_by("recipient")
        return list(left.values_list("recipient", flat=True))


class DeliveryOutput(RecordOutput):
    """One message and what became of it."""

    subscription = serializers.IntegerField(source="subscription_id", allow_null=True)
    letter = serializers.IntegerField(
        source="letter_id", allow_null=True, help_text="letter of a request for quotes that it carries"
    )
    run = serializers.IntegerField(source="run_id", allow_null=True)
    subject = Text()

    class Meta:
        model = OutboxMessage
        fields = (
            "id", "subscription", "letter", "kind", "slot_at", "recipient", "run", "subject", "message_id",
            "content_sha256", "state", "attempts", "last_reply", "created_at", "sent_at", "acknowledged_at",
        )  # fmt: skip

    def get_fields(self) -> Any:
        """Return the fields; a message is no editable record and names no maker."""
        fields = super().get_fields()
        fields.pop("created_by", None)
        return fields
