"""Quotes as places of a portfolio: which slices may go there, in which months, and what each month costs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from procurement.engine.bookability import BEST_EFFORT, BY_CLASS, Bookings
from procurement.engine.costs.base import QuoteUse, Span
from procurement.engine.costs.registry import COMPONENT_BY_KEY, quote_cost_flows
from procurement.engine.income_tax import taxed
from procurement.engine.ledger import Ledger
from procurement.engine.options_cloud import price_reasons
from procurement.engine.periods import HOURS_PER_DAY, Numbers, months_between, months_from_days, whole_months
from procurement.engine.portfolio_places import (
    COMMITTED,
    METERED,
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
from procurement.engine.tables import CostLine, Quote
from procurement.engine.units import (
    instance_size,
    is_committed,
    least_instances,
    price_per_instance_hour,
    term_length,
    upfront_per_instance,
)
from procurement.engine.work import Work

TOLERATED = (  # reasons that speak against serving all of a workload, not against serving a part of it
    "quantity_too_small", "quota_short", "duration_over_max", "starts_after_need", "ends_before_done",
    "too_late_to_book",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Which workloads may use each quote, whole or in part, shape (workloads, quotes)."""

    whole: Flags
    part: Flags
    needed: Numbers


def judged(offers: Bookings, is_gang: Flags, is_small: Flags) -> Judged:
    """Return what may be used: as bookability says, and for divisible workloads also what serves only a part."""
    checks = offers.checks
    barred = offers.barred(TOLERATED) | checks.is_early.matrix() | offers.unverified.matrix()
    classes = [BY_CLASS.get(one or "", BEST_EFFORT) for one in checks.quotes.capacity_class]
    is_firm = (np.array(classes) != BEST_EFFORT) & checks.quotes.has_quantity
    is_accepted = is_firm | checks.workloads.accepts_best_effort | checks.is_inside_node.matrix()
    part = ~barred & is_accepted & ~is_gang[:, None]
    whole = offers.is_candidate & ~is_small[:, None]
    return Judged(whole, (part & ~is_small[:, None]) | whole, checks.needed.matrix())


def quote_place(world: World, quote: Quote, number: int, verdicts: Judged) -> Place | None:
    """Return a quote as a place; None where nothing may go there or it cannot be priced."""
    may = verdicts.part[:, number].copy()
    if not may.any() or price_reasons(quote, world.setting):
        return None
    needed = verdicts.needed[:, number]
    shares = world.shares_at(quote, needed)
    may &= np.isfinite(needed) & (shares > 0.0)
    done = hours_at(world, shares, world.setting.hours_per_month, np.zeros(len(may)))
    may &= ~done.is_late
    if not may.any():
        return None
    units = units_at(world, may, needed, instance_size(quote), done.hours.shape[1])
    return _placed(world, quote, verdicts.whole[:, number], (units, done, needed))


def _placed(world: World, quote: Quote, is_sure: Flags, used: tuple[Units, Hours, Numbers]) -> Place | None:
    units, done, needed = used
    owner = world.slices.owner[units.rows]
    is_gang = world.slices.is_gang
    units = _with_minimum(units, quote, is_gang[owner])
    months = _months(world, quote, done, is_sure)[owner] & (done.hours[owner] > 0.0)
    always = done.runs_on | is_gang | (bool(quote.min_days) and not is_committed(quote))
    open_months = _months(world, quote, done, is_sure)
    fits = np.all(open_months | (done.hours <= 0.0), axis=1)
    keep = np.where(always[owner], fits[owner], months.any(axis=1))
    if not keep.any():
        return None
    kept = np.flatnonzero(keep)
    units = Units(units.rows[kept], units.on[kept], units.working[kept], units.accelerators[kept])
    owner, months = owner[kept], months[kept]
    cost, spend = _running(world, quote, units, done, needed)
    fixed, fixed_spend = _fixed(world, quote, units, done)
    once, once_spend = _shortfall(world, quote, units, done)
    return Place(
        name=quote.id,
        kind=COMMITTED if is_committed(quote) else METERED,
        supplier=quote.provider or quote.id,
        rows=units.rows,
        accelerators=units.accelerators,
        cost=cost * world.factors[owner][:, None] * world.kept,
        spend=spend,
        months=months,
        is_whole=always[owner],
        fixed=fixed * world.factors,
        fixed_spend=fixed_spend,
        once=once * world.factors * world.kept,
        once_spend=once_spend,
        held_from=np.zeros(len(world.workloads), dtype=np.int64),
        least=0.0 if is_committed(quote) or least_instances(quote) < 2 else float(quote.min_accelerators or 0),
        needs_fabric=np.zeros(len(world.workloads), dtype=np.bool_),
    )


