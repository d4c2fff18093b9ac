"""Lambda API: instance types with price in cents per hour and the regions that have capacity now."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, object_in, objects_in, parse_entries, texts_of
from providers.cells import plain, read_number
from providers.document import Document
from providers.knowledge import find_sku

REGIONS = "regions_with_capacity_available"
CENTS = Decimal(100)
CURRENCY = "USD"  # the API states none


class LambdaApi:
    """Instance types by name."""

    key = "lambda_api"
    title = "Lambda API (JSON)"
    reads = "price in cents per instance-hour, for each region with capacity; without region where none has"
    holds = "instance types whose GPU is not known"
    ignores = "instance types without GPU"

    def recognises(self, document: Document) -> bool:
        """Return whether instance types carry a price in cents."""
        first = next(iter(_types(document)), None)
        return first is not None and "price_cents_per_hour" in first

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per instance type and region."""
        return parse_entries(_types(document), _offers)


def _types(document: Document) -> list[dict[str, Any]]:
    found = document.json.get("data") if isinstance(document.json, dict) else None
    entries = found.values() if isinstance(found, dict) else []
    return [
        {**entry["instance_type"], REGIONS: entry.get(REGIONS)}
        for entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("instance_type"), dict)
    ]


def _offers(line: int, described: Mapping[str, Any]) -> Iterable[Offer]:
    sku = str(described.get("name") or "")
    cents = read_number(described.get("price_cents_per_hour"))
    count = read_number(object_in(described, "specs").get("gpus"))
    if count == 0:
        return
    regions = objects_in(described, REGIONS) or [{}]
    for region in regions:
        yield Offer(
            line=line,
            raw=texts_of(described),
            price=None if cents is None else cents / CENTS,
            written=f"{'nothing' if cents is None else plain(cents)} cents per instance-hour",
            steps=["/ 100 cents"],
            currency=CURRENCY,
            basis="per_instance_hour",
            sku=sku,
            accelerator="" if find_sku("lambda", sku) else str(described.get("gpu_description") or ""),
            provider="lambda",
            region=str(region.get("name") or ""),
            count=count,
            values={"capacity_class": "on_demand", "os": "linux"},
        )


LAMBDA_API = LambdaApi()
