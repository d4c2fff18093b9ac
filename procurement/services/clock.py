"""What happens by time alone, once a minute, however many schedulers run."""

from typing import Protocol

from procurement.models.jobs import Job
from procurement.services.api_requests import replies_prune
from procurement.services.evaluations import evaluations_prune
from procurement.services.expiry import price_watch_request
from procurement.services.forecast_scores import forecast_scores_request_daily
from procurement.services.jobs import job_request, jobs_prune
from procurement.services.runs import recompute_when_time_changes_it

TICK = "clock_tick"


class RunningTick(Protocol):
    """The running job, as far as the clock needs it."""

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Tell how far the work is."""


def clock_request(*, slot: str) -> Job:
    """Ask for the tick of a minute in UTC, such as 2026-11-30T10:15Z; asked twice, by two schedulers, it is one job."""
    return job_request(kind=TICK, dedupe_key=f"{TICK}:{slot}", args={"slot": slot})


def clock_tick(job: RunningTick, slot: str) -> None:
    """Do what is due by time. Each step looks at what is due now, so a missed tick costs nothing."""
    job.progress(0, 1, f"clock at {slot}")
    jobs_prune()
    replies_prune()
    evaluations_prune()
    price_watch_request()
    recompute_when_time_changes_it()
    forecast_scores_request_daily()