def _with_minimum(units: Units, quote: Quote, is_gang: Flags) -> Units:
    """Return the units with the quote's minimum for what stays whole; a pool of terms has its own minimum."""
    least = 0 if is_committed(quote) else least_instances(quote)
    if least < 2:
        return units
    size = instance_size(quote)
    few = is_gang & (units.accelerators < least * size)
    return Units(
        units.rows,
        np.where(few[:, None], np.maximum(units.on, float(least)), units.on),
        units.working,
        np.where(few, least * size, units.accelerators),
    )


def _months(world: World, quote: Quote, done: Hours, is_sure: Flags) -> Flags:
    """Return in which of its months each workload finds the quote there, shape (workloads, months)."""
    count = done.hours.shape[1]
    months = np.arange(count)
    grid = world.grid
    ready = max(first_day(quote, grid.as_of), grid.as_of)
    begin = grid.offset[:, None] + months >= grid.nearest(ready)
    ends = np.minimum(months[None, :] + 1.0, done.finish[:, None])
    starts = [workload.start for workload in world.workloads]
    left = np.full(len(starts), np.inf)
    if quote.available_to is not None:
        last = quote.available_to
        left = np.array([months_between(start, last) + months_from_days(1.0) for start in starts])
    is_held = ends <= left[:, None] + 1e-6
    if quote.max_days is not None and not is_committed(quote):
        is_held &= ends <= months_from_days(float(quote.max_days)) + 1e-6
    return np.asarray(is_sure[:, None] | (begin & is_held))


def first_day(quote: Quote, as_of: date) -> date:
    """Return the first day on which a quote signed on ``as_of`` can be used."""
    signed = date.fromordinal(as_of.toordinal() + int(quote.lead_time_days or 0))
    return signed if quote.earliest_start is None else max(signed, quote.earliest_start)


def _running(world: World, quote: Quote, units: Units, done: Hours, needed: Numbers) -> tuple[Numbers, Numbers]:
    """Return what hours used cost by slice and month at the workload's start, and what is spent."""
    owner = world.slices.owner[units.rows]
    count = done.hours.shape[1]
    hours = done.hours[owner]
    support = 1.0 + float(quote.support_fraction or 0.0)
    cost, spend = np.zeros(hours.shape), np.zeros(hours.shape)
    if not is_committed(quote):
        hourly = price_per_instance_hour(quote, world.setting.hours_per_month, term_length(quote))
        rate = world.setting.exchange.get(quote.currency or "")
        unit = float("nan") if hourly is None or rate is None else float(np.mean(hourly * rate)) * support
        cost += unit * hours * units.on * world.weights(count, "mid", "cloud")
        spend += unit * hours * units.on * world.growth(count, "cloud")
    full = hours * units.working / np.maximum(needed[owner], 1.0)[:, None]
    for line in running_lines(quote):
        entry = COMPONENT_BY_KEY[line.component]
        amount = float(line.amount or 0.0) * float(world.setting.exchange.get(line.currency) or np.nan)
        cost += amount * full * world.weights(count, entry.timing, entry.path)
        cost += amount * (support - 1.0) * full * world.weights(count, "mid", entry.path)
        spend += amount * support * full * world.growth(count, entry.path)
    return cost, spend


def running_lines(quote: Quote) -> tuple[CostLine, ...]:
    """Return the further lines that are priced by the running hour."""
    return tuple(line for line in quote.costs if line.basis == "per_running_hour" and line.amount is not None)


def _fixed(world: World, quote: Quote, units: Units, done: Hours) -> tuple[Numbers, Numbers]:
    """Return what being there costs each workload at its start whatever its hours: data, further lines, fees."""
    count = done.hours.shape[1]
    workloads = len(world.workloads)
    use = _bare_use(world, quote, units, done)
    if use is None:
        return np.zeros(workloads), np.zeros((workloads, count))
    ledger = Ledger(quote_cost_flows(use), world.setting.terms)
    tax = world.setting.assumptions.tax
    value = presents(ledger if tax is None else taxed(ledger, tax), workloads, count).sum(axis=1)
    spend = nominals(ledger, workloads, count)
    leave, paid = _leaving(world, quote, units, done)
    spend[:, -1] += paid
    is_there = np.isin(np.arange(workloads), world.slices.owner[units.rows])
    return np.where(is_there, value + leave, 0.0), np.where(is_there[:, None], spend, 0.0)


