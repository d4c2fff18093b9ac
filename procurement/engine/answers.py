"""Options as the answer document shows them: money as text rounded once, dates in ISO form, missing figures null."""

from typing import Any

import numpy as np

from procurement.engine.breakeven import BreakEven
from procurement.engine.demand import demand_hours
from procurement.engine.figures import cost_per_hour, total_costs
from procurement.engine.money import money_text, rate_text
from procurement.engine.options_base import Option, Priced
from procurement.engine.periods import Numbers, whole_years, window_of
from procurement.engine.setting import Setting
from procurement.engine.tables import Workload
from procurement.engine.units import SECONDS_PER_HOUR, TOKENS_PER_MILLION

NO_RATE = "missing:discount_rate"


def option_answer(option: Option, setting: Setting, even: BreakEven | None, even_reason: str | None) -> dict[str, Any]:
    """Return one option as in the answer document."""
    head: dict[str, Any] = {
        "option": option.name,
        "feasible": option.is_feasible,
        "places": list(option.places),
        "reasons": list(option.reasons),
        "conditions": list(option.conditions),
        "notes": list(option.notes),
    }
    tail: dict[str, Any] = {
        "rate_basis": option.rate_basis,
        "charge_basis": option.charge_basis,
        "other_charge": other_figure(option.other_charge),
        "other_reading": other_figure(option.other_reading),
        "incomplete_cost": list(option.incomplete_cost),
        "is_partial": bool(option.incomplete_cost),
        "not_modelled": list(option.not_modelled),
        "assumed": list(option.assumed),
        "unproven": list(option.unproven),
        "ranks": option.ranks,
    }
    breakeven = even.answer() if even is not None else no_break_even(even_reason)
    return {**head, **figures_answer(option, setting), "breakeven": breakeven, **tail}


def no_break_even(why: str | None) -> dict[str, Any]:
    """Return break-evens that do not exist, with the reason."""
    empty = {"hours": None, "months": None, "utilisation": None}
    return {"against": None, **empty, "discounted": {**empty, "reason": why}, "reason": why}


def figures_answer(option: Option, setting: Setting) -> dict[str, Any]:
    """Return the money of an option; nulls with a reason where it cannot be computed."""
    priced = option.priced
    if priced is None:
        return {
            "npv": None, "npv_reason": "not_priced", "nominal_cost": None, "capital": None, "operating": None,
            "components": {}, "components_npv": None, "by_month": [], "cost_per_accelerator_hour": None,
            "cost_per_useful_accelerator_hour": None, "cost_per_unit": None, "unit": None,
        }  # fmt: skip
    totals = total_costs(priced.ledger)
    unit, per_unit = cost_per_unit(option, priced, setting)
    return {
        "npv": money_text(totals.npv),
        "npv_reason": NO_RATE if totals.npv is None else None,
        "nominal_cost": money_text(totals.nominal_cost),
        "capital": money_text(totals.capital),
        "operating": money_text(totals.operating),
        "components": {name: money_text(amount) for name, amount in totals.components.items()},
        "components_npv": None
        if totals.components_npv is None
        else {name: money_text(amount) for name, amount in totals.components_npv.items()},
        "by_month": [{"month": month, "amount": money_text(amount)} for month, amount in enumerate(totals.by_month)],
        "cost_per_accelerator_hour": rate_text(cost_per_hour(priced, priced.accelerator_hours)),
        "cost_per_useful_accelerator_hour": None
        if priced.useful_hours is None
        else rate_text(cost_per_hour(priced, priced.useful_hours)),
        "cost_per_unit": rate_text(per_unit),
        "unit": unit,
    }


def cost_per_unit(option: Option, priced: Priced, setting: Setting) -> tuple[str | None, float | None]:
    """Return the unit of work that the workload states, a million tokens, and what one costs."""
    workload = option.workload
    demand, inference = workload.demand, workload.inference
    if demand is not None and demand.tokens_per_second is not None:
        window = window_of(workload, setting.assumptions)
        growth = (1.0 + workload.growth_per_year) ** whole_years(window.count)
        each = demand.tokens_per_second * SECONDS_PER_HOUR / TOKENS_PER_MILLION
        hours = window.weights * growth * setting.hours_per_month * served_share(workload, setting)
        return "million_tokens", cost_per_hour(priced, hours * each)
    if inference is not None and inference.tokens_per_second_per_accelerator is not None:
        each = inference.tokens_per_second_per_accelerator * SECONDS_PER_HOUR / TOKENS_PER_MILLION
        return "million_tokens", cost_per_hour(priced, priced.accelerator_hours * each)
    training = workload.training
    if training is not None and training.total_tokens is not None:
        if priced.ledger.terms.rate is None:
            return "million_tokens", None
        return "million_tokens", float(priced.ledger.total_present()) / (training.total_tokens / TOKENS_PER_MILLION)
    return None, None


def served_share(workload: Workload, setting: Setting) -> Numbers:
    """Return the share of the demand that the accelerators asked for can serve, by month; the rest costs nothing."""
    plan = demand_hours(workload, setting.assumptions)
    served, unserved = (part[:, 0] for part in plan.split(np.array([float(workload.accelerators)])))
    asked = served + unserved
    return np.divide(served, asked, out=np.ones_like(asked), where=asked > 0.0)


def other_figure(priced: Priced | None) -> str | None:
    """Return the present cost of another reading of the same option, nominal without a discount rate."""
    if priced is None:
        return None
    totals = total_costs(priced.ledger)
    return money_text(totals.nominal_cost if totals.npv is None else totals.npv)
