"""Writes of quotes: a new offer, a new version that supersedes, archive."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from procurement.models import Quote
from procurement.permissions import require
from procurement.selectors.discounts import PRICE_FIELDS as PRICE_FIELDS
from procurement.selectors.discounts import price_row
from procurement.services.actors import Actor
from procurement.services.audit import field_changes
from procurement.services.checks import quote_check
from procurement.services.records import record_create, record_update, version_conflict
from procurement.services.runs import recompute_request
from providers import Reason
from providers.contract import KEY_COLUMNS, row_key
from providers.rates import BASIS_WORDS, per_accelerator_hour

OWN_FIELDS = {"id", "version", "is_current", "supersedes", "created_at", "modified_at", "created_by", "reason"}


def quote_create(*, by: Actor, values: Mapping[str, Any]) -> Quote:
    """Store a new offer as version 1; a code is made from provider, SKU and model when none is given."""
    require(by.user, "quote.edit")
    quote = Quote(**values)
    quote.reason = by.reason[:300]
    quote.code = quote.code or _free_code(quote)
    quote.row_key = row_key({name: getattr(quote, name) for name in KEY_COLUMNS} | {"provider": quote.provider.code})
    quote_derive(quote)
    with transaction.atomic():
        quote = record_create(by=by, record=quote, action="quote.create", check=quote_check)
        recompute_request(by=by, cause=f"quote {quote.code} added")
    return quote


def quote_supersede(*, by: Actor, quote: Quote, version: int, values: Mapping[str, Any]) -> Quote:
    """Append a new version with the changed values and take the old one out of force; the old stays readable.

    Raises
    ------
    VersionConflict
        When ``version`` is no longer the one in force; carries both values of every field that differs.
    """
    require(by.user, "quote.edit")
    with transaction.atomic():
        current = Quote.objects.select_for_update().get(code=quote.code, is_current=True)
        if current.version != version:
            raise version_conflict(current, values)
        kept = {
            field.name: getattr(current, field.name)
            for field in Quote._meta.concrete_fields
            if field.name not in OWN_FIELDS
        }
        successor = Quote(
            **{**kept, **values}, version=current.version + 1, supersedes=current, reason=by.reason[:300],
            created_by=by.user,
        )  # fmt: skip
        before = {name: current._meta.get_field(name).value_from_object(current) for name in values}
        changes = field_changes(successor, before)
        if not changes:
            return current
        quote_derive(successor)
        Quote.objects.filter(pk=current.pk).update(is_current=False, modified_at=timezone.now())
        record_create(by=by, record=successor, action="quote.supersede", check=quote_check, changes=changes)
        recompute_request(by=by, cause=f"quote {successor.code} re-quoted")
    return successor


def quote_archive(*, by: Actor, quote: Quote, version: int, is_archived: bool = True) -> Quote:
    """Take an offer out of every comparison, or bring it back; no version is deleted."""
    require(by.user, "quote.edit")
    with transaction.atomic():
        archived = record_update(
            by=by, record=quote, version=version, values={"is_archived": is_archived}, action="quote.archive"
        )
        recompute_request(by=by, cause=f"quote {quote.code} {'archived' if is_archived else 'restored'}")
    return archived


def quote_derive(quote: Quote) -> None:
    """Set the hourly price per accelerator and its derivation; both stay empty when the record does not allow it."""
    row = price_row(quote)
    steps = [f"{row['price'].normalize():f} {quote.currency} {BASIS_WORDS.get(quote.price_basis, quote.price_basis)}"]
    rate = per_accelerator_hour(row, steps)
    quote.price_per_accelerator_hour = None if isinstance(rate, Reason) else rate  # type: ignore[assignment]
    result = rate.message if isinstance(rate, Reason) else f"{rate:f} {quote.currency} per accelerator-hour"
    quote.derivation = {"raw": {"price": str(row["price"])}, "steps": steps, "result": result}


def _free_code(quote: Quote) -> str:
    parts = (quote.provider.code, quote.sku or quote.accelerator, quote.region, quote.purchase_model)
    stem = slugify("-".join(part for part in parts if part))[:140] or "quote"
    taken = set(Quote.objects.filter(code__startswith=stem).values_list("code", flat=True))
    if stem not in taken:
        return stem
    return next(f"{stem}-{number}" for number in range(2, len(taken) + 3) if f"{stem}-{number}" not in taken)
