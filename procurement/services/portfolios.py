"""Portfolios: ask for one on a finished run, solve it, stop it; the same question is the same stored answer."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

from django.db import DatabaseError, transaction
from django.utils import timezone

from procurement.engine import ENGINE_VERSION
from procurement.engine.errors import ScenarioError
from procurement.engine.pipeline import PORTFOLIO_GAP, PORTFOLIO_SECONDS, portfolio
from procurement.engine.portfolio import refused_reason
from procurement.engine.portfolio_solver import SOLVER
from procurement.engine.scenario import parse_scenario, scenario_digest
from procurement.errors import ProcurementError
from procurement.models import AllocationRow, JobStatus, Portfolio, PortfolioState, Run, RunState
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.jobs import job_request

GAP = Decimal(str(PORTFOLIO_GAP))
SMALLEST_GAP, LARGEST_GAP = Decimal(0), Decimal("0.5")
SECONDS = int(PORTFOLIO_SECONDS)
FEWEST_SECONDS, MOST_SECONDS = 5, 300  # well below what a job may take
MOST_PINS = 500
MOST_OPEN = 6  # of one person at once: solves share the workers with imports and recomputations
ASKS_EVERY = 1.0  # seconds between two looks whether somebody wants it stopped
REFUSALS = {
    "no_workloads": "It holds no workload, so there is nothing to plan.",
    "missing:discount_rate": "It has no discount rate, so costs of different months cannot be compared.",
}


class RunningSolve(Protocol):
    """The running job, as far as a solve needs it."""

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Tell how far the work is."""


def portfolio_request(
    *, by: Actor, run: Run, pins: Sequence[Mapping[str, Any]] = (), gap: Decimal = GAP, time_limit_s: int = SECONDS
) -> tuple[Portfolio, bool]:
    """Ask for the cheapest plan of all workloads of a finished run, and queue it; the same question is the same row.

    Returns the portfolio and whether a worker has yet to answer it. With pins the plan without them is asked for too,
    since what pins cost is the difference. What a person stopped and what failed is tried again. Refuses an unfinished
    run, pins that name nothing, limits out of bounds, what is too large to begin, and more open ones than a person
    may have.
    """
    require(by.user, "portfolio.request")
    if run.state != RunState.FINISHED:
        raise ProcurementError("run_not_finished", f"{run} is not finished; plan on a finished run.")
    _refuse_limits(gap, time_limit_s)
    stated = [_plain(pin) for pin in pins]
    _refuse_document(run, portfolio_document(run, stated), len(stated))
    with transaction.atomic():
        if stated:
            _asked(by, run, [], gap, time_limit_s)
        return _asked(by, run, stated, gap, time_limit_s)


def portfolio_stop(*, by: Actor, portfolio: Portfolio) -> Portfolio:
    """Ask to stop a solve: at once while it waits, else as soon as the solver looks, with the best it has found.

    Safe to repeat; refuses what has ended.
    """
    require(by.user, "portfolio.request")
    with transaction.atomic():
        record = Portfolio.objects.select_for_update().get(pk=portfolio.pk)
        if not record.is_open:
            state = record.get_state_display().lower()
            raise ProcurementError("portfolio_ended", f"{record} cannot be stopped: it has ended as {state}.")
        if record.stop_asked_at is None:
            record.stop_asked_at, record.stop_asked_by = timezone.now(), by.user
            record.save(update_fields=["stop_asked_at", "stop_asked_by"])
            audit_record(by=by, action="portfolio.stop", record=record, changes={"stop": [False, True]})
            if record.job is None or record.job.status != JobStatus.RUNNING:
                _finish(record, PortfolioState.STOPPED, "It was stopped before it began.")
    return record


def portfolio_solve(job: RunningSolve, portfolio: int) -> None:
    """Answer a portfolio that was asked for; safe to repeat, since the same question gives the same answer."""
    record = Portfolio.objects.select_related("run").get(pk=portfolio)
    if not record.is_open:
        return
    if record.stop_asked_at is not None:
        _finish(record, PortfolioState.STOPPED, "It was stopped before it began.")
        return
    job.progress(0, None, f"looking for the cheapest plan, for {record.time_limit_s} seconds at most")
    answer = portfolio_answer(record, is_stopped=StopAsked(record.pk))
    _store(record, answer)
    job.progress(1, 1, PortfolioState(record.state).label.lower())


def portfolio_answer(record: Portfolio, *, is_stopped: Any = lambda: False) -> dict[str, Any]:
    """Return the engine's answer to the question of a portfolio; recomputing a stored one must give the same."""
    scenario = parse_scenario(portfolio_document(record.run, record.pins))
    limits = {"time_limit_s": float(record.time_limit_s), "gap": float(record.gap_asked)}
    return portfolio(scenario, **limits, is_stopped=is_stopped)


