"""What is known about a build on a day: its own records and those of its site's pools."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from procurement.engine.milestones import evidence_limit_days
from procurement.engine.money import exchange_rate
from procurement.engine.readiness_statements import (
    GRADE_RANK,
    Statement,
    accelerators_proven,
    is_accepted,
    is_known,
)
from procurement.engine.tables import Assumptions, Build, Evidence, Promise

POOL = "*"
SITE_PREFIX = "site:"
FIRM_POWER = ("utility_firm", "onsite_permanent")
RDMA, FRONTEND = "rdma", "frontend"


@dataclass(frozen=True, slots=True)
class Noted:
    """Evidence with the place it is written down: build and index in that build's list."""

    evidence: Evidence
    owner: str
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """All that is known about one build on one day, in the engine's own order."""

    build: Build
    as_of: date
    assumptions: Assumptions
    evidence: tuple[Noted, ...]
    promises: tuple[Promise, ...]
    future_gates: tuple[str, ...]
    powered_grade: str
    pools: tuple[str, ...] = (POOL,)  # shared targets: the pool of all tranches and every site pool that is named
    is_firm_only: bool = False

    def known(self, gate: str, targets: Iterable[str], part: str | None = None) -> list[Noted]:
        """Return the evidence known about a gate of some targets, for a medium or scope if one is given."""
        wanted = set(targets)
        return [
            noted
            for noted in self.evidence
            if noted.evidence.gate == gate
            and noted.evidence.tranche in wanted
            and (part is None or is_about(noted.evidence, part, self.build))
        ]

    def accepted(self, gate: str, targets: Iterable[str], part: str | None = None) -> list[Noted]:
        """Return the known evidence that counts (grades A to C)."""
        return [noted for noted in self.known(gate, targets, part) if is_accepted(noted.evidence, self.powered_grade)]

    def statements(self, gate: str, target: str, part: str | None) -> list[Statement]:
        """Return the accepted evidence that can be turned into accelerators; for firm power only the firm sources."""
        found = []
        for noted in self.accepted(gate, (target,), part):
            proven = accelerators_proven(noted.evidence, self.build, part)
            if proven is not None and not self._is_left_out(noted.evidence):
                found.append(Statement(noted.evidence, noted.owner, noted.index, proven))
        return found

    def _is_left_out(self, evidence: Evidence) -> bool:
        positive_power = evidence.gate == "powered" and evidence.event is None
        return self.is_firm_only and positive_power and evidence.power_basis not in FIRM_POWER

    def promised(self, gate: str, target: str, part: str | None) -> tuple[Promise, ...]:
        """Return the promises about a gate of one target, oldest first; without medium a promise covers all media."""
        found = [
            promise
            for promise in self.promises
            if promise.gate == gate
            and promise.tranche == target
            and (gate != "cooled" or part is None or promise.medium in (None, part))
        ]
        return tuple(sorted(found, key=lambda promise: (promise.stated_on, promise.date)))

    def is_fresh(self, evidence: Evidence, gate: str) -> bool:
        """Tell whether evidence is within the age limit of a gate (R3)."""
        return self.last_day(evidence, gate) >= self.as_of

    def last_day(self, evidence: Evidence, gate: str) -> date:
        """Return the last day on which evidence counts for a gate; its own validity replaces the limit in days."""
        if evidence.valid_until is not None:
            return evidence.valid_until
        return evidence.observed_on + timedelta(days=evidence_limit_days(gate, self.assumptions.evidence_days))

    def newest_loss(self, gate: str, targets: Iterable[str], part: str | None = None) -> date | None:
        """Return the day of the newest accepted loss or reduction of a gate."""
        days = [noted.evidence.observed_on for noted in self.accepted(gate, targets, part) if noted.evidence.event]
        return max(days, default=None)

    def newest_outage(self, targets: Iterable[str]) -> date | None:
        """Return the day of the newest accepted loss of power or cooling, which voids scheduler evidence (R9)."""
        wanted = tuple(targets)
        losses = [noted.evidence for gate in ("powered", "cooled") for noted in self.accepted(gate, wanted)]
        gone = [loss.observed_on for loss in losses if loss.event == "lost" or (loss.event and loss.qty == 0)]
        return max(gone, default=None)


def is_about(evidence: Evidence, part: str, build: Build) -> bool:
    """Tell whether evidence is about a cooling medium or a network scope.

    Cooling without medium covers all media; a network record without scope is about what the build is designed for.
    """
    if evidence.gate == "cooled":
        return evidence.medium in (None, part)
    if evidence.gate != "networked":
        return True
    designed = RDMA if build.design_class == "multi_node" or evidence.unit == "rdma_ports" else FRONTEND
    return (evidence.scope or designed) == part


def records_of(build: Build, as_of: date, assumptions: Assumptions, site_builds: Iterable[Build] = ()) -> Records:
    """Return what is known about a build on a day (R1).

    Parameters
    ----------
    build
        The build that is judged.
    as_of
        Day of the evaluation: nothing observed, recorded or stated later is known.
    assumptions
        Age limits, the grade asked for power and exchange rates.
    site_builds
        Other builds of the scenario, whose records may be about a pool of this build's site.
    """
    noted = [Noted(evidence, build.id, index) for index, evidence in enumerate(build.evidence)]
    promises = list(build.promises)
    sites = site_pools_of(build)
    for other in site_builds:
        if other.id != build.id:
            noted += [
                Noted(evidence, other.id, index)
                for index, evidence in enumerate(other.evidence)
                if evidence.tranche in sites
            ]
            promises += [promise for promise in other.promises if promise.tranche in sites]
    later = {item.evidence.gate for item in noted if not is_known(item.evidence, as_of)}
    return Records(
        build=build,
        as_of=as_of,
        assumptions=assumptions,
        evidence=tuple(item for item in noted if is_known(item.evidence, as_of)),
        promises=tuple(promise for promise in promises if promise.stated_on <= as_of),
        future_gates=tuple(sorted(later)),
        powered_grade=powered_grade(build, as_of, assumptions),
        pools=(POOL, *sorted(sites)),
    )


def site_pools_of(build: Build) -> frozenset[str]:
    """Return the names of the site pools that a build shares: its site's, or those that its own records name."""
    targets = [evidence.tranche for evidence in build.evidence] + [promise.tranche for promise in build.promises]
    named = {target for target in targets if target.startswith(SITE_PREFIX)}
    return frozenset(named | ({f"{SITE_PREFIX}{build.site}"} if build.site else set()))


def powered_grade(build: Build, as_of: date, assumptions: Assumptions) -> str:
    """Return the least grade that evidence of power needs: stricter when the build's one-off costs pass a threshold.

    A line in a currency without a rate counts as passing it, since its size is not known.
    """
    stricter = assumptions.powered_grade
    if stricter is None or GRADE_RANK[stricter.grade] >= GRADE_RANK["C"]:
        return "C"
    spend = 0.0
    for line in build.costs:
        if line.basis == "once" and line.amount is not None:
            rate = exchange_rate(line.currency, assumptions.currency, assumptions.fx, as_of)
            spend += float("inf") if rate is None else line.amount * rate
    return stricter.grade if spend > stricter.above else "C"
