"""Writes of workloads."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from procurement.models import Workload
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.checks import workload_check
from procurement.services.records import record_archive, record_create, record_update
from procurement.services.runs import recompute_request


def workload_create(*, by: Actor, values: Mapping[str, Any]) -> Workload:
    """Store a new workload and ask for a recommendation."""
    require(by.user, "workload.edit")
    with transaction.atomic():
        workload = record_create(by=by, record=Workload(**values), action="workload.create", check=workload_check)
        recompute_request(by=by, cause=f"workload {workload.code} added")
    return workload


def workload_update(*, by: Actor, workload: Workload, version: int, values: Mapping[str, Any]) -> Workload:
    """Change a workload that is still at ``version``."""
    require(by.user, "workload.edit")
    with transaction.atomic():
        workload = record_update(
            by=by, record=workload, version=version, values=values, action="workload.update", check=workload_check
        )
        recompute_request(by=by, cause=f"workload {workload.code} changed")
    return workload


def workload_archive(*, by: Actor, workload: Workload, version: int, is_archived: bool = True) -> Workload:
    """Take a workload out of the runs, or bring it back; past runs keep it."""
    require(by.user, "workload.edit")
    with transaction.atomic():
        workload = record_archive(
            by=by, record=workload, version=version, action="workload.archive", is_archived=is_archived
        )
        recompute_request(by=by, cause=f"workload {workload.code} archived")
    return workload
