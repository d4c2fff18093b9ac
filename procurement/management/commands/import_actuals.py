"""`manage.py import_actuals`: files of measured use through the same service as upload and API."""

import time
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import Build, UsageFile, UsageState, Workload
from procurement.selectors.actuals import usage_rows_of
from procurement.services.actors import Actor
from procurement.services.actuals import usage_receive
from procurement.tasks import nudge

WAIT_SECONDS = 120
POLL_SECONDS = 0.25
ROWS_TOLD = 50  # rows told per file; the page shows the rest
COUNTED = ("new", "changed", "same", "held", "faulty", "left_out")


class Command(BaseCommand):
    """Receive files of measured use; a worker reads them."""

    help = (
        "Receive files of measured use: `sacct --parsable2` (JobID, State, AllocTRES, ElapsedRaw, Start, End, "
        "with Cluster and Account), a CSV of utilisation, or a FOCUS 1.x export; the kind is recognised. "
        "The same file is received once. With --wait the counts are printed; exit status 1: a file was refused."
    )

    def add_arguments(self, parser: Any) -> None:
        """Take the files and what they do not say themselves."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="files of measured use")
        parser.add_argument("--source", required=True, metavar="TEXT", help="where the files come from")
        parser.add_argument("--time-zone", default="UTC", metavar="ZONE", help="of times without offset; default UTC")
        parser.add_argument("--build", metavar="CODE", help="place of rows whose place is not known by name")
        parser.add_argument("--workload", metavar="CODE", help="workload of every row")
        parser.add_argument("--covers", nargs=2, metavar=("FIRST", "LAST"), help="days of which everything is in them")
        parser.add_argument("--skip-faulty", action="store_true", help="count the good rows of a file with faults")
        parser.add_argument("--wait", action="store_true", help=f"wait for the worker, at most {WAIT_SECONDS} s a file")

    def handle(self, *args: Any, files: list[str], wait: bool, **options: Any) -> None:
        """Receive every file before any is waited for."""
        first, last = (_day(text) for text in options["covers"] or (None, None))
        given = {
            "time_zone": options["time_zone"], "build": _record(Build, options["build"]),
            "workload": _record(Workload, options["workload"]), "covers_from": first, "covers_until": last,
            "is_skipping_faulty": options["skip_faulty"],
        }  # fmt: skip
        received = [self._receive(Path(name), options["source"], given) for name in files]
        if not wait:
            self.stdout.write("A worker reads them (`manage.py serve` runs one); --wait prints the counts.")
            return
        for file in received:
            self._await(file)
        refused = [file.file_name for file in received if file.state == UsageState.REFUSED]
        if refused:
            raise CommandError(f"Refused: {', '.join(refused)}. Nothing of them was counted.")

    def _receive(self, path: Path, source: str, given: dict[str, Any]) -> UsageFile:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}. Nothing of it was received.") from error
        try:
            with transaction.atomic():
                file, is_new = usage_receive(
                    by=Actor(user=None, source="command", reason=f"import_actuals {path.name}"),
                    file_name=path.name, content=content, source=source, options=given,
                )  # fmt: skip
                nudge()
        except ProcurementError as error:
            raise CommandError(f"{path}: {error.message}") from error
        known = "received" if is_new else f"was received on {file.received_at:%Y-%m-%d} already, nothing to do"
        self.stdout.write(f"{file.file_name}: {known} (usage file {file.pk})")
        return file

    def _await(self, file: UsageFile) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while file.state == UsageState.RECEIVED:
            if time.monotonic() > until:
                raise CommandError(f"{file.file_name}: no worker read it within {WAIT_SECONDS} s. It stays received.")
            time.sleep(POLL_SECONDS)
            file.refresh_from_db()
        self.stdout.write(f"{file.file_name}: {file.get_state_display().lower()} as {file.format_key or 'unknown'}")
        if file.message:
            self.stdout.write(f"  {file.message}")
        counts = ", ".join(f"{getattr(file, f'rows_{name}')} {name.replace('_', ' ')}" for name in COUNTED)
        self.stdout.write(f"  {file.rows_read} rows read: {counts}")
        for row in usage_rows_of(file)[:ROWS_TOLD]:
            where = f"line {row.line}{f', column {row.column}' if row.column else ''}"
            found = f" {row.value!r}" if row.value else ""
            right = f" ({row.release})" if row.release else ""
            self.stdout.write(f"  {where} {row.state}{found}: {row.message}, {row.count} rows{right}")


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise CommandError(f"{text} is no day; write it as 2026-06-22.") from error


def _record(model: Any, code: str | None) -> Any:
    if code is None:
        return None
    record = model._default_manager.filter(code=code).first()
    if record is None:
        known = ", ".join(model._default_manager.values_list("code", flat=True).order_by("code")[:40]) or "none yet"
        raise CommandError(f"{code} is no {model._meta.verbose_name} on record. Known codes: {known}.")
    return record
