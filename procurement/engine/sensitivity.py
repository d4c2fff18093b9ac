"""What would have to be true for the other answer: the inputs that are varied, and how (semantics 29)."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from scipy.optimize import brentq

from procurement.engine.breakeven import at_utilisation
from procurement.engine.equal_work import asked_hours
from procurement.engine.flip_points import ACCURACY, FLIP_RANGES, FlipPoint, flip_point
from procurement.engine.options_base import Option, Plan
from procurement.engine.options_on_prem import is_paid_once
from procurement.engine.periods import Amount, Numbers
from procurement.engine.pricing import places_with_tail, plan_priced
from procurement.engine.setting import Setting
from procurement.engine.tables import Build, CostLine, Quote, Workload

Record = TypeVar("Record", Quote, Build)
Reading = Callable[[Numbers, Workload, Setting], tuple[Workload, Setting]]  # values of shape (n, 1)
HORIZON_STEP = 6.0  # months between the horizons at which a change of sign is looked for


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """The chosen option and the other answer it is held against."""

    chosen: Plan
    other: Plan
    workload: Workload
    setting: Setting

    def difference(self, reading: Reading, values: Numbers) -> Numbers:
        """Return the cost of the chosen option less that of the other, by values of shape (n,)."""
        workload, setting = reading(values[:, np.newaxis], self.workload, self.setting)
        totals = [np.asarray(plan_priced(plan, workload, setting).ledger.total_present()) for plan in self.plans]
        return np.asarray(np.broadcast_to(totals[0] - totals[1], values.shape))

    @property
    def plans(self) -> tuple[Plan, Plan]:
        """Both plans, the chosen one first."""
        return (self.chosen, self.other)


def with_utilisation(values: Numbers, workload: Workload, setting: Setting) -> tuple[Workload, Setting]:
    """Read the demand as a share of the month's hours."""
    return at_utilisation(workload, values), setting


def with_cloud_price(values: Numbers, workload: Workload, setting: Setting) -> tuple[Workload, Setting]:
    """Read every cloud price as a multiple of what it is."""
    quotes = {name: dearer(quote, values) for name, quote in setting.quotes.items()}
    return workload, replace(setting, quotes=quotes)


def dearer(quote: Quote, factor: Amount) -> Quote:
    """Return a quote whose price and upfront payment are multiplied."""
    price: Any = None if quote.price is None else quote.price * factor
    upfront: Any = quote.upfront * factor if np.any(quote.upfront) else quote.upfront
    return replace(quote, price=price, upfront=upfront)


def with_capital(values: Numbers, workload: Workload, setting: Setting) -> tuple[Workload, Setting]:
    """Read every purchase of a build as a multiple of what it is."""
    return workload, _with_lines(setting, is_purchase, values)


def is_purchase(line: CostLine) -> bool:
    """Return whether a line buys something; what is paid at the end to take it away is no capital."""
    return is_paid_once(line) and line.component != "disposal"


def with_power_price(values: Numbers, workload: Workload, setting: Setting) -> tuple[Workload, Setting]:
    """Read the price of energy as a multiple of what it is."""
    return workload, _with_lines(setting, lambda line: line.component == "power", values)


def _with_lines(setting: Setting, is_varied: Callable[[CostLine], bool], factor: Amount) -> Setting:
    def build(record: Build) -> Build:
        lines = tuple(_scaled(line, factor) if is_varied(line) else line for line in record.costs)
        return replace(record, costs=lines)

    return replace(setting, builds={name: build(record) for name, record in setting.builds.items()})


def _scaled(line: CostLine, factor: Amount) -> CostLine:
    amount: Any = None if line.amount is None else line.amount * factor
    energy: Any = None if line.price_per_kwh is None else line.price_per_kwh * factor
    return replace(line, amount=amount, price_per_kwh=energy)


def with_delay(values: Numbers, workload: Workload, setting: Setting) -> tuple[Workload, Setting]:
    """Read every build as usable so many months later."""
    return workload, replace(setting, dates={name: dates.later_by(values) for name, dates in setting.dates.items()})


def with_discount_rate(values: Numbers, workload: Workload, setting: Setting) -> tuple[Workload, Setting]:
    """Read another discount rate."""
    return workload, replace(setting, terms=replace(setting.terms, rate=values))


