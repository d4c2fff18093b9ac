"""Lease against buy: the rent at which leasing a build's hardware costs as much as buying it (METHOD.md, Finance)."""

from dataclasses import replace
from typing import Any

import numpy as np

from procurement.engine.finance import after_tax, lease_factor, monthly_rate
from procurement.engine.income_tax import taxed
from procurement.engine.money import money_text, rounded
from procurement.engine.options_base import BuildPlan, Option
from procurement.engine.options_on_prem import build_priced
from procurement.engine.periods import MONTHS_PER_YEAR
from procurement.engine.setting import Setting
from procurement.engine.tables import Workload

LEASED = ("hardware",)  # what a lease of the accelerators replaces
SERVICED = ("hardware", "maintenance")  # and with the service that a full lease includes


def lease_answer(option: Option, setting: Setting) -> dict[str, Any] | None:
    """Return what a lease may cost at most; None where an option buys no hardware or no rate says what debt costs.

    Lease and purchase are flows as sure as debt: both are discounted at the rate of borrowing, after tax where tax is
    paid. A rent is due at the begin of each month, its tax is saved at the month's end; the lease runs as long as the
    hardware is held and leaves nothing behind.
    """
    plan, assumptions = option.plan, setting.assumptions
    rate = assumptions.discount_rate if assumptions.borrowing_rate is None else assumptions.borrowing_rate
    if not isinstance(plan, BuildPlan) or plan.is_marginal or rate is None or option.priced is None:
        return None
    build = setting.builds[plan.build]
    hardware = [line for line in build.costs if line.component == "hardware" and line.basis == "once"]
    if build.committed or not any(line.status == "planned" and line.amount is not None for line in hardware):
        return None  # nothing is left to decide, or it is leased already
    tax_rate = 0.0 if assumptions.tax is None else assumptions.tax.rate
    debt = after_tax(float(np.mean(rate)), tax_rate)
    costs = [present_cost_of(parts, plan, option.workload, setting, debt) for parts in (LEASED, SERVICED)]
    months = option.priced.ledger.count
    per_month = [cost / lease_factor(monthly_rate(debt), months, tax_rate) for cost in costs]
    years = months // MONTHS_PER_YEAR
    is_whole = years * MONTHS_PER_YEAR == months
    per_year = [cost / lease_factor(debt, years, tax_rate) if is_whole else None for cost in costs]

    def money(amount: float | None) -> str | None:
        return None if amount is None else money_text(rounded(amount, assumptions.currency))

    return {
        "rate": round(debt, 10),
        "months": months,
        "hardware": {"buy": money(costs[0]), "per_month": money(per_month[0]), "per_year": money(per_year[0])},
        "with_maintenance": {"buy": money(costs[1]), "per_month": money(per_month[1]), "per_year": money(per_year[1])},
    }


def present_cost_of(
    components: tuple[str, ...], plan: BuildPlan, workload: Workload, setting: Setting, rate: float
) -> float:
    """Return the present cost of some of a build's lines, their residual value included, at another rate."""
    build = setting.builds[plan.build]
    kept = replace(build, costs=tuple(line for line in build.costs if line.component in components))
    there = replace(setting, builds={**setting.builds, build.id: kept}, terms=replace(setting.terms, rate=rate))
    ledger = build_priced(plan, workload, replace(there, bridge_quotes={})).ledger
    tax = setting.assumptions.tax
    return float(np.mean((ledger if tax is None else taxed(ledger, tax)).total_present()))
