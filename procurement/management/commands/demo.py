"""`manage.py demo`: from nothing to a served demo, in one command."""

import time
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command

from procurement.management.commands.load_demo import DEMO_PASSWORD, DEMO_USERS
from procurement.management.commands.serve import serve_until_told, start_web
from procurement.management.supervisor import Supervisor, require_free_port, worker
from procurement.selectors.jobs import jobs_alarming, jobs_open
from procurement.tasks import reconcile, ring

WORK_SECONDS = 300


class Command(BaseCommand):
    """Load the demo, let a real worker answer it, print the recommendations, then serve."""

    help = "Migrate, load the demo scenario, recompute with a Celery worker, print the recommendations and serve."

    def add_arguments(self, parser: Any) -> None:
        """Take --no-serve."""
        parser.add_argument("--no-serve", action="store_true", help="end after the table of recommendations")

    def handle(self, *args: Any, no_serve: bool, **options: Any) -> None:
        """Do one step after the other, each of them safe to repeat."""
        with Supervisor(settings.DATA_DIR) as supervisor:
            if not no_serve:
                require_free_port(settings.HOST, settings.PORT)
            self._step("preparing the database", "migrate", verbosity=0)
            supervisor.add(worker())
            if not no_serve:
                start_web(supervisor)  # it starts while the demo is loaded
            self._step("loading the demo scenario", "load_demo")
            self._step("adding the weekly mail", "load_demo_reports")
            self._work_off(supervisor)
            call_command("recommendations", stdout=self.stdout)
            if not no_serve and not supervisor.is_stopping:
                self.stdout.write(f"\nSign in as {', '.join(DEMO_USERS)}; the password of each is {DEMO_PASSWORD}.")
                serve_until_told(supervisor, self)

    def _step(self, title: str, name: str, **options: Any) -> None:
        self.stdout.write(f"{title} ...")
        self.stdout.flush()
        call_command(name, stdout=self.stdout, **options)

    def _work_off(self, supervisor: Supervisor) -> None:
        self.stdout.write("recomputing ...")
        self.stdout.flush()
        began = time.monotonic()
        is_done = supervisor.run_until(_Bell().is_worked_off, patience=WORK_SECONDS)
        if supervisor.is_stopping:
            raise CommandError("Stopped before the recommendations were ready; the next start goes on from here.")
        if not is_done:
            waiting = ", ".join(str(job) for job in jobs_open()[:5])
            raise CommandError(f"The worker did not finish within {WORK_SECONDS} seconds; open: {waiting}")
        for job in jobs_alarming()[:5]:
            self.stderr.write(f"{job}: {job.last_error}")
        self.stdout.write(f"recomputed in {time.monotonic() - began:.1f} s")


class _Bell:
    """Does the scheduler's part until it runs: a worker that is still starting misses a bell, which then expires."""

    def __init__(self) -> None:
        self.next_at = 0.0

    def is_worked_off(self) -> bool:
        """Return whether no job is open; ring again from time to time while one is."""
        if not jobs_open().exists():
            return True
        if time.monotonic() >= self.next_at:
            self.next_at = time.monotonic() + settings.RECONCILE_SECONDS
            if ring():
                reconcile.apply_async(expires=4 * settings.RECONCILE_SECONDS, retry=False)
        return False
