"""`manage.py demo`: from nothing to a served demo, in one command."""

import time
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command

from procurement.errors import ProcurementError
from procurement.management.commands.serve import serve_until_told, start_web
from procurement.management.demo.parts import demo_load
from procurement.management.demo.people import DEMO_PASSWORD, DEMO_USERS
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
            self._load(supervisor)
            self._step("adding the weekly mail", "load_demo_reports")
            call_command("recommendations", stdout=self.stdout)
            if not no_serve and not supervisor.is_stopping:
                self.stdout.write(f"\nSign in as {', '.join(DEMO_USERS)}; the password of each is {DEMO_PASSWORD}.")
                serve_until_told(supervisor, self)

    def _load(self, supervisor: Supervisor) -> None:
        """Load round after round, each worked off before the next, for it rests on what the jobs have made."""
        began = time.monotonic()
        self._say("loading the demo scenario ...")
        while True:
            try:
                loaded = demo_load()
            except ProcurementError as error:
                raise CommandError(f"The demo was not loaded, nothing was stored: {error.message}") from error
            self._say(loaded.words)
            if loaded.is_complete:
                break
            self._work_off(supervisor)
        self._say(f"loaded and answered in {time.monotonic() - began:.1f} s")

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()

    def _step(self, title: str, name: str, **options: Any) -> None:
        self._say(f"{title} ...")
        call_command(name, stdout=self.stdout, **options)

    def _work_off(self, supervisor: Supervisor) -> None:
        is_done = supervisor.run_until(_Bell().is_worked_off, patience=WORK_SECONDS)
        if supervisor.is_stopping:
            raise CommandError("Stopped before the recommendations were ready; the next start goes on from here.")
        if not is_done:
            waiting = ", ".join(str(job) for job in jobs_open()[:5])
            raise CommandError(f"The worker did not finish within {WORK_SECONDS} seconds; open: {waiting}")
        for job in jobs_alarming()[:5]:
            self.stderr.write(f"{job}: {job.last_error}")


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
