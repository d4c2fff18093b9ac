"""Uncertainty: one seeded draw of every uncertain input, and what it makes of the costs (METHOD.md, Uncertainty)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from procurement.engine.columns import Range
from procurement.engine.errors import EngineError

Numbers = NDArray[np.float64]
CostFunction = Callable[[Numbers], Numbers]  # inputs of shape (n, inputs) in, costs of shape (options, n) out
DirectCosts = Callable[[Numbers, NDArray[np.intp]], Numbers]  # inputs and rows of options in, (rows, n) out

QUANTILES = (0.1, 0.5, 0.8, 0.9)
LINEARITY = 1e-9  # relative to the largest cost tried: below it an option counts as linear
PROBES = 24  # points between the ends at which linearity is tested
PROBE_SEED = 0  # of those points; they are always the same
SMALL_PRODUCT = 2**18  # multiplications: below it BLAS stays on one core
LEAST_PIECE = 512  # draws
TIE = 1e-12  # relative: costs closer than this are the same cost


@dataclass(frozen=True, slots=True)
class RangeInput:
    """A number between least and greatest, triangular around the likely one."""

    name: str
    least: float
    likely: float
    greatest: float

    def at(self, probability: Numbers) -> Numbers:
        """Return the quantiles of any shape of probabilities."""
        return triangular_quantile(probability, self.least, self.likely, self.greatest)


@dataclass(frozen=True, slots=True, eq=False)
class DateInput:
    """A day that a forecast gives by its distribution on a grid of days."""

    name: str
    days: Numbers  # days after as_of, rising, shape (days,)
    cdf: Numbers  # probability of being there by that day, never falling, shape (days,) [fraction]

    @property
    def likely(self) -> float:
        """The day used in base figures, P50."""
        return float(self.at(np.array([0.5]))[0])

    def at(self, probability: Numbers) -> Numbers:
        """Return the first day with F >= p for any shape of probabilities; infinity where the grid never gets there."""
        index = np.searchsorted(self.cdf, probability, side="left")
        reached = np.append(self.days.astype(np.float64), np.inf)
        return np.asarray(reached[index])


Input = RangeInput | DateInput


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The sampled inputs: one row per draw, the same for all options, one column per input."""

    inputs: tuple[Input, ...]
    values: Numbers  # shape (draws, inputs)

    @property
    def count(self) -> int:
        """Number of draws."""
        return int(self.values.shape[0])

    @property
    def likely(self) -> Numbers:
        """Likely values and P50 dates, shape (1, inputs)."""
        return np.array([[entry.likely for entry in self.inputs]], dtype=np.float64)

    def column(self, name: str) -> Numbers:
        """Return the draws of one input, shape (draws, 1).

        Raises
        ------
        EngineError
            Where no input has the name.
        """
        names = [entry.name for entry in self.inputs]
        if name not in names:
            known = ", ".join(names) or "none"
            raise EngineError(f"No uncertain input is named {name}; one of {known} would be right.")
        return np.asarray(self.values[:, [names.index(name)]])


