"""Jobs: asked for in the caller's transaction, claimed by one conditional update, finished with their effect.

The row is the truth. The broker only carries a bell without content: whoever hears it claims the oldest due row. Losing
a bell costs seconds, losing a worker costs its lease; neither loses or doubles work.
"""

import random
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now

from procurement.errors import ProcurementError
from procurement.models.jobs import Job, JobStatus
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.audit import audit_record

log = structlog.get_logger(__name__)

ERROR_LENGTH = 4000
BACKOFF_CEILING_SECONDS = 600
VANISHED = "The worker vanished during the attempt: it was killed, or it ran out of memory or time."

CLAIM = """
UPDATE procurement_job SET
    status = 'running', owner = %(owner)s, attempts = attempts + 1,
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s),
    started_at = clock_timestamp(), finished_at = NULL,
    progress_done = 0, progress_total = NULL, progress_message = '',
    last_error = CASE WHEN status = 'running' THEN %(vanished)s ELSE last_error END,
    dedupe_key = CASE WHEN is_coalescing AND attempts = 0 THEN left(dedupe_key, 180) || '#' || id ELSE dedupe_key END
WHERE id = (
    SELECT id FROM procurement_job
    WHERE (status = 'queued' AND run_after <= clock_timestamp())
       OR (status = 'running' AND lease_until < clock_timestamp() AND attempts < %(most)s)
    ORDER BY run_after, id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING id
"""

FAIL = """
UPDATE procurement_job SET
    status = CASE WHEN %(permanent)s THEN 'failed' WHEN attempts >= %(most)s THEN 'dead' ELSE 'queued' END,
    finished_at = CASE WHEN %(permanent)s OR attempts >= %(most)s THEN clock_timestamp() END,
    owner = '', lease_until = NULL, last_error = %(error)s,
    run_after = clock_timestamp() + make_interval(secs => %(delay)s)
WHERE id = %(id)s AND owner = %(owner)s AND status = 'running'
RETURNING status
"""

BURY = """
UPDATE procurement_job SET
    status = 'dead', owner = '', lease_until = NULL, finished_at = clock_timestamp(), last_error = %(vanished)s
WHERE id IN (
    SELECT id FROM procurement_job
    WHERE status = 'running' AND lease_until < clock_timestamp() AND attempts >= %(most)s
    FOR UPDATE SKIP LOCKED
)
RETURNING id
"""


class LeaseLost(ProcurementError):
    """Somebody else took the job over; the effect of this attempt is rolled back."""

    def __init__(self, job_id: int) -> None:
        super().__init__("lease_lost", f"Job {job_id} was taken over by another worker: its lease had expired.")


def job_request(
    *,
    kind: str,
    dedupe_key: str,
    args: dict[str, Any] | None = None,
    coalesce: bool = False,
    run_after: datetime | None = None,
    user: User | None = None,
) -> Job:
    """Write a job row in the caller's transaction, or return the one that the key already names.

    Safe to repeat: a key is one job for ever. With ``coalesce`` the key is one *waiting* job: a change that arrives
    while the work runs queues exactly one more. The waiting row is share-locked until the caller's transaction ends, so
    that no worker starts on it before the change that it is for can be seen; ask for jobs last in a transaction.

    Parameters
    ----------
    kind
        A key of ``tasks.JOB_KINDS``.
    dedupe_key
        At most 200 characters; begin it with the kind.
    args
        JSON values that the kind's service takes as keywords.
    coalesce
        Whether the key is released when the work begins.
    run_after
        Not before this instant; now when missing.
    user
        Who caused it; the service itself when missing.
    """
    asked: dict[str, Any] = {
        "kind": kind,
        "dedupe_key": dedupe_key,
        "args": args or {},
        "is_coalescing": coalesce,
        "requested_by": user,
    }
    if run_after is not None:
        asked["run_after"] = run_after
    with transaction.atomic():
        while True:
            Job.objects.bulk_create([Job(**asked)], ignore_conflicts=True)
            rows = Job.objects.filter(dedupe_key=dedupe_key)
            if coalesce:
                rows = rows.filter(pk__in=_share_locked(dedupe_key))
            job = rows.first()
            if job is not None:  # else it was claimed between the two statements: its key is free, ask again
                return job


def _share_locked(dedupe_key: str) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM procurement_job WHERE dedupe_key = %s FOR SHARE", [dedupe_key])
        return [row[0] for row in cursor.fetchall()]


def job_claim(*, owner: str) -> Job | None:
    """Take the oldest due job, or one whose worker vanished; None when there is nothing to do.

    One statement, committed at once: of any number of workers exactly one gets a row.
    """
    values: dict[str, str | int] = {
        "owner": owner,
        "lease": settings.JOB_LEASE_SECONDS,
        "most": settings.JOB_MAX_ATTEMPTS,
        "vanished": VANISHED,
    }
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, values)
        row = cursor.fetchone()
    return Job.objects.get(pk=row[0]) if row else None


