"""How planned and measured figures are shown: words, shares, costs and what is missing."""

from decimal import Decimal
from typing import Any

from django.urls import reverse

from procurement.forms.labels import label_of
from procurement.models import Build, UsageOffer, Workload
from procurement.permissions import ACTIONS, ADMINISTRATOR, can
from procurement.selectors.actuals import Measured, costs_of, days_measured, measured_figures

WORDS = {
    "utilisation": ("Utilisation", "accelerators in use over those there"),
    "completed_share": (
        "Work that completed",
        "hours of completed over those of all ended jobs; planned: goodput",
    ),
    "failures_per_1000_node_days": ("Failures", "jobs that lost a node"),
    "step_s": ("Seconds per step", "median of the measured steps"),
}
OUTCOME_WORDS = {
    "completed": "Completed", "failed": "Failed", "timeout": "Out of time", "node_fail": "Node lost",
    "cancelled": "Cancelled", "preempted": "Preempted", "running": "Still running",
}  # fmt: skip


def row_shown(measured: Measured) -> dict[str, Any]:
    """Return one line of the comparison."""
    total = measured.total
    return {
        "record": measured.record, "planned": measured.planned, "total": total, "days": days_measured(measured),
        "costs": costs_of(total) if total else [],
        "address": measured_address(measured.record),
        "is_partial": any(month.is_partial for month in measured.months),
    }  # fmt: skip


def measured_shown(measured: Measured) -> dict[str, Any]:
    """Return all that the page of one workload or build shows."""
    total = measured.total
    outcomes = [
        {"name": words, "jobs": total.ended.get(name), "hours": total.busy[name]}
        for name, words in OUTCOME_WORDS.items()
        if total is not None and (total.busy[name] or total.ended.get(name))
    ]
    figures = [
        {**figure, "name": WORDS[figure["name"]][0], "note": WORDS[figure["name"]][1],
         "is_share": figure["unit"] == "share"}
        for figure in measured_figures(measured)
    ]  # fmt: skip
    months = [{"use": month, "costs": costs_of(month), "share": _covered(month)} for month in measured.months]
    return {
        "record": measured.record, "record_address": record_address(measured.record), "planned": measured.planned,
        "total": total, "figures": figures,
        "months": months, "outcomes": outcomes, "capacity": measured.capacity, "first_at": measured.first_at,
        "last_at": measured.last_at, "costs": costs_of(total) if total else [],
        "failures_interval": total.failures_interval if total else None,
    }  # fmt: skip


def _covered(month: Any) -> float:
    return float(max(month.covered_hours, month.sampled_hours) / month.hours)


def offer_shown(offer: UsageOffer, user: Any) -> dict[str, Any]:
    """Return an offer with both values in words and whether this person may decide it."""
    right = "workload.edit" if offer.workload_id else "build.edit"
    record = offer.workload or offer.build
    return {
        "offer": offer, "record": record, "address": measured_address(record), "name": label_of(offer.field),
        "planned": value_words(offer.planned), "measured": value_words(offer.measured),
        "may_decide": can(user, right), "who": f"by {' or '.join((*ACTIONS[right], ADMINISTRATOR))}",
        "is_open": offer.state == "open",
    }  # fmt: skip


def measured_address(record: Workload | Build | None) -> str:
    """Return the page of what was measured of a record."""
    name = "workload_measured" if isinstance(record, Workload) else "build_measured"
    return reverse(f"procurement:{name}", args=[record.code]) if record is not None else ""


def record_address(record: Workload | Build) -> str:
    """Return the page of the record itself."""
    return reverse("procurement:workload" if isinstance(record, Workload) else "procurement:build", args=[record.code])


def value_words(value: Any) -> str:
    """Return a value of a record as words: `utilisation 0.4 to 0.7, likely 0.55`."""
    if value in (None, "", {}, []):
        return "nothing stated"
    if isinstance(value, dict) and {"min", "likely", "max"} <= set(value):
        return f"{value['min']} to {value['max']}, likely {value['likely']}"
    if isinstance(value, dict):
        return ", ".join(f"{label_of(key).lower()} {value_words(part)}" for key, part in value.items())
    return f"{value:g}" if isinstance(value, float | Decimal) else str(value)
