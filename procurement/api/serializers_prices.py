"""Contract discounts, and what prices are on a day, as the interface takes and shows them."""

from typing import Any

from rest_framework import serializers

from procurement.api.fields import Code, Day, DecimalText, MoneyText, Text
from procurement.api.serializers_base import RECORD_FIELDS, RecordInput, RecordOutput
from procurement.models import ContractDiscount, PriceWatch, Provider

DISCOUNT_FIELDS = (
    "code", "provider", "discount_percent", "discount_per_accelerator_hour", "currency", "accelerator",
    "purchase_model", "region", "sku_pattern", "valid_from", "valid_until", "time_zone", "source",
)  # fmt: skip
MONEY = {"max_digits": 24, "decimal_places": 10}


class DiscountInput(RecordInput):
    """What may be written of a discount: a share or an amount with its currency, and why."""

    provider = Code(queryset=Provider.objects.filter(is_archived=False))
    reason = Text(max_length=300, help_text="why: what was agreed, and with whom")
    only_when_new = ("code", "provider")

    class Meta:
        model = ContractDiscount
        fields = (*DISCOUNT_FIELDS, "reason")


class DiscountOutput(RecordOutput):
    """A contract discount."""

    provider = serializers.CharField(source="provider.code")

    class Meta:
        model = ContractDiscount
        fields = ("id", *DISCOUNT_FIELDS, "reason", *RECORD_FIELDS)


class NightOutput(RecordOutput):
    """What one night changed in the prices in force."""

    expired = serializers.ListField(child=serializers.CharField(), help_text="offers that can no longer be signed")
    started = serializers.ListField(child=serializers.CharField(), help_text="offers whose first day came")
    discounts_started = serializers.ListField(child=serializers.CharField())
    discounts_ended = serializers.ListField(child=serializers.CharField())
    decisions = serializers.ListField(
        child=serializers.CharField(), help_text="proposals that rest on an expired offer"
    )

    class Meta:
        model = PriceWatch
        fields = (
            "id", "day", "time_zone", "since", "expired", "started", "discounts_started", "discounts_ended",
            "decisions", "is_recomputing", "made_at",
        )  # fmt: skip


class ReadOnlySerializer(serializers.Serializer[Any]):
    """Shows what a selector has worked out."""

    def get_fields(self) -> Any:
        """Return the fields, all of them to read."""
        fields = super().get_fields()
        for field in fields.values():
            field.read_only = True
        return fields


class BaseAmountOutput(ReadOnlySerializer):
    """A price in the base currency with the rate behind it, or why there is none."""

    price_per_accelerator_hour = DecimalText(source="amount", allow_null=True, **MONEY)
    currency = serializers.CharField(help_text="base currency")
    fx_base = serializers.CharField(source="rate.base", default=None, allow_null=True)
    fx_counter = serializers.CharField(source="rate.counter", default=None, allow_null=True)
    fx_rate = DecimalText(source="rate.rate", default=None, allow_null=True, max_digits=36, decimal_places=24)
    fx_date = Day(source="rate.on", default=None, allow_null=True)
    fx_source = serializers.CharField(source="rate.source", default=None, allow_null=True)
    fx_age_days = serializers.IntegerField(source="age_days", allow_null=True)
    is_fx_stale = serializers.BooleanField(source="is_stale", help_text="the rate is older than a rate may be")
    problem = serializers.CharField(help_text="why there is no amount; empty where there is one")


class SourceOutput(ReadOnlySerializer):
    """A supplier and format: the newest attempt, and the sheet that is in force."""

    supplier = serializers.CharField()
    format_key = serializers.CharField()
    newest_sheet = serializers.IntegerField(source="newest.pk", help_text="id of the newest attempt")
    newest_observed_on = Day(source="newest.observed_on")
    newest_received_at = serializers.DateTimeField(source="newest.received_at")
    is_failing = serializers.BooleanField(help_text="the newest attempt failed")
    why = serializers.CharField(help_text="why it failed; empty when it did not")
    failures = serializers.IntegerField(help_text="attempts that failed since the last good one")
    sheet_in_force = serializers.IntegerField(source="in_force.pk", default=None, allow_null=True)
    sheet_in_force_observed_on = Day(source="in_force.observed_on", default=None, allow_null=True)
    age_days = serializers.IntegerField(allow_null=True, help_text="age of the sheet in force")