def portfolio_failed(*, message: str, portfolio: int) -> None:
    """Note that a solve failed for good, so that it is shown and can be asked for again."""
    record = Portfolio.objects.filter(pk=portfolio, state=PortfolioState.REQUESTED).first()
    if record is not None:
        _finish(record, PortfolioState.FAILED, message[:2000])


class StopAsked:
    """Whether somebody wants a solve stopped: looks into the database once a second, and never raises.

    It is called by the solver in the middle of its work; a database that is away stops the solve, whose answer could
    not be stored anyhow.
    """

    def __init__(self, portfolio: int) -> None:
        self.portfolio = portfolio
        self.looked_at = time.monotonic()
        self.is_asked = False

    def __call__(self) -> bool:
        """Return whether to stop."""
        now = time.monotonic()
        if not self.is_asked and now - self.looked_at >= ASKS_EVERY:
            self.looked_at = now
            self.is_asked = self._look()
        return self.is_asked

    def _look(self) -> bool:
        try:
            return Portfolio.objects.filter(pk=self.portfolio, stop_asked_at__isnull=False).exists()
        except DatabaseError:
            return True


def portfolio_document(run: Run, pins: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the question of a portfolio as a scenario document: the run's inputs with the pins beside its own."""
    inputs = Run.objects.values_list("inputs", flat=True).get(pk=run.pk)
    policy = dict(inputs.get("policy") or {})
    if pins:
        policy["pins"] = [*(policy.get("pins") or ()), *pins]
    return {**inputs, "policy": policy}


def portfolio_digest(document: Mapping[str, Any], gap: Decimal, time_limit_s: int) -> str:
    """Return the digest of a question: inputs, pins, limits, engine and solver."""
    parts = [ENGINE_VERSION, SOLVER, scenario_digest(document), f"{gap.normalize():f}", time_limit_s]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _asked(by: Actor, run: Run, pins: list[dict[str, Any]], gap: Decimal, time_limit_s: int) -> tuple[Portfolio, bool]:
    """Return the portfolio of a question, queued unless it has its answer, and whether a worker has yet to answer."""
    now = timezone.now()
    record, is_new = Portfolio.objects.get_or_create(
        digest=portfolio_digest(portfolio_document(run, pins), gap, time_limit_s),
        defaults={
            "run": run, "engine_version": ENGINE_VERSION, "solver": SOLVER, "pins": pins, "gap_asked": gap,
            "time_limit_s": time_limit_s, "requested_by": by.user, "reason": by.reason[:300], "last_asked_at": now,
        },
    )  # fmt: skip
    changes: dict[str, Any] = {"pins": [None, pins], "gap": [None, gap], "time_limit_s": [None, time_limit_s]}
    if not is_new:
        record = Portfolio.objects.select_for_update(of=("self",)).select_related("run").get(pk=record.pk)
        record.last_asked_at = now
        changes = {"asked_again": [False, True]}
        if record.may_be_asked_again:
            changes["state"] = [record.state, PortfolioState.REQUESTED.value]
            _reopen(record)
    if is_new or "state" in changes:
        _refuse_flood(by, record)
        record.job = job_request(
            kind="portfolio_solve", dedupe_key=f"portfolio_solve:{record.pk}", args={"portfolio": record.pk},
            coalesce=True, user=by.user,
        )  # fmt: skip
    record.save()
    audit_record(by=by, action="portfolio.request", record=record, changes=changes)
    return record, record.is_open


def _refuse_flood(by: Actor, record: Portfolio) -> None:
    """Refuse one more open question of a person whose earlier ones still wait for workers."""
    open_ones = Portfolio.objects.filter(state=PortfolioState.REQUESTED, requested_by=by.user).exclude(pk=record.pk)
    waiting = open_ones.count()
    if by.user is not None and waiting >= MOST_OPEN:
        message = f"{waiting} portfolios of {by.user} are open; at most {MOST_OPEN} can be. Wait for one, or stop one."
        raise ProcurementError("too_many_open", message)


def _reopen(record: Portfolio) -> None:
    record.allocation.all().delete()
    record.state, record.message, record.answer = PortfolioState.REQUESTED, "", {}
    record.npv = record.gap = record.build_seconds = record.solve_seconds = None
    record.stop_asked_at = record.stop_asked_by = record.finished_at = None


def _store(record: Portfolio, answer: Mapping[str, Any]) -> None:
    """Write the answer: money and gap as columns, the allocation as rows, the rest as it came."""
    record.npv = None if answer["npv"] is None else Decimal(answer["npv"])
    record.gap = None if answer["gap"] is None else Decimal(str(answer["gap"])).quantize(Decimal("1e-8"))
    record.build_seconds = Decimal(str(answer["seconds"]["build"]))
    record.solve_seconds = Decimal(str(answer["seconds"]["solve"]))
    record.answer = {name: value for name, value in answer.items() if name not in ("allocation", "seconds")}
    record.allocation.all().delete()
    AllocationRow.objects.bulk_create(
        [_allocation_row(record, position, row) for position, row in enumerate(answer["allocation"])], batch_size=2000
    )
    reason = str(answer.get("npv_reason") or "")
    message = reason_words(reason) if answer["state"] == PortfolioState.FAILED else ""
    _finish(record, PortfolioState(answer["state"]), message)


def _finish(record: Portfolio, state: PortfolioState, message: str) -> None:
    record.state, record.message, record.finished_at = state, message, timezone.now()
    record.save(
        update_fields=[
            "state", "message", "finished_at", "npv", "gap", "build_seconds", "solve_seconds", "answer",
        ]
    )  # fmt: skip


def _allocation_row(record: Portfolio, position: int, row: Mapping[str, Any]) -> AllocationRow:
    return AllocationRow(
        portfolio=record, position=position, workload_code=row["workload"], place=row["place"], month=row["month"],
        begins_on=date.fromisoformat(row["begins_on"]), accelerators=Decimal(str(row["accelerators"])),
        share=None if row["share"] is None else Decimal(str(row["share"])),
    )  # fmt: skip


def reason_words(reason: str) -> str:
    """Return why there is no plan, in words."""
    if reason in REFUSALS:
        return REFUSALS[reason]
    kind, _, rest = reason.partition(":")
    if kind == "too_large":
        size, limit = rest.split(":")
        return (
            f"Workloads times places times months are {int(size):,}; up to {int(limit):,} can be planned at once. "
            "Archive expired quotes, or shorten the horizon."
        )
    if kind == "solver":
        return f"The solver gave no answer: {rest}. The inputs are kept; ask again, or report it with the digest."
    return reason


def _refuse_limits(gap: Decimal, time_limit_s: int) -> None:
    faults: dict[str, list[str]] = {}
    if not SMALLEST_GAP <= gap <= LARGEST_GAP:
        faults["gap"] = [f"A gap of {gap} is out of bounds; {SMALLEST_GAP} to {LARGEST_GAP} is right (0.01 is 1 %)."]
    if not FEWEST_SECONDS <= time_limit_s <= MOST_SECONDS:
        faults["time_limit_s"] = [
            f"{time_limit_s} seconds are out of bounds; {FEWEST_SECONDS} to {MOST_SECONDS} is right."
        ]
    if faults:
        raise ProcurementError("invalid", " ".join(text for texts in faults.values() for text in texts), faults)


def _refuse_document(run: Run, document: Mapping[str, Any], pins: int) -> None:
    """Refuse pins with every fault of them, and a question that cannot be begun."""
    if pins > MOST_PINS:
        message = f"{pins} pins are too many; up to {MOST_PINS} can be kept."
        raise ProcurementError("invalid", message, {"pins": [message]})
    try:
        refused = refused_reason(parse_scenario(document))
    except ScenarioError as error:
        first = len(document["policy"].get("pins") or ()) - pins  # the run's own pins come before those asked for
        raise PinsRefused(error, first) from error
    if refused is not None:
        code = "portfolio_too_large" if refused.startswith("too_large") else "nothing_to_plan"
        raise ProcurementError(code, f"{run} cannot be planned. {reason_words(refused)}")


class PinsRefused(ProcurementError):
    """Pins with faults; ``faults`` holds each with its pointer into the pins that were asked for."""

    def __init__(self, error: ScenarioError, first: int) -> None:
        self.faults = []
        fields: dict[str, list[str]] = {}
        for fault in error.faults:
            place = fault.pointer.removeprefix("/policy/pins/").split("/")
            number = int(place[0]) - first if fault.pointer.startswith("/policy/pins/") else None
            pointer = fault.pointer if number is None else "/".join(["/pins", str(number), *place[1:]])
            self.faults.append(
                {"pointer": pointer, "detail": fault.message, "found": fault.found, "expected": fault.expected}
            )
            fields.setdefault(pointer, []).append(f"{fault.found} was given; right would be {fault.expected}.")
        sentences = "; ".join(f"{fault['pointer']}: {fault['detail']}" for fault in self.faults[:3])
        super().__init__("invalid", f"The pins have faults: {sentences}", fields)


def _plain(pin: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pin as the document has it: without what is not stated, numbers as plain text."""
    stated = {name: value for name, value in pin.items() if value not in (None, "")}
    return {name: f"{value.normalize():f}" if isinstance(value, Decimal) else value for name, value in stated.items()}
