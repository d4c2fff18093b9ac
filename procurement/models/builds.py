"""Sites and builds: tranches, cost lines, evidence and promises."""

import pghistory
import pgtrigger
from django.conf import settings
from django.db import models

from procurement import choices
from procurement.models.quotes import Provider
from procurement.models.records import NUMBER, EditableRecord, RangedRecord


@pghistory.track()
class Site(EditableRecord):
    """A place with land, power and a building."""

    code = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    country = models.CharField(max_length=2, blank=True, help_text="ISO 3166 alpha-2")
    region = models.CharField(max_length=80, blank=True)
    utility = models.CharField(max_length=120, blank=True)
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


@pghistory.track()
class Build(RangedRecord):
    """A cluster that is built, ours (no operator) or a provider's."""

    code = models.SlugField(max_length=60, unique=True, help_text="short name used in files and the API")
    name = models.CharField(max_length=160)
    operator = models.ForeignKey(
        Provider, on_delete=models.PROTECT, null=True, blank=True, related_name="builds", help_text="empty: our own"
    )
    site = models.ForeignKey(Site, on_delete=models.PROTECT, null=True, blank=True, related_name="builds")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    accelerator = models.CharField(max_length=60)
    accelerators_per_node = models.PositiveIntegerField()
    it_kw_per_node = models.DecimalField(**NUMBER)
    cooling_kw_per_node = models.JSONField(default=dict, blank=True, help_text='kW by medium, {"air": 2, "liquid": 12}')
    rdma_ports_per_node = models.PositiveIntegerField(null=True, blank=True)
    design_class = models.CharField(max_length=12, choices=choices.design_class_choices, default="multi_node")
    fabric = models.CharField(max_length=20, choices=choices.fabric_choices, blank=True)
    network_gbps_per_accelerator = models.DecimalField(**NUMBER)
    measured_allreduce_gbps = models.DecimalField(**NUMBER)
    toll_multiplier = models.DecimalField(**NUMBER)
    measured_runs = models.JSONField(default=list, blank=True)
    region = models.CharField(max_length=80, blank=True)
    committed = models.BooleanField(default=False, help_text="capital is spent or contractually committed")
    cancelled_on = models.DateField(null=True, blank=True)
    node_ids_known = models.BooleanField(default=False)
    bringup_days = models.DecimalField(**NUMBER)
    availability = models.DecimalField(max_digits=9, decimal_places=6, default=1)
    failures_per_1000_node_days = models.DecimalField(**NUMBER)
    restart_minutes = models.DecimalField(**NUMBER)
    storage_read_gb_s = models.DecimalField(**NUMBER)
    storage_write_gb_s = models.DecimalField(**NUMBER)
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def is_own(self) -> bool:
        """Whether we operate it."""
        return self.operator_id is None


@pghistory.track()
class Tranche(EditableRecord):
    """A part of a build that is handed over together."""

    build = models.ForeignKey(Build, on_delete=models.CASCADE, related_name="tranches")
    code = models.SlugField(max_length=40, default="T1")
    planned_accelerators = models.PositiveIntegerField()
    fabric_domain = models.CharField(max_length=60, blank=True)

    class Meta:
        ordering = ("build", "code")
        constraints = (models.UniqueConstraint(fields=("build", "code"), name="tranche_code_unique_in_build"),)

    def __str__(self) -> str:
        return f"{self.build} {self.code}"


@pghistory.track()
class CostLine(RangedRecord):
    """One priced line of a build."""

    build = models.ForeignKey(Build, on_delete=models.CASCADE, related_name="costs")
    component = models.CharField(max_length=20, choices=choices.component_choices)
    amount = models.DecimalField(**NUMBER)
    currency = models.CharField(max_length=3)
    basis = models.CharField(max_length=30, choices=choices.cost_basis_choices, default="once")
    at_month = models.IntegerField(default=0)
    months = models.PositiveIntegerField(null=True, blank=True)
    life_months = models.PositiveIntegerField(null=True, blank=True)
    residual_fraction = models.DecimalField(max_digits=9, decimal_places=6, default=0)
    status = models.CharField(max_length=12, choices=choices.cost_status_choices, default="planned")
    covers = models.JSONField(default=list, blank=True)
    kw = models.DecimalField(**NUMBER)
    it_kw = models.DecimalField(**NUMBER)
    pue = models.DecimalField(**NUMBER)
    price_per_kwh = models.DecimalField(**NUMBER)
    idle_fraction = models.DecimalField(max_digits=9, decimal_places=6, default=0)
    fte = models.DecimalField(**NUMBER)
    source = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("build", "id")

    def __str__(self) -> str:
        return f"{self.build} {self.component}"


