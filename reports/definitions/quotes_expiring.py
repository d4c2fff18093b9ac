"""Quotes in force that can soon no longer be signed."""

from collections.abc import Sequence

from procurement.models import Run
from procurement.selectors.quotes import quotes_expiring
from reports.base import Column, Filters, Row
from reports.places import PURCHASE_MODELS


class QuotesExpiring:
    """Offers that expire within the days asked for, or have expired, soonest first."""

    key = "quotes_expiring"
    title = "Quotes that expire"
    description = "Offers that can soon no longer be signed, soonest first; expired ones stay until they are replaced."
    filters = ("within_days",)
    empty = "No quote expires in this time."
    columns = (
        Column("code", "Quote"),
        Column("provider", "Provider"),
        Column("accelerator", "Accelerator"),
        Column("purchase_model", "Bought as"),
        Column("price", "Price", "rate", "per price basis"),
        Column("price_per_accelerator_hour", "Price", "rate", "per accelerator-hour"),
        Column("quoted_on", "Quoted", "day"),
        Column("expires_on", "Last day to sign", "day"),
        Column("days_left", "Left", "number", "days"),
        Column("is_stated", "Stated by provider", "flag", meaning="otherwise by the age limit of how it is bought"),
    )

    def rows(self, run: Run, filters: Filters) -> list[Row]:
        """Return one row an offer, counted from the day of the run."""
        return [
            {
                "code": entry.quote.code,
                "provider": entry.quote.provider.name,
                "accelerator": entry.quote.accelerator,
                "purchase_model": PURCHASE_MODELS.get(entry.quote.purchase_model, entry.quote.purchase_model),
                "price": entry.quote.price,
                "price_per_accelerator_hour": entry.quote.price_per_accelerator_hour,
                "quoted_on": entry.quote.quoted_on,
                "expires_on": entry.expires_on,
                "days_left": entry.days_left,
                "is_stated": entry.is_stated,
                "currency": entry.quote.currency,
            }
            for entry in quotes_expiring(filters.within_days, as_of=run.as_of)
        ]

    def headline(self, rows: Sequence[Row]) -> str:
        """Return how many expire and how many have expired."""
        expired = sum(row["days_left"] < 0 for row in rows)
        coming = len(rows) - expired
        verb = "quote expires" if coming == 1 else "quotes expire"
        return f"{coming} {verb}, {expired} expired"


REPORT = QuotesExpiring()
