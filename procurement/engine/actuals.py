"""What was measured: utilisation, completed work, failures and cost per useful hour (METHOD.md, Actuals)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from procurement.engine.goodput import GOODPUT_NODE

Numbers = NDArray[np.float64]
Interval = tuple[float, float]  # seconds since 1970, the end not included

OUTCOMES = ("completed", "failed", "timeout", "node_fail", "cancelled", "preempted", "running")
ENDED = OUTCOMES[:-1]
SECONDS_PER_HOUR = 3600.0
HOURS_PER_DAY = 24.0
WHOLE = 1.0  # hours that a month may lack and still count as covered whole


@dataclass(frozen=True, slots=True, eq=False)
class JobColumns:
    """Jobs as columns of one length: seconds since 1970, share of that time in use, accelerators, index of outcome."""

    started: Numbers
    ended: Numbers
    busy_share: Numbers
    accelerators: Numbers
    outcome: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SampleColumns:
    """Samples as columns of one length: seconds since 1970 and accelerators in use."""

    started: Numbers
    ended: Numbers
    in_use: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class UseRecords:
    """All that is on record of a place or a workload; `covered` are merged intervals with all jobs on record."""

    jobs: JobColumns
    covered: Sequence[Interval]
    samples: SampleColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """What the accelerators of a month cost, in one currency; `hours` are those that were paid for."""

    amount: float
    hours: float | None
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredUse:
    """What was measured in a month, or in several together; hours are accelerator-hours but for `covered_hours`.

    Attributes
    ----------
    hours, covered_hours
        Clock hours of the span, and those about which there are records.
    busy
        Accelerator-hours in use within the covered hours, by the outcome of their job; samples have none.
    ended
        Jobs that ended within the covered hours, by outcome.
    capacity
        Accelerators that could have been in use.
    """

    month: date | None
    hours: float
    covered_hours: float
    busy: Mapping[str, float]
    ended: Mapping[str, int]
    sampled: float | None
    sampled_hours: float
    capacity: float | None
    paid: tuple[Paid, ...] = field(default=())

    @property
    def is_partial(self) -> bool:
        """Whether a part of the span is not on record."""
        return max(self.covered_hours, self.sampled_hours) < self.hours - WHOLE

    @property
    def has_jobs(self) -> bool:
        """Whether job records cover a part of it."""
        return self.covered_hours > 0

    @property
    def busy_hours(self) -> float:
        """Accelerator-hours in use by jobs of every outcome."""
        return sum(self.busy.values())

    @property
    def utilisation(self) -> float | None:
        """Share of the capacity in use over the covered hours: by jobs, else by samples; None without either."""
        if not self.capacity:
            return None
        if self.covered_hours > 0:
            return self.busy_hours / (self.capacity * self.covered_hours)
        if self.sampled is not None and self.sampled_hours > 0:
            return self.sampled / (self.capacity * self.sampled_hours)
        return None

    @property
    def sampled_utilisation(self) -> float | None:
        """Share of the capacity in use by samples alone, which stands beside that of jobs."""
        if not self.capacity or self.sampled is None or self.sampled_hours <= 0:
            return None
        return self.sampled / (self.capacity * self.sampled_hours)

    @property
    def ended_hours(self) -> float:
        """Accelerator-hours of jobs whose outcome is known."""
        return sum(self.busy.get(outcome, 0.0) for outcome in ENDED)

    @property
    def useful_hours(self) -> float | None:
        """Accelerator-hours of completed jobs; what others saved before they ended is not in it."""
        return self.busy.get("completed", 0.0) if self.covered_hours > 0 else None

    @property
    def completed_share(self) -> float | None:
        """Completed share of the accelerator-hours of ended jobs; None while none ended."""
        return self.busy.get("completed", 0.0) / self.ended_hours if self.ended_hours > 0 else None

    @property
    def lost_hours(self) -> float:
        """Accelerator-hours of jobs that failed, ran out of time, lost a node or were preempted."""
        return sum(self.busy.get(outcome, 0.0) for outcome in ("failed", "timeout", "node_fail", "preempted"))

    @property
    def node_days(self) -> float:
        """Days of nodes of eight accelerators in use, the unit of published failure rates."""
        return self.busy_hours / GOODPUT_NODE / HOURS_PER_DAY

    @property
    def failures_per_1000_node_days(self) -> float | None:
        """Jobs that lost a node, per 1,000 node-days; None without node-days."""
        return 1000.0 * self.ended.get("node_fail", 0) / self.node_days if self.node_days > 0 else None

    @property
    def failures_interval(self) -> tuple[float, float] | None:
        """Exact 95 % interval of the failure rate, failures being rare and independent (Garwood 1936)."""
        if self.node_days <= 0:
            return None
        count = self.ended.get("node_fail", 0)
        low = float(gammaincinv(count, 0.025)) if count else 0.0
        return 1000.0 * low / self.node_days, 1000.0 * float(gammaincinv(count + 1, 0.975)) / self.node_days

    def cost_per_hour(self, paid: Paid) -> float | None:
        """Return what an accelerator-hour cost that was paid for."""
        return paid.amount / paid.hours if paid.hours else None

    def cost_per_useful_hour(self, paid: Paid) -> float | None:
        """Return the cost over the useful hours; None unless job records cover the whole span."""
        useful = self.useful_hours
        if self.is_partial or not useful:
            return None
        return paid.amount / useful


def job_columns(rows: Iterable[tuple[float, float, float, float, str]]) -> JobColumns:
    """Return jobs as columns from rows of start and end [s], busy time [s], accelerators and outcome."""
    found = list(rows)
    started, ended, busy, accelerators = (
        np.array([row[place] for row in found], dtype=np.float64) for place in range(4)
    )
    span = ended - started
    share = np.divide(busy, span, out=np.zeros_like(busy), where=span > 0)
    outcome = np.array([OUTCOMES.index(row[4]) for row in found], dtype=np.int64)
    return JobColumns(started, ended, np.minimum(share, 1.0), accelerators, outcome)


def sample_columns(rows: Iterable[tuple[float, float, float]]) -> SampleColumns:
    """Return samples as columns from rows of start and end [s] and accelerators in use."""
    found = np.array(list(rows), dtype=np.float64).reshape(-1, 3)
    return SampleColumns(found[:, 0], found[:, 1], found[:, 2])


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Return intervals in order, those that touch or overlap as one, so that no hour counts twice."""
    found: list[Interval] = []
    for begin, end in sorted(interval for interval in intervals if interval[1] > interval[0]):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found


