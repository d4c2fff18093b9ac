"""Reads of what time alone changes in prices: offers and discounts that begin or end, and who is touched."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from django.db.models import QuerySet

from procurement.engine.bookability import quote_expires_on
from procurement.models import ContractDiscount, Decision, DecisionState, PriceWatch, Quote, Run
from procurement.selectors.assumptions import instant_of_evaluation, zone_of_evaluation
from procurement.selectors.discounts import holds_on
from procurement.selectors.option_names import option_parts
from procurement.selectors.quotes import (
    has_begun,
    quote_expiry,
    quotes_in_force,
    quotes_in_force_on,
    validity_ends_at,
)


@dataclass(frozen=True, slots=True)
class ExpiredQuote:
    """A quote of a frozen run that can no longer be signed; ``expires_on`` is its last day in ``time_zone``."""

    code: str
    provider: str
    expires_on: date
    is_stated: bool
    time_zone: str


@dataclass(frozen=True, slots=True)
class Turned:
    """What changed in the prices in force from one day to a later one, by time alone; each a list of codes."""

    expired: list[str]
    started: list[str]
    discounts_started: list[str]
    discounts_ended: list[str]

    @property
    def has_any(self) -> bool:
        """Whether an answer may have changed."""
        return any(getattr(self, field.name) for field in fields(self))


def price_watches() -> QuerySet[PriceWatch]:
    """Return what each night changed, newest first."""
    return PriceWatch.objects.all()


def prices_turned(since: date, day: date, time_zone: str) -> Turned:
    """Return what time changed in the prices in force after ``since`` until ``day``."""
    expired = [
        quote.code
        for quote in quotes_in_force_on(day)
        if since <= quote_expiry(quote, day, time_zone).expires_on < day and has_begun(quote, since)
    ]
    started = [
        quote.code
        for quote in quotes_in_force().order_by("code")
        if has_begun(quote, day) and not has_begun(quote, since)
    ]
    discounts = list(ContractDiscount.objects.filter(is_archived=False).order_by("code"))
    before = {discount.code for discount in discounts if holds_on(discount, since, time_zone)}
    after = {discount.code for discount in discounts if holds_on(discount, day, time_zone)}
    return Turned(expired, started, sorted(after - before), sorted(before - after))


def quotes_expired_of(run: Run, option: str, day: date) -> list[ExpiredQuote]:
    """Return the quotes that an option of a run rests on and that can no longer be signed, as the run froze them.

    A validity that was stated with a time zone of its own ends at midnight there, within a day of ours.
    """
    now, zone = instant_of_evaluation(), zone_of_evaluation()
    wanted = option_parts(option).quote
    quotes: Iterable[dict[str, Any]] = run.inputs.get("quotes") or ()
    found = []
    for quote in quotes:
        if quote["id"] != wanted:
            continue
        stated = quote.get("valid_until")
        expires_on = quote_expires_on(
            purchase_model=quote.get("purchase_model", "on_demand"), quoted_on=_day(quote.get("quoted_on")),
            valid_until=_day(stated),
        )  # fmt: skip
        provider = str(quote.get("provider") or "")
        version = _version_of(wanted, quote)
        ends_at = validity_ends_at(version) if version is not None else None
        if version is not None and ends_at is not None and now is not None and ends_at <= now:
            found.append(ExpiredQuote(wanted, provider, version.valid_until or day, True, version.time_zone))
        elif expires_on is not None and expires_on < day:
            found.append(ExpiredQuote(wanted, provider, expires_on, stated is not None, zone))
    return found


def _version_of(code: str, frozen: dict[str, Any]) -> Quote | None:
    """Return the newest version that a run froze, where it has a time zone of its own."""
    quoted_on = _day(frozen.get("quoted_on"))
    if quoted_on is None:
        return None
    zoned = Quote.objects.filter(code=code, quoted_on=quoted_on).exclude(time_zone="")
    return zoned.order_by("-version").first()


def decisions_on_expired_quotes(day: date) -> list[Decision]:
    """Return proposed decisions that rest on a quote which can no longer be signed."""
    proposed = Decision.objects.filter(state=DecisionState.PROPOSED).select_related("run").order_by("code")
    return [decision for decision in proposed if quotes_expired_of(decision.run, decision.option, day)]


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
