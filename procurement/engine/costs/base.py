"""What every cost component shares: the place it prices, the contract of an entry, the pricing of plain lines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from procurement.engine.ledger import Flow
from procurement.engine.periods import (
    MONTHS_PER_YEAR,
    SMALLEST_PART,
    Amount,
    Numbers,
    at_month,
    largest,
    overlap,
    whole_months,
)
from procurement.engine.tables import Build, CostLine, Quote, Workload
from procurement.engine.work import Work

Exchange = Mapping[str, float | None]  # what one unit of a currency costs in the currency of the answer


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """When a place is paid for, in months after the workload's start."""

    delivery: Amount  # recurring lines run from here
    usable: Amount  # power and running hours run from here
    end: Amount  # end of the last month held
    hours_per_month: float

    @property
    def count(self) -> int:
        """Number of ledger months."""
        return whole_months(largest(self.end))

    @property
    def last_month(self) -> Amount:
        """Index of the last month held."""
        return np.ceil(np.asarray(self.end) - SMALLEST_PART) - 1.0


@dataclass(frozen=True, slots=True, eq=False)
class BuildUse:
    """One workload at one build: what share of the build is charged and how long."""

    build: Build
    lines: tuple[CostLine, ...]  # the lines that count; the marginal reading leaves some out
    charged_share: Amount  # of the whole build
    charged_accelerators: Amount
    used_share: Amount  # of the whole build, in use while the workload runs
    work: Work
    span: Span
    exchange: Exchange
    hardware: Amount = 0.0  # sum of the build's hardware lines, whole build [currency of the answer]


@dataclass(frozen=True, slots=True, eq=False)
class TailQuote:
    """The on-demand quote of the same provider that may serve what is left after the last whole term."""

    quote: Quote
    work: Work


@dataclass(frozen=True, slots=True, eq=False)
class QuoteUse:
    """One workload at one quote."""

    quote: Quote
    workload: Workload
    work: Work
    span: Span
    exchange: Exchange
    terms_begun: int = 1  # terms of a commitment that are paid
    billed_accelerators: float = 0.0
    tail: TailQuote | None = None
    storage_gb: Amount | None = None
    egress_gb_per_month: Amount | None = None


@dataclass(frozen=True, slots=True)
class Component:
    """One entry of the shelf: how one kind of cost becomes rows."""

    key: str
    timing: str = "mid"  # of recurring rows
    path: str | None = None  # price path of recurring rows
    expected_on_prem: bool = False  # semantics 18
    expected_cloud: bool = False
    alternatives: tuple[str, ...] = ()  # components of which one is enough
    build_flows: "Callable[[Component, BuildUse], tuple[Flow, ...]]" = field(default=lambda component, use: ())
    quote_flows: "Callable[[Component, QuoteUse], tuple[Flow, ...]]" = field(default=lambda component, use: ())


def quote_line_flows(component: Component, use: QuoteUse) -> tuple[Flow, ...]:
    """Return the rows of a quote's further priced lines; they run as long as the workload does."""
    lines = tuple(line for line in use.quote.costs if line.component == component.key and line.amount is not None)
    return tuple(flow for line in lines for flow in _quote_line(component, line, use))


def _quote_line(component: Component, line: CostLine, use: QuoteUse) -> tuple[Flow, ...]:
    unit = (float("nan") if line.amount is None else line.amount) * line_rate(line, use.exchange)
    if line.basis == "once":
        paid = at_month(float(line.at_month), use.span.count)
        return (
            Flow(component.key, unit, paid, timing="begin", is_recurring=False, source=line.source or use.quote.id),
        )
    if line.basis == "per_running_hour":
        return (_recurring(component, line, unit, use.work.full_hours()),)
    per_month: Amount = unit
    if line.basis == "per_accelerator_month":
        per_month = unit * use.billed_accelerators
    elif line.basis in ("per_year", "fraction_of_hardware_per_year"):
        per_month = unit / MONTHS_PER_YEAR * (1.0 if line.fte is None else line.fte)
    elif line.basis == "per_kw_month":
        per_month = unit * (float("nan") if line.kw is None else line.kw)
    return (_recurring(component, line, per_month, months_due(line, use.span)),)


def data_flows(component: Component, use: QuoteUse, price: Amount | None, amount_gb: Amount | None) -> tuple[Flow, ...]:
    """Return gigabytes times price for each month the workload is there, and further lines of that component."""
    lines = quote_line_flows(component, use)
    if price is None or amount_gb is None:
        return lines
    rate = use.exchange.get(use.quote.currency or "")
    unit = price * (float("nan") if rate is None else rate) * amount_gb
    months = overlap(0.0, use.span.end, use.span.count)
    return (Flow(component.key, unit, months, path=component.path, source=use.quote.id), *lines)


def fee_flows(component: Component, use: QuoteUse, fee: Amount, month: int, timing: str) -> tuple[Flow, ...]:
    """Return one fee in one month, or nothing where there is none."""
    if not np.any(fee):
        return ()
    rate = use.exchange.get(use.quote.currency or "")
    unit = fee * (float("nan") if rate is None else rate)
    quantity = np.zeros(month + 1)
    quantity[month] = 1.0
    return (Flow(component.key, unit, quantity, timing=timing, is_recurring=False, source=use.quote.id),)


