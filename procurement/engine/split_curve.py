"""A hybrid on its load-duration curve: which slice of the demand is owned, which is rented, and why (METHOD.md)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from procurement.engine.breakeven import at_utilisation
from procurement.engine.equal_work import Asked, asked_hours
from procurement.engine.ledger import Ledger
from procurement.engine.money import finite_money_text
from procurement.engine.options_base import BuildPlan, CloudPlan, HybridPlan, Option
from procurement.engine.options_cloud import cloud_priced
from procurement.engine.options_on_prem import build_priced
from procurement.engine.ownership import PriceLine, critical_share, mix_of_slices
from procurement.engine.periods import Numbers, present_factors, timing_of
from procurement.engine.setting import Setting
from procurement.engine.tables import Workload
from procurement.engine.units import is_committed

MOST_SLICES = 120  # of a drawn curve; more are joined, equal in width
DIGITS = 6
IDLE_AND_BUSY = np.array([[0.0], [1.0]])  # shares of all hours


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """The demand in slices of whole nodes: the first accelerators work most hours."""

    edges: Numbers  # accelerators, shape (slices + 1,)
    use: Numbers  # share of the hours a slice works, shape (slices,) [fraction]

    @property
    def width(self) -> Numbers:
        """Accelerators of each slice."""
        return np.diff(self.edges)


def slices_of(asked: Asked, accelerators: int, unit: int) -> Slices:
    """Return the demand in slices, the months weighed by their hours."""
    shares = asked.shares_at(accelerators)
    if shares is None:
        by_unit = np.ones(accelerators)
    else:
        hours = asked.hours if shares.shape[0] > 1 else asked.hours[..., :1]
        by_unit = np.average(shares, axis=0, weights=np.maximum(hours, 0.0) if hours.sum() else None)
    step = unit * max(1, int(np.ceil(accelerators / unit / MOST_SLICES)))
    edges = np.append(np.arange(0.0, accelerators, step), float(accelerators))
    sums = np.concatenate([[0.0], np.cumsum(by_unit)])
    reached = np.minimum(edges.astype(int), by_unit.size)
    return Slices(edges, np.diff(sums[reached]) / np.diff(edges))


def owned_line(plan: BuildPlan, workload: Workload, setting: Setting) -> PriceLine:
    """Return what an owned accelerator costs for an hour: fixed, and more for an hour of use."""
    alone = replace(plan, whole_need=None)
    idle, busy = idle_and_busy(build_priced(alone, at_utilisation(workload, IDLE_AND_BUSY), setting).ledger)
    hours = plan.reserved * present_hours(workload, setting)
    return PriceLine(plan.build, idle / hours, (busy - idle) / hours)


def rented_line(plan: CloudPlan, workload: Workload, setting: Setting) -> PriceLine:
    """Return what a rented accelerator costs for an hour: a commitment in every hour, else in hours of use."""
    whole = replace(plan, first=0, whole_need=None, accelerators=plan.whole_need or plan.accelerators)
    _, busy = idle_and_busy(cloud_priced(whole, at_utilisation(workload, IDLE_AND_BUSY), setting).ledger)
    each = busy / (whole.accelerators * present_hours(workload, setting))
    if is_committed(setting.quotes[plan.quote]):
        return PriceLine(plan.quote, each, 0.0)
    return PriceLine(plan.quote, 0.0, each)


def idle_and_busy(ledger: Ledger) -> tuple[float, float]:
    """Return the cost of never working and of always working, present where there is a discount rate."""
    total = ledger.total_nominal() if ledger.terms.rate is None else ledger.total_present()
    idle, busy = np.broadcast_to(np.asarray(total), (2,))
    return float(idle), float(busy)


def present_hours(workload: Workload, setting: Setting) -> float:
    """Return the hours of the window, discounted as metered rows are."""
    window = asked_hours(workload, setting.assumptions).window
    hours = window.weights * setting.hours_per_month
    if setting.terms.rate is None:
        return float(hours.sum())
    timing = timing_of("mid", is_recurring=True, switch=setting.terms.switch)
    return float(np.sum(hours * present_factors(setting.terms.rate, window.count, timing)))


def split_answer(option: Option, others: Sequence[CloudPlan], setting: Setting) -> dict[str, Any] | None:
    """Return a hybrid on its load-duration curve; None for any other option.

    Parameters
    ----------
    option
        The hybrid.
    others
        Further quotes at which slices could be rented: the cheapest commitment and the cheapest metered one.
    setting
        How money is valued.
    """
    plan, workload = option.plan, option.workload
    if not isinstance(plan, HybridPlan):
        return None
    asked = asked_hours(workload, setting.assumptions)
    whole = plan.build.whole_need or plan.build.accelerators
    node = setting.builds[plan.build.build].accelerators_per_node or 1
    slices = slices_of(asked, whole, node)
    own, rent = owned_line(plan.build, workload, setting), rented_line(plan.quote, workload, setting)
    share = critical_share(own.fixed - rent.fixed, own.variable, rent.variable)
    lines = [own, *(rented_line(other, workload, setting) for other in others)]
    return {
        "accelerators": whole,
        "node": node,
        "owned": plan.owned,
        "slices": [
            {"from": float(first), "to": float(last), "share": round(float(use), DIGITS)}
            for first, last, use in zip(slices.edges[:-1], slices.edges[1:], slices.use, strict=True)
        ],
        "prices": [_price(line) for line in (own, rent)],
        "critical_share": None if share is None else round(share, DIGITS),
        "critical_fractile": None if share is None or not 0.0 <= share <= 1.0 else round(1.0 - share, DIGITS),
        "costs": [_cost(owned, cost, setting) for owned, cost in option.tried],
        "three_prices": None if len(lines) < 3 else _mix(lines, slices, {own.name, rent.name}),
    }


def _price(line: PriceLine) -> dict[str, Any]:
    return {"place": line.name, "fixed": round(line.fixed, DIGITS), "variable": round(line.variable, DIGITS)}


def _cost(owned: int, cost: float, setting: Setting) -> dict[str, Any]:
    return {"owned": owned, "npv": finite_money_text(cost, setting.assumptions.currency)}


def _mix(lines: Sequence[PriceLine], slices: Slices, known: Collection[str]) -> dict[str, Any] | None:
    """Return how many accelerators each of three prices serves; None where only the ``known`` ones of the hybrid do."""
    mix = mix_of_slices(lines, slices.use, slices.width)
    if not any(amount for name, amount in mix.accelerators.items() if name not in known):
        return None
    return {
        "prices": [_price(line) for line in lines],
        "accelerators": {name: round(amount, DIGITS) for name, amount in mix.accelerators.items()},
        "cost_per_hour": round(mix.cost_per_hour, DIGITS),
    }
