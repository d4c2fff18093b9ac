"""Curated per-GPU offers as JSON: one object per provider, GPU and tier, with day and caveats of its collection."""

import re
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed
from providers.cells import plain, read_date, read_number
from providers.document import Document
from providers.errors import CellError, Fault
from providers.sheet import Reason

NEEDED = frozenset({"provider_id", "gpu_model", "price_usd_hour", "tier"})
CURRENCY = "USD"  # the field says so
TIERS = {
    "on-demand": "on_demand", "secure": "on_demand", "production": "on_demand", "spot": "spot",
    "marketplace": "market_floor", "community": "market_floor", "prototyping": "low_priority",
}  # fmt: skip
FLOOR = re.compile(r"min(?:imum)? (?:live offer|price)|cheapest (?:live offer|host)", re.IGNORECASE)
ESTIMATED = re.compile(r"\bestimated\b", re.IGNORECASE)
APART = re.compile(r"(?:vcpu|cpu|ram)\b.*billed separately", re.IGNORECASE)
STALE = re.compile(r"\bstale\b", re.IGNORECASE)


class CuratedOffers:
    """Prices that somebody collected from sellers' pages."""

    key = "curated_offers"
    title = "Curated offers (JSON)"
    reads = "price per GPU-hour by tier, with day of collection; marketplace and community as market floor"
    holds = "estimated prices, GPUs whose vCPU and RAM are billed apart, tiers that contradict themselves, wrong memory"
    ignores = "nothing"

    def recognises(self, document: Document) -> bool:
        """Return whether objects carry provider, GPU, tier and price."""
        first = next(document.objects(), None)
        return first is not None and set(first) >= NEEDED

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per object."""
        parsed = Parsed(rows=0)
        for line, entry in enumerate(document.objects(), start=1):
            parsed.rows += 1
            try:
                parsed.offers.append(_offer(line, entry))
            except CellError as error:
                column = next((name for name, value in entry.items() if str(value) == error.value), "price_usd_hour")
                parsed.faults.append(Fault(line, column, error.value, error.rule, error.hint))
        return parsed


def _offer(line: int, entry: dict[str, Any]) -> Offer:
    caveats = " | ".join(str(caveat) for caveat in _listed(entry.get("caveats")))
    tier = str(entry.get("tier") or "")
    model = TIERS.get(tier)
    is_spot = entry.get("is_spot") is True
    reasons = _doubts(tier, model, caveats, is_spot=is_spot)
    if FLOOR.search(caveats) and model == "on_demand":
        model = "market_floor"
    price = read_number(entry.get("price_usd_hour"))
    memory = read_number(entry.get("vram_gb"))
    interconnect = str(entry.get("interconnect") or "")
    values: dict[str, Any] = {}
    collected = read_date(entry.get("collected_at"))
    if collected:
        values["quoted_on"] = collected
    return Offer(
        line=line,
        raw={name: str(value) for name, value in entry.items()},
        price=price,
        written=f"{'nothing' if price is None else plain(price)} {CURRENCY} per GPU-hour, {tier}",
        currency=CURRENCY,
        basis="per_accelerator_hour",
        sku=str(entry.get("id") or ""),
        accelerator=str(entry.get("gpu_model") or ""),
        provider=str(entry.get("provider_id") or ""),
        count=Decimal(1),
        vram_gb=memory,
        form_factor=interconnect if interconnect in {"PCIe", "SXM", "NVL"} else "",
        purchase_model=model or "on_demand",
        values=values,
        reasons=reasons,
        flags=["stated_as_stale"] if STALE.search(caveats) else [],
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _doubts(tier: str, model: str | None, caveats: str, *, is_spot: bool) -> list[Reason]:
    reasons = []
    if model is None:
        reasons.append(
            Reason("unknown_price_type", f"{tier!r} is no known tier", "say how it is bought", {"tier": tier})
        )
    elif is_spot and model == "on_demand":
        message = f"the tier says {tier}, yet the offer is marked as interruptible"
        reasons.append(Reason("purchase_model_conflict", message, "say which of the two is right"))
    if ESTIMATED.search(caveats):
        reasons.append(Reason("estimated_price", f"the price is an estimate: {caveats}", "state the seller's price"))
    if APART.search(caveats):
        message = f"the GPU alone: {caveats}"
        reasons.append(Reason("component_only", message, "state the price with vCPU and memory"))
    return reasons


CURATED_OFFERS = CuratedOffers()