@dataclass(frozen=True, slots=True, eq=False)
class LinearCosts:
    """Present cost of options as base + sum of coefficient x input, so that all draws are one matrix product."""

    base: Numbers  # shape (options,)
    coefficients: Numbers  # shape (options, inputs)
    is_linear: NDArray[np.bool_]  # shape (options,); an option that is not must be evaluated on the draws itself

    def at(self, values: Numbers) -> Numbers:
        """Return costs of shape (options, n) for inputs of shape (n, inputs).

        A few options at once are multiplied piece by piece: one large product wakes every core and waits for it.
        """
        count = values.shape[0]
        costs = np.empty((self.base.size, count))
        step = max(LEAST_PIECE, SMALL_PRODUCT // max(self.coefficients.size, 1))
        for first in range(0, count, step):
            piece = slice(first, first + step)
            np.add(self.base[:, np.newaxis], self.coefficients @ values[piece].T, out=costs[:, piece])
        return costs


@dataclass(frozen=True, slots=True, eq=False)
class CostSummary:
    """What the draws say of every option, arrays of shape (options,)."""

    mean: Numbers
    p10: Numbers
    p50: Numbers
    p80: Numbers
    p90: Numbers
    probability_cheapest: Numbers


def triangular_quantile(probability: Numbers, least: float, likely: float, greatest: float) -> Numbers:
    """Return quantiles of the triangular distribution, for any shape of probabilities.

    References
    ----------
    GAO Cost Estimating and Assessment Guide, GAO-20-195G, 2020, chapter 12.
    """
    if not least <= likely <= greatest:
        raise EngineError(f"Range {least}, {likely}, {greatest} is out of order; min <= likely <= max would be right.")
    width = greatest - least
    if width == 0.0:
        return np.full_like(np.asarray(probability, dtype=np.float64), likely)
    u = np.asarray(probability, dtype=np.float64)
    below = least + np.sqrt(u * width * (likely - least))
    above = greatest - np.sqrt((1.0 - u) * width * (greatest - likely))
    return np.where(u <= (likely - least) / width, below, above)


def uncertain_inputs(ranges: Mapping[str, Range], dates: Mapping[str, tuple[Numbers, Numbers]]) -> tuple[Input, ...]:
    """Return the uncertain inputs in a fixed order, by name, so that the order of a document changes no draw.

    Parameters
    ----------
    ranges : mapping
        JSON pointer to Range, as `Scenario.ranges`.
    dates : mapping
        Name of a date to its grid of days and distribution, each of shape (days,).
    """
    numbers = [RangeInput(name, entry.min, entry.likely, entry.max) for name, entry in sorted(ranges.items())]
    days = [DateInput(name, *grid) for name, grid in sorted(dates.items())]
    return (*numbers, *days)


def draw_inputs(inputs: Sequence[Input], *, draws: int, seed: int, correlation: float) -> Draws:
    """Return seeded draws of all inputs with one common correlation (semantics 25).

    u = Phi(sqrt(c) z0 + sqrt(1 - c) zi), then each input's own quantile; the generator is PCG64.

    Parameters
    ----------
    inputs : sequence of Input
        Uncertain inputs.
    draws : int
        Number of draws.
    seed : int
        Seed of the generator; the same seed gives the same draws.
    correlation : float
        Common correlation of the underlying normals, 0 to 1 [fraction].
    """
    if not 0.0 <= correlation <= 1.0:
        raise EngineError(f"Correlation is {correlation}; a fraction from 0 to 1 would be right.")
    generator = np.random.Generator(np.random.PCG64(seed))
    common = generator.standard_normal((draws, 1))
    own = generator.standard_normal((draws, len(inputs)))
    uniform = ndtr(np.sqrt(correlation) * common + np.sqrt(1.0 - correlation) * own)
    values = np.empty((draws, len(inputs)), dtype=np.float64)
    for column, entry in enumerate(inputs):
        values[:, column] = entry.at(uniform[:, column])
    return Draws(tuple(inputs), values)


def linear_costs(cost: CostFunction, inputs: Sequence[Input]) -> LinearCosts:
    """Return the coefficient table of a cost function, and which options it describes exactly.

    The function is asked at the likely values, at both ends of every input, and at points in between; an option that
    strays from the plane at any of them is marked as not linear and must be evaluated on the draws itself.
    """
    count = len(inputs)
    likely = np.array([entry.likely for entry in inputs], dtype=np.float64)
    ends = np.array([_ends(entry) for entry in inputs], dtype=np.float64).reshape(count, 2)
    inside = np.random.Generator(np.random.PCG64(PROBE_SEED)).random((PROBES, count))
    points = np.concatenate([
        likely[np.newaxis],
        np.where(np.eye(count, dtype=bool), ends[:, 0], likely),
        np.where(np.eye(count, dtype=bool), ends[:, 1], likely),
        ends[:, 0] + inside * (ends[:, 1] - ends[:, 0]),
    ])  # fmt: skip
    costs = cost(points)
    width = ends[:, 1] - ends[:, 0]
    rise = costs[:, 1 + count : 1 + 2 * count] - costs[:, 1 : 1 + count]
    coefficients = np.divide(rise, width, out=np.zeros_like(rise), where=width > 0.0)
    base = costs[:, 0] - coefficients @ likely
    guess = LinearCosts(base, coefficients, np.ones(costs.shape[0], dtype=bool))
    scale = np.maximum(np.max(np.abs(costs), axis=1), 1.0)
    strays = np.max(np.abs(guess.at(points) - costs), axis=1)
    return LinearCosts(base, coefficients, strays <= LINEARITY * scale)


def _ends(entry: Input) -> tuple[float, float]:
    """Return the least and the greatest value an input can take; the last day of the grid where a date may never be."""
    if isinstance(entry, RangeInput):
        return entry.least, entry.greatest
    return float(entry.days[int(np.argmax(entry.cdf > 0.0))]), float(entry.days[-1])


def costs_by_draw(linear: LinearCosts, draws: Draws, direct: DirectCosts | None = None) -> Numbers:
    """Return the cost of every option in every draw, shape (options, draws).

    Linear options are one matrix product; the rows of the others are asked of `direct`, once, on all draws. Without it
    they are NaN.
    """
    costs = linear.at(draws.values)
    rows = np.flatnonzero(~linear.is_linear)
    if rows.size:
        costs[rows] = np.nan if direct is None else direct(draws.values, rows)
    return costs


def cost_quantiles(costs: Numbers, probabilities: Sequence[float] = QUANTILES) -> Numbers:
    """Return the quantiles of every option over the draws, the first value with F >= p, by partition.

    An option whose cost is not known in some draw (NaN) has none.

    Parameters
    ----------
    costs : Numbers
        Shape (options, draws).
    probabilities : sequence of float
        Q probabilities [fraction].

    Returns
    -------
    Numbers
        Shape (Q, options).
    """
    count = costs.shape[1]
    ranks = [min(count - 1, max(0, int(np.ceil(p * count - 1e-9)) - 1)) for p in probabilities]
    found = np.partition(costs, sorted(set(ranks)), axis=1)[:, ranks].T
    return np.where(np.isnan(costs).any(axis=1), np.nan, found)


def probability_cheapest(costs: Numbers) -> Numbers:
    """Return the share of draws in which each option is the cheapest, shape (options,); ties are shared.

    An option without a cost (NaN) is never the cheapest.
    """
    is_unknown = np.isnan(costs)
    known = np.where(is_unknown, np.inf, costs) if is_unknown.any() else costs
    least = known.min(axis=0)
    is_least = (known <= least + TIE * np.abs(least)) & np.isfinite(least)
    sharing = is_least.sum(axis=0, dtype=np.int64)
    if sharing.max(initial=0) <= 1:  # no ties
        return np.asarray(np.count_nonzero(is_least, axis=1) / costs.shape[1])
    return np.asarray((is_least / np.maximum(sharing, 1)).mean(axis=1))


def share_won(one: Numbers, other: Numbers) -> float:
    """Return the share of paired draws in which one option costs less than another; equal costs count half."""
    return float(np.mean(np.where(np.abs(one - other) <= TIE * np.abs(other), 0.5, one < other)))


def cost_summary(costs: Numbers) -> CostSummary:
    """Return mean, quantiles and probability of being cheapest of every option; costs have shape (options, draws)."""
    p10, p50, p80, p90 = cost_quantiles(costs)
    return CostSummary(costs.mean(axis=1), p10, p50, p80, p90, probability_cheapest(costs))
