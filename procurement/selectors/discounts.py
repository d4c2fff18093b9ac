"""Reads of contract discounts: which one a price has on a day, and what it leaves of the price."""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import QuerySet

from procurement.models import ContractDiscount, Quote
from providers import Reason
from providers.cells import plain
from providers.discounts import amount_off, percent_off
from providers.rates import BASIS_WORDS, per_accelerator_hour
from providers.reference import accelerator_accepts

PRICE_FIELDS = (
    "price", "price_basis", "accelerators_per_node", "accelerators_per_instance", "price_hours_per_month",
    "term_months", "upfront",
)  # fmt: skip
WORDS_OF_SCOPE = (("accelerator", "{}"), ("purchase_model", "{}"), ("region", "in {}"), ("sku_pattern", "SKU {}"))


@dataclass(frozen=True, slots=True)
class DiscountedPrice:
    """What is paid on a day, and how that follows from the list price, which stays as it was stated.

    Without a discount both are the same and ``steps`` is empty. ``fault`` says why a discount that is meant for the
    price was not taken off; then the list price holds.
    """

    list_price: Decimal
    price: Decimal
    list_upfront: Decimal
    upfront: Decimal
    price_per_accelerator_hour: Decimal | None
    discounts: tuple[ContractDiscount, ...] = ()
    steps: tuple[str, ...] = ()
    fault: str = ""
    valid_until: date | None = None

    @property
    def is_discounted(self) -> bool:
        """Whether less than the list price is paid."""
        return bool(self.steps) and not self.fault


def discounts_all() -> QuerySet[ContractDiscount]:
    """Return all discounts with their suppliers."""
    return ContractDiscount.objects.select_related("provider", "created_by")


def discounts_in_use() -> dict[int, list[ContractDiscount]]:
    """Return the discounts that are not archived by the key of their supplier, whatever their days."""
    found: dict[int, list[ContractDiscount]] = {}
    for discount in discounts_all().filter(is_archived=False).order_by("code"):
        found.setdefault(discount.provider_id, []).append(discount)
    return found


def quotes_covered(discount: ContractDiscount) -> list[Quote]:
    """Return the offers in force that a discount is for, whatever its days."""
    quotes = Quote.objects.filter(is_current=True, is_archived=False, provider_id=discount.provider_id)
    return [quote for quote in quotes.order_by("code") if covers(discount, quote)]


def scope_words(discount: ContractDiscount) -> str:
    """Return what a discount is for, in words."""
    values = {name: getattr(discount, name) for name, _ in WORDS_OF_SCOPE}
    values["purchase_model"] = discount.get_purchase_model_display() if discount.purchase_model else ""
    return ", ".join(words.format(values[name]) for name, words in WORDS_OF_SCOPE if values[name]) or "every offer"


def size_words(discount: ContractDiscount) -> str:
    """Return how much a discount takes off, in words."""
    if discount.discount_percent is not None:
        return f"{plain(Decimal(discount.discount_percent))} %"
    amount = Decimal(discount.discount_per_accelerator_hour or 0)
    return f"{plain(amount)} {discount.currency} per accelerator-hour"


# --- whether a discount holds ---


def covers(discount: ContractDiscount, quote: Quote) -> bool:
    """Return whether a discount is for an offer, whatever the day."""
    return (
        discount.provider_id == quote.provider_id
        and (not discount.purchase_model or discount.purchase_model == quote.purchase_model)
        and (not discount.region or discount.region.casefold() == (quote.region or "").casefold())
        and (not discount.sku_pattern or bool(_pattern(discount.sku_pattern).fullmatch(quote.sku or "")))
        and (not discount.accelerator or accelerator_accepts(discount.accelerator, quote.accelerator))
    )


