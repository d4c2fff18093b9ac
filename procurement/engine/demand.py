"""Demand: when a workload's accelerators work, month by month and as a load-duration curve (METHOD.md, Demand)."""

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from procurement.engine import efficiency as eff
from procurement.engine.errors import EngineError
from procurement.engine.inference import HEAD_ROOM, peak_tokens_per_second, usable_rate
from procurement.engine.load_curve import (
    LoadCurve,
    constant_curve,
    mean_and_peak_curve,
    measured_curve,
    shaped_curve,
)  # fmt: skip
from procurement.engine.periods import (
    DAYS_PER_YEAR,
    MONTHS_PER_YEAR,
    SMALLEST_PART,
    Amount,
    Numbers,
    Window,
    months_between,
    whole_years,
    window_of,
)  # fmt: skip
from procurement.engine.tables import Assumptions, Demand, Training, Workload
from providers.reference import accelerator_of

SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True, slots=True, eq=False)
class DemandPlan:
    """What a workload asks for before any place: hours by month, and how many accelerators work in them.

    Attributes
    ----------
    window : Window
        Months of the demand; `window.count` of them, the last one a fraction where `window.weights` says so.
    accelerators : int
        N that the workload states.
    hours : Numbers
        Hours of each month to which the month's curve applies, shape (months,) or (draws, months) [hours].
    curves : tuple of LoadCurve
        The distinct load-duration curves.
    curve_of_month : NDArray
        Index into `curves`, shape (months,).
    is_all_at_once : bool
        Whether all N work in every one of the hours; otherwise the accelerators in use vary by the curve.
    notes : tuple of str
        What was assumed.
    """

    window: Window
    accelerators: int
    hours: Numbers
    curves: tuple[LoadCurve, ...]
    curve_of_month: NDArray[np.intp]
    is_all_at_once: bool
    notes: tuple[str, ...] = ()

    @property
    def peak(self) -> float:
        """Most accelerators in use in any hour [accelerators]."""
        return max(curve.peak for curve in self.curves)

    @property
    def accelerator_hours(self) -> Numbers:
        """Accelerator-hours of each month, shape (months,) or (draws, months)."""
        return np.asarray(self.hours * np.array([curve.mean for curve in self.curves])[self.curve_of_month])

    @property
    def full_hours(self) -> Numbers:
        """Hours of each month in which all N would have done the same accelerator-hours [hours]."""
        return np.asarray(self.accelerator_hours / max(self.accelerators, 1))

    @property
    def shares(self) -> Numbers | None:
        """Share of the hours in which accelerator k works, shape (1 or months, peak); None where all work at once."""
        if self.is_all_at_once:
            return None
        levels = np.arange(max(1, math.ceil(self.peak - 1e-9)), dtype=np.float64)
        by_curve = np.stack([curve.share_above(levels) for curve in self.curves])
        return by_curve if len(self.curves) == 1 else by_curve[self.curve_of_month]

    def split(self, owned: Numbers) -> tuple[Numbers, Numbers]:
        """Return the accelerator-hours that K owned ones serve and those left to rent, for every month and every K.

        Parameters
        ----------
        owned : Numbers
            Accelerators owned, shape (K,), usually every number of whole nodes [accelerators].

        Returns
        -------
        tuple of Numbers
            hours x E[min(D, K)] and hours x E[(D - K)+], each of shape (months, K) [accelerator-hours].
        """
        served = np.stack([curve.served_by(owned) for curve in self.curves])[self.curve_of_month]
        burst = np.stack([curve.burst_above(owned) for curve in self.curves])[self.curve_of_month]
        hours = self.hours[:, np.newaxis]
        return np.asarray(hours * served), np.asarray(hours * burst)

    def unit_hours_above(self, owned: Numbers, unit: float) -> Numbers:
        """Return the hours of whole rented units above K, for every month and every K, shape (months, K) [unit-hours].

        A unit of several accelerators is on whenever one of them works.
        """
        units = np.stack([curve.units_above(owned, unit) for curve in self.curves])[self.curve_of_month]
        return np.asarray(self.hours[:, np.newaxis] * units)

    def load_duration(self, steps: int = 101) -> tuple[Numbers, Numbers]:
        """Return accelerators from 0 to the peak and the hours of the window with demand above, each (steps,)."""
        levels = np.linspace(0.0, self.peak, steps)
        above = np.stack([curve.share_above(levels) for curve in self.curves])[self.curve_of_month]
        return levels, np.asarray((self.hours[:, np.newaxis] * above).sum(axis=0))


