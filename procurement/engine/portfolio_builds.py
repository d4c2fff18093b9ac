"""Own builds as places of a portfolio: when each tranche is usable, what it costs to hold, what running it costs."""

from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from procurement.engine.costs.base import BuildUse, Span
from procurement.engine.costs.registry import build_cost_flows
from procurement.engine.dates import LONG_AGO, days_at, needs_fabric
from procurement.engine.forecast import Forecast
from procurement.engine.income_tax import taxed
from procurement.engine.ledger import Ledger
from procurement.engine.obstacles import BuildFacts, build_reasons, date_reasons, size_reasons
from procurement.engine.options_on_prem import (
    build_price_reasons,
    counted_lines,
    hardware_amount,
    planned_accelerators,
    resale_flows,
)
from procurement.engine.periods import DAYS_PER_YEAR, MONTHS_PER_YEAR, Numbers, day_at, months_between
from procurement.engine.portfolio_demand import Grid, Indices
from procurement.engine.portfolio_places import (
    BUILD,
    Flags,
    Hours,
    Place,
    Units,
    World,
    column,
    hours_at,
    nominals,
    presents,
    units_at,
)
from procurement.engine.slip import first_day
from procurement.engine.tables import Build, CostLine, Tranche
from procurement.engine.work import Work


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrancheSupply:
    """One tranche: what it offers in each month of the portfolio, and what buying and holding it costs."""

    build: Build
    tranche: Tranche
    usable: Numbers  # for whatever needs no network between nodes, shape (months,) [accelerators]
    usable_fabric: Numbers
    usable_days: float | None  # days after as_of on which all of it is usable; None: never
    cost: float = 0.0  # present cost at as_of, 0 where the build is committed
    spend: Numbers | None = None  # nominal by month of the portfolio
    capital: float = 0.0  # nominal, credits left out

    @property
    def domain(self) -> str:
        """Fabric domain."""
        return self.tranche.fabric_domain or self.tranche.id


@dataclass(frozen=True, slots=True, eq=False)
class Owned:
    """A build as a place, and its tranches."""

    place: Place
    tranches: tuple[TrancheSupply, ...]


def owned_place(world: World, facts: BuildFacts) -> Owned | None:
    """Return an own build as a place; None where nothing may go there or it cannot be priced."""
    build = facts.build
    if build_price_reasons(build, world.setting):
        return None
    needed = world.needed_at(build)
    may = _allowed(world, facts, needed)
    shares = world.shares_at(build, needed)
    may &= shares > 0.0
    if not may.any():
        return None
    ready = _ready(world, build, needed, may)
    done = hours_at(world, shares, world.setting.hours_per_month * build.availability, ready)
    may &= ~done.is_late
    tranches = _supplies(world.grid, facts, world.setting.assumptions.risk_quantile)
    if not may.any() or not any(tranche.usable.any() or tranche.usable_fabric.any() for tranche in tranches):
        return None
    node = float(build.accelerators_per_node or 1)
    units = units_at(world, may, needed, node, done.hours.shape[1])
    place = _placed(world, build, (units, done, needed), ready)
    if build.committed:
        return Owned(place, tranches)
    return Owned(place, tuple(_priced(world, build, one, done, may) for one in tranches))


def _allowed(world: World, facts: BuildFacts, needed: Numbers) -> Flags:
    """Return which workloads may use a build, whole or, where they divide, in part."""
    may = np.zeros(len(world.workloads), dtype=np.bool_)
    as_of, quantile = world.grid.as_of, world.setting.assumptions.risk_quantile
    for index, workload in enumerate(world.workloads):
        if np.isnan(needed[index]) or world.is_small[index] or build_reasons(facts, workload):
            continue
        count = int(needed[index])
        may[index] = not world.slices.is_gang[index] or not (
            size_reasons(facts.build, count) or date_reasons(facts, workload, count, as_of, quantile)
        )
    return may


def _ready(world: World, build: Build, needed: Numbers, may: Flags) -> Numbers:
    """Return when work that stays whole can begin, months after each start; what divides takes what is there."""
    ready = np.zeros(len(world.workloads))
    dates = world.setting.dates[build.id]
    for index in np.flatnonzero(may & world.slices.is_gang):
        months = dates.usable_months(world.workloads[index], int(needed[index]))
        ready[index] = 0.0 if months is None else float(np.max(months))
    return ready


