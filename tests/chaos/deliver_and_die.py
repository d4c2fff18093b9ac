"""A sender that may die at a named point. Run as `python -m tests.chaos.deliver_and_die MESSAGE`."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "procurement.config.settings")
django.setup()

from reports.outbox import message_deliver  # noqa: E402 - Django must be ready first

message_deliver(int(sys.argv[1]))
