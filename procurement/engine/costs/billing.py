"""How a quote is billed: metered by the hour used, or every hour of every term begun (semantics 9)."""

import math
from dataclasses import replace

import numpy as np

from procurement.engine.costs.base import QuoteUse
from procurement.engine.ledger import Flow
from procurement.engine.periods import (
    MONTHS_PER_YEAR,
    SMALLEST_PART,
    Amount,
    Numbers,
    months_from_days,
    overlap,
    to_count,
    whole_months,
)
from procurement.engine.tables import Quote
from procurement.engine.units import (
    instance_size,
    instances_billed,
    is_committed,
    least_hours,
    least_instances,
    price_per_instance_hour,
    term_length,
    upfront_per_instance,
)
from procurement.engine.work import Work

CLOUD_PATH = "cloud"


def term_of(use: QuoteUse) -> float:
    """Return the months of one term; a commitment that states none runs for the window."""
    return term_length(use.quote) or float(np.max(use.span.end))


def terms_begun(quote: Quote, end: float) -> int:
    """Return how many terms begin before the work ends; one where the quote states no term."""
    term = term_length(quote)
    return 1 if term is None else max(1, math.ceil(end / term - SMALLEST_PART))


def committed_months(use: QuoteUse) -> float:
    """Return for how many months the commitment is paid, past the window too."""
    return use.terms_begun * term_of(use)


def contract_months(use: QuoteUse) -> float:
    """Return when the contract ends: with its last term, or with the work where it is metered."""
    return committed_months(use) if is_committed(use.quote) else float(np.max(use.span.end))


def used_flows(use: QuoteUse) -> tuple[Flow, ...]:
    """Return the rows of hours that the workload uses."""
    if not is_committed(use.quote):
        return (_metered(use, use.quote, use.work), *_metered_upfront(use))
    flows = _committed(use, is_used=True)
    return (*flows, *(_overrun(use) if use.tail is None else (_tail(use),)))


def unused_flows(use: QuoteUse) -> tuple[Flow, ...]:
    """Return the rows of hours that are paid and not used."""
    return _committed(use, is_used=False) if is_committed(use.quote) else _shortfall(use)


def _unit(use: QuoteUse, quote: Quote) -> Amount:
    """Return the price of one instance-hour in the answer's currency; NaN where it cannot be derived."""
    hourly = price_per_instance_hour(quote, use.span.hours_per_month, term_of(use))
    rate = use.exchange.get(quote.currency or "")
    return float("nan") if hourly is None or rate is None else hourly * rate


def _metered(use: QuoteUse, quote: Quote, work: Work) -> Flow:
    hours = work.unit_hours(instance_size(quote), least_instances(quote))
    return Flow("compute", _unit(use, quote), hours, path=CLOUD_PATH, source=quote.id)


def _metered_upfront(use: QuoteUse) -> tuple[Flow, ...]:
    """Return what a metered quote asks for once at the start."""
    if not np.any(use.quote.upfront):
        return ()
    rate = use.exchange.get(use.quote.currency or "")
    unit = upfront_per_instance(use.quote) * (float("nan") if rate is None else rate)
    instances = np.array([float(instances_billed(use.quote, use.work.accelerators))])
    return (Flow("compute", unit, instances, timing="begin", is_recurring=False, source=use.quote.id),)


def _tail(use: QuoteUse) -> Flow:
    """Return the on-demand hours after the last whole term."""
    assert use.tail is not None  # noqa: S101 - the caller has looked
    flow = _metered(use, use.tail.quote, use.tail.work)
    after = 1.0 - overlap(0.0, committed_months(use), flow.count)
    return Flow(flow.component, flow.unit, flow.quantity * after, path=flow.path, source=flow.source)


def _overrun(use: QuoteUse) -> tuple[Flow, ...]:
    """Return hours beyond the terms that the plan pays, at the same hourly price: a draw may need longer."""
    flow = _metered(use, use.quote, use.work)
    beyond = np.maximum(flow.quantity - to_count(_fee_hours(use), flow.count), 0.0)
    return (replace(flow, quantity=beyond),) if np.any(beyond > SMALLEST_PART) else ()


