"""Assumption sets: dated, named, never edited after use."""

from django.db import models
from django.db.models import Q

from procurement import choices
from procurement.models.records import NUMBER, RangedRecord


class AssumptionSet(RangedRecord):
    """What every option of a run is computed with; a used set is copied, not changed."""

    name = models.CharField(max_length=120)
    dated_on = models.DateField(help_text="day the figures were agreed")
    source = models.CharField(max_length=500, blank=True, help_text="who agreed them, with the document")
    is_in_force = models.BooleanField(default=False, editable=False)
    evaluated_on = models.DateField(
        null=True, blank=True, help_text="day that every evaluation uses; empty means today in the time zone"
    )
    currency = models.CharField(max_length=3, default="USD")
    time_zone = models.CharField(max_length=60, default="UTC")
    horizon_months = models.PositiveIntegerField(default=60)
    hours_per_month = models.DecimalField(max_digits=9, decimal_places=4, default=730)
    discount_rate = models.DecimalField(**NUMBER, help_text="effective nominal rate per year, 0.08 is 8 %")
    borrowing_rate = models.DecimalField(
        **NUMBER, help_text="effective rate of debt, for leases; else the discount rate"
    )
    discount_timing = models.CharField(max_length=10, choices=choices.discount_timing_choices, default="as_ledger")
    price_change_per_year = models.JSONField(default=dict, blank=True)
    risk_quantile = models.DecimalField(max_digits=6, decimal_places=4, default="0.8")
    materiality = models.DecimalField(max_digits=24, decimal_places=8, default=0)
    draws = models.PositiveIntegerField(default=10000)
    seed = models.PositiveBigIntegerField(default=0)
    correlation = models.DecimalField(max_digits=6, decimal_places=4, default=0)
    rank_by = models.CharField(max_length=10, choices=choices.ranking_choices, default="mean")
    tax = models.JSONField(null=True, blank=True)
    powered_grade = models.JSONField(null=True, blank=True)
    evidence_days = models.JSONField(default=dict, blank=True)
    slip_classes = models.JSONField(default=dict, blank=True)
    readings = models.CharField(max_length=30, choices=choices.reading_choices, default="fixed_horizon")
    forecast_dates = models.JSONField(default=list, blank=True)
    keep_options = models.JSONField(default=list, blank=True)
    policy = models.JSONField(default=dict, blank=True, help_text="rules of the organisation, as in the document")

    class Meta:
        ordering = ("-dated_on", "-id")
        constraints = (
            models.UniqueConstraint(fields=("name",), name="assumption_set_name_unique"),
            models.UniqueConstraint(
                fields=("is_in_force",), condition=Q(is_in_force=True), name="assumption_set_one_in_force"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} of {self.dated_on}"


class FxRate(models.Model):
    """A dated exchange rate inside a set: one base costs ``rate`` counter."""

    assumption_set = models.ForeignKey(AssumptionSet, on_delete=models.CASCADE, related_name="fx")
    base = models.CharField(max_length=3)
    counter = models.CharField(max_length=3)
    rate = models.DecimalField(max_digits=24, decimal_places=12)
    on = models.DateField()
    source = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ("base", "counter", "-on")
        constraints = (
            models.UniqueConstraint(fields=("assumption_set", "base", "counter", "on"), name="fx_rate_once_a_day"),
            models.CheckConstraint(condition=Q(rate__gt=0) & ~Q(rate=1), name="fx_rate_positive_and_not_one"),
        )

    def __str__(self) -> str:
        return f"{self.base}/{self.counter} {self.rate} on {self.on}"
