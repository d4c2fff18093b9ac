"""Providers, sites, aliases, price sheets and quotes as the interface takes and shows them."""

from typing import Any

from rest_framework import serializers

from procurement.api.fields import Code, Day, DecimalText, Document, Documents, Flag, MoneyText, Text, Texts
from procurement.api.serializers_base import (
    RECORD_FIELDS,
    RangesField,
    RecordInput,
    RecordOutput,
    StrictSerializer,
)
from procurement.models import AcceleratorAlias, PriceSheet, Provider, Quote, SheetRow, Site

PROVIDER_FIELDS = ("code", "name", "website", "note")
SITE_FIELDS = ("code", "name", "country", "region", "utility", "note")
ALIAS_FIELDS = ("alias", "accelerator", "note")
QUOTE_FIELDS = (
    "code", "provider", "sku", "accelerator", "accelerators_per_node", "accelerators_per_instance", "price",
    "price_basis", "price_hours_per_month", "currency", "price_includes_tax", "purchase_model", "term_months",
    "upfront", "payment_option", "includes", "excludes", "cluster", "interconnect", "fabric",
    "network_gbps_per_accelerator", "measured_allreduce_gbps", "toll_multiplier", "measured_runs", "region",
    "quantity_available", "largest_domain_accelerators", "min_accelerators", "min_days", "max_days", "quoted_on",
    "valid_until", "earliest_start", "available_to", "lead_time_days", "booking_horizon_days", "capacity_class",
    "quota_accelerators", "monthly_interruption", "egress_per_gb", "storage_per_gb_month", "support_fraction",
    "setup_fee", "exit_fee", "costs", "waived", "failures_per_1000_node_days", "restart_minutes",
    "storage_read_gb_s", "storage_write_gb_s", "zone", "vram_gb", "form_factor", "os", "licence", "valid_from",
    "source", "ranges",
)  # fmt: skip
QUOTE_SHOWN = (
    "id", *QUOTE_FIELDS, "price_per_accelerator_hour", "derivation", "flags", "sheet", "source_line", "reason",
    "is_current", *RECORD_FIELDS,
)  # fmt: skip


class ProviderInput(RecordInput):
    """What may be written of a provider."""

    only_when_new = ("code",)

    class Meta:
        model = Provider
        fields = (*PROVIDER_FIELDS, "reason")


class ProviderOutput(RecordOutput):
    """A provider."""

    class Meta:
        model = Provider
        fields = ("id", *PROVIDER_FIELDS, *RECORD_FIELDS)


class SiteInput(RecordInput):
    """What may be written of a site."""

    only_when_new = ("code",)

    class Meta:
        model = Site
        fields = (*SITE_FIELDS, "reason")


class SiteOutput(RecordOutput):
    """A site."""

    class Meta:
        model = Site
        fields = ("id", *SITE_FIELDS, *RECORD_FIELDS)


class AliasInput(RecordInput):
    """What may be written of an accelerator alias."""

    class Meta:
        model = AcceleratorAlias
        fields = (*ALIAS_FIELDS, "reason")


class AliasOutput(RecordOutput):
    """A supplier's name of an accelerator."""

    class Meta:
        model = AcceleratorAlias
        fields = ("id", *ALIAS_FIELDS, *RECORD_FIELDS)


class PriceSheetInput(StrictSerializer):
    """A file of prices with what the file does not say itself."""

    file = serializers.FileField(allow_empty_file=True, help_text="the price file as it was received")
    observed_on = Day(help_text="day the prices were true")
    source = Text(max_length=500, help_text="where the file comes from, with its address")
    provider = Code(queryset=Provider.objects.all(), required=False, help_text="for formats that name none")
    currency = Text(max_length=3, required=False, help_text="ISO 4217 code for formats that state none")
    format_key = Text(max_length=60, required=False, help_text="the format, where it cannot be told from the file")
    is_skipping_faulty = Flag(default=False, help_text="import the good rows of a sheet with faults")
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class PriceSheetOutput(RecordOutput):
    """A price sheet and what became of its rows."""

    provider = serializers.CharField(source="provider.code", default=None, allow_null=True)
    received_by = serializers.CharField(source="received_by.username", default=None, allow_null=True)

    class Meta:
        model = PriceSheet
        fields = (
            "id", "provider", "file_name", "content_sha256", "source", "observed_on", "currency", "format_key", "state",
            "is_skipping_faulty", "rows_ready", "rows_new", "rows_changed", "rows_same", "rows_held", "rows_faulty",
            "message", "received_at", "received_by", "imported_at",
        )  # fmt: skip


class SheetRowOutput(RecordOutput):
    """A held, faulty or released row of a sheet, with its raw values and every reason."""

    raw = Document()
    values = Document()
    reasons = Documents()
    released_by = serializers.CharField(source="released_by.username", default=None, allow_null=True)

    class Meta:
        model = SheetRow
        fields = (
            "id", "line", "state", "raw", "values", "reasons", "released_by", "released_at", "release_reason",
        )  # fmt: skip


class ReleaseInput(StrictSerializer):
    """What a person states so that a held row counts as a quote."""

    reason = Text(max_length=300, help_text="why the row may be trusted")
    accelerator = Text(max_length=60, required=False)
    accelerators_per_node = serializers.IntegerField(required=False, min_value=1, max_value=100_000)
    accelerators_per_instance = DecimalText(max_digits=24, decimal_places=8, required=False)
    price = DecimalText(max_digits=24, decimal_places=8, required=False)
    price_basis = serializers.ChoiceField(choices=Quote._meta.get_field("price_basis").choices or (), required=False)
    currency = Text(max_length=3, required=False)
    purchase_model = serializers.ChoiceField(
        choices=Quote._meta.get_field("purchase_model").choices or (), required=False
    )
    term_months = serializers.IntegerField(required=False, min_value=1, max_value=1200)
    region = Text(max_length=80, required=False)
    provider = Text(max_length=60, required=False)
    quoted_on = Day(required=False)


class QuoteInput(RecordInput):
    """What may be written of a quote; a change makes a new version."""

    code = Text(max_length=160, required=False, help_text="made from provider, SKU and model when left out")
    provider = Code(queryset=Provider.objects.filter(is_archived=False))
    includes = Texts(required=False)
    excludes = Texts(required=False)
    costs = Documents(required=False)
    measured_runs = Documents(required=False)
    waived = Documents(required=False)
    ranges = RangesField(required=False)
    only_when_new = ("code", "provider")

    class Meta:
        model = Quote
        fields = (*QUOTE_FIELDS, "reason")


class QuoteOutput(RecordOutput):
    """One version of an offer."""

    provider = serializers.CharField(source="provider.code")
    cluster = serializers.CharField(source="cluster.code", default=None, allow_null=True)
    price = MoneyText(max_digits=24, decimal_places=8)
    includes = Texts()
    excludes = Texts()
    flags = serializers.ListField(child=serializers.JSONField())
    costs = Documents()
    measured_runs = Documents()
    waived = Documents()
    sheet = serializers.IntegerField(source="sheet_id", allow_null=True)

    class Meta:
        model = Quote
        fields = QUOTE_SHOWN


def sheet_options(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options of price_sheet_receive that the values hold."""
    names = ("provider", "currency", "format_key", "is_skipping_faulty")
    return {name: values[name] for name in names if values.get(name) not in (None, "")}
