"""The demand of a portfolio: workloads cut into slices of load, on one grid of months (METHOD.md, Portfolio)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

from procurement.engine.equal_work import Asked, asked_hours
from procurement.engine.periods import (
    DAYS_PER_YEAR,
    SMALLEST_PART,
    Numbers,
    months_between,
)
from procurement.engine.setting import Setting
from procurement.engine.tables import Workload
from procurement.engine.work import unit_shares, units_for

Indices = NDArray[np.int64]

MOST_SLICES = 1200  # of all varying workloads together; beyond it slices are wider
FEWEST_SLICES = 4  # of one varying workload
GANG = "one_job"


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The months of a portfolio: month 0 begins on the earliest start, starts count as the nearest month."""

    origin: date
    as_of: date
    rate: float  # effective nominal [fraction per year]
    offset: Indices  # month in which each workload starts, shape (workloads,)
    count: int

    def factor(self, day: date) -> float:
        """Return what one unit of a ledger that starts on a day is worth at ``as_of`` (semantics 1)."""
        return float((1.0 + self.rate) ** (-(day - self.as_of).days / DAYS_PER_YEAR))

    def nearest(self, day: date) -> int:
        """Return the month whose begin is nearest to a day, at least 0."""
        return max(round(months_between(self.origin, day)), 0)


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """All demand, one row for each slice of a workload's load; a workload that does not vary is one slice.

    ``first`` and ``last`` are accelerators of the N that the workload states; ``hours`` the hours of each month that
    each of the slice's accelerators works on average, shape (slices, months).
    """

    workloads: tuple[Workload, ...]
    asked: tuple[Asked, ...]
    owner: Indices  # index of the workload, shape (slices,)
    first: Indices
    last: Indices
    asked_hours: Numbers  # hours of each workload by month, shape (workloads, months)
    hours: Numbers
    known: dict[tuple[int, int, float], tuple[Numbers, Indices]] = field(default_factory=dict, repr=False)

    @property
    def is_gang(self) -> NDArray[np.bool_]:
        """Whether each workload stays whole, shape (workloads,)."""
        return np.array([workload.shape == GANG for workload in self.workloads], dtype=np.bool_)

    @property
    def is_asked(self) -> NDArray[np.bool_]:
        """Whether a slice is asked for in a month, shape (slices, months)."""
        return np.asarray(self.hours > SMALLEST_PART)

    @property
    def accelerator_hours(self) -> Numbers:
        """Accelerator-hours asked for, in the workload's own type, shape (slices, months)."""
        return np.asarray(self.hours * (self.last - self.first)[:, None])

    def rows_of(self, workload: int) -> Indices:
        """Return the slices of a workload."""
        return np.flatnonzero(self.owner == workload).astype(np.int64)

    def at(self, workload: int, needed: int, size: float, months: int) -> tuple[Numbers, Indices]:
        """Return how many whole units each slice keeps on, and where slices begin, for N in a place's type.

        Units are those whose first accelerator lies in the slice, so that slices add up to the ledger's unit-hours.

        Parameters
        ----------
        workload
            Index of the workload.
        needed
            N in the place's type [accelerators].
        size
            Accelerators of a unit: an instance, or 1 for accelerator-hours.
        months
            Months of the answer; what runs on works as the last month did.

        Returns
        -------
        tuple
            Mean units on, shape (slices of the workload, months), and the slices' bounds, shape (slices + 1,).
        """
        key = (workload, needed, size)
        if key not in self.known:
            rows = self.rows_of(workload)
            stated = self.workloads[workload].accelerators
            ends = np.concatenate([self.first[rows[:1]], self.last[rows]]) / max(stated, 1)
            bounds = np.minimum(np.ceil(ends * needed - SMALLEST_PART), needed).astype(np.int64)
            shares = self.asked[workload].shares_at(needed)
            if shares is None:
                on = np.array([[float(units_for(needed, size))]])
            else:
                by_unit = unit_shares(shares, size)
                sums = np.concatenate([np.zeros((by_unit.shape[0], 1)), np.cumsum(by_unit, axis=-1)], axis=-1)
                cut = np.minimum(np.ceil(bounds / size - SMALLEST_PART).astype(int), sums.shape[1] - 1)
                on = np.diff(sums[:, cut], axis=1).T
            self.known[key] = (on, bounds)
        on, bounds = self.known[key]
        return padded(on, months), bounds