@pghistory.track()
class Waiver(EditableRecord):
    """An expected component that is knowingly left out of a build's costs."""

    build = models.ForeignKey(Build, on_delete=models.CASCADE, related_name="waived")
    component = models.CharField(max_length=20, choices=choices.component_choices)
    reason = models.CharField(max_length=300)

    class Meta:
        ordering = ("build", "component")
        constraints = (models.UniqueConstraint(fields=("build", "component"), name="waiver_unique_in_build"),)

    def __str__(self) -> str:
        return f"{self.build} without {self.component}"


class AppendOnly(models.Model):
    """A statement that is never edited nor deleted; a later statement answers it."""

    recorded_at = models.DateTimeField(auto_now_add=True)
    recorded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="+"
    )

    class Meta:
        abstract = True


class Evidence(AppendOnly):
    """A statement that a gate was reached or lost, with its grade and proof."""

    build = models.ForeignKey(Build, on_delete=models.PROTECT, related_name="evidence")
    gate = models.CharField(max_length=30, choices=choices.gate_choices)
    tranche = models.CharField(max_length=80, default="T1", help_text="tranche, * for all, site:<name> for a site")
    qty = models.DecimalField(**NUMBER)
    unit = models.CharField(max_length=20, default="accelerators")
    medium = models.CharField(max_length=10, blank=True)
    scope = models.CharField(max_length=10, blank=True)
    basis = models.CharField(max_length=12, blank=True)
    redundancy = models.CharField(max_length=5, blank=True)
    feeds = models.PositiveIntegerField(null=True, blank=True)
    continuous_factor = models.DecimalField(max_digits=6, decimal_places=4, default="0.8")
    pue = models.DecimalField(**NUMBER)
    power_basis = models.CharField(max_length=30, choices=choices.power_basis_choices, blank=True)
    node_first = models.PositiveIntegerField(null=True, blank=True)
    node_last = models.PositiveIntegerField(null=True, blank=True)
    event = models.CharField(max_length=10, choices=choices.event_choices, blank=True)
    grade = models.CharField(max_length=1, choices=choices.grade_choices)
    observed_on = models.DateField()
    recorded_on = models.DateField(null=True, blank=True)
    achieved_on = models.DateField(null=True, blank=True)
    valid_until = models.DateField(null=True, blank=True)
    source = models.CharField(max_length=500, blank=True, help_text="address of the proof")
    attachment = models.FileField(upload_to="evidence/", blank=True)
    attachment_name = models.CharField(max_length=255, blank=True)
    attachment_sha256 = models.CharField(max_length=64, blank=True)
    confirms = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="confirmations")
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("build", "gate", "-observed_on", "-id")
        verbose_name_plural = "evidence"
        triggers = (pgtrigger.Protect(name="evidence_append_only", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.build} {self.gate} on {self.observed_on}"


class Promise(AppendOnly):
    """A date that somebody promised, with the day it was promised."""

    build = models.ForeignKey(Build, on_delete=models.PROTECT, related_name="promises")
    gate = models.CharField(max_length=30, choices=choices.gate_choices)
    tranche = models.CharField(max_length=80, default="T1")
    medium = models.CharField(max_length=10, blank=True)
    date = models.DateField()
    stated_on = models.DateField()
    stated_by = models.CharField(max_length=160, blank=True)
    slip_class = models.CharField(max_length=30, choices=choices.slip_class_choices, blank=True)
    source = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("build", "gate", "-stated_on", "-id")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(date__gt=models.F("stated_on")), name="promise_after_the_day_it_was_made"
            ),
        )
        triggers = (pgtrigger.Protect(name="promise_append_only", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.build} {self.gate} by {self.date}"
