"""Reads of what is planned of a workload or build, in the figures that can be measured."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from procurement.engine.demand import demand_hours
from procurement.engine.errors import EngineError
from procurement.engine.goodput import failures_of
from procurement.engine.scenario import parse_scenario
from procurement.models import Answer, Build, Workload
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.selectors.frames import SCHEMA, assumptions_document, build_document, workload_document
from procurement.selectors.option_names import option_parts
from procurement.selectors.runs import run_latest_finished

_ANY_DAY = "2026-01-01"  # which day it is changes no demand


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedUse:
    """What is planned; None where nothing says, with the reason."""

    utilisation: float | None = None
    reason_utilisation: str = ""
    place: str | None = None
    goodput: float | None = None
    step_s: float | None = None
    compute_s: float | None = None
    toll_s: float | None = None
    reason_throughput: str = ""
    cost_per_useful_hour: Decimal | None = None
    currency: str = ""
    failures_per_1000_node_days: float | None = None


def planned_of_workload(workload: Workload, place: str | None) -> PlannedUse:
    """Return the planned use of a workload: its demand, and what the newest run says of the place it ran on."""
    utilisation, reason = _planned_utilisation(workload)
    run = run_latest_finished()
    answer = Answer.objects.filter(run_answers__run=run, workload_code=workload.code).first() if run else None
    if answer is None:
        missing = "no finished run answers this workload yet"
        return PlannedUse(utilisation=utilisation, reason_utilisation=reason, reason_throughput=missing)
    known, row = _throughput(answer, place)
    return PlannedUse(
        utilisation=utilisation,
        reason_utilisation=reason,
        place=known,
        goodput=row.get("goodput"),
        step_s=row.get("step_s"),
        compute_s=row.get("compute_s"),
        toll_s=row.get("toll_s"),
        reason_throughput="" if row else "the newest run says nothing of the place it ran on",
        cost_per_useful_hour=answer.cost_per_useful_accelerator_hour,
        currency=answer.currency,
    )


def planned_of_build(build: Build) -> PlannedUse:
    """Return what is planned of a build: its failures, as stated or by default. No plan states its utilisation."""
    document = build_document(build)
    reason = "the utilisation of a build is that of the workloads on it"
    if not document["tranches"]:
        return PlannedUse(reason_utilisation=reason, reason_throughput="it has no tranche yet")
    scenario = parse_scenario({"schema": SCHEMA, "as_of": _ANY_DAY, "assumptions": {}, "builds": [document]})
    return PlannedUse(
        reason_utilisation=reason, reason_throughput="goodput is planned by workload",
        failures_per_1000_node_days=failures_of(scenario.builds[0]),
    )  # fmt: skip


def _planned_utilisation(workload: Workload) -> tuple[float | None, str]:
    """Return the mean planned share of the hours in which all accelerators work, over the workload's window."""
    assumption_set = assumption_set_in_force()
    document = {
        "schema": SCHEMA, "as_of": _ANY_DAY, "workloads": [workload_document(workload)],
        "assumptions": assumptions_document(assumption_set) if assumption_set else {},
    }  # fmt: skip
    try:
        scenario = parse_scenario(document)
        plan = demand_hours(scenario.workloads[0], scenario.assumptions)
    except EngineError as error:
        return None, str(error)
    there = plan.accelerators * scenario.assumptions.hours_per_month * float(plan.window.weights.sum())
    return (float(plan.accelerator_hours.sum()) / there, "") if there else (None, "the window is empty")


def _throughput(answer: Answer, place: str | None) -> tuple[str | None, dict[str, Any]]:
    """Return the place whose figures are meant: the one it ran on, else the recommended one."""
    recommended = option_parts(answer.option)
    for code in (place, recommended.build or recommended.quote):
        if code and isinstance(answer.throughput.get(code), dict):
            return code, answer.throughput[code]
    return None, {}
