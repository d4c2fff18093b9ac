"""Reads of builds: records, readiness on a day, evidence that ages, capacity by month."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import QuerySet

from procurement.engine.codes import GATES
from procurement.engine.pipeline import energization
from procurement.engine.readiness import evidence_limit_days
from procurement.engine.scenario import parse_scenario
from procurement.models import Build, Evidence, Site
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.frames import SCHEMA, assumptions_document, build_document

PARTS = ("tranches", "costs", "waived", "evidence", "promises")


@dataclass(frozen=True, slots=True)
class BuildStatus:
    """Readiness and forecast of a build on a day, as in the answer document."""

    readiness: dict[str, Any]
    forecast: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExpiringEvidence:
    """The newest statement of a gate and the last day on which it counts."""

    evidence: Evidence
    expires_on: date
    days_left: int


@dataclass(frozen=True, slots=True)
class CapacityMonth:
    """Accelerators of all operators at the end of one month."""

    month: date
    announced: int
    energized: int
    accessible: int
    is_forecast: bool


def builds_active() -> QuerySet[Build]:
    """Return builds that take part in comparisons, with all their parts; archived ones are left out."""
    return builds_all().filter(is_archived=False)


def builds_all() -> QuerySet[Build]:
    """Return every build with all its parts."""
    return Build.objects.select_related("operator", "site", "owner").prefetch_related(*PARTS)


def sites_active() -> QuerySet[Site]:
    """Return sites in use."""
    return Site.objects.filter(is_archived=False)


def builds_status(as_of: date | None = None) -> dict[str, BuildStatus]:
    """Return readiness and forecast of every active build by code, computed for the day asked for."""
    return _status(list(builds_active()), as_of or day_of_evaluation())


def build_status(build: Build, as_of: date | None = None) -> BuildStatus:
    """Return readiness and forecast of one build; a build without tranches has none and is refused by the engine."""
    return _status([build], as_of or day_of_evaluation())[build.code]


def evidence_expiring(within_days: int, as_of: date | None = None) -> list[ExpiringEvidence]:
    """Return the newest statement of each gate that expires within the days asked for or has expired, soonest first.

    Losses are left out: they do not age.
    """
    as_of = as_of or day_of_evaluation()
    limits = _limits()
    newest: dict[tuple[Any, ...], Evidence] = {}
    counted = Evidence.objects.filter(build__is_archived=False, event="", grade__in=("A", "B", "C"))
    for evidence in counted.select_related("build").order_by("observed_on", "pk"):
        if evidence.gate in GATES and evidence.observed_on <= as_of:
            newest[(evidence.build_id, evidence.gate, evidence.tranche, evidence.medium, evidence.scope)] = evidence
    rows = []
    for evidence in newest.values():
        expires_on = evidence.valid_until or evidence.observed_on + timedelta(days=limits[evidence.gate])
        days_left = (expires_on - as_of).days
        if days_left <= within_days:
            rows.append(ExpiringEvidence(evidence, expires_on, days_left))
    return sorted(rows, key=lambda row: (row.expires_on, row.evidence.pk))


def capacity_by_month(months_back: int = 6, months_ahead: int = 18) -> list[CapacityMonth]:
    """Return announced, energized and accessible accelerators of all operators by month.

    A past month is replayed with what was recorded by its end; a coming month shows what today's forecast expects at
    P50. Announced counts all that is planned from the first statement about a build on: it is not a date.
    """
    builds = list(builds_active())
    today = day_of_evaluation()
    ends = [_month_end(today, offset) for offset in range(-months_back, months_ahead + 1)]
    statuses = _status(builds, today, forecast_dates=[end for end in ends if end > today])
    by_month = []
    for end in ends:
        if end <= today:
            past = _status(builds, end)
            energized = sum(_gate(past[build.code].readiness, "powered") for build in builds)
            accessible = sum(past[build.code].readiness["usable_accelerators"] or 0 for build in builds)
        else:
            energized = sum(_energized_by(statuses[build.code], build, end) for build in builds)
            accessible = sum(_usable_by(statuses[build.code], end) for build in builds)
        announced = sum(_announced_by(build, min(end, today)) for build in builds)
        by_month.append(CapacityMonth(end, announced, energized, accessible, is_forecast=end > today))
    return by_month


def _status(builds: list[Build], as_of: date, forecast_dates: list[date] | None = None) -> dict[str, BuildStatus]:
    built = [build for build in builds if build.tranches.all()]
    assumption_set = assumption_set_in_force()
    assumptions = assumptions_document(assumption_set) if assumption_set else {}
    if forecast_dates:
        assumptions = {**assumptions, "forecast_dates": [day.isoformat() for day in forecast_dates]}
    document = {
        "schema": SCHEMA,
        "as_of": as_of.isoformat(),
        "assumptions": assumptions,
        "builds": [build_document(build) for build in built],
    }
    stage = energization(parse_scenario(document))
    return {
        build.code: BuildStatus(stage["readiness"][build.code], stage["forecast"][build.code])
        if build in built
        else BuildStatus(_NOTHING_ENTERED["readiness"], _NOTHING_ENTERED["forecast"])
        for build in builds
    }


_NOTHING_ENTERED: Mapping[str, dict[str, Any]] = {
    "readiness": {
        "energization_status": "no_date", "availability_status": "unknown", "usable_accelerators": 0,
        "usable_single_node": 0, "usable_multi_node": 0, "largest_multi_node_job": 0,
        "gate_accelerators": dict.fromkeys(GATES, 0), "gate_status": dict.fromkeys(GATES, "no_date"),
        "binding_gates": [], "flags": [], "last_known_usable": 0, "missing_facts": ["size"], "next_change_on": None,
        "usable_firm": 0,
    },
    "forecast": {
        "status": "no_forecast", "p10": None, "p50": None, "p80": None, "p90": None, "per_gate": {},
        "missing": ["size"], "not_before_p50": None, "by_date": [],
    },
}  # fmt: skip


def _limits() -> dict[str, int]:
    assumption_set = assumption_set_in_force()
    stated = assumption_set.evidence_days if assumption_set else {}
    return {gate: evidence_limit_days(gate, stated) for gate in GATES}


def _planned(build: Build) -> int:
    return sum(tranche.planned_accelerators for tranche in build.tranches.all() if not tranche.is_archived)


def _announced_by(build: Build, end: date) -> int:
    """Return what had been announced by then: all that is planned, from the first statement about the build on."""
    if build.cancelled_on is not None and build.cancelled_on <= end:
        return 0
    stated = [promise.stated_on for promise in build.promises.all()]
    stated += [evidence.observed_on for evidence in build.evidence.all()]
    return _planned(build) if stated and min(stated) <= end else 0


def _gate(readiness: Mapping[str, Any], gate: str) -> int:
    return int((readiness.get("gate_accelerators") or {}).get(gate) or 0)


def _energized_by(status: BuildStatus, build: Build, end: date) -> int:
    """Return what the forecast expects to have power by then; what is usable by then has it."""
    p50 = (status.forecast.get("per_gate") or {}).get("powered", {}).get("p50")
    if p50 is not None and date.fromisoformat(str(p50)) <= end:
        return _planned(build)
    return max(_gate(status.readiness, "powered"), _usable_by(status, end))


def _usable_by(status: BuildStatus, end: date) -> int:
    for row in status.forecast.get("by_date") or []:
        if str(row["date"]) == end.isoformat():
            return int(row["p50_accelerators"] or 0)
    return int(status.readiness["usable_accelerators"] or 0)


def _month_end(day: date, offset: int) -> date:
    index = day.year * 12 + day.month - 1 + offset + 1
    return date(index // 12, index % 12 + 1, 1) - timedelta(days=1)
