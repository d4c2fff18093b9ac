"""A scenario read with other numbers: ranged inputs as columns of draws, builds at drawn dates, all else as stated."""

import dataclasses
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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
DATE_STEPS = 100_000  # probabilities of a date are kept to this fraction
DATES = "dates"


@dataclass(frozen=True, slots=True)
class Ranged:
    """One ranged number: where it stands, and a name that does not change when records are added."""

    pointer: str
    name: str
    owner: tuple[str, str] | None  # list and id of the record; None: the assumptions
    range: Range


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
        found.append(Ranged(pointer, "/".join(parts), owner, entry))
    return tuple(sorted(found, key=lambda one: one.name))


def date_input(build: str) -> DateInput:
    """Return the uncertain date of a build as its own probability; each need reads its day from that."""
    steps = np.linspace(0.0, 1.0, DATE_STEPS + 1)
    return DateInput(f"{DATES}/{build}", steps, steps)


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
    common = _normals((seed,), draws)
    values = np.empty((draws, len(known)))
    for column, entry in enumerate(known):
        own = _normals((seed, zlib.crc32(entry.name.encode())), draws)
        values[:, column] = entry.at(ndtr(np.sqrt(correlation) * common + np.sqrt(1.0 - correlation) * own))
    return Draws(known, values)


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
        """Return the setting under columns of values, shape (n, 1), by the names of inputs."""
        scenario = self.scenario
        for one in self.ranged:
            if one.name in values:
                scenario = with_value(scenario, one.pointer, values[one.name])
        setting = setting_of(scenario)
        dates = dict(self.base.dates)
        for name, build in setting.builds.items():
            probability = values.get(f"{DATES}/{name}")
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
