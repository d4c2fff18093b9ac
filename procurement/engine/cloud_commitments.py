"""What stays owed for quotes if a workload ended after month 1, in factored form: the sums that settle a tie."""

from dataclasses import replace

import numpy as np

from procurement.engine.cloud_factors import Batch, Billing, Factors, dues_of, shortfall
from procurement.engine.cloud_ranking import Market, billing_of, has_tail, priced
from procurement.engine.pairs import Indices
from procurement.engine.periods import Numbers, months_from_days, whole_months

CENTS_APART = 1e-9  # relative: a cost that is less than this below that of all terms is no other plan


def owed_sums(market: Market, costs: Numbers, rows: Indices, columns: Indices) -> Numbers:
    """Return the nominal commitment of some pairs [currency]; NaN where a quote has further priced lines.

    Parameters
    ----------
    market
        Workloads and quotes.
    costs
        Present cost of each pair, shape (pairs,), which tells whether its last term is left to a tail.
    rows, columns
        Workload and quote of each pair, shape (pairs,).
    """
    owed = np.full(rows.size, np.nan)
    group_of = np.empty(len(market.offered.quotes), dtype=np.intp)
    for number, members in enumerate(market.groups):
        group_of[members] = number
    has_lines = np.array([bool(quote.costs) for quote in market.offered.quotes], dtype=np.bool_)
    nominal = replace(market.batch, terms=replace(market.batch.terms, rate=None), known={})
    groups = group_of[columns]
    for number in np.unique(groups):
        picked = np.flatnonzero((groups == number) & ~has_lines[columns])
        if picked.size:
            owed[picked] = _owed(market, nominal, costs[picked], (rows[picked], columns[picked]))
    return owed


def _owed(market: Market, nominal: Batch, costs: Numbers, pairs: tuple[Indices, Indices]) -> Numbers:
    """Return the commitment of pairs of one group."""
    rows, columns = pairs
    member = int(columns[0])
    billing = billing_of(market.offered.quotes[member], market.offered.setting)
    prices = market.offered.prices.at(columns)
    factors = market.factors(member)
    owed = _after_month_one(nominal, billing, factors, dropped=0)
    if has_tail(market, member, factors):
        fewer = _after_month_one(nominal, billing, factors, dropped=1)
        whole = priced(factors.at(rows), prices)
        is_fewer = costs < whole * (1.0 - CENTS_APART)
        hourly, recurring, upfront = np.where(is_fewer, fewer[:, rows], owed[:, rows])
    else:
        hourly, recurring, upfront = owed[:, rows]
    once = prices.setup + prices.exit + prices.upfront * upfront
    return np.asarray(prices.hourly * (hourly + recurring * (1.0 + prices.support)) + once)


def _after_month_one(nominal: Batch, billing: Billing, factors: Factors, *, dropped: int) -> Numbers:
    """Return what is owed per unit of hourly price once and by recurring rows after month 1, and of upfront price.

    Shape (3, workloads).
    """
    units = factors.billed_accelerators / billing.size
    nothing = np.zeros(nominal.count)
    if not billing.is_committed:
        month = whole_months(months_from_days(billing.least_days)) - 1
        due = shortfall(nominal, billing, units, factors.activity) if month > 0 else nothing
        return np.array([nothing, due + nothing, units])
    dues = dues_of(nominal, billing, factors.activity, dropped=dropped)
    if billing.is_prepaid:
        return np.array([units * dues.hourly, nothing, units * dues.upfront])
    first = billing.hours_per_month * np.minimum(dues.contract, 1.0)
    return np.array([nothing, units * (dues.hourly - first), units * dues.upfront])
