"""Figures of an option, each a sum over its ledger (semantics 20 to 22; METHOD.md, Figures)."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from procurement.engine.ledger import Ledger
from procurement.engine.money import rounded, rounded_parts, split_exactly
from procurement.engine.options_base import Priced
from procurement.engine.periods import Numbers, present_factors, timing_of

ROOT_TOLERANCE = 1e-9
FIRST_GRID = 64
REFINEMENTS = 6
RefinedFunction = Callable[[Numbers], Numbers]


@dataclass(frozen=True, slots=True)
class Totals:
    """Rounded sums of one ledger: every total is the sum of its rounded components."""

    nominal_cost: Decimal
    npv: Decimal | None
    capital: Decimal
    operating: Decimal
    components: dict[str, Decimal]  # nominal
    components_npv: dict[str, Decimal] | None
    by_month: list[Decimal]  # nominal


def total_costs(ledger: Ledger) -> Totals:
    """Return the sums of a ledger, rounded once per component (semantics 22)."""
    currency = ledger.terms.currency
    ledger = Ledger(tuple(flow for flow in ledger.flows if np.any(ledger.amounts(flow))), ledger.terms)
    components = rounded_parts(ledger.nominal_by_component(), currency)
    nothing = rounded(0.0, currency)  # a sum of no components has minor units too
    nominal = sum(components.values(), nothing)
    present = None if ledger.terms.rate is None else rounded_parts(ledger.present_by_component(), currency)
    capital = rounded(ledger.capital(), currency)
    return Totals(
        nominal_cost=nominal,
        npv=None if present is None else sum(present.values(), nothing),
        capital=capital,
        operating=nominal - capital,
        components=components,
        components_npv=present,
        by_month=split_exactly(nominal, list(ledger.by_month()), currency),
    )


def cost_per_hour(priced: Priced, hours: Numbers) -> float | None:
    """Return PV of rows over PV of hours, hours falling due as metered rows do (semantics 21); None without a rate."""
    terms = priced.ledger.terms
    if terms.rate is None:
        return None
    factors = present_factors(terms.rate, hours.shape[-1], timing_of("mid", is_recurring=True, switch=terms.switch))
    worked = float((hours * factors).sum())
    return float(priced.ledger.total_present()) / worked if worked > 0.0 else None


@dataclass(frozen=True, slots=True)
class Crossing:
    """When one option's cumulative cost comes down to another's; None with a reason where it does not."""

    months: float | None
    hours: float | None
    reason: str | None = None
    months_beyond: float | None = None  # at the last month's rate, where it lies beyond the window
    hours_beyond: float | None = None


def crossing(option: Priced, other: Priced, *, discounted: bool) -> Crossing:
    """Return the first point at which an option's cumulative rows are no more than another's (semantics 20).

    One-off rows of a month come first, the rest runs linearly through it. Hours are those used until then.
    """
    ahead = _lead_by_month(option.ledger, other.ledger, discounted=discounted)
    start, change = ahead
    count = start.size
    hours = np.zeros(count)
    used = option.hours[:count]
    hours[: used.size] = used
    before = np.concatenate([[0.0], np.cumsum(start + change)])[:-1] + start  # after the one-off rows of each month
    reached = np.flatnonzero((before <= 0.0) | (before + change <= 0.0))
    if reached.size:
        month = int(reached[0])
        share = 0.0 if before[month] <= 0.0 else float(before[month] / -change[month])
        return Crossing(month + share, float(hours[:month].sum() + share * hours[month]))
    return _beyond(before, change, hours)


def _beyond(before: Numbers, change: Numbers, hours: Numbers) -> Crossing:
    """Return why there is no crossing inside the window, with the figure at the last month's rate where it has one."""
    last = before.size - 1
    if change[last] >= 0.0:
        reason = "cloud_not_dearer_than_running" if np.all(change >= 0.0) else "never"
        return Crossing(None, None, reason)
    more = float((before[last] + change[last]) / -change[last])
    return Crossing(None, None, "beyond_window", before.size + more, float(hours.sum() + more * hours[last]))


