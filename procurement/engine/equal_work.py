"""Equal work: the hours one workload needs at one place, whatever the place gets out of an hour (semantics 5 to 7)."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from procurement.engine.demand import demand_hours
from procurement.engine.load_curve import LoadCurve
from procurement.engine.periods import SMALLEST_PART, Amount, Numbers, Window, overlap, whole_months
from procurement.engine.tables import Assumptions, Build, Quote, Workload
from procurement.engine.throughput import useful_share, useful_shares
from procurement.engine.work import Work, hours_worked, units_for
from providers.reference import INFERENCE_RATES, TRAINING_RATES, accelerator_accepts, rate_ratio

SHARE_BARS = ("wrong_size_for_batch", "no_fabric")  # notes that leave no useful share
INFERENCE_KINDS = ("llm_inference", "batch_inference", "fraud_detection")


@dataclass(frozen=True, slots=True)
class Part:
    """Accelerators ``first`` up to but not including ``last`` of a need of ``whole``, all in a place's type."""

    first: int
    last: int
    whole: int


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a workload asks for, before any place: hours by month and the accelerators that work in them."""

    window: Window
    hours: Numbers  # shape (months,) or (draws, months)
    curves: tuple[LoadCurve, ...] = ()  # load-duration curves; none: all accelerators work at once
    curve_of_month: NDArray[np.intp] | None = None
    accelerators: int = 0  # in which the curves are stated
    part: Part | None = None  # of the accelerators, where the rest works elsewhere
    moved: Amount = 0.0  # months by which the window was moved, one a draw where dates are drawn
    known_shares: dict[int, Numbers] = field(default_factory=dict, repr=False)  # by accelerators, filled when asked

    @property
    def end(self) -> Amount:
        """End of the window, months after the workload's start."""
        return self.window.length + self.moved

    def shares_at(self, accelerators: int) -> Numbers | None:
        """Return the share of hours in which accelerator k works, for N in a place's type, shape (1 or months, peak).

        Accelerator k works for what the curve holds between k and k + 1, so that the mean is kept. What a curve asks
        for beyond N is served nowhere: N is all that the workload asks for.
        """
        if not self.curves or self.curve_of_month is None:
            return None
        if self.part is not None:
            return _cut(self._whole_shares(self.part.whole, self.curve_of_month), self.part)
        return self._whole_shares(accelerators, self.curve_of_month)

    def _whole_shares(self, accelerators: int, curve_of_month: NDArray[np.intp]) -> Numbers:
        if accelerators not in self.known_shares:
            self.known_shares[accelerators] = self._shares(accelerators, curve_of_month)
        return self.known_shares[accelerators]

    def _shares(self, accelerators: int, curve_of_month: NDArray[np.intp]) -> Numbers:
        scale = accelerators / max(self.accelerators, 1)
        curves = [curve.times(scale) for curve in self.curves]
        peak = max(1, math.ceil(max(curve.peak for curve in curves) - SMALLEST_PART))
        levels = np.arange(min(peak, accelerators) + 1, dtype=np.float64)
        shares = np.stack([np.diff(curve.served_by(levels)) for curve in curves])
        return shares if len(curves) == 1 else np.asarray(shares[curve_of_month])


def _cut(shares: Numbers, part: Part) -> Numbers:
    """Return the shares of a part; accelerators beyond the peak never work."""
    missing = max(part.last - shares.shape[-1], 0)
    padded = np.concatenate([shares, np.zeros((*shares.shape[:-1], missing))], axis=-1)
    return np.asarray(padded[..., part.first : part.last])


def asked_hours(workload: Workload, assumptions: Assumptions) -> Asked:
    """Return the hours by month in which a workload's accelerators work, the last month by its fraction."""
    plan = demand_hours(workload, assumptions)
    if plan.is_all_at_once:
        return Asked(plan.window, plan.hours)
    return Asked(plan.window, plan.hours, plan.curves, plan.curve_of_month, plan.accelerators)


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


def shares_at(workload: Workload, place: Quote | Build, accelerators: int) -> tuple[float, float | None]:
    """Return the share of an hour that counts as work asked for, and the useful share of an hour.

    A workload with a training block states useful hours; otherwise demand is occupied hours, the same at every place
    (semantics 6). NaN and None where a needed figure is not known.
    """
    if workload.training is None and workload.feed_gb_s_per_accelerator is None:
        return 1.0, 1.0  # nothing that a place could waste
    found = float(useful_shares([workload], [place], accelerators)[0, 0])
    useful = found if math.isfinite(found) else None
    if workload.training is None:
        return 1.0, useful
    return (float("nan") if useful is None else useful), useful


def unknown_share_reasons(workload: Workload, place: Quote | Build, accelerators: int) -> tuple[str, ...]:
    """Return why a place's useful share is not known: what is missing, or a size that is wrong for the batch."""
    notes = useful_share(workload, place, accelerators).notes
    found = tuple(note for note in notes if note in SHARE_BARS or note.startswith(("missing:", "no_rate:")))
    return found or ("useful_share_unknown",)


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
    return Work(accelerators=accelerators, hours=hours, finish=finish, shares=asked.shares_at(accelerators))


def before(asked: Asked, months: Amount) -> Asked:
    """Return what of a demand falls before a point in time, at an even pace inside each month."""
    weights = overlap(0.0, asked.window.length, asked.hours.shape[-1])
    share = np.clip(np.asarray(months) - np.arange(asked.hours.shape[-1]), 0.0, weights)
    return replace(asked, hours=asked.hours * np.divide(share, weights, out=np.zeros_like(share), where=weights > 0.0))


def later(asked: Asked, months: Amount) -> Asked:
    """Return the same demand moved to start ``months`` later, the reading of equal service life."""
    count = whole_months(asked.window.length + float(np.max(months)))
    moved = _shifted(asked.hours, months, count)
    curve_of_month = asked.curve_of_month
    if curve_of_month is not None:
        first = math.floor(float(np.max(months)) + SMALLEST_PART)
        index = np.clip(np.arange(count) - first, 0, curve_of_month.size - 1)
        curve_of_month = curve_of_month[index]
    return replace(asked, hours=moved, curve_of_month=curve_of_month, moved=months, known_shares={})


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