def job_renew(*, job_id: int, owner: str, progress: tuple[int, int | None, str] | None) -> bool:
    """Prolong the lease and store the progress; False when the job belongs to somebody else by now."""
    changes: dict[str, Any] = {"lease_until": Now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)}
    if progress is not None:
        done, total, message = progress
        changes |= {"progress_done": done, "progress_total": total, "progress_message": message[:200]}
    return bool(_owned(job_id, owner).update(**changes))


def job_finish(*, job_id: int, owner: str, progress: tuple[int, int | None, str] | None) -> None:
    """Mark the job done, in the transaction of its effect; refuses with LeaseLost, which rolls the effect back."""
    changes: dict[str, Any] = {"status": JobStatus.DONE, "owner": "", "lease_until": None, "finished_at": Now()}
    if progress is not None:
        done, total, message = progress
        changes |= {"progress_done": done, "progress_total": total, "progress_message": message[:200]}
    if not _owned(job_id, owner).update(last_error="", **changes):
        raise LeaseLost(job_id)


def job_fail(*, job_id: int, owner: str, attempt: int, error: str, is_permanent: bool) -> str | None:
    """Record a failed attempt: refused for good, to be tried again later, or dead.

    Returns the status that it has now, or None when the job belongs to somebody else.
    """
    delay = min(settings.JOB_BACKOFF_SECONDS * 2 ** (attempt - 1), BACKOFF_CEILING_SECONDS)
    values = {
        "id": job_id,
        "owner": owner,
        "permanent": is_permanent,
        "most": settings.JOB_MAX_ATTEMPTS,
        "error": error[:ERROR_LENGTH],
        "delay": delay * random.uniform(0.5, 1.5),
    }
    with connection.cursor() as cursor:
        cursor.execute(FAIL, values)
        row = cursor.fetchone()
    return row[0] if row else None


def jobs_bury_vanished() -> list[Job]:
    """Mark as dead what lost its worker in the last allowed attempt, and return those rows."""
    with connection.cursor() as cursor:
        cursor.execute(BURY, {"vanished": VANISHED, "most": settings.JOB_MAX_ATTEMPTS})
        dead = [row[0] for row in cursor.fetchall()]
    return list(Job.objects.filter(pk__in=dead)) if dead else []


@transaction.atomic
def job_retry(*, job_id: int, user: User | None, reason: str) -> Job:
    """Queue a failed or dead job again with all its attempts; refuses a job that is open or done."""
    require(user, "job.retry")
    before = Job.objects.filter(pk=job_id).values_list("status", flat=True).first()
    changed = Job.objects.filter(pk=job_id, status__in=(JobStatus.FAILED, JobStatus.DEAD)).update(
        status=JobStatus.QUEUED, attempts=0, run_after=Now(), finished_at=None, acknowledged_at=None
    )
    if not changed:
        raise ProcurementError("job_not_retryable", f"Job {job_id} cannot be tried again: it is not failed or dead.")
    job = Job.objects.get(pk=job_id)
    audit_record(
        by=Actor(user, "web", reason), action="job.retry", record=job, changes={"status": [before, job.status]}
    )
    return job


@transaction.atomic
def job_acknowledge(*, job_id: int, user: User | None, reason: str) -> None:
    """Note that a person has seen the alarm of a job; repeating it changes nothing."""
    require(user, "job.retry")
    if Job.objects.filter(pk=job_id, acknowledged_at=None).update(acknowledged_at=Now()):
        job = Job.objects.get(pk=job_id)
        audit_record(
            by=Actor(user, "web", reason), action="job.acknowledge", record=job, changes={"seen": [False, True]}
        )


def jobs_prune() -> int:
    """Delete done jobs that are older than JOB_KEEP_DAYS, minute ticks after a day; failed and dead ones stay."""
    old = Q(finished_at__lt=Now() - timedelta(days=settings.JOB_KEEP_DAYS))
    ticks = Q(kind="clock_tick", finished_at__lt=Now() - timedelta(days=1))
    return Job.objects.filter(old | ticks, status=JobStatus.DONE).delete()[0]


def heartbeat_write(*, name: str) -> None:
    """Note a sign of life at the database's time."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procurement_heartbeat (name, beat_at) VALUES (%s, clock_timestamp()) "
            "ON CONFLICT (name) DO UPDATE SET beat_at = EXCLUDED.beat_at",
            [name],
        )


def _owned(job_id: int, owner: str) -> Any:
    return Job.objects.filter(pk=job_id, owner=owner, status=JobStatus.RUNNING)
