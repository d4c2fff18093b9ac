"""Work on one claimed job: its service and its mark `done` are one transaction, its lease is renewed beside it."""

import os
import threading
import traceback
import uuid
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Protocol, Self

import structlog
from billiard.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import Error as DatabaseFault
from django.db import connection, transaction

from procurement.engine.errors import EngineError
from procurement.errors import ProcurementError
from procurement.models.jobs import Job, JobStatus
from procurement.services.jobs import (
    LeaseLost,
    heartbeat_write,
    job_claim,
    job_fail,
    job_finish,
    job_renew,
    jobs_bury_vanished,
)

log = structlog.get_logger(__name__)

Progress = tuple[int, int | None, str]
RENEWALS_PER_LEASE = 3
PROGRESS_SECONDS = 0.5
REFUSALS = (ProcurementError, EngineError)
ENDINGS = (JobStatus.FAILED, JobStatus.DEAD)


class RunningJob:
    """What the service of a kind is handed as its first argument."""

    def __init__(self, row: Job) -> None:
        self.id: int = row.pk
        self.kind = row.kind
        self.owner = row.owner
        self.attempt = row.attempts
        self.requested_by = row.requested_by
        self.latest: Progress | None = None
        self.has_news = threading.Event()
        self.is_lost = threading.Event()

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Tell how far the work is; shown within a second, though the work's own transaction is still open.

        Raises
        ------
        LeaseLost
            Another worker has taken the job over: there is no point in going on.
        """
        if self.is_lost.is_set():
            raise LeaseLost(self.id)
        self.latest = (done, total, message)
        self.has_news.set()


Service = Callable[..., object]
Farewell = Callable[..., None]


class Pulse(Protocol):
    """Something that keeps the lease alive while the work runs."""

    def __enter__(self) -> object:
        """Begin."""

    def __exit__(self, *exception: object) -> None:
        """End."""


class LeasePulse(threading.Thread):
    """Renews the lease and stores the progress from a thread with a database connection of its own."""

    def __init__(self, job: RunningJob) -> None:
        super().__init__(name=f"lease of job {job.id}", daemon=True)
        self.job = job
        self.ended = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.ended.set()
        self.job.has_news.set()
        self.join(timeout=5)

    def run(self) -> None:
        """Beat until the work ends or the lease is lost."""
        period = settings.JOB_LEASE_SECONDS / RENEWALS_PER_LEASE
        try:
            while not self.ended.is_set() and not self.job.is_lost.is_set():
                self.job.has_news.wait(period)
                self.job.has_news.clear()
                if not self.ended.is_set():
                    self._beat()
                    self.ended.wait(PROGRESS_SECONDS)
        finally:
            connection.close()

    def _beat(self) -> None:
        try:
            if not job_renew(job_id=self.job.id, owner=self.job.owner, progress=self.job.latest):
                self.job.is_lost.set()
            heartbeat_write(name="worker")
        except DatabaseFault as fault:  # the next beat tries again; the lease outlives two missed ones
            log.warning("lease could not be renewed", job_id=self.job.id, error=str(fault))
            connection.close()


class Attempt:
    """Records how an attempt ended, whatever ended it; only what is no Exception goes on to the caller."""

    def __init__(self, job: RunningJob, row: Job, farewells: Mapping[str, Farewell]) -> None:
        self.job = job
        self.row = row
        self.farewells = farewells

    def __enter__(self) -> RunningJob:
        return self.job

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if fault is None:
            return False
        if isinstance(fault, LeaseLost):
            log.warning("lost lease", job_id=self.job.id, attempt=self.job.attempt)
            return True
        message = _describe(fault)
        with transaction.atomic():
            status = job_fail(
                job_id=self.job.id,
                owner=self.job.owner,
                attempt=self.job.attempt,
                error=message,
                is_permanent=isinstance(fault, REFUSALS),
            )
            if status in ENDINGS and self.job.kind in self.farewells:
                self.farewells[self.job.kind](message=message, **self.row.args)
        log.error("job attempt failed", job_id=self.job.id, attempt=self.job.attempt, error=str(fault), exc_info=fault)
        return isinstance(fault, Exception)


def _describe(fault: BaseException) -> str:
    if isinstance(fault, SoftTimeLimitExceeded):
        return f"The attempt took longer than {settings.JOB_SOFT_LIMIT_SECONDS} seconds."
    if isinstance(fault, REFUSALS):
        return str(fault)
    place = traceback.extract_tb(fault.__traceback__)[-1:]
    where = f" at {os.path.basename(place[0].filename)}:{place[0].lineno}" if place else ""
    return f"{type(fault).__name__}: {fault}{where}"


def job_work(
    *,
    kinds: Mapping[str, Service],
    farewells: Mapping[str, Farewell] | None = None,
    pulse: Callable[[RunningJob], Pulse] = LeasePulse,
) -> Job | None:
    """Claim the oldest due job and work it off; return its row as it stands then, or None when nothing was due.

    Safe to call by any number of workers at once, and to be killed at any point: the effect and the mark `done` commit
    together, and only for the owner of the lease. When a job fails for good, the farewell of its kind is called with
    ``message`` and the job's arguments, in the transaction that marks it.
    """
    row = job_claim(owner=str(uuid.uuid4()))
    if row is None:
        return None
    job = RunningJob(row)
    attempt = Attempt(job, row, farewells or {})
    with structlog.contextvars.bound_contextvars(job_id=job.id, job_kind=job.kind), attempt, pulse(job):
        _work(job, args=row.args, kinds=kinds)
    row.refresh_from_db()
    return row


def _work(job: RunningJob, *, args: dict[str, Any], kinds: Mapping[str, Service]) -> None:
    if job.kind not in kinds:
        known = ", ".join(sorted(kinds))
        raise ProcurementError("unknown_kind", f"Job {job.id} has the unknown kind {job.kind!r}; known are {known}.")
    with transaction.atomic():
        kinds[job.kind](job, **args)
        job_finish(job_id=job.id, owner=job.owner, progress=job.latest)


def jobs_bury(*, farewells: Mapping[str, Farewell]) -> int:
    """Mark as dead what lost its worker in the last allowed attempt, with the farewell of its kind; return how many."""
    with transaction.atomic():
        buried = jobs_bury_vanished()
        for row in buried:
            log.error("job is dead", job_id=row.pk, job_kind=row.kind, error=row.last_error)
            if row.kind in farewells:
                farewells[row.kind](message=row.last_error, **row.args)
    return len(buried)
