"""Hybrid options: whole nodes owned as the base, the rest rented; every split is priced (semantics 19)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from procurement.engine.cloud_factors import Batch, billing_factors
from procurement.engine.cloud_ranking import billing_of, block_costs, quote_prices
from procurement.engine.costs.base import BuildUse, Span
from procurement.engine.costs.registry import build_cost_flows
from procurement.engine.equal_work import Asked, Part, asked_hours, work_at
from procurement.engine.ledger import Flow, Ledger
from procurement.engine.options_base import BuildPlan, CloudPlan, HybridPlan, Priced
from procurement.engine.options_cloud import cloud_plan, cloud_priced
from procurement.engine.options_on_prem import (
    build_priced,
    counted_lines,
    hardware_amount,
    resale_flows,
    smallest_tranches,
)
from procurement.engine.periods import Amount, Numbers, overlap, to_count
from procurement.engine.setting import Setting
from procurement.engine.tables import Build, Quote, Workload
from procurement.engine.work import Work

OVERHEAD = "second_place_overhead"
SPLITTABLE_SHAPES = ("replicas", "independent_jobs")


@dataclass(frozen=True, slots=True)
class Split:
    """The cheapest split, and what every number of owned accelerators would cost, without a second place's overhead."""

    plan: HybridPlan
    tried: tuple[tuple[int, float], ...]  # owned accelerators and cost; NaN where it cannot be priced [currency]


def can_split(workload: Workload) -> bool:
    """Return whether parts of the work may run at two places; one job stays together."""
    return workload.shape in SPLITTABLE_SHAPES and workload.training is None


def owned_sizes(plan: BuildPlan, node: int, *, largest: int) -> list[int]:
    """Return every number of whole nodes that may be owned, at least one and short of the whole need."""
    return list(range(node, min(plan.reserved, largest + 1), node))


def best_split(
    plan: BuildPlan, quote: Quote, workload: Workload, setting: Setting, sizes: Sequence[int]
) -> Split | None:
    """Return the split with the least cost over every K, or None where none can be priced.

    All K are priced at once from the rows of the full ledger in factored form, along an axis of K.
    """
    rented = cloud_plan(quote, workload, setting)
    if rented is None or not sizes:
        return None
    build = setting.builds[plan.build]
    plans = [owned_plan(plan, build, size) for size in sizes]
    known = [candidate for candidate in plans if candidate is not None]
    if not known:
        return None
    costs = owned_costs(known, workload, setting) + rented_costs(known, plan, rented, workload, setting)
    if np.all(np.isnan(costs)):
        return None
    best = known[int(np.nanargmin(costs))]
    rest = rented_plan(best, plan, rented, workload, setting)
    tried = tuple((candidate.reserved, float(cost)) for candidate, cost in zip(known, costs, strict=True))
    return Split(HybridPlan(best, rest, best.reserved), tried)


def owned_plan(plan: BuildPlan, build: Build, size: int) -> BuildPlan | None:
    """Return the plan of owning ``size`` accelerators of a build for the base."""
    tranches = smallest_tranches(build.tranches, size)
    if not tranches:
        return None
    return replace(
        plan,
        accelerators=size,
        reserved=size,
        bought=sum(tranche.planned_accelerators for tranche in tranches),
        tranches=tuple(tranche.id for tranche in tranches),
        whole_need=plan.accelerators,
    )


def base_part(plan: BuildPlan, asked: Asked) -> Asked:
    """Return what the owned base serves: the first accelerators of the demand."""
    return replace(asked, part=Part(0, plan.reserved, plan.whole_need or plan.accelerators))


def burst_part(owned: BuildPlan, rented: CloudPlan, asked: Asked) -> Asked:
    """Return what is rented: the accelerators above the owned base, in the quote's type."""
    whole = rented.accelerators
    first = min(round(owned.reserved * whole / max(owned.whole_need or 1, 1)), whole)
    return replace(asked, part=Part(first, whole, whole))


def rented_plan(
    owned: BuildPlan, plan: BuildPlan, rented: CloudPlan, workload: Workload, setting: Setting
) -> CloudPlan:
    """Return the plan of renting what the owned base does not serve."""
    part = burst_part(owned, rented, asked_hours(workload, setting.assumptions)).part
    assert part is not None  # noqa: S101 - set above
    return replace(rented, accelerators=part.last - part.first, whole_need=rented.accelerators, first=part.first)


def rented_costs(
    plans: Sequence[BuildPlan], plan: BuildPlan, rented: CloudPlan, workload: Workload, setting: Setting
) -> Numbers:
    """Return the cost of what each split rents, shape (splits,)."""
    asked = asked_hours(workload, setting.assumptions)
    quote = setting.quotes[rented.quote]
    parts = [burst_part(owned, rented, asked) for owned in plans]
    needs = np.array([float(part.part.last - part.part.first) for part in parts if part.part is not None])
    count = len(plans)
    batch = Batch(
        asked=tuple(parts),
        hours=np.broadcast_to(asked.hours, (count, asked.hours.shape[-1])).copy(),
        length=np.full(count, asked.window.length),
        deadline=np.full(count, np.inf),
        storage_gb=np.full(count, float(workload.storage_gb or 0.0)),
        egress_gb=np.full(count, float(workload.egress_gb_per_month or 0.0)),
        terms=setting.terms,
        uneven=tuple(range(count)) if asked.curves else (),
    )
    factors = billing_factors(batch, billing_of(quote, setting), needs, np.full(count, rented.share))
    return block_costs(factors, quote_prices([quote], setting), batch, quote, setting)


