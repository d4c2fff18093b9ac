"""Readiness of a build on a day: what is usable, its statuses, and what would change them (R1 to R11)."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from procurement.engine.codes import EVIDENCE_GATES, GATES
from procurement.engine.milestones import evidence_limit_days
from procurement.engine.readiness_gates import PartState
from procurement.engine.readiness_records import FRONTEND, RDMA, Records, records_of
from procurement.engine.readiness_totals import Scope, SiteShares, last_known, scope_of, today
from procurement.engine.tables import Assumptions, Build

__all__ = ["SEVEN_FACTS", "NewestEvidence", "Readiness", "build_readiness", "evidence_limit_days"]

FACT_GATES: Mapping[str, tuple[str, ...]] = {  # what puts a fact on record; accelerator and size are required fields
    "network_design": ("networked",),
    "power_status": ("powered",),
    "cooling_readiness": ("cooled",),
    "delivery_date": ("delivered", "installed"),
    "buyer_access_terms": ("accessible",),
}
SEVEN_FACTS = ("accelerator_type", "size", *FACT_GATES)
ENERGIZATION = {  # status of the powered gate in words of energization (R10)
    "verified": "energized", "partial": "partially_energized", "lost": "de_energized", "planned": "scheduled",
}  # fmt: skip
PHYSICAL_FIVE = ("installed", "powered", "cooled", "networked", "scheduled")


@dataclass(frozen=True, slots=True)
class NewestEvidence:
    """The newest known evidence of a gate and where it is written down."""

    build: str
    index: int
    observed_on: date
    grade: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What a build is worth on a day; accelerators are whole nodes."""

    build: str
    energization_status: str
    availability_status: str
    usable_accelerators: int
    usable_single_node: int
    usable_multi_node: int
    largest_multi_node_job: int
    gate_accelerators: Mapping[str, int]
    binding_gates: tuple[str, ...]
    flags: tuple[str, ...]
    last_known_usable: int
    missing_facts: tuple[str, ...]
    next_change_on: date | None
    usable_firm: int | None  # None where no evidence says what kind of power it is
    gate_status: Mapping[str, str]
    gate_last_known: Mapping[str, int]
    disputed_gates: tuple[str, ...]
    newest_evidence: Mapping[str, NewestEvidence]
    planned_accelerators: int
    is_cancelled: bool
    scope: Scope  # the gates behind the status, by the build's design class
    frontend: Scope  # the gates when the front-end network is enough
    records: Records

    def answer(self) -> dict[str, Any]:
        """Return the fields of the answer document, ready for JSON."""
        return {
            "energization_status": self.energization_status,
            "availability_status": self.availability_status,
            "usable_accelerators": self.usable_accelerators,
            "usable_single_node": self.usable_single_node,
            "usable_multi_node": self.usable_multi_node,
            "largest_multi_node_job": self.largest_multi_node_job,
            "gate_accelerators": dict(self.gate_accelerators),
            "binding_gates": list(self.binding_gates),
            "flags": list(self.flags),
            "last_known_usable": self.last_known_usable,
            "missing_facts": list(self.missing_facts),
            "next_change_on": self.next_change_on.isoformat() if self.next_change_on else None,
            "usable_firm": self.usable_firm,
            "gate_status": dict(self.gate_status),
            "gate_last_known": dict(self.gate_last_known),
            "disputed_gates": list(self.disputed_gates),
            "newest_evidence": {
                gate: {**dataclasses.asdict(newest), "observed_on": newest.observed_on.isoformat()}
                for gate, newest in self.newest_evidence.items()
            },
        }


