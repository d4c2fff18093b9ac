"""RunPod gpuTypes: price per GPU-hour in the secure and the community cloud, spot and terms in fields of their own."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, parse_entries, texts_of
from providers.cells import plain, read_number
from providers.document import Document

CURRENCY = "USD"  # the API states none
FIELDS = {
    "securePrice": ("secure", "on_demand", None), "communityPrice": ("community", "market_floor", None),
    "secureSpotPrice": ("secure", "spot", None), "communitySpotPrice": ("community", "spot", None),
    "oneMonthPrice": ("secure", "reserved", 1), "threeMonthPrice": ("secure", "reserved", 3),
    "sixMonthPrice": ("secure", "reserved", 6), "oneYearPrice": ("secure", "reserved", 12),
}  # field: cloud, purchase model, months  # fmt: skip
WEEK = ("oneWeekPrice", 7)  # days


class RunPodApi:
    """GPU types with one price per way of buying."""

    key = "runpod_api"
    title = "RunPod API (JSON)"
    reads = "secure on demand, community as market floor, spot, prices for a week or months; all per GPU-hour"
    holds = "unknown GPUs, zero prices"
    ignores = "prices that are null"

    def recognises(self, document: Document) -> bool:
        """Return whether GPU types carry a secure price."""
        first = next(_types(document), None)
        return first is not None and {"displayName", "memoryInGb"} <= set(first) and bool(set(FIELDS) & set(first))

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per GPU type and way of buying."""
        return parse_entries(_types(document), _offers)


def _types(document: Document) -> Iterator[dict[str, Any]]:
    yield from document.objects("data", "gpuTypes")
    yield from document.objects("gpuTypes")


def _offers(line: int, entry: Mapping[str, Any]) -> Iterable[Offer]:
    memory = read_number(entry.get("memoryInGb"))
    for name, (cloud, model, months) in FIELDS.items():
        price = read_number(entry.get(name))
        if price is not None:
            yield _offer(line, entry, memory, price, f"{cloud} {name}", model, {"term_months": months})
    price = read_number(entry.get(WEEK[0]))
    if price is not None:
        yield _offer(line, entry, memory, price, f"secure {WEEK[0]}", "reserved", {"min_days": WEEK[1]})


def _offer(  # noqa: PLR0913 - a GPU type, one of its prices, and how that is bought
    line: int,
    entry: Mapping[str, Any],
    memory: Decimal | None,
    price: Decimal,
    written: str,
    model: str,
    values: dict[str, Any],
) -> Offer:
    cloud = written.split()[0]
    return Offer(
        line=line,
        raw=texts_of(entry),
        price=price,
        written=f"{plain(price)} {CURRENCY} per GPU-hour, {written}",
        currency=CURRENCY,
        basis="per_accelerator_hour",
        sku=f"{entry.get('id') or entry.get('displayName')} {cloud}",
        accelerator=str(entry.get("displayName") or ""),
        provider="runpod",
        count=Decimal(1),
        vram_gb=memory,
        purchase_model=model,
        values={"os": "linux", **values},
    )


RUNPOD_API = RunPodApi()