def within(intervals: Sequence[Interval], span: Interval) -> list[Interval]:
    """Return the parts of merged intervals inside a span."""
    cut = [(max(begin, span[0]), min(end, span[1])) for begin, end in intervals]
    return [part for part in cut if part[1] > part[0]]


def hours_of(intervals: Iterable[Interval]) -> float:
    """Return the hours of intervals that do not overlap."""
    return sum(end - begin for begin, end in intervals) / SECONDS_PER_HOUR


def measured_use(
    month: date | None,
    span: Interval,
    records: UseRecords,
    *,
    capacity: float | None,
    paid: Sequence[Paid] = (),
) -> MeasuredUse:
    """Return what was measured within a span.

    Parameters
    ----------
    month
        First day of the month; None for a span of several.
    span
        Begin and end [s].
    records
        Jobs and samples; those that reach over the ends of the span or of what is covered count with their part inside.
    capacity
        Accelerators that could have been in use; None where unknown.
    """
    jobs, samples = records.jobs, records.samples
    parts = within(records.covered, span)
    busy = np.zeros(len(OUTCOMES))
    ended = np.zeros(len(OUTCOMES), dtype=np.int64)
    for begin, end in parts:
        inside = np.clip(np.minimum(jobs.ended, end) - np.maximum(jobs.started, begin), 0.0, None)
        hours = inside * jobs.busy_share * jobs.accelerators / SECONDS_PER_HOUR
        busy += np.bincount(jobs.outcome, hours, len(OUTCOMES))
        is_ended = (jobs.ended > begin) & (jobs.ended <= end)
        ended += np.bincount(jobs.outcome[is_ended], minlength=len(OUTCOMES))
    seen = within(merged(zip(samples.started.tolist(), samples.ended.tolist(), strict=True)), span)
    overlap = np.clip(np.minimum(samples.ended, span[1]) - np.maximum(samples.started, span[0]), 0.0, None)
    sampled = float((overlap * samples.in_use).sum()) / SECONDS_PER_HOUR
    return MeasuredUse(
        month=month,
        hours=(span[1] - span[0]) / SECONDS_PER_HOUR,
        covered_hours=hours_of(parts),
        busy={name: float(busy[place]) for place, name in enumerate(OUTCOMES)},
        ended={name: int(ended[place]) for place, name in enumerate(OUTCOMES) if name in ENDED},
        sampled=sampled if seen else None,
        sampled_hours=hours_of(seen),
        capacity=capacity,
        paid=tuple(paid),
    )


def together(months: Sequence[MeasuredUse]) -> MeasuredUse | None:
    """Return several months as one; None without any."""
    if not months:
        return None
    sampled = [one.sampled for one in months if one.sampled is not None]
    currencies = dict.fromkeys(paid.currency for one in months for paid in one.paid)
    return MeasuredUse(
        month=None,
        hours=sum(one.hours for one in months),
        covered_hours=sum(one.covered_hours for one in months),
        busy={name: sum(one.busy.get(name, 0.0) for one in months) for name in OUTCOMES},
        ended={name: sum(one.ended.get(name, 0) for one in months) for name in ENDED},
        sampled=sum(sampled) if sampled else None,
        sampled_hours=sum(one.sampled_hours for one in months),
        capacity=months[-1].capacity,
        paid=tuple(_summed(months, currency) for currency in currencies),
    )


def _summed(months: Sequence[MeasuredUse], currency: str) -> Paid:
    found = [paid for one in months for paid in one.paid if paid.currency == currency]
    hours = [paid.hours for paid in found if paid.hours is not None]
    amount = sum(paid.amount for paid in found)
    return Paid(amount=amount, hours=sum(hours) if hours else None, currency=currency)


def offered_range(values: Sequence[float], places: int) -> dict[str, float] | float | None:
    """Return the mean of whole months as an assumption, with the least and greatest where they differ."""
    if not values:
        return None
    likely = round(float(np.mean(values)), places)
    low, high = round(min(values), places), round(max(values), places)
    return likely if low == high else {"min": low, "likely": likely, "max": high}
