"""Measured use as the interface takes and shows it."""

from typing import Any

from rest_framework import serializers

from procurement.api.fields import Code, Day, Document, Flag, Text
from procurement.api.serializers_base import RECORD_FIELDS, RecordOutput, StrictSerializer
from procurement.models import Build, UsageFile, UsageOffer, UsageRow, Workload
from procurement.selectors.actuals import costs_of, measured_figures


class UsageFileInput(StrictSerializer):
    """A file of measured use, as a form, and what it does not say itself."""

    file = serializers.FileField(allow_empty_file=True, help_text="sacct --parsable2, utilisation as CSV, or FOCUS 1.x")
    source = Text(max_length=500, help_text="where the file comes from")
    time_zone = Text(max_length=60, required=False, help_text="of times that state no offset; UTC when left out")
    build = Code(queryset=Build.objects.filter(is_archived=False), required=False, help_text="place of unknown names")
    workload = Code(queryset=Workload.objects.filter(is_archived=False), required=False, help_text="of every row")
    covers_from = Day(required=False, help_text="first day of which everything is in the file")
    covers_until = Day(required=False, help_text="last such day")
    is_skipping_faulty = Flag(required=False, help_text="count the good rows of a file with faults")
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class UsageFileOutput(RecordOutput):
    """A file of measured use and what became of its rows."""

    build = serializers.CharField(source="build.code", default=None, allow_null=True)
    workload = serializers.CharField(source="workload.code", default=None, allow_null=True)
    aliases = Document()

    class Meta:
        model = UsageFile
        fields = (
            "id", "file_name", "content_sha256", "source", "format_key", "state", "time_zone", "build", "workload",
            "aliases", "covers_from", "covers_until", "is_window_stated", "is_skipping_faulty", "rows_read", "rows_new",
            "rows_changed", "rows_same", "rows_held", "rows_faulty", "rows_left_out", "message", "received_at",
            "imported_at", *RECORD_FIELDS,
        )  # fmt: skip


class UsageRowOutput(RecordOutput):
    """A row, or rows alike, that is held, faulty or left out."""

    class Meta:
        model = UsageRow
        fields = ("id", "line", "count", "state", "code", "column", "value", "message", "release")


class AssignInput(StrictSerializer):
    """Which record a name in a file means."""

    code = Text(max_length=60, help_text="code of the build, workload or provider")
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class WhyInput(StrictSerializer):
    """Why."""

    reason = Text(max_length=300, help_text="why, for the history")


class FigureOutput(serializers.Serializer[Any]):
    """One figure of the plan beside the same measured; null with the reason."""

    name = serializers.CharField()
    unit = serializers.CharField()
    planned = serializers.FloatField(allow_null=True)
    measured = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()


class CostOutput(serializers.Serializer[Any]):
    """What was paid in one currency."""

    currency = serializers.CharField()
    amount = serializers.FloatField()
    per_hour = serializers.FloatField(allow_null=True, help_text="per accelerator-hour that was paid for")
    per_useful_hour = serializers.FloatField(allow_null=True, help_text="per accelerator-hour of completed jobs")
    reason = serializers.CharField(help_text="why the cost of a useful hour is unknown")


class MeasuredUseOutput(serializers.Serializer[Any]):
    """What was measured in a month, or in all of them together; hours are accelerator-hours unless said."""

    month = serializers.DateField(allow_null=True)
    hours = serializers.FloatField(help_text="clock hours of the month")
    covered_hours = serializers.FloatField(help_text="clock hours about which job records are complete")
    sampled_hours = serializers.FloatField(help_text="clock hours with samples")
    is_partial = serializers.BooleanField()
    utilisation = serializers.FloatField(allow_null=True)
    sampled_utilisation = serializers.FloatField(allow_null=True)
    completed_share = serializers.FloatField(allow_null=True)
    useful_hours = serializers.FloatField(allow_null=True)
    lost_hours = serializers.FloatField()
    busy = Document(help_text="hours in use by outcome")
    ended = Document(help_text="jobs that ended by outcome")
    costs = serializers.SerializerMethodField()

    def get_costs(self, use: Any) -> list[dict[str, Any]]:
        """Return what was paid, by currency."""
        return list(CostOutput(costs_of(use), many=True).data)


class MeasuredOutput(serializers.Serializer[Any]):
    """Planned and measured of one workload or build."""

    code = serializers.CharField(source="record.code")
    capacity = serializers.FloatField(help_text="accelerators that utilisation is of")
    first_at = serializers.DateTimeField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)
    figures = serializers.SerializerMethodField()
    total = MeasuredUseOutput(allow_null=True)
    months = MeasuredUseOutput(many=True)

    def get_figures(self, measured: Any) -> list[dict[str, Any]]:
        """Return planned beside measured."""
        return list(FigureOutput(measured_figures(measured), many=True).data)


class OfferOutput(RecordOutput):
    """A measured figure that may replace a planned one."""

    workload = serializers.CharField(source="workload.code", default=None, allow_null=True)
    build = serializers.CharField(source="build.code", default=None, allow_null=True)
    planned = serializers.JSONField()
    measured = serializers.JSONField()
    basis = Document()
    decided_by = serializers.CharField(source="decided_by.username", default=None, allow_null=True)

    class Meta:
        model = UsageOffer
        fields = (
            "id", "workload", "build", "field", "planned", "measured", "basis", "state", "decided_by", "decided_at",
            "decision_reason", *RECORD_FIELDS,
        )  # fmt: skip
