"""Present cost of every workload at every quote, from the same rows as the full ledger in factored form."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from procurement.engine.cloud_factors import Batch, Billing, Factors, batch_of, billing_factors
from procurement.engine.costs.base import line_rate
from procurement.engine.equal_work import accelerators_at
from procurement.engine.options_cloud import tail_partner
from procurement.engine.periods import SMALLEST_PART, Amount, Numbers
from procurement.engine.setting import Setting
from procurement.engine.tables import Quote, Workload
from procurement.engine.throughput import throughput_table
from procurement.engine.units import (
    instance_size,
    is_committed,
    least_instances,
    price_per_instance_hour,
    term_length,
    upfront_per_instance,
)

Rows = NDArray[np.intp]
THROUGHPUT_FIELDS = (
    "fabric", "network_gbps_per_accelerator", "measured_allreduce_gbps", "failures_per_1000_node_days",
    "restart_minutes", "storage_read_gb_s", "storage_write_gb_s", "toll_multiplier", "measured_runs",
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


@dataclass(frozen=True, slots=True, eq=False)
class Offered:
    """All quotes with their priced columns and, for commitments, the quote that may serve the tail."""

    quotes: Sequence[Quote]
    prices: QuotePrices
    partners: Sequence[int | None]
    setting: Setting


@dataclass(frozen=True, slots=True, eq=False)
class CloudCosts:
    """Every workload at every quote, shape (workloads, quotes)."""

    costs: Numbers  # present cost, nominal where no discount rate is given; NaN where a pair cannot be priced
    is_late: NDArray[np.bool_]  # whether the work ends after a hard deadline


def cloud_costs(workloads: Sequence[Workload], quotes: Sequence[Quote], setting: Setting) -> CloudCosts:
    """Return the present cost of every pair, and which pairs end too late.

    Parameters
    ----------
    workloads, quotes
        Any number of each; quotes are grouped by everything but their prices, so that no loop runs over pairs.
    setting
        How money is valued.
    """
    shape = (len(workloads), len(quotes))
    if not workloads or not quotes:
        return CloudCosts(np.full(shape, np.nan), np.zeros(shape, dtype=np.bool_))
    batch = batch_of(workloads, setting)
    offered = Offered(quotes, quote_prices(quotes, setting), _partners(quotes, setting), setting)
    groups = grouped(quotes, offered.partners)
    sizes = Sizes(workloads)
    costs, is_late = np.empty(shape), np.empty((len(workloads), len(groups)), dtype=np.bool_)
    begin = 0
    for number, members in enumerate(groups):  # side by side first: whole blocks are written faster than columns
        end = begin + len(members)
        costs[:, begin:end], factors = _group_costs(batch, offered, members, *sizes.needed(quotes[members[0]]))
        is_late[:, number] = factors.activity.end > batch.deadline + SMALLEST_PART
        begin = end
    order = np.argsort(np.concatenate([np.array(members, dtype=np.intp) for members in groups]))
    late = np.repeat(is_late, [len(members) for members in groups], axis=1) if is_late.any() else None
    return CloudCosts(
        np.take(costs, order, axis=1), np.zeros(shape, dtype=np.bool_) if late is None else np.take(late, order, axis=1)
    )


def _group_costs(
    batch: Batch, offered: Offered, members: list[int], needs: Numbers, shares: Numbers
) -> tuple[Numbers, Factors]:
    """Return the costs of the quotes of one group, shape (workloads, members), and what they were made with."""
    columns = np.array(members, dtype=np.intp)
    quotes, partners, setting = offered.quotes, offered.partners, offered.setting
    billing = billing_of(quotes[members[0]], setting)
    factors = billing_factors(batch, billing, needs, shares)
    block = _block(factors, offered.prices, columns)
    partner = partners[members[0]]
    if partner is not None and billing.is_committed:
        rivals = np.array([partners[member] for member in members], dtype=np.intp)
        after = billing_factors(batch, billing, needs, shares, tail=billing_of(quotes[partner], setting))
        block = np.fmin(block, _tail_block(after, offered.prices, columns, rivals))
    return block + _line_costs(quotes, members, setting, batch, factors), factors


def quote_prices(quotes: Sequence[Quote], setting: Setting) -> QuotePrices:
    """Return the priced columns of quotes in the answer's currency."""
    rates = np.array([setting.exchange.get(quote.currency or "") or np.nan for quote in quotes], dtype=np.float64)

    def column(values: Sequence[Amount | None], missing: float) -> Numbers:
        return np.array([missing if value is None else float(value) for value in values], dtype=np.float64)

    basis = setting.hours_per_month
    hourly = [price_per_instance_hour(quote, basis, term_length(quote)) for quote in quotes]
    return QuotePrices(
        hourly=column(hourly, np.nan) * rates,
        upfront=column([upfront_per_instance(quote) for quote in quotes], 0.0) * rates,
        setup=column([quote.setup_fee for quote in quotes], 0.0) * rates,
        exit=column([quote.exit_fee for quote in quotes], 0.0) * rates,
        storage=column([quote.storage_per_gb_month for quote in quotes], 0.0) * rates,
        egress=column([quote.egress_per_gb for quote in quotes], 0.0) * rates,
        support=column([quote.support_fraction for quote in quotes], 0.0),
    )


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


