"""Held rows that a person lets count: the missing values, who stated them and why."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.models import Quote, SheetRow, SheetRowState, SheetState
from procurement.permissions import require
from procurement.services.actors import Actor, reason_required
from procurement.services.audit import audit_record
from procurement.services.price_sheet_offers import OfferBook
from procurement.services.price_sheet_publish import publish_rows
from procurement.services.quotes import PRICE_FIELDS, quote_derive
from procurement.services.runs import recompute_request
from providers.contract import row_key

NEEDED_TO_RELEASE = ("provider", "accelerator", "price", "price_basis", "currency", "purchase_model", "quoted_on")
INTAKE_FIELDS = {field.name for field in Quote._meta.concrete_fields}
NOT_TYPED = ("id", "provider", "cluster", "sheet")


def sheet_row_release(*, by: Actor, row: SheetRow, values: Mapping[str, Any]) -> Quote:
    """Let a held row count as a quote, with the missing values that a person states and why.

    Refuses a row that is not held, one of a sheet that is not imported, a release without a reason, and values that
    still make no quote.
    """
    require(by.user, "quote.edit")
    reason_required(by, "why this row may be trusted")
    with transaction.atomic():
        locked = SheetRow.objects.select_for_update().select_related("sheet").get(pk=row.pk)
        if locked.state != SheetRowState.HELD:
            raise ProcurementError("not_held", f"{locked} is {locked.get_state_display().lower()}, not held.")
        if locked.sheet.state != SheetState.IMPORTED:
            state = locked.sheet.get_state_display().lower()
            raise ProcurementError("not_imported", f"{locked.sheet} is {state}; its rows are released once imported.")
        quote = _published(locked, values, by)
        locked.state = SheetRowState.RELEASED
        locked.released_by = by.user
        locked.released_at = timezone.now()
        locked.release_reason = by.reason
        locked.save()
        audit_record(by=by, action="sheet_row.release", record=locked, changes={"state": ["held", "released"]})
        recompute_request(by=by, cause=f"{locked} released")
    return quote


def _published(row: SheetRow, values: Mapping[str, Any], by: Actor) -> Quote:
    resolved, faults = OfferBook().resolve({name: [value] for name, value in _released(row, values).items()})
    if faults:
        fields = {fault.column: [str(fault)] for fault in faults}
        raise ProcurementError("conflict", "; ".join(str(fault) for fault in faults), fields)
    quotes = publish_rows(record=row.sheet, rows=resolved, by=by)
    return quotes[0]


def _released(row: SheetRow, stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return a held row with what a person states, as typed quote columns; refuses what still makes no quote."""
    values = {**row.values, **stated}
    faults = {}
    for name in NEEDED_TO_RELEASE:
        if values.get(name) in (None, ""):
            faults[name] = [f"{row} has no {name}; state it."]
    for name, value in values.items():
        if name in INTAKE_FIELDS and name not in NOT_TYPED and value is not None:
            try:
                values[name] = Quote._meta.get_field(name).to_python(value)
            except ValidationError as error:
                faults[name] = error.messages
    price = values.get("price")
    if isinstance(price, Decimal) and not (price > 0 or (price == 0 and values.get("upfront"))):
        faults["price"] = [f"{price} is no price: state one above 0."]
    if faults:
        raise ProcurementError("invalid", "; ".join(text for texts in faults.values() for text in texts), faults)
    probe = Quote(**{name: values.get(name) for name in PRICE_FIELDS}, currency=values["currency"])
    quote_derive(probe)
    values |= {"price_per_accelerator_hour": probe.price_per_accelerator_hour, "derivation": probe.derivation}
    named = {"id": values.get("id") or f"{row.sheet_id}-{row.line}", "source_line": row.line}
    return {**values, **named, "row_key": row_key(values)}
