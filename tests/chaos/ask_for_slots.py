"""A scheduler of its own: asks for every slot of an hour. Run as `python -m tests.chaos.ask_for_slots`."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "procurement.config.settings")
django.setup()

from procurement.services.clock import clock_request  # noqa: E402 - Django must be ready first

for minute in range(60):
    clock_request(slot=f"2026-11-30T10:{minute:02d}Z")
