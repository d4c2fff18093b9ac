"""What would have to be true for the other answer: where a cost difference changes sign (METHOD.md, Uncertainty)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Numbers = NDArray[np.float64]
Difference = Callable[[Numbers], Numbers]

GRID = 241  # points on which a sign change is looked for
ACCURACY = 1e-6  # of a flip point, in its own unit; relative where it is above 1
SMALLEST_STEP = 1e-12  # relative step at which the search ends in any case
STRAIGHT = 1e-9  # of the change inside the grid interval: below it the root of the chord is the root
JUMP = 0.02  # of the change inside the grid interval: what stays above it right beside the root is a jump


@dataclass(frozen=True, slots=True)
class FlipRange:
    """Where a flip point is looked for; `is_factor` ranges multiply today's value."""

    low: float
    high: float
    is_factor: bool = False


FLIP_RANGES: Mapping[str, FlipRange] = {  # semantics 29
    "utilisation": FlipRange(0.01, 1.0),  # share of the month's hours
    "cloud_price": FlipRange(0.1, 10.0, is_factor=True),
    "capital": FlipRange(0.1, 10.0, is_factor=True),
    "power_price": FlipRange(0.1, 10.0, is_factor=True),
    "delay_months": FlipRange(0.0, 36.0),  # months
    "discount_rate": FlipRange(0.0, 0.30),  # per year
    "horizon_months": FlipRange(6.0, 120.0),  # months
    "price_path": FlipRange(-0.60, 0.60),  # per year
}


@dataclass(frozen=True, slots=True)
class FlipPoint:
    """The value of an input at which the answer changes, nearest to today's; None with a reason where there is none."""

    name: str
    today: float
    value: float | None
    is_jump: bool = False  # the difference changes sign without passing zero
    reason: str | None = None


def flip_point(name: str, difference: Difference, today: float, searched: FlipRange) -> FlipPoint:
    """Return where a cost difference changes sign, nearest to today's value, to 1e-6 (semantics 29).

    Signs are compared on a grid through today's value. The nearest bracket on each side is closed in, at once where the
    difference is a straight line inside it and else by Brent's method, and the nearer root counts. Where the difference
    jumps over zero the flip point is the jump. Points at which the difference is not known (NaN) bracket nothing.

    Parameters
    ----------
    name : str
        What is varied.
    difference : callable
        Cost of the chosen option less that of the other, for values of the input of shape (n,), of the same shape.
    today : float
        Value in the base figures.
    searched : FlipRange
        Range to search.
    """
    points = _grid(today, searched)
    values = np.asarray(difference(points), dtype=np.float64)
    found = [(_root(difference, points, values, index), index) for index in _nearest_brackets(points, values, today)]
    if not found:
        return FlipPoint(name, today, None, reason="none in range")
    root, index = min(found, key=lambda entry: (abs(entry[0] - today), entry[0]))
    step = ACCURACY * max(1.0, abs(root))
    around = np.abs(difference(np.clip(np.array([root - step, root + step]), points[0], points[-1])))
    is_jump = bool(around.min() > JUMP * abs(values[index + 1] - values[index]))
    return FlipPoint(name, today, root, is_jump=is_jump)


def _grid(today: float, searched: FlipRange) -> Numbers:
    if searched.is_factor:
        points = today * np.geomspace(searched.low, searched.high, GRID)
    else:
        points = np.linspace(searched.low, searched.high, GRID)
    inside = [today] if points.min() <= today <= points.max() else []
    return np.unique(np.concatenate([points, inside]))


def _nearest_brackets(points: Numbers, values: Numbers, today: float) -> list[int]:
    """Return the grid intervals that hold a sign change, at most the nearest on each side of today's value."""
    signs = np.sign(values)
    is_known = np.isfinite(values[:-1]) & np.isfinite(values[1:])
    is_crossed = (signs[:-1] * signs[1:] <= 0.0) & ((signs[:-1] != 0.0) | (signs[1:] != 0.0))
    found = np.flatnonzero(is_known & is_crossed)
    below = [int(index) for index in found if points[index] < today]
    above = [int(index) for index in found if points[index + 1] > today]
    return [*below[-1:], *above[:1]]


def _root(difference: Difference, points: Numbers, values: Numbers, index: int) -> float:
    for side in (index, index + 1):
        if values[side] == 0.0:
            return float(points[side])
    low, high = float(points[index]), float(points[index + 1])

    known = {low: float(values[index]), high: float(values[index + 1])}

    def at(value: float) -> float:
        if value not in known:
            known[value] = float(difference(np.array([value]))[0])
        return known[value]

    change = known[high] - known[low]
    chord = low - known[low] * (high - low) / change
    if abs(at(chord)) <= STRAIGHT * abs(change):
        return chord
    return float(brentq(at, low, high, xtol=ACCURACY / 10.0 * min(1.0, max(abs(low), abs(high))), rtol=SMALLEST_STEP))
