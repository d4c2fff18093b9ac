"""Present cost of every workload at every quote, from the same rows as the full ledger in factored form."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from procurement.engine.cloud_factors import Batch, Billing, Factors, batch_of, billing_factors, dues_of
from procurement.engine.costs.base import line_rate
from procurement.engine.equal_work import accelerators_at
from procurement.engine.options_cloud import tail_partner
from procurement.engine.pairs import Kinds, Pairs, of_quotes
from procurement.engine.periods import SMALLEST_PART, Amount, Numbers
from procurement.engine.setting import Setting
from procurement.engine.tables import Quote, Workload
from procurement.engine.throughput import useful_shares
from procurement.engine.units import (
    instance_size,
    is_committed,
    least_instances,
    price_per_instance_hour,
    term_length,
    upfront_per_instance,
)

PART = 32  # quotes whose costs are made at once
Rows = NDArray[np.intp]
Index = Rows | tuple[Rows, None]
throughput_fields = attrgetter(
    "accelerator", "accelerators_per_node", "fabric", "network_gbps_per_accelerator", "measured_allreduce_gbps",
    "failures_per_1000_node_days", "restart_minutes", "storage_read_gb_s", "storage_write_gb_s", "toll_multiplier",
    "measured_runs",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class QuotePrices:
    """Columns of quotes in the answer's currency, shape (quotes,); NaN where a needed figure is missing."""

    hourly: Numbers  # one instance for one hour
    upfront: Numbers  # one instance, at each term's start
    setup: Numbers
    exit: Numbers
    storage: Numbers  # per GB and month, 0 where not stated: what is not modelled is listed beside the total
    egress: Numbers
    support: Numbers  # fraction

    is_hourly_alone: bool  # no quote asks for anything beside its hourly price

    def at(self, index: Index) -> "QuotePrices":
        """Return the columns of some quotes, in the shape of the index."""
        return QuotePrices(
            self.hourly[index], self.upfront[index], self.setup[index], self.exit[index], self.storage[index],
            self.egress[index], self.support[index], self.is_hourly_alone,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Offered:
    """All quotes with their priced columns and, for commitments, the quote that may serve the tail."""

    quotes: Sequence[Quote]
    prices: QuotePrices
    partners: Sequence[int | None]
    setting: Setting


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    """What cloud costs are made of: workloads as arrays, N by type, priced quotes in groups that bill alike."""

    batch: Batch
    sizes: "Sizes"
    offered: Offered
    groups: Sequence[list[int]]

    def factors(self, member: int, tail: int | None = None) -> Factors:
        """Return the factors of a quote's group, with one term less where a tail is served by another quote."""
        quotes, setting = self.offered.quotes, self.offered.setting
        rest = None if tail is None else billing_of(quotes[tail], setting)
        return billing_factors(
            self.batch, billing_of(quotes[member], setting), *self.sizes.needed(quotes[member]), tail=rest
        )


@dataclass(frozen=True, slots=True, eq=False)
class CloudCosts:
    """Every workload at every quote."""

    by_quote: Numbers  # present cost, nominal without a discount rate, NaN where unknown; shape (quotes, workloads)
    late: Pairs  # whether the work ends after a hard deadline

    @property
    def costs(self) -> Numbers:
        """Costs of shape (workloads, quotes)."""
        return self.by_quote.T


def cloud_costs(workloads: Sequence[Workload], quotes: Sequence[Quote], setting: Setting) -> CloudCosts:
    """Return the present cost of every pair, and which pairs end too late.

    Parameters
    ----------
    workloads, quotes
        Any number of each; quotes are grouped by everything but their prices, so that no loop runs over pairs.
    setting
        How money is valued.
    """
    if not workloads or not quotes:
        nothing = np.full((len(quotes), len(workloads)), np.nan)
        return CloudCosts(nothing, of_quotes(np.zeros(len(quotes), dtype=np.bool_), len(workloads)))
    return market_costs(market_of(workloads, quotes, setting))


def market_of(workloads: Sequence[Workload], quotes: Sequence[Quote], setting: Setting) -> Market:
    """Return workloads and quotes, at least one of each, as what their costs are made of."""
    sizes = Sizes(workloads)
    offered = Offered(quotes, quote_prices(quotes, setting), _partners(quotes, setting), setting)
    groups = grouped(quotes, offered.partners, is_trained=bool(sizes.trained.size))
    return Market(batch_of(workloads, setting), sizes, offered, groups)


def market_costs(market: Market) -> CloudCosts:
    """Return the present cost of every pair of a market, and which pairs end too late."""
    batch, groups = market.batch, market.groups
    costs = np.empty((len(market.offered.quotes), batch.count))
    group_of = np.empty(costs.shape[0], dtype=np.intp)
    is_late = np.empty((batch.count, len(groups)), dtype=np.bool_)
    for number, members in enumerate(groups):
        factors = market.factors(members[0])
        partner = market.offered.partners[members[0]] if has_tail(market, members[0], factors) else None
        after = None if partner is None else market.factors(members[0], partner)
        for first in range(0, len(members), PART):  # a part stays in the processor's cache
            part = members[first : first + PART]
            costs[part] = _part_costs(market, part, factors, after)
        group_of[members] = number
        is_late[:, number] = factors.activity.end > batch.deadline + SMALLEST_PART
    samples = np.array([members[0] for members in groups], dtype=np.intp)
    return CloudCosts(costs, Pairs(is_late, Kinds(group_of, samples)))


def _part_costs(market: Market, members: list[int], factors: Factors, after: Factors | None) -> Numbers:
    """Return the costs of quotes of one group, shape (members, workloads); ``after`` is with the last term left out."""
    offered = market.offered
    own = offered.prices.at((np.array(members, dtype=np.intp), None))
    block = priced(factors, own)
    if after is not None:
        rivals = np.array([offered.partners[member] for member in members], dtype=np.intp)
        block = np.fmin(block, _with_tail(after, own, offered.prices.hourly[rivals, None]))
    return block + _line_costs(offered.quotes, members, offered.setting, market.batch, factors)


def has_tail(market: Market, member: int, factors: Factors) -> bool:
    """Return whether the last term of a quote's group may be left to an on-demand quote."""
    quote = market.offered.quotes[member]
    if market.offered.partners[member] is None or not is_committed(quote):
        return False
    return dues_of(market.batch, billing_of(quote, market.offered.setting), factors.activity, dropped=1).has_rest


def quote_prices(quotes: Sequence[Quote], setting: Setting) -> QuotePrices:
    """Return the priced columns of quotes in the answer's currency."""
    rates = np.array([setting.exchange.get(quote.currency or "") or np.nan for quote in quotes], dtype=np.float64)

    def column(values: Sequence[Amount | None], missing: float) -> Numbers:
        return np.array([missing if value is None else float(value) for value in values], dtype=np.float64)

    basis = setting.hours_per_month
    hourly = [price_per_instance_hour(quote, basis, term_length(quote)) for quote in quotes]
    others = (
        column([upfront_per_instance(quote) for quote in quotes], 0.0) * rates,
        column([quote.setup_fee for quote in quotes], 0.0) * rates,
        column([quote.exit_fee for quote in quotes], 0.0) * rates,
        column([quote.storage_per_gb_month for quote in quotes], 0.0) * rates,
        column([quote.egress_per_gb for quote in quotes], 0.0) * rates,
        column([quote.support_fraction for quote in quotes], 0.0),
    )
    is_alone = not any(np.any(prices[np.isfinite(prices)]) for prices in others)
    return QuotePrices(column(hourly, np.nan) * rates, *others, is_alone)


def billing_of(quote: Quote, setting: Setting) -> Billing:
    """Return how a quote is billed, without its prices."""
    return Billing(
        size=instance_size(quote),
        least=least_instances(quote),
        is_committed=is_committed(quote),
        is_prepaid=quote.payment_option == "all" and not quote.upfront,
        term=term_length(quote),
        least_days=float(quote.min_days or 0),
        hours_per_month=setting.hours_per_month,
    )


def grouped(quotes: Sequence[Quote], partners: Sequence[int | None], *, is_trained: bool = True) -> list[list[int]]:
    """Return the indices of quotes that differ in nothing but prices, and whose tails differ in nothing else too.

    The network counts only where a workload trains on it.
    """
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, quote in enumerate(quotes):
        partner = partners[index]
        tail = None if partner is None else (instance_size(quotes[partner]), least_instances(quotes[partner]))
        groups[(*_billing_key(quote, is_trained=is_trained), tail)].append(index)
    return list(groups.values())


def _billing_key(quote: Quote, *, is_trained: bool) -> tuple[object, ...]:
    network = throughput_key(quote) if is_trained else (quote.accelerator, quote.accelerators_per_node)
    return (
        quote.accelerators_per_instance, quote.min_accelerators, is_committed(quote), quote.term_months,
        quote.min_days, quote.payment_option == "all" and not quote.upfront, *network,
    )  # fmt: skip


def throughput_key(quote: Quote) -> tuple[object, ...]:
    """Return what decides the useful share of a quote; quotes with the same key have the same."""
    key: tuple[object, ...] = throughput_fields(quote)
    return key


def _partners(quotes: Sequence[Quote], setting: Setting) -> list[int | None]:
    """Return, for each commitment, the index of the on-demand quote that may serve its tail."""
    shelves: dict[tuple[object, ...], list[Quote]] = defaultdict(list)
    for quote in quotes:
        if quote.purchase_model == "on_demand":
            shelves[(quote.provider, quote.accelerator, quote.region)].append(quote)
    index = {quote.id: position for position, quote in enumerate(quotes)}
    best: dict[tuple[object, ...], int | None] = {}
    found: list[int | None] = []
    for quote in quotes:
        key = (quote.provider, quote.accelerator, quote.region)
        if not is_committed(quote) or term_length(quote) is None or key not in shelves:
            found.append(None)
            continue
        if key not in best:
            partner = tail_partner(quote, tuple(shelves[key]), setting)
            best[key] = None if partner is None else index[partner.id]
        found.append(best[key])
    return found


class Sizes:
    """N and useful shares of all workloads in the types of quotes, each type and each network asked once."""

    def __init__(self, workloads: Sequence[Workload]) -> None:
        self.workloads = workloads
        keys = [(workload.accelerator_types[:1], workload.accelerators, workload.kind) for workload in workloads]
        self.distinct = list(dict.fromkeys(keys))
        place = {key: index for index, key in enumerate(self.distinct)}
        self.index = np.array([place[key] for key in keys], dtype=np.intp)
        self.sample = dict(zip(keys, workloads, strict=True))
        self.trained = np.array([row for row, one in enumerate(workloads) if one.training is not None], dtype=np.intp)
        self.by_type: dict[tuple[object, ...], Numbers] = {}
        self.by_network: dict[tuple[object, ...], tuple[Numbers, Numbers]] = {}

    def needed(self, quote: Quote) -> tuple[Numbers, Numbers]:
        """Return N in the quote's type and the share of an hour that counts, shape (workloads,); NaN where unknown."""
        key = throughput_key(quote)
        if key not in self.by_network:
            self.by_network[key] = self._needed(quote)
        return self.by_network[key]

    def _needed(self, quote: Quote) -> tuple[Numbers, Numbers]:
        needs = self._in_type(quote.accelerator, quote.accelerators_per_node or 1)
        shares = np.ones(needs.size)
        rows = self.trained[needs[self.trained] > 0.0]
        if rows.size:
            found = useful_shares([self.workloads[row] for row in rows], [quote], needs[rows][:, np.newaxis])
            shares[rows] = found[:, 0]
        return np.where(shares > 0.0, needs, np.nan), shares

    def _in_type(self, accelerator: str | None, node: int) -> Numbers:
        key = (accelerator, node)
        if key not in self.by_type:
            found = [accelerators_at(self.sample[one], accelerator, node) for one in self.distinct]
            self.by_type[key] = np.array([np.nan if need is None else need for need in found], dtype=np.float64)
        return self.by_type[key][self.index]


def priced(factors: Factors, prices: QuotePrices) -> Numbers:
    """Return costs; prices of shape (quotes, 1) and factors of (workloads,) give all pairs, equal shapes give pairs."""
    block = prices.hourly * factors.hourly
    if prices.is_hourly_alone:
        return block
    if np.any(prices.upfront):
        block += prices.upfront * factors.upfront
    if np.any(prices.setup):
        block += prices.setup
    if np.any(prices.exit):
        block += prices.exit * factors.exit
    if np.any(prices.storage):
        block += prices.storage * factors.storage
    if np.any(prices.egress):
        block += prices.egress * factors.egress
    if np.any(prices.support):
        supported = prices.hourly * factors.supported
        supported += prices.storage * factors.storage + prices.egress * factors.egress
        block += supported * prices.support
    return block


def block_costs(factors: Factors, prices: QuotePrices, batch: Batch, quote: Quote, setting: Setting) -> Numbers:
    """Return the cost of every row of a batch at one quote, shape (rows,)."""
    costs = priced(factors, prices.at((np.array([0], dtype=np.intp), None)))
    costs = costs + _line_costs([quote], [0], setting, batch, factors)
    return np.asarray(costs[0])


def _with_tail(factors: Factors, prices: QuotePrices, rest_hourly: Numbers) -> Numbers:
    """Return the cost with one term less and the rest on demand; NaN where there is no whole term."""
    assert factors.tail is not None  # noqa: S101 - asked for by the caller
    return np.asarray(priced(factors, prices) + rest_hourly * (1.0 + prices.support) * factors.tail)


def _line_costs(
    quotes: Sequence[Quote], members: list[int], setting: Setting, batch: Batch, factors: Factors
) -> Numbers | float:
    """Return the cost of further priced lines of a group's quotes, support on them included."""
    if not any(quotes[member].costs for member in members):
        return 0.0
    total = np.zeros((len(members), batch.count))
    for position, member in enumerate(members):
        quote = quotes[member]
        for line in quote.costs:
            if line.amount is not None:
                own, supported = batch.line_factor(line, factors)
                rate = line.amount * line_rate(line, setting.exchange)
                total[position] += rate * (own + supported * (quote.support_fraction or 0.0))
    return total