def build_readiness(
    build: Build,
    *,
    as_of: date,
    assumptions: Assumptions,
    site_builds: Iterable[Build] = (),
    shares: SiteShares | None = None,
) -> Readiness:
    """Return the readiness of one build on a day.

    Parameters
    ----------
    build
        The build with its tranches, evidence and promises.
    as_of
        Day of the evaluation; nothing later is known.
    assumptions
        Age limits, slip classes, the grade asked for power.
    site_builds
        Other builds whose records may be about a pool of this build's site.
    shares
        What this build gets of each site pool [accelerators]; see `readiness_sites.scenario_readiness`.
    """
    records = records_of(build, as_of, assumptions, site_builds)
    scopes = {name: scope_of(records, name, shares) for name in (FRONTEND, RDMA)}
    scope = scopes[RDMA if build.design_class == "multi_node" else FRONTEND]
    is_cancelled = build.cancelled_on is not None and build.cancelled_on <= as_of
    single, multi, largest = (
        (0, 0, 0)
        if is_cancelled
        else (scopes[FRONTEND].usable(today), scopes[RDMA].usable(today), scopes[RDMA].largest_job(today))
    )
    usable = multi if scope.name == RDMA else single
    believed = 0 if is_cancelled else scope.usable(last_known)
    states = scope.states
    return Readiness(
        build=build.id,
        energization_status=ENERGIZATION.get(scope.gate_status("powered"), scope.gate_status("powered")),
        availability_status=_availability(records, scope, usable, believed, is_cancelled=is_cancelled),
        usable_accelerators=usable,
        usable_single_node=single,
        usable_multi_node=multi,
        largest_multi_node_job=largest,
        gate_accelerators={gate: scope.gate_total(gate, today) for gate in GATES},
        binding_gates=scope.binding_gates(),
        flags=_flags(records, states),
        last_known_usable=max(believed, usable),
        missing_facts=_missing_facts(records),
        next_change_on=_next_change_on(records, (*states, *scopes[FRONTEND].states, *scopes[RDMA].states)),
        usable_firm=0 if is_cancelled else _usable_firm(records, scope.name, shares),
        gate_status={gate: scope.gate_status(gate) for gate in GATES},
        gate_last_known={gate: scope.gate_total(gate, last_known) for gate in GATES},
        disputed_gates=tuple(gate for gate in GATES if any(one.is_disputed for one in states if one.gate == gate)),
        newest_evidence=_newest_evidence(records),
        planned_accelerators=scope.planned,
        is_cancelled=is_cancelled,
        scope=scope,
        frontend=scopes[FRONTEND],
        records=records,
    )


def _availability(records: Records, scope: Scope, usable: int, believed: int, *, is_cancelled: bool) -> str:
    """Return the availability status, the first that applies (R11)."""
    totals = {gate: scope.gate_total(gate, today) for gate in GATES}
    statuses = {state.status for state in scope.states if state.is_open}
    targets = _all_targets(records)
    ordered = [noted for gate in ("ordered", "delivered", "installed") for noted in records.accepted(gate, targets)]
    applies = {
        "cancelled": is_cancelled,
        "available": usable >= scope.planned,
        "partial": usable > 0,
        "suspended": "lost" in statuses,
        "disputed": "disputed" in statuses,
        "unverified": believed > 0,
        "not_open_to_buyer": all(totals[gate] > 0 for gate in PHYSICAL_FIVE) and totals["accessible"] == 0,
        "awaiting_power": totals["installed"] > 0 and totals["powered"] == 0,
        "blocked": totals["powered"] > 0,
        "building": any(noted.evidence.event is None for noted in ordered),
        "announced": bool(records.evidence or records.promises),
    }
    return next((status for status, holds in applies.items() if holds), "unknown")


def _all_targets(records: Records) -> tuple[str, ...]:
    return (*(tranche.id for tranche in records.build.tranches), *records.pools)


def _flags(records: Records, states: Iterable[PartState]) -> tuple[str, ...]:
    flags = {flag for state in states for flag in state.flags}
    flags |= {f"future_evidence:{gate}" for gate in records.future_gates}
    return tuple(sorted(flags))


def _missing_facts(records: Records) -> tuple[str, ...]:
    """Return the facts with neither accepted evidence nor a promise (semantics 34)."""
    targets = _all_targets(records)
    proven = {gate for gate in EVIDENCE_GATES if records.accepted(gate, targets)}
    if any(noted.evidence.grade == "A" for noted in records.known("job_run", targets)):
        proven |= set(GATES)
    on_record = proven | {promise.gate for promise in records.promises}
    return tuple(fact for fact, gates in FACT_GATES.items() if not on_record & set(gates))


def _usable_firm(records: Records, scope_name: str, shares: SiteShares | None) -> int | None:
    """Return what is usable on firm power alone; None where no accepted evidence says what kind of power it is."""
    powered = records.accepted("powered", _all_targets(records))
    if not any(noted.evidence.power_basis for noted in powered):
        return None
    return scope_of(dataclasses.replace(records, is_firm_only=True), scope_name, shares).usable(today)


def _newest_evidence(records: Records) -> dict[str, NewestEvidence]:
    newest: dict[str, NewestEvidence] = {}
    for noted in records.evidence:
        seen = newest.get(noted.evidence.gate)
        if seen is None or noted.evidence.observed_on >= seen.observed_on:
            entry = NewestEvidence(noted.owner, noted.index, noted.evidence.observed_on, noted.evidence.grade)
            newest[noted.evidence.gate] = entry
    return newest


def _next_change_on(records: Records, states: Iterable[PartState]) -> date | None:
    """Return the first day after today on which time alone may change the answer (section 5.9)."""
    days = [day for state in states for day in state.changes]
    for evidence in records.build.evidence:
        days.append(max(evidence.observed_on, evidence.recorded_on or evidence.observed_on))
    days += [promise.stated_on for promise in records.build.promises]
    if records.build.cancelled_on is not None:
        days.append(records.build.cancelled_on)
    return min((day for day in days if day > records.as_of), default=None)