def _supplies(grid: Grid, facts: BuildFacts, quantile: float) -> tuple[TrancheSupply, ...]:
    """Return what each tranche offers, everything at one quantile of the forecast."""
    front = facts.forecast.single_node or facts.forecast
    by_front, by_fabric = _usable(front, grid, quantile), _usable(facts.forecast, grid, quantile)
    return tuple(
        TrancheSupply(
            build=facts.build, tranche=tranche, usable=by_front[tranche.id][0],
            usable_fabric=by_fabric[tranche.id][0], usable_days=by_fabric[tranche.id][1],
        )
        for tranche in facts.build.tranches
    )  # fmt: skip


def _usable(forecast: Forecast, grid: Grid, quantile: float) -> dict[str, tuple[Numbers, float | None]]:
    """Return accelerators by month and the day on which all are there, by tranche.

    The tranches that come first are taken first, and each waits for those before it, as a need for all of them would.
    """
    per_month = DAYS_PER_YEAR / MONTHS_PER_YEAR
    begins = (grid.origin - grid.as_of).days + np.arange(grid.count) * per_month
    ordered = sorted(forecast.tranches, key=lambda one: (_rank(one.reached, quantile), _rank(one.reached, 0.5)))
    found: dict[str, tuple[Numbers, float | None]] = {}
    held = forecast.usable_now
    for one in ordered:
        held += one.gain
        is_aged = bool(one.gates) and all(gate.is_aged for gate in one.gates)
        days = days_at(forecast.cdf_for(held), quantile) if one.gain > 0 else LONG_AGO
        if is_aged and forecast.renewable_now > forecast.usable_now:
            days = LONG_AGO  # evidence that only aged flips no verdict
        there = np.full(grid.count, float(one.usable_now))
        if days is not None:
            there += one.gain * (begins + 0.5 >= days)
        found[one.tranche.id] = (there, days)
    return found


def _rank(reached: Numbers | None, quantile: float) -> float:
    day = None if reached is None else first_day(reached, quantile)
    return float("inf") if day is None else float(day)


def _placed(world: World, build: Build, used: tuple[Units, Hours, Numbers], ready: Numbers) -> Place:
    units, done, needed = used
    owner = world.slices.owner[units.rows]
    count = done.hours.shape[1]
    node = float(build.accelerators_per_node or 1)
    share = np.ceil(needed / node - 1e-9) * node / planned_accelerators(build)
    full = done.hours[owner] * units.working / np.maximum(needed[owner], 1.0)[:, None]
    metered = _ledger(world, build, _running_lines(build), (share[owner], full), done.finish[owner])
    cost, spend = (value(metered, units.rows.size, count) for value in (presents, nominals))
    once = once_spend = np.zeros(len(world.workloads))
    if build.committed:
        held, once, once_spend = _held(world, build, done, share, ready)
        part = units.accelerators / np.bincount(owner, weights=units.accelerators)[owner]
        cost, spend = cost + held[0][owner] * part[:, None], spend + held[1][owner] * part[:, None]
    return Place(
        name=build.id,
        kind=BUILD,
        rows=units.rows,
        accelerators=units.accelerators,
        cost=cost * world.factors[owner][:, None],
        spend=spend,
        months=done.hours[owner] > 0.0,
        is_whole=(done.runs_on | world.slices.is_gang | (once != 0.0))[owner],
        fixed=np.zeros(len(world.workloads)),
        fixed_spend=np.zeros((len(world.workloads), count)),
        once=once * world.factors,
        once_spend=once_spend,
        held_from=np.ceil(ready - 1e-6).astype(np.int64),
        needs_fabric=np.array([needs_fabric(workload, build) for workload in world.workloads], dtype=np.bool_),
    )


def _running_lines(build: Build) -> tuple[CostLine, ...]:
    """Return what hours of work cost: running hours, and power beyond what idle accelerators draw."""
    lines = counted_lines(build, is_marginal=build.committed)
    found = [line for line in lines if line.basis == "per_running_hour" and line.price_per_kwh is None]
    for line in lines:
        if line.price_per_kwh is not None:
            price = line.price_per_kwh * (1.0 - line.idle_fraction)
            found.append(replace(line, price_per_kwh=price, idle_fraction=0.0, amount=None))
    return tuple(found)


def _ledger(
    world: World, build: Build, lines: tuple[CostLine, ...], used: tuple[Numbers, Numbers], finish: Numbers
) -> Ledger:
    """Return the rows of hours at a build, for shares of the build and full hours of shape (rows, months)."""
    share, full = used
    planned = planned_accelerators(build)
    use = BuildUse(
        build=build, lines=lines, charged_share=column(share), charged_accelerators=column(share * planned),
        used_share=column(share), work=Work(accelerators=1, hours=full, finish=column(finish)),
        span=Span(0.0, 0.0, column(finish), world.setting.hours_per_month), exchange=world.setting.exchange,
        hardware=hardware_amount(build, world.setting),
    )  # fmt: skip
    return _taxed(world, Ledger(build_cost_flows(use), world.setting.terms))


