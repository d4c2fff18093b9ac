"""Statements about a gate: which count, how many accelerators each proves, and which of them decides (R1, R2, R5)."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from procurement.engine.tables import Build, Evidence

GRADE_RANK = {"A": 0, "B": 1, "C": 2, "D": 3, "E": 4}
ACCEPTED_RANK = GRADE_RANK["C"]
CONFLICT_DAYS = 7  # statements so close to the newest are weighed against one another (R2)
RECOVERY_DAYS = 7  # a recovery so soon after a loss needs at least the grade of the loss (R2)
REDUNDANCY_2N = 0.5  # two full sides, of which one must carry everything
_ROUNDING = 1e-9  # relative; keeps 124.0 kW / 12.4 kW at 10 nodes


@dataclass(frozen=True, slots=True)
class Statement:
    """Accepted evidence with the accelerators it proves, in whole nodes; ``owner`` and ``index`` are its place."""

    evidence: Evidence
    owner: str
    index: int
    accelerators: int

    @property
    def day(self) -> date:
        """Day on which it was true."""
        return self.evidence.observed_on

    @property
    def rank(self) -> int:
        """0 for grade A, 4 for grade E."""
        return GRADE_RANK[self.evidence.grade]

    @property
    def order(self) -> tuple[date, date, str, int]:
        """What sorts statements from the oldest to the newest."""
        return self.day, self.evidence.recorded_on or self.day, self.owner, self.index


@dataclass(frozen=True, slots=True)
class Decision:
    """What the statements about one part of a gate say before age is looked at."""

    statement: Statement
    accelerators: int
    is_lost: bool = False
    is_disputed: bool = False


def is_known(evidence: Evidence, as_of: date) -> bool:
    """Tell whether evidence was true and recorded by a day (R1)."""
    return evidence.observed_on <= as_of and (evidence.recorded_on or evidence.observed_on) <= as_of


def is_accepted(evidence: Evidence, powered_grade: str) -> bool:
    """Tell whether evidence counts: grade A to C, for power at least the grade asked; a loss of grade C always does."""
    least = powered_grade if evidence.gate == "powered" and evidence.event is None else "C"
    return GRADE_RANK[evidence.grade] <= GRADE_RANK[least]


def whole_nodes(accelerators: float, per_node: int) -> int:
    """Return accelerators floored to whole nodes (R5)."""
    nodes = math.floor(accelerators / per_node * (1 + _ROUNDING))
    return nodes * per_node


def accelerators_proven(evidence: Evidence, build: Build, part: str | None) -> int | None:
    """Return the accelerators that evidence proves for a part of its gate, in whole nodes; None if not convertible.

    Parameters
    ----------
    evidence
        The statement, in any unit its gate may have.
    build
        Gives power, heat and ports of one node.
    part
        The cooling medium or network scope in question.
    """
    if evidence.event == "lost":
        return 0
    per_node = build.accelerators_per_node
    listed = None if evidence.nodes is None else (evidence.nodes[1] - evidence.nodes[0] + 1) * per_node
    if evidence.qty is None:
        return listed
    nodes = _nodes_proven(evidence, evidence.qty, build, part)
    if nodes is None:
        return 0 if evidence.event == "reduced" else listed
    stated = whole_nodes(nodes * per_node, per_node)
    return stated if listed is None else min(stated, listed)


def _nodes_proven(evidence: Evidence, quantity: float, build: Build, part: str | None) -> float | None:
    """Return how many nodes a quantity is enough for."""
    match evidence.unit:
        case "accelerators":
            return quantity / build.accelerators_per_node
        case "nodes":
            return quantity
        case "rdma_ports":
            return _per_node(quantity, build.rdma_ports_per_node)
        case "ports":
            return _per_node(quantity, build.rdma_ports_per_node if part == "rdma" else None)
    kw = _usable_kw(evidence, quantity)
    needed = _heat_per_node(build, evidence.medium or part, evidence.medium) if evidence.gate == "cooled" else None
    if evidence.gate == "powered":
        needed = build.it_kw_per_node
    return None if kw is None else _per_node(kw, needed)


def _per_node(quantity: float, needed: float | None) -> float | None:
    return None if not needed else quantity / needed


def _heat_per_node(build: Build, medium: str | None, stated: str | None) -> float | None:
    """Return the heat of a node by a medium; a statement without medium is about all of them together."""
    by_medium = build.cooling_kw_per_node
    if not by_medium:
        return None
    return sum(by_medium.values()) if stated is None else by_medium.get(medium or "")


def _usable_kw(evidence: Evidence, quantity: float) -> float | None:
    """Return IT kW: facility power over PUE, nameplate times its usable share and its redundancy (conversion rules)."""
    kw: float | None = quantity
    if evidence.unit == "kw_facility":
        kw = quantity / evidence.pue if evidence.pue else None
    is_nameplate = (
        evidence.unit == "kw_nameplate"
        or evidence.basis == "nameplate"
        or (evidence.basis is None and evidence.redundancy in ("N+1", "2N"))
    )
    if kw is None or not is_nameplate:
        return kw
    share = _redundancy_share(evidence)
    return None if share is None else kw * evidence.continuous_factor * share


def _redundancy_share(evidence: Evidence) -> float | None:
    if evidence.redundancy == "2N":
        return REDUNDANCY_2N
    if evidence.redundancy == "N+1":
        return None if not evidence.feeds else (evidence.feeds - 1) / evidence.feeds
    return 1.0


def decided(
    statements: Iterable[Statement], cap: int, is_fresh: Callable[[Evidence], bool], *, newest_wins: bool = False
) -> Decision | None:
    """Return which statement holds (R2); None when there is none.

    Parameters
    ----------
    statements
        Accepted statements about one gate, tranche, medium and scope.
    cap
        Accelerators above which figures do not differ: what is planned.
    is_fresh
        Tells whether evidence is within its age limit; aged statements decide only when all are aged.
    newest_wins
        Whether grade A readings are telemetry, of which the newest is right (semantics 32).
    """
    ordered = sorted((replace(item, accelerators=min(item.accelerators, cap)) for item in statements), key=_order)
    losses = [item for item in ordered if item.evidence.event is not None]
    held = [item for item in ordered if item.evidence.event is None]
    if losses:
        held = [item for item in held if _recovers(item, losses[-1])]
        if not held:
            loss = losses[-1]
            gone = loss.evidence.event == "lost" or loss.accelerators == 0
            return Decision(loss, loss.accelerators, is_lost=gone)
    if not held:
        return None
    if newest_wins and held[-1].evidence.grade == "A":
        return Decision(held[-1], held[-1].accelerators)
    return _weighed(_sources_added(held, cap), is_fresh)


def _order(statement: Statement) -> tuple[date, date, str, int]:
    return statement.order


def _recovers(statement: Statement, loss: Statement) -> bool:
    """Tell whether a statement outlives a loss: newer, and within the week at least as well proven."""
    gap = (statement.day - loss.day).days
    return gap > RECOVERY_DAYS or (gap > 0 and statement.rank <= loss.rank)


def _sources_added(held: Sequence[Statement], cap: int) -> list[Statement]:
    """Return the statements with those of one day that name different sources of power added up.

    Utility feed and turbines of one day are two figures of two things, not two figures of one thing; of one source the
    lower figure counts.
    """
    by_day: dict[date, dict[str, Statement]] = {}
    for item in held:
        source = item.evidence.power_basis
        if source is not None:
            known = by_day.setdefault(item.day, {})
            known[source] = min(known.get(source, item), item, key=lambda one: one.accelerators)
    several = {day: list(sources.values()) for day, sources in by_day.items() if len(sources) > 1}
    kept = [item for item in held if item.day not in several or item.evidence.power_basis is None]
    for parts in several.values():
        weakest = max(parts, key=lambda one: (one.rank, one.order))
        kept.append(replace(weakest, accelerators=min(sum(one.accelerators for one in parts), cap)))
    return sorted(kept, key=_order)


def _weighed(held: Sequence[Statement], is_fresh: Callable[[Evidence], bool]) -> Decision:
    """Return the best grade within a week of the newest, newest first; silent falls and clashes take the lower."""
    fresh = [item for item in held if is_fresh(item.evidence)] or list(held)
    window = [item for item in fresh if (fresh[-1].day - item.day).days <= CONFLICT_DAYS]
    winner = min(reversed(window), key=lambda item: item.rank)
    clashing = [item for item in held if item.day == winner.day and item.accelerators != winner.accelerators]
    lowest = min([winner, *clashing], key=lambda item: item.accelerators)
    is_fall = any(item.day < winner.day and item.accelerators > winner.accelerators for item in held)
    return Decision(lowest, lowest.accelerators, is_disputed=bool(clashing) or is_fall)
