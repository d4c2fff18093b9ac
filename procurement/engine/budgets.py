"""Rules of the organisation that one workload alone can break, and those that only all together can.

A budget that one option alone exceeds bars it. Whether all workloads together keep to a budget, and the share of a
supplier, is decided by the portfolio.
"""

import numpy as np

from procurement.engine.options_base import Priced
from procurement.engine.periods import MONTHS_PER_YEAR, Numbers
from procurement.engine.tables import Policy

BUDGET_REASONS = ("budget_exceeded", "yearly_budget_exceeded")


def budget_reasons(policy: Policy, priced: Priced) -> tuple[str, ...]:
    """Return ``budget_exceeded`` and ``yearly_budget_exceeded`` where an option alone needs more than there is."""
    capital, yearly = policy.capital_budget, policy.yearly_budget
    is_over = capital is not None and capital_needed(priced) > capital
    is_over_in_a_year = yearly is not None and float(spend_by_year(priced).max(initial=0.0)) > yearly
    return (("budget_exceeded",) if is_over else ()) + (("yearly_budget_exceeded",) if is_over_in_a_year else ())


def capital_needed(priced: Priced) -> float:
    """Return the capital an option pays, without credits for what is left [currency]."""
    ledger = priced.ledger
    paid = (float(np.maximum(ledger.amounts(flow), 0.0).sum()) for flow in ledger.flows if flow.is_capital)
    return float(sum(paid))


def spend_by_year(priced: Priced) -> Numbers:
    """Return all payments of each twelve months from the start, without credits, shape (years,) [currency]."""
    ledger = priced.ledger
    months = np.zeros(-(-ledger.count // MONTHS_PER_YEAR) * MONTHS_PER_YEAR)
    for flow in ledger.flows:
        months[: flow.count] += np.maximum(ledger.amounts(flow), 0.0)
    return np.asarray(months.reshape(-1, MONTHS_PER_YEAR).sum(axis=1))


def shared_rules(policy: Policy, workloads: int) -> list[str]:
    """Return the rules of which an answer to one workload can say nothing: they bind all workloads together."""
    rules = [] if policy.max_share_per_supplier is None else ["max_share_per_supplier"]
    if workloads > 1:
        rules += [name for name in ("capital_budget", "yearly_budget") if getattr(policy, name) is not None]
    return rules
