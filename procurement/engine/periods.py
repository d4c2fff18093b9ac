"""Months of a window, present values and price paths: the calendar of every ledger (semantics 1 to 4)."""

import math
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from procurement.engine.tables import Assumptions, Workload

Numbers = NDArray[np.float64]
Amount = float | Numbers  # one number, or one per draw in a column of shape (draws, 1)

MONTHS_PER_YEAR = 12
DAYS_PER_YEAR = 365.0
HOURS_PER_DAY = 24.0
TIMING_OFFSET = {"begin": 0.0, "mid": 0.5, "end": 1.0}  # months after the month's begin
SMALLEST_PART = 1e-9  # months; what is left of a month by binary fractions alone is none


@dataclass(frozen=True, slots=True)
class Window:
    """The months for which a workload is costed: month 0 begins on ``start``."""

    start: date
    length: float  # months, the last one may be a fraction

    @property
    def count(self) -> int:
        """Number of ledger months, the last one included even where it is a fraction."""
        return whole_months(self.length)

    @property
    def weights(self) -> Numbers:
        """Share of each month that lies in the window, shape (count,) [fraction]."""
        return overlap(0.0, self.length, self.count)

    @property
    def end(self) -> date:
        """First day after the window."""
        return day_at(self.start, self.length)


def whole_months(length: float) -> int:
    """Return how many ledger months a length needs; at least one."""
    return max(1, math.ceil(length - SMALLEST_PART))


def months_from_days(days: float) -> float:
    """Return days as months of 365 / 12 days (semantics 1)."""
    return days * MONTHS_PER_YEAR / DAYS_PER_YEAR


def months_between(start: date, day: date) -> float:
    """Return the months from ``start`` to ``day``, negative before it."""
    return months_from_days((day - start).days)


def day_at(start: date, months: float) -> date:
    """Return the day that lies ``months`` after ``start``."""
    return start + timedelta(days=round(months * DAYS_PER_YEAR / MONTHS_PER_YEAR))


def window_of(workload: Workload, assumptions: Assumptions) -> Window:
    """Return the window of a workload: months, else days x 12 / 365, else end - start; cut at the horizon."""
    horizon = float(assumptions.horizon_months)
    return Window(workload.start, min(stated_length(workload, horizon), horizon))


def stated_length(workload: Workload, horizon: float) -> float:
    """Return the months the workload asks for, before the horizon cuts them."""
    if workload.months is not None:
        return float(workload.months)
    if workload.days is not None:
        return months_from_days(float(workload.days))
    if workload.end is not None:
        return max(months_between(workload.start, workload.end), SMALLEST_PART)
    return horizon


def largest(amount: Amount) -> float:
    """Return the greatest of an amount's draws; a number is itself."""
    return amount if isinstance(amount, float) else float(np.max(amount))


@lru_cache(maxsize=1024)
def month_numbers(count: int) -> Numbers:
    """Return 0, 1, 2 ... as numbers, not to be written to: every row of every ledger counts the same months."""
    found = np.arange(count, dtype=np.float64)
    found.flags.writeable = False
    return found


def overlap(begin: Amount, end: Amount, count: int) -> Numbers:
    """Return the share of each month that lies between two points in time.

    Parameters
    ----------
    begin, end
        Points in time, numbers or columns of shape (draws, 1) [months after the start].
    count
        Number of months.

    Returns
    -------
    Numbers
        Shape (count,) or (draws, count), each in 0 to 1 [fraction].
    """
    months = month_numbers(count)
    inside = np.minimum(end, months + 1.0) - np.maximum(begin, months)
    return np.asarray(np.minimum(np.maximum(inside, 0.0), 1.0), dtype=np.float64)


def to_count(values: Numbers, count: int) -> Numbers:
    """Return monthly values cut or filled up with zeros to a number of months."""
    missing = max(count - values.shape[-1], 0)
    return np.concatenate([values[..., :count], np.zeros((*values.shape[:-1], missing))], axis=-1)


def at_month(month: Amount, count: int) -> Numbers:
    """Return 1 in the month a point in time falls into and 0 elsewhere, shape (count,) or (draws, count)."""
    return np.asarray(np.floor(np.asarray(month) + SMALLEST_PART) == month_numbers(count), dtype=np.float64)


def present_factors(rate: Amount, count: int, timing: str) -> Numbers:
    """Return what one unit of each month is worth at the start: (1 + r)^-(m / 12), mid and end half and one later.

    Parameters
    ----------
    rate
        Effective nominal rate, a number or a column of shape (draws, 1) [fraction per year].
    count
        Number of months.
    timing
        ``begin``, ``mid`` or ``end`` of the month.
    """
    return _known_factors(rate, count, timing) if isinstance(rate, float) else _factors(rate, count, timing)


def _factors(rate: Amount, count: int, timing: str) -> Numbers:
    years = (month_numbers(count) + TIMING_OFFSET[timing]) / MONTHS_PER_YEAR
    return np.asarray(np.power(1.0 + np.asarray(rate, dtype=np.float64), -years))


@lru_cache(maxsize=1024)
def _known_factors(rate: float, count: int, timing: str) -> Numbers:
    """Return the factors of one rate, not to be written to: every row of every ledger asks for the same few."""
    found = _factors(rate, count, timing)
    found.flags.writeable = False
    return found


def price_growth(change: Amount, years: Numbers) -> Numbers:
    """Return the price path (1 + g)^years, where years are whole years since the start (semantics 4)."""
    return np.asarray(np.power(1.0 + np.asarray(change, dtype=np.float64), years))


def whole_years(count: int) -> Numbers:
    """Return floor(m / 12) of each month, shape (count,)."""
    return np.floor(month_numbers(count) / MONTHS_PER_YEAR)


def timing_of(timing: str, *, is_recurring: bool, switch: str) -> str:
    """Return when a row falls due: the switch moves recurring rows only (semantics 3)."""
    return timing if switch == "as_ledger" or not is_recurring else switch
