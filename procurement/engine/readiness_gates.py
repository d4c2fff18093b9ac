"""The state of one gate of one tranche or pool, one medium or scope at a time (R3, R4, R7, R8, R9)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from procurement.engine.milestones import MILESTONES
from procurement.engine.readiness_records import FRONTEND, POOL, RDMA, Records
from procurement.engine.readiness_statements import Decision, Statement, accelerators_proven, decided
from procurement.engine.tables import Evidence, Promise

CHALLENGE_DAYS = 7  # days to re-confirm after a grade D report of loss (R4)
STATUSES = ("verified", "partial", "lost", "disputed", "stale", "claimed", "overdue", "planned", "no_date")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartState:
    """One gate of one target: what counts today, what was last known, why, and what is promised.

    ``target`` is a tranche or a pool, ``part`` a cooling medium or network scope; accelerators are whole nodes.
    """

    gate: str
    target: str
    part: str | None
    planned: int
    accelerators: int
    last_known: int
    status: str
    flags: frozenset[str] = frozenset()
    has_evidence: bool = False
    is_aged: bool = False
    is_disputed: bool = False
    statement: Statement | None = None
    nodes: tuple[int, int] | None = None
    promises: tuple[Promise, ...] = ()
    promised_for: str = ""  # the target that the promises are about: its own, else a pool's
    changes: tuple[date, ...] = ()

    @property
    def key(self) -> tuple[str, str | None, str]:
        """What makes two states the same: gate, part and target."""
        return self.gate, self.part, self.target

    @property
    def date_key(self) -> tuple[str, str | None, str]:
        """What makes two dates the same: tranches that wait for the promise of a pool share its date."""
        shared = self.promises and not self.is_aged
        return self.gate, self.part, self.promised_for if shared else self.target

    @property
    def is_open(self) -> bool:
        """Whether the gate does not yet cover what is planned."""
        return self.accelerators < self.planned


@dataclass(frozen=True, slots=True)
class _Finding:
    """What the statements come to once age, challenges and contradictions are looked at."""

    accelerators: int = 0
    last_known: int = 0
    is_lost: bool = False
    is_disputed: bool = False
    is_stale: bool = False
    is_aged: bool = False
    flags: tuple[str, ...] = ()
    statement: Statement | None = None
    changes: tuple[date, ...] = ()
    promises_since: date | None = None


def part_state(
    records: Records, gate: str, target: str, part: str | None, planned: int, *, promise_targets: Iterable[str] = ()
) -> PartState:
    """Return the state of a gate of one tranche or pool.

    Parameters
    ----------
    records
        What is known on the day.
    gate, target, part
        Gate; tranche or pool; cooling medium, network scope or None.
    planned
        Accelerators that the target plans; figures are capped there.
    promise_targets
        Pools whose claims and promises speak for the target when it has none of its own.
    """
    finding = _with_old_jobs(_finding(records, gate, target, part, planned), records, gate, target, part, planned)
    job, job_day = job_proof(records, gate, target, part, planned)
    accelerators = max(finding.accelerators, job)
    targets = (target, *promise_targets)
    spoken = next((name for name in targets if records.promised(gate, name, part)), target)
    promises = records.promised(gate, spoken, part)
    is_claimed = any(noted.evidence.event is None for noted in records.known(gate, targets, part))
    state = PartState(
        gate=gate,
        target=target,
        part=part,
        planned=planned,
        accelerators=accelerators,
        last_known=max(finding.last_known, accelerators),
        status=_status(finding, accelerators, planned, is_claimed, _is_passed(promises, records.as_of)),
        has_evidence=bool(records.accepted(gate, (target,), part)),
        is_aged=finding.is_aged and accelerators < finding.last_known,
        is_disputed=finding.is_disputed and job < planned,
        statement=finding.statement,
        nodes=_nodes(finding.statement, job > finding.accelerators),
        promised_for=spoken,
        promises=tuple(
            one for one in promises if finding.promises_since is None or one.stated_on >= finding.promises_since
        ),
        changes=_changes(records, finding, promises if accelerators < planned else (), job_day),
    )
    flags = _flags(state, finding, promises, records)
    return replace(state, flags=frozenset(flags))


def _finding(records: Records, gate: str, target: str, part: str | None, planned: int) -> _Finding:
    """Return what the statements about a gate come to, jobs left aside."""
    statements = records.statements(gate, target, part)
    voided = _voided(records, gate, target, statements)
    kept = [item for item in statements if item not in voided]
    decision = _decided(records, gate, kept, planned)
    if decision is None:
        void = _decided(records, gate, voided, planned)
        if void is None:
            return _Finding()
        flags = (f"recheck_after_loss:{gate}",)
        return _Finding(
            last_known=void.accelerators, is_stale=True, flags=flags, statement=void.statement,
            promises_since=records.newest_outage(_with_pools(records, target)),
        )  # fmt: skip
    if decision.statement.evidence.event == "lost" or decision.is_lost:
        return _Finding(is_lost=True, statement=decision.statement, promises_since=decision.statement.day)
    conflicts = date_conflicts(records, gate, target)
    finding = _aged(records, gate, target, part, decision)
    if conflicts:
        return replace(
            finding, accelerators=0, last_known=0, is_disputed=True, is_aged=False, is_stale=False, flags=conflicts
        )
    return finding


def _with_old_jobs(
    finding: _Finding, records: Records, gate: str, target: str, part: str | None, planned: int
) -> _Finding:
    """Return the finding with what jobs proved that have aged or are voided (R3, R9), where no statement speaks."""
    if finding.statement is not None:
        return finding
    names = (target, POOL) if len(records.build.tranches) == 1 and target not in records.pools else (target,)
    aged, _ = _best_job(records, gate, names, part, planned, despite=("age",))
    if aged:
        return replace(finding, last_known=aged, is_stale=True, is_aged=True)
    void, _ = _best_job(records, gate, names, part, planned, despite=("age", "outage"))
    if void:
        since = records.newest_outage(_with_pools(records, target))
        flags = (f"recheck_after_loss:{gate}",)
        return replace(finding, last_known=void, is_stale=True, flags=flags, promises_since=since)
    return finding


def _decided(records: Records, gate: str, statements: list[Statement], planned: int) -> Decision | None:
    return decided(
        statements, planned, lambda evidence: records.is_fresh(evidence, gate), newest_wins=gate == "scheduled"
    )


def _voided(records: Records, gate: str, target: str, statements: list[Statement]) -> list[Statement]:
    """Return the scheduler statements that a loss of power or cooling voids (R9)."""
    outage = records.newest_outage(_with_pools(records, target)) if gate == "scheduled" else None
    return [] if outage is None else [item for item in statements if item.day <= outage]


def _with_pools(records: Records, target: str) -> tuple[str, ...]:
    """Return the targets whose losses touch a target: itself and the pools, for a pool every tranche."""
    if target in records.pools:
        return (*(tranche.id for tranche in records.build.tranches), *records.pools)
    return (target, *records.pools)


def _aged(records: Records, gate: str, target: str, part: str | None, decision: Decision) -> _Finding:
    """Return the finding after age and challenges (R3, R4)."""
    evidence = decision.statement.evidence
    challenge = _challenge(records, gate, target, part, decision)
    last_day = records.last_day(evidence, gate)
    is_aged = last_day < records.as_of
    is_overrun = challenge is not None and (records.as_of - challenge).days > CHALLENGE_DAYS
    is_stale = is_aged or is_overrun
    changes = [last_day + timedelta(days=1)]
    flags = []
    if challenge is not None and not is_overrun:
        changes.append(challenge + timedelta(days=CHALLENGE_DAYS + 1))
        flags.append(f"challenged:{gate}")
    return _Finding(
        accelerators=0 if is_stale else decision.accelerators,
        last_known=decision.accelerators,
        is_disputed=decision.is_disputed,
        is_stale=is_stale and decision.accelerators > 0,
        is_aged=is_aged and not is_overrun and decision.accelerators > 0,
        flags=tuple(flags),
        statement=decision.statement,
        changes=tuple(changes),
        promises_since=challenge if is_overrun else None,
    )


def _challenge(records: Records, gate: str, target: str, part: str | None, decision: Decision) -> date | None:
    """Return the day of the first grade D report of loss that no accepted statement has answered since."""
    confirmed = max(item.day for item in (*records.statements(gate, target, part), decision.statement))
    reports = [
        noted.evidence.observed_on
        for noted in records.known(gate, (target,), part)
        if noted.evidence.grade == "D" and noted.evidence.event is not None and noted.evidence.observed_on > confirmed
    ]
    return min(reports, default=None)


def job_proof(records: Records, gate: str, target: str, part: str | None, planned: int) -> tuple[int, date | None]:
    """Return the accelerators that own jobs prove for a gate (R7), and the last day on which they do.

    For a pool, jobs on all of it count; where it has evidence, the jobs on its tranches together may prove more.
    """
    if records.is_firm_only and gate == "powered":
        return 0, None
    if target not in records.pools:
        names = (target, POOL) if len(records.build.tranches) == 1 else (target,)
        return _best_job(records, gate, names, part, planned)
    together, last_day = _best_job(records, gate, (target,), part, planned)
    if not records.accepted(gate, (target,), part):
        return together, last_day
    apart = [_best_job(records, gate, (tranche.id,), part, planned) for tranche in records.build.tranches]
    summed = min(sum(proven for proven, _ in apart), planned)
    if summed <= together:
        return together, last_day
    return summed, min(day for proven, day in apart if proven and day is not None)


def _best_job(
    records: Records, gate: str, targets: tuple[str, ...], part: str | None, planned: int, despite: tuple[str, ...] = ()
) -> tuple[int, date | None]:
    """Return the most that one job proves, with its last day; ``despite`` its age, or an outage since."""
    best: tuple[int, date | None] = (0, None)
    for noted in records.known("job_run", targets):
        job = noted.evidence
        proven = accelerators_proven(job, records.build, part) or 0
        is_in_time = "age" in despite or records.is_fresh(job, gate)
        if min(proven, planned) > best[0] and is_in_time and _is_proof(records, job, gate, part, despite):
            best = (min(proven, planned), records.last_day(job, gate))
    return best


def _is_proof(records: Records, job: Evidence, gate: str, part: str | None, despite: tuple[str, ...]) -> bool:
    """Tell whether a job of any age proves a gate: grade A, over the fabric asked, no newer loss.

    ``despite`` an outage: of power or cooling, which voids what the job said of the scheduler (R9).
    """
    if job.grade != "A" or job.event is not None:
        return False
    if part == RDMA and gate == "networked" and job.scope != RDMA:
        return False
    targets = _with_pools(records, job.tranche)
    losses = [records.newest_loss(gate, targets, part)]
    if gate == "scheduled" and "outage" not in despite:
        losses.append(records.newest_outage(targets))
    return all(loss is None or loss < job.observed_on for loss in losses)


def date_conflicts(records: Records, gate: str, target: str) -> tuple[str, ...]:
    """Return a flag for each earlier milestone that was achieved after this gate, which cannot be (R8)."""
    targets = (target, *records.pools)
    reached = _achieved_on(records, gate, targets)
    if reached is None:
        return ()
    flags = []
    for earlier in MILESTONES[gate].after:
        if earlier == "utility_energized" and _is_on_site(records, targets):
            continue
        before = _achieved_on(records, earlier, targets)
        if before is not None and before > reached and records.newest_loss(earlier, targets) is None:
            flags.append(f"date_conflict:{gate}<{earlier}")
    return tuple(flags)


def _achieved_on(records: Records, gate: str, targets: tuple[str, ...]) -> date | None:
    """Return the day a gate was achieved, as the newest accepted statement that names one says."""
    dated = [
        noted.evidence for noted in records.accepted(gate, targets)
        if noted.evidence.achieved_on is not None and noted.evidence.event is None
    ]  # fmt: skip
    if not dated:
        return None
    return max(
        dated, key=lambda evidence: (evidence.observed_on, evidence.recorded_on or evidence.observed_on)
    ).achieved_on


def _is_on_site(records: Records, targets: tuple[str, ...]) -> bool:
    """Tell whether the newest power is generated on site, for which the utility's order is not enforced."""
    powered = [noted.evidence for noted in records.accepted("powered", targets) if noted.evidence.event is None]
    newest = max(powered, key=lambda evidence: evidence.observed_on, default=None)
    return newest is not None and (newest.power_basis or "").startswith("onsite")


