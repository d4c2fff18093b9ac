"""Providers, sites, aliases and quotes as the interface takes and shows them."""

from rest_framework import serializers

from procurement.api.fields import Code, Documents, MoneyText, Text, Texts
from procurement.api.serializers_base import (
    RECORD_FIELDS,
    RangesField,
    RecordInput,
    RecordOutput,
)
from procurement.models import AcceleratorAlias, Provider, Quote, Site

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
    "time_zone", "source", "ranges",
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
