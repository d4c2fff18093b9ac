"""Builds and their parts as the interface takes and shows them."""

from rest_framework import serializers

from procurement.api.fields import Code, Day, Document, Documents, MoneyText, Text, Texts
from procurement.api.serializers_base import RECORD_FIELDS, RangesField, RecordInput, RecordOutput, StrictSerializer
from procurement.models import Build, CostLine, Evidence, Promise, Provider, Site, Tranche, Waiver

BUILD_FIELDS = (
    "code", "name", "operator", "site", "accelerator", "accelerators_per_node", "it_kw_per_node",
    "cooling_kw_per_node", "rdma_ports_per_node", "design_class", "fabric", "network_gbps_per_accelerator",
    "measured_allreduce_gbps", "toll_multiplier", "measured_runs", "region", "committed", "cancelled_on",
    "node_ids_known", "bringup_days", "availability", "failures_per_1000_node_days", "restart_minutes",
    "storage_read_gb_s", "storage_write_gb_s", "note", "ranges",
)  # fmt: skip
TRANCHE_FIELDS = ("code", "planned_accelerators", "fabric_domain")
COST_FIELDS = (
    "component", "amount", "currency", "basis", "at_month", "months", "life_months", "residual_fraction", "status",
    "covers", "kw", "it_kw", "pue", "price_per_kwh", "idle_fraction", "fte", "source", "ranges",
)  # fmt: skip
EVIDENCE_FIELDS = (
    "gate", "tranche", "qty", "unit", "medium", "scope", "basis", "redundancy", "feeds", "continuous_factor", "pue",
    "power_basis", "node_first", "node_last", "event", "grade", "observed_on", "recorded_on", "achieved_on",
    "valid_until", "source", "note",
)  # fmt: skip
PROMISE_FIELDS = ("gate", "tranche", "medium", "date", "stated_on", "stated_by", "slip_class", "source")


class BuildInput(RecordInput):
    """What may be written of a build; its parts have addresses of their own."""

    operator = Code(queryset=Provider.objects.all(), required=False, allow_null=True, help_text="left out: our own")
    site = Code(queryset=Site.objects.all(), required=False, allow_null=True)
    cooling_kw_per_node = Document(required=False)
    measured_runs = Documents(required=False)
    ranges = RangesField(required=False)
    only_when_new = ("code",)

    class Meta:
        model = Build
        fields = (*BUILD_FIELDS, "reason")


class BuildOutput(RecordOutput):
    """A build without its parts."""

    measured_runs = Documents()
    operator = serializers.CharField(source="operator.code", default=None, allow_null=True)
    site = serializers.CharField(source="site.code", default=None, allow_null=True)
    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)

    class Meta:
        model = Build
        fields = ("id", *BUILD_FIELDS, "owner", *RECORD_FIELDS)


class TrancheInput(RecordInput):
    """What may be written of a tranche."""

    class Meta:
        model = Tranche
        fields = (*TRANCHE_FIELDS, "reason")


class TrancheOutput(RecordOutput):
    """A part of a build that is handed over together."""

    class Meta:
        model = Tranche
        fields = ("id", *TRANCHE_FIELDS, *RECORD_FIELDS)


class CostLineInput(RecordInput):
    """What may be written of a cost line."""

    covers = Texts(required=False)
    ranges = RangesField(required=False)

    class Meta:
        model = CostLine
        fields = (*COST_FIELDS, "reason")


class CostLineOutput(RecordOutput):
    """One priced line of a build."""

    amount = MoneyText(max_digits=24, decimal_places=8, allow_null=True)
    covers = Texts()

    class Meta:
        model = CostLine
        fields = ("id", *COST_FIELDS, *RECORD_FIELDS)


class WaiverInput(RecordInput):
    """What may be written of a waiver; its reason is part of the record."""

    reason = Text(max_length=300, help_text="why it costs nothing here")

    class Meta:
        model = Waiver
        fields = ("component", "reason")


class WaiverOutput(RecordOutput):
    """An expected component that is knowingly left out."""

    class Meta:
        model = Waiver
        fields = ("id", "component", "reason", *RECORD_FIELDS)


class EvidenceInput(RecordInput):
    """A statement of evidence: with a link as JSON, or with a file as a form."""

    attachment = serializers.FileField(required=False, help_text="the proof as a file, in a form only")

    class Meta:
        model = Evidence
        fields = (*EVIDENCE_FIELDS, "attachment", "reason")


class EvidenceOutput(RecordOutput):
    """A statement that a gate was reached or lost; never edited."""

    recorded_by = serializers.CharField(source="recorded_by.username", default=None, allow_null=True)
    confirms = serializers.IntegerField(source="confirms_id", allow_null=True)

    class Meta:
        model = Evidence
        fields = (
            "id", *EVIDENCE_FIELDS, "attachment_name", "attachment_sha256", "confirms", "recorded_at", "recorded_by",
        )  # fmt: skip


class ConfirmInput(StrictSerializer):
    """That a statement is still true."""

    observed_on = Day(help_text="day on which it was seen to be still true")
    source = Text(max_length=500, required=False, allow_blank=True)
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class PromiseInput(RecordInput):
    """A promised date."""

    class Meta:
        model = Promise
        fields = (*PROMISE_FIELDS, "reason")


class PromiseOutput(RecordOutput):
    """A date that somebody promised; never edited."""

    recorded_by = serializers.CharField(source="recorded_by.username", default=None, allow_null=True)

    class Meta:
        model = Promise
        fields = ("id", *PROMISE_FIELDS, "recorded_at", "recorded_by")