def with_price_path(values: Numbers, workload: Workload, setting: Setting) -> tuple[Workload, Setting]:
    """Read another yearly change of cloud prices."""
    return workload, replace(setting, terms=replace(setting.terms, paths={**setting.terms.paths, "cloud": values}))


READINGS: Mapping[str, Reading] = {
    "utilisation": with_utilisation,
    "cloud_price": with_cloud_price,
    "capital": with_capital,
    "power_price": with_power_price,
    "delay_months": with_delay,
    "discount_rate": with_discount_rate,
    "price_path": with_price_path,
}


def today_of(name: str, pair: Pair) -> float:
    """Return the value of an input in the base figures; prices and capital are multiples of themselves."""
    setting = pair.setting
    if name == "utilisation":
        asked = asked_hours(pair.workload, setting.assumptions)
        return float(asked.hours.sum() / (asked.window.weights.sum() * setting.hours_per_month))
    if name == "discount_rate":
        return float(np.mean(setting.terms.rate)) if setting.terms.rate is not None else 0.0
    if name == "price_path":
        return float(np.mean(setting.terms.paths.get("cloud", 0.0)))
    return 0.0 if name == "delay_months" else 1.0


def flip_points_of(chosen: Option, other: Option, setting: Setting, bridge: str | None) -> list[dict[str, Any]]:
    """Return for every input where the other answer would be cheaper, nearest to today, or `none in range`.

    Hours that a delay takes from a build are rented at the ``bridge`` quote, where there is one.
    """
    if chosen.plan is None or other.plan is None:
        return []
    bridges = {} if bridge is None else {chosen.workload.id: bridge}
    places = {*places_with_tail(chosen.plan), *places_with_tail(other.plan), *bridges.values()}
    held = replace(setting, quotes=_only(setting.quotes, places), builds=_only(setting.builds, places))
    base = Pair(chosen.plan, other.plan, chosen.workload, held)
    late = replace(base, setting=replace(held, bridge_quotes=bridges))
    pairs = {name: late if name == "delay_months" else base for name in READINGS}
    found = [varied_flip(name, reading, pairs[name]) for name, reading in READINGS.items()]
    found.append(horizon_flip(base))
    return [{**flip_answer(point), "against": other.name} for point in found]


def _only(records: Mapping[str, Record], places: Collection[str]) -> dict[str, Record]:
    """Return the records of some places: what is read with other values is every one of them."""
    return {name: records[name] for name in sorted(places) if name in records}


def varied_flip(name: str, reading: Reading, pair: Pair) -> FlipPoint:
    """Return the value of one input at which the answer changes."""

    def difference(values: Numbers) -> Numbers:
        return pair.difference(reading, values)

    return flip_point(name, difference, today_of(name, pair), FLIP_RANGES[name])


def horizon_flip(pair: Pair) -> FlipPoint:
    """Return the window at which the answer changes: the ledger is laid down anew for each length that is tried."""
    searched = FLIP_RANGES["horizon_months"]
    today = asked_hours(pair.workload, pair.setting.assumptions).window.length

    assumptions = replace(pair.setting.assumptions, horizon_months=int(np.ceil(searched.high)))
    setting = replace(pair.setting, scenario=replace(pair.setting.scenario, assumptions=assumptions))

    def difference(months: float) -> float:
        workload = replace(pair.workload, months=months, days=None, end=None)
        totals = [float(plan_priced(plan, workload, setting).ledger.total_present()) for plan in pair.plans]
        return totals[0] - totals[1]

    points = np.arange(searched.low, searched.high + HORIZON_STEP, HORIZON_STEP)
    values = np.array([difference(float(point)) for point in points])
    turns = np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0.0)
    roots = [float(brentq(difference, float(points[turn]), float(points[turn + 1]), xtol=ACCURACY)) for turn in turns]
    if not roots:
        return FlipPoint("horizon_months", today, None, reason="none in range")
    return FlipPoint("horizon_months", today, min(roots, key=lambda root: (abs(root - today), root)))


def flip_answer(point: FlipPoint) -> dict[str, Any]:
    """Return a flip point as in the answer document."""
    searched = FLIP_RANGES[point.name]
    return {
        "input": point.name,
        "today": round(point.today, 10),
        "value": None if point.value is None else round(point.value, 10),
        "is_factor": searched.is_factor,
        "is_jump": point.is_jump,
        "reason": point.reason,
        "range": [searched.low, searched.high],
    }
