"""How much to own: the critical fractile and the lower envelope of three prices (METHOD.md, How much to own)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from procurement.engine.load_curve import LoadCurve

Numbers = NDArray[np.float64]

HOURS_PER_YEAR = 8760.0


@dataclass(frozen=True, slots=True)
class PriceLine:
    """Cost of one accelerator against the hours it works, fixed + variable x share of hours [currency per hour]."""

    name: str
    fixed: float  # paid in every hour, used or not
    variable: float  # paid in hours of use


@dataclass(frozen=True, slots=True)
class Mix:
    """How many accelerators each price line serves, slice by slice, and what the whole costs [currency per hour]."""

    accelerators: dict[str, float]
    cost_per_hour: float


def fixed_cost_per_hour(
    capital: float,
    rate_per_year: float,
    years: float,
    operations_per_year: float,
    hours_per_year: float = HOURS_PER_YEAR,
) -> float:
    """Return the fixed cost of owning one accelerator for an hour: annuity of the capital plus operations.

    Parameters
    ----------
    capital : float
        Paid at the start [currency].
    rate_per_year : float
        Effective rate; 0 spreads the capital evenly [fraction per year].
    years : float
        Life over which the capital is recovered [years].
    operations_per_year : float
        Space, staff, maintenance, idle power [currency per year].
    hours_per_year : float
        Basis of the year [hours].
    """
    growth = (1.0 + rate_per_year) ** years
    recovery = 1.0 / years if rate_per_year == 0.0 else rate_per_year * growth / (growth - 1.0)
    return (capital * recovery + operations_per_year) / hours_per_year


def critical_share(fixed: float, variable: float, cloud_price: float) -> float | None:
    """Return F / (r - v), the share of hours above which a slice is worth owning; None where cloud is never dearer.

    A share above 1 means that nothing is worth owning.

    References
    ----------
    D. Phillips et al., A mathematical model for determining generating plant mix, 1969 (screening curves).
    """
    margin = cloud_price - variable
    return None if margin <= 0.0 else fixed / margin


def owned_at(curve: LoadCurve, share: float | None) -> float:
    """Return the largest K with P(D > k) above the critical share for every k below K [accelerators]."""
    if share is None or share >= 1.0:
        return 0.0
    is_worth = curve.above > share
    last = int(np.flatnonzero(is_worth)[-1])
    if last + 1 >= curve.at.size:
        return float(curve.at[-1])
    fall = curve.above[last] - curve.above[last + 1]
    return float(curve.at[last] + (curve.above[last] - share) / fall * (curve.at[last + 1] - curve.at[last]))


def hybrid_cost_per_hour(
    curve: LoadCurve, owned: Numbers | float, *, fixed: float, variable: float, cloud_price: float
) -> Numbers:
    """Return F K + v E[min(D, K)] + r E[(D - K)+] for any shape of K [currency per hour]."""
    served = curve.served_by(owned)
    return np.asarray(fixed * np.asarray(owned) + variable * served + cloud_price * curve.burst_above(owned))


def cheapest_mix(curve: LoadCurve, lines: Sequence[PriceLine], unit: float = 1.0) -> Mix:
    """Return the cheapest price line for every slice of load, the sum over slices of the least cost.

    Holds for any prices, also where a formula for two break points does not (a reservation that is always paid).

    Parameters
    ----------
    curve : LoadCurve
        Demand.
    lines : sequence of PriceLine
        Ways to pay, at least one with no fixed cost.
    unit : float
        Accelerators of a slice; within a slice the share of hours is its mean [accelerators].
    """
    edges = np.arange(0.0, curve.peak + unit, unit)
    width = np.diff(edges)
    return mix_of_slices(lines, np.diff(curve.served_by(edges)) / width, width)


def mix_of_slices(lines: Sequence[PriceLine], use: Numbers, width: Numbers) -> Mix:
    """Return the cheapest line of every slice, from the share of hours each slice works and its accelerators."""
    costs = np.array([[line.fixed] for line in lines]) + np.array([[line.variable] for line in lines]) * use
    costs = np.where(use > 0.0, costs, 0.0)
    best = np.argmin(costs, axis=0)
    counted = [float(width[(best == index) & (use > 0.0)].sum()) for index in range(len(lines))]
    return Mix(
        accelerators={line.name: amount for line, amount in zip(lines, counted, strict=True)},
        cost_per_hour=float((np.min(costs, axis=0) * width).sum()),
    )