def grouped(quotes: Sequence[Quote], partners: Sequence[int | None]) -> list[list[int]]:
    """Return the indices of quotes that differ in nothing but prices, and whose tails differ in nothing else too."""
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, quote in enumerate(quotes):
        partner = partners[index]
        tail = () if partner is None else _billing_key(quotes[partner])
        groups[(*_billing_key(quote), partner is None, tail)].append(index)
    return list(groups.values())


def _billing_key(quote: Quote) -> tuple[object, ...]:
    return (
        quote.accelerators_per_instance, quote.min_accelerators, is_committed(quote), quote.term_months,
        quote.min_days, quote.payment_option == "all" and not quote.upfront, *throughput_key(quote),
    )  # fmt: skip


def throughput_key(quote: Quote) -> tuple[object, ...]:
    """Return what decides the useful share of a quote; quotes with the same key have the same."""
    return (quote.accelerator, quote.accelerators_per_node, *(getattr(quote, name) for name in THROUGHPUT_FIELDS))


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
            table = throughput_table([self.workloads[row] for row in rows], [quote], needs[rows][:, np.newaxis])
            shares[rows] = table.useful_share[:, 0]
        return np.where(shares > 0.0, needs, np.nan), shares

    def _in_type(self, accelerator: str | None, node: int) -> Numbers:
        key = (accelerator, node)
        if key not in self.by_type:
            found = [accelerators_at(self.sample[one], accelerator, node) for one in self.distinct]
            self.by_type[key] = np.array([np.nan if need is None else need for need in found], dtype=np.float64)
        return self.by_type[key][self.index]


def _block(factors: Factors, prices: QuotePrices, columns: Rows) -> Numbers:
    """Return the cost of each workload at each quote of one group, shape (workloads, members)."""
    block = np.multiply.outer(factors.hourly, prices.hourly[columns])
    upfront, support = prices.upfront[columns], prices.support[columns]
    storage, egress = prices.storage[columns], prices.egress[columns]
    if np.any(upfront):
        block += np.multiply.outer(factors.upfront, upfront)
    if np.any(prices.setup[columns]):
        block += prices.setup[columns]
    if np.any(prices.exit[columns]):
        block += np.multiply.outer(factors.exit, prices.exit[columns])
    if np.any(storage):
        block += np.multiply.outer(factors.storage, storage)
    if np.any(egress):
        block += np.multiply.outer(factors.egress, egress)
    if np.any(support):
        supported = np.multiply.outer(factors.supported, prices.hourly[columns])
        supported += np.multiply.outer(factors.storage, storage) + np.multiply.outer(factors.egress, egress)
        block += supported * support
    return block


def block_costs(factors: Factors, prices: QuotePrices, batch: Batch, quote: Quote, setting: Setting) -> Numbers:
    """Return the cost of every row of a batch at one quote, shape (rows,)."""
    costs = _block(factors, prices, np.array([0], dtype=np.intp)) + _line_costs([quote], [0], setting, batch, factors)
    return np.asarray(costs[:, 0])


def _tail_block(factors: Factors, prices: QuotePrices, columns: Rows, rivals: Rows) -> Numbers:
    """Return the cost with one term less and the rest on demand; NaN where there is no whole term."""
    block = _block(factors, prices, columns)
    assert factors.tail is not None  # noqa: S101 - asked for by the caller
    rest = np.multiply.outer(factors.tail, prices.hourly[rivals])
    rest += np.multiply.outer(factors.tail, prices.hourly[rivals]) * prices.support[columns]
    return np.asarray(block + rest)


def _line_costs(
    quotes: Sequence[Quote], members: list[int], setting: Setting, batch: Batch, factors: Factors
) -> Numbers | float:
    """Return the cost of further priced lines of a group's quotes, support on them included."""
    if not any(quotes[member].costs for member in members):
        return 0.0
    total = np.zeros((batch.count, len(members)))
    for column, member in enumerate(members):
        quote = quotes[member]
        for line in quote.costs:
            if line.amount is not None:
                own, supported = batch.line_factor(line, factors)
                rate = line.amount * line_rate(line, setting.exchange)
                total[:, column] += rate * (own + supported * (quote.support_fraction or 0.0))
    return total
