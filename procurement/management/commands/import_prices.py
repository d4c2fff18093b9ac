"""`manage.py import_prices`: price files through the same service as upload and API."""

import json
import time
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import PriceSheet, Provider, SheetRow, SheetState
from procurement.services.actors import Actor
from procurement.services.price_sheets import price_sheet_receive
from procurement.tasks import nudge

WAIT_SECONDS = 120
POLL_SECONDS = 0.25
ROWS_TOLD = 50  # held and faulty rows told per file; the page shows the rest
COUNTED = ("new", "changed", "same", "held", "faulty")


class Command(BaseCommand):
    """Receive price files; a worker imports them."""

    help = (
        "Receive price files (CSV, XLSX, JSON; the format is recognised) and queue their import. The same file of the "
        "same day is received once. With --wait the counts are printed. --validate-only checks every row, prints what "
        "would happen and puts nothing in force. Exit status 1: a file was refused, or holds faults."
    )

    def add_arguments(self, parser: Any) -> None:
        """Take the files and what they do not say themselves."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="price files")
        parser.add_argument(
            "--observed-on", required=True, type=_day, metavar="DAY", help="day the prices were true, as 2026-06-22"
        )
        parser.add_argument(
            "--source", required=True, metavar="TEXT", help="where the files come from: address, page or person"
        )
        parser.add_argument("--provider", metavar="CODE", help="code of the provider, for files that do not name it")
        parser.add_argument("--currency", default="", metavar="CODE", help="ISO 4217 code, for files that state none")
        parser.add_argument(
            "--format", default="", metavar="KEY", help="key of the price format; recognised when left out"
        )
        parser.add_argument(
            "--decimal", default="", choices=("", ".", ","), metavar="SIGN", help="decimal sign: . or ,"
        )
        parser.add_argument(
            "--time-zone", default="", metavar="ZONE", help="where a last day of validity ends, as Asia/Tokyo"
        )
        parser.add_argument("--profile", metavar="FILE", help="JSON file that says what the columns of a sheet mean")
        parser.add_argument("--skip-faulty", action="store_true", help="import the good rows of a file with faults")
        parser.add_argument("--validate-only", action="store_true", help="check and report; nothing is put in force")
        parser.add_argument("--wait", action="store_true", help=f"wait for the worker, at most {WAIT_SECONDS} s a file")

    def handle(self, *args: Any, files: list[str], wait: bool, **options: Any) -> None:
        """Receive every file before any is waited for; a file that cannot be read stops everything."""
        contents = {Path(name): _content(name) for name in files}
        given = {
            "provider": _provider(options["provider"]),
            "currency": options["currency"].strip().upper(),
            "format_key": options["format"].strip(),
            "is_skipping_faulty": options["skip_faulty"],
            "decimal": options["decimal"],
            "zone": options["time_zone"].strip(),
            "profile": _profile(options["profile"]),
            "is_draft": options["validate_only"],
        }
        source = options["source"].strip()
        if not source:
            raise CommandError("--source is empty; name the address, page or person that the prices come from.")
        sheets = [
            self._receive(path, content, options["observed_on"], source, given) for path, content in contents.items()
        ]
        if not (wait or options["validate_only"]):
            self.stdout.write("A worker imports them (`manage.py serve` runs one); --wait prints the counts.")
            return
        for sheet in sheets:
            self._await(sheet)
        refused = [sheet.file_name for sheet in sheets if sheet.state in (SheetState.REFUSED, SheetState.MATCHING)]
        if refused:
            raise CommandError(f"Refused: {', '.join(refused)}. Nothing of them was stored.")
        faulty = [sheet.file_name for sheet in sheets if sheet.state == SheetState.CHECKED and not _may_import(sheet)]
        if faulty:
            raise CommandError(f"Faulty rows in {', '.join(faulty)}. Nothing was put in force.")

    def _receive(
        self, path: Path, content: bytes, observed_on: date, source: str, given: Mapping[str, Any]
    ) -> PriceSheet:
        try:
            with transaction.atomic():
                sheet, is_new = price_sheet_receive(
                    by=Actor(user=None, source="command", reason=f"import_prices {path.name}"),
                    file_name=path.name, content=content, observed_on=observed_on, source=source, options=given,
                )  # fmt: skip
                nudge()
        except ProcurementError as error:
            raise CommandError(f"{path}: {error.message}") from error
        known = "received" if is_new else f"was received on {sheet.received_at:%Y-%m-%d} already, nothing to do"
        self.stdout.write(f"{sheet.file_name}: {known} (sheet {sheet.pk})")
        return sheet

    def _await(self, sheet: PriceSheet) -> None:
        """Wait until a worker has imported or refused a sheet, then say what became of its rows."""
        until = time.monotonic() + WAIT_SECONDS
        while sheet.state in (SheetState.RECEIVED, SheetState.CONFIRMED):
            if time.monotonic() > until:
                raise CommandError(
                    f"{sheet.file_name}: no worker imported it within {WAIT_SECONDS} s. It stays received and is "
                    "imported when a worker runs: manage.py serve."
                )
            time.sleep(POLL_SECONDS)
            sheet.refresh_from_db()
        self.stdout.write(f"{sheet.file_name}: {sheet.get_state_display().lower()} as {sheet.format_key or 'unknown'}")
        if sheet.state == SheetState.MATCHING:
            self.stdout.write(f"  {sheet.preview['why']} State its columns with --profile, or match them on the page.")
        if sheet.state in (SheetState.IMPORTED, SheetState.CHECKED):
            counts = ", ".join(f"{getattr(sheet, f'rows_{name}')} {name}" for name in COUNTED)
            self.stdout.write(f"  {sheet.rows_ready} rows ready: {counts}")
        if sheet.message:
            self.stdout.write(f"  {sheet.message}")
        self._tell_rows(sheet.rows.all()[: ROWS_TOLD + 1])

    def _tell_rows(self, rows: Iterable[SheetRow]) -> None:
        for number, row in enumerate(rows):
            if number == ROWS_TOLD:
                self.stdout.write("  more rows are on the page of the sheet")
                return
            told = [_told(reason) for reason in row.reasons]
            self.stdout.write(f"  line {row.line} {row.state}: {'; '.join(told)}")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text} is no day; write it as 2026-06-22.") from error


def _content(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}. Nothing was received.") from error


def _provider(code: str | None) -> Provider | None:
    if code is None:
        return None
    provider = Provider.objects.filter(code=code).first()
    if provider is None:
        known = ", ".join(Provider.objects.values_list("code", flat=True).order_by("code")[:40]) or "none yet"
        raise CommandError(f"--provider {code} is no provider on record. Known codes: {known}.")
    return provider


def _told(reason: Mapping[str, str]) -> str:
    if "column" in reason:  # a fault: its message names line, column, value and what would be right
        return reason["message"].partition(", ")[2] or reason["message"]
    return f"{reason['message']} ({reason['release']})" if reason.get("release") else reason["message"]


def _may_import(sheet: PriceSheet) -> bool:
    return not sheet.rows_faulty or sheet.is_skipping_faulty


def _profile(name: str | None) -> Any:
    if not name:
        return None
    try:
        profile = json.loads(_content(name))
    except ValueError as error:
        raise CommandError(f"--profile {name} is no JSON: {error}") from error
    if not isinstance(profile, dict):
        raise CommandError(f"--profile {name} must hold one JSON object with columns and constants.")
    return profile
