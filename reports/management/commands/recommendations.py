"""`manage.py recommendations`: the table of the newest finished run on a terminal."""

import shutil
import textwrap
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.core.management import BaseCommand
from django.utils import timezone

from procurement.selectors.runs import run_latest_finished
from reports.base import Filters, Row
from reports.registry import get_report

HEADS = ("workload", "verdict", "place", "present cost", "per useful acc.-h", "how sure", "first reason")
WIDTHS = (24, 13, 30, 19, 17, 8)
LEAST_REASON = 30
WIDEST = 200
UNKNOWN = "-"


class Command(BaseCommand):
    """Print the recommendations."""

    help = "Print the recommendations of the newest finished run."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one block of lines a workload, or say that there is no run yet."""
        run = run_latest_finished()
        if run is None:
            self.stdout.write("There is no finished run yet. Ask for one with: manage.py recompute")
            return
        report = get_report("recommendations")
        rows = report.rows(run, Filters())
        room = min(shutil.get_terminal_size((160, 24)).columns, WIDEST) - sum(WIDTHS) - 2 * len(WIDTHS)
        widths = (*WIDTHS, max(room, LEAST_REASON))
        made = f"{timezone.localtime(run.finished_at):%Y-%m-%d %H:%M} UTC" if run.finished_at else UNKNOWN
        self.stdout.write(f"\nRecommendations as of {run.as_of}, run {run.pk}, computed {made}\n")
        self.stdout.write(_lines(HEADS, widths))
        self.stdout.write("  ".join("-" * width for width in widths))
        for row in rows:
            self.stdout.write(_lines(_cells(row), widths))
        self.stdout.write(f"\n{len(rows)} workloads: {report.headline(rows)}." if rows else report.empty)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row["workload"],
        str(row["verdict"] or UNKNOWN).replace("_", " "),
        row["place"] or UNKNOWN,
        _amount(row["npv"], row["currency"], places=0),
        _amount(row["cost_per_useful_accelerator_hour"], row["currency"], places=4),
        row["how_sure"] or UNKNOWN,
        row["first_reason"] or UNKNOWN,
    )


def _amount(value: Decimal | None, currency: str, *, places: int) -> str:
    return UNKNOWN if value is None else f"{value:,.{places}f} {currency}"


def _lines(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return a row whose cells are wrapped to their widths."""
    wrapped = [textwrap.wrap(cell, width) or [""] for cell, width in zip(cells, widths, strict=True)]
    height = max(len(lines) for lines in wrapped)
    table = [
        "  ".join(
            (lines[line] if line < len(lines) else "").ljust(width)
            for lines, width in zip(wrapped, widths, strict=True)
        )
        for line in range(height)
    ]
    return "\n".join(line.rstrip() for line in table)
