"""Bounds of the numbers and days of the scenario document: by column where it matters, else by unit."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

EARLIEST_DAY = date(1980, 1, 1)  # no record of this domain is older
LATEST_DAY = date(2199, 12, 31)  # leaves room for every date that is computed from one
LARGEST_NUMBER = 1e15  # beyond this a float no longer holds whole cents
LARGEST_COUNT = 100_000_000  # accelerators, far above any cluster
LONGEST_MONTHS = 1200
LONGEST_DAYS = 36_525
LONGEST_TEXT = 2000  # characters
SHORTEST_WINDOW = 0.001  # days or months: a minute and a half, less is a slip
SMALLEST_INSTANCE = 0.001  # accelerators; providers sell sevenths and smaller, nobody a millionth


@dataclass(frozen=True, slots=True)
class Bounds:
    """Least and greatest allowed value; ``above`` excludes the least, ``below`` the greatest."""

    least: float = 0.0
    greatest: float = LARGEST_NUMBER
    above: bool = False
    below: bool = False

    def holds(self, number: float) -> bool:
        """Tell whether a number lies within the bounds."""
        too_small = number <= self.least if self.above else number < self.least
        too_large = number >= self.greatest if self.below else number > self.greatest
        return not (too_small or too_large)

    def __str__(self) -> str:
        least = f"{'above' if self.above else 'at least'} {self.least:,.10g}"
        greatest = f"{'below' if self.below else 'at most'} {self.greatest:,.10g}"
        return f"{least} and {greatest}"


POSITIVE = Bounds(above=True)
AT_LEAST_ONE_ACCELERATOR = Bounds(1, LARGEST_COUNT)
FRACTION = Bounds(0, 1)
POSITIVE_FRACTION = Bounds(0, 1, above=True)
RATE_PER_YEAR = Bounds(-1, 10, above=True)
ONE_OR_MORE = Bounds(1, 1e6)
ANY_SIGN = Bounds(-LARGEST_NUMBER, LARGEST_NUMBER)

BY_UNIT: Mapping[str, Bounds] = {
    "fraction": FRACTION,
    "fraction per year": RATE_PER_YEAR,
    "accelerators": Bounds(0, LARGEST_COUNT),
    "ports": Bounds(0, LARGEST_COUNT),
    "feeds": Bounds(1, 1000),
    "months": Bounds(0, LONGEST_MONTHS),
    "days": Bounds(0, LONGEST_DAYS),
    "ratio": POSITIVE,
    "Gbit/s": POSITIVE,
}

BY_COLUMN: Mapping[tuple[str, str], Bounds] = {
    ("CostLine", "amount"): ANY_SIGN,  # a credit is allowed for some components, see the checks
    ("CostLine", "pue"): ONE_OR_MORE,
    ("CostLine", "months"): Bounds(1, LONGEST_MONTHS),
    ("CostLine", "life_months"): Bounds(1, LONGEST_MONTHS),
    ("CostLine", "price_per_kwh"): ANY_SIGN,  # negative hours exist on power markets
    ("Quote", "accelerators_per_node"): AT_LEAST_ONE_ACCELERATOR,
    ("Quote", "accelerators_per_instance"): Bounds(SMALLEST_INSTANCE, LARGEST_COUNT),
    ("Quote", "price_hours_per_month"): Bounds(0, 8784, above=True),
    ("Quote", "term_months"): Bounds(1, LONGEST_MONTHS),
    ("Tranche", "planned_accelerators"): AT_LEAST_ONE_ACCELERATOR,
    ("Evidence", "continuous_factor"): POSITIVE_FRACTION,
    ("Evidence", "pue"): ONE_OR_MORE,
    ("Build", "accelerators_per_node"): AT_LEAST_ONE_ACCELERATOR,
    ("Build", "it_kw_per_node"): POSITIVE,
    ("Build", "availability"): POSITIVE_FRACTION,
    ("Build", "rdma_ports_per_node"): Bounds(1, LARGEST_COUNT),
    ("Demand", "hours_per_month"): Bounds(0, 8784),
    ("Demand", "peak_to_mean"): ONE_OR_MORE,
    ("Demand", "tokens_per_second"): POSITIVE,
    ("Anchor", "accelerators"): AT_LEAST_ONE_ACCELERATOR,
    ("Anchor", "step_s"): POSITIVE,
    ("MeasuredRun", "accelerators"): AT_LEAST_ONE_ACCELERATOR,
    ("MeasuredRun", "params_b"): POSITIVE,
    ("MeasuredRun", "step_s"): POSITIVE,
    ("MeasuredRun", "compute_s"): POSITIVE,
    ("Training", "params_b"): POSITIVE,
    ("Training", "active_params_b"): POSITIVE,
    ("Training", "tokens_per_step"): POSITIVE,
    ("Training", "total_tokens"): POSITIVE,
    ("Training", "mfu_node"): POSITIVE_FRACTION,
    ("Inference", "tokens_per_second_per_accelerator"): POSITIVE,
    ("Inference", "service_seconds"): POSITIVE,
    ("Workload", "accelerators"): AT_LEAST_ONE_ACCELERATOR,
    ("Workload", "days"): Bounds(SHORTEST_WINDOW, LONGEST_DAYS),
    ("Workload", "months"): Bounds(SHORTEST_WINDOW, LONGEST_MONTHS),
    ("FxRate", "rate"): POSITIVE,
    ("SlipClass", "p10"): Bounds(0, 1000, above=True),
    ("SlipClass", "p90"): Bounds(0, 1000, above=True),
    ("Tax", "book_life_months"): Bounds(1, LONGEST_MONTHS),
    ("Assumptions", "horizon_months"): Bounds(1, LONGEST_MONTHS),
    ("Assumptions", "hours_per_month"): Bounds(0, 744, above=True),
    ("Assumptions", "risk_quantile"): Bounds(0, 1, above=True, below=True),
    ("Assumptions", "draws"): Bounds(1, 1_000_000),
    ("Assumptions", "seed"): Bounds(0, 2**53),
    ("Assumptions", "discount_rate"): RATE_PER_YEAR,
    ("Assumptions", "borrowing_rate"): RATE_PER_YEAR,
}


def bounds_of(record: str, name: str, metadata: Mapping[str, Any]) -> Bounds:
    """Return the bounds of one column of a record class."""
    return BY_COLUMN.get((record, name)) or BY_UNIT.get(metadata["unit"], Bounds())