def scopes_meet(one: ContractDiscount, other: ContractDiscount) -> bool:
    """Return whether an offer could exist that both discounts are for."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in ("purchase_model", "region")]
    return (
        one.provider_id == other.provider_id
        and all(not mine or not theirs or mine.casefold() == theirs.casefold() for mine, theirs in pairs)
        and _models_meet(one.accelerator, other.accelerator)
        and patterns_meet(one.sku_pattern or "*", other.sku_pattern or "*")
    )


def periods_meet(one: ContractDiscount, other: ContractDiscount) -> bool:
    """Return whether both discounts hold at any instant; their days may be those of different zones."""
    (first, last), (begin, end) = period(one), period(other)
    return (end is None or first < end) and (last is None or begin < last)


def period(discount: ContractDiscount) -> tuple[datetime, datetime | None]:
    """Return the first instant of a discount and the first instant after it, ``None`` where it has no end."""
    zone = ZoneInfo(discount.time_zone)
    begin = datetime.combine(discount.valid_from, time(), zone)
    until = discount.valid_until
    return begin, None if until is None else datetime.combine(until + timedelta(days=1), time(), zone)


def holds_on(discount: ContractDiscount, day: date, time_zone: str) -> bool:
    """Return whether a discount holds through all of a day: no price rests on one that ends before the day does."""
    begin, end = period(discount)
    first, after = _day(day, time_zone)
    return begin <= first and (end is None or after <= end)


def last_day(discount: ContractDiscount, time_zone: str) -> date | None:
    """Return the last day of a zone through which a discount holds, ``None`` where it has no end."""
    _, end = period(discount)
    if end is None:
        return None
    day = end.astimezone(ZoneInfo(time_zone)).date()
    return day - timedelta(days=1)


def patterns_meet(one: str, other: str) -> bool:
    """Return whether some text fits both patterns of `*` and `?`."""
    one, other = one.casefold(), other.casefold()
    reachable = {(0, 0)}
    waiting = [(0, 0)]
    while waiting:
        here, there = waiting.pop()
        for step in _steps(one, here, other, there):
            if step not in reachable:
                reachable.add(step)
                waiting.append(step)
    return (len(one), len(other)) in reachable


def _steps(one: str, here: int, other: str, there: int) -> Iterable[tuple[int, int]]:
    mine = one[here] if here < len(one) else ""
    theirs = other[there] if there < len(other) else ""
    if mine == "*":
        yield here + 1, there  # it stands for nothing more
        if theirs and theirs != "*":
            yield here, there + 1
    if theirs == "*":
        yield here, there + 1
        if mine and mine != "*":
            yield here + 1, there
    if mine and theirs and "*" not in (mine, theirs) and (mine == theirs or "?" in (mine, theirs)):
        yield here + 1, there + 1


def _pattern(text: str) -> re.Pattern[str]:
    parts = (".*" if letter == "*" else "." if letter == "?" else re.escape(letter) for letter in text)
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)


def _models_meet(one: str, other: str) -> bool:
    return not one or not other or accelerator_accepts(one, other) or accelerator_accepts(other, one)


def _day(day: date, time_zone: str) -> tuple[datetime, datetime]:
    zone = ZoneInfo(time_zone)
    return datetime.combine(day, time(), zone), datetime.combine(day + timedelta(days=1), time(), zone)


# --- what it leaves of the price ---


def discounted_price(
    quote: Quote, discounts: Mapping[int, Sequence[ContractDiscount]], day: date, time_zone: str
) -> DiscountedPrice:
    """Return what an offer costs on a day with the discount that holds for it; with none, the list price.

    ``discounts`` are those in use, as `discounts_in_use` gives them. Two discounts for one offer are a fault that names
    both: neither is taken off.
    """
    found = [
        discount
        for discount in discounts.get(quote.provider_id, ())
        if holds_on(discount, day, time_zone) and covers(discount, quote)
    ]
    row = price_row(quote)
    if not found:
        return _priced(quote, row, row)
    if len(found) > 1:
        names = " and ".join(f"`{discount.code}`" for discount in found)
        fault = f"discounts {names} all hold for {quote.code} on {day}; narrow one of them. The list price holds."
        return _priced(quote, row, row, tuple(found), (), fault)
    discount, steps = found[0], [_list_words(row)]
    less = less_discount(row, discount, steps)
    if isinstance(less, Reason):
        fault = f"discount `{discount.code}` was not taken off: {less.message}; {less.release}. The list price holds."
        return _priced(quote, row, row, (discount,), (), fault)
    until = last_day(discount, time_zone)
    ends = f"until {until} {time_zone}" if until else "without end"
    steps[-1] += f" by contract discount {discount.code} version {discount.version} ({discount.source}), {ends}"
    steps.append(f"= {_price_words(less)}")
    return _priced(quote, row, less, (discount,), tuple(steps), valid_until=until)


def less_discount(row: Mapping[str, Any], discount: ContractDiscount, steps: list[str]) -> dict[str, Any] | Reason:
    """Return a price row less a discount, or the reason why the discount cannot be taken off it."""
    if discount.discount_percent is not None:
        return percent_off(row, Decimal(discount.discount_percent), steps)
    amount = Decimal(discount.discount_per_accelerator_hour or 0)
    return amount_off(row, amount, discount.currency, steps)


def price_row(quote: Quote) -> dict[str, Any]:
    """Return what the price of an offer is derived from."""
    row = {name: field.to_python(getattr(quote, name)) for name, field in _price_fields().items()}
    return {**row, "currency": quote.currency}


@functools.cache
def _price_fields() -> dict[str, Any]:
    """Return the fields that a price is derived from; a run asks for them once a quote."""
    return {field.name: field for field in Quote._meta.concrete_fields if field.name in PRICE_FIELDS}


def _priced(  # noqa: PLR0913 - the price before and after, and what is said of it
    quote: Quote,
    row: Mapping[str, Any],
    less: Mapping[str, Any],
    discounts: tuple[ContractDiscount, ...] = (),
    steps: tuple[str, ...] = (),
    fault: str = "",
    valid_until: date | None = None,
) -> DiscountedPrice:
    rate: Any = quote.price_per_accelerator_hour
    if steps:
        told: list[str] = []
        rate = per_accelerator_hour(dict(less), told)
        rate = None if isinstance(rate, Reason) else rate
        if rate is not None and told:
            steps = (*steps, *told, f"= {plain(rate)} {quote.currency} per accelerator-hour")
    return DiscountedPrice(
        list_price=row["price"], price=less["price"], list_upfront=row["upfront"], upfront=less["upfront"],
        price_per_accelerator_hour=rate, discounts=discounts, steps=steps, fault=fault, valid_until=valid_until,
    )  # fmt: skip


def _list_words(row: Mapping[str, Any]) -> str:
    return f"list price {_price_words(row)}"


def _price_words(row: Mapping[str, Any]) -> str:
    words = f"{plain(row['price'])} {row['currency']} {BASIS_WORDS[row['price_basis']]}"
    return f"{words}, {plain(row['upfront'])} {row['currency']} up front" if row.get("upfront") else words
