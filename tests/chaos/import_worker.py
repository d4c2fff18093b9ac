"""The chaos worker, killed again and again: at each share of CHAOS_KILL_AT (`0.1,0.5`) and once in the publication."""

import os
import signal

from tests.chaos.worker import app  # first: it sets Django up

# isort: split
from django.conf import settings

from procurement.services import price_sheet_publish, price_sheet_staging
from procurement.services.job_runner import RunningJob

SHARES = [float(share) for share in os.environ.get("CHAOS_KILL_AT", "").split(",") if share]
progress = RunningJob.progress
audit = price_sheet_publish.audit_record
attempts = [0]


def dying_progress(job, done, total=None, message=""):
    """Tell the progress; attempt by attempt, die when that share of the rows is compared."""
    attempts[0] = job.attempt
    progress(job, done, total, message)
    is_comparing = job.kind == "price_sheet_import" and total and message.startswith("comparing")
    if is_comparing and job.attempt <= len(SHARES) and done / total >= SHARES[job.attempt - 1]:
        os.kill(os.getpid(), signal.SIGKILL)


def dying_audit(**what):
    """Die in the first attempt when every quote is inserted and nothing is committed."""
    if SHARES and attempts[0] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return audit(**what)


RunningJob.progress = dying_progress
price_sheet_publish.audit_record = dying_audit
if SHARES:
    price_sheet_staging.CHUNK = 20  # so that a share of few rows is met
settings.JOB_MAX_ATTEMPTS = 6  # more than the kills

__all__ = ["app"]