def line_rate(line: CostLine, exchange: Exchange) -> float:
    """Return what one unit of the line's currency costs in the answer's; NaN where no rate says so."""
    rate = exchange.get(line.currency)
    return float("nan") if rate is None else rate


def lines_of(component: Component, use: BuildUse) -> tuple[CostLine, ...]:
    """Return the lines of a component that have an amount."""
    return tuple(line for line in use.lines if line.component == component.key and line.amount is not None)


def build_line_flows(component: Component, use: BuildUse) -> tuple[Flow, ...]:
    """Return the rows of a component's plain lines on a build."""
    return tuple(flow for line in lines_of(component, use) for flow in priced_line(component, line, use))


def priced_line(component: Component, line: CostLine, use: BuildUse) -> tuple[Flow, ...]:
    """Return the rows of one line, whichever its basis (semantics 14)."""
    if line.amount is None:
        return ()
    unit = line.amount * line_rate(line, use.exchange)
    if line.basis == "once":
        return once_flows(component, line, unit * use.charged_share, use.span)
    if line.basis == "per_running_hour":
        return (replace(_recurring(component, line, unit * use.used_share, use.work.full_hours()), is_metered=True),)
    months = months_due(line, use.span)
    return (_recurring(component, line, unit * _units_per_month(line, use), months),)


def _units_per_month(line: CostLine, use: BuildUse) -> Amount:
    """Return how many units of the line's basis a whole month holds."""
    if line.basis == "per_accelerator_month":
        return use.charged_accelerators
    if line.basis == "per_kw_month":
        return use.charged_share * (float("nan") if line.kw is None else line.kw)
    if line.basis == "per_year":
        return use.charged_share / MONTHS_PER_YEAR * (1.0 if line.fte is None else line.fte)
    if line.basis == "fraction_of_hardware_per_year":
        return use.charged_share * use.hardware / MONTHS_PER_YEAR / line_rate(line, use.exchange)
    return use.charged_share  # per_month


def months_due(line: CostLine, span: Span) -> Numbers:
    """Return the share of each month in which a recurring line is due: from delivery, for ``months`` if stated."""
    begin = span.delivery + line.at_month
    end: Amount = span.end if line.months is None else np.minimum(span.end, begin + line.months)
    return overlap(begin, end, span.count)


def _recurring(component: Component, line: CostLine, unit: Amount, quantity: Numbers) -> Flow:
    return Flow(
        component.key, unit, quantity, timing=component.timing, path=component.path,
        is_committed=line.status in ("committed", "paid"), source=line.source or line.basis,
    )  # fmt: skip


def once_flows(component: Component, line: CostLine, unit: Amount, span: Span) -> tuple[Flow, ...]:
    """Return payment, renewals at the end of each life, and the credit for what is left (semantics 15)."""
    paid = span.delivery + line.at_month
    purchase = Flow(
        component.key, unit, at_month(paid, span.count), timing="begin", is_recurring=False, is_capital=True,
        source=line.source or line.basis,
    )  # fmt: skip
    if line.life_months is None:
        return (purchase,)
    times = purchases(paid, float(line.life_months), span.end)
    bought, returned = _replacements(paid, line, times, span)
    credit = returned + at_month(span.last_month, span.count) * _value_left(paid, line, times, span)
    return (
        Flow(
            component.key, unit, bought, timing="begin", is_recurring=False, is_capital=True,
            source=line.source or line.basis,
        ),
        Flow(
            "residual", -unit, credit, timing="end", is_recurring=False, is_capital=True,
            source=f"{component.key}: {line.source}" if line.source else component.key,
        ),
    )  # fmt: skip


def purchases(paid: Amount, life_months: float, end: Amount) -> Numbers:
    """Return how often a life has to be bought so that it lasts to the end: 0 where it is never due."""
    lives = np.ceil((np.asarray(end) - np.asarray(paid)) / life_months - SMALLEST_PART)
    return np.asarray(np.maximum(lives, 0.0), dtype=np.float64)


def _replacements(paid: Amount, line: CostLine, times: Numbers, span: Span) -> tuple[Numbers, Numbers]:
    """Return purchases by month and the residual fraction given back for each life that ended inside the window."""
    life = float(line.life_months or 0)
    bought = at_month(paid, span.count) * (times > 0)
    returned = np.zeros_like(bought)
    for again in range(1, int(np.max(times, initial=0.0))):
        is_due = times > again
        bought = bought + at_month(paid + again * life, span.count) * is_due
        returned = returned + at_month(paid + again * life - 1.0, span.count) * is_due * line.residual_fraction
    return bought, returned


def _value_left(paid: Amount, line: CostLine, times: Numbers, span: Span) -> Amount:
    """Return the share of the amount that is left at the end: straight line to the residual fraction."""
    life = float(line.life_months or 0)
    age = span.end - (paid + np.maximum(times - 1.0, 0.0) * life)
    left = np.maximum(0.0, 1.0 - age / life)
    return (times > 0) * ((1.0 - line.residual_fraction) * left + line.residual_fraction)
