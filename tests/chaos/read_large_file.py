"""Receives a file and reads it as a worker does; prints what became of it, seconds and peak memory."""

import json
import sys
import time
from contextlib import nullcontext
from datetime import date
from pathlib import Path

import django

django.setup()

from procurement.errors import ProcurementError  # noqa: E402 - Django must be ready first
from procurement.services.actors import SYSTEM  # noqa: E402
from procurement.services.job_runner import job_work  # noqa: E402
from procurement.services.price_sheets import price_sheet_receive  # noqa: E402
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS  # noqa: E402


def main() -> None:
    """Do so, and say it as JSON."""
    began = time.monotonic()
    path = Path(sys.argv[1])
    try:
        sheet, _ = price_sheet_receive(
            by=SYSTEM, file_name=path.name, content=path.read_bytes(), observed_on=date(2026, 11, 20),
            source="test", options={},
        )  # fmt: skip
        while job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=lambda job: nullcontext()) is not None:
            pass
        sheet.refresh_from_db()
        said = [sheet.state, sheet.message, sheet.rows_ready]
    except ProcurementError as error:
        said = [error.code, error.message, 0]
    status = Path("/proc/self/status").read_text(encoding="ascii")  # getrusage would count who started this, too
    peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    sys.stdout.write("\n" + json.dumps([*said, time.monotonic() - began, peak]))


main()
