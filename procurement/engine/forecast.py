"""When a build will be usable: distributions over days, combined without random numbers (R12)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from procurement.engine.codes import GATES
from procurement.engine.forecast_answers import NOW, DayRow, Forecast, OpenGate, TrancheForecast, day_reached
from procurement.engine.milestones import JOINED_GATES, PHYSICAL_GATES
from procurement.engine.readiness import Readiness
from procurement.engine.readiness_gates import PartState
from procurement.engine.readiness_records import Records
from procurement.engine.readiness_totals import Scope, today
from procurement.engine.slip import (
    GRID_DAYS,
    Distribution,
    bringup_days,
    changed_promise,
    class_of,
    followed_by,
    reconfirmation,
    slip_of,
)
from procurement.engine.tables import Assumptions, Build, Promise, Scenario

__all__ = ["Forecast", "build_forecast", "is_power_uncommitted", "scenario_forecasts"]

QUANTILES = (0.1, 0.5, 0.8, 0.9)


def build_forecast(build: Build, *, readiness: Readiness, as_of: date, assumptions: Assumptions) -> Forecast:
    """Return when a build will be usable.

    Parameters
    ----------
    build
        The build with its promises and `bringup_days`.
    readiness
        Its readiness on the same day, whose open gates are forecast.
    as_of
        Day 0 of the distributions.
    assumptions
        Slip classes and the days for which rows are wanted.
    """
    forecaster = _Forecaster(build, readiness, as_of, assumptions)
    own = forecaster.forecast(readiness.scope, readiness.usable_accelerators, readiness.largest_multi_node_job)
    if readiness.frontend.name == readiness.scope.name:
        return own
    single = forecaster.forecast(readiness.frontend, readiness.usable_single_node, readiness.largest_multi_node_job)
    return replace(own, single_node=single)


def scenario_forecasts(scenario: Scenario, readiness: Mapping[str, Readiness]) -> dict[str, Forecast]:
    """Return the forecast of every build by id."""
    return {
        build.id: build_forecast(
            build, readiness=readiness[build.id], as_of=scenario.as_of, assumptions=scenario.assumptions
        )
        for build in scenario.builds
    }


class _Forecaster:
    """Computes each distribution of a build once."""

    def __init__(self, build: Build, readiness: Readiness, as_of: date, assumptions: Assumptions) -> None:
        self.build = build
        self.readiness = readiness
        self.records: Records = readiness.records
        self.as_of = as_of
        self.assumptions = assumptions
        self.is_power_uncommitted = is_power_uncommitted(self.records)
        self.by_key: dict[tuple[str, str | None, str, bool, int], OpenGate] = {}
        self.combined: dict[frozenset[tuple[str, str | None, str]], Distribution] = {}
        self.bringup: Distribution | None = None
        if build.bringup_days is not None:
            self.bringup = bringup_days(build.bringup_days, slip_of("bringup", assumptions, build.operator))

    def forecast(self, scope: Scope, usable: int, largest_job: int) -> Forecast:
        """Return the forecast for one network scope."""
        tranches = self._tranches(scope, usable)
        gates = _each_once(gate for tranche in tranches for gate in tranche.gates)
        missing = self._missing(gates, usable, scope)
        known = self.combine(gates)
        is_dated = any(gate.reached is not None for gate in gates)
        is_done = usable >= scope.planned and not self.readiness.is_cancelled
        status = "done" if is_done else "no_forecast" if missing else "ok"
        everything = NOW if is_done else None if missing else known
        p10, p50, p80, p90 = (day_reached(self.as_of, everything, p) for p in QUANTILES)
        delivered_on, delivered = self._delivery()
        return Forecast(
            build=self.build.id,
            as_of=self.as_of,
            status=status,
            p10=p10,
            p50=p50,
            p80=p80,
            p90=p90,
            per_gate={} if is_done else self._per_gate(gates, (0.1, 0.5, 0.9)),
            per_gate_p80={} if is_done else {gate: day["p80"] for gate, day in self._per_gate(gates, (0.8,)).items()},
            missing=missing,
            not_before_p50=day_reached(self.as_of, known, 0.5) if missing and is_dated else None,
            by_date=tuple(self._row(day, everything, tranches) for day in self.assumptions.forecast_dates),
            conditions=tuple(dict.fromkeys(f"renew:{gate.state.gate}" for gate in gates if gate.is_aged)),
            days=np.arange(GRID_DAYS + 1),
            cdf_all=everything,
            usable_now=usable,
            largest_job_now=largest_job,
            renewable_now=0 if self.readiness.is_cancelled else scope.usable(_renewed),
            renewable_job_now=0 if self.readiness.is_cancelled else scope.largest_job(_renewed),
            tranches=tranches,
            delivered_on=delivered_on,
            cdf_delivered=delivered,
            combine=self.combine,
        )

    def _tranches(self, scope: Scope, usable: int) -> tuple[TrancheForecast, ...]:
        """Return the tranches; what pools allow today goes to them in their order."""
        found = []
        left = usable
        for state, alone in zip(scope.tranches, scope.usable_by_tranche(today), strict=True):
            now = min(alone, left)
            left -= now
            parts = {part.key: part for part in state.states}
            parts |= {part.key: part for caps in scope.caps.values() for part in caps}
            gates = tuple(self._open_gate(part) for part in parts.values() if part.is_open)
            is_missing = self.readiness.is_cancelled or any(self._is_missing(gate) for gate in gates)
            is_idle = not gates and now < state.tranche.planned_accelerators
            reached = None if is_missing or is_idle else self.combine(gates)
            found.append(TrancheForecast(state.tranche, now, gates, reached))
        return tuple(found)

    def _open_gate(self, state: PartState) -> OpenGate:
        key = (*state.date_key, state.is_aged, state.planned)
        if key not in self.by_key:
            self.by_key[key] = OpenGate(state, self._reached(state), state.is_aged)
        return self.by_key[key]

    def _reached(self, state: PartState) -> Distribution | None:
        """Return when a gate is reached: re-confirmed if it only aged, the rest as promised."""
        promised = self._promised(state.promises) if state.promises else None
        if not state.is_aged:
            return promised
        if state.last_known >= state.planned:
            return reconfirmation()
        return None if promised is None else reconfirmation() * promised

    def _promised(self, promises: Sequence[Promise]) -> Distribution:
        slips = [slip_of(self._class(promise), self.assumptions, self.build.operator) for promise in promises]
        return changed_promise(promises, slips, self.as_of)

    def _class(self, promise: Promise) -> str:
        return class_of(promise, is_power_uncommitted=self.is_power_uncommitted)

    def combine(self, gates: Iterable[OpenGate]) -> Distribution:
        """Return when all of some open gates are reached and brought up; gates without a date are left out.

        Parallel gates multiply; a planned bring-up follows them; gates that only aged need no second bring-up.
        """
        once = _each_once(gates)
        key = frozenset(gate.state.date_key for gate in once)
        if key not in self.combined:
            self.combined[key] = self._combined(once)
        return self.combined[key]

    def _combined(self, once: Sequence[OpenGate]) -> Distribution:
        opening = [gate for gate in once if not gate.is_aged]
        reached = _product(gate for gate in opening if gate.state.gate in PHYSICAL_GATES)
        if self.bringup is not None and opening:
            reached = followed_by(reached, self.bringup)
        rest = [gate for gate in once if gate.is_aged or gate.state.gate in JOINED_GATES]
        return reached * _product(rest)

    def _is_missing(self, gate: OpenGate) -> bool:
        is_brought_up = self.bringup is not None and gate.state.gate in JOINED_GATES
        return gate.reached is None and not is_brought_up

    def _missing(self, gates: Sequence[OpenGate], usable: int, scope: Scope) -> tuple[str, ...]:
        """Return what stands in the way of a forecast."""
        if self.readiness.is_cancelled:
            return ("cancelled",)
        found = {gate.state.gate for gate in gates if self._is_missing(gate)}
        if not gates and usable < scope.planned:
            found |= set(self.readiness.binding_gates)  # the lists of nodes do not meet, and no date mends that
        return tuple(gate for gate in GATES if gate in found)

    def _per_gate(self, gates: Sequence[OpenGate], quantiles: Sequence[float]) -> dict[str, dict[str, date | None]]:
        found: dict[str, dict[str, date | None]] = {}
        for name in GATES:
            dated = [gate for gate in gates if gate.state.gate == name and gate.reached is not None]
            if dated:
                reached = _product(dated)
                found[name] = {f"p{p * 100:.0f}": day_reached(self.as_of, reached, p) for p in quantiles}
        return found

    def _row(self, day: date, everything: Distribution | None, tranches: Sequence[TrancheForecast]) -> DayRow:
        """Return what is expected on a day; a tranche without forecast adds nothing to what it has today."""
        offset = (day - self.as_of).days
        if offset < 0:
            return DayRow(day, None, None, None, None)
        index = min(offset, GRID_DAYS)
        reached = [0.0 if one.reached is None else float(one.reached[index]) for one in tranches]
        now = sum(one.usable_now for one in tranches)
        gains = [one.gain for one in tranches]
        return DayRow(
            date=day,
            probability_all=None if everything is None else round(float(everything[index]), 9),
            expected_accelerators=round(now + sum(gain * p for gain, p in zip(gains, reached, strict=True)), 6),
            p50_accelerators=now + sum(gain for gain, p in zip(gains, reached, strict=True) if p >= 0.5),
            p90_accelerators=now + sum(gain for gain, p in zip(gains, reached, strict=True) if p >= 0.9),
        )

    def _delivery(self) -> tuple[date | None, Distribution | None]:
        """Return the day of delivery if it is accepted, else its distribution (semantics 13)."""
        targets = (*(tranche.id for tranche in self.build.tranches), *self.records.pools)
        for gate in ("delivered", "installed"):
            accepted = [noted.evidence for noted in self.records.accepted(gate, targets) if not noted.evidence.event]
            if accepted:
                first = min(accepted, key=lambda evidence: evidence.achieved_on or evidence.observed_on)
                return first.achieved_on or first.observed_on, None
        for gate in ("delivered", "installed"):
            by_target = [self.records.promised(gate, target, None) for target in targets]
            promised = [self._promised(promises) for promises in by_target if promises]
            if promised:
                return None, np.asarray(np.prod(promised, axis=0), dtype=np.float64)
        return None, None


def is_power_uncommitted(records: Records) -> bool:
    """Tell whether the service agreement is recorded as missing: asked for, but not executed (semantics 35)."""
    targets = (*(tranche.id for tranche in records.build.tranches), *records.pools)
    known = [noted.evidence for noted in records.known("service_agreement", targets)]
    accepted = [noted.evidence for noted in records.accepted("service_agreement", targets)]
    newest = max(accepted, key=lambda evidence: evidence.observed_on, default=None)
    if newest is not None:
        return newest.event == "lost" or newest.qty == 0
    return bool(known) or any(promise.gate == "service_agreement" for promise in records.promises)


def _renewed(state: PartState) -> int:
    """Return what a state counts once evidence that only aged is confirmed again."""
    return state.last_known if state.is_aged else state.accelerators


def _each_once(gates: Iterable[OpenGate]) -> list[OpenGate]:
    """Return the gates without repetition: tranches that share a pool share its date."""
    return list({gate.state.date_key: gate for gate in gates}.values())


def _product(gates: Iterable[OpenGate]) -> Distribution:
    reached = NOW
    for gate in gates:
        if gate.reached is not None:
            reached = reached * gate.reached
    return reached
