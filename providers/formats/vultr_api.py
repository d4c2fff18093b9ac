"""Vultr API plans: hourly and monthly cost beside each other, which tell the hours of the supplier's month."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, parse_entries, texts_of
from providers.cells import plain, read_number
from providers.document import Document

CURRENCY = "USD"  # the API states none
LISTS = ("plans", "plans_metal")
MONTHS = (Decimal(672), Decimal(720), Decimal(730), Decimal(744))  # hours that suppliers call a month
CLOSE = Decimal("0.01")  # of the hours, for rounded prices


class VultrApi:
    """Plans by location."""

    key = "vultr_api"
    title = "Vultr API plans (JSON)"
    reads = "hourly cost per plan and location; monthly cost alone only where its hours are proven"
    holds = "plans without hourly cost, parts of a GPU of unknown size"
    ignores = "plans without GPU"

    def recognises(self, document: Document) -> bool:
        """Return whether plans carry a monthly cost and locations."""
        first = next(_plans(document), None)
        return first is not None and {"id", "monthly_cost", "locations"} <= set(first)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per plan and location."""
        return parse_entries(_plans(document), _offers)


def _plans(document: Document) -> Iterator[dict[str, Any]]:
    for name in LISTS:
        yield from document.objects(name)


def _offers(line: int, plan: Mapping[str, Any]) -> Iterable[Offer]:
    name = str(plan.get("gpu_type") or "").replace("NVIDIA_", "").replace("AMD_", "")
    if not name:
        return
    hourly, monthly = read_number(plan.get("hourly_cost")), read_number(plan.get("monthly_cost"))
    count = read_number(plan.get("gpu_count")) or Decimal(1)
    total = read_number(plan.get("gpu_vram_gb"))
    flags = []
    if hourly and monthly:
        hours = monthly / hourly
        near = next((month for month in MONTHS if abs(hours - month) <= CLOSE * month), None)
        flags.append(f"month_of_{plain(near)}_hours" if near else "month_of_odd_hours")
    for location in _locations(plan):
        yield Offer(
            line=line,
            raw=texts_of(plan),
            price=monthly if hourly is None else hourly,
            written=f"{plain(hourly)} {CURRENCY} an hour" if hourly is not None else f"{monthly} {CURRENCY} a month",
            currency=CURRENCY,
            basis="per_month" if hourly is None else "per_instance_hour",
            sku=str(plan.get("id") or ""),
            accelerator=name,
            provider="vultr",
            region=str(location),
            count=count,
            vram_gb=None if total is None else total / count,
            values={"os": "linux", "capacity_class": "on_demand"},
            flags=list(flags),
        )


def _locations(plan: Mapping[str, Any]) -> list[str]:
    found = plan.get("locations")
    return [str(location) for location in found] if isinstance(found, list) and found else [""]


VULTR_API = VultrApi()
