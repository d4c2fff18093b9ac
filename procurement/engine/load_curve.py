"""Load-duration curves: the share of hours with demand above x, and what owning K of it serves (METHOD.md, Demand)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# Share of hours with load above x of the way from base to peak; chat and code are a week of the Azure LLM traces of
# 2024, read off charts within 3 points.
SHAPES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "linear": ((0.0, 1.0), (1.0, 0.0)),
    "chat": ((0.0, 1.0), (0.3, 0.96), (0.5, 0.65), (0.6, 0.46), (0.7, 0.23), (0.9, 0.02), (1.0, 0.0)),
    "code": ((0.0, 1.0), (0.2, 0.47), (0.3, 0.35), (0.5, 0.25), (0.7, 0.14), (0.9, 0.03), (1.0, 0.0)),
}
POWER_KNOTS = 65  # points of a curve given by mean and peak alone; the integral is within 0.01 % of exact


@dataclass(frozen=True, slots=True, eq=False)
class LoadCurve:
    """P(demand > x), linear between its knots; two knots at one x are a step.

    Attributes
    ----------
    at : Numbers
        Demand at the knots, shape (knots,), never falling, the first 0 [accelerators].
    above : Numbers
        Share of hours with demand above it, shape (knots,), never rising, the last 0 [fraction].
    """

    at: Numbers
    above: Numbers

    @property
    def peak(self) -> float:
        """Largest demand [accelerators]."""
        is_reached = self.above > 0.0
        last = int(np.flatnonzero(is_reached)[-1]) + 1 if is_reached.any() else 0
        return float(self.at[min(last, self.at.size - 1)])

    @property
    def mean(self) -> float:
        """Mean demand, E[D] [accelerators]."""
        return float(np.trapezoid(self.above, self.at))

    def share_above(self, demand: Numbers | float) -> Numbers:
        """Return P(D > x) for any shape of x [fraction]."""
        wanted = np.asarray(demand, dtype=np.float64)
        before = np.clip(np.searchsorted(self.at, wanted, side="right") - 1, 0, self.at.size - 1)
        after = np.minimum(before + 1, self.at.size - 1)
        width = self.at[after] - self.at[before]
        part = np.divide(wanted - self.at[before], width, out=np.zeros_like(wanted), where=width > 0.0)
        share = self.above[before] + np.clip(part, 0.0, 1.0) * (self.above[after] - self.above[before])
        return np.where(wanted >= self.at[-1], 0.0, np.where(wanted < 0.0, 1.0, share))

    def served_by(self, owned: Numbers | float) -> Numbers:
        """Return E[min(D, K)], the area under the curve up to K, for any shape of K [accelerators]."""
        limit = np.clip(np.asarray(owned, dtype=np.float64), 0.0, self.at[-1])
        areas = np.concatenate([[0.0], np.cumsum(np.diff(self.at) * (self.above[1:] + self.above[:-1]) / 2.0)])
        before = np.clip(np.searchsorted(self.at, limit, side="right") - 1, 0, self.at.size - 1)
        inside = limit - self.at[before]
        return np.asarray(areas[before] + inside * (self.above[before] + self._left_limit(limit, before)) / 2.0)

    def _left_limit(self, demand: Numbers, before: NDArray[np.intp]) -> Numbers:
        after = np.minimum(before + 1, self.at.size - 1)
        width = self.at[after] - self.at[before]
        part = np.divide(demand - self.at[before], width, out=np.zeros_like(demand), where=width > 0.0)
        return np.asarray(self.above[before] + part * (self.above[after] - self.above[before]))

    def burst_above(self, owned: Numbers | float) -> Numbers:
        """Return E[(D - K)+], what is left to rent when K are owned [accelerators]."""
        return np.maximum(0.0, self.mean - self.served_by(owned))

    def units_above(self, owned: Numbers | float, unit: float) -> Numbers:
        """Return the mean number of whole units of `unit` accelerators that work above K, the sum of P(D > K + k unit).

        Parameters
        ----------
        owned : float or Numbers
            Accelerators that come first [accelerators].
        unit : float
            Accelerators rented together, as in one instance [accelerators].
        """
        first = np.asarray(owned, dtype=np.float64)
        steps = np.arange(max(1, int(np.ceil(self.peak / unit)) + 1), dtype=np.float64) * unit
        return np.asarray(self.share_above(first[..., np.newaxis] + steps).sum(axis=-1))

    def times(self, factor: float) -> "LoadCurve":
        """Return the curve of a demand that is larger by a factor."""
        return LoadCurve(self.at * factor, self.above)


@lru_cache(maxsize=1024)
def constant_curve(accelerators: float) -> LoadCurve:
    """Return the curve of a demand that is the same in every hour."""
    return LoadCurve(np.array([0.0, accelerators, accelerators]), np.array([1.0, 1.0, 0.0]))


def shaped_curve(base: float, peak: float, shape: str) -> LoadCurve:
    """Return a curve that falls from 1 at base to 0 at peak in a named shape (semantics 5)."""
    parts, above = np.array(SHAPES[shape], dtype=np.float64).T
    at = base + parts * (peak - base)
    return LoadCurve(np.concatenate([[0.0], at]), np.concatenate([[1.0], above]))


def mean_and_peak_curve(mean: float, peak: float) -> LoadCurve:
    """Return the curve of a demand of which only mean and peak are known.

    Linear from 2 x mean - peak to the peak; where that is below 0, (1 - x / peak)^(peak / mean - 1), which has the same
    mean and peak and meets the linear one at peak = 2 x mean.
    """
    if peak <= mean:
        return constant_curve(mean)
    if peak <= 2.0 * mean:
        return shaped_curve(2.0 * mean - peak, peak, "linear")
    power = peak / mean - 1.0
    at = peak * np.linspace(0.0, 1.0, POWER_KNOTS) ** 2
    above = (1.0 - at / peak) ** power
    curve = LoadCurve(at, above)
    return LoadCurve(at, np.concatenate([[1.0], np.minimum(1.0, above[1:] * (mean / curve.mean))]))


def measured_curve(values: Numbers, weights: Numbers) -> LoadCurve:
    """Return the curve of measured demand: steps at the values seen.

    Parameters
    ----------
    values : Numbers
        Accelerators in use, shape (hours,) [accelerators].
    weights : Numbers
        How long each was in use, shape (hours,) [hours].
    """
    levels, index = np.unique(np.maximum(values, 0.0), return_inverse=True)
    durations = np.bincount(index, weights=weights, minlength=levels.size)
    is_seen = durations > 0.0
    levels, durations = levels[is_seen], durations[is_seen]
    total = float(durations.sum())
    if total <= 0.0:
        return constant_curve(0.0)
    after = np.clip(1.0 - np.cumsum(durations) / total, 0.0, 1.0)
    after[-1] = 0.0
    before = np.concatenate([[1.0], after[:-1]])
    at = np.concatenate([[0.0], np.repeat(levels, 2)])
    return LoadCurve(at, np.concatenate([[1.0], np.column_stack([before, after]).ravel()]))