def _taxed(world: World, ledger: Ledger) -> Ledger:
    tax = world.setting.assumptions.tax
    return ledger if tax is None else taxed(ledger, tax)


def _held(
    world: World, build: Build, done: Hours, share: Numbers, ready: Numbers
) -> tuple[tuple[Numbers, Numbers], Numbers, Numbers]:
    """Return what a share of a committed build costs by workload and month, and what falls due once."""
    rows, count = done.hours.shape
    dates = world.setting.dates[build.id]
    delivery = np.array([float(np.max(dates.delivery_months(one.start))) for one in world.workloads])
    known = np.nan_to_num(share)
    use = BuildUse(
        build=build, lines=_standing_lines(build), charged_share=column(known),
        charged_accelerators=column(known * planned_accelerators(build)), used_share=column(known),
        work=Work(accelerators=1, hours=np.zeros((rows, count)), finish=column(done.finish)),
        span=Span(column(delivery), column(ready), column(done.finish), world.setting.hours_per_month),
        exchange=world.setting.exchange, hardware=hardware_amount(build, world.setting),
    )  # fmt: skip
    flows = (*build_cost_flows(use), *resale_flows(use, build))
    regular, single = (
        _taxed(world, Ledger(tuple(flow for flow in flows if flow.is_recurring == kind), world.setting.terms))
        for kind in (True, False)
    )
    monthly = (presents(regular, rows, count), nominals(regular, rows, count))
    return monthly, presents(single, rows, count).sum(axis=1), nominals(single, rows, count).sum(axis=1)


def _standing_lines(build: Build) -> tuple[CostLine, ...]:
    """Return the lines that cost whatever is worked."""
    lines = counted_lines(build, is_marginal=build.committed)
    return tuple(line for line in lines if line.basis != "per_running_hour" or line.price_per_kwh is not None)


def _priced(world: World, build: Build, supply: TrancheSupply, done: Hours, may: Flags) -> TrancheSupply:
    """Return a tranche with what buying and holding it costs until the last work that may go there ends."""
    users: Indices = np.flatnonzero(may).astype(np.int64)
    start = min(world.workloads[index].start for index in users)
    ends = [months_between(start, world.workloads[index].start) + float(done.finish[index]) for index in users]
    share = supply.tranche.planned_accelerators / planned_accelerators(build)
    days = LONG_AGO if supply.usable_days is None else supply.usable_days  # what is there today alone, without a date
    usable = months_between(start, world.grid.as_of) + days * MONTHS_PER_YEAR / DAYS_PER_YEAR
    span = Span(
        delivery=float(np.max(world.setting.dates[build.id].delivery_months(start))),
        usable=max(usable, 0.0), end=max(ends), hours_per_month=world.setting.hours_per_month,
    )  # fmt: skip
    use = BuildUse(
        build=build, lines=_standing_lines(build), charged_share=share,
        charged_accelerators=supply.tranche.planned_accelerators, used_share=share,
        work=Work(accelerators=1, hours=np.zeros(span.count), finish=0.0), span=span,
        exchange=world.setting.exchange, hardware=hardware_amount(build, world.setting),
    )  # fmt: skip
    plain = Ledger(build_cost_flows(use), world.setting.terms)
    ledger = _taxed(world, plain)
    spend = np.zeros(world.grid.count)
    first = world.grid.nearest(start)
    paid = nominals(plain, 1, max(world.grid.count - first, 1))[0]
    spend[first : first + paid.size] = paid
    capital = sum(float(np.maximum(plain.amounts(flow), 0.0).sum()) for flow in plain.flows if flow.is_capital)
    cost = float(presents(ledger, 1, ledger.count).sum()) * world.grid.factor(start)
    return replace(supply, cost=cost, spend=spend, capital=capital)


def usable_on(supply: TrancheSupply, grid: Grid) -> str | None:
    """Return the day on which all of a tranche is usable, today where it is already."""
    if supply.usable_days is None:
        return None
    return (grid.as_of + timedelta(days=max(supply.usable_days, 0.0))).isoformat()


def begins_on(grid: Grid, month: int) -> str:
    """Return the first day of a month of the portfolio."""
    return day_at(grid.origin, float(month)).isoformat()