def _is_passed(promises: tuple[Promise, ...], as_of: date) -> bool | None:
    """Tell whether the promise that holds has passed; None when there is no promise."""
    return promises[-1].date < as_of if promises else None


def _status(finding: _Finding, accelerators: int, planned: int, is_claimed: bool, is_passed: bool | None) -> str:
    """Return the gate status, the first that applies (semantics 32)."""
    applies = {
        "verified": accelerators >= planned,
        "partial": accelerators > 0,
        "lost": finding.is_lost,
        "disputed": finding.is_disputed,
        "stale": finding.is_stale,
        "claimed": is_claimed and finding.statement is None,
        "overdue": is_passed is True,
        "planned": is_passed is False,
    }
    return next((status for status, holds in applies.items() if holds), "no_date")


def _flags(state: PartState, finding: _Finding, promises: tuple[Promise, ...], records: Records) -> set[str]:
    gate = state.gate
    flags = {flag for flag in finding.flags if not (flag.startswith("recheck") and not state.is_open)}
    if state.status == "stale" and not any(flag.startswith("recheck") for flag in finding.flags):
        flags.add(f"stale:{gate}")
    if state.status == "overdue":
        flags.add(f"overdue:{gate}")
    if state.status == "no_date":
        flags.add(f"missing_date:{gate}")
    if state.status == "partial" and _is_passed(promises, records.as_of):
        flags.add(f"overdue_remainder:{gate}")
    convertible = len(records.statements(gate, state.target, state.part)) if not records.is_firm_only else None
    if convertible is not None and convertible < len(records.accepted(gate, (state.target,), state.part)):
        flags.add(f"not_convertible:{gate}")
    return flags


def _nodes(statement: Statement | None, is_job: bool) -> tuple[int, int] | None:
    return None if statement is None or is_job else statement.evidence.nodes


def _changes(
    records: Records, finding: _Finding, promises: tuple[Promise, ...], job_day: date | None
) -> tuple[date, ...]:
    """Return the coming days on which this state may change by time alone."""
    days = [*finding.changes, *(promise.date + timedelta(days=1) for promise in promises[-1:])]
    if job_day is not None:
        days.append(job_day + timedelta(days=1))
    return tuple(sorted(day for day in days if day > records.as_of))


def frontend_state(own: PartState, rdma: PartState, loss: date | None) -> PartState:
    """Return the state of the front-end network, which the fabric proves too unless a newer loss says otherwise."""
    day = rdma.statement.day if rdma.statement else None
    is_beaten = loss is not None and (day is None or loss >= day)
    is_covered = own.accelerators < rdma.accelerators or (
        not own.has_evidence and rdma.accelerators == own.accelerators
    )
    if is_beaten or not is_covered:
        return own
    return replace(rdma, part=FRONTEND)
