"""Which hybrids, bridges and waits a workload may have, and what it runs on today (semantics 19)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np

from procurement.engine.budgets import budget_reasons
from procurement.engine.dates import days_at, reached_by, renewals
from procurement.engine.equal_work import asked_hours, before
from procurement.engine.obstacles import BuildFacts, build_reasons, date_reasons
from procurement.engine.options import (
    Case,
    CloudRow,
    cloud_option,
    is_equal_life,
    lateness,
    need_reasons,
    offer_conditions,
    offer_reasons,
)
from procurement.engine.options_base import BridgePlan, BuildPlan, CurrentPlan, HybridPlan, Option, reason
from procurement.engine.options_cloud import cloud_incomplete, cloud_not_modelled, cloud_plan, price_reasons
from procurement.engine.options_hybrid import base_part, best_split, can_split, owned_sizes
from procurement.engine.options_on_prem import (
    build_plan,
    build_price_reasons,
    build_priced,
    need_plan,
    on_prem_incomplete,
)
from procurement.engine.periods import day_at, months_between
from procurement.engine.pricing import plan_priced
from procurement.engine.tables import Quote, Workload

TRIED = 3  # cheapest quotes beside an own build
BRIDGE_MARK = "->"


def hybrid_options(case: Case, workload: Workload, facts: BuildFacts, row: CloudRow) -> list[Option]:
    """Return the best split of a workload between one own build and each of the cheapest quotes."""
    setting, build = case.setting, facts.build
    plan = need_plan(build, workload)
    is_barred = build_reasons(facts, workload) or build_price_reasons(build, setting) or need_reasons(case, workload)
    if plan is None or is_barred or not can_split(workload):
        return []
    sizes = ready_sizes(case, workload, facts, plan)
    found = []
    for index in row.ranked()[:TRIED]:
        quote = setting.scenario.quotes[index]
        best = best_split(plan, quote, workload, setting, sizes)
        if best is not None:
            found.append(replace(_hybrid(case, workload, facts, quote, best.plan), tried=best.tried))
    return found


def ready_sizes(case: Case, workload: Workload, facts: BuildFacts, plan: BuildPlan) -> list[int]:
    """Return the numbers of whole nodes that are there by the need at the risk quantile."""
    quantile = case.setting.assumptions.risk_quantile
    node = facts.build.accelerators_per_node or 1
    sizes = owned_sizes(plan, node, largest=plan.planned)
    return [size for size in sizes if not date_reasons(facts, workload, size, case.as_of, quantile)]


def _hybrid(case: Case, workload: Workload, facts: BuildFacts, quote: Quote, plan: HybridPlan) -> Option:
    setting, build = case.setting, facts.build
    priced = plan_priced(plan, workload, setting)
    offer = case.offers.offer(workload.id, quote.id)
    base = base_part(plan.build, asked_hours(workload, setting.assumptions))
    owned = build_priced(plan.build, workload, setting, base)
    total = float(priced.accelerator_hours.sum())
    share = float(owned.accelerator_hours.sum()) / total if total else 0.0
    return Option(
        f"hybrid:{build.id}+{quote.id}", "hybrid", workload, (build.id, quote.id), plan, priced,
        reasons=(*lateness(workload, setting, priced), *budget_reasons(case.policy, priced)),
        conditions=(*renewals(facts.forecast, build, workload, plan.owned), *offer_conditions(offer)),
        notes=offer.notes,
        rate_basis="marginal" if plan.build.is_marginal else "loaded",
        charge_basis="whole" if plan.build.is_whole else "share",
        incomplete_cost=merged_names(on_prem_incomplete(build), cloud_incomplete(quote)),
        not_modelled=cloud_not_modelled(quote, workload),
        unproven=offer.unproven, assumed=offer.assumed, sign_by=offer.sign_by,
        split={build.id: share, quote.id: 1.0 - share},
        explained=(reason("owned_base", accelerators=plan.owned, share=share, rented=plan.quote.accelerators),),
    )  # fmt: skip


def merged_names(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return names of both, each once."""
    return tuple(dict.fromkeys((*one, *other)))


def late_plan(case: Case, workload: Workload, facts: BuildFacts) -> BuildPlan | None:
    """Return the plan of a build whose only obstacle is its date: it may be bridged to or waited for."""
    setting, build = case.setting, facts.build
    plan = build_plan(build, workload)
    if plan is None or not plan.share > 0.0:
        return None
    barred = (*build_reasons(facts, workload), *build_price_reasons(build, setting), *need_reasons(case, workload))
    late = date_reasons(facts, workload, plan.accelerators, case.as_of, setting.assumptions.risk_quantile)
    has_base_date = setting.dates[build.id].usable_months(workload, plan.accelerators) is not None
    return plan if late == ("not_ready_by_need",) and not barred and has_base_date else None


def bridge_workload(case: Case, workload: Workload, facts: BuildFacts, plan: BuildPlan) -> Workload | None:
    """Return the workload cut at the day the build is usable at the risk quantile: what a bridge quote must hold.

    None where that day is not after the start or not known.
    """
    quantile = case.setting.assumptions.risk_quantile
    days = days_at(reached_by(facts.forecast, facts.build, workload, plan.accelerators), quantile)
    if days is None:
        return None
    months = months_between(workload.start, case.as_of + timedelta(days=max(days, 0.0)))
    if months <= 0.0:
        return None
    return replace(workload, id=bridge_name(workload.id, facts.build.id), months=months, days=None, end=None)


