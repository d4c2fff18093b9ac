"""Portfolios: one plan for all workloads of a run, asked for with its pins and limits, answered by a worker."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from procurement.models.jobs import Job
from procurement.models.runs import AMOUNT, Run


class PortfolioState(models.TextChoices):
    """How a solve ended; only what was proven within its gap is optimal."""

    REQUESTED = "requested", "Asked for"
    OPTIMAL = "optimal", "Optimal"
    TIME_LIMIT = "time_limit", "Stopped by the clock"
    STOPPED = "stopped", "Stopped by a person"
    INFEASIBLE = "infeasible", "Infeasible"
    FAILED = "failed", "Failed"


class Portfolio(models.Model):
    """One question on a finished run, and its answer; the same question is the same row."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="portfolios")
    digest = models.CharField(max_length=64, unique=True, help_text="of inputs, pins, limits, engine and solver")
    engine_version = models.CharField(max_length=20)
    solver = models.CharField(max_length=40, help_text="name and version")
    pins = models.JSONField(default=list, blank=True, help_text="allocations that a person has fixed")
    gap_asked = models.DecimalField(max_digits=8, decimal_places=6, help_text="relative, that counts as optimal")
    time_limit_s = models.PositiveIntegerField(help_text="seconds for building and solving")
    state = models.CharField(max_length=12, choices=PortfolioState, default=PortfolioState.REQUESTED)
    npv = models.DecimalField(**AMOUNT, null=True, blank=True)
    gap = models.DecimalField(max_digits=12, decimal_places=8, null=True, blank=True, help_text="relative, reached")
    build_seconds = models.DecimalField(max_digits=10, decimal_places=3, null=True, blank=True)
    solve_seconds = models.DecimalField(max_digits=10, decimal_places=3, null=True, blank=True)
    answer = models.JSONField(default=dict, blank=True, help_text="the answer without its allocation")
    message = models.TextField(blank=True, help_text="why there is no plan")
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    reason = models.CharField(max_length=300, blank=True)
    last_asked_at = models.DateTimeField(help_text="the same question asked again gives the same portfolio")
    stop_asked_at = models.DateTimeField(null=True, blank=True)
    stop_asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-last_asked_at", "-id")
        constraints = (
            models.CheckConstraint(condition=Q(state__in=PortfolioState.values), name="portfolio_state_is_known"),
            models.CheckConstraint(
                condition=~Q(state=PortfolioState.OPTIMAL) | Q(npv__isnull=False, gap__isnull=False),
                name="portfolio_optimal_has_its_gap",
            ),
            models.CheckConstraint(
                condition=Q(state__in=(PortfolioState.OPTIMAL, PortfolioState.TIME_LIMIT, PortfolioState.STOPPED))
                | Q(npv__isnull=True),
                name="portfolio_without_plan_has_no_npv",
            ),
        )

    def __str__(self) -> str:
        return f"Portfolio {self.pk} of run {self.run_id}"

    @property
    def is_open(self) -> bool:
        """Whether its answer is still to come."""
        return self.state == PortfolioState.REQUESTED

    @property
    def has_plan(self) -> bool:
        """Whether a plan was found."""
        return self.npv is not None

    @property
    def may_be_asked_again(self) -> bool:
        """Whether asking again may give another answer: what a person stopped, and what failed."""
        return self.state in (PortfolioState.STOPPED, PortfolioState.FAILED)


class AllocationRow(models.Model):
    """How many accelerators of a place a workload has in one of its months."""

    portfolio = models.ForeignKey(Portfolio, on_delete=models.CASCADE, related_name="allocation")
    position = models.PositiveIntegerField()
    workload_code = models.CharField(max_length=60)
    place = models.CharField(max_length=200)
    month = models.PositiveIntegerField(help_text="of the workload, its first is 0")
    begins_on = models.DateField()
    accelerators = models.DecimalField(max_digits=18, decimal_places=4)
    share = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True, help_text="of the demand")

    class Meta:
        ordering = ("portfolio", "position")
        constraints = (
            models.UniqueConstraint(
                fields=("portfolio", "workload_code", "place", "month"), name="allocation_once_a_month"
            ),
        )

    def __str__(self) -> str:
        return f"{self.workload_code} at {self.place}, month {self.month}: {self.accelerators}"