class QuotePriceOutput(ReadOnlySerializer):
    """What an offer costs today: list price, price after discount, in the base currency, for how long."""

    code = serializers.CharField(source="quote.code")
    version = serializers.IntegerField(source="quote.version")
    provider = serializers.CharField(source="quote.provider.code")
    accelerator = serializers.CharField(source="quote.accelerator")
    purchase_model = serializers.CharField(source="quote.purchase_model")
    price_basis = serializers.CharField(source="quote.price_basis")
    currency = serializers.CharField(source="quote.currency")
    list_price = MoneyText(source="paid.list_price", **MONEY)
    list_upfront = MoneyText(source="paid.list_upfront", **MONEY)
    list_price_per_accelerator_hour = DecimalText(source="quote.price_per_accelerator_hour", allow_null=True, **MONEY)
    price = MoneyText(source="paid.price", help_text="after discount", **MONEY)
    upfront = MoneyText(source="paid.upfront", help_text="after discount", **MONEY)
    price_per_accelerator_hour = DecimalText(
        source="paid.price_per_accelerator_hour", allow_null=True, help_text="after discount", **MONEY
    )
    steps = serializers.ListField(child=serializers.CharField(), help_text="raw value, steps and result")
    discounts = serializers.SerializerMethodField(help_text="discounts taken off, or meant and not taken off")
    is_discounted = serializers.BooleanField(source="paid.is_discounted")
    base = BaseAmountOutput(allow_null=True, help_text="null before assumptions are in force")
    day = Day(help_text="day of evaluation")
    time_zone = serializers.CharField(help_text="where days begin and end")
    quoted_on = Day(source="quote.quoted_on")
    expires_on = Day(help_text="last day, in time_zone, on which it can be signed at this price")
    ends_at = serializers.DateTimeField(
        allow_null=True, help_text="when it ends, where its last day was stated with a time zone of its own"
    )
    is_end_stated = serializers.BooleanField(source="is_stated", help_text="false: by the age limit of its model")
    is_expired = serializers.BooleanField()
    too_old_since = Day(allow_null=True)
    waits_until = Day(allow_null=True, help_text="first day of a price that has not begun")
    problems = serializers.ListField(child=serializers.CharField(), help_text="what keeps it from being compared")
    failing_source = SourceOutput(source="source", allow_null=True, help_text="set where the last good sheet stays")

    def get_discounts(self, priced: Any) -> list[str]:
        """Return their codes."""
        return [discount.code for discount in priced.paid.discounts]


class PricePeriodOutput(ReadOnlySerializer):
    """Days on which one price of an offer held, or on which none did."""

    offer = serializers.CharField()
    version = serializers.IntegerField()
    from_on = Day()
    until_on = Day()
    state = serializers.ChoiceField(choices=("held", "gap", "replaced", "waiting"))
    why = serializers.CharField(help_text="why no price held, or why a discount was not taken off")
    currency = serializers.CharField()
    price = MoneyText(**MONEY)
    price_basis = serializers.CharField()
    list_price_per_accelerator_hour = DecimalText(allow_null=True, **MONEY)
    price_per_accelerator_hour = DecimalText(allow_null=True, help_text="after discount", **MONEY)
    discount = serializers.CharField()
    quoted_on = Day()
    valid_until = Day(allow_null=True)
    source = serializers.CharField()
    reason = serializers.CharField()


class FieldChangeOutput(ReadOnlySerializer):
    """One field of two versions."""

    field = serializers.CharField()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)


class VersionChangesOutput(ReadOnlySerializer):
    """What a version changed against the one before, who made it and why."""

    code = serializers.CharField()
    version = serializers.IntegerField()
    previous_version = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
    source = serializers.CharField()
    changes = FieldChangeOutput(many=True)
