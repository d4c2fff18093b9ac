"""What offers cost on a day: list price, after discount, in the base currency, for how long, and what is wrong."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from procurement.models import ContractDiscount, Quote
from procurement.selectors.assumptions import (
    assumption_set_in_force,
    day_of_evaluation,
    instant_of_evaluation,
    zone_of_evaluation,
)
from procurement.selectors.discounts import DiscountedPrice, discounted_price, discounts_in_use
from procurement.selectors.exchange import BaseAmount, Exchange, exchange_of
from procurement.selectors.quotes import ExpiringQuote, has_begun, quote_expiry
from procurement.selectors.sources import PriceSource, price_sources_failing, sheets_kept_in_force


@dataclass(frozen=True, slots=True)
class PricedQuote:
    """One version of an offer as it stands on a day."""

    quote: Quote
    day: date
    time_zone: str
    expiry: ExpiringQuote
    paid: DiscountedPrice
    base: BaseAmount | None
    source: PriceSource | None

    @property
    def expires_on(self) -> date:
        """Return the last day on which it can be signed at this price."""
        ends = self.paid.valid_until
        return min(self.expiry.expires_on, ends) if ends and self.paid.is_discounted else self.expiry.expires_on

    @property
    def ends_at(self) -> datetime | None:
        """Return when it ends, where its last day was stated with a time zone and no discount ends before."""
        return self.expiry.ends_at if self.expires_on == self.expiry.expires_on else None

    @property
    def last_day(self) -> date:
        """Return the last day as it was stated, which is one of the zone of ``last_day_zone``."""
        return self.quote.valid_until if self.ends_at and self.quote.valid_until else self.expires_on

    @property
    def last_day_zone(self) -> str:
        """Return the zone in which the last day ends."""
        return self.quote.time_zone if self.ends_at else self.time_zone

    @property
    def is_stated(self) -> bool:
        """Whether the supplier stated its end."""
        return self.expiry.is_stated

    @property
    def is_expired(self) -> bool:
        """Whether it can no longer be signed."""
        return self.expires_on < self.day

    @property
    def too_old_since(self) -> date | None:
        """Return the first day on which the price was older than its way of buying allows, ``None`` while it is not."""
        is_too_old = self.is_expired and not self.is_stated
        return self.expires_on + timedelta(days=1) if is_too_old else None

    @property
    def waits_until(self) -> date | None:
        """Return the first day of a price that has not begun, ``None`` once it has."""
        if has_begun(self.quote, self.day):
            return None
        return max(self.quote.quoted_on, self.quote.valid_from or self.quote.quoted_on)

    @property
    def steps(self) -> list[str]:
        """Return how the price per accelerator-hour follows from what was stated: raw value, steps, result."""
        if self.paid.steps:
            return list(self.paid.steps)
        told = self.quote.derivation or {}
        steps, result = [str(step) for step in told.get("steps") or ()], told.get("result")
        return [*steps, f"= {result}"] if result else steps

    @property
    def problems(self) -> list[str]:
        """Return what keeps the price from being compared, in words."""
        found = [self.paid.fault] if self.paid.fault else []
        if self.base is not None and self.base.problem:
            found.append(self.base.problem)
        return found


@dataclass(frozen=True, slots=True)
class PriceBook:
    """What every price of a day is read with, loaded once."""

    day: date
    time_zone: str
    now: datetime | None
    exchange: Exchange | None
    discounts: Mapping[int, Sequence[ContractDiscount]]
    failing: Mapping[int, PriceSource]

    def priced(self, quote: Quote) -> PricedQuote:
        """Return an offer as it stands on the day."""
        paid = discounted_price(quote, self.discounts, self.day, self.time_zone)
        rate = paid.price_per_accelerator_hour
        base = self.exchange.amount_in_base(rate, quote.currency) if self.exchange else None
        source = self.failing.get(quote.sheet_id) if quote.sheet_id else None
        expiry = quote_expiry(quote, self.day, self.time_zone, self.now)
        return PricedQuote(quote, self.day, self.time_zone, expiry, paid, base, source)

    def all_priced(self, quotes: Iterable[Quote]) -> list[PricedQuote]:
        """Return offers as they stand on the day."""
        return [self.priced(quote) for quote in quotes]


def price_book() -> PriceBook:
    """Return what the prices of the day of evaluation are read with."""
    assumption_set = assumption_set_in_force()
    day, zone = day_of_evaluation(assumption_set), zone_of_evaluation(assumption_set)
    failing = sheets_kept_in_force(price_sources_failing(day))
    now = instant_of_evaluation(assumption_set)
    return PriceBook(day, zone, now, exchange_of(assumption_set, day), discounts_in_use(), failing)
