"""Stored forecasts of gates, each with what happened since."""

from django.db import models

from procurement.models.runs import Run


class ForecastScore(models.Model):
    """The first forecast of a day for one gate of one build; later runs of the same day do not count again."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="forecast_scores")
    operator = models.CharField(max_length=60, help_text="`own` or the code of the provider, as the run had it")
    build_code = models.CharField(max_length=60)
    gate = models.CharField(max_length=30, help_text="one of the six gates, or `usable` for all together")
    as_of = models.DateField()
    p50_on = models.DateField(null=True, blank=True)
    p80_on = models.DateField(null=True, blank=True)
    p90_on = models.DateField(null=True, blank=True)
    open_gates = models.JSONField(default=list, help_text="gates that were open on that day; what `usable` waits for")
    reached_on = models.DateField(null=True, blank=True, help_text="day it came true; empty while it has not")
    scored_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("operator", "build_code", "gate", "as_of")
        constraints = (
            models.UniqueConstraint(fields=("build_code", "gate", "as_of"), name="forecast_scored_once_a_day"),
        )

    def __str__(self) -> str:
        return f"{self.build_code} {self.gate} as of {self.as_of}"
