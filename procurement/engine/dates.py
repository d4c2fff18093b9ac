"""When each own build is delivered and usable: at a quantile for the figures, by draw for the risk (semantics 13)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np

from procurement.engine.forecast import Forecast
from procurement.engine.periods import DAYS_PER_YEAR, MONTHS_PER_YEAR, Amount, Numbers, months_between
from procurement.engine.slip import Distribution, first_day
from procurement.engine.tables import Build, Workload

MONTHS_PER_DAY = MONTHS_PER_YEAR / DAYS_PER_YEAR
LONG_AGO = -36500.0  # days after as_of of what is there today: before any window


@dataclass(frozen=True, slots=True, eq=False)
class BuildDates:
    """When one build is delivered and usable, as days after ``as_of``: numbers, or columns of shape (draws, 1)."""

    as_of: date
    delivered: Amount | None  # None where neither evidence nor a promise says; then month 0 counts
    usable: Callable[[Workload, int], Amount | None]  # for so many accelerators; None where no forecast gives a day

    def delivery_months(self, start: date) -> Amount:
        """Return the later of month 0 and delivery, in months after a start."""
        if self.delivered is None:
            return 0.0
        return _not_before_start(months_between(start, self.as_of) + self.delivered * MONTHS_PER_DAY)

    def usable_months(self, workload: Workload, accelerators: int) -> Amount | None:
        """Return the later of month 0 and the day so many accelerators are usable, in months after the start."""
        days = self.usable(workload, accelerators)
        if days is None:
            return None
        return _not_before_start(months_between(workload.start, self.as_of) + days * MONTHS_PER_DAY)

    def later_by(self, months: Amount) -> "BuildDates":
        """Return the dates with everything that is not there today later by some months."""
        days = months / MONTHS_PER_DAY

        def usable(workload: Workload, accelerators: int) -> Amount | None:
            known = self.usable(workload, accelerators)
            return None if known is None else np.maximum(known, 0.0) + days

        return BuildDates(self.as_of, self.delivered, usable)


def _not_before_start(months: Amount) -> Amount:
    return np.maximum(months, 0.0) if isinstance(months, np.ndarray) else max(float(months), 0.0)


def needs_fabric(workload: Workload, build: Build) -> bool:
    """Return whether a workload works across nodes, so that the network between them must be there."""
    if workload.interconnect in ("multi_node", "cluster_scale"):
        return True
    return workload.shape == "one_job" and workload.accelerators > (build.accelerators_per_node or 1)


def reached_by(forecast: Forecast, build: Build, workload: Workload, accelerators: int) -> Distribution | None:
    """Return the probability by day that a workload finds its accelerators usable; None without a forecast.

    Jobs inside a node need the front-end network alone; one job across nodes needs a single fabric domain.
    """
    if not needs_fabric(workload, build):
        return (forecast.single_node or forecast).cdf_for(accelerators)
    return forecast.job_cdf_for(accelerators) if workload.shape == "one_job" else forecast.cdf_for(accelerators)


def waits_for_renewal_alone(forecast: Forecast, build: Build, workload: Workload, accelerators: int) -> bool:
    """Return whether all that is asked for is there but for evidence that only aged (semantics 33)."""
    if not needs_fabric(workload, build):
        return accelerators <= (forecast.single_node or forecast).renewable_now
    return accelerators <= (forecast.renewable_job_now if workload.shape == "one_job" else forecast.renewable_now)


def renewals(forecast: Forecast, build: Build, workload: Workload, accelerators: int) -> tuple[str, ...]:
    """Return the conditions ``renew:<gate>`` of evidence that only aged, where the need rests on it (semantics 33)."""
    known = forecast if needs_fabric(workload, build) else forecast.single_node or forecast
    return known.conditions if accelerators > known.usable_now else ()


def days_at(reached: Distribution | None, quantile: float) -> float | None:
    """Return the days after as_of at which a probability is reached; long ago where it is there today."""
    if reached is None:
        return None
    day = first_day(reached, quantile)
    if day is None:
        return None
    return LONG_AGO if day == 0 else float(day)


def dates_at(
    builds: Mapping[str, Build], forecasts: Mapping[str, Forecast], as_of: date, quantile: float
) -> dict[str, BuildDates]:
    """Return the dates of builds at one quantile of their forecasts."""
    return {name: _dates_of(build, forecasts[name], as_of, quantile) for name, build in builds.items()}


def _dates_of(build: Build, forecast: Forecast, as_of: date, quantile: float) -> BuildDates:
    def usable(workload: Workload, accelerators: int) -> Amount | None:
        return days_at(reached_by(forecast, build, workload, accelerators), quantile)

    return BuildDates(as_of, delivered_days(forecast, as_of, quantile), usable)


def delivered_days(forecast: Forecast, as_of: date, quantile: float) -> float | None:
    """Return the days after as_of of the delivery: accepted, else its forecast at a quantile, else None."""
    if forecast.delivered_on is not None:
        return float((forecast.delivered_on - as_of).days)
    return days_at(forecast.cdf_delivered, quantile)


def drawn_days(reached: Distribution, probability: Numbers) -> Numbers:
    """Return the first day with F >= p for a column of probabilities, shape (draws, 1); at most the grid's end."""
    index = np.searchsorted(reached, probability, side="left")
    days = np.minimum(index, reached.size - 1).astype(np.float64)
    return np.where(days == 0.0, LONG_AGO, days)
