"""How late promises come: slip classes, and the distribution of a promised day on a daily grid (R12, semantics 35-37).

A distribution is an array over the days after ``as_of``: entry d is the probability of being there on day d.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, ndtr

from procurement.engine.milestones import MILESTONES
from procurement.engine.tables import Assumptions, Promise, SlipClass

Distribution = npt.NDArray[np.float64]

GRID_DAYS = 7305  # 20 years; a quantile beyond it is not given
LEAST_PROMISED_DAYS = 14  # a shorter promised duration is widened to this
Z90 = 1.2815515655446004  # standard normal quantile of 90 %, in full digits: case F07 turns on more than 2.5631031 has
RECONFIRMATION_DAYS = (1.0, 5.0, 15.0)  # P10, P50, P90 of re-confirming a gate that only aged (semantics 33)
_FFT_SIZE = 16_384  # a power of two that holds two grids, so that nothing wraps around
_EQUAL = 1e-14  # probability; keeps a quantile that is met exactly
DEFAULT_SLIPS: Mapping[str, SlipClass] = {
    "construction_power": SlipClass(p10=1.00, p90=1.7174),  # fits "90 % late, mean +34 %", Foresight
    "power_uncommitted": SlipClass(p10=1.20, p90=3.00),  # judgement around Bloom's +1.5 to 2 years
    "equipment_delivery": SlipClass(p10=1.00, p90=1.54),  # judgement; upper end Green Book 54 %
    "bringup": SlipClass(p10=1.00, p90=2.50),  # judgement; no public statistics found
}
POWER_GATES = ("powered", "utility_energized")


def slip_key(name: str, operator: str) -> str:
    """Return the name under which assumptions keep a slip class that one operator alone has: `bringup@acme`."""
    return f"{name}@{operator}"


def slip_of(name: str, assumptions: Assumptions, operator: str | None = None) -> SlipClass:
    """Return a slip class: as the assumptions state it for the operator, else for all, else by default."""
    stated = assumptions.slip_classes
    own = stated.get(slip_key(name, operator)) if operator is not None else None
    return own or stated.get(name) or DEFAULT_SLIPS[name]


def class_of(promise: Promise, *, is_power_uncommitted: bool) -> str:
    """Return the slip class of a promise: as it names it, else that of its gate."""
    return promise.slip_class or default_class(promise.gate, is_power_uncommitted=is_power_uncommitted)


def lognormal_of(slip: SlipClass) -> tuple[float, float]:
    """Return mean and standard deviation of ln R from its P10 and P90 (semantics 36)."""
    low, high = math.log(slip.p10), math.log(slip.p90)
    return (low + high) / 2, (high - low) / (2 * Z90)


def default_class(gate: str, *, is_power_uncommitted: bool) -> str:
    """Return the slip class of a promise that names none (semantics 35)."""
    if gate in POWER_GATES and is_power_uncommitted:
        return "power_uncommitted"
    return MILESTONES[gate].slip_class


def survival_log(ratios: Distribution, slip: SlipClass) -> Distribution:
    """Return ln P(R > ratio) of a lognormal slip.

    Parameters
    ----------
    ratios
        Actual over promised duration; zero and below mean that the promise was not yet made.
    slip
        P10 and P90 of that ratio.
    """
    mu, sigma = lognormal_of(slip)
    positive = np.maximum(ratios, 1e-300)
    if sigma == 0:
        return np.where(np.log(positive) < mu - 1e-12, 0.0, -np.inf)
    return np.where(ratios > 0, log_ndtr(-(np.log(positive) - mu) / sigma), 0.0)


def promised_day(promise: Promise, slip: SlipClass, as_of: date) -> Distribution:
    """Return the distribution of a promised day, given that it has not come by ``as_of``.

    T = s + (p - s) R with the day p promised on s, conditioned on T > as_of; one formula for coming and for passed
    promises, so that a late gate is never forecast in the past.
    """
    promised_days = max((promise.date - promise.stated_on).days, LEAST_PROMISED_DAYS)
    elapsed = (as_of - promise.stated_on).days
    days = np.arange(GRID_DAYS + 1, dtype=np.float64)
    surviving = survival_log((days + elapsed) / promised_days, slip)
    if not np.isfinite(surviving[0]):  # a slip without spread, already exceeded: the next day is the first possible
        return np.where(days > 0, 1.0, 0.0)
    return np.asarray(-np.expm1(surviving - surviving[0]), dtype=np.float64)


def changed_promise(promises: Sequence[Promise], slips: Sequence[SlipClass], as_of: date) -> Distribution:
    """Return the lower of the distributions of the first and the latest promise, day by day.

    Who keeps promising "next month" gains nothing by it.
    """
    first = promised_day(promises[0], slips[0], as_of)
    if len(promises) == 1:
        return first
    return np.minimum(first, promised_day(promises[-1], slips[-1], as_of))


def reconfirmation() -> Distribution:
    """Return the distribution of the day on which a gate that only aged is confirmed again.

    Lognormal on each side of the median, so that P10, P50 and P90 are exactly those of RECONFIRMATION_DAYS.
    """
    p10, p50, p90 = (math.log(days) for days in RECONFIRMATION_DAYS)
    days = np.arange(GRID_DAYS + 1, dtype=np.float64)
    logs = np.log(np.maximum(days, 1e-300))
    spread = np.where(logs < p50, (p50 - p10) / Z90, (p90 - p50) / Z90)
    return np.where(days > 0, ndtr((logs - p50) / spread), 0.0)


def bringup_days(planned_days: float, slip: SlipClass) -> Distribution:
    """Return the probability that bring-up takes k days, P(k-1 < B <= k), for k = 0, 1, ... (semantics 37)."""
    days = np.arange(GRID_DAYS + 1, dtype=np.float64)
    if planned_days <= 0:
        return np.where(days == 0, 1.0, 0.0)
    reached = -np.expm1(survival_log(days / planned_days, slip))
    return np.diff(reached, prepend=0.0)


def followed_by(reached: Distribution, durations: Distribution) -> Distribution:
    """Return the distribution of a day that comes an independent number of days after another (convolution)."""
    product = np.fft.irfft(np.fft.rfft(reached, _FFT_SIZE) * np.fft.rfft(durations, _FFT_SIZE), _FFT_SIZE)
    return np.maximum.accumulate(np.clip(product[: GRID_DAYS + 1], 0.0, 1.0))


def first_day(reached: Distribution, probability: float) -> int | None:
    """Return the first day after ``as_of`` on which a probability is reached; None beyond the grid."""
    index = int(np.searchsorted(reached, probability - _EQUAL))
    return index if index < reached.size else None


def days_at(reached: Distribution, probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return for each probability the first day on which it is reached; infinite beyond the grid.

    Parameters
    ----------
    reached
        Distribution of a day, shape (GRID_DAYS + 1,).
    probabilities
        Uniform draws or quantiles, any shape.
    """
    indices = np.searchsorted(reached, probabilities - _EQUAL)
    return np.where(indices < reached.size, indices, np.inf).astype(np.float64)
