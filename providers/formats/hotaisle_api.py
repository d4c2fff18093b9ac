"""Hot Aisle API: machines on offer, prices in cents per hour, minimum reservation in minutes."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from math import ceil
from typing import Any

from providers.base import Context, Offer, Parsed, object_in, objects_in, parse_entries, texts_of
from providers.cells import plain, read_number
from providers.document import Document

KINDS = ("virtual_machines", "bare_metal")
CENTS = Decimal(100)
MINUTES_PER_DAY = 24 * 60
CURRENCY = "USD"  # the API states none


class HotAisleApi:
    """Machines on offer with their GPUs."""

    key = "hotaisle_api"
    title = "Hot Aisle API (JSON)"
    reads = "price in cents per machine-hour, minimum reservation, quantity"
    holds = "machines with several GPU models"
    ignores = "nothing"

    def recognises(self, document: Document) -> bool:
        """Return whether machines carry a price in cents and specifications."""
        first = next(_machines(document), None)
        return first is not None and {"OnDemandPrice", "Specs"} <= set(first)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per machine."""
        return parse_entries(_machines(document), _offers)


def _machines(document: Document) -> Iterator[dict[str, Any]]:
    for kind in KINDS:
        for machine in document.objects(kind):
            yield {"kind": kind, **machine}


def _offers(line: int, machine: Mapping[str, Any]) -> Iterable[Offer]:
    cents = read_number(machine.get("OnDemandPrice"))
    gpus = objects_in(object_in(machine, "Specs"), "gpus") or [{}]
    count = read_number(gpus[0].get("count"))
    model = str(gpus[0].get("model") or "") if len(gpus) == 1 else ""
    quantity, minutes = read_number(machine.get("Quantity")), read_number(machine.get("MinimumReservationMinutes"))
    values: dict[str, Any] = {"capacity_class": "on_demand", "os": "linux"}
    if minutes:
        values["min_days"] = ceil(minutes / MINUTES_PER_DAY)
    if quantity and count:
        values["quantity_available"] = int(quantity * count)
    yield Offer(
        line=line,
        raw=texts_of(machine),
        price=None if cents is None else cents / CENTS,
        written=f"{'nothing' if cents is None else plain(cents)} cents per machine-hour",
        steps=["/ 100 cents"],
        currency=CURRENCY,
        basis="per_instance_hour",
        sku=f"{machine['kind']}-{plain(count) if count else '?'}x-{model or 'mixed'}",
        accelerator=model,
        provider="hotaisle",
        count=count,
        values=values,
    )


HOTAISLE_API = HotAisleApi()
