"""Units: what a price is per, how many instances a need fills, and the price of one instance-hour (semantics 8)."""

from procurement.engine.codes import COMMITTED_PURCHASE_MODELS
from procurement.engine.periods import HOURS_PER_DAY, Amount, months_from_days
from procurement.engine.tables import Quote
from procurement.engine.work import units_for

TOKENS_PER_MILLION = 1e6
SECONDS_PER_HOUR = 3600.0


def instance_size(quote: Quote) -> float:
    """Return the accelerators in one billed instance: as stated, else one node, else one accelerator."""
    if quote.accelerators_per_instance:
        return float(quote.accelerators_per_instance)
    return float(quote.accelerators_per_node or 1)


def least_instances(quote: Quote) -> int:
    """Return how many whole instances the quote's minimum fills; 0 where it has none."""
    return units_for(quote.min_accelerators or 0, instance_size(quote))


def instances_billed(quote: Quote, accelerators: int) -> int:
    """Return the whole instances that are billed for a need, at least the quote's minimum."""
    return max(units_for(accelerators, instance_size(quote)), least_instances(quote))


def is_committed(quote: Quote) -> bool:
    """Return whether every hour of a term is billed, used or not (semantics 9)."""
    return quote.purchase_model in COMMITTED_PURCHASE_MODELS


def term_length(quote: Quote) -> float | None:
    """Return the months of one term: term_months, else min_days; None where neither is stated."""
    if quote.term_months:
        return float(quote.term_months)
    return months_from_days(float(quote.min_days)) if quote.min_days else None


def price_per_instance_hour(quote: Quote, hours_per_month: float, term: float | None = None) -> Amount | None:
    """Return the price of one instance for one hour in the quote's currency, or None where it cannot be derived.

    Parameters
    ----------
    quote
        The quote; its ``price_hours_per_month`` says which month the supplier means.
    hours_per_month
        Basis of the answer [hours per month].
    term
        Length of one term where the price is for a whole term [months].
    """
    if quote.price is None:
        return None
    month_hours = hours_per_month if quote.price_hours_per_month is None else quote.price_hours_per_month
    if quote.price_basis == "per_accelerator_hour":
        return quote.price * instance_size(quote)
    if quote.price_basis == "per_month":
        return quote.price / month_hours
    if quote.price_basis == "term_total":
        return quote.price / (term * month_hours) if term else None
    return quote.price  # per instance or per slice, which is the billed instance


def upfront_per_instance(quote: Quote) -> Amount:
    """Return what is paid for one instance at each term's start, in the quote's currency."""
    if quote.price_basis == "per_accelerator_hour":
        return quote.upfront * instance_size(quote)
    return quote.upfront


def price_per_accelerator_hour(quote: Quote, hours_per_month: float) -> Amount | None:
    """Return the price of one accelerator for one hour, upfront spread over the term, in the quote's currency."""
    term = term_length(quote)
    hourly = price_per_instance_hour(quote, hours_per_month, term)
    if hourly is None:
        return None
    spread = upfront_per_instance(quote) / (term * hours_per_month) if term else 0.0
    return (hourly + spread) / instance_size(quote)


def least_hours(quote: Quote) -> float:
    """Return the hours that are billed at least, used or not."""
    return (quote.min_days or 0) * HOURS_PER_DAY
