"""What a quote's terms mean for booking: when it expires, how firm it is, what a list price may leave out."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import overload

from procurement.engine.tables import Policy, Quote
from providers.knowledge import AGE_LIMIT_DAYS

EVERY_OTHER = "*"  # the purchase models that the table of age limits does not name

LIST_CLASSES: Mapping[str, str] = {  # how firm the capacity behind a list price is: a discount reserves nothing
    "on_demand": "on_demand",
    "promo": "on_demand",
    "market_floor": "on_demand",
    "reserved": "on_demand",
    "savings_plan": "on_demand",
    "cud": "on_demand",
    "spot": "spot",
    "low_priority": "spot",
    "dws": "queue",
}
LIST_CAPACITY = ("on_demand", "queue", "spot")  # the classes that may lack quantity, domain, scale and start
INTERRUPTIBLE_MODELS = ("spot", "low_priority")


@overload
def quote_expires_on(*, purchase_model: str, quoted_on: date, valid_until: date | None) -> date: ...


@overload
def quote_expires_on(*, purchase_model: str, quoted_on: date | None, valid_until: date | None) -> date | None: ...


def quote_expires_on(*, purchase_model: str, quoted_on: date | None, valid_until: date | None) -> date | None:
    """Return the last day on which a quote can be signed; None where no date is known.

    Parameters
    ----------
    purchase_model
        Decides the age limit of a quote that states no validity.
    quoted_on
        Day the price was stated or observed.
    valid_until
        Stated last day, which holds over any age limit.
    """
    if valid_until is not None:
        return valid_until
    if quoted_on is None:
        return None
    return quoted_on + timedelta(days=age_limit_days(purchase_model))


def age_limit_days(purchase_model: str) -> int:
    """Return how many days a price that states no validity holds, by how it is bought."""
    return AGE_LIMIT_DAYS.get(purchase_model, AGE_LIMIT_DAYS[EVERY_OTHER])


def quote_expiry(quote: Quote) -> date | None:
    """Return the last day on which a quote can be signed."""
    return quote_expires_on(
        purchase_model=quote.purchase_model, quoted_on=quote.quoted_on, valid_until=quote.valid_until
    )


def capacity_class_of(quote: Quote) -> str | None:
    """Return how firm a quote's capacity is: as stated, for a list price by its purchase model, else None.

    A quote that states quantity, domain and start is an offer of capacity, and must say how firm that is.
    """
    if quote.capacity_class is not None:
        return quote.capacity_class
    stated = (quote.quantity_available, quote.largest_domain_accelerators, quote.earliest_start)
    return None if None not in stated else LIST_CLASSES.get(quote.purchase_model)


def is_list_price(quote: Quote) -> bool:
    """Tell whether a quote may lack quantity, domain, scale and start (semantics 10)."""
    return capacity_class_of(quote) in LIST_CAPACITY


def node_size(quote: Quote) -> int:
    """Return the accelerators of one node: as stated, else of one instance, else one."""
    return quote.accelerators_per_node or max(int(quote.accelerators_per_instance or 1), 1)


def approval_days(policy: Policy, amount: float | None = None) -> int | None:
    """Return how many days the approval of an amount takes; the quickest for an unknown amount, None without steps."""
    steps = sorted(policy.approval_days, key=lambda step: float("inf") if step.up_to is None else step.up_to)
    if amount is None:
        return min((step.days for step in steps), default=None)
    reaching = (step.days for step in steps if step.up_to is None or amount <= step.up_to)
    return next(reaching, steps[-1].days if steps else None)