def owned_costs(plans: Sequence[BuildPlan], workload: Workload, setting: Setting) -> Numbers:
    """Return the cost of owning each base, shape (splits,): the rows of the ledger along an axis of splits."""
    build = setting.builds[plans[0].build]
    asked = asked_hours(workload, setting.assumptions)
    dates = setting.dates[build.id]
    usable = [dates.usable_months(workload, plan.accelerators) for plan in plans]
    ready = np.array([[np.nan if months is None else float(np.max(months))] for months in usable])
    known = np.where(np.isnan(ready), 0.0, ready)
    alone = replace(asked, curves=(), curve_of_month=None)
    full = work_at(alone, 1, setting.hours_per_month * build.availability, plans[0].share, known)
    work = Work(1, full.hours * _served(plans, asked, full.count), full.finish)
    span = Span(
        delivery=dates.delivery_months(workload.start),
        usable=known,
        end=np.maximum(full.finish, asked.window.length),
        hours_per_month=setting.hours_per_month,
    )

    def column(values: Sequence[float]) -> Numbers:
        return np.array(values, dtype=np.float64)[:, np.newaxis]

    charged = column([plan.bought if plan.is_whole else plan.reserved for plan in plans])
    use = BuildUse(
        build=build,
        lines=counted_lines(build, is_marginal=plans[0].is_marginal),
        charged_share=charged / plans[0].planned,
        charged_accelerators=charged,
        used_share=column([plan.reserved / plan.planned for plan in plans]),
        work=work,
        span=span,
        exchange=setting.exchange,
        hardware=hardware_amount(build, setting),
    )
    flows = (*build_cost_flows(use), *(resale_flows(use, build) if plans[0].is_marginal else ()))
    ledger = Ledger(flows, setting.terms)
    total = ledger.total_nominal() if setting.terms.rate is None else ledger.total_present()
    return np.where(np.isnan(ready[:, 0]), np.nan, np.broadcast_to(total, (len(plans),)))


def _served(plans: Sequence[BuildPlan], asked: Asked, count: int) -> Numbers:
    """Return the share of hours in which each owned base would be full, shape (splits, 1 or months)."""
    whole = plans[0].whole_need or plans[0].accelerators
    shares = replace(asked, part=None).shares_at(whole)
    if shares is None:
        return np.ones((len(plans), 1))
    sizes = np.array([plan.reserved for plan in plans])
    sums = np.concatenate([np.zeros((shares.shape[0], 1)), np.cumsum(shares, axis=1)], axis=1)
    served = sums[:, np.minimum(sizes, shares.shape[1])].T / sizes[:, np.newaxis]
    index = np.minimum(np.arange(count), served.shape[1] - 1)  # what runs on works as the last month did
    return np.asarray(served[:, index])


def hybrid_priced(plan: HybridPlan, workload: Workload, setting: Setting) -> Priced:
    """Return the ledger of a split: the owned base, what is rented, and the overhead of a second place."""
    asked = asked_hours(workload, setting.assumptions)
    owned = build_priced(plan.build, workload, setting, base_part(plan.build, asked))
    part = Part(plan.quote.first, plan.quote.first + plan.quote.accelerators, plan.quote.whole_need or 1)
    rented = cloud_priced(plan.quote, workload, setting, replace(asked, part=part))
    return merged(owned, rented, overhead_flows(workload, setting))


def merged(one: Priced, other: Priced, more: tuple[Flow, ...]) -> Priced:
    """Return two places together, with further rows."""
    useful = None
    if one.useful_hours is not None and other.useful_hours is not None:
        useful = _summed(one.useful_hours, other.useful_hours)
    return Priced(
        ledger=Ledger((*one.ledger.flows, *other.ledger.flows, *more), one.ledger.terms),
        accelerator_hours=_summed(one.accelerator_hours, other.accelerator_hours),
        hours=_longer(one.hours, other.hours),
        finish=np.maximum(one.finish, other.finish),
        useful_hours=useful,
    )


def _summed(one: Numbers, other: Numbers) -> Numbers:
    count = max(one.shape[-1], other.shape[-1])
    return np.asarray(to_count(one, count) + to_count(other, count))


def _longer(one: Numbers, other: Numbers) -> Numbers:
    count = max(one.shape[-1], other.shape[-1])
    return np.maximum(to_count(one, count), to_count(other, count))


def overhead_flows(workload: Workload, setting: Setting, end: Amount | None = None) -> tuple[Flow, ...]:
    """Return what a second place costs each month of the window, where that is stated."""
    cost = workload.second_place_overhead_per_month
    if cost is None:
        return ()
    window = asked_hours(workload, setting.assumptions).window
    months = overlap(0.0, window.length if end is None else np.minimum(end, window.length), window.count)
    return (Flow(OVERHEAD, cost, months, source="second_place_overhead_per_month"),)
