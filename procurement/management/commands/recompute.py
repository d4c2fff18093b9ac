"""`manage.py recompute`: ask today's question again."""

from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from procurement.services.actors import Actor
from procurement.services.runs import recompute_request
from procurement.tasks import nudge


class Command(BaseCommand):
    """Queue a recomputation."""

    help = "Queue a recomputation of all recommendations; a worker does it. Equal questions are one run."

    def add_arguments(self, parser: Any) -> None:
        """Take the reason."""
        parser.add_argument("--reason", default="asked on the command line", help="kept with the run")

    def handle(self, *args: Any, reason: str, **options: Any) -> None:
        """Queue it and say which job it is."""
        if not reason.strip():
            raise CommandError("--reason is empty; say why, in a few words.")
        with transaction.atomic():
            job = recompute_request(by=Actor(user=None, source="command", reason=reason), cause=reason)
            nudge()
        self.stdout.write(f"{job}: a worker does it; `manage.py serve` runs one.")
