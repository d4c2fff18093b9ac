"""Currencies and dated exchange rates of a sheet."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from providers.errors import ProviderError

_PATH = Path(__file__).resolve().parent / "data" / "currencies.csv"


def _codes() -> frozenset[str]:
    with _PATH.open(encoding="utf-8", newline="") as lines:
        return frozenset(row["currency"] for row in csv.DictReader(lines))


CURRENCIES = _codes()
CATALOG_CURRENCY = "USD"  # catalogs of many sellers state none; theirs is USD
LISTED_IN_EURO = frozenset({"ovh", "scaleway", "seeweb"})  # on their own price pages


@dataclass(frozen=True, slots=True)
class Rate:
    """A dated exchange rate: one `base` costs `rate` `counter`."""

    base: str
    counter: str
    rate: Decimal
    on: date
    source: str = ""


def is_currency(code: str) -> bool:
    """Return whether a text is the code of a currency in use (ISO 4217)."""
    return code in CURRENCIES


def catalog_currency(catalog: str, seller: str, said: str | None) -> tuple[str, list[str]]:
    """Return the currency of a seller's catalog, and a note where its amounts may be those of the seller's own list.

    Raises
    ------
    ProviderError
        When a person says another currency than the catalog's, of a seller who lists in that.
    """
    if seller in LISTED_IN_EURO:
        doubt = (
            f"{catalog} catalogs are in {CATALOG_CURRENCY}, but {seller} lists in EUR: say the currency if it is EUR"
        )
        return said or CATALOG_CURRENCY, [] if said else [doubt]
    if said not in (None, CATALOG_CURRENCY):
        message = f"{catalog} catalogs are in {CATALOG_CURRENCY}, not in {said}; leave the currency out"
        raise ProviderError(message)
    return CATALOG_CURRENCY, []


def find_rate(rates: Iterable[Rate], currency: str, counter: str, day: date) -> Rate | None:
    """Return the latest rate from one currency to another that is not after a day, straight or inverted.

    Raises
    ------
    ProviderError
        When a rate is not above zero, or exactly 1 between two currencies: a placeholder, not a rate.
    """
    if currency == counter:
        return Rate(currency, counter, Decimal(1), day, "same currency")
    found: Rate | None = None
    for rate in rates:
        if {rate.base, rate.counter} != {currency, counter} or rate.on > day:
            continue
        if rate.rate <= 0 or rate.rate == 1:
            message = f"the rate {rate.base} to {rate.counter} of {rate.on} is {rate.rate}; state the true rate"
            raise ProviderError(message)
        straight = rate if rate.base == currency else Rate(currency, counter, 1 / rate.rate, rate.on, rate.source)
        if found is None or straight.on > found.on:
            found = straight
    return found
