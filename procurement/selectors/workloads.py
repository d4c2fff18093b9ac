"""Reads of workloads."""

from django.db.models import QuerySet

from procurement.models import Workload


def workloads_active() -> QuerySet[Workload]:
    """Return workloads that take part in runs; archived ones are left out."""
    return Workload.objects.filter(is_archived=False).select_related("owner")


def workloads_all() -> QuerySet[Workload]:
    """Return every workload, archived ones included."""
    return Workload.objects.select_related("owner")
