"""`manage.py check_runs`: answer the frozen inputs of past runs again and compare to the cent."""

from typing import Any

from django.core.management import BaseCommand, CommandError

from procurement.selectors.runs import runs_finished
from procurement.services.run_checks import RunCheck, run_check

SHOWN = 20  # differences of a run that are printed
DIFFERS = 3  # exit status


class Command(BaseCommand):
    """Recompute finished runs."""

    help = (
        "Recompute finished runs from their frozen inputs and compare every stored figure. Exit status 3: one differs."
    )

    def add_arguments(self, parser: Any) -> None:
        """Take the numbers of runs."""
        parser.add_argument("runs", nargs="*", type=int, help="numbers of runs; without any, the newest finished one")

    def handle(self, *args: Any, runs: list[int], **options: Any) -> None:
        """Check them and say what differs."""
        finished = runs_finished()
        asked = list(finished.filter(pk__in=runs) if runs else finished[:1])
        unknown = sorted(set(runs) - {run.pk for run in asked})
        if unknown or not asked:
            known = ", ".join(str(pk) for pk in finished.values_list("pk", flat=True)[:10]) or "none yet"
            raise CommandError(f"No finished run {', '.join(map(str, unknown))}. The newest finished ones: {known}.")
        checks = [run_check(run=run) for run in asked]
        for check in checks:
            self._tell(check)
        if any(check.differences for check in checks):
            raise CommandError("Stored and recomputed figures differ.", returncode=DIFFERS)

    def _tell(self, check: RunCheck) -> None:
        engine = "" if check.is_same_engine else f", answered by engine {check.run.engine_version}"
        count = len(check.differences)
        self.stdout.write(f"{check.run}: {check.compared:,} values compared, {count:,} differ{engine}")
        for difference in check.differences[:SHOWN]:
            self.stdout.write(f"  {difference.place}: stored {difference.stored!r}, now {difference.computed!r}")