def _lead_by_month(option: Ledger, other: Ledger, *, discounted: bool) -> tuple[Numbers, Numbers]:
    """Return the difference of one-off rows and of recurring rows by month, option less other."""
    count = max(option.count, other.count)

    def column(ledger: Ledger, *, recurring: bool) -> Numbers:
        values = (
            ledger.present_by_month(recurring=recurring) if discounted else ledger.nominal_by_month(recurring=recurring)
        )
        return np.concatenate([values, np.zeros(count - values.size)])

    parts = [column(option, recurring=kind) - column(other, recurring=kind) for kind in (False, True)]
    return parts[0], parts[1]


def first_root(function: RefinedFunction, low: float, high: float) -> float | None:
    """Return the smallest root of a function that takes arrays, or None where it keeps its sign.

    The interval is searched on a grid that is refined around the first change of sign.
    """
    roots = grid_roots(function, np.linspace(low, high, FIRST_GRID + 1))
    return min(roots, default=None)


def first_grid_root(function: RefinedFunction, grid: Numbers, values: Numbers) -> float | None:
    """Return the smallest root that known values on a grid separate, refined; None where they keep their sign."""
    exact = np.flatnonzero(values == 0.0)
    turns = np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0)
    if exact.size and (not turns.size or exact[0] <= turns[0]):
        return float(grid[exact[0]])
    if not turns.size:
        return None
    turn = int(turns[0])
    if is_straight(grid[max(turn - 1, 0) : turn + 3], values[max(turn - 1, 0) : turn + 3]):
        return float(grid[turn] + (grid[turn + 1] - grid[turn]) * values[turn] / (values[turn] - values[turn + 1]))
    return _refined(function, float(grid[turn]), float(grid[turn + 1]))


def is_straight(points: Numbers, values: Numbers) -> bool:
    """Return whether values at three or more points lie on one line."""
    if points.size < 3:
        return False
    slopes = np.diff(values) / np.diff(points)
    return bool(np.ptp(slopes) <= ROOT_TOLERANCE * np.max(np.abs(slopes)))


def nearest_root(function: RefinedFunction, today: float, grid: Numbers) -> float | None:
    """Return the root nearest to today's value, or None where there is none in the grid's range."""
    roots = grid_roots(function, grid)
    return min(roots, key=lambda root: (abs(root - today), root), default=None)


def grid_roots(function: RefinedFunction, grid: Numbers) -> list[float]:
    """Return every root that a grid separates, each refined until it is sure to 1e-9 of the grid's range."""
    values = np.asarray(function(grid), dtype=np.float64)
    exact = [float(point) for point in grid[values == 0.0]]
    turns = np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0)
    return sorted(exact + [_refined(function, float(grid[turn]), float(grid[turn + 1])) for turn in turns])


def _refined(function: RefinedFunction, low: float, high: float) -> float:
    ends = np.asarray(function(np.array([low, high])), dtype=np.float64)
    for _ in range(REFINEMENTS):
        guess = low + (high - low) * float(ends[0]) / float(ends[0] - ends[1])
        if abs(float(function(np.array([guess]))[0])) <= ROOT_TOLERANCE * float(np.max(np.abs(ends))):
            return float(guess)  # straight between the ends, as most totals are
        points = np.linspace(low, high, FIRST_GRID + 1)
        values = np.asarray(function(points), dtype=np.float64)
        zero = np.flatnonzero(values == 0.0)
        if zero.size:
            return float(points[zero[0]])
        turns = np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0)
        if not turns.size or high - low <= ROOT_TOLERANCE * max(abs(low), abs(high), 1.0):
            break
        low, high = float(points[turns[0]]), float(points[turns[0] + 1])
        ends = values[turns[0] : turns[0] + 2]
    return (low + high) / 2.0
