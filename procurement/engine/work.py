"""The hours that one workload works at one place: equal useful work, run on where it does not fit (semantics 5, 6)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from procurement.engine.periods import SMALLEST_PART, Amount, Numbers, Window, largest, overlap, whole_months

FITS = 1.0 + 1e-12  # a full month is no overfull one
LONGEST_RUN_MONTHS = 1200  # a run-on beyond a hundred years is cut: the option is late by more than any deadline


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What a workload does at a place, month by month."""

    accelerators: int  # asked for, in the place's own type
    hours: Numbers  # wall-clock hours in which the place works, shape (months,) or (draws, months)
    finish: Amount  # months after the start at which the work is done
    shares: Numbers | None = None  # share of the hours in which accelerator k works, (months or 1, peak); None: all do

    @property
    def count(self) -> int:
        """Number of months the work reaches."""
        return int(self.hours.shape[-1])

    def units_on(self, size: float, least: int = 0) -> Numbers:
        """Return how many whole units of ``size`` accelerators run on average while the place works.

        A unit is on whenever one of its accelerators works; ``least`` units are on whenever one is.
        Shape (1,) or (months,).
        """
        units = max(units_for(self.accelerators, size), least)
        if self.shares is None:
            return np.array([float(units)])
        on = unit_shares(self.shares, size)
        missing = max(least - on.shape[-1], 0)
        on = np.concatenate([on, np.zeros((*on.shape[:-1], missing))], axis=-1)
        on[..., :least] = on[..., :1]
        return np.asarray(on.sum(axis=-1))

    def unit_hours(self, size: float, least: int = 0) -> Numbers:
        """Return unit-hours by month, shape (months,) or (draws, months)."""
        return np.asarray(self.hours * self._by_month(self.units_on(size, least)))

    def accelerator_hours(self) -> Numbers:
        """Return accelerator-hours by month of the accelerators at work, not of whole units."""
        return self.unit_hours(1.0)

    def full_hours(self) -> Numbers:
        """Return the hours by month in which all accelerators would have done the same accelerator-hours."""
        return np.asarray(self.accelerator_hours() / max(self.accelerators, 1))

    def _by_month(self, units: Numbers) -> Numbers:
        if units.shape[-1] in (1, self.count):
            return units
        longer = max(self.count - units.shape[-1], 0)  # what runs on works as the last month did
        tail = np.repeat(units[..., -1:], longer, axis=-1)
        return np.concatenate([units, tail], axis=-1)[..., : self.count]


def units_for(accelerators: int, size: float) -> int:
    """Return how many whole units of ``size`` hold that many accelerators; sizes may be fractions of one."""
    return math.ceil(accelerators / size - SMALLEST_PART)


def unit_shares(shares: Numbers, size: float) -> Numbers:
    """Return the share of hours in which each unit is on: that of the first accelerator in it.

    ``shares`` never rises from one accelerator to the next, so a unit is on as long as its first accelerator is.
    """
    peak = shares.shape[-1]
    units = units_for(peak, size)
    first = np.minimum(np.floor(np.arange(units) * size + SMALLEST_PART).astype(int), peak - 1)
    return np.asarray(shares[..., first])


def hours_worked(demand: Numbers, capacity: Amount, ready: Amount, window: Window) -> tuple[Numbers, Amount]:
    """Return the hours worked in each month and when the last of them is done.

    Work waits until the place is ready and runs on into later months where a month cannot hold it (semantics 6):
    with A the capacity and D the demand accumulated to month m, worked = A - max(0, max over j <= m of A_j - D_j).

    Parameters
    ----------
    demand
        Hours asked for at this place by month, shape (months,) or (draws, months) [hours].
    capacity
        Hours that a whole month offers [hours per month].
    ready
        When the place can be used [months after the start].
    window
        The workload's window, which fixes the length where nothing runs on.

    Returns
    -------
    tuple
        Hours by month, shape (months,) or (draws, months), and the finish, a number or column [months].
    """
    if not np.any(ready) and np.all(demand <= np.asarray(capacity) * FITS):
        return demand, _finish(demand, np.full(demand.shape, capacity), ready)  # nothing waits, nothing runs on
    total = demand.sum(axis=-1, keepdims=True)
    longest = float(np.max(np.asarray(ready) + total / capacity)) + demand.shape[-1]
    count = min(max(window.count, math.ceil(longest) + 1), LONGEST_RUN_MONTHS)
    available = capacity * overlap(ready, float(count), count)
    asked = np.zeros((*np.broadcast_shapes(demand.shape[:-1], available.shape[:-1]), count))
    asked[..., : demand.shape[-1]] = demand[..., :count]
    offered = np.cumsum(available, axis=-1)
    unused = np.maximum(np.maximum.accumulate(offered - np.cumsum(asked, axis=-1), axis=-1), 0.0)
    worked = offered - unused  # so far
    worked[..., 1:] -= worked[..., :-1].copy()
    worked = np.where(worked > SMALLEST_PART, worked, 0.0)
    finish = _finish(worked, available, ready)
    used = max(window.count, whole_months(largest(finish)))
    return worked[..., :used], finish


def _finish(worked: Numbers, available: Numbers, ready: Amount) -> Amount:
    """Return when the last hour is done, months after the start; hours are worked from the begin of a month."""
    count = worked.shape[-1]
    is_used = worked > 0.0
    last = np.where(is_used.any(axis=-1), count - 1 - np.argmax(is_used[..., ::-1], axis=-1), 0)[..., np.newaxis]
    done, offered = _in_month(worked, last), _in_month(available, last)
    share = np.divide(done, offered, out=np.zeros_like(done), where=offered > 0.0)
    begin = np.maximum(last.astype(np.float64), ready)
    finish = begin + share * (last + 1.0 - begin)
    return float(finish[0]) if finish.ndim == 1 else finish


def _in_month(values: Numbers, month: NDArray[np.intp]) -> Numbers:
    """Return what each row has in a month of its own, shape (1,) or (draws, 1)."""
    if values.ndim == 1:
        return values[month]
    return np.take_along_axis(values, month, axis=-1)
