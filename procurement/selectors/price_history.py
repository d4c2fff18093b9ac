"""The price of one offer through time: every version, what was paid after discount, and when no price held."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from procurement.engine.quote_terms import age_limit_days
from procurement.models import Quote, SheetState
from procurement.selectors.discounts import discounted_price, period
from procurement.selectors.prices import PriceBook, price_book
from procurement.selectors.quotes import quote_expiry, quote_versions
from providers.cells import plain
from providers.own_table import guarded

ONE_DAY = timedelta(days=1)
COLUMNS = (
    "offer", "version", "from_on", "until_on", "state", "why", "currency", "price", "price_basis",
    "list_price_per_accelerator_hour", "price_per_accelerator_hour", "discount", "quoted_on", "valid_until", "source",
    "reason",
)  # fmt: skip
HELD, GAP, PASSED_OVER, WAITING = "held", "gap", "replaced", "waiting"


@dataclass(frozen=True, slots=True)
class PricePeriod:
    """Some days on which one price held, or on which none did and why. Prices are in the offer's own currency."""

    quote: Quote
    from_on: date
    until_on: date
    state: str
    why: str
    list_rate: Decimal | None = None
    rate: Decimal | None = None
    discount: str = ""

    @property
    def is_gap(self) -> bool:
        """Whether no price held."""
        return self.state == GAP

    def row(self) -> dict[str, Any]:
        """Return the period as a row of the table of COLUMNS."""
        quote = self.quote
        return {
            "offer": quote.code, "version": quote.version, "from_on": self.from_on, "until_on": self.until_on,
            "state": self.state, "why": self.why, "currency": quote.currency, "price": quote.price,
            "price_basis": quote.price_basis, "list_price_per_accelerator_hour": self.list_rate,
            "price_per_accelerator_hour": self.rate, "discount": self.discount, "quoted_on": quote.quoted_on,
            "valid_until": quote.valid_until, "source": quote.source, "reason": quote.reason,
        }  # fmt: skip


def price_history(code: str, book: PriceBook | None = None) -> list[PricePeriod]:
    """Return the periods of an offer from its first version until the day of evaluation, oldest first.

    A version begins on its first day: stated, else the day it was quoted, or entered where it was seen again since. It
    ends when the next one begins or when it can no longer be signed; the days between are a gap.
    """
    book = book or price_book()
    versions = list(quote_versions(code).order_by("version"))
    starts = [first_day(version) for version in versions]
    found: list[PricePeriod] = []
    for index, version in enumerate(versions):
        later = [start for start in starts[index + 1 :] if start <= book.day]
        found += _periods_of(version, starts[index], min(later, default=None), book)
    return sorted(found, key=lambda period: (period.from_on, period.quote.version))


def first_day(quote: Quote) -> date:
    """Return the first day of a version."""
    seen = min(quote.quoted_on, quote.created_at.date())
    return max(seen, quote.valid_from) if quote.valid_from else seen


def _periods_of(version: Quote, start: date, next_start: date | None, book: PriceBook) -> list[PricePeriod]:
    if start > book.day:
        return [PricePeriod(version, start, start, WAITING, f"begins on {start}")]
    if next_start is not None and next_start <= start:
        return [PricePeriod(version, start, start, PASSED_OVER, "replaced before it held for a day")]
    last = book.day if next_start is None else next_start - ONE_DAY
    if version.sheet is not None and version.sheet.state == SheetState.UNDONE:
        return [PricePeriod(version, start, last, GAP, "taken back: its import was undone")]
    if version.is_current and version.is_archived:
        return _until_archived(version, start, last, book)
    return _until_expired(version, start, last, book)


def _until_archived(version: Quote, start: date, last: date, book: PriceBook) -> list[PricePeriod]:
    """Return the days of an offer that is out of use: those before it was, then a gap."""
    out_on = version.modified_at.date()
    found = _until_expired(version, start, min(last, out_on), book) if start <= out_on else []
    if out_on < last:
        found.append(PricePeriod(version, max(out_on + ONE_DAY, start), last, GAP, f"taken out of use on {out_on}"))
    return found


def _until_expired(version: Quote, start: date, last: date, book: PriceBook) -> list[PricePeriod]:
    expires_on = quote_expiry(version, book.day, book.time_zone, book.now).expires_on
    found = _held(version, start, min(last, expires_on), book) if expires_on >= start else []
    if expires_on < last:
        found.append(PricePeriod(version, max(expires_on + ONE_DAY, start), last, GAP, _why_no_price(version)))
    return found


def _why_no_price(version: Quote) -> str:
    if version.valid_until is not None:
        return f"expired: valid until {version.valid_until} {version.time_zone}".rstrip()
    days = age_limit_days(version.purchase_model)
    limit = f"{days} day" if days == 1 else f"{days} days"
    return f"too old: {version.get_purchase_model_display().lower()} counts for {limit} after {version.quoted_on}"


def _held(version: Quote, start: date, last: date, book: PriceBook) -> list[PricePeriod]:
    """Return the days on which a version held, parted where a discount begins or ends."""
    found: list[PricePeriod] = []
    for begin, after in pairwise([*_turns(version, start, last, book), last + ONE_DAY]):
        paid = discounted_price(version, book.discounts, begin, book.time_zone)
        names = ", ".join(discount.code for discount in paid.discounts) if paid.is_discounted else ""
        period_held = PricePeriod(
            version, begin, after - ONE_DAY, HELD, paid.fault, version.price_per_accelerator_hour,
            paid.price_per_accelerator_hour, names,
        )  # fmt: skip
        before = found[-1] if found else None
        if before is not None and (before.rate, before.discount, before.why) == (
            period_held.rate, names, paid.fault,
        ):  # fmt: skip
            found[-1] = replace(before, until_on=period_held.until_on)
        else:
            found.append(period_held)
    return found


def _turns(version: Quote, start: date, last: date, book: PriceBook) -> list[date]:
    """Return the days on which what is paid may change: the first one, and those around a discount's ends.

    Where zones differ a day counts only when the discount holds through all of it, hence the day before and after too.
    """
    days = {start}
    for discount in book.discounts.get(version.provider_id, ()):
        for moment in period(discount):
            if moment is not None:
                near = (moment.date() + shift * ONE_DAY for shift in (-1, 0, 1))
                days |= {day for day in near if start < day <= last}
    return sorted(days)


def history_csv(periods: Iterable[PricePeriod]) -> bytes:
    """Return periods as CSV in the columns of COLUMNS; texts are guarded against formulas, numbers stay numbers."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\r\n")
    lines.writerow(COLUMNS)
    for shown in periods:
        row = shown.row()
        lines.writerow([_cell(row[name]) for name in COLUMNS])
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return plain(value)
    return guarded(str(value))
