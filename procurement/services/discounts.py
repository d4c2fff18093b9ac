"""Writes of contract discounts: checked against the supplier's other discounts and the prices they are for."""

from collections.abc import Iterable, Mapping
from copy import copy
from decimal import Decimal
from typing import Any
from zoneinfo import available_timezones

from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import ContractDiscount, Provider, Quote
from procurement.permissions import require
from procurement.selectors.discounts import (
    discounts_all,
    less_discount,
    periods_meet,
    price_row,
    quotes_covered,
    scopes_meet,
)
from procurement.services.actors import Actor, reason_required
from procurement.services.records import record_create, record_update
from procurement.services.runs import recompute_request
from providers import Reason
from providers.currency import is_currency
from providers.discounts import WHOLE
from providers.reference import match_accelerator

NAMED_AT_MOST = 3
WHY = "why: what was agreed, and with whom"


def discount_create(*, by: Actor, values: Mapping[str, Any]) -> ContractDiscount:
    """Store a discount and ask for recommendations anew.

    Refuses one without a reason, one that meets another discount of the supplier on the same offer and day, and one
    that cannot be taken off a price in force: another currency, or nothing left above 0.
    """
    require(by.user, "discount.edit")
    reason_required(by, WHY)
    discount = ContractDiscount(**values)
    discount.reason = by.reason[:300]
    _refuse_unclear(discount)
    with transaction.atomic():
        _one_at_a_time(discount)
        discount = record_create(by=by, record=discount, action="discount.create", check=discount_check)
        recompute_request(by=by, cause=f"discount {discount.code} added")
    return discount


def discount_update(
    *, by: Actor, discount: ContractDiscount, version: int, values: Mapping[str, Any]
) -> ContractDiscount:
    """Change a discount that is still at ``version``; what it was stays in its history and in the runs that used it."""
    require(by.user, "discount.edit")
    reason_required(by, WHY)
    changed = copy(discount)
    for name, value in values.items():
        setattr(changed, name, value)
    _refuse_unclear(changed)
    with transaction.atomic():
        _one_at_a_time(discount)
        changed = record_update(
            by=by, record=discount, version=version, values={**values, "reason": by.reason[:300]},
            action="discount.update", check=discount_check,
        )  # fmt: skip
        recompute_request(by=by, cause=f"discount {discount.code} changed")
    return changed


def discount_archive(
    *, by: Actor, discount: ContractDiscount, version: int, is_archived: bool = True
) -> ContractDiscount:
    """Take a discount out of use, or bring it back where no other has taken its place; nothing is deleted."""
    require(by.user, "discount.edit")
    with transaction.atomic():
        _one_at_a_time(discount)
        check = None if is_archived else discount_check
        values = {"is_archived": is_archived}
        archived = record_update(
            by=by, record=discount, version=version, values=values, action="discount.archive", check=check
        )
        recompute_request(by=by, cause=f"discount {discount.code} {'archived' if is_archived else 'restored'}")
    return archived


def discount_check(discount: ContractDiscount) -> None:
    """Refuse a discount that meets another one, or cannot be taken off a price in force."""
    if not discount.is_archived:
        _refuse_overlap(discount)
        _refuse_impossible(discount)


def _refuse_unclear(discount: ContractDiscount) -> None:
    """Refuse a discount that does not say clearly how much, of what and for how long, with every fault by field."""
    faults = {name: [message] for name, message in (*_size_faults(discount), *_faults(discount))}
    if faults:
        raise ProcurementError("invalid", "; ".join(text for texts in faults.values() for text in texts), faults)


def _size_faults(discount: ContractDiscount) -> Iterable[tuple[str, str]]:
    share, amount = (_number(discount, name) for name in ("discount_percent", "discount_per_accelerator_hour"))
    if (share is None) == (amount is None):
        yield "discount_percent", "State either a share or an amount per accelerator-hour."
    elif share is not None and not 0 < share < WHOLE:
        yield "discount_percent", f"{share} should be above 0 and below 100; 12 is 12 %."
    elif amount is not None and amount <= 0:
        yield "discount_per_accelerator_hour", f"{amount} should be above 0."
    if amount is not None and not discount.currency:
        yield "currency", "State the currency of the amount."
    if amount is None and discount.currency:
        yield "currency", f"{discount.currency} is stated for a share; a share has no currency."


def _number(discount: ContractDiscount, name: str) -> Decimal | None:
    value = getattr(discount, name)
    return None if value in (None, "") else Decimal(value)


def _faults(discount: ContractDiscount) -> Iterable[tuple[str, str]]:
    if discount.valid_until and discount.valid_until < discount.valid_from:
        yield "valid_until", f"{discount.valid_until} lies before the first day, {discount.valid_from}."
    if discount.currency and not is_currency(discount.currency):
        yield "currency", f"`{discount.currency}` is no currency; state a code such as USD or EUR."
    if discount.time_zone not in available_timezones():
        yield "time_zone", f"`{discount.time_zone}` is no time zone; state one such as UTC or Europe/Berlin."
    if discount.accelerator and not _is_known_model(discount):
        yield "accelerator", f"`{discount.accelerator}` is no known accelerator; state one such as H100 or H100-SXM."


def _is_known_model(discount: ContractDiscount) -> bool:
    is_quoted = Quote.objects.filter(provider=discount.provider, accelerator=discount.accelerator).exists()
    return is_quoted or match_accelerator(discount.accelerator) is not None


def _refuse_overlap(discount: ContractDiscount) -> None:
    others = discounts_all().filter(provider=discount.provider, is_archived=False).exclude(pk=discount.pk)
    for other in others.order_by("code"):
        if scopes_meet(discount, other) and periods_meet(discount, other):
            until = f"to {other.valid_until}" if other.valid_until else "without end"
            message = (
                f"`{discount.code}` and `{other.code}` would both hold for the same offer: `{other.code}` is valid "
                f"from {other.valid_from} {until} ({other.time_zone}). Narrow one of them, or end it first."
            )
            raise ProcurementError("discount_overlap", message, {"valid_from": [message]})


def _refuse_impossible(discount: ContractDiscount) -> None:
    """Refuse a discount that leaves no price above 0, or speaks another currency, for an offer in force."""
    refused = []
    for quote in quotes_covered(discount):
        less = less_discount(price_row(quote), discount, [])
        if isinstance(less, Reason) and less.code != "discount_no_hours":
            refused.append(f"{quote.code}: {less.message}")
    if refused:
        more = f"; and {len(refused) - NAMED_AT_MOST} more" if len(refused) > NAMED_AT_MOST else ""
        message = f"It cannot be taken off {len(refused)} of the offers it is for: {'; '.join(refused[:NAMED_AT_MOST])}"
        name = "discount_percent" if discount.discount_percent is not None else "discount_per_accelerator_hour"
        raise ProcurementError("discount_impossible", f"{message}{more}.", {name: [f"{message}{more}."]})


def _one_at_a_time(discount: ContractDiscount) -> None:
    """Let whoever writes another discount of the supplier wait, so that two cannot meet unseen."""
    if discount.provider_id is not None:
        list(Provider.objects.select_for_update().filter(pk=discount.provider_id))
