"""A build in the words and dates that its page shows: gates, milestones, parts."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from procurement.choices import gate_choices, label
from procurement.models import Build, Evidence, Promise
from procurement.selectors.builds import BuildStatus

ACCEPTED = ("A", "B", "C")


def planned_accelerators(build: Build) -> int:
    """Return how many accelerators the tranches in use hold together."""
    return sum(tranche.planned_accelerators for tranche in build.tranches.all() if not tranche.is_archived)


def gates_shown(build: Build, status: BuildStatus) -> list[dict[str, Any]]:
    """Return the six gates in their order, each with its figure, newest evidence and promise."""
    readiness = status.readiness
    planned = planned_accelerators(build)
    counts = readiness["gate_accelerators"]
    last_known = readiness.get("gate_last_known") or {}
    shown = []
    for gate, reached in counts.items():
        newest = _newest(evidence for evidence in build.evidence.all() if evidence.gate == gate)
        promise = _latest(promise for promise in build.promises.all() if promise.gate == gate)
        state = readiness["gate_status"][gate]
        shown.append(
            {
                "name": label(gate), "status": state, "accelerators": reached, "planned": planned,
                "last_known": last_known.get(gate) if state == "stale" else None,
                "newest": {"grade": newest.grade, "on": newest.observed_on} if newest else None,
                "promised": promise.date if promise else None,
                "is_binding": gate in readiness["binding_gates"] and (reached or 0) < planned,
            }
        )  # fmt: skip
    return shown


def milestones_shown(build: Build, status: BuildStatus, today: date) -> list[dict[str, Any]]:
    """Return the rows of the timeline: what was proven, promised and forecast for each milestone."""
    states = status.readiness["gate_status"]
    per_gate = status.forecast.get("per_gate") or {}
    rows = []
    for gate, words in gate_choices():
        marks = [_evidence_mark(evidence) for evidence in build.evidence.all() if evidence.gate == gate]
        promises = [promise for promise in build.promises.all() if promise.gate == gate]
        is_open = states.get(gate) not in ("verified", None)
        marks += [_promise_mark(promise, today, is_open=is_open) for promise in promises]
        row = {"name": words, "status": states.get(gate), "marks": marks, **_forecast(per_gate.get(gate), marks)}
        if marks:
            rows.append(row)
    marks = []
    whole = {"name": "All accelerators usable", "status": status.forecast["status"], "marks": marks}
    whole |= _forecast(status.forecast, marks)
    return [*rows, whole] if marks else rows


def held_back_words(status: BuildStatus) -> str:
    """Return the gates that hold a build back, nothing when all of it is usable."""
    gates = status.readiness["binding_gates"]
    if len(gates) == len(status.readiness["gate_accelerators"]):
        return "all six gates"
    return ", ".join(label(gate).lower() for gate in gates)


def facts_shown(build: Build) -> list[dict[str, Any]]:
    """Return the details of a build as names and words."""
    cooling = ", ".join(f"{kw:g} kW {medium}" for medium, kw in (build.cooling_kw_per_node or {}).items())
    pairs = (
        ("Operator", build.operator or "we ourselves"), ("Site", build.site), ("Region", build.region),
        ("Accelerator", build.accelerator), ("Per node", f"{build.accelerators_per_node} accelerators"),
        ("Design", label(build.design_class)), ("Fabric", label(build.fabric) if build.fabric else ""),
        ("IT power per node", f"{build.it_kw_per_node.normalize():f} kW" if build.it_kw_per_node else ""),
        ("Cooling per node", cooling), ("Capital committed", "yes" if build.committed else "no"),
        ("Owner of the record", build.owner),
    )  # fmt: skip
    return [{"name": name, "value": value or "–"} for name, value in pairs]


def _newest(statements: Iterable[Evidence]) -> Evidence | None:
    return max(statements, key=lambda evidence: (evidence.observed_on, evidence.pk), default=None)


def _latest(promises: Iterable[Promise]) -> Promise | None:
    return max(promises, key=lambda promise: (promise.stated_on, promise.pk), default=None)


def _evidence_mark(evidence: Evidence) -> dict[str, Any]:
    amount = f"{evidence.qty.normalize():,f} {evidence.unit}" if evidence.qty is not None else "stated"
    if evidence.event:
        kind, words = "lost", f"{evidence.event}: {amount}"
    elif evidence.grade in ACCEPTED:
        kind, words = "proven", f"{amount}, grade {evidence.grade}"
    else:
        kind, words = "claimed", f"claimed {amount}, grade {evidence.grade}"
    return {"on": evidence.achieved_on or evidence.observed_on, "kind": kind, "words": words}


def _promise_mark(promise: Promise, today: date, *, is_open: bool) -> dict[str, Any]:
    by = f" by {promise.stated_by}" if promise.stated_by else ""
    words = f"promised on {promise.stated_on:%Y-%m-%d}{by}"
    return {"on": promise.date, "kind": "overdue" if is_open and promise.date < today else "promised", "words": words}


def _forecast(dates: Any, marks: list[dict[str, Any]]) -> dict[str, date]:
    read = {key: date.fromisoformat(str(dates[key])) for key in ("p10", "p50", "p90") if dates and dates.get(key)}
    if "p50" in read:
        marks.append({"on": read["p50"], "kind": "forecast", "words": "forecast, 5 in 10"})
    return {"first": read["p10"], "last": read["p90"]} if {"p10", "p90"} <= set(read) else {}
