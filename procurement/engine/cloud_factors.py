"""What one unit of price costs every workload: the rows of the ledger in factored form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from procurement.engine.costs.registry import COMPONENT_BY_KEY
from procurement.engine.demand import deadline_months
from procurement.engine.equal_work import Asked, asked_hours
from procurement.engine.ledger import Terms
from procurement.engine.pairs import Indices
from procurement.engine.periods import (
    HOURS_PER_DAY,
    MONTHS_PER_YEAR,
    SMALLEST_PART,
    Numbers,
    Window,
    months_from_days,
    present_factors,
    price_growth,
    timing_of,
    to_count,
    whole_months,
    whole_years,
)
from procurement.engine.setting import Setting
from procurement.engine.tables import CostLine, Workload
from procurement.engine.work import Work, hours_worked


@dataclass(frozen=True, slots=True)
class Billing:
    """How quotes of one group are billed, without their prices."""

    size: float  # accelerators in one instance
    least: int  # instances
    is_committed: bool
    is_prepaid: bool
    term: float | None  # months
    least_days: float
    hours_per_month: float


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """What one unit of each price costs each workload, shape (workloads,)."""

    hourly: Numbers
    upfront: Numbers
    exit: Numbers
    storage: Numbers
    egress: Numbers
    supported: Numbers  # recurring hourly rows at the timing of support
    billed_accelerators: Numbers
    needs: Numbers  # N in the group's accelerator type
    activity: "Activity"
    tail: Numbers | None = None  # one instance-hour price of the tail's quote

    def at(self, rows: Indices) -> "Factors":
        """Return the factors of some workloads, for sums over the whole contract."""
        return replace(
            self, hourly=self.hourly[rows], upfront=self.upfront[rows], exit=self.exit[rows],
            storage=self.storage[rows], egress=self.egress[rows], supported=self.supported[rows],
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Dues:
    """What one instance under one kind of contract costs each workload per unit of price, shape (workloads,)."""

    contract: Numbers  # until when it lasts; NaN where there is no whole term [months]
    exit: Numbers  # present value of one unit at its end
    hourly: Numbers  # of a commitment
    supported: Numbers
    upfront: Numbers
    after: Numbers  # hours after the contract, valued as metered rows

    @property
    def has_rest(self) -> bool:
        """Whether any workload holds a whole term after which hours may be left."""
        return bool(np.isfinite(self.contract).any())


@dataclass(frozen=True, slots=True, eq=False)
class Activity:
    """What the workloads do where an hour counts a given share; rows are workloads."""

    hours: Numbers  # worked by month, shape (workloads, months)
    end: Numbers  # of the work or the window [months]
    total: Numbers  # hours
    valued: Numbers  # hours of each month at price path and present value of metered rows, shape (workloads, months)
    metered: Numbers  # their sum
    kept: Numbers  # months until the end, valued as metered rows
    dues: dict[tuple[object, ...], Dues] = field(default_factory=dict)  # by kind of contract, filled when asked


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """What all workloads ask for, as arrays; rows are workloads."""

    asked: tuple[Asked, ...]
    hours: Numbers  # shape (workloads, months)
    length: Numbers  # window [months]
    deadline: Numbers  # by when the work must be done, infinite where it may be late [months]
    storage_gb: Numbers
    egress_gb: Numbers
    terms: Terms
    uneven: tuple[int, ...]  # rows whose accelerators do not all work at once
    known: dict[bytes, Activity] = field(default_factory=dict)  # by share of an hour that counts, filled when asked

    def activity(self, shares: Numbers, capacity: float) -> Activity:
        """Return what the workloads do for the share that each hour counts; computed once for equal shares."""
        key = shares.tobytes()
        if key not in self.known:
            self.known[key] = _activity(self, shares, capacity)
        return self.known[key]

    @property
    def count(self) -> int:
        """Number of workloads."""
        return len(self.asked)

    def weights(self, count: int, timing: str, *, is_recurring: bool = True, path: str | None = "cloud") -> Numbers:
        """Return price path times present value of each month."""
        growth = price_growth(self.terms.paths.get(path or "", 0.0), whole_years(count))
        return growth * self.present(count, timing, is_recurring=is_recurring)

    def present(self, count: int, timing: str, *, is_recurring: bool) -> Numbers:
        """Return the present value of each month; 1 where no discount rate is given, so that nominal costs rank."""
        if self.terms.rate is None:
            return np.ones(count)
        return present_factors(
            self.terms.rate, count, timing_of(timing, is_recurring=is_recurring, switch=self.terms.switch)
        )

    def line_factor(self, line: CostLine, factors: Factors) -> tuple[Numbers, Numbers]:
        """Return what one unit of a further priced line costs each workload, and its support base at mid timing."""
        ends = factors.activity.end
        count = whole_months(float(np.max(ends)))
        entry = COMPONENT_BY_KEY[line.component]
        if line.basis == "once":
            due = self.present(count, "begin", is_recurring=False)
            is_due = line.at_month < np.ceil(ends - SMALLEST_PART)
            value = due[line.at_month] if line.at_month < count else 0.0
            return np.where(is_due, value, 0.0), np.zeros(self.count)
        if line.basis == "per_running_hour":
            quantity = _full_hours(self, factors.needs, factors.activity.hours)
        else:
            end = ends if line.months is None else np.minimum(ends, line.at_month + line.months)
            quantity = month_shares(np.full(self.count, float(line.at_month)), end, count)
        weights, mid = (self.weights(quantity.shape[1], timing, path=entry.path) for timing in (entry.timing, "mid"))
        per_month = _units_per_month(line, factors)
        return per_month * (quantity @ weights), per_month * (quantity @ mid)


def _units_per_month(line: CostLine, factors: Factors) -> Numbers | float:
    if line.basis == "per_accelerator_month":
        return factors.billed_accelerators
    if line.basis in ("per_year", "fraction_of_hardware_per_year"):
        return (1.0 if line.fte is None else line.fte) / MONTHS_PER_YEAR
    if line.basis == "per_kw_month":
        return np.nan if line.kw is None else line.kw
    return 1.0


def batch_of(workloads: Sequence[Workload], setting: Setting) -> Batch:
    """Return what workloads ask for as arrays, padded to the longest window."""
    asked = tuple(asked_hours(workload, setting.assumptions) for workload in workloads)
    months = max(entry.hours.shape[-1] for entry in asked)
    hours = np.zeros((len(asked), months))
    for row, entry in enumerate(asked):
        hours[row, : entry.hours.shape[-1]] = entry.hours
    return Batch(
        asked=asked,
        hours=hours,
        length=np.array([entry.window.length for entry in asked]),
        deadline=np.array([_deadline(workload, entry) for workload, entry in zip(workloads, asked, strict=True)]),
        storage_gb=np.array([float(workload.storage_gb or 0.0) for workload in workloads]),
        egress_gb=np.array([float(workload.egress_gb_per_month or 0.0) for workload in workloads]),
        terms=setting.terms,
        uneven=tuple(row for row, entry in enumerate(asked) if entry.curves),
    )


def _deadline(workload: Workload, asked: Asked) -> float:
    deadline = deadline_months(workload, asked.window)
    return np.inf if deadline is None else deadline


def month_shares(begin: Numbers, end: Numbers, count: int) -> Numbers:
    """Return the share of each month between two points in time, shape (workloads, count)."""
    months = np.arange(count, dtype=np.float64)
    return np.asarray(np.clip(np.minimum(end[:, None], months + 1.0) - np.maximum(begin[:, None], months), 0.0, 1.0))


def billing_factors(
    batch: Batch, billing: Billing, needs: Numbers, shares: Numbers, tail: Billing | None = None
) -> Factors:
    """Return the factors of one group of quotes.

    Parameters
    ----------
    batch
        What the workloads ask for.
    billing
        How the group is billed.
    needs
        N in the group's accelerator type, shape (workloads,); NaN where it is not known [accelerators].
    shares
        Share of an hour that counts as work, shape (workloads,) [fraction].
    tail
        How the on-demand quote is billed that serves what is left after one term less.
    """
    activity = batch.activity(shares, billing.hours_per_month)
    units = np.maximum(np.ceil(needs / billing.size - SMALLEST_PART), billing.least)
    dues = dues_of(batch, billing, activity, dropped=0 if tail is None else 1)
    if billing.is_committed:
        hourly, supported, upfront = units * dues.hourly, units * dues.supported, units * dues.upfront
    else:
        hourly = _metered(batch, billing, needs, units, activity) + shortfall(batch, billing, units, activity)
        supported, upfront = hourly, units
    return Factors(
        hourly=hourly,
        upfront=upfront,
        exit=dues.exit,
        storage=activity.kept * batch.storage_gb,
        egress=activity.kept * batch.egress_gb,
        supported=supported,
        billed_accelerators=units * billing.size,
        needs=needs,
        activity=activity,
        tail=None if tail is None else _tail(batch, tail, needs, activity, dues),
    )


def dues_of(batch: Batch, billing: Billing, activity: Activity, *, dropped: int) -> Dues:
    """Return what one instance costs under a kind of contract with so many terms less; computed once for each kind."""
    is_nominal = batch.terms.rate is None
    key = (billing.is_committed, billing.is_prepaid, billing.term, billing.hours_per_month, dropped, is_nominal)
    if key not in activity.dues:
        activity.dues[key] = _dues(batch, billing, activity, dropped)
    return activity.dues[key]


def _dues(batch: Batch, billing: Billing, activity: Activity, dropped: int) -> Dues:
    end = activity.end
    nothing = np.zeros(batch.count)
    if billing.is_committed:
        hourly, supported, upfront, contract = _committed(batch, billing, end, dropped=dropped)
    else:
        hourly, supported, upfront, contract = nothing, nothing, nothing, end
    last = np.ceil(np.where(np.isnan(contract), 1.0, contract) - SMALLEST_PART).astype(int) - 1
    ends = batch.present(int(last.max()) + 1, "end", is_recurring=False)
    after = np.einsum("wm,wm->w", activity.valued, _after(batch, activity, contract)) if dropped else nothing
    return Dues(contract, ends[last], hourly, supported, upfront, after)


def _after(batch: Batch, activity: Activity, contract: Numbers) -> Numbers:
    """Return the share of each month that lies after the contract, shape (workloads, months)."""
    known = np.where(np.isnan(contract), 0.0, contract)
    return 1.0 - month_shares(np.zeros(batch.count), known, activity.hours.shape[1])


def _activity(batch: Batch, shares: Numbers, capacity: float) -> Activity:
    """Return hours worked by month and when work or window ends, for the share that each hour counts."""
    slower = np.flatnonzero((shares != 1.0) & np.isfinite(shares) & (shares > 0.0))
    hours, end = batch.hours, batch.length
    if slower.size:
        window = Window(batch.asked[0].window.start, float(batch.hours.shape[1]))
        longer, finish = hours_worked(batch.hours[slower] / shares[slower, None], capacity, 0.0, window)
        hours = to_count(hours, max(longer.shape[1], hours.shape[1]))
        hours[slower] = to_count(longer, hours.shape[1])
        end = end.copy()
        end[slower] = np.maximum(end[slower], np.asarray(finish)[:, 0])
    valued = hours * batch.weights(hours.shape[1], "mid")
    data = month_shares(np.zeros(batch.count), end, whole_months(float(np.max(end))))
    kept = data @ batch.weights(data.shape[1], "mid")
    return Activity(hours, end, hours.sum(axis=1), valued, valued.sum(axis=1), kept)


def _metered(batch: Batch, billing: Billing, needs: Numbers, units: Numbers, activity: Activity) -> Numbers:
    """Return instance-hours valued as metered rows, shape (workloads,)."""
    value = units * activity.metered
    weights = batch.weights(activity.hours.shape[1], "mid") if batch.uneven else np.zeros(0)
    for row, work in _works(batch, needs, activity.hours).items():
        value[row] = float(work.unit_hours(billing.size, billing.least) @ weights)
    return value


def _works(batch: Batch, needs: Numbers, hours: Numbers) -> Mapping[int, Work]:
    """Return the work of each workload whose accelerators do not all work at once."""
    known = (row for row in batch.uneven if np.isfinite(needs[row]))
    return {row: Work(int(needs[row]), hours[row], 0.0, batch.asked[row].shares_at(int(needs[row]))) for row in known}


def _full_hours(batch: Batch, needs: Numbers, hours: Numbers) -> Numbers:
    full = hours.copy()
    for row, work in _works(batch, needs, hours).items():
        full[row] = work.full_hours()
    return full


def shortfall(batch: Batch, billing: Billing, units: Numbers, activity: Activity) -> Numbers | float:
    """Return instance-hours that a minimum bills beyond those used, valued when the minimum ends."""
    if not billing.least_days:
        return 0.0
    month = whole_months(months_from_days(billing.least_days)) - 1
    missing = np.maximum(billing.least_days * HOURS_PER_DAY - activity.total, 0.0)
    return np.asarray(missing * units * batch.weights(month + 1, "mid")[month])


def _committed(
    batch: Batch, billing: Billing, end: Numbers, *, dropped: int
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return factors of one instance's hourly price, of support on it, of its upfront price, and the contract's end."""
    term = end if billing.term is None else np.full(batch.count, billing.term)
    begun = np.maximum(np.ceil(end / term - SMALLEST_PART), 1.0) - dropped
    begun = np.where(begun < 1.0, np.nan, begun)
    contract = begun * term
    longest = whole_months(float(np.nanmax(contract, initial=1.0)))
    starts = _start_sums(batch, billing, longest)
    upfront = _looked_up(starts, begun)
    if billing.is_prepaid:
        return upfront * billing.hours_per_month * term, np.zeros(batch.count), upfront, contract
    months = np.arange(longest + 1, dtype=np.float64)
    lasting = float(longest + 1) if billing.term is None else billing.term
    years = np.floor(np.floor(months / lasting + SMALLEST_PART) * lasting / MONTHS_PER_YEAR)
    growth = price_growth(batch.terms.paths.get("cloud", 0.0), years)
    fees, supported = (
        billing.hours_per_month * _up_to(growth * batch.present(longest + 1, timing, is_recurring=True), contract)
        for timing in ("begin", "mid")
    )
    return fees, supported, upfront, contract


