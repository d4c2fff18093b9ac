"""What closed promises teach: the slip of each operator, shrunk to its class (METHOD.md, Learned slips)."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from procurement.engine.forecast import is_power_uncommitted
from procurement.engine.reached import all_reached_after, promised_parts, reached_after, target_coverings
from procurement.engine.readiness_records import Records, records_of
from procurement.engine.slip import LEAST_PROMISED_DAYS, Z90, class_of, lognormal_of, slip_of
from procurement.engine.tables import Assumptions, Build, Promise, SlipClass

PRIOR_WEIGHT = 5  # closed promises that the class counts for; weight n / (n + 5), readiness 5.7 (judgement)
ENOUGH_CLOSED = 20  # closed promises from which a learned slip may replace the default, readiness 5.7


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseKept:
    """A gate that was promised, from its first promise: closed when it was reached, open otherwise.

    `was_before` marks a promise made after the gate had been reached, which teaches nothing.
    """

    operator: str
    build: str
    gate: str
    target: str
    medium: str | None
    slip_class: str
    stated_on: date
    promised_on: date
    times_promised: int
    reached_on: date | None
    was_before: bool = False

    @property
    def ratio(self) -> float | None:
        """Actual over promised duration; None while open or where nothing is to be learned."""
        if self.reached_on is None or self.was_before:
            return None
        promised = max((self.promised_on - self.stated_on).days, LEAST_PROMISED_DAYS)
        return max((self.reached_on - self.stated_on).days, 1) / promised

    @property
    def slip_days(self) -> int | None:
        """Days from the promised to the actual day; negative when it came early."""
        return None if self.reached_on is None else (self.reached_on - self.promised_on).days


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSlip:
    """The slip of one operator and class: the class before, what was observed, and what both make together."""

    operator: str
    slip_class: str
    prior: SlipClass
    closed: int
    overdue_open: int
    median_ratio: float | None  # geometric mean of the closed ratios
    spread: float | None  # standard deviation of their logarithms, from two on
    weight: float
    result: SlipClass

    @property
    def is_enough(self) -> bool:
        """Whether so many promises are closed that the result may replace the class."""
        return self.closed >= ENOUGH_CLOSED


def promises_kept(build: Build, as_of: date, assumptions: Assumptions, site: Iterable[Build] = ()) -> list[PromiseKept]:
    """Return what became of a build's promises, one entry for each time that a gate was waited for.

    A gate that was promised again and again is one entry, measured from its first promise: who keeps saying "next
    month" gains nothing. After a loss the wait begins anew with the next promise.
    """
    records = records_of(build, as_of, assumptions, site)
    by_target: dict[tuple[str, str, str | None], list[Promise]] = defaultdict(list)
    for promise in sorted(records.promises, key=lambda one: (one.stated_on, one.date)):
        by_target[(promise.gate, promise.tranche, promise.medium)].append(promise)
    return [kept for promises in by_target.values() for kept in _waits(records, promises)]


def _waits(records: Records, promises: Sequence[Promise]) -> list[PromiseKept]:
    first = promises[0]
    parts = promised_parts(records, first.gate, first.medium)
    groups = [target_coverings(records, first.gate, first.tranche, part) for part in parts]
    is_uncommitted = is_power_uncommitted(records)
    losses = sorted(
        noted.evidence.observed_on
        for noted in records.accepted(first.gate, (first.tranche, *records.pools))
        if noted.evidence.event is not None
    )
    waits: list[PromiseKept] = []
    left = list(promises)
    while left:
        first = left[0]
        reached_on = all_reached_after(groups, first.stated_on)
        found = [reached_after(group, first.stated_on) for group in groups]
        during = [one for one in left if reached_on is None or one.stated_on <= reached_on]
        waits.append(
            PromiseKept(
                operator=records.build.operator, build=records.build.id, gate=first.gate, target=first.tranche,
                medium=first.medium, slip_class=class_of(first, is_power_uncommitted=is_uncommitted),
                stated_on=first.stated_on, promised_on=first.date, times_promised=len(during), reached_on=reached_on,
                was_before=reached_on is not None and any(one is not None and one.was_before for one in found),
            )
        )  # fmt: skip
        loss = next((day for day in losses if reached_on is not None and day > reached_on), None)
        left = [one for one in left if loss is not None and one.stated_on >= loss]
    return waits


def learned_slips(kept: Iterable[PromiseKept], as_of: date, assumptions: Assumptions) -> list[LearnedSlip]:
    """Return the slip of every operator and class that has a closed or an overdue promise, by operator and class."""
    by_key: dict[tuple[str, str], list[PromiseKept]] = defaultdict(list)
    for one in kept:
        by_key[(one.operator, one.slip_class)].append(one)
    rows = []
    for (operator, name), entries in sorted(by_key.items()):
        ratios = [one.ratio for one in entries if one.ratio is not None]
        overdue = sum(one.reached_on is None and one.promised_on < as_of for one in entries)
        if ratios or overdue:
            rows.append(_learned(operator, name, ratios, overdue, slip_of(name, assumptions)))
    return rows


def _learned(operator: str, name: str, ratios: Sequence[float], overdue: int, prior: SlipClass) -> LearnedSlip:
    logs = np.log(np.asarray(ratios, dtype=np.float64))
    return LearnedSlip(
        operator=operator,
        slip_class=name,
        prior=prior,
        closed=len(ratios),
        overdue_open=overdue,
        median_ratio=float(np.exp(logs.mean())) if ratios else None,
        spread=float(logs.std(ddof=1)) if len(ratios) > 1 else None,
        weight=len(ratios) / (len(ratios) + PRIOR_WEIGHT),
        result=shrunk_slip(ratios, prior),
    )


def shrunk_slip(ratios: Sequence[float], prior: SlipClass) -> SlipClass:
    """Return a slip class after closed promises: mean and variance of ln R, each shrunk to the class.

    Parameters
    ----------
    ratios
        Actual over promised duration of the closed promises, above 0.
    prior
        The class they are shrunk to; it counts for PRIOR_WEIGHT promises. Without ratios it is the answer.

    References
    ----------
    A. Gelman et al., Bayesian Data Analysis, 3rd edition, 2013, section 3.3: normal data with a conjugate prior.
    """
    count = len(ratios)
    if count == 0:
        return prior
    mean_before, deviation_before = lognormal_of(prior)
    logs = np.log(np.asarray(ratios, dtype=np.float64))
    observed = float(logs.mean())
    weight = count / (count + PRIOR_WEIGHT)
    mean = weight * observed + (1 - weight) * mean_before
    within = float(((logs - observed) ** 2).sum())
    between = weight * PRIOR_WEIGHT * (observed - mean_before) ** 2
    variance = (PRIOR_WEIGHT * deviation_before**2 + within + between) / (PRIOR_WEIGHT + count)
    reach = Z90 * math.sqrt(variance)
    return SlipClass(p10=math.exp(mean - reach), p90=math.exp(mean + reach))
