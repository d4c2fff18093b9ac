"""The price per accelerator-hour: always derived, with every step written down."""

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from providers.cells import plain
from providers.sheet import Reason

HOURS_PER_YEAR = 8_760  # 365 x 24, the year of reservations and of AWS amortisation
MONTHS_PER_YEAR = 12
DERIVED_PLACES = Decimal("1e-10")  # of a derived rate; the stated price keeps its own digits
ROUNDING = Context(prec=80, rounding=ROUND_HALF_UP)  # more digits than any price has
BASIS_WORDS = {
    "per_accelerator_hour": "per accelerator-hour",
    "per_instance_hour": "per instance-hour",
    "per_slice_hour": "per slice-hour",
    "per_month": "per instance-month",
    "term_total": "for the whole term",
}


def rounded(value: Decimal) -> Decimal:
    """Return a derived rate at the places it is kept with, without zeros at its end."""
    return Decimal(plain(ROUNDING.quantize(value, DERIVED_PLACES)))


def term_hours(term_months: int) -> Decimal:
    """Return the hours of a term: 12 months are 8,760 hours."""
    return Decimal(term_months * HOURS_PER_YEAR) / MONTHS_PER_YEAR


def hourly(price: Decimal, row: dict[str, Any], steps: list[str]) -> Decimal | Reason:
    """Return a price per hour of its unit, or the reason why it has none; each step is appended to `steps`."""
    basis = row["price_basis"]
    if basis == "per_month":
        hours = row.get("price_hours_per_month")
        if not hours:
            return Reason(
                "month_hours_missing",
                "a price per month without the hours that month has",
                "state price_hours_per_month: 672, 720, 730 or 744",
            )
        steps.append(f"/ {plain(hours)} hours of the month")
        price = price / hours
    elif basis == "term_total":
        if not row.get("term_months"):
            return _term_missing("a total for a term of unknown length")
        hours = term_hours(row["term_months"])
        steps.append(f"/ {plain(hours)} hours of {row['term_months']} months")
        price = price / hours
    upfront = row.get("upfront")
    if upfront:
        if not row.get("term_months"):
            return _term_missing("an upfront payment without a term to spread it over")
        hours = term_hours(row["term_months"])
        steps.append(f"+ {plain(upfront)} upfront / {plain(hours)} hours of {row['term_months']} months")
        price = price + upfront / hours
    return price


def _term_missing(message: str) -> Reason:
    return Reason("term_missing", message, "state term_months")


def per_accelerator_hour(row: dict[str, Any], steps: list[str]) -> Decimal | Reason:
    """Return the price per accelerator-hour [currency per hour], or the reason why it cannot be derived.

    Parameters
    ----------
    row : dict
        Contract columns with `price` above or, beside an upfront payment, equal to zero.
    steps : list of str
        What was done so far; the steps from here on are appended.
    """
    price = hourly(row["price"], row, steps)
    if isinstance(price, Reason) or row["price_basis"] == "per_accelerator_hour":
        return price if isinstance(price, Reason) else rounded(price)
    count = row.get("accelerators_per_instance")
    if not count:
        return Reason(
            "count_missing",
            "a price per instance without the number of its accelerators",
            "state accelerators_per_instance, or map the SKU",
        )
    steps.append(f"/ {plain(rounded(count))} accelerators")
    return rounded(price / count)


def derive_rate(quote: Mapping[str, Any]) -> tuple[Decimal, list[str]] | Reason:
    """Return the rate of a quote with its steps, or the reason why there is none: for rows that a person completes.

    Parameters
    ----------
    quote : mapping
        Contract columns as `Held.quote` has them.
    """
    price = quote.get("price")
    if price is None or price < 0 or (price == 0 and not quote.get("upfront")):
        return Reason("price_missing", "no price above zero is stated", "state the price")
    steps = [f"{plain(price)} {quote.get('currency') or '?'} {BASIS_WORDS[quote['price_basis']]}"]
    rate = per_accelerator_hour(dict(quote), steps)
    return rate if isinstance(rate, Reason) else (rate, steps)
