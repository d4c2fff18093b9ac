"""Commitments of a portfolio: which terms can begin when, what they cost and which months they cover."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from procurement.engine.costs.base import QuoteUse, Span
from procurement.engine.costs.registry import quote_cost_flows
from procurement.engine.income_tax import taxed
from procurement.engine.ledger import Ledger
from procurement.engine.periods import Numbers, day_at, months_between, months_from_days, overlap
from procurement.engine.portfolio_demand import Grid, Indices
from procurement.engine.portfolio_places import Place, World, nominals, presents
from procurement.engine.portfolio_quotes import first_day
from procurement.engine.quote_terms import quote_expiry
from procurement.engine.tables import Quote
from procurement.engine.units import instance_size, instances_billed, least_instances, term_length
from procurement.engine.work import Work

MOST_TERMS = 60  # consecutive terms of one contract


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Contracts:
    """Everything that can be signed of one commitment, one entry for each start and number of terms."""

    quote: Quote
    size: float  # accelerators of one node
    begin: Indices  # month of the portfolio, shape (contracts,)
    terms: Indices
    cost: Numbers  # present cost of one node at as_of
    spend: Numbers  # nominal, shape (contracts, months)
    fee: Numbers  # present cost of signing at all
    fee_spend: Numbers
    covers: Numbers  # share of each month that a contract covers, shape (contracts, months)
    least: int  # nodes of one signature
    most: float  # nodes at any time, infinite where no quantity is stated


def contracts_of(world: World, quote: Quote, place: Place) -> Contracts | None:
    """Return what can be signed of a commitment so that the workloads that may use it find it there."""
    grid = world.grid
    term = term_length(quote)
    pairs = _starts_and_terms(world, quote, place, term)
    if not pairs:
        return None
    begin = np.array([first for first, _ in pairs], dtype=np.int64)
    terms = np.array([count for _, count in pairs], dtype=np.int64)
    length = np.where(term is None, grid.count - begin, terms * (term or 0.0))
    costs = [_cost(world, quote, int(count), float(span)) for count, span in zip(terms, length, strict=True)]
    worth = np.array([grid.factor(day_at(grid.origin, float(first))) for first in begin])
    size = instance_size(quote)
    limits = [limit for limit in (quote.quantity_available, quote.quota_accelerators) if limit is not None]
    return Contracts(
        quote=quote,
        size=size,
        begin=begin,
        terms=terms,
        cost=np.array([cost for cost, _, _ in costs]) * worth,
        spend=_placed([spend for _, spend, _ in costs], begin, grid.count),
        fee=np.array([fee for _, _, fee in costs]) * worth,
        fee_spend=np.full(begin.size, (float(quote.setup_fee) + float(quote.exit_fee)) * _rate(world, quote)),
        covers=np.stack([overlap(first, first + span, grid.count) for first, span in zip(begin, length, strict=True)]),
        least=least_instances(quote),
        most=min(limits, default=np.inf) // size if limits else np.inf,
    )


def _rate(world: World, quote: Quote) -> float:
    return float(world.setting.exchange.get(quote.currency or "") or np.nan)


def _starts_and_terms(world: World, quote: Quote, place: Place, term: float | None) -> list[tuple[int, int]]:
    """Return when contracts can begin and for how many terms, nothing signed too late or held too long."""
    grid = world.grid
    needed = _months_of_use(world, place)
    starts = [month for month in range(grid.count) if needed[month:].any() and _can_begin(grid, quote, month, needed)]
    if term is None:
        return [(month, 1) for month in starts]
    last = int(np.flatnonzero(needed)[-1]) + 1
    pairs = []
    for month in starts:
        longest = max(int(np.ceil((last - month) / term - 1e-9)), 1)
        most = min(longest, MOST_TERMS) if _needs_renewals(world, quote, starts) else 1
        pairs += [(month, terms) for terms in range(1, most + 1) if _can_hold(grid, quote, month, terms * term)]
    return pairs


def _months_of_use(world: World, place: Place) -> Numbers:
    """Return in which months of the portfolio any workload may use a place."""
    used = np.zeros(world.grid.count)
    offset = world.grid.offset[world.slices.owner[place.rows]]
    rows, months = np.nonzero(place.months)
    used[np.minimum(offset[rows] + months, used.size - 1)] = 1.0
    return used


def _can_begin(grid: Grid, quote: Quote, month: int, needed: Numbers) -> bool:
    """Return whether a contract that begins in a month can be signed while the quote is valid."""
    ready = grid.nearest(max(first_day(quote, grid.as_of), grid.as_of))
    is_first = needed[month] > 0.0 and not needed[:month].any()  # what bookability allows may start with the need
    if month < ready and not is_first:
        return False
    if quote.booking_horizon_days is None:
        return True
    begin = day_at(grid.origin, float(month))
    earliest = begin - timedelta(days=int(quote.booking_horizon_days))
    return earliest <= (quote_expiry(quote) or date.max)


def _can_hold(grid: Grid, quote: Quote, month: int, length: float) -> bool:
    if quote.max_days is not None and length > months_from_days(float(quote.max_days)) + 1e-6:
        return False
    if quote.available_to is None:
        return True
    return month + length <= months_between(grid.origin, quote.available_to) + months_from_days(1.0) + 0.5


def _needs_renewals(world: World, quote: Quote, starts: list[int]) -> bool:
    """Return whether several terms of one contract differ from as many contracts in a row."""
    change = world.setting.terms.paths.get("cloud", 0.0)
    has_gaps = bool(starts) and len(starts) < starts[-1] - starts[0] + 1
    fees = bool(np.any(quote.setup_fee)) or bool(np.any(quote.exit_fee))
    term = term_length(quote) or 1.0
    is_cut = quote.booking_horizon_days is not None or term != int(term)
    return bool(np.any(change)) or has_gaps or fees or is_cut or least_instances(quote) > 1


def _cost(world: World, quote: Quote, terms: int, length: float) -> tuple[float, Numbers, float]:
    """Return present cost and spend of one node under a contract at its begin, and the cost of signing it."""
    bare = replace(quote, costs=(), min_accelerators=None, setup_fee=0.0, exit_fee=0.0)
    value, spend = _priced(world, bare, terms, length)
    if not (np.any(quote.setup_fee) or np.any(quote.exit_fee)):
        return value, spend, 0.0
    signed, _ = _priced(world, replace(quote, costs=(), min_accelerators=None), terms, length)
    return value, spend, signed - value


def _priced(world: World, quote: Quote, terms: int, length: float) -> tuple[float, Numbers]:
    use = QuoteUse(
        quote=quote,
        workload=world.workloads[0],
        work=Work(accelerators=1, hours=np.zeros(1), finish=0.0),
        span=Span(0.0, 0.0, length, world.setting.hours_per_month),
        exchange=world.setting.exchange,
        terms_begun=terms,
    )
    ledger = Ledger(quote_cost_flows(use), world.setting.terms)
    tax = world.setting.assumptions.tax
    months = ledger.count
    value = presents(ledger if tax is None else taxed(ledger, tax), 1, months).sum()
    nodes = instances_billed(quote, 1)
    return float(value) / nodes, nominals(ledger, 1, months)[0] / nodes


def _placed(spends: list[Numbers], begin: Indices, count: int) -> Numbers:
    """Return spend by month of the portfolio; what is due beyond its last month counts there."""
    placed = np.zeros((len(spends), count))
    for row, (spend, first) in enumerate(zip(spends, begin, strict=True)):
        inside = spend[: count - int(first)]
        placed[row, first : first + inside.size] = inside
        placed[row, -1] += spend[inside.size :].sum()
    return placed
