"""Equal work: the hours one workload needs at one place, whatever the place gets out of an hour (semantics 5 to 7)."""

import math
from dataclasses import dataclass

import numpy as np

from procurement.engine.periods import SMALLEST_PART, Amount, Numbers, Window, whole_years, window_of
from procurement.engine.tables import Assumptions, Workload
from procurement.engine.work import Work, hours_worked, units_for
from providers.reference import INFERENCE_RATES, TRAINING_RATES, accelerator_accepts, rate_ratio

INFERENCE_KINDS = ("llm_inference", "batch_inference", "fraud_detection")


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a workload asks for, before any place: hours by month and the accelerators that work in them."""

    window: Window
    hours: Numbers  # shape (months,) or (draws, months)
    shares: Numbers | None = None  # share of the hours in which accelerator k works; None: all at once


def asked_hours(workload: Workload, assumptions: Assumptions) -> Asked:
    """Return hours by month in which the accelerators work, the last month by its fraction."""
    window = window_of(workload, assumptions)
    basis = assumptions.hours_per_month
    demand = workload.demand
    if demand is None:
        return Asked(window, basis * window.weights)
    if demand.hours_per_month is not None:
        base: Amount = demand.hours_per_month
    elif demand.utilisation is not None:
        base = demand.utilisation * basis
    else:
        base = basis
    growth = np.power(1.0 + workload.growth_per_year, whole_years(window.count))
    return Asked(window, np.minimum(base * growth, basis) * window.weights)


def accelerators_at(workload: Workload, accelerator: str | None, node: int) -> int | None:
    """Return N in a place's own accelerator type, or None where no published rate compares the two (semantics 7).

    N is stated for the first accepted type; another type is scaled by its rate and rounded up to whole nodes.
    """
    if not workload.accelerator_types or accelerator is None:
        return workload.accelerators
    first = workload.accelerator_types[0]
    if accelerator_accepts(first, accelerator):
        return workload.accelerators
    rates = INFERENCE_RATES if workload.kind in INFERENCE_KINDS else TRAINING_RATES
    found = rate_ratio(first, accelerator, rates)
    if found is None:
        return None
    scaled = workload.accelerators / found.ratio
    return units_for(math.ceil(scaled - SMALLEST_PART), float(node)) * node


def work_at(asked: Asked, accelerators: int, capacity: Amount, share: Amount = 1.0, ready: Amount = 0.0) -> Work:
    """Return the hours worked at a place.

    Parameters
    ----------
    asked
        What the workload asks for.
    accelerators
        N in the place's own type.
    capacity
        Hours that a whole month offers there [hours per month].
    share
        Useful share of an hour; a workload with a training block needs 1 / share as many hours [fraction].
    ready
        When the place can be used [months after the start].
    """
    hours, finish = hours_worked(asked.hours / share, capacity, ready, asked.window)
    return Work(accelerators=accelerators, hours=hours, finish=finish, shares=asked.shares)


def later(asked: Asked, months: Amount) -> Asked:
    """Return the same demand moved to start ``months`` later, the reading of equal service life."""
    window = Window(asked.window.start, asked.window.length + float(np.max(months)))
    moved = _shifted(asked.hours, months, window.count)
    return Asked(window, moved, asked.shares)


def _shifted(hours: Numbers, months: Amount, count: int) -> Numbers:
    """Return hours moved to the right by a number of months, parts of a month shared between its neighbours."""
    whole = np.floor(np.asarray(months, dtype=np.float64) + SMALLEST_PART)
    part = np.clip(np.asarray(months) - whole, 0.0, 1.0)
    index = np.arange(count) - whole.astype(int)
    return np.asarray(_taken(hours, index) * (1.0 - part) + _taken(hours, index - 1) * part)


def _taken(hours: Numbers, index: np.ndarray) -> Numbers:
    last = hours.shape[-1] - 1
    inside = (index >= 0) & (index <= last)
    safe = np.clip(index, 0, last)
    if hours.ndim == 1:
        return np.asarray(hours[safe] * inside)
    shape = np.broadcast_shapes(hours.shape[:-1] + (1,), safe.shape)
    rows = np.broadcast_to(hours, (*shape[:-1], hours.shape[-1]))
    return np.asarray(np.take_along_axis(rows, np.broadcast_to(safe, shape), axis=-1) * inside)


