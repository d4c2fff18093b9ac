"""The scheduler process: Celery's beat with a static table, in memory, that shows it is alive."""

import time
from typing import Any

import structlog
from celery.beat import Scheduler
from django.db import Error as DatabaseFault
from django.db import connection

from procurement.services.jobs import heartbeat_write

log = structlog.get_logger(__name__)

BEAT_SECONDS = 10


class BeatScheduler(Scheduler):
    """Keeps no file: slots are unique in the database, so a scheduler that starts anew doubles nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._beat_due = 0.0
        super().__init__(*args, **kwargs)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due, and write the heartbeat now and then."""
        if time.monotonic() >= self._beat_due:
            self._beat_due = time.monotonic() + BEAT_SECONDS
            try:
                heartbeat_write(name="scheduler")
            except DatabaseFault as fault:
                log.warning("scheduler cannot write its heartbeat", error=str(fault))
                connection.close()
        return float(super().tick(*args, **kwargs))
