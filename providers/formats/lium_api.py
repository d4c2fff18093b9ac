"""Lium API: live nodes of a marketplace with price per GPU-hour and per node-hour, which must agree."""

from collections.abc import Iterable, Mapping
from typing import Any

from providers.base import Context, Offer, Parsed, parse_entries, texts_of
from providers.cells import plain, read_number
from providers.document import Document
from providers.knowledge import BANDS
from providers.sheet import Reason

CURRENCY = "USD"  # the API states none
NEEDED = frozenset({"gpu_model", "gpu_count", "price_per_gpu_hour"})


class LiumApi:
    """Nodes that can be rented now, whole or by GPU."""

    key = "lium_api"
    title = "Lium API (JSON)"
    reads = "price per GPU-hour, least and available GPUs; floor of live offers, spot tier as spot"
    holds = "nodes whose two prices disagree"
    ignores = "nothing"

    def recognises(self, document: Document) -> bool:
        """Return whether nodes carry a price per GPU."""
        first = next(document.objects("nodes"), None)
        return first is not None and set(first) >= NEEDED

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per node."""
        return parse_entries(document.objects("nodes"), _offers)


def _offers(line: int, node: Mapping[str, Any]) -> Iterable[Offer]:
    each, whole = read_number(node.get("price_per_gpu_hour")), read_number(node.get("price_per_node_hour"))
    count = read_number(node.get("gpu_count"))
    reasons = []
    if each and whole and count:
        band = BANDS["basis_agrees"]
        if not (band.low or 0) <= whole / count / each <= (band.high or 0):
            message = f"{plain(whole)} per node over {plain(count)} GPUs is not {plain(each)} per GPU"
            reasons.append(Reason("basis_disagrees", message, "say which of the two prices is right"))
    least, free = read_number(node.get("min_rentable_gpu_count")), read_number(node.get("available_gpu_count"))
    is_spot = str(node.get("tier")).lower() == "spot"
    place = "-".join(str(node[name]).lower() for name in ("country_code", "region") if node.get(name))
    place = place or str(node.get("country") or "")
    yield Offer(
        line=line,
        raw=texts_of(node),
        price=each,
        written=f"{'nothing' if each is None else plain(each)} {CURRENCY} per GPU-hour",
        currency=CURRENCY,
        basis="per_accelerator_hour",
        sku=str(node.get("id") or ""),
        accelerator=str(node.get("gpu_model") or ""),
        provider="lium",
        region=place,
        count=least,
        vram_gb=read_number(node.get("gpu_memory_gb")),
        purchase_model="spot" if is_spot else "market_floor",
        values={
            "min_accelerators": None if least is None else int(least),
            "quantity_available": None if free is None else int(free),
            "accelerators_per_node": None if count is None else int(count),
            "capacity_class": "spot" if is_spot else "on_demand",
        },
        reasons=reasons,
    )


LIUM_API = LiumApi()
