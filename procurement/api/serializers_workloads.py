"""Workloads, presets and assumption sets as the interface takes and shows them."""

from rest_framework import serializers

from procurement.api.fields import Day, DecimalText, Document, Text, Texts
from procurement.api.serializers_base import RECORD_FIELDS, RangesField, RecordInput, RecordOutput, StrictSerializer
from procurement.models import AssumptionSet, FxRate, Workload

WORKLOAD_FIELDS = (
    "code", "name", "kind", "shape", "accelerators", "accelerator_types", "min_memory_gb", "interconnect", "fabrics",
    "start", "need_by", "days", "months", "end", "deadline_policy", "demand", "growth_per_year", "training",
    "inference", "dataset_gb", "egress_gb_per_month", "storage_gb", "feed_gb_s_per_accelerator", "residency",
    "allowed_providers", "interruptible", "current", "switching_cost", "value_per_accelerator_hour",
    "second_place_overhead_per_month", "note", "ranges",
)  # fmt: skip
ASSUMPTION_FIELDS = (
    "name", "dated_on", "source", "evaluated_on", "currency", "time_zone", "horizon_months", "hours_per_month",
    "discount_rate", "borrowing_rate", "discount_timing", "price_change_per_year", "risk_quantile", "materiality",
    "draws", "seed", "correlation", "rank_by", "tax", "powered_grade", "evidence_days", "slip_classes", "readings",
    "forecast_dates", "keep_options", "policy", "ranges",
)  # fmt: skip


class WorkloadInput(RecordInput):
    """What may be written of a workload."""

    accelerator_types = Texts(required=False)
    fabrics = Texts(required=False)
    residency = Texts(required=False)
    allowed_providers = Texts(required=False)
    demand = Document(required=False, allow_null=True)
    training = Document(required=False, allow_null=True)
    inference = Document(required=False, allow_null=True)
    current = Document(required=False, allow_null=True)
    ranges = RangesField(required=False)
    only_when_new = ("code",)

    class Meta:
        model = Workload
        fields = (*WORKLOAD_FIELDS, "reason")


class WorkloadOutput(RecordOutput):
    """A need for accelerators."""

    accelerator_types = Texts()
    fabrics = Texts()
    residency = Texts()
    allowed_providers = Texts()
    demand = Document(allow_null=True)
    training = Document(allow_null=True)
    inference = Document(allow_null=True)
    current = Document(allow_null=True)
    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)

    class Meta:
        model = Workload
        fields = ("id", *WORKLOAD_FIELDS, "owner", *RECORD_FIELDS)


class PresetOutput(serializers.Serializer[object]):
    """The defaults of one kind of workload."""

    kind = serializers.CharField()
    name = serializers.CharField()
    note = serializers.CharField()
    values = Document()


class FxRateInput(StrictSerializer):
    """One base costs `rate` counter."""

    base = Text(max_length=3)
    counter = Text(max_length=3)
    rate = DecimalText(max_digits=24, decimal_places=12)
    on = Day()
    source = Text(max_length=300, required=False, allow_blank=True)


class FxRateOutput(RecordOutput):
    """A dated exchange rate."""

    rate = DecimalText(max_digits=24, decimal_places=12)

    class Meta:
        model = FxRate
        fields = ("base", "counter", "rate", "on", "source")


class AssumptionSetInput(RecordInput):
    """What may be written of an assumption set that no run has used."""

    price_change_per_year = Document(required=False)
    tax = Document(required=False, allow_null=True)
    powered_grade = Document(required=False, allow_null=True)
    evidence_days = Document(required=False)
    slip_classes = Document(required=False)
    policy = Document(required=False)
    forecast_dates = serializers.ListField(child=Text(max_length=10), max_length=120, required=False)
    keep_options = serializers.ListField(child=Text(max_length=400), max_length=100, required=False)
    fx = FxRateInput(  # type: ignore[call-arg] # with many=True it takes what lists take
        many=True, required=False, max_length=500, help_text="replaces all rates of the set"
    )
    ranges = RangesField(required=False)

    class Meta:
        model = AssumptionSet
        fields = (*ASSUMPTION_FIELDS, "fx", "reason")


class AssumptionSetOutput(RecordOutput):
    """What every option of a run is computed with."""

    price_change_per_year = Document()
    tax = Document(allow_null=True)
    powered_grade = Document(allow_null=True)
    evidence_days = Document()
    slip_classes = Document()
    policy = Document()
    forecast_dates = Texts()
    keep_options = Texts()
    fx = FxRateOutput(many=True)

    class Meta:
        model = AssumptionSet
        fields = ("id", *ASSUMPTION_FIELDS, "fx", "is_in_force", *RECORD_FIELDS)
