"""The recommendations of a run at a glance, for the executive view and the overview page."""

from collections import Counter
from typing import Any

from procurement.models import Run
from procurement.selectors.runs import run_latest_finished
from reports.base import Filters
from reports.definitions.recommendations import REPORT
from reports.selectors import run_before

VERDICTS = ("on_prem", "hybrid", "bridge_then_on_prem", "cloud", "stay", "wait", "none_feasible")


def recommendations_overview(run: Run) -> dict[str, Any]:
    """Return the rows of a run, what changed since the run before, and how many workloads get which verdict."""
    rows = REPORT.rows(run, Filters())
    counts = Counter(str(row["verdict"]) for row in rows if row["verdict"])
    latest = run_latest_finished()
    return {
        "run": run,
        "rows": rows,
        "headline": REPORT.headline(rows),
        "counts": [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
        "changes": verdict_changes(run),
        "newer": latest if latest is not None and latest.pk != run.pk else None,
    }


def verdict_changes(run: Run, before: Run | None = None) -> list[dict[str, Any]]:
    """Return workloads whose recommended option differs from an earlier run, by default the one before."""
    before = before or run_before(run)
    if before is None or before.pk == run.pk:
        return []
    was = {row["workload_code"]: row for row in REPORT.rows(before, Filters())}
    changes = []
    for row in REPORT.rows(run, Filters()):
        old = was.get(row["workload_code"])
        if old is not None and (old["option"], old["npv"]) != (row["option"], row["npv"]):
            changes.append({"now": row, "was": old, "is_other_option": old["option"] != row["option"]})
    return changes
