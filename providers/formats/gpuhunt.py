"""gpuhunt (dstack) catalogs: one CSV per provider, price per instance, spot as rows of their own."""

import re
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, ragged
from providers.cells import plain, read_boolean, read_number
from providers.currency import catalog_currency
from providers.document import Document, Getter, Record, TableRows
from providers.errors import CellError, ProviderError
from providers.file_names import provider_in, stem_of
from providers.gpu_info import GpuInfo, described_form
from providers.instance_names import seller_of
from providers.knowledge import MARKETPLACES, PROVIDERS, find_sku, squeezed
from providers.rates import rounded
from providers.sheet import Duplicate, Ignored

NEEDED = ("instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot")
OPERATING_SYSTEM = "linux"  # the catalogs state none; dstack starts Linux
CPU_WORDS = frozenset({"", "0", "0.0"})
DWS = re.compile(r"\bdws\b", re.IGNORECASE)  # gcp-dws-calendar-mode: reserved ahead, no on-demand price
CLUSTER = "runpod-cluster"  # flag of nodes that RunPod rents by several at a price of their own
CLUSTER_NODES = 2  # the least of them; gpuhunt, pod_counts of its RunPod catalog
COMMUNITY = re.compile(r"[A-Z]{2}")  # RunPod: a country is the place of third parties' machines, else a data centre


class GpuHunt:
    """Instance prices with GPU name, count and memory per GPU."""

    key = "gpuhunt"
    title = "gpuhunt CSV"
    reads = "price per instance; spot rows; parts of a GPU told by their memory; several sizes of one node as one offer"
    holds = "unknown accelerator, memory of no variant, zero price, ragged rows"
    ignores = "instances without GPU"

    def recognises(self, document: Document) -> bool:
        """Return whether the header is that of a gpuhunt catalog."""
        return document.table(*NEEDED) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per row, sizes of one node merged where the rate per GPU is the same."""
        table = document.table(*NEEDED)
        if table is None:
            return Parsed(rows=0)
        provider = _provider(table, context)
        currency, notes = catalog_currency("gpuhunt", provider, context.currency)
        parsed = Parsed(rows=len(table.records), notes=notes)
        cells = {name: table.getter(name) for name in (*NEEDED, "gpu_vendor", "flags")}
        for record in table.records:
            if not table.even(record):
                parsed.offers.append(_ragged_offer(table, record, provider, currency))
                continue
            try:
                if cells["gpu_count"].text(record) in CPU_WORDS and not cells["gpu_name"].text(record):
                    parsed.ignored.append(Ignored(record.line, "no_accelerator", cells["instance_name"].text(record)))
                else:
                    parsed.offers.append(_offer(table, cells, record, provider, currency))
            except CellError as error:
                column = next((name for name in NEEDED if cells[name].text(record) == error.value.strip()), "price")
                parsed.faults.append(error.at(record.line, column))
        _merge_sizes(parsed)
        return parsed


def _provider(table: TableRows, context: Context) -> str:
    if context.provider:
        return PROVIDERS.get(squeezed(context.provider), context.provider)
    instance_of = table.getter("instance_name")
    instances = filter(None, (instance_of.text(record) for record in table.records[:2_000]))
    named = provider_in(context.file_name) or seller_of(instances) or stem_of(context.file_name)
    if named is None:
        message = f"{context.file_name} does not say whose prices it holds; name the file after the provider or name it"
        raise ProviderError(message)
    return named


def _ragged_offer(table: TableRows, record: Record, provider: str, currency: str) -> Offer:
    return Offer(
        line=record.line, raw=table.raw(record), price=None, written="a ragged row", currency=currency,
        basis="per_instance_hour", sku=table.getter("instance_name").text(record), provider=provider,
        reasons=[ragged(len(record.cells), len(table.header))],
    )  # fmt: skip


def _offer(table: TableRows, cells: Mapping[str, Getter], record: Record, provider: str, currency: str) -> Offer:
    def text(name: str) -> str:
        return cells[name].text(record)

    def number(name: str) -> Decimal | None:
        return read_number(cells[name](record), ".")

    is_spot = read_boolean(text("spot")) or False
    count = number("gpu_count")
    is_of_others = provider in MARKETPLACES or (provider == "runpod" and COMMUNITY.fullmatch(text("location")))
    model = "spot" if is_spot else "market_floor" if is_of_others else "on_demand"
    if DWS.search(text("flags")):
        model = "dws"
    values: dict[str, Any] = {"os": OPERATING_SYSTEM, "capacity_class": "spot" if is_spot else "on_demand"}
    is_cluster = CLUSTER in text("flags").split()
    if is_cluster and count:
        values |= {"min_accelerators": int(count * CLUSTER_NODES), "interconnect": "multi_node"}
    offer = Offer(
        line=record.line,
        raw=table.raw(record),
        price=number("price"),
        written=f"{text('price') or 'nothing'} {currency}",
        currency=currency,
        basis="per_instance_hour",
        sku=f"{text('instance_name')} cluster" if is_cluster else text("instance_name"),
        accelerator=_accelerator(text("gpu_name"), text("gpu_vendor")),
        provider=provider,
        region=text("location"),
        count=count,
        vram_gb=number("gpu_memory"),
        form_factor=described_form(GpuInfo(text("instance_name")), text("gpu_name")),
        purchase_model=model,
        values=values,
    )
    if offer.accelerator.lower().startswith("tpu-") or text("gpu_vendor").lower() == "google":
        offer.vram_gb = None  # of the slice, not of a chip
    return offer


def _accelerator(name: str, vendor: str) -> str:
    return f"{name}" if name else vendor


def _merge_sizes(parsed: Parsed) -> None:
    """Merge several sizes of one node into one offer per accelerator, where the rate per accelerator is the same."""
    groups: dict[tuple[str, str, str, str], list[Offer]] = defaultdict(list)
    for offer in parsed.offers:
        if offer.price and offer.count and not offer.reasons and find_sku(offer.provider, offer.sku) is None:
            groups[(offer.sku, offer.region, offer.accelerator, offer.purchase_model)].append(offer)
    gone: set[int] = set()
    for group in groups.values():
        sizes = {offer.count for offer in group}
        if len(sizes) < 2:
            continue
        rates = {rounded((offer.price or Decimal(0)) / (offer.count or Decimal(1))) for offer in group}
        if len(rates) == 1:
            gone |= _merge_node(group, rates.pop(), parsed)
        else:
            for offer in group:  # another size is another offer
                offer.sku = f"{offer.sku}#{plain(offer.count or Decimal(0))}"
    parsed.offers = [offer for offer in parsed.offers if id(offer) not in gone]


def _merge_node(group: list[Offer], rate: Decimal, parsed: Parsed) -> set[int]:
    group.sort(key=lambda offer: (offer.count or Decimal(0), offer.line))
    least, most = group[0], group[-1]
    least.steps.append(
        f"{len(group)} sizes of one node, {plain(least.count or rate)} to {plain(most.count or rate)}, at one rate"
    )
    least.values |= {"min_accelerators": int(least.count or 1), "quantity_available": int(most.count or 1)}
    if least.count != 1:
        least.price, least.count = rate * (least.count or 1), least.count
    for offer in group[1:]:
        parsed.duplicates.append(Duplicate(offer.line, least.line, offer.sku, "another size of the same node"))
    return {id(offer) for offer in group[1:]}


GPUHUNT = GpuHunt()