def padded(values: Numbers, months: int) -> Numbers:
    """Return values by month for so many months, the last one repeated; one column holds for all of them."""
    if values.shape[1] >= months:
        return values[:, :months]
    return np.concatenate([values, np.repeat(values[:, -1:], months - values.shape[1], axis=1)], axis=1)


def grid_of(workloads: Sequence[Workload], setting: Setting, months: Indices) -> Grid:
    """Return the months of a portfolio, for workloads of so many months each."""
    origin = min(workload.start for workload in workloads)
    offset = np.array([round(months_between(origin, workload.start)) for workload in workloads], dtype=np.int64)
    rate = setting.assumptions.discount_rate
    return Grid(
        origin=origin,
        as_of=setting.scenario.as_of,
        rate=0.0 if rate is None else float(rate),
        offset=offset,
        count=int(np.max(offset + months)),
    )


def slices_of(workloads: Sequence[Workload], setting: Setting, unit: int) -> Slices:
    """Return the demand of all workloads, varying load cut into slices of whole nodes.

    Parameters
    ----------
    workloads, setting
        What is asked for and the assumptions.
    unit
        Accelerators of the largest node or instance on offer.
    """
    asked = tuple(asked_hours(workload, setting.assumptions) for workload in workloads)
    months = max(entry.hours.shape[-1] for entry in asked)
    hours = np.zeros((len(asked), months))
    for row, entry in enumerate(asked):
        hours[row, : entry.hours.shape[-1]] = entry.hours
    varying = sum(1 for entry, workload in zip(asked, workloads, strict=True) if _is_cut(entry, workload))
    most = max(MOST_SLICES // max(varying, 1), FEWEST_SLICES)
    cuts = [_cuts(entry, one, most, unit) for entry, one in zip(asked, workloads, strict=True)]
    owner = np.repeat(np.arange(len(cuts)), [len(first) for first, _, _ in cuts])
    mean = np.concatenate([padded(share, months) for _, _, share in cuts])
    return Slices(
        workloads=tuple(workloads),
        asked=asked,
        owner=owner.astype(np.int64),
        first=np.concatenate([first for first, _, _ in cuts]),
        last=np.concatenate([last for _, last, _ in cuts]),
        asked_hours=hours,
        hours=hours[owner] * mean,
    )


def _is_cut(asked: Asked, workload: Workload) -> bool:
    return bool(asked.curves) and workload.shape != GANG


def _cuts(asked: Asked, workload: Workload, most: int, unit: int) -> tuple[Indices, Indices, Numbers]:
    """Return first and last accelerator of each slice and the mean share of hours that it works."""
    count = workload.accelerators
    shares = asked.shares_at(count)
    if shares is None or not _is_cut(asked, workload):
        mean = np.ones((1, 1)) if shares is None else shares.sum(axis=1, keepdims=True).T / max(count, 1)
        return np.array([0], dtype=np.int64), np.array([count], dtype=np.int64), mean
    unit = min(unit, count)
    step = max(math.ceil(count / most / unit), 1) * unit
    bounds = np.unique(np.append(np.arange(0, count, step), count))
    sums = np.concatenate([np.zeros((shares.shape[0], 1)), np.cumsum(shares, axis=1)], axis=1)
    means = np.diff(sums[:, np.minimum(bounds, shares.shape[1])], axis=1) / np.diff(bounds)
    is_new = np.concatenate([[True], np.any(np.abs(np.diff(means, axis=1)) > SMALLEST_PART, axis=0)])
    first = bounds[:-1][is_new]
    last = np.append(first[1:], count)
    return first.astype(np.int64), last.astype(np.int64), means[:, is_new].T