def _start_sums(batch: Batch, billing: Billing, longest: int) -> Numbers:
    """Return price path times present value of term starts, cumulated: entry n is the sum over n terms."""
    term = float(longest + 1) if billing.term is None else billing.term
    starts = np.arange(0.0, longest + term, term)
    months = np.floor(starts + SMALLEST_PART).astype(int)
    growth = price_growth(batch.terms.paths.get("cloud", 0.0), np.floor(starts / MONTHS_PER_YEAR + SMALLEST_PART))
    values = growth * batch.present(int(months[-1]) + 1, "begin", is_recurring=False)[months]
    return np.concatenate([[0.0], np.cumsum(values)])


def _looked_up(sums: Numbers, index: Numbers) -> Numbers:
    known = np.isfinite(index)
    return np.where(known, sums[np.where(known, index, 0.0).astype(int)], np.nan)


def _up_to(monthly: Numbers, months: Numbers) -> Numbers:
    """Return the sum of monthly values up to a point in time, a part of the last month by its share."""
    sums = np.concatenate([[0.0], np.cumsum(monthly)])
    known = np.isfinite(months)
    low = np.floor(np.where(known, months, 0.0) + SMALLEST_PART).astype(int)
    part = np.clip(np.where(known, months, 0.0) - low, 0.0, 1.0)
    return np.where(known, sums[low] + part * monthly[np.minimum(low, monthly.size - 1)], np.nan)


def _tail(batch: Batch, tail: Billing, needs: Numbers, activity: Activity, dues: Dues) -> Numbers:
    """Return the instance-hours after the last whole term, valued as metered rows; NaN where there is no whole term."""
    units = np.maximum(np.ceil(needs / tail.size - SMALLEST_PART), tail.least)
    value = units * dues.after
    works = _works(batch, needs, activity.hours)
    if works:
        after, weights = _after(batch, activity, dues.contract), batch.weights(activity.hours.shape[1], "mid")
        for row, work in works.items():
            value[row] = float((work.unit_hours(tail.size, tail.least) * after[row]) @ weights)
    return np.where(np.isnan(dues.contract), np.nan, value)
