"""Jobs as people and probes read them."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from procurement.models import Run
from procurement.models.jobs import Heartbeat, Job, JobStatus


@dataclass(frozen=True, slots=True)
class SignOfLife:
    """How long ago somebody was last seen working."""

    name: str
    age_seconds: float


def jobs_latest(*, limit: int = 100) -> QuerySet[Job]:
    """Return the newest jobs first, without the minute ticks that went well."""
    return Job.objects.select_related("requested_by").exclude(kind="clock_tick", status=JobStatus.DONE)[:limit]


def jobs_all() -> QuerySet[Job]:
    """Return all jobs, without the minute ticks that went well."""
    return Job.objects.select_related("requested_by").exclude(kind="clock_tick", status=JobStatus.DONE)


def jobs_open() -> QuerySet[Job]:
    """Return what waits or runs, oldest first, without minute ticks."""
    return (
        Job.objects.filter(status__in=(JobStatus.QUEUED, JobStatus.RUNNING)).exclude(kind="clock_tick").order_by("id")
    )


def jobs_alarming() -> QuerySet[Job]:
    """Return what failed or died and nobody has acknowledged, newest first."""
    return Job.objects.filter(status__in=(JobStatus.FAILED, JobStatus.DEAD), acknowledged_at=None)


def jobs_due_count() -> int:
    """Return how many jobs a worker could claim now or should bury: due ones and those whose lease expired."""
    return _due().count()


def jobs_oldest_due_at() -> datetime | None:
    """Return since when the job that has waited longest could have run; None when nothing waits."""
    return (
        Job.objects.filter(status=JobStatus.QUEUED, run_after__lte=Now())
        .order_by("run_after")
        .values_list("run_after", flat=True)
        .first()
    )


def signs_of_life(*, now: datetime) -> dict[str, SignOfLife]:
    """Return the last sign of life by name; who never gave one is missing."""
    return {
        beat.name: SignOfLife(name=beat.name, age_seconds=(now - beat.beat_at).total_seconds())
        for beat in Heartbeat.objects.all()
    }


def _due() -> QuerySet[Job]:
    waiting = Q(status=JobStatus.QUEUED, run_after__lte=Now())
    abandoned = Q(status=JobStatus.RUNNING, lease_until__lt=Now())
    return Job.objects.filter(waiting | abandoned)


def jobs_of_run(run: Run) -> QuerySet[Job]:
    """Return the jobs of a run's stages, newest first."""
    return Job.objects.filter(args__run=run.pk)
