"""Celery's part: rings the bell, answers it, keeps the clock. What a job does is a service; its kind is named here."""

from datetime import UTC

import structlog
from celery import current_app, shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from procurement.selectors.jobs import jobs_due_count
from procurement.services.actuals import usage_import, usage_import_failed
from procurement.services.clock import clock_request
from procurement.services.clock import clock_tick as clock_service
from procurement.services.evaluations import evaluation_run
from procurement.services.expiry import price_watch
from procurement.services.forecast_scores import forecast_scores_update
from procurement.services.held_rows import held_rows_reapply
from procurement.services.job_runner import Farewell, Service, job_work, jobs_bury
from procurement.services.jobs import heartbeat_write
from procurement.services.portfolios import portfolio_failed, portfolio_solve
from procurement.services.price_sheet_publish import price_sheet_publish
from procurement.services.price_sheet_reading import price_sheet_failed, price_sheet_import
from procurement.services.runs import (
    recompute,
    recompute_availability,
    recompute_comparisons,
    recompute_energization,
    run_failed,
)

log = structlog.get_logger(__name__)

# Every kind of job: its name in the row -> the service that does it, called as service(job, **args).
JOB_KINDS: dict[str, Service] = {
    "clock_tick": clock_service,
    "price_sheet_import": price_sheet_import,
    "price_sheet_publish": price_sheet_publish,
    "evaluation": evaluation_run,
    "held_rows_reapply": held_rows_reapply,
    "price_watch": price_watch,
    "forecast_scores": forecast_scores_update,
    "usage_import": usage_import,
    "recompute": recompute,
    "recompute_energization": recompute_energization,
    "recompute_availability": recompute_availability,
    "recompute_comparisons": recompute_comparisons,
    "portfolio_solve": portfolio_solve,
}

# What is still to be said of a job that failed for good: called as farewell(message=..., **args).
JOB_FAREWELLS: dict[str, Farewell] = {
    "usage_import": usage_import_failed,
    "price_sheet_import": price_sheet_failed,
    "price_sheet_publish": price_sheet_failed,
    "recompute_energization": run_failed,
    "recompute_availability": run_failed,
    "recompute_comparisons": run_failed,
    "portfolio_solve": portfolio_failed,
}

BELL_OPTIONS = {
    "socket_timeout": 0.5,
    "socket_connect_timeout": 0.5,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.1,
}


def nudge() -> None:
    """Ring the bell once the current transaction has committed (now, outside one). For web, API and commands."""
    transaction.on_commit(ring, robust=True)


def ring(*, times: int = 1) -> bool:
    """Tell the workers that a job is due; False when the broker is away, which only costs seconds.

    Blocks for at most about a second: the job row stands, and the reconciler rings again.
    """
    try:
        with current_app.connection_for_write(transport_options=BELL_OPTIONS) as connection:
            for _ in range(times):
                run_next_job.apply_async(connection=connection, expires=4 * settings.RECONCILE_SECONDS)
    except (KombuError, RedisError, OSError) as fault:
        log.warning("broker does not hear the bell", error=str(fault))
        return False
    return True


@shared_task
def run_next_job() -> None:
    """Work off the oldest due job, and call a colleague if more are due."""
    if job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS) is not None and jobs_due_count():
        ring()


@shared_task
def reconcile() -> None:
    """Ring again for what waits or lost its worker: bells may be lost at any time, rows are not."""
    heartbeat_write(name="worker")
    jobs_bury(farewells=JOB_FAREWELLS)
    due = jobs_due_count()
    if due:
        ring(times=min(due, 2 * settings.CELERY_WORKER_CONCURRENCY))


@shared_task
def clock_tick() -> None:
    """Ask for the tick of this minute."""
    now = timezone.now().astimezone(UTC)
    clock_request(slot=f"{now:%Y-%m-%dT%H:%MZ}")
    ring()
