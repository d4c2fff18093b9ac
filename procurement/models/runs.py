"""Runs: frozen questions with their answers, as rows."""

from django.conf import settings
from django.db import models

from procurement.models.assumptions import AssumptionSet

AMOUNT = {"max_digits": 24, "decimal_places": 4}


class RunState(models.TextChoices):
    """How far a run has come."""

    REQUESTED = "requested", "Requested"
    ENERGIZATION = "energization", "Energization done"
    AVAILABILITY = "availability", "Availability done"
    FINISHED = "finished", "Finished"
    FAILED = "failed", "Failed"


class Run(models.Model):
    """One evaluation of everything: frozen inputs, their digest and, when finished, the answers."""

    inputs = models.JSONField(help_text="the scenario document")
    inputs_digest = models.CharField(max_length=64, unique=True, help_text="of the inputs and the engine version")
    engine_version = models.CharField(max_length=20)
    as_of = models.DateField()
    currency = models.CharField(max_length=3)
    assumption_set = models.ForeignKey(AssumptionSet, on_delete=models.PROTECT, related_name="runs")
    state = models.CharField(max_length=14, choices=RunState, default=RunState.REQUESTED)
    requested_at = models.DateTimeField(auto_now_add=True)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    reason = models.CharField(max_length=300, blank=True)
    last_asked_at = models.DateTimeField(help_text="the same question asked again gives the same run")
    finished_at = models.DateTimeField(null=True, blank=True)
    next_change_on = models.DateField(null=True, blank=True, help_text="first day on which time alone changes it")
    message = models.TextField(blank=True)
    workload_count = models.PositiveIntegerField(default=0)
    answers_taken_over = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("-last_asked_at", "-id")

    def __str__(self) -> str:
        return f"Run {self.pk} as of {self.as_of}"


class EnergizationRow(models.Model):
    """Readiness and forecast of one build in one run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="energization")
    build_code = models.CharField(max_length=60)
    operator = models.CharField(max_length=60)
    planned_accelerators = models.PositiveIntegerField()
    energization_status = models.CharField(max_length=30)
    availability_status = models.CharField(max_length=30)
    usable_accelerators = models.PositiveIntegerField()
    energized_accelerators = models.PositiveIntegerField(default=0)
    accessible_accelerators = models.PositiveIntegerField(default=0)
    forecast_status = models.CharField(max_length=20)
    p50_on = models.DateField(null=True, blank=True)
    p80_on = models.DateField(null=True, blank=True)
    p90_on = models.DateField(null=True, blank=True)
    next_change_on = models.DateField(null=True, blank=True)
    readiness = models.JSONField(help_text="the whole readiness answer")
    forecast = models.JSONField(help_text="the whole forecast answer")

    class Meta:
        ordering = ("run", "build_code")
        constraints = (models.UniqueConstraint(fields=("run", "build_code"), name="energization_once_a_build"),)

    def __str__(self) -> str:
        return f"{self.build_code} {self.availability_status}"


class Answer(models.Model):
    """The recommendation for one workload; runs with the same inputs for it share one answer."""

    digest = models.CharField(max_length=64, unique=True)
    workload_code = models.CharField(max_length=60)
    workload_name = models.CharField(max_length=160)
    currency = models.CharField(max_length=3)
    is_complete = models.BooleanField(default=False)
    verdict = models.CharField(max_length=30, blank=True)
    option = models.CharField(max_length=400, blank=True)
    runner_up = models.CharField(max_length=400, blank=True)
    is_tie = models.BooleanField(default=False)
    how_sure = models.CharField(max_length=20, blank=True)
    npv = models.DecimalField(**AMOUNT, null=True, blank=True)
    cost_per_accelerator_hour = models.DecimalField(max_digits=24, decimal_places=8, null=True, blank=True)
    cost_per_useful_accelerator_hour = models.DecimalField(max_digits=24, decimal_places=8, null=True, blank=True)
    approval_amount = models.DecimalField(**AMOUNT, null=True, blank=True)
    premium_over_cheapest = models.DecimalField(**AMOUNT, null=True, blank=True)
    oldest_input_on = models.DateField(null=True, blank=True)
    recommendation = models.JSONField(default=dict, help_text="the whole recommendation answer")
    excluded = models.JSONField(default=dict, help_text="how many offers each reason removed")
    need = models.JSONField(default=dict)
    throughput = models.JSONField(default=dict)
    bridge = models.JSONField(default=dict)

    class Meta:
        ordering = ("workload_name", "id")

    def __str__(self) -> str:
        return f"{self.workload_name}: {self.verdict or 'not computed'}"


class RunAnswer(models.Model):
    """Which answer a run gives for a workload."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="run_answers")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="run_answers")
    workload_code = models.CharField(max_length=60)
    is_taken_over = models.BooleanField(default=False)

    class Meta:
        ordering = ("run", "workload_code")
        constraints = (models.UniqueConstraint(fields=("run", "workload_code"), name="one_answer_a_workload"),)

    def __str__(self) -> str:
        return f"{self.run}: {self.answer}"


