"""Runs, recommendations, decisions and evaluations as the interface takes and shows them."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from procurement.api.fields import Day, DecimalText, Document, Documents, MoneyText, Text
from procurement.api.serializers_base import LONGEST_NOTE, RECORD_FIELDS, RecordOutput, StrictSerializer
from procurement.models import (
    Answer,
    AssumptionSet,
    AvailabilityRow,
    ComponentRow,
    Decision,
    EnergizationRow,
    Evaluation,
    MonthRow,
    OptionRow,
    Run,
)

AMOUNT = {"max_digits": 24, "decimal_places": 4, "allow_null": True}
RATE = {"max_digits": 24, "decimal_places": 8, "allow_null": True}


class RunInput(StrictSerializer):
    """A question: today's records, unless said otherwise."""

    assumption_set = serializers.PrimaryKeyRelatedField(
        queryset=AssumptionSet.objects.all(), required=False, help_text="id; the one in force when left out"
    )
    as_of = Day(required=False, help_text="day of evaluation; today when left out")
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class RunOutput(RecordOutput):
    """A frozen question and how far its answer has come."""

    requested_by = serializers.CharField(source="requested_by.username", default=None, allow_null=True)
    assumption_set_name = serializers.CharField(source="assumption_set.name")

    class Meta:
        model = Run
        fields = (
            "id", "state", "as_of", "currency", "assumption_set", "assumption_set_name", "inputs_digest",
            "engine_version", "requested_at", "requested_by", "reason", "last_asked_at", "finished_at",
            "next_change_on", "message", "workload_count", "answers_taken_over",
        )  # fmt: skip


class EnergizationOutput(RecordOutput):
    """Readiness and forecast of one build."""

    build = serializers.CharField(source="build_code")
    readiness = Document()
    forecast = Document()

    class Meta:
        model = EnergizationRow
        fields = (
            "id", "build", "operator", "planned_accelerators", "energization_status", "availability_status",
            "usable_accelerators", "energized_accelerators", "accessible_accelerators", "forecast_status", "p50_on",
            "p80_on", "p90_on", "next_change_on", "readiness", "forecast",
        )  # fmt: skip


class AvailabilityOutput(RecordOutput):
    """Whether one quote can serve the workload."""

    quote = serializers.CharField(source="quote_code")
    reasons = Documents()
    detail = Document()

    class Meta:
        model = AvailabilityRow
        fields = ("id", "quote", "verdict", "reasons", "detail")


class ComponentOutput(RecordOutput):
    """Present cost of one component."""

    amount = MoneyText(**AMOUNT)

    class Meta:
        model = ComponentRow
        fields = ("component", "amount")


class MonthOutput(RecordOutput):
    """Nominal cash in one month."""

    amount = MoneyText(**AMOUNT)

    class Meta:
        model = MonthRow
        fields = ("month", "amount")


class OptionOutput(RecordOutput):
    """One option with its figures; the first is the recommended one."""

    currency = serializers.CharField(source="answer.currency")
    npv = MoneyText(**AMOUNT)
    nominal_cost = MoneyText(**AMOUNT)
    capital = MoneyText(**AMOUNT)
    operating = MoneyText(**AMOUNT)
    cost_per_accelerator_hour = DecimalText(**RATE)
    cost_per_useful_accelerator_hour = DecimalText(**RATE)
    components = ComponentOutput(many=True)
    months = MonthOutput(many=True)
    detail = Document(help_text="the whole option as the engine gave it")

    class Meta:
        model = OptionRow
        fields = (
            "id", "position", "option", "kind", "is_feasible", "currency", "npv", "nominal_cost", "capital",
            "operating", "cost_per_accelerator_hour", "cost_per_useful_accelerator_hour", "components", "months",
            "detail",
        )  # fmt: skip


