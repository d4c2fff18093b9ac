"""The product's Celery application with kinds of jobs that leave a countable effect, or die on purpose."""

import os
import random
import signal
import time

import django
from django.db import connection, connections

from procurement.config import celery_app as app

django.setup()

from procurement.models import Job, JobStatus  # noqa: E402 - Django must be ready first
from procurement.services import job_runner  # noqa: E402
from procurement.tasks import JOB_KINDS  # noqa: E402

EFFECT = "INSERT INTO chaos_effect (job_id) VALUES (%s)"


def effect(job, longest=0.1):
    """Leave one effect, in the job's own transaction, somewhere in a random time."""
    time.sleep(random.uniform(0, longest))
    with connection.cursor() as cursor:
        cursor.execute(EFFECT, [job.id])
    time.sleep(random.uniform(0, longest))


def stay(job, seconds):
    """Stay in the first attempt, until the time is over or a second attempt has ended."""
    deadline = time.monotonic() + seconds
    while job.attempt == 1 and time.monotonic() < deadline:
        if Job.objects.filter(pk=job.id, attempts=2, status=JobStatus.DONE).exists():
            return
        time.sleep(0.2)


def slow_effect(job, seconds):
    """Leave one effect and stay after it."""
    with connection.cursor() as cursor:
        cursor.execute(EFFECT, [job.id])
    stay(job, seconds)


def naive_effect(job, seconds):
    """Leave the effect outside the job's transaction, as a careless service would: the ledger must notice."""
    careless = connections.create_connection("default")
    with careless.cursor() as cursor:
        cursor.execute(EFFECT, [job.id])
    careless.close()
    stay(job, seconds)


def poison(job):
    """Kill the process that works on it."""
    os.kill(os.getpid(), signal.SIGKILL)


JOB_KINDS |= {"effect": effect, "slow_effect": slow_effect, "naive_effect": naive_effect, "poison": poison}

if os.environ.get("CHAOS_FREEZE_LEASE"):
    job_runner.LeasePulse._beat = lambda pulse: None

__all__ = ["app"]