def _bare_use(world: World, quote: Quote, units: Units, done: Hours) -> QuoteUse | None:
    """Return the use of a quote without its hours; None where nothing else costs."""
    lines = tuple(line for line in quote.costs if line.basis != "per_running_hour" and line.amount is not None)
    storage = np.array([float(one.storage_gb or 0.0) for one in world.workloads])
    egress = np.array([float(one.egress_gb_per_month or 0.0) for one in world.workloads])
    stored = quote.storage_per_gb_month is not None and storage.any()
    sent = quote.egress_per_gb is not None and egress.any()
    fees = 0.0 if is_committed(quote) else float(quote.setup_fee) + float(quote.exit_fee) + float(quote.upfront)
    if not (lines or stored or sent or fees):
        return None
    bare = replace(
        quote, price=0.0, price_basis="per_accelerator_hour", upfront=0.0, exit_fee=0.0, costs=lines,
        setup_fee=0.0 if is_committed(quote) else quote.setup_fee, min_days=None, min_accelerators=None,
        purchase_model="on_demand", term_months=None,
    )  # fmt: skip
    idle = np.zeros(done.hours.shape)
    return QuoteUse(
        quote=bare,
        workload=world.workloads[0],
        work=Work(accelerators=1, hours=idle, finish=column(done.finish)),
        span=Span(0.0, 0.0, column(done.finish), world.setting.hours_per_month),
        exchange=world.setting.exchange,
        billed_accelerators=column(_billed(world, units)),  # type: ignore[arg-type] # one per workload
        storage_gb=column(storage) if stored else None,
        egress_gb_per_month=column(egress) if sent else None,
    )


def _billed(world: World, units: Units) -> Numbers:
    """Return the accelerators that each workload bills as a whole, shape (workloads,)."""
    owner = world.slices.owner[units.rows]
    return np.bincount(owner, weights=units.accelerators, minlength=len(world.workloads)).astype(np.float64)


def _leaving(world: World, quote: Quote, units: Units, done: Hours) -> tuple[Numbers, Numbers]:
    """Return upfront payments and exit fees of a metered quote, present at the start and nominal."""
    if is_committed(quote) or not (np.any(quote.exit_fee) or np.any(quote.upfront)):
        return np.zeros(len(world.workloads)), np.zeros(len(world.workloads))
    rate = float(world.setting.exchange.get(quote.currency or "") or np.nan)
    instances = _billed(world, units) / instance_size(quote)
    upfront = float(np.mean(upfront_per_instance(quote))) * rate * instances
    last = np.ceil(done.finish - 1e-9)
    fee = float(np.mean(quote.exit_fee)) * rate
    worth = (1.0 + world.grid.rate) ** (-last / 12.0)
    return (upfront + fee * worth) * world.kept, upfront + fee


def _shortfall(world: World, quote: Quote, units: Units, done: Hours) -> tuple[Numbers, Numbers]:
    """Return the hours that a metered quote's shortest time bills beyond those used, by workload."""
    none = np.zeros(len(world.workloads))
    if is_committed(quote) or not quote.min_days:
        return none, none
    least = float(quote.min_days) * HOURS_PER_DAY
    month = whole_months(months_from_days(float(quote.min_days))) - 1
    hourly = price_per_instance_hour(quote, world.setting.hours_per_month, term_length(quote))
    rate = float(world.setting.exchange.get(quote.currency or "") or np.nan)
    unit = float(np.mean(hourly or 0.0)) * rate * (1.0 + float(quote.support_fraction or 0.0))
    missing = np.maximum(least - done.hours.sum(axis=1), 0.0) * _billed(world, units) / instance_size(quote)
    spend = unit * missing * world.growth(month + 1, "cloud")[month]
    return spend * world.present(month + 1, "mid")[month], spend


def current_names(world: World) -> Mapping[str, str]:
    """Return how the place that a workload runs on today is called."""
    return {one.id: one.current.place for one in world.workloads if one.current is not None}
