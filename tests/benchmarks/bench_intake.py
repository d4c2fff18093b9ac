"""What the intake reads of real price files, and how long 65,000 rows take into PostgreSQL: `make bench`."""

import io
import os
import resource
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from django.db import connection

from procurement.models import PriceSheet, Quote
from procurement.services.job_runner import job_work
from procurement.services.price_sheets import price_sheet_receive
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from providers import ProviderError, read_quotes
from tests.benchmarks.catalogs import own_catalog, skypilot_catalog
from tests.factories import actor
from tests.procurement.test_runs import NoPulse

ROWS = 65_000
TARGET = 3  # times pandas.read_csv and COPY of the finished rows


def _shown(counts: dict[str, int]) -> str:
    return ", ".join(f"{code} {number}" for code, number in counts.items())


@pytest.mark.shared
def test_coverage_of_the_public_price_files(shared_folder):
    folder = shared_folder / "data/prices"
    lines = [
        f"{'file':58} {'format':18} {'rows':>6} {'priced':>6} {'held':>5} {'refused':>7}  held by reason; left out"
    ]
    total = dict.fromkeys(("rows", "ready", "held", "faulty"), 0)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        try:
            sheet = read_quotes(
                path.read_bytes(), file_name=name, observed_on=date(2026, 11, 30), source="public price file"
            )
        except ProviderError as error:
            lines.append(f"{name:58} refused: {str(error).removeprefix(name)[:90]}")
            continue
        counts = sheet.counts
        for key in total:
            total[key] += counts[key]
        why = "; ".join(filter(None, (_shown(sheet.held_by_reason), _shown(sheet.ignored_by_reason))))
        realised = f" (realised rates {counts['realised']})" if counts["realised"] else ""
        lines.append(
            f"{name:58} {sheet.format_key:18} {counts['rows']:>6} {counts['ready']:>6} {counts['held']:>5} "
            f"{counts['faulty']:>7}  {why}{realised}"
        )
    lines.append(f"{'all':58} {'':18} {total['rows']:>6} {total['ready']:>6} {total['held']:>5} {total['faulty']:>7}")
    sys.stdout.write("\n" + "\n".join(lines) + "\n")
    assert total["faulty"] == 0


def _seconds(work: Callable[[], None]) -> tuple[float, float]:
    """Return what work takes by the clock, and of the processor: here and in the backend of the database."""
    clock, processor = time.perf_counter(), _processor()
    work()
    return time.perf_counter() - clock, _processor() - processor


def _processor() -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        stat = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text()
    backend = sum(int(ticks) for ticks in stat.rsplit(")", 1)[1].split()[11:13])
    return time.process_time() + backend / os.sysconf("SC_CLK_TCK")


def _import(content: bytes, name: str) -> None:
    price_sheet_receive(
        by=actor("analyst"), file_name=name, content=content, observed_on=date(2026, 11, 30), source=name,
        options={},
    )  # fmt: skip
    while job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=NoPulse) is not None:
        pass


def _copy_seconds(content: bytes, header: int) -> tuple[float, float]:
    """Return the seconds of pandas.read_csv and of COPY of the finished rows into the same table with its indexes."""
    finished = io.BytesIO()
    table = Quote._meta.db_table
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY {table} TO STDOUT") as copy:
            for block in copy:
                finished.write(block)
        cursor.execute(f"TRUNCATE {table} CASCADE")

    def copy_in() -> None:
        assert len(pd.read_csv(io.BytesIO(content), header=header)) == ROWS
        with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
            copy.write(finished.getvalue())

    return _seconds(copy_in)


@pytest.mark.parametrize(
    ("make", "name", "header"),
    [(skypilot_catalog, "hyperstack-vms.csv", 0), (own_catalog, "acme.csv", 1)], ids=["SkyPilot", "our own CSV"],
)  # fmt: skip
@pytest.mark.django_db(transaction=True)  # a commit checks foreign keys, of the copy as of the import
def test_65000_rows_into_postgresql(make, name, header):
    content = make(ROWS)
    start = time.process_time()
    read_quotes(content, file_name=name, observed_on=date(2026, 11, 30), source="bench")
    reading = time.process_time() - start
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    service_clock, service = _seconds(lambda: _import(content, name))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sheet = PriceSheet.objects.get()
    assert (sheet.state, Quote.objects.count()) == ("imported", ROWS), sheet.message
    copying_clock, copying = _copy_seconds(content, header)

    ratio = service / copying
    sys.stdout.write(
        f"\n{name}: {ROWS:,} rows, {len(content) / 1e6:.1f} MB\n"
        f"of the processor: read and check {reading:.1f} s, through the service {service:.1f} s, "
        f"read_csv and COPY {copying:.1f} s; by the clock {service_clock:.1f} and {copying_clock:.1f} s\n"
        f"ratio {ratio:.1f}, target {TARGET} {'met' if ratio <= TARGET else 'missed'}; "
        f"peak memory {peak / 1024:.0f} MB, {before / 1024:.0f} MB of it before\n"
    )