class RecommendationLineOutput(RecordOutput):
    """The recommendation for one workload, without its options."""

    workload = serializers.CharField(source="workload_code")
    run = serializers.SerializerMethodField()
    npv = MoneyText(**AMOUNT)
    approval_amount = MoneyText(**AMOUNT)
    premium_over_cheapest = MoneyText(**AMOUNT)
    cost_per_accelerator_hour = DecimalText(**RATE)
    cost_per_useful_accelerator_hour = DecimalText(**RATE)
    reasons = serializers.SerializerMethodField()
    conditions = serializers.SerializerMethodField()

    class Meta:
        model = Answer
        fields = (
            "id", "run", "workload", "workload_name", "verdict", "option", "runner_up", "is_tie", "how_sure",
            "currency", "npv", "cost_per_accelerator_hour", "cost_per_useful_accelerator_hour", "approval_amount",
            "premium_over_cheapest", "oldest_input_on", "reasons", "conditions",
        )  # fmt: skip

    def get_run(self, answer: Answer) -> int:
        """Return the run that gives the answer."""
        return int(self.context["run"].pk)

    def get_reasons(self, answer: Answer) -> list[dict[str, Any]]:
        """Return coded reasons with their numbers."""
        return list(answer.recommendation.get("reasons") or [])

    def get_conditions(self, answer: Answer) -> list[Any]:
        """Return what must hold."""
        return list(answer.recommendation.get("conditions") or [])


class RecommendationOutput(RecommendationLineOutput):
    """The recommendation for one workload with every option."""

    recommendation = Document(help_text="the whole recommendation as the engine gave it")
    excluded = Document(help_text="how many offers each reason removed")
    need = Document()
    throughput = Document()
    bridge = Document()
    options = OptionOutput(many=True)

    class Meta:
        model = Answer
        fields = (
            *RecommendationLineOutput.Meta.fields, "recommendation", "excluded", "need", "throughput", "bridge",
            "options",
        )  # fmt: skip


class DecisionInput(StrictSerializer):
    """One option of one workload of a finished run, put up for approval."""

    run = serializers.PrimaryKeyRelatedField(queryset=Run.objects.defer("inputs"), help_text="id of a finished run")
    workload = Text(max_length=60, help_text="code of the workload")
    option = Text(max_length=400, help_text="a feasible option of the run")
    amount = DecimalText(max_digits=24, decimal_places=4, min_value=Decimal(0), help_text="in the run's currency")
    valid_until = Day()
    conditions = serializers.ListField(child=Text(max_length=500), max_length=50, required=False)
    comment = Text(required=False, allow_blank=True, max_length=LONGEST_NOTE)
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class DecisionOutput(RecordOutput):
    """What two people agreed on, and on which inputs."""

    workload = serializers.CharField(source="workload_code")
    amount = MoneyText(max_digits=24, decimal_places=4)
    conditions = serializers.ListField(child=serializers.JSONField())
    prepared_by = serializers.CharField(source="prepared_by.username")
    approved_by = serializers.CharField(source="approved_by.username", default=None, allow_null=True)

    class Meta:
        model = Decision
        fields = (
            "id", "code", "run", "workload", "option", "amount", "currency", "valid_until", "conditions", "comment",
            "inputs_digest", "state", "prepared_by", "prepared_at", "approved_by", "approved_at", "approval_comment",
            *RECORD_FIELDS,
        )  # fmt: skip


class CommentInput(StrictSerializer):
    """What a signature is given with."""

    comment = Text(required=False, allow_blank=True, max_length=LONGEST_NOTE)
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class RejectInput(CommentInput):
    """Why a decision is rejected."""

    comment = Text(max_length=LONGEST_NOTE, help_text="what its preparer should change")


class EvaluationOutput(serializers.ModelSerializer[Evaluation]):
    """An evaluation that a worker carries out, and its answer once it is there."""

    url = serializers.SerializerMethodField()
    status = serializers.SerializerMethodField()
    message = serializers.SerializerMethodField()
    job = serializers.IntegerField(source="job_id", allow_null=True)
    answer = Document(allow_null=True)

    class Meta:
        model = Evaluation
        fields = ("id", "url", "status", "message", "job", "created_at", "finished_at", "answer")
        read_only_fields = fields

    def get_url(self, evaluation: Evaluation) -> str:
        """Return where to ask again."""
        return str(self.context["request"].build_absolute_uri(f"/api/v1/evaluations/{evaluation.pk}/"))

    def get_status(self, evaluation: Evaluation) -> str:
        """Return queued, running, done, failed or dead; `gone` when its job was deleted before it answered."""
        if evaluation.finished_at is not None:
            return "done"
        return str(evaluation.job.status) if evaluation.job is not None else "gone"

    def get_message(self, evaluation: Evaluation) -> str:
        """Return the progress, or what went wrong."""
        job = evaluation.job
        if job is None or evaluation.finished_at is not None:
            return ""
        return job.last_error if job.status in ("failed", "dead") else job.progress_message
