"""A scenario read with other numbers: ranged inputs as columns of draws, builds at drawn dates, all else as stated."""

import dataclasses
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from procurement.engine.columns import Range
from procurement.engine.dates import BuildDates, drawn_days, reached_by
from procurement.engine.forecast import Forecast
from procurement.engine.periods import Amount, Numbers
from procurement.engine.setting import Setting, setting_of
from procurement.engine.tables import Build, Scenario, Workload
from procurement.engine.uncertainty import DateInput, Draws, Input, RangeInput

LISTS = ("quotes", "builds", "workloads")
# numbers that a whole column of draws may stand for: they scale rows and leave their layout as it is
COLUMN_FIELDS = frozenset({
    "price", "upfront", "price_hours_per_month", "egress_per_gb", "storage_per_gb_month", "support_fraction",
    "setup_fee", "exit_fee", "it_kw_per_node", "availability", "amount", "residual_fraction", "kw", "it_kw", "pue",
    "price_per_kwh", "idle_fraction", "fte", "egress_gb_per_month", "storage_gb", "switching_cost",
    "value_per_accelerator_hour", "second_place_overhead_per_month", "hours_per_month", "utilisation",
    "cost_per_month", "discount_rate", "cloud", "power", "staff", "colocation",
})  # fmt: skip
# numbers that decide feasibility or advice and never a row; the slip of bring-up is in the forecast already
NO_COST_FIELDS = frozenset({
    "monthly_interruption", "max_days", "lead_time_days", "booking_horizon_days", "bringup_days", "min_memory_gb",
    "dataset_gb", "requests_per_second", "service_seconds", "max_wait_seconds", "tail",
})  # fmt: skip
DATE_STEPS = 100_000  # probabilities of a date are kept to this fraction
DATES = "dates"


@dataclass(frozen=True, slots=True)
class Ranged:
    """One ranged number: where it stands, and a name that does not change when records are added."""

    pointer: str
    name: str
    owner: tuple[str, str] | None  # list and id of the record; None: the assumptions
    range: Range
    is_whole: bool  # whether the column holds whole numbers

    @property
    def field(self) -> str:
        """The column's name."""
        return self.pointer.rpartition("/")[2]

    @property
    def is_column(self) -> bool:
        """Whether all draws are read at once; otherwise the number is read on a grid, one value at a time."""
        return self.field in COLUMN_FIELDS

    @property
    def has_cost(self) -> bool:
        """Whether the number can change a cost."""
        return self.field not in NO_COST_FIELDS


def ranged_numbers(scenario: Scenario) -> tuple[Ranged, ...]:
    """Return every ranged number of a scenario by its stable name: records by id instead of by position."""
    found = []
    for pointer, entry in scenario.ranges.items():
        parts = pointer.split("/")[1:]
        owner = None
        if parts[0] in LISTS:
            record = getattr(scenario, parts[0])[int(parts[1])]
            owner = (parts[0], record.id)
            parts = [parts[0], record.id, *parts[2:]]
        is_whole = isinstance(value_at(scenario, pointer), int)
        found.append(Ranged(pointer, "/".join(parts), owner, entry, is_whole))
    return tuple(sorted((one for one in found if one.has_cost), key=lambda one: one.name))


def value_at(scenario: Scenario, pointer: str) -> Any:
    """Return the number at a JSON pointer."""
    node: Any = scenario
    for part in pointer.split("/")[1:]:
        if isinstance(node, tuple):
            node = node[int(part)]
        else:
            node = node[part] if isinstance(node, Mapping) else getattr(node, part)
    return node


def date_name(build: str) -> str:
    """Return the name of the uncertain date of a build."""
    return f"{DATES}/{build}"


@lru_cache(maxsize=64)
def date_input(build: str) -> DateInput:
    """Return the uncertain date of a build as its own probability; each need reads its day from that."""
    steps = np.linspace(0.0, 1.0, DATE_STEPS + 1)
    return DateInput(date_name(build), steps, steps)


