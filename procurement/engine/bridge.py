"""Waiting for a build: how long, what a bridge costs, how long to reserve, what idle hardware loses (R13)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from procurement.engine.bookability import Bookings
from procurement.engine.dates import reached_by
from procurement.engine.equal_work import accelerators_at
from procurement.engine.forecast import Forecast
from procurement.engine.money import exchange_rate, money_text, rounded
from procurement.engine.obstacles import is_accepted
from procurement.engine.periods import DAYS_PER_YEAR, HOURS_PER_DAY, MONTHS_PER_YEAR, Numbers
from procurement.engine.slip import Distribution
from procurement.engine.tables import Build, Quote, Scenario, Workload
from procurement.engine.units import is_committed, price_per_accelerator_hour

AGING_COMPONENTS = ("hardware", "network", "storage", "spares")  # what loses value in boxes; halls have other lives
_EQUAL = 1e-12  # probability; a chance that equals the ratio still extends the reservation
SHORT_STAY_REASONS = frozenset({"duration_over_max", "ends_before_done"})  # a bridge is shorter than the window


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgePrices:
    """Prices of a bridge per accelerator-hour in one currency; None where no offer states one.

    ``shortage`` is what an hour without a reservation costs: on demand if that can supply the number, else the value
    of the work that is lost.
    """

    reserved: float | None = None
    on_demand: float | None = None
    shortage: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleHardware:
    """Hardware that may wait for its place: day of delivery and straight-line depreciation [currency per day]."""

    delivered_on: date
    depreciation_per_day: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgePlan:
    """What waiting for a build means for a workload; money in the currency of the prices, unrounded."""

    expected_wait_days: float | None
    expected_bridge_cost_on_demand: float | None
    reserve_days: int | None
    reserve_until: date | None
    expected_bridge_cost: float | None
    expected_idle_days: float | None
    expected_idle_depreciation: float | None
    reasons: tuple[str, ...] = ()

    def answer(self, currency: str) -> dict[str, Any]:
        """Return the fields of the answer document, ready for JSON."""

        def money(amount: float | None) -> str | None:
            return None if amount is None else money_text(rounded(amount, currency))

        return {
            "expected_wait_days": _shown(self.expected_wait_days),
            "expected_bridge_cost_on_demand": money(self.expected_bridge_cost_on_demand),
            "reserve_days": self.reserve_days,
            "reserve_until": self.reserve_until.isoformat() if self.reserve_until else None,
            "expected_bridge_cost": money(self.expected_bridge_cost),
            "expected_idle_days": _shown(self.expected_idle_days),
            "expected_idle_depreciation": money(self.expected_idle_depreciation),
            "reasons": list(self.reasons),
        }


def _shown(days: float | None) -> float | None:
    return None if days is None else round(days, 4)


def expected_days_after(reached: Distribution, as_of: date, day: date) -> float:
    """Return the expected wait after a day: the sum over the days from it on of P(T > day).

    Parameters
    ----------
    reached
        Probability of being there by each day after ``as_of``, shape (days,).
    as_of
        Day 0.
    day
        First day of the wait; a day before ``as_of`` counts as ``as_of``, since the past cannot be bridged.
    """
    offset = max((day - as_of).days, 0)
    return float(np.sum(1.0 - reached[offset:]))


def expected_idle_days(reached: Distribution, as_of: date, delivered_on: date) -> float:
    """Return the expected days from delivery to use: those before ``as_of`` have passed for certain and aged it too."""
    expected = expected_days_after(reached, as_of, delivered_on)
    return expected if reached[0] >= 1.0 else max((as_of - delivered_on).days, 0) + expected


def bridge_plan(
    reached: Distribution | None,
    *,
    as_of: date,
    need_by: date,
    accelerators: int,
    prices: BridgePrices,
    idle: IdleHardware | None = None,
) -> BridgePlan:
    """Return what waiting for a build means.

    Parameters
    ----------
    reached
        Probability by day that the accelerators are usable; None without forecast.
    as_of
        Day 0 of the distribution.
    need_by
        Day from which they are missed.
    accelerators
        How many are bridged.
    prices
        Of reserving, of buying on demand, and of a shortage.
    idle
        Hardware that was or will be delivered before it is usable.

    Notes
    -----
    The reservation is extended while P(T > day) is at least reserved / shortage price (semantics 38: the least k with
    P(T > need + k) below that ratio); it is paid in full, and what is then still missing costs the shortage price.
    """
    if reached is None:
        return _nothing("no_forecast")
    start = max(need_by, as_of)
    wait = expected_days_after(reached, as_of, start)
    hours = accelerators * HOURS_PER_DAY
    reserve = _reserve_days(reached, as_of, start, prices)
    reasons = [] if prices.on_demand is not None else ["missing:on_demand_price"]
    mixed = None
    if reserve is None:
        reasons.append("missing:reserved_price" if prices.reserved is None else "missing:shortage_price")
    elif prices.reserved is not None and prices.shortage is not None:
        later = expected_days_after(reached, as_of, start + timedelta(days=reserve))
        mixed = hours * (reserve * prices.reserved + later * prices.shortage)
    idle_days = None if idle is None else expected_idle_days(reached, as_of, idle.delivered_on)
    return BridgePlan(
        expected_wait_days=wait,
        expected_bridge_cost_on_demand=None if prices.on_demand is None else wait * hours * prices.on_demand,
        reserve_days=reserve,
        reserve_until=None if reserve is None else start + timedelta(days=reserve),
        expected_bridge_cost=mixed,
        expected_idle_days=idle_days,
        expected_idle_depreciation=None if idle is None or idle_days is None else idle_days * idle.depreciation_per_day,
        reasons=tuple(reasons),
    )


def _nothing(reason: str) -> BridgePlan:
    return BridgePlan(
        expected_wait_days=None, expected_bridge_cost_on_demand=None, reserve_days=None, reserve_until=None,
        expected_bridge_cost=None, expected_idle_days=None, expected_idle_depreciation=None, reasons=(reason,),
    )  # fmt: skip


def _reserve_days(reached: Distribution, as_of: date, start: date, prices: BridgePrices) -> int | None:
    """Return the least number of days after which being late is less likely than the ratio of prices."""
    if prices.reserved is None or prices.shortage is None or prices.shortage <= 0:
        return None
    late = 1.0 - reached[(start - as_of).days :]
    below = np.flatnonzero(late < prices.reserved / prices.shortage - _EQUAL)
    return int(below[0]) if below.size else None


def idle_hardware(build: Build, forecast: Forecast, scenario: Scenario) -> IdleHardware | None:
    """Return what of a build ages from delivery on; None without a day of delivery or an amount with a life.

    Straight line: amount x (1 - residual) / life. Delivery is the accepted day, else the P50 of its promise.
    """
    assumptions = scenario.assumptions
    delivered_on = forecast.delivery_date(0.5)
    per_day = 0.0
    for line in build.costs:
        if line.basis == "once" and line.life_months and line.amount and line.component in AGING_COMPONENTS:
            rate = exchange_rate(line.currency, assumptions.currency, assumptions.fx, scenario.as_of)
            if rate is None:
                return None
            life_days = line.life_months / MONTHS_PER_YEAR * DAYS_PER_YEAR
            per_day += line.amount * rate * (1 - line.residual_fraction) / life_days
    if delivered_on is None or per_day == 0.0:
        return None
    return IdleHardware(delivered_on=delivered_on, depreciation_per_day=per_day)


def bridge_prices(scenario: Scenario, bookings: Bookings) -> dict[str, BridgePrices]:
    """Return the cheapest prices at which each workload could bridge, in the currency of the assumptions.

    An offer counts when nothing but what it does not say, or a term shorter than the window, speaks against it; so a
    list price counts that does not say how many accelerators one fabric holds.
    """
    prices = np.array([np.inf if (one := _price(quote, scenario)) is None else one for quote in scenario.quotes])
    is_term = np.array([is_committed(quote) for quote in scenario.quotes], dtype=np.bool_)
    barred = bookings.barred(SHORT_STAY_REASONS, trusts_list_prices=True)
    reserved = _cheapest(np.where(barred | ~is_term, np.inf, prices))
    on_demand = _cheapest(np.where(barred | is_term, np.inf, prices))
    return {
        workload.id: BridgePrices(
            reserved=reserved[row],
            on_demand=on_demand[row],
            shortage=workload.value_per_accelerator_hour if on_demand[row] is None else on_demand[row],
        )
        for row, workload in enumerate(scenario.workloads)
    }


def _cheapest(prices: Numbers) -> list[float | None]:
    """Return the least finite price of each row."""
    least = prices.min(axis=1, initial=np.inf)
    return [float(price) if np.isfinite(price) else None for price in least]


def _price(quote: Quote, scenario: Scenario) -> float | None:
    assumptions = scenario.assumptions
    price = price_per_accelerator_hour(quote, assumptions.hours_per_month)
    if price is None or quote.currency is None:
        return None
    rate = exchange_rate(quote.currency, assumptions.currency, assumptions.fx, scenario.as_of)
    return None if rate is None else float(price) * rate


def scenario_bridges(
    scenario: Scenario, forecasts: Mapping[str, Forecast], bookings: Bookings
) -> dict[str, dict[str, BridgePlan]]:
    """Return for every workload and every build of an accepted type what waiting for it means.

    Parameters
    ----------
    scenario
        Builds of any operator; those that never hold the need are left out.
    forecasts
        Of every build, by id.
    bookings
        Which offers a bridge may use.
    """
    prices = bridge_prices(scenario, bookings)
    idle = {build.id: idle_hardware(build, forecasts[build.id], scenario) for build in scenario.builds}
    return {
        workload.id: {
            build.id: _plan(build, workload, forecasts[build.id], prices[workload.id], idle[build.id])
            for build in scenario.builds
            if is_accepted(build, workload) and _holds(build, workload)
        }
        for workload in scenario.workloads
    }


def _needed(build: Build, workload: Workload) -> int | None:
    return accelerators_at(workload, build.accelerator, build.accelerators_per_node)


def _holds(build: Build, workload: Workload) -> bool:
    needed = _needed(build, workload)
    planned = sum(tranche.planned_accelerators for tranche in build.tranches)
    return needed is not None and needed <= planned


def _plan(
    build: Build, workload: Workload, forecast: Forecast, prices: BridgePrices, idle: IdleHardware | None
) -> BridgePlan:
    needed = _needed(build, workload)
    return bridge_plan(
        None if needed is None else reached_by(forecast, build, workload, needed),
        as_of=forecast.as_of,
        need_by=workload.need_by or workload.start,
        accelerators=workload.accelerators,
        prices=prices,
        idle=idle,
    )