def demand_hours(workload: Workload, assumptions: Assumptions) -> DemandPlan:
    """Return when a workload's accelerators work (semantics 1 and 5).

    Without a demand a training job that states its tokens asks for the hours they take on ideal nodes, without a pause
    from the start; anything else works around the clock.

    Raises
    ------
    EngineError
        Where the demand states no form, or a file that was not read.
    """
    window, basis = window_of(workload, assumptions), float(assumptions.hours_per_month)
    demand = workload.demand
    if demand is None:
        return _undemanded(workload, window, basis)
    growth = np.power(1.0 + np.asarray(workload.growth_per_year), whole_years(window.count))
    if demand.hourly is not None:
        return _measured(workload, window, basis, growth)
    shape = _curve_of(workload, demand)
    if shape is not None:
        curve, notes = shape
        return _curved(workload, window, basis, growth, (curve, notes))
    hours, notes = _stated_hours(workload, demand, window, basis)
    return _all_at_once(workload, window, np.minimum(hours * growth, basis) * window.weights, notes)


def _stated_hours(workload: Workload, demand: Demand, window: Window, basis: float) -> tuple[Amount, tuple[str, ...]]:
    if demand.hours_per_month is not None:
        return demand.hours_per_month, ()
    if demand.utilisation is not None:
        return demand.utilisation * basis, ()
    if demand.monthly is not None:
        stated = np.asarray(demand.monthly[: window.count], dtype=np.float64)
        missing = window.count - stated.size
        notes = ("monthly_shorter_than_window",) if missing > 0 else ()
        return np.concatenate([stated, np.zeros(max(0, missing))]), notes
    if demand.tokens_per_second is not None:
        return basis / max(1.0, float(demand.peak_to_mean or 1.0)), ("no_inference_rate",)  # N carries the peak
    form = "hourly_file that was not read" if demand.hourly_file else "no form"
    raise EngineError(
        f"Demand of workload {workload.id} has {form}; one of hours_per_month, utilisation, monthly, hourly, base and "
        "peak, or tokens_per_second would be right."
    )


def _curve_of(workload: Workload, demand: Demand) -> tuple[LoadCurve, tuple[str, ...]] | None:
    """Return the curve of accelerators in use in the first year, or None where the demand is hours of all N."""
    if demand.peak is not None:
        curve = shaped_curve(float(demand.base or 0.0), float(demand.peak), demand.curve or "linear")
        return curve, () if demand.curve else ("curve_assumed:linear",)
    peak = peak_tokens_per_second(workload)
    if demand.tokens_per_second is None or peak is None:
        return None
    rate = usable_rate(workload, workload.accelerator_types[0] if workload.accelerator_types else None)
    if rate is None:
        return None
    per_accelerator = rate.tokens_per_second * HEAD_ROOM
    curve = mean_and_peak_curve(float(demand.tokens_per_second) / per_accelerator, peak / per_accelerator)
    return curve, () if demand.peak_to_mean is not None else ("peak_to_mean_not_stated",)


def _all_at_once(workload: Workload, window: Window, hours: Numbers, notes: tuple[str, ...]) -> DemandPlan:
    return DemandPlan(
        window=window, accelerators=workload.accelerators, hours=hours,
        curves=(constant_curve(float(workload.accelerators)),),
        curve_of_month=np.zeros(window.count, dtype=np.intp), is_all_at_once=True, notes=notes,
    )  # fmt: skip


def _curved(
    workload: Workload, window: Window, basis: float, growth: Numbers, shape: tuple[LoadCurve, tuple[str, ...]]
) -> DemandPlan:
    curve, notes = shape
    factors, index = np.unique(growth, return_inverse=True)
    return _plan(workload, window, basis, (tuple(curve.times(float(f)) for f in factors), index), notes)


def _measured(workload: Workload, window: Window, basis: float, growth: Numbers) -> DemandPlan:
    """Return the plan of measured hours, repeated: every month has the hours of the series that fall into it."""
    values = np.asarray(workload.demand.hourly if workload.demand else (), dtype=np.float64)
    if not values.size:
        raise EngineError(f"Demand of workload {workload.id} has no hourly values; one number an hour would be right.")
    begins = np.arange(window.count, dtype=np.float64) * basis
    weights = _time_in_slots(begins + window.weights * basis, values.size) - _time_in_slots(begins, values.size)
    known = np.round(np.column_stack([growth, weights]), 9)
    _, first, index = np.unique(known, axis=0, return_index=True, return_inverse=True)
    curves = tuple(measured_curve(values * growth[month], weights[month]) for month in first)
    return _plan(workload, window, basis, (curves, index.reshape(-1)), ())


