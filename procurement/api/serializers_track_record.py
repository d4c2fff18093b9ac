"""Track record and learned slips as the interface takes and shows them."""

from typing import Any

from rest_framework import serializers

from procurement.api.fields import Text
from procurement.api.serializers_base import RecordOutput, StrictSerializer
from procurement.models import ForecastScore
from procurement.selectors.track_record import slip_name


class ForecastScoreOutput(RecordOutput):
    """One stored forecast of a gate, with the day on which it came true."""

    build = serializers.CharField(source="build_code")
    run = serializers.IntegerField(source="run_id")

    class Meta:
        model = ForecastScore
        fields = ("id", "run", "operator", "build", "gate", "as_of", "p50_on", "p80_on", "p90_on", "reached_on")


class LevelScoreOutput(serializers.Serializer[Any]):
    """The share of gates that were reached by one quantile, every gate counting once."""

    level = serializers.FloatField(help_text="the share that the quantile promises")
    forecasts = serializers.IntegerField(help_text="forecasts with an answer")
    outcomes = serializers.IntegerField(help_text="gates among them")
    share = serializers.FloatField(allow_null=True, help_text="share that held; null without an outcome")
    low = serializers.FloatField(allow_null=True, help_text="lower end of the 95 % interval")
    high = serializers.FloatField(allow_null=True, help_text="upper end of the 95 % interval")
    verdict = serializers.CharField(help_text="no_outcome, later, earlier or fits")


class TrackRecordOutput(serializers.Serializer[Any]):
    """How the forecasts of one operator and gate held, for one distance ahead or all."""

    operator = serializers.CharField()
    gate = serializers.CharField()
    horizon = serializers.CharField()
    forecasts = serializers.IntegerField()
    open_forecasts = serializers.IntegerField()
    levels = LevelScoreOutput(many=True)


class TrackRecordsOutput(serializers.Serializer[Any]):
    """The whole track record."""

    as_of = serializers.DateField()
    results = TrackRecordOutput(many=True)


class SlipOutput(serializers.Serializer[Any]):
    """P10 and P90 of actual over promised duration."""

    p10 = serializers.FloatField()
    p90 = serializers.FloatField()


class LearnedSlipOutput(serializers.Serializer[Any]):
    """What closed promises teach of one operator and class."""

    key = serializers.SerializerMethodField(help_text="name in an assumption set")
    operator = serializers.CharField()
    slip_class = serializers.CharField()
    prior = SlipOutput()
    closed = serializers.IntegerField(help_text="closed promises")
    overdue_open = serializers.IntegerField(help_text="open promises whose day has passed; not in the ratio")
    median_ratio = serializers.FloatField(allow_null=True, help_text="geometric mean of actual over promised")
    spread = serializers.FloatField(allow_null=True, help_text="standard deviation of ln ratio")
    weight = serializers.FloatField(help_text="closed / (closed + 5)")
    result = SlipOutput()
    is_enough = serializers.BooleanField(help_text="from 20 closed promises")

    def get_key(self, slip: Any) -> str:
        """Return the name under which assumption sets keep it."""
        return slip_name(slip)


class LearnedSlipsOutput(serializers.Serializer[Any]):
    """All learned slips of a day."""

    as_of = serializers.DateField()
    results = LearnedSlipOutput(many=True)


class SlipProposalInput(StrictSerializer):
    """Which learned slips a draft assumption set should hold."""

    keys = serializers.ListField(child=Text(max_length=120), min_length=1, max_length=100, help_text="bringup@acme")
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")
