"""What a place can do for every slice of demand, and what that costs: the columns of a portfolio before they are laid.

Costs are present costs at ``as_of``, spend is nominal; both in the currency of the assumptions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from procurement.engine.cloud_ranking import throughput_key
from procurement.engine.demand import deadline_months, late_by_days
from procurement.engine.equal_work import accelerators_at, shares_at
from procurement.engine.ledger import Flow, Ledger
from procurement.engine.periods import (
    Amount,
    Numbers,
    Window,
    present_factors,
    price_growth,
    timing_of,
    whole_years,
)
from procurement.engine.portfolio_demand import Grid, Indices, Slices
from procurement.engine.setting import Setting
from procurement.engine.tables import Build, Quote, Workload
from procurement.engine.work import hours_worked

Flags = NDArray[np.bool_]
METERED, COMMITTED, BUILD, CURRENT = "metered", "committed", "build", "current"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Place:
    """One quote, build or present place; k slices may go there, months are those of each workload."""

    name: str
    kind: str
    supplier: str | None = None  # None: ours
    rows: Indices  # slices, shape (k,)
    accelerators: Numbers  # occupied in the place's own type, shape (k,)
    cost: Numbers  # of serving a slice in a month, shape (k, months)
    spend: Numbers
    months: Flags  # in which a slice can be served, shape (k, months)
    is_whole: Flags  # all months at one share, shape (k,)
    fixed: Numbers  # of a workload's being there at all, shape (workloads,)
    fixed_spend: Numbers  # shape (workloads, months)
    once: Numbers  # of a workload's whole share, beside what months cost, shape (workloads,)
    once_spend: Numbers
    held_from: Indices  # first month in which a workload occupies it, shape (workloads,)
    least: float = 0.0  # fewest accelerators of one workload in a month
    needs_fabric: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))


@dataclass(slots=True, eq=False)
class World:
    """What every place is judged with."""

    setting: Setting
    slices: Slices
    grid: Grid
    factors: Numbers  # worth at as_of of one unit at each workload's start, shape (workloads,)
    is_small: Flags  # asks for fewer accelerators than hold its model
    known_shares: dict[tuple[object, ...], float] = field(default_factory=dict)

    @property
    def kept(self) -> float:
        """Share of an operating cost that income tax leaves, 1 where it is off."""
        tax = self.setting.assumptions.tax
        return 1.0 if tax is None else 1.0 - tax.rate

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """The workloads in the order of the document."""
        return self.slices.workloads

    def weights(self, months: int, timing: str, path: str | None) -> Numbers:
        """Return price path times present value of each month of a recurring row."""
        return self.growth(months, path) * self.present(months, timing)

    def growth(self, months: int, path: str | None) -> Numbers:
        """Return the price path by month, 1 where it is flat."""
        return price_growth(self.setting.terms.paths.get(path or "", 0.0), whole_years(months))

    def present(self, months: int, timing: str) -> Numbers:
        """Return the present value of one unit of a recurring row in each month, at the start."""
        terms = self.setting.terms
        return present_factors(self.grid.rate, months, timing_of(timing, is_recurring=True, switch=terms.switch))

    def needed_at(self, place: Build) -> Numbers:
        """Return N of every workload in a build's type, NaN without a published rate."""
        node = place.accelerators_per_node or 1
        found = (accelerators_at(workload, place.accelerator, node) for workload in self.workloads)
        return np.array([np.nan if one is None else float(one) for one in found])

    def shares_at(self, place: Quote | Build, needed: Numbers) -> Numbers:
        """Return the share of an hour that counts as work asked for, shape (workloads,); NaN where it is not known."""
        shares = np.ones(len(self.workloads))
        for index, workload in enumerate(self.workloads):
            states = workload.training is not None or workload.feed_gb_s_per_accelerator is not None
            if states and np.isfinite(needed[index]):
                shares[index] = self._share(index, workload, place, int(needed[index]))
        return shares

    def _share(self, index: int, workload: Workload, place: Quote | Build, needed: int) -> float:
        key = (index, needed, *(throughput_key(place) if isinstance(place, Quote) else (place.id,)))
        if key not in self.known_shares:
            share, useful = shares_at(workload, place, needed)
            self.known_shares[key] = share if useful is not None else float("nan")
        return self.known_shares[key]


@dataclass(frozen=True, slots=True, eq=False)
class Hours:
    """The hours that each workload works at one place, shape (workloads, months)."""

    hours: Numbers
    finish: Numbers  # months after the start
    runs_on: Flags  # hours that a month cannot hold run on into later ones
    is_late: Flags


