"""Workloads: the needs for accelerators."""

import pghistory
from django.conf import settings
from django.db import models

from procurement import choices
from procurement.models.records import NUMBER, RangedRecord


@pghistory.track()
class Workload(RangedRecord):
    """One need for accelerators; nested records keep the keys of the scenario document."""

    code = models.SlugField(max_length=60, unique=True, help_text="short name used in files and the API")
    name = models.CharField(max_length=160)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    kind = models.CharField(max_length=30, choices=choices.kind_choices, default="experimentation")
    shape = models.CharField(max_length=20, choices=choices.shape_choices, default="one_job")
    accelerators = models.PositiveIntegerField()
    accelerator_types = models.JSONField(default=list, blank=True)
    min_memory_gb = models.DecimalField(**NUMBER)
    interconnect = models.CharField(max_length=20, choices=choices.interconnect_choices, blank=True)
    fabrics = models.JSONField(default=list, blank=True)
    start = models.DateField()
    need_by = models.DateField(null=True, blank=True)
    days = models.DecimalField(**NUMBER)
    months = models.DecimalField(**NUMBER)
    end = models.DateField(null=True, blank=True)
    deadline_policy = models.CharField(max_length=6, choices=choices.deadline_policy_choices, blank=True)
    demand = models.JSONField(null=True, blank=True)
    growth_per_year = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    training = models.JSONField(null=True, blank=True)
    inference = models.JSONField(null=True, blank=True)
    dataset_gb = models.DecimalField(**NUMBER)
    egress_gb_per_month = models.DecimalField(**NUMBER)
    storage_gb = models.DecimalField(**NUMBER)
    feed_gb_s_per_accelerator = models.DecimalField(**NUMBER)
    residency = models.JSONField(default=list, blank=True)
    allowed_providers = models.JSONField(default=list, blank=True)
    interruptible = models.BooleanField(default=False)
    current = models.JSONField(null=True, blank=True)
    switching_cost = models.DecimalField(**NUMBER)
    value_per_accelerator_hour = models.DecimalField(**NUMBER)
    second_place_overhead_per_month = models.DecimalField(**NUMBER)
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