def _time_in_slots(until: Numbers, slots: int) -> Numbers:
    """Return how long a repeated series has been in each of its hours up to a time, shape (times, slots) [hours]."""
    cycles, rest = np.divmod(until, float(slots))
    part = np.clip(rest[:, np.newaxis] - np.arange(slots, dtype=np.float64), 0.0, 1.0)
    return np.asarray(cycles[:, np.newaxis] + part)


def _plan(
    workload: Workload,
    window: Window,
    basis: float,
    curves: tuple[tuple[LoadCurve, ...], NDArray[np.intp]],
    notes: tuple[str, ...],
) -> DemandPlan:
    plan = DemandPlan(
        window=window, accelerators=workload.accelerators, hours=basis * window.weights, curves=curves[0],
        curve_of_month=curves[1], is_all_at_once=False, notes=notes,
    )  # fmt: skip
    if plan.peak <= workload.accelerators + SMALLEST_PART:
        return plan
    return dataclasses.replace(plan, notes=(*notes, f"peak_above_accelerators:{plan.peak:.0f}"))


def _undemanded(workload: Workload, window: Window, basis: float) -> DemandPlan:
    training = workload.training
    needed = None if training is None or training.total_tokens is None else ideal_hours(workload, training)
    if needed is None:
        notes = ("around_the_clock",) if training is None or training.total_tokens is None else ("no_ideal_hours",)
        return _all_at_once(workload, window, basis * window.weights, notes)
    offered = np.cumsum(basis * window.weights)
    offered[-1] = max(offered[-1], needed)  # what does not fit waits in the last month and runs on from there
    done = np.minimum(offered, needed)
    return _all_at_once(workload, window, np.diff(done, prepend=0.0), ("hours_from_total_tokens",))


def ideal_hours(workload: Workload, training: Training) -> float | None:
    """Return the hours in which all N do a job's total tokens as if every node were alone (semantics 6) [hours].

    From the anchor where there is one, else from the peak rate of the first accepted type; None where neither is known.
    """
    if training.total_tokens is None:
        return None
    if training.anchor is not None:
        if training.tokens_per_step is None:
            return None
        run = float(training.anchor.accelerators)
        toll = 0.0 if run <= eff.NODE else eff.toll_seconds(float(training.params_b), run, 1.0, eff.REFERENCE_GBPS)
        step = eff.anchored_compute_seconds(float(training.anchor.step_s), run, toll, float(workload.accelerators))
        hours = float(step) * float(training.total_tokens) / float(training.tokens_per_step) / SECONDS_PER_HOUR
        return hours if hours > 0.0 else None
    entry = accelerator_of(workload.accelerator_types[0]) if workload.accelerator_types else None
    if entry is None or entry.training_tflops is None:
        return None
    active = float(training.active_params_b or training.params_b)
    rate = entry.training_tflops * float(training.mfu_node or eff.MFU_PRESET)
    seconds = eff.compute_seconds(active, float(training.total_tokens), float(workload.accelerators), rate)
    return float(seconds) / SECONDS_PER_HOUR


def deadline_months(workload: Workload, window: Window) -> float | None:
    """Return by when the work must be done, in months after the start; None where no such day is stated (semantics 6).

    That is `end`; without it `need_by`, where that lies at or after the end of the window and so can only mean the end
    of the work (before it, need_by is the day on which the accelerators must be there). Soft and none have no deadline.
    """
    if workload.deadline_policy in {"soft", "none"}:
        return None
    if workload.end is not None:
        return months_between(workload.start, workload.end)
    if workload.need_by is None:
        return None
    needed = months_between(workload.start, workload.need_by)
    return needed if needed >= window.length - SMALLEST_PART else None


def late_by_days(finish_months: float, deadline: float | None) -> int | None:
    """Return the days by which work is done too late, rounded up; None where it is in time or may be late."""
    if deadline is None or finish_months <= deadline + SMALLEST_PART:
        return None
    return math.ceil((finish_months - deadline) * DAYS_PER_YEAR / MONTHS_PER_YEAR - 1e-6)
