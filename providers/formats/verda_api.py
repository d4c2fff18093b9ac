"""Verda (DataCrunch) API: instance types with prices as text, spot beside on demand, memory of all GPUs together."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, object_in, parse_entries, texts_of
from providers.cells import plain, read_number
from providers.document import Document

NEEDED = frozenset({"instance_type", "price_per_hour", "gpu"})


class VerdaApi:
    """Instance types with GPU description and price."""

    key = "verda_api"
    title = "Verda API instance types (JSON)"
    reads = "on-demand and spot price per instance-hour, in the currency the API states"
    holds = "GPUs that the description does not tell, missing currency"
    ignores = "instance types without GPU"

    def recognises(self, document: Document) -> bool:
        """Return whether instance types carry a price and a GPU."""
        first = next(document.objects(), None)
        return first is not None and set(first) >= NEEDED and isinstance(first["gpu"], dict)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return the on-demand and spot offers of each instance type."""
        return parse_entries(document.objects(), _offers)


def _offers(line: int, entry: Mapping[str, Any]) -> Iterator[Offer]:
    gpu = object_in(entry, "gpu")
    count = read_number(gpu.get("number_of_gpus"))
    if not count:
        return
    total = read_number(object_in(entry, "gpu_memory").get("size_in_gigabytes"))
    currency = str(entry.get("currency") or "").upper() or None
    prices: Iterable[tuple[str, str]] = (("price_per_hour", "on_demand"), ("spot_price", "spot"))
    for field, model in prices:
        price = read_number(entry.get(field), ".", currency)
        if price is None and model == "spot":
            continue
        yield _offer(line, entry, price, model, count, None if total is None else total / count)


def _offer(  # noqa: PLR0913 - an instance type, one of its prices, and what it holds
    line: int, entry: Mapping[str, Any], price: Decimal | None, model: str, count: Decimal, memory: Decimal | None
) -> Offer:
    currency = str(entry.get("currency") or "").upper() or None
    name = str(object_in(entry, "gpu").get("description") or entry.get("model") or "")
    return Offer(
        line=line,
        raw=texts_of(entry),
        price=price,
        written=f"{'nothing' if price is None else plain(price)} {currency} per instance-hour",
        currency=currency,
        basis="per_instance_hour",
        sku=str(entry.get("instance_type") or ""),
        accelerator=name,
        provider="verda",
        count=count,
        vram_gb=memory,
        purchase_model=model,
        values={"os": "linux", "capacity_class": model},
    )


VERDA_API = VerdaApi()
