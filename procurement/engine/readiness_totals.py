"""From gates of tranches and pools to what is usable in all (R5, R6, section 5.5)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from procurement.engine.codes import GATES
from procurement.engine.readiness_gates import STATUSES, PartState, frontend_state, job_proof, part_state
from procurement.engine.readiness_records import FRONTEND, POOL, RDMA, Records
from procurement.engine.tables import Build, Tranche

Figure = Callable[[PartState], int]
PartKey = tuple[str, str | None]
SiteShares = Mapping[tuple[str, str | None, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrancheState:
    """The gates of one tranche for one network scope, and the pools it draws on instead where it has no evidence."""

    tranche: Tranche
    own: Mapping[PartKey, PartState]
    pooled: Mapping[PartKey, tuple[PartState, ...]]

    @property
    def states(self) -> tuple[PartState, ...]:
        """Every state that this tranche depends on."""
        return (*self.own.values(), *(state for states in self.pooled.values() for state in states))

    def usable(self, figure: Figure) -> int:
        """Return the least of its own gates, or the size of the intersection of node lists (R6)."""
        least = min((figure(state) for state in self.own.values()), default=self.tranche.planned_accelerators)
        return min(least, self.tranche.planned_accelerators)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """All gates of a build when its jobs need the fabric (rdma) or the front-end network alone (frontend)."""

    name: str
    build: Build
    tranches: tuple[TrancheState, ...]
    caps: Mapping[PartKey, tuple[PartState, ...]]  # pools that limit all tranches together
    job: int  # accelerators on which one job over all of the build ran

    @property
    def planned(self) -> int:
        """Accelerators planned in all tranches."""
        return sum(state.tranche.planned_accelerators for state in self.tranches)

    @property
    def states(self) -> tuple[PartState, ...]:
        """Every state that decides, each once."""
        found = {state.key: state for tranche in self.tranches for state in tranche.states}
        found |= {state.key: state for states in self.caps.values() for state in states}
        return tuple(found.values())

    def gate_total(self, gate: str, figure: Figure) -> int:
        """Return the accelerators of a gate over all tranches, within its pools."""
        summed = sum(
            min(
                [figure(part) for key, part in state.own.items() if key[0] == gate]
                or [state.tranche.planned_accelerators]
            )
            for state in self.tranches
        )
        return min([summed, *(self._limit(key, figure) for key in self.caps if key[0] == gate)])

    def _limit(self, key: PartKey, figure: Figure) -> int:
        """Return what the pools of a part allow; a pool known by a job alone never lowers what tranches prove."""
        own = sum(figure(state.own[key]) for state in self.tranches if key in state.own)
        return min(max(figure(cap), 0 if cap.has_evidence else own) for cap in self.caps[key])

    def nodes_in_common(self, state: TrancheState) -> int | None:
        """Return the accelerators on nodes that all node lists of a tranche and its pools name; None without any."""
        lists = [part.nodes for part in self._listed(state)]
        spans = [span for span in lists if span is not None]
        if not spans:
            return None
        first, last = max(span[0] for span in spans), min(span[1] for span in spans)
        return max(0, last - first + 1) * self.build.accelerators_per_node

    def _listed(self, state: TrancheState) -> Iterable[PartState]:
        caps = [cap for caps in self.caps.values() for cap in caps]
        return (part for part in (*state.states, *caps) if part.accelerators > 0 and part.nodes is not None)

    def usable_by_tranche(self, figure: Figure) -> tuple[int, ...]:
        """Return what each tranche could use if pools were not shared."""
        found = []
        for state in self.tranches:
            common = self.nodes_in_common(state)
            least = state.usable(figure)
            found.append(least if common is None else min(least, common))
        return tuple(found)

    def usable(self, figure: Figure) -> int:
        """Return what all tranches can use together: their sum within every pool, at least what a job proves."""
        caps = [self._limit(key, figure) for key in self.caps]
        return max(min([sum(self.usable_by_tranche(figure)), *caps]), self.job)

    def largest_job(self, figure: Figure) -> int:
        """Return the largest job inside one fabric domain."""
        by_domain: dict[str, int] = {}
        for state, usable in zip(self.tranches, self.usable_by_tranche(figure), strict=True):
            domain = state.tranche.fabric_domain or state.tranche.id
            by_domain[domain] = by_domain.get(domain, 0) + usable
        return max(min(self.usable(figure), max(by_domain.values(), default=0)), self.job)

    def gate_status(self, gate: str) -> str:
        """Return the status of a gate over all tranches: by its total, else the first status that any part has."""
        total = self.gate_total(gate, today)
        if total >= self.planned:
            return "verified"
        if total > 0:
            return "partial"
        found = {state.status for state in self.states if state.gate == gate and state.is_open}
        return next((status for status in STATUSES[2:] if status in found), "no_date")

    def binding_gates(self) -> tuple[str, ...]:
        """Return the gates with the smallest total, or those whose node lists do not meet; none when all is usable."""
        usable = self.usable(today)
        if usable >= self.planned:
            return ()
        totals = {gate: self.gate_total(gate, today) for gate in GATES}
        least = min(totals.values())
        listed = {part.gate for state in self.tranches for part in self._listed(state)}
        if least > usable and listed:
            return tuple(gate for gate in GATES if gate in listed)
        return tuple(gate for gate in GATES if totals[gate] == least)


def today(state: PartState) -> int:
    """Return what a state counts today."""
    return state.accelerators


def last_known(state: PartState) -> int:
    """Return what a state would count if aged evidence were believed."""
    return state.last_known


def parts_of(gate: str, build: Build, scope: str) -> tuple[str | None, ...]:
    """Return what a gate is judged by: each cooling medium the nodes need, the network scope, else the gate itself."""
    if gate == "networked":
        return (scope,)
    if gate == "cooled":
        return tuple(medium for medium, kw in (build.cooling_kw_per_node or {}).items() if kw > 0) or (None,)
    return (None,)


def scope_of(records: Records, name: str, shares: SiteShares | None = None) -> Scope:
    """Return all gates of a build for a network scope.

    Parameters
    ----------
    records
        What is known on the day.
    name
        `rdma` or `frontend`.
    shares
        What this build gets of each site pool, by gate, part and pool [accelerators]; all of it when left out.
    """
    build = records.build
    keys = [(gate, part) for gate in GATES for part in parts_of(gate, build, name)]
    planned = sum(tranche.planned_accelerators for tranche in build.tranches)
    pools = {key: _pools(records, key, planned, shares or {}) for key in keys}
    tranches = tuple(_tranche_state(records, tranche, keys, pools) for tranche in build.tranches)
    used = {key: tuple(state for state in pools[key] if state.has_evidence or state.accelerators > 0) for key in keys}
    needs = ((gate, part) for gate, part in keys)
    job = min((job_proof(records, gate, POOL, part, planned)[0] for gate, part in needs), default=0)
    return Scope(
        name=name,
        build=build,
        tranches=tranches,
        caps={key: states for key, states in used.items() if states},
        job=job if _is_one_job(records) else 0,
    )


def _is_one_job(records: Records) -> bool:
    """Tell whether a job ran on the build as a whole, not on one tranche."""
    return bool(records.known("job_run", (POOL,)))


def _pools(records: Records, key: PartKey, planned: int, shares: SiteShares) -> tuple[PartState, ...]:
    states = []
    for pool in records.pools:
        state = _state(records, key, pool, planned, ())
        share = shares.get((*key, pool))
        if share is not None and share < state.accelerators:
            state = replace(state, accelerators=share, status="partial", last_known=min(share, state.last_known))
        states.append(state)
    return tuple(states)


def _tranche_state(
    records: Records, tranche: Tranche, keys: Iterable[PartKey], pools: Mapping[PartKey, tuple[PartState, ...]]
) -> TrancheState:
    """Return the gates of a tranche; a pooled gate without evidence of the tranche is left out (semantics 32)."""
    own: dict[PartKey, PartState] = {}
    pooled: dict[PartKey, tuple[PartState, ...]] = {}
    for key in keys:
        state = _state(records, key, tranche.id, tranche.planned_accelerators, records.pools)
        proven = tuple(pool for pool in pools[key] if pool.has_evidence)
        helped = tuple(pool for pool in pools[key] if pool.accelerators > 0)
        if not state.has_evidence and (proven or (helped and state.accelerators == 0)):
            pooled[key] = proven or helped
        else:
            own[key] = state
    return TrancheState(tranche=tranche, own=own, pooled=pooled)


def _state(records: Records, key: PartKey, target: str, planned: int, promise_targets: Iterable[str]) -> PartState:
    gate, part = key
    targets = tuple(promise_targets)
    state = part_state(records, gate, target, part, planned, promise_targets=targets)
    if part != FRONTEND:
        return state
    rdma = part_state(records, gate, target, RDMA, planned, promise_targets=targets)
    return frontend_state(state, rdma, records.newest_loss(gate, (target, *records.pools), FRONTEND))
