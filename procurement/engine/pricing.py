"""One door to the ledger of any plan: its rows, what leaving today's place costs, and income tax where it is on."""

from dataclasses import replace

from procurement.engine.income_tax import taxed
from procurement.engine.options_base import (
    BridgePlan,
    BuildPlan,
    CloudPlan,
    CurrentPlan,
    HybridPlan,
    Plan,
    Priced,
)
from procurement.engine.options_cloud import cloud_priced
from procurement.engine.options_hybrid import hybrid_priced
from procurement.engine.options_on_prem import build_priced
from procurement.engine.options_other import bridge_priced, current_priced, switching_flows, wait_priced
from procurement.engine.setting import Setting
from procurement.engine.tables import Workload


def plan_priced(plan: Plan, workload: Workload, setting: Setting) -> Priced:
    """Return the ledger and the hours of a plan under one reading of the scenario."""
    priced = _rows(plan, workload, setting)
    if not isinstance(plan, CurrentPlan):
        priced = priced.with_flows(switching_flows(workload, places_of(plan)))
    tax = setting.assumptions.tax
    return priced if tax is None else replace(priced, ledger=taxed(priced.ledger, tax))


def _rows(plan: Plan, workload: Workload, setting: Setting) -> Priced:
    if isinstance(plan, CloudPlan):
        return cloud_priced(plan, workload, setting)
    if isinstance(plan, HybridPlan):
        return hybrid_priced(plan, workload, setting)
    if isinstance(plan, BridgePlan):
        return bridge_priced(plan, workload, setting)
    if isinstance(plan, CurrentPlan):
        return current_priced(plan, workload, setting)
    return wait_priced(plan, workload, setting) if plan.is_waiting else build_priced(plan, workload, setting)


def places_of(plan: Plan) -> tuple[str, ...]:
    """Return the quotes and builds that a plan uses."""
    if isinstance(plan, CloudPlan):
        return (plan.quote,)
    if isinstance(plan, BuildPlan):
        return (plan.build,)
    if isinstance(plan, HybridPlan | BridgePlan):
        return (plan.build.build, plan.quote.quote)
    return (plan.place,)


def places_with_tail(plan: Plan) -> tuple[str, ...]:
    """Return the places of a plan, the quote that serves a tail included."""
    quote = plan if not isinstance(plan, HybridPlan | BridgePlan) else plan.quote
    tail = getattr(quote, "tail", None)
    return (*places_of(plan), *((tail,) if tail else ()))