def hours_at(world: World, shares: Numbers, capacity: float, ready: Numbers) -> Hours:
    """Return the hours of every workload at a place.

    Parameters
    ----------
    world
        The demand.
    shares
        Share of an hour that counts, shape (workloads,) [fraction].
    capacity
        Hours that a whole month offers [hours per month].
    ready
        When each workload can begin there, shape (workloads,) [months after its start].
    """
    asked = world.slices.asked_hours
    known = np.where((shares > 0.0) & np.isfinite(shares), shares, 1.0)
    needed = asked / known[:, None]
    lengths = np.array([float(one.window.length) for one in world.slices.asked])
    slow = np.flatnonzero((ready > 0.0) | (known != 1.0) | np.any(needed > capacity * (1.0 + 1e-12), axis=1))
    hours, finish = needed, lengths.copy()
    if slow.size:
        window = Window(world.grid.origin, float(asked.shape[1]))
        longer, ends = hours_worked(needed[slow], capacity, ready[slow, None], window)
        hours = np.concatenate([needed, np.zeros((needed.shape[0], longer.shape[1] - needed.shape[1]))], axis=1)
        hours[slow] = longer
        finish[slow] = np.maximum(np.asarray(ends).reshape(-1), lengths[slow])
    runs_on = np.zeros(len(lengths), dtype=np.bool_)
    runs_on[slow] = np.any(np.abs(hours[slow, : needed.shape[1]] - needed[slow]) > 1e-6, axis=1)
    late = [
        late_by_days(float(end), deadline_months(workload, one.window)) is not None
        for end, workload, one in zip(finish, world.workloads, world.slices.asked, strict=True)
    ]
    return Hours(hours, finish, runs_on, np.array(late, dtype=np.bool_))


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What the slices that may go to a place use there, k slices."""

    rows: Indices
    on: Numbers  # mean whole units on, shape (k, months)
    working: Numbers  # mean accelerators at work, shape (k, months)
    accelerators: Numbers  # occupied, whole units, shape (k,)


def units_at(world: World, may: Flags, needed: Numbers, size: float, months: int) -> Units:
    """Return the units of every slice whose workload may go to a place.

    Parameters
    ----------
    world
        The demand.
    may
        Which workloads may go there, shape (workloads,).
    needed
        N in the place's type, shape (workloads,) [accelerators].
    size
        Accelerators of one unit: an instance or a node.
    months
        Months of the answer.
    """
    slices = world.slices
    rows = np.flatnonzero(may[slices.owner]).astype(np.int64)
    on, working = np.zeros((rows.size, months)), np.zeros((rows.size, months))
    occupied = np.zeros(rows.size)
    owners, begins = np.unique(slices.owner[rows], return_index=True)
    varies = np.array([bool(slices.asked[int(owner)].curves) for owner in owners], dtype=np.bool_)
    plain = begins[~varies]
    count = needed[owners[~varies]]
    whole = np.ceil(count / size - 1e-9)
    on[plain], working[plain], occupied[plain] = whole[:, None], count[:, None], whole * size
    for owner, begin in zip(owners[varies], begins[varies], strict=True):
        units, bounds = slices.at(int(owner), int(needed[owner]), size, months)
        at = slice(int(begin), int(begin) + units.shape[0])
        on[at] = units
        working[at] = slices.at(int(owner), int(needed[owner]), 1.0, months)[0]
        occupied[at] = np.diff(np.ceil(bounds / size - 1e-9)) * size
    return Units(rows, on, working, occupied)


def by_month(ledger: Ledger, rows: int, months: int, value: Callable[[Flow], Numbers]) -> Numbers:
    """Return a value of every row of a vectorised ledger by month, shape (rows, months)."""
    total = np.zeros((rows, months))
    for flow in ledger.flows:
        amounts = np.asarray(value(flow))
        if amounts.ndim == 1:
            amounts = amounts[None, :]
        count = min(amounts.shape[-1], months)
        total[:, :count] += amounts[:, :count]
        if amounts.shape[-1] > months:
            total[:, -1] += amounts[:, months:].sum(axis=-1)
    return total


def presents(ledger: Ledger, rows: int, months: int) -> Numbers:
    """Return present values at the start by row and month."""
    return by_month(ledger, rows, months, lambda flow: ledger.amounts(flow) * ledger.terms.factors(flow))


def nominals(ledger: Ledger, rows: int, months: int) -> Numbers:
    """Return what is paid by row and month, credits left out."""
    return by_month(ledger, rows, months, lambda flow: np.maximum(ledger.amounts(flow), 0.0))


def column(values: Numbers) -> Amount:
    """Return one number per row as the column that ledgers compute with."""
    return np.asarray(values, dtype=np.float64)[:, None]


def current_place(world: World, names: Mapping[str, str]) -> list[Place]:
    """Return the places that workloads run on today, where their cost is stated."""
    found = []
    for index, workload in enumerate(world.workloads):
        if workload.current is not None and workload.current.cost_per_month is not None:
            found.append(_current(world, index, workload, names))
    return found


def _current(world: World, index: int, workload: Workload, names: Mapping[str, str]) -> Place:
    slices = world.slices
    rows = slices.rows_of(index)
    months = slices.hours.shape[1]
    window = slices.asked[index].window
    staying = np.zeros(months)
    staying[: window.count] = window.weights
    current = workload.current
    cost = float((current.cost_per_month if current is not None else None) or 0.0)
    nominal = np.zeros((rows.size, months))
    nominal[0] = cost * staying
    present = nominal * world.present(months, "mid") * world.factors[index] * world.kept
    none = np.zeros(len(world.workloads))
    return Place(
        name=names.get(workload.id, "current"), kind=CURRENT, rows=rows,
        accelerators=(slices.last - slices.first)[rows].astype(np.float64), cost=present, spend=nominal,
        months=np.ones((rows.size, months), dtype=np.bool_), is_whole=np.ones(rows.size, dtype=np.bool_),
        fixed=none, fixed_spend=np.zeros((none.size, months)), once=none, once_spend=none,
        held_from=np.zeros(none.size, dtype=np.int64), needs_fabric=np.zeros(none.size, dtype=np.bool_),
    )  # fmt: skip
