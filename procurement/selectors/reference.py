"""Reads of the reference tables, for choosing and searching."""

import functools
from zoneinfo import available_timezones

from providers.reference import ACCELERATORS

CURRENCIES = ("USD", "EUR", "GBP", "CHF", "JPY", "INR", "CNY", "KRW", "SGD", "AED", "SEK", "NOK", "DKK", "CAD", "AUD")


def accelerator_names() -> list[str]:
    """Return the names of known accelerators."""
    return sorted(ACCELERATORS)


@functools.cache
def time_zone_names() -> tuple[str, ...]:
    """Return the time zones of places, and UTC first."""
    places = sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))
    return ("UTC", *places)