def _shortfall(use: QuoteUse) -> tuple[Flow, ...]:
    """Return the hours that a metered quote's minimum bills beyond those used, due when the minimum ends."""
    least = least_hours(use.quote)
    if not least:
        return ()
    missing = np.maximum(least - use.work.hours.sum(axis=-1, keepdims=True), 0.0)
    month = whole_months(months_from_days(float(use.quote.min_days or 0))) - 1
    quantity = np.zeros((*missing.shape[:-1], month + 1))
    instances = instances_billed(use.quote, use.work.accelerators)
    quantity[..., month] = missing[..., 0] * instances
    unit = _unit(use, use.quote)
    return (
        Flow("unused_commitment", unit, quantity, path=CLOUD_PATH, is_committed=True, source=use.quote.id),
    )  # fmt: skip


def _committed(use: QuoteUse, *, is_used: bool) -> tuple[Flow, ...]:
    component = "compute" if is_used else "unused_commitment"
    term = term_of(use)
    fee = _fee_hours(use)
    used = _used_hours(use, fee)
    hours = used if is_used else fee - used
    unit = _unit(use, use.quote)
    flows = []
    if _is_prepaid(use.quote):
        flows.append(_at_term_starts(use, component, unit, hours))
    else:
        years = np.floor(np.floor(np.arange(fee.shape[-1]) / term + SMALLEST_PART) * term / MONTHS_PER_YEAR)
        flows.append(
            Flow(
                component,
                unit,
                hours,
                timing="begin",
                path=CLOUD_PATH,
                price_years=years,
                is_committed=True,
                source=use.quote.id,
            )  # fmt: skip
        )
    if np.any(upfront_per_instance(use.quote)):
        rate = use.exchange.get(use.quote.currency or "")
        upfront = upfront_per_instance(use.quote) * (float("nan") if rate is None else rate)
        per_hour = upfront / (term * use.span.hours_per_month)
        flows.append(_at_term_starts(use, component, per_hour, hours))
    return tuple(flows)


def _is_prepaid(quote: Quote) -> bool:
    """Return whether the price itself is paid at the start of each term."""
    return quote.payment_option == "all" and not np.any(quote.upfront)


def _fee_hours(use: QuoteUse) -> Numbers:
    """Return the instance-hours that the commitment bills in each month."""
    months = committed_months(use)
    instances = instances_billed(use.quote, use.work.accelerators)
    return overlap(0.0, months, whole_months(months)) * use.span.hours_per_month * instances


def _used_hours(use: QuoteUse, fee: Numbers) -> Numbers:
    """Return the instance-hours of each month that are used, never more than are billed."""
    on = to_count(use.work.unit_hours(instance_size(use.quote)), fee.shape[-1])
    return np.asarray(np.minimum(on, fee))


def _at_term_starts(use: QuoteUse, component: str, unit: Amount, hours: Numbers) -> Flow:
    """Return one row at the begin of each term that pays for the hours of that term.

    A month that two terms share gives each the hours of its part, used and unused in the month's proportion.
    """
    term = term_of(use)
    starts = np.arange(use.terms_begun) * term
    months = np.floor(starts + SMALLEST_PART).astype(int)
    fee = _fee_hours(use)
    part = np.divide(hours, fee, out=np.zeros_like(hours), where=fee > 0.0)
    billed = use.span.hours_per_month * instances_billed(use.quote, use.work.accelerators)
    paid = np.zeros((*hours.shape[:-1], int(months[-1]) + 1))
    for start, month in zip(starts, months, strict=True):
        inside = overlap(float(start), float(start) + term, fee.shape[-1])
        paid[..., month] += (part * inside).sum(axis=-1) * billed
    years = np.zeros(paid.shape[-1])
    years[months] = np.floor(starts / MONTHS_PER_YEAR + SMALLEST_PART)
    return Flow(
        component, unit, paid, timing="begin", path=CLOUD_PATH, price_years=years, is_recurring=False,
        source=use.quote.id,
    )  # fmt: skip
