"""Oracle Cloud list prices: one item per part number, GPUs per GPU-hour, prices in several currencies."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, objects_in
from providers.cells import plain, read_number
from providers.document import Document
from providers.errors import CellError, Fault
from providers.knowledge import find_sku
from providers.names import read_name
from providers.sheet import Ignored, Reason

PROVIDER = "oci"
GPU_METRIC = "gpu per hour"
MAIN_CURRENCY = "USD"
NAME = re.compile(r".*\bGPU\b(?: Standard)?\s*-\s*", re.IGNORECASE)
LICENCE = re.compile(r"\bAI Enterprise\b", re.IGNORECASE)  # software priced per GPU-hour, beside the GPU
ELSEWHERE = re.compile(
    r"Cloud@Customer|VMware|Roving Edge", re.IGNORECASE
)  # machines on the buyer's own site, or nodes
GENERATION = "TPU"  # V2 is a generation of Oracle's machines, not one of Google's chips
CATEGORIES = frozenset({"", "compute - gpu", "compute - gpu - other"})


class OciList:
    """List price items with localised currencies."""

    key = "oci_list"
    title = "Oracle Cloud list prices (JSON)"
    reads = "GPU Per Hour items, pay as you go, in the currency asked for, else USD"
    holds = (
        "volume tiers, other price models, GPUs that neither part number nor name tells or of which they say different "
        "things, unknown service categories"
    )
    ignores = "items of other metrics, software per GPU-hour, Cloud@Customer and VMware; further currencies"

    def recognises(self, document: Document) -> bool:
        """Return whether items carry part numbers and localised prices."""
        item = next(document.objects("items"), None)
        return item is not None and {"partNumber", "metricName", "currencyCodeLocalizations"} <= set(item)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per GPU item."""
        parsed = Parsed(rows=0)
        for line, item in enumerate(document.objects("items"), start=1):
            parsed.rows += 1
            if code := _ignored(item):
                parsed.ignored.append(Ignored(line, code, str(item.get("displayName", ""))))
                continue
            try:
                parsed.offers += _offers(line, item, context.currency)
            except CellError as error:
                parsed.faults.append(Fault(line, "value", error.value, error.rule, error.hint))
        return parsed


def _ignored(item: Mapping[str, Any]) -> str:
    """Return the code under which an item is left out, empty when it is a GPU that Oracle runs."""
    title = f"{item.get('displayName') or ''} {item.get('serviceCategory') or ''}"
    if " ".join(str(item.get("metricName") or "").lower().split()) != GPU_METRIC or ELSEWHERE.search(title):
        return "other_service"
    return "software_licence" if LICENCE.search(title) else ""


def _offers(line: int, item: dict[str, Any], wanted: str | None) -> Iterator[Offer]:
    localised = objects_in(item, "currencyCodeLocalizations")
    prices = {str(entry.get("currencyCode")): objects_in(entry, "prices") for entry in localised}
    currency = next((code for code in (wanted, MAIN_CURRENCY) if code in prices), next(iter(prices), None))
    for entry in prices.get(currency or "", [{}]):
        yield _offer(line, item, currency, entry)


def _offer(line: int, item: dict[str, Any], currency: str | None, entry: Mapping[str, Any]) -> Offer:
    part, title = str(item.get("partNumber") or ""), str(item.get("displayName") or "")
    price = read_number(entry.get("value"))
    model = str(entry.get("model") or "PAY_AS_YOU_GO")
    reasons = []
    if model != "PAY_AS_YOU_GO":
        reasons.append(
            Reason("unknown_price_type", f"{model} is no pay-as-you-go price", "say how the price is bought")
        )
    least = read_number(entry.get("rangeMin"))
    if least:
        message = f"the price holds from {plain(least)} units on"
        reasons.append(Reason("volume_tier", message, "confirm that the volume is reached"))
    category = str(item.get("serviceCategory") or "")
    if category.lower() not in CATEGORIES:
        message = f"the service category {category!r} is not known to be that of GPUs Oracle runs"
        release = "say whether the price is that of a GPU in Oracle's cloud"
        reasons.append(Reason("unknown_service", message, release, {"category": category}))
    return Offer(
        line=line,
        raw={"partNumber": part, "displayName": title, "metricName": str(item.get("metricName")), "price": str(entry)},
        price=price,
        written=f"{'nothing' if price is None else plain(price)} {currency} per GPU-hour",
        currency=currency,
        basis="per_accelerator_hour",
        sku=part,
        accelerator=_name(part, title),
        count=Decimal(1),
        provider=PROVIDER,
        values={"os": "linux", "capacity_class": "on_demand"},
        reasons=reasons,
    )


def _name(part: str, title: str) -> str:
    """Return the GPU that a title names; what is no name of one counts only where the part number is not known."""
    named = NAME.sub("", title).strip()
    found = read_name(named)
    if find_sku(PROVIDER, part) is not None:
        return named if found is not None and not found.model.startswith(GENERATION) else ""
    return title if found is not None and found.model.startswith(GENERATION) else named


OCI_LIST = OciList()
