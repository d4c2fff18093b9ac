"""What is known of prices before a file is read: Linux prices of instances by other sources, medians by accelerator."""

from collections import defaultdict
from decimal import Decimal
from statistics import median

from procurement.models import Quote
from providers import KnownOffer
from providers.contract import INTERRUPTIBLE
from providers.knowledge import BANDS

CURRENCY = "USD"  # of the medians, as the plausibility bands have it


def known_offers(*, without_source: str) -> list[KnownOffer]:
    """Return the Linux prices in force per instance-hour, other than those that the same source stated."""
    rows = Quote.objects.filter(
        is_current=True, is_archived=False, os="linux", price_basis="per_instance_hour", price__gt=0
    ).exclude(sku="").exclude(source=without_source)  # fmt: skip
    return [
        KnownOffer(
            provider=provider, sku=sku, region=region or None, purchase_model=model, price=price, currency=currency,
            source=source or "a price in force",
        )
        for provider, sku, region, model, price, currency, source in rows.values_list(
            "provider__code", "sku", "region", "purchase_model", "price", "currency", "source"
        )
    ]  # fmt: skip


def known_medians() -> dict[str, Decimal]:
    """Return the median rate [USD per accelerator-hour] of accelerators with enough assured prices in force."""
    rates: dict[str, list[Decimal]] = defaultdict(list)
    rows = Quote.objects.filter(
        is_current=True, is_archived=False, currency=CURRENCY, price_per_accelerator_hour__gt=0
    ).exclude(purchase_model__in=INTERRUPTIBLE)  # fmt: skip
    for accelerator, rate in rows.values_list("accelerator", "price_per_accelerator_hour"):
        rates[accelerator].append(rate)
    return {name: median(found) for name, found in rates.items() if len(found) >= BANDS["own_median"].least_rows}
