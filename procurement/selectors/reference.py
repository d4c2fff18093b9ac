"""Reads of the reference tables, for choosing and searching."""

from providers.reference import ACCELERATORS

CURRENCIES = ("USD", "EUR", "GBP", "CHF", "JPY", "INR", "CNY", "KRW", "SGD", "AED", "SEK", "NOK", "DKK", "CAD", "AUD")


def accelerator_names() -> list[str]:
    """Return the names of known accelerators."""
    return sorted(ACCELERATORS)