class AvailabilityRow(models.Model):
    """Whether one quote can serve one workload, with the facts behind it."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="availability")
    quote_code = models.CharField(max_length=160)
    verdict = models.CharField(max_length=30)
    reasons = models.JSONField(default=list)
    detail = models.JSONField(default=dict, help_text="notes, assumed, unproven, sign_by, facts")

    class Meta:
        ordering = ("answer", "quote_code")
        constraints = (models.UniqueConstraint(fields=("answer", "quote_code"), name="availability_once_a_quote"),)

    def __str__(self) -> str:
        return f"{self.quote_code}: {self.verdict}"


class OptionRow(models.Model):
    """One option of a workload with its figures."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="options")
    position = models.PositiveIntegerField(help_text="0 is the recommended one")
    option = models.CharField(max_length=400)
    kind = models.CharField(max_length=20)
    is_feasible = models.BooleanField()
    npv = models.DecimalField(**AMOUNT, null=True, blank=True)
    nominal_cost = models.DecimalField(**AMOUNT, null=True, blank=True)
    capital = models.DecimalField(**AMOUNT, null=True, blank=True)
    operating = models.DecimalField(**AMOUNT, null=True, blank=True)
    cost_per_accelerator_hour = models.DecimalField(max_digits=24, decimal_places=8, null=True, blank=True)
    cost_per_useful_accelerator_hour = models.DecimalField(max_digits=24, decimal_places=8, null=True, blank=True)
    detail = models.JSONField(default=dict, help_text="the whole option answer")

    class Meta:
        ordering = ("answer", "position")
        constraints = (models.UniqueConstraint(fields=("answer", "option"), name="option_once_an_answer"),)

    def __str__(self) -> str:
        return self.option


class ComponentRow(models.Model):
    """One component of an option: nominal and as present cost; each column sums to the option's total."""

    option = models.ForeignKey(OptionRow, on_delete=models.CASCADE, related_name="components")
    component = models.CharField(max_length=40)
    amount = models.DecimalField(**AMOUNT, help_text="nominal, over the window")
    present_cost = models.DecimalField(**AMOUNT, null=True, blank=True)

    class Meta:
        ordering = ("option", "id")
        constraints = (models.UniqueConstraint(fields=("option", "component"), name="component_once_an_option"),)

    def __str__(self) -> str:
        return f"{self.component} {self.amount}"


class MonthRow(models.Model):
    """Nominal cash of an option in one month."""

    option = models.ForeignKey(OptionRow, on_delete=models.CASCADE, related_name="months")
    month = models.IntegerField()
    amount = models.DecimalField(**AMOUNT)

    class Meta:
        ordering = ("option", "month")
        constraints = (models.UniqueConstraint(fields=("option", "month"), name="month_once_an_option"),)

    def __str__(self) -> str:
        return f"month {self.month}: {self.amount}"
