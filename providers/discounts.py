"""What a contract discount leaves of a stated price, in the price's own basis, with every step written down."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from providers.cells import plain
from providers.rates import BASIS_WORDS, rounded, term_hours
from providers.sheet import Reason

WHOLE = Decimal(100)  # per cent
ZERO = Decimal(0)


def percent_off(row: Mapping[str, Any], percent: Decimal, steps: list[str]) -> dict[str, Any] | Reason:
    """Return the row with price and upfront payment lowered by a share of each.

    Parameters
    ----------
    row : mapping
        Contract columns with the list price.
    percent : Decimal
        Share taken off, above 0 and below 100 [%].
    steps : list of str
        What was done so far; the steps from here on are appended.
    """
    if not 0 < percent < WHOLE:
        return Reason("discount_no_share", f"{plain(percent)} % is no share", "state more than 0 and less than 100 %")
    left = (WHOLE - percent) / WHOLE
    found = {**row, "price": rounded(row["price"] * left), "upfront": rounded((row.get("upfront") or ZERO) * left)}
    if row["price"] > 0 >= found["price"]:
        return _nothing_left(row, f"{plain(percent)} %")
    paid = "the price and what is paid up front" if row.get("upfront") else "the price"
    steps.append(f"- {plain(percent)} % of {paid}")
    return found


def amount_off(row: Mapping[str, Any], amount: Decimal, currency: str, steps: list[str]) -> dict[str, Any] | Reason:
    """Return the row with the price lowered by an amount per accelerator-hour, brought to the price's own basis.

    Parameters
    ----------
    row : mapping
        Contract columns with the list price; an upfront payment stays as it is.
    amount : Decimal
        Taken off each accelerator-hour, above 0 [currency].
    currency : str
        Currency of the amount: a price in another one is not lowered by it.
    steps : list of str
        What was done so far; the steps from here on are appended.
    """
    if row["currency"] != currency:
        message = f"an amount in {currency} cannot be taken off a price in {row['currency']}"
        return Reason("discount_other_currency", message, f"state the discount in {row['currency']} or in per cent")
    hours = accelerator_hours(row)
    if isinstance(hours, Reason):
        return hours
    off = amount * hours
    words = f"{plain(amount)} {currency} per accelerator-hour"
    price = rounded(row["price"] - off)
    if price <= 0:
        return _nothing_left(row, words)
    times = "" if hours == 1 else f" x {plain(rounded(hours))} accelerator-hours = {plain(off)} {currency}"
    steps.append(f"- {words}{times}")
    return {**row, "price": price}


def accelerator_hours(row: Mapping[str, Any]) -> Decimal | Reason:
    """Return how many accelerator-hours one unit of the price basis holds, or why that is not known."""
    basis = row["price_basis"]
    if basis == "per_accelerator_hour":
        return Decimal(1)
    count = row.get("accelerators_per_instance")
    if not count:
        return _missing("accelerators_per_instance", basis)
    if basis == "per_month":
        month = row.get("price_hours_per_month")
        return count * month if month else _missing("price_hours_per_month", basis)
    if basis == "term_total":
        term = row.get("term_months")
        return count * term_hours(term) if term else _missing("term_months", basis)
    return Decimal(count)


def _missing(column: str, basis: str) -> Reason:
    words = BASIS_WORDS[basis]
    return Reason("discount_no_hours", f"a price {words} without {column} holds no known hours", f"state {column}")


def _nothing_left(row: Mapping[str, Any], words: str) -> Reason:
    price = f"{plain(row['price'])} {row['currency']} {BASIS_WORDS[row['price_basis']]}"
    return Reason("discount_leaves_nothing", f"{words} off {price} leaves no price above 0", "state a smaller discount")
