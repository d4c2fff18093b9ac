"""Reads of quotes, price sheets and providers."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Max, Model, Q, QuerySet

from procurement.engine.bookability import quote_expires_on
from procurement.models import PriceSheet, Provider, Quote, SheetRow, SheetRowState
from procurement.selectors.assumptions import day_of_evaluation, instant_of_evaluation, zone_of_evaluation

INSTANT = timedelta(microseconds=1)
NO_END = date(9999, 1, 1)
# what says which version it is and where it was read, not what is offered
NOT_COMPARED = frozenset({
    "id", "version", "is_archived", "created_at", "modified_at", "created_by", "reason", "is_current", "supersedes",
    "row_key", "sheet", "source_line", "derivation", "flags", "code",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExpiringQuote:
    """A quote and the last day on which it can be signed: stated, or by the age limit of how it is bought.

    ``ends_at`` is the instant at which a validity ends that was stated with a time zone of its own.
    """

    quote: Quote
    expires_on: date
    days_left: int
    is_stated: bool
    ends_at: datetime | None = None


def quotes_in_force() -> QuerySet[Quote]:
    """Return the newest version of every offer that is not archived."""
    return Quote.objects.filter(is_current=True, is_archived=False).select_related("provider", "cluster", "sheet")


def has_begun(quote: Quote, day: date) -> bool:
    """Return whether a version's first day has come: stated, else the day it was quoted."""
    return quote.quoted_on <= day and (quote.valid_from is None or quote.valid_from <= day)


def quotes_in_force_on(day: date) -> list[Quote]:
    """Return the version of every offer that holds on a day, by code.

    A version that waits for its day leaves the one before it in force. Archived offers are left out, and those of which
    no version has begun.
    """
    newest = list(quotes_in_force().order_by("code"))
    found = [quote for quote in newest if has_begun(quote, day)]
    waiting = [quote.code for quote in newest if not has_begun(quote, day)]
    begun = quotes_all().filter(Q(valid_from__isnull=True) | Q(valid_from__lte=day), quoted_on__lte=day)
    found += begun.filter(code__in=waiting).order_by("code", "-version").distinct("code")
    return sorted(found, key=lambda quote: quote.code)


def quotes_all() -> QuerySet[Quote]:
    """Return every version of every offer."""
    return Quote.objects.select_related("provider", "cluster", "sheet")


def quote_versions(code: str) -> QuerySet[Quote]:
    """Return the versions of one offer, newest first."""
    return quotes_all().filter(code=code).order_by("-version")


def version_changes(quote: Quote) -> dict[str, tuple[Any, Any]]:
    """Return {column: (before, after)} of a version against the one it superseded; empty for a first version."""
    before = quote.supersedes
    if before is None:
        return {}
    names = [field.name for field in Quote._meta.concrete_fields if field.name not in NOT_COMPARED]
    pairs = {name: (_stated(before, name), _stated(quote, name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _stated(quote: Quote, name: str) -> Any:
    value = getattr(quote, name)
    if isinstance(value, Model):
        return value.code  # type: ignore[attr-defined]
    return None if value in ("", [], {}) else value


def validity_ends_at(quote: Quote) -> datetime | None:
    """Return the midnight that ends the last day of a quote in the zone stated with it, ``None`` without a zone."""
    if not quote.time_zone or quote.valid_until is None or quote.valid_until >= NO_END:
        return None
    return datetime.combine(quote.valid_until + timedelta(days=1), time(), ZoneInfo(quote.time_zone))


def quote_expiry(quote: Quote, as_of: date, time_zone: str, now: datetime | None = None) -> ExpiringQuote:
    """Return the last day of a zone on which a quote can be signed and how many days are left.

    A validity with a time zone of its own ends within a day of other zones: that day is the last one, and once the
    midnight has passed, by ``now``, the day before it is.
    """
    ends_at = validity_ends_at(quote)
    expires_on = quote_expires_on(
        purchase_model=quote.purchase_model, quoted_on=quote.quoted_on, valid_until=quote.valid_until
    )
    if ends_at is not None:
        expires_on = (ends_at - INSTANT).astimezone(ZoneInfo(time_zone)).date()
        if now is not None and ends_at <= now:
            expires_on = min(expires_on, as_of - timedelta(days=1))
    return ExpiringQuote(quote, expires_on, (expires_on - as_of).days, quote.valid_until is not None, ends_at)


def quote_time_zones() -> list[str]:
    """Return the time zones that were stated with a last day."""
    return list(
        Quote.objects.exclude(time_zone="").order_by("time_zone").values_list("time_zone", flat=True).distinct()
    )


def quotes_expiring(within_days: int, as_of: date | None = None) -> list[ExpiringQuote]:
    """Return offers in force that expire within the days asked for or have expired, soonest first."""
    now = instant_of_evaluation() if as_of is None else None
    as_of, zone = as_of or day_of_evaluation(), zone_of_evaluation()
    rows = (quote_expiry(quote, as_of, zone, now) for quote in quotes_in_force_on(as_of))
    return sorted((row for row in rows if row.days_left <= within_days), key=lambda row: (row.expires_on, row.quote.pk))


def quotes_valid_on(day: date) -> list[Quote]:
    """Return offers in force that can be signed on the day, if only for a part of it."""
    zone = zone_of_evaluation()
    return [quote for quote in quotes_in_force_on(day) if quote_expiry(quote, day, zone).days_left >= 0]


def price_sheets_all() -> QuerySet[PriceSheet]:
    """Return price sheets, newest first."""
    return PriceSheet.objects.select_related("provider", "received_by")


def sheet_rows_open(sheet: PriceSheet) -> QuerySet[SheetRow]:
    """Return held and faulty rows of a sheet by line; released ones are left out."""
    return sheet.rows.exclude(state=SheetRowState.RELEASED).order_by("line", "pk")


def providers_active() -> QuerySet[Provider]:
    """Return providers in use."""
    return Provider.objects.filter(is_archived=False)


def prices_newest_on() -> date | None:
    """Return the day of the newest quote in force."""
    return quotes_in_force().aggregate(newest=Max("quoted_on"))["newest"]