def bridge_name(workload: str, build: str) -> str:
    """Return the name under which a workload's bridge to a build is judged."""
    return f"{workload}{BRIDGE_MARK}{build}"


def bridge_options(case: Case, workload: Workload, facts: BuildFacts, row: CloudRow) -> list[Option]:
    """Return renting at the cheapest quotes that hold until the build is usable, then owning."""
    plan = late_plan(case, workload, facts)
    if plan is None:
        return []
    quotes = case.setting.scenario.quotes
    found = [_bridge(case, workload, facts, quotes[index], plan) for index in row.ranked()[:TRIED]]
    return [option for option in found if option is not None]


def _bridge(case: Case, workload: Workload, facts: BuildFacts, quote: Quote, plan: BuildPlan) -> Option | None:
    setting, build = case.setting, facts.build
    usable = setting.dates[build.id].usable_months(workload, plan.accelerators)
    if usable is None:
        return None
    asked = before(asked_hours(workload, setting.assumptions), usable)
    until = replace(asked, window=replace(asked.window, length=min(float(np.max(usable)), asked.window.length)))
    rented = cloud_plan(quote, workload, setting, until)
    if rented is None:
        return None
    rented = replace(rented, is_bridge=True)
    bridge = BridgePlan(rented, replace(plan, is_equal_life=is_equal_life(case)))
    priced = plan_priced(bridge, workload, setting)
    name = bridge_name(workload.id, build.id)
    offer = case.offers.offer(name, quote.id)
    share = min(float(np.max(usable)) / asked.window.length, 1.0)
    ready_on = day_at(workload.start, float(np.max(usable)))
    other = BridgePlan(rented, replace(plan, is_equal_life=not is_equal_life(case)))
    return Option(
        f"bridge:{quote.id}->{build.id}", "bridge", workload, (quote.id, build.id), bridge, priced,
        reasons=(
            *offer_reasons(offer), *price_reasons(quote, setting),
            *lateness(workload, setting, priced), *budget_reasons(case.policy, priced),
        ),
        conditions=(*renewals(facts.forecast, build, workload, plan.accelerators), *offer_conditions(offer)),
        notes=offer.notes,
        rate_basis="marginal" if plan.is_marginal else "loaded",
        charge_basis="whole" if plan.is_whole else "share",
        other_reading=plan_priced(other, workload, setting),
        incomplete_cost=merged_names(on_prem_incomplete(build), cloud_incomplete(quote)),
        not_modelled=cloud_not_modelled(quote, workload),
        unproven=offer.unproven, assumed=offer.assumed, sign_by=offer.sign_by,
        split={quote.id: share, build.id: 1.0 - share},
        explained=(reason("bridged_until", on=ready_on.isoformat(), build=build.id),),
    )  # fmt: skip


def wait_options(case: Case, workload: Workload, facts: BuildFacts) -> list[Option]:
    """Return waiting for a build that is late, where the deadline allows it; not ranked without a value of the work."""
    policy = workload.deadline_policy or ("hard" if workload.need_by or workload.end else "soft")
    plan = late_plan(case, workload, facts)
    if plan is None or policy == "hard":
        return []
    setting, build = case.setting, facts.build
    waiting = replace(plan, is_waiting=True)
    priced = plan_priced(waiting, workload, setting)
    usable = setting.dates[build.id].usable_months(workload, plan.accelerators)
    ready_on = day_at(workload.start, float(np.max(0.0 if usable is None else usable)))
    has_value = workload.value_per_accelerator_hour is not None
    return [
        Option(
            f"wait:on_prem:{build.id}", "wait", workload, (build.id,), waiting, priced,
            reasons=budget_reasons(case.policy, priced),
            conditions=renewals(facts.forecast, build, workload, plan.accelerators),
            rate_basis="marginal" if plan.is_marginal else "loaded",
            charge_basis="whole" if plan.is_whole else "share",
            incomplete_cost=on_prem_incomplete(build),
            not_modelled=() if has_value else ("foregone_value",),
            explained=(reason("waited_until", on=ready_on.isoformat(), build=build.id),),
            ranks=has_value,
        )
    ]  # fmt: skip


def current_options(case: Case, workload: Workload) -> list[Option]:
    """Return what the workload runs on today, the do-nothing twin of every figure."""
    current = workload.current
    if current is None:
        return []
    quote = case.setting.quotes.get(current.place)
    if current.cost_per_month is None and quote is not None:
        priced_there = cloud_option(case, workload, quote)
        return [replace(priced_there, name="current", kind="current", reasons=(), conditions=())]
    if current.cost_per_month is None:
        return [Option("current", "current", workload, (current.place,), reasons=("missing:cost_per_month",))]
    plan = CurrentPlan(current.place)
    priced = plan_priced(plan, workload, case.setting)
    return [Option("current", "current", workload, (current.place,), plan, priced)]
