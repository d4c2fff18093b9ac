"""Commits a change with its job and dies before the bell rings. Run as `python -m tests.chaos.commit_and_die`."""

import os
import signal

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "procurement.config.settings")
django.setup()

from django.db import transaction  # noqa: E402 - Django must be ready first

from procurement.services.jobs import job_request  # noqa: E402
from procurement.tasks import nudge  # noqa: E402

with transaction.atomic():
    job_request(kind="effect", dedupe_key="effect:of the dead")
    transaction.on_commit(lambda: os.kill(os.getpid(), signal.SIGKILL))
    nudge()
