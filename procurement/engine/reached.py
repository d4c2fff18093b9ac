"""When a gate was reached, looked back upon: what scores forecasts and closes promises (METHOD.md, Looking back)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from procurement.engine.codes import GATES
from procurement.engine.readiness_records import FRONTEND, RDMA, Noted, Records
from procurement.engine.readiness_statements import accelerators_proven
from procurement.engine.readiness_totals import parts_of


@dataclass(frozen=True, slots=True, order=True)
class Covering:
    """An accepted statement that covers all that is planned: the day it was true, was learned, was achieved."""

    observed_on: date
    known_on: date
    achieved_on: date | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """The day a gate was reached after another day; `was_before` when it had been reached by then, unknown to all."""

    day: date
    was_before: bool = False


def reached_after(coverings: Iterable[Covering], after: date) -> Reached | None:
    """Return when a gate was reached, by what was learned after a day; None while nothing accepted covers it.

    The day is `achieved_on` where that lies after the day asked, else the day of the observation: a gate that only
    aged is reached again when it is seen again.
    """
    found = []
    for one in coverings:
        if one.known_on > after:
            before = one.achieved_on is not None and one.achieved_on <= after
            day = one.achieved_on if one.achieved_on is not None and not before else one.observed_on
            found.append(Reached(day, before))
    return min(found, key=lambda reached: reached.day, default=None)


def target_coverings(records: Records, gate: str, target: str, part: str | None) -> list[Covering]:
    """Return what covers a gate of one tranche or pool: own statements, those of its pools, and own jobs (R7).

    A statement whose quantity does not convert covers a milestone that is no gate, such as a service agreement.
    """
    planned = {tranche.id: tranche.planned_accelerators for tranche in records.build.tranches}
    everything = sum(planned.values())
    found = []
    for name in dict.fromkeys((target, *records.pools)):
        needed = planned.get(name, everything)
        statements = [*records.accepted(gate, (name,), part), *_jobs(records, gate, name, part)]
        found += [_covering(noted) for noted in statements if _covers(records, noted, gate, part, needed)]
    return sorted(found)


def build_coverings(records: Records, gate: str) -> list[list[Covering]]:
    """Return, for each tranche and part that a gate of the build is judged by, what covers it."""
    scope = RDMA if records.build.design_class == "multi_node" else FRONTEND
    parts = parts_of(gate, records.build, scope)
    return [target_coverings(records, gate, tranche.id, part) for tranche in records.build.tranches for part in parts]


def all_reached_after(groups: Sequence[Sequence[Covering]], after: date) -> date | None:
    """Return the day on which the last of several parts was reached; None while one is not."""
    days = [reached_after(group, after) for group in groups]
    known = [reached.day for reached in days if reached is not None]
    return max(known) if known and len(known) == len(days) else None


def _covers(records: Records, noted: Noted, gate: str, part: str | None, needed: int) -> bool:
    if noted.evidence.event is not None:
        return False
    proven = accelerators_proven(noted.evidence, records.build, part)
    if proven is None:
        return gate not in GATES
    return proven >= needed


def _jobs(records: Records, gate: str, target: str, part: str | None) -> list[Noted]:
    if gate not in GATES:
        return []
    jobs = [noted for noted in records.known("job_run", (target,)) if noted.evidence.grade == "A"]
    is_fabric = gate == "networked" and part == RDMA
    return [noted for noted in jobs if not is_fabric or noted.evidence.scope == RDMA]


def _covering(noted: Noted) -> Covering:
    evidence = noted.evidence
    known_on = max(evidence.observed_on, evidence.recorded_on or evidence.observed_on)
    return Covering(evidence.observed_on, known_on, evidence.achieved_on)


def promised_parts(records: Records, gate: str, medium: str | None) -> tuple[str | None, ...]:
    """Return what a promise is about: its medium, else every part that its gate is judged by."""
    if gate not in GATES:
        return (None,)
    if medium is not None:
        return (medium,)
    return parts_of(gate, records.build, RDMA if records.build.design_class == "multi_node" else FRONTEND)
