"""The forecast of a build: what is open, when it is reached, and what can be asked of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

from procurement.engine.readiness_gates import PartState
from procurement.engine.slip import GRID_DAYS, Distribution, first_day
from procurement.engine.tables import Tranche

NOW = np.ones(GRID_DAYS + 1)  # the distribution of what is there today


@dataclass(frozen=True, slots=True)
class OpenGate:
    """A gate that is not yet reached: its distribution, or None where nothing says when."""

    state: PartState
    reached: Distribution | None
    is_aged: bool


@dataclass(frozen=True, slots=True, eq=False)
class TrancheForecast:
    """One tranche: what it counts today and when all of it is usable; None where no date is known."""

    tranche: Tranche
    usable_now: int
    gates: tuple[OpenGate, ...]
    reached: Distribution | None

    @property
    def gain(self) -> int:
        """Accelerators that are still to come."""
        return self.tranche.planned_accelerators - self.usable_now


@dataclass(frozen=True, slots=True)
class DayRow:
    """What is expected on one day."""

    date: date
    probability_all: float | None
    expected_accelerators: float | None
    p50_accelerators: int | None
    p90_accelerators: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forecast:
    """When a build is usable, in all and for a number of accelerators.

    ``days`` are days after ``as_of`` and ``cdf_all`` the probability that everything planned is usable by then, None
    without forecast. ``renewable_now`` and ``renewable_job_now`` are usable today once evidence that only aged is
    renewed: a verdict never flips on age alone. ``single_node`` is the forecast for jobs that need the front-end
    network alone.
    """

    build: str
    as_of: date
    status: str
    p10: date | None
    p50: date | None
    p80: date | None
    p90: date | None
    per_gate: Mapping[str, Mapping[str, date | None]]
    per_gate_p80: Mapping[str, date | None]
    missing: tuple[str, ...]
    not_before_p50: date | None
    by_date: tuple[DayRow, ...]
    conditions: tuple[str, ...]
    days: np.ndarray[Any, np.dtype[np.int64]]
    cdf_all: Distribution | None
    usable_now: int
    largest_job_now: int
    renewable_now: int
    renewable_job_now: int
    tranches: tuple[TrancheForecast, ...]
    delivered_on: date | None
    cdf_delivered: Distribution | None
    single_node: "Forecast | None" = None
    combine: Callable[[Iterable[OpenGate]], Distribution | None] = field(repr=False)
    cache: dict[tuple[int, ...], Distribution | None] = field(repr=False, default_factory=dict)

    def quantile_date(self, p: float) -> date | None:
        """Return the first day on which everything is usable with probability p; None without one in 20 years."""
        return day_reached(self.as_of, self.cdf_all, p)

    def cdf_for(self, accelerators: int) -> Distribution | None:
        """Return the probability by day that so many accelerators are usable; None when they never are.

        The tranches that come first are taken until they hold the number; all of them must then be there.
        """
        if accelerators <= self.usable_now:
            return NOW
        return self._cdf_of(_earliest_first(self.tranches, self.as_of), accelerators - self.usable_now)

    def job_cdf_for(self, accelerators: int) -> Distribution | None:
        """Return the same for one job, which must fit inside a single fabric domain."""
        if accelerators <= self.largest_job_now:
            return NOW
        domains: dict[str, list[int]] = {}
        for index in _earliest_first(self.tranches, self.as_of):
            tranche = self.tranches[index].tranche
            domains.setdefault(tranche.fabric_domain or tranche.id, []).append(index)
        found = []
        for members in domains.values():
            there = sum(self.tranches[index].usable_now for index in members)
            reached = self._cdf_of(members, max(accelerators - there, 0))
            if reached is not None:
                found.append(reached)
        return max(found, key=lambda reached: -_rank(first_day(reached, 0.8)), default=None)

    def _cdf_of(self, indices: Sequence[int], missing: int) -> Distribution | None:
        taken: list[int] = []
        for index in indices:
            if missing <= 0:
                break
            if self.tranches[index].gain > 0 and self.tranches[index].reached is not None:
                taken.append(index)
                missing -= self.tranches[index].gain
        if missing > 0:
            return None
        key = tuple(sorted(taken))
        if key not in self.cache:
            self.cache[key] = self.combine(gate for index in key for gate in self.tranches[index].gates)
        return self.cache[key]

    def usable_date_for(self, accelerators: int, p: float) -> date | None:
        """Return the first day on which so many accelerators are usable with probability p; as_of when they are."""
        return day_reached(self.as_of, self.cdf_for(accelerators), p)

    def job_date_for(self, accelerators: int, p: float) -> date | None:
        """Return the same for one job inside a single fabric domain."""
        return day_reached(self.as_of, self.job_cdf_for(accelerators), p)

    def delivery_date(self, p: float) -> date | None:
        """Return the day of delivery: accepted, else forecast with probability p, else None."""
        return self.delivered_on or day_reached(self.as_of, self.cdf_delivered, p)

    def answer(self) -> dict[str, Any]:
        """Return the fields of the answer document, ready for JSON."""
        return {
            "status": self.status,
            **{name: _iso(getattr(self, name)) for name in ("p10", "p50", "p80", "p90")},
            "per_gate": {gate: {name: _iso(day) for name, day in days.items()} for gate, days in self.per_gate.items()},
            "per_gate_p80": {gate: _iso(day) for gate, day in self.per_gate_p80.items()},
            "missing": list(self.missing),
            "not_before_p50": _iso(self.not_before_p50),
            "conditions": list(self.conditions),
            "by_date": [
                {
                    "date": row.date.isoformat(),
                    "probability_all": row.probability_all,
                    "expected_accelerators": row.expected_accelerators,
                    "p50_accelerators": row.p50_accelerators,
                    "p90_accelerators": row.p90_accelerators,
                }
                for row in self.by_date
            ],
        }


def _earliest_first(tranches: Sequence[TrancheForecast], as_of: date) -> list[int]:
    """Return the tranches by their P80 and P50 days, those without a date left to the last."""

    def days(index: int) -> tuple[int, int, int]:
        reached = tranches[index].reached
        if reached is None:
            return GRID_DAYS + 2, GRID_DAYS + 2, index
        return _rank(first_day(reached, 0.8)), _rank(first_day(reached, 0.5)), index

    return sorted(range(len(tranches)), key=days)


def _rank(day: int | None) -> int:
    return GRID_DAYS + 1 if day is None else day


def day_reached(as_of: date, reached: Distribution | None, probability: float) -> date | None:
    """Return the first day on which a probability is reached; None without a distribution or beyond the grid."""
    day = None if reached is None else first_day(reached, probability)
    return None if day is None else as_of + timedelta(days=day)


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
