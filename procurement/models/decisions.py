"""Decisions: what two people agreed on, and on which inputs."""

import pghistory
from django.conf import settings
from django.db import models
from django.db.models import F, Q

from procurement.models.records import EditableRecord
from procurement.models.runs import Run


class DecisionState(models.TextChoices):
    """Where a decision stands."""

    PROPOSED = "proposed", "Proposed"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"
    WITHDRAWN = "withdrawn", "Withdrawn"


@pghistory.track()
class Decision(EditableRecord):
    """One option of one workload of a run, prepared by one person and approved by another."""

    code = models.CharField(max_length=30, unique=True, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="decisions")
    workload_code = models.CharField(max_length=60)
    option = models.CharField(max_length=400)
    amount = models.DecimalField(max_digits=24, decimal_places=4)
    currency = models.CharField(max_length=3)
    valid_until = models.DateField()
    conditions = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True)
    inputs_digest = models.CharField(max_length=64, editable=False)
    state = models.CharField(max_length=10, choices=DecisionState, default=DecisionState.PROPOSED, editable=False)
    prepared_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    prepared_at = models.DateTimeField(auto_now_add=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    approved_at = models.DateTimeField(null=True, blank=True)
    approval_comment = models.TextField(blank=True)

    class Meta:
        ordering = ("-prepared_at", "-id")
        constraints = (
            models.CheckConstraint(condition=Q(amount__gte=0), name="decision_amount_not_negative"),
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True) | ~Q(approved_by=F("prepared_by")),
                name="decision_approved_by_somebody_else",
            ),
        )

    def __str__(self) -> str:
        return f"{self.code} {self.option}"