def range_input(ranged: Ranged) -> RangeInput:
    """Return a ranged number as an uncertain input."""
    entry = ranged.range
    return RangeInput(ranged.name, float(entry.min), float(entry.likely), float(entry.max))


def drawn(inputs: Iterable[Input], *, draws: int, seed: int, correlation: float) -> Draws:
    """Return seeded draws in which every input has its own stream, so that another input changes none of them.

    u = Phi(sqrt(c) z0 + sqrt(1 - c) zi); all streams are PCG64, the common one seeded with the seed, each input's with
    the seed and its name (semantics 25).
    """
    known = tuple(inputs)
    values = np.empty((draws, len(known)))
    for column, entry in enumerate(known):
        values[:, column] = _drawn_column(entry, draws, seed, correlation)
    return Draws(known, values)


@lru_cache(maxsize=64)
def _drawn_column(entry: Input, draws: int, seed: int, correlation: float) -> Numbers:
    """Return the draws of one input, not to be written to: every workload that rests on it asks for them."""
    common, own = _normals((seed,), draws), _normals((seed, zlib.crc32(entry.name.encode())), draws)
    found = entry.at(ndtr(np.sqrt(correlation) * common + np.sqrt(1.0 - correlation) * own))
    found.flags.writeable = False
    return found


def _normals(entropy: tuple[int, ...], draws: int) -> Numbers:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy))).standard_normal(draws)


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads a scenario with other values of its uncertain inputs."""

    scenario: Scenario
    forecasts: Mapping[str, Forecast]
    base: Setting
    ranged: tuple[Ranged, ...]
    bridge_quotes: Mapping[str, str]

    def setting(self, values: Mapping[str, Numbers]) -> Setting:
        """Return the setting under columns of values, shape (n, 1), by the names of inputs.

        A number that is no column is read at the first value of its column.
        """
        scenario = self.scenario
        for one in self.ranged:
            if one.name in values:
                column = values[one.name]
                single = round(float(column[0, 0])) if one.is_whole else float(column[0, 0])
                scenario = with_value(scenario, one.pointer, column if one.is_column else single)
        setting = setting_of(scenario)
        dates = dict(self.base.dates)
        for name, build in setting.builds.items():
            probability = values.get(date_name(name))
            if probability is not None:
                dates[name] = drawn_dates(build, self.forecasts[name], scenario, probability)
        return replace(setting, dates=dates, bridge_quotes=self.bridge_quotes)


def drawn_dates(build: Build, forecast: Forecast, scenario: Scenario, probability: Numbers) -> BuildDates:
    """Return the dates of a build under a column of probabilities: late deliveries go with late power."""

    def usable(workload: Workload, accelerators: int) -> Amount | None:
        reached = reached_by(forecast, build, workload, accelerators)
        return None if reached is None else drawn_days(reached, probability)

    delivered: Amount | None = None
    if forecast.delivered_on is not None:
        delivered = float((forecast.delivered_on - scenario.as_of).days)
    elif forecast.cdf_delivered is not None:
        delivered = drawn_days(forecast.cdf_delivered, probability)
    return BuildDates(scenario.as_of, delivered, usable)


def with_value(scenario: Scenario, pointer: str, value: Any) -> Scenario:
    """Return a scenario in which the number at a JSON pointer is replaced."""
    replaced: Scenario = _with(scenario, pointer.split("/")[1:], value)
    return replaced


def _with(node: Any, parts: list[str], value: Any) -> Any:
    if not parts:
        return value
    head, rest = parts[0], parts[1:]
    if isinstance(node, tuple):
        index = int(head)
        return (*node[:index], _with(node[index], rest, value), *node[index + 1 :])
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{head: _with(getattr(node, head), rest, value)})
    return {**node, head: _with(node[head], rest, value)}
