"""SkyPilot catalogs (`vms.csv`, schema v5 to v8): instances by zone, hosts and GPUs of Google Cloud apart."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, no_price, ragged
from providers.cells import plain, read_number
from providers.currency import catalog_currency
from providers.document import Document, Getter, Record, TableRows
from providers.errors import CellError, ProviderError
from providers.file_names import folder_of, provider_in
from providers.gpu_info import MIB_PER_GIB, GpuInfo, described_form, proven_memory, read_gpu_info
from providers.instance_names import seller_of, variant_in
from providers.knowledge import MARKETPLACES, PROVIDERS, find_sku, squeezed
from providers.names import Name, form_of, read_name
from providers.sheet import Ignored, Reason

NEEDED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
OPTIONAL = ("SpotPrice", "AvailabilityZone", "GpuInfo", "UpstreamCloudId", "OperatingSystem")
OPERATING_SYSTEM = "linux"  # the catalogs state none; SkyPilot starts Linux
VAST = "vast"  # its instance names say more than its columns, and its memory is that of all GPUs together
VAST_MIB = re.compile(r"vastv2-\d+x-.*-(\d{4,6})-\d+-\d+$")  # the MiB of one GPU stand in the name
SENTINELS = frozenset({Decimal(700)})  # SkyPilot's stand-in for a TPU v6e price that it does not know
NO_SPOT = frozenset({None, Decimal(0), Decimal(99_999_999)})  # how catalogs write that they know of no spot price
NO_REGION = frozenset({"unspecified"})
COMMUNITY = "_COMMUNITY"  # RunPod: machines of third parties
DEFAULT_MEMORY = {"A100": Decimal(40), "V100": Decimal(16)}  # names without memory mean these; the larger says so
WHOLE_MACHINE_HOSTS = frozenset({"a4-highgpu-8g"})  # its host row is 0: the GPU row is the whole machine
A3_HOSTS = {False: ("a3-highgpu", "a3-ultragpu"), True: ("a3-megagpu",)}  # H100-MEGA has a machine of its own
N1_VCPUS = {
    "K80": {1: 4, 2: 8, 4: 16, 8: 32}, "V100": {1: 8, 2: 16, 4: 32, 8: 64}, "T4": {1: 4, 2: 8, 4: 48},
    "P100": {1: 8, 2: 16, 4: 32}, "P4": {1: 8, 2: 16, 4: 32},
}  # least vCPUs of the N1 host for a number of GPUs; SkyPilot, sky/catalog/gcp_catalog.py  # fmt: skip
N1_GIB_PER_VCPU = 4  # least memory of that host; same source


class SkyPilot:
    """Instance prices with accelerator name and count, on demand and spot in two columns."""

    key = "skypilot"
    title = "SkyPilot vms.csv"
    reads = (
        "on-demand and spot price per instance; Google Cloud as host + GPU of one zone; TPU slices by chips; form "
        "factor and memory from instance name and GpuInfo where they prove it; marketplaces as market floor"
    )
    holds = "empty or zero price, sentinels, GPU without its host row, ragged rows, unknown accelerator or region"
    ignores = "instances without accelerator; host rows, which enter the sums; empty or zero spot prices"

    def recognises(self, document: Document) -> bool:
        """Return whether the header is that of a SkyPilot catalog."""
        return document.table(*NEEDED) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per instance and purchase model, zones merged where the price is the region's."""
        table = document.table(*NEEDED)
        if table is None:
            return Parsed(rows=0)
        return _Reader(table, context).read()


class _Row:
    """The cells of one catalog row, read once."""

    __slots__ = (
        "accelerator",
        "count",
        "info",
        "instance",
        "os",
        "price",
        "record",
        "region",
        "spot",
        "upstream",
        "zone",
    )

    def __init__(self, record: Record, reader: "_Reader") -> None:
        text = reader.text
        self.record = record
        self.instance = text["InstanceType"].text(record)
        self.accelerator = text["AcceleratorName"].text(record)
        self.region = text["Region"].text(record)
        if self.region.lower() in NO_REGION:
            self.region = ""
        self.zone = text["AvailabilityZone"].text(record) or None
        self.info = read_gpu_info(text["GpuInfo"].text(record))
        self.upstream = text["UpstreamCloudId"].text(record)
        self.os = "windows" if "windows" in text["OperatingSystem"].text(record).lower() else OPERATING_SYSTEM
        self.count = reader.number(record, "AcceleratorCount")
        self.price = reader.number(record, "Price")
        self.spot = reader.number(record, "SpotPrice")


class _Reader:
    def __init__(self, table: TableRows, context: Context) -> None:
        self.table = table
        self.text = {name: table.getter(name) for name in (*NEEDED, *OPTIONAL)}
        self.parsed = Parsed(rows=len(table.records))
        self.provider = _provider(table, self.text["InstanceType"], context)
        self.currency, self.parsed.notes = catalog_currency("SkyPilot", self.provider, context.currency)
        self.without_spot = 0

    def number(self, record: Record, name: str) -> Decimal | None:
        return read_number(self.text[name](record), ".")

    def read(self) -> Parsed:
        rows = list(self._rows())
        hosts = [row for row in rows if not row.accelerator]
        offers = [row for row in rows if row.accelerator]
        attached = [row for row in offers if not row.instance and not _is_tpu(row)]
        if attached:
            self._attach(attached, hosts)
        whole = [row for row in offers if row.instance or _is_tpu(row)]
        regional = _regional(whole, self.provider)
        for row in whole:
            self._emit(row, row.price, row.spot, regional, row.instance or row.accelerator, [])
        self._ignore(hosts)
        if self.without_spot:
            self.parsed.notes.append(f"{self.without_spot} rows state no spot price: unknown, not free")
        return self.parsed

    def _rows(self) -> Iterator[_Row]:
        for record in self.table.records:
            if not self.table.even(record):
                self._ragged(record)
                continue
            try:
                yield _Row(record, self)
            except CellError as error:
                self.parsed.faults.append(error.at(record.line, self._column_of(record, error)))

    def _column_of(self, record: Record, error: CellError) -> str:
        names = ("AcceleratorCount", "Price", "SpotPrice")
        return next((name for name in names if self.text[name].text(record) == error.value.strip()), "Price")

    def _ragged(self, record: Record) -> None:
        instance = self.text["InstanceType"].text(record)
        known = find_sku(self.provider, instance)
        if known is not None and known.has_none:
            self.parsed.ignored.append(Ignored(record.line, "no_accelerator", instance))
            return
        reason = ragged(len(record.cells), len(self.table.header))
        self.parsed.offers.append(self._offer(record, None, "", instance, reasons=[reason]))

    def _offer(self, record: Record, price: Decimal | None, written: str, sku: str, **more: Any) -> Offer:
        return Offer(
            line=record.line,
            raw=self.table.raw(record),
            price=price,
            written=f"{written or 'nothing'} {self.currency}",
            currency=self.currency,
            basis="per_instance_hour",
            sku=sku,
            provider=self.provider,
            **more,
        )

    def _described(self, row: _Row) -> dict[str, Any]:
        """Return what a row shows of its accelerator beside the name: memory, form factor, and what is left open."""
        known = find_sku(self.provider, row.instance)
        if known is not None and known.accelerator:
            return {"accelerator": row.accelerator, "default_vram_gb": DEFAULT_MEMORY}
        accelerator = self._accelerator(row)
        memory = proven_memory(row.info, accelerator, row.count)
        shown = {form_of(row.upstream), form_of(row.instance), described_form(row.info, row.accelerator)} - {""}
        return {
            "accelerator": accelerator,
            "vram_gb": _of_vast(row, accelerator) if self.provider == VAST else memory.gb,
            "form_factor": shown.pop() if len(shown) == 1 else "",
            "default_vram_gb": {} if memory.is_open else DEFAULT_MEMORY,
            "flags": ["form_factor_unclear"] if len(shown) > 1 else [],
        }

    def _accelerator(self, row: _Row) -> str:
        """Return the accelerator of a row: as named, but on Vast, whose catalog cuts Super and Ti off, as spelled."""
        spelled = variant_in(row.instance, row.accelerator) if self.provider == VAST else None
        return spelled.accelerator if spelled else row.accelerator

    def _contradiction(self, row: _Row) -> list[Reason]:
        """Return why a row is held whose instance is named after another variant than its accelerator column."""
        if self.provider == VAST or find_sku(self.provider, row.instance):
            return []
        for text in (row.instance, row.upstream):
            spelled = variant_in(text, row.accelerator) if text else None
            if spelled:
                message = f"the row says {row.accelerator}, the name {text} says {spelled.accelerator}"
                facts = {"written": row.accelerator, "sku": spelled.accelerator}
                return [Reason("accelerator_conflict", message, "say which of the two is right", facts)]
        return []

    def _emit(  # noqa: PLR0913 - one place that turns a row into its two offers
        self,
        row: _Row,
        price: Decimal | None,
        spot: Decimal | None,
        regional: set[tuple[str, str, str]],
        sku: str,
        steps: list[str],
    ) -> None:
        """Add the on-demand and the spot offer of a row, with the sums that led to their prices."""
        zone = None if (row.instance or row.accelerator, row.accelerator, row.region) in regional else row.zone
        of_others = self.provider in MARKETPLACES or row.instance.endswith(COMMUNITY)
        on_demand = "market_floor" if of_others else "on_demand"
        shared = {"region": row.region, "count": row.count, **self._described(row)}
        doubts = self._contradiction(row)
        reasons = [*doubts, *_sentinel(price, "Price")]
        if price is None:
            reasons = [
                *doubts,
                no_price("the catalog has no on-demand price: sold as spot, as a capacity block or on request"),
            ]
        written = self.text["Price"].text(row.record) if not steps else "two rows in"
        values = {"zone": zone, "os": row.os, "capacity_class": "on_demand"}
        self.parsed.offers.append(
            self._offer(
                row.record,
                price,
                written,
                sku,
                purchase_model=on_demand,
                values=values,
                reasons=reasons,
                steps=steps[:1],
                **shared,
            )  # fmt: skip
        )
        if spot in NO_SPOT:
            self.without_spot += 1
            return
        written = self.text["SpotPrice"].text(row.record) if not steps else "two rows in"
        values = {"zone": row.zone, "os": row.os, "capacity_class": "spot"}
        self.parsed.offers.append(
            self._offer(
                row.record,
                spot,
                written,
                sku,
                purchase_model="spot",
                values=values,
                reasons=[*doubts, *_sentinel(spot, "SpotPrice")],
                steps=steps[1:],
                **shared,
            )  # fmt: skip
        )

    def _attach(self, rows: list[_Row], hosts: list[_Row]) -> None:
        """Sum each GPU row with the host rows of its zone; a GPU alone is no offer."""
        by_zone: dict[str | None, list[_Row]] = defaultdict(list)
        for host in hosts:
            by_zone[host.zone].append(host)
        for row in rows:
            name = read_name(row.accelerator, DEFAULT_MEMORY.get(row.accelerator))
            fitting = list(_hosts(row, name, by_zone[row.zone]))
            if not fitting:
                self._hold_alone(row)
            for host in fitting:
                self._sum(row, host)

    def _hold_alone(self, row: _Row) -> None:
        count = plain(row.count) if row.count is not None else "?"
        message = f"{count} x {row.accelerator} without the host: its zone has no host row with a price"
        reason = Reason("component_only", message, "add the host row of the zone, or state the price of the machine")
        values = {"zone": row.zone, "os": OPERATING_SYSTEM}
        offer = self._offer(
            row.record, row.price, self.text["Price"].text(row.record), "", values=values, reasons=[reason],
            default_vram_gb=DEFAULT_MEMORY,
        )  # fmt: skip
        offer.accelerator, offer.region, offer.count = row.accelerator, row.region, row.count
        self.parsed.offers.append(offer)

    def _sum(self, row: _Row, host: _Row) -> None:
        free = host.instance in WHOLE_MACHINE_HOSTS
        price = _total(row.price, host.price, free=free)
        spot = _total(row.spot, host.spot, free=free)
        sku = (
            host.instance
            if find_accelerated(host.instance)
            else f"{host.instance}+{row.accelerator}x{plain(row.count or Decimal(0))}"
        )
        steps = [
            f"{part}: GPU {_shown(gpu)} + host {host.instance} {_shown(machine)}"
            for part, gpu, machine in (("on demand", row.price, host.price), ("spot", row.spot, host.spot))
        ]
        self._emit(row, price, spot, set(), sku, steps)

    def _ignore(self, hosts: Iterable[_Row]) -> None:
        for host in hosts:
            known = find_sku(self.provider, host.instance)
            if known is None or known.has_none or self.provider == "gcp":
                code = (
                    "host_row" if known is not None and known.accelerator and not known.has_none else "no_accelerator"
                )
                self.parsed.ignored.append(Ignored(host.record.line, code, host.instance))
            else:  # an accelerated family without a name in the accelerator column
                self._emit(host, host.price, host.spot, set(), host.instance, [])


def find_accelerated(instance: str) -> bool:
    """Return whether a Google Cloud machine type brings its accelerators with it."""
    known = find_sku("gcp", instance)
    return known is not None and not known.has_none


def _hosts(row: _Row, name: Name | None, hosts: list[_Row]) -> Iterator[_Row]:
    """Return the host rows that carry this accelerator in this number."""
    if name is None or row.count is None:
        return
    yield from (host for host in hosts if _carries(host, name, row.count, row.accelerator))
    vcpus = N1_VCPUS.get(name.model, {}).get(int(row.count))
    if vcpus:
        fitting = [host for host in hosts if host.price and _is_n1(host, vcpus)]
        yield from sorted(fitting, key=lambda host: (host.price, host.instance))[:1]


def _carries(host: _Row, name: Name, count: Decimal, written: str) -> bool:
    known = find_sku("gcp", host.instance)
    if known is None or not known.accelerator or known.has_none or known.accelerators != count:
        return False
    if host.instance.startswith("a3-") and not host.instance.startswith(A3_HOSTS["MEGA" in written.upper()]):
        return False
    held = read_name(known.accelerator)
    if held is None or held.model != name.model or name.memory_gb not in (None, held.memory_gb):
        return False
    return bool(host.price) or host.instance in WHOLE_MACHINE_HOSTS


def _is_n1(host: _Row, vcpus: int) -> bool:
    family, _, size = host.instance.rpartition("-")
    gib = {"n1-standard": 3.75, "n1-highmem": 6.5, "n1-highcpu": 0.9}.get(family)  # GiB per vCPU; Google Cloud N1 page
    return gib is not None and size.isdigit() and int(size) >= vcpus and int(size) * gib >= vcpus * N1_GIB_PER_VCPU


def _total(gpu: Decimal | None, host: Decimal | None, *, free: bool) -> Decimal | None:
    if gpu is None or (not host and not free):
        return None
    return gpu + (host or 0)


def _shown(price: Decimal | None) -> str:
    return "unknown" if price is None else plain(price)


def _sentinel(price: Decimal | None, column: str) -> list[Reason]:
    if price is None or (price not in SENTINELS and price not in NO_SPOT - {Decimal(0)}):
        return []
    message = f"{column} {plain(price or Decimal(0))} is the catalog's stand-in for a price it does not know"
    return [Reason("price_sentinel", message, "state the price")]


def _is_tpu(row: _Row) -> bool:
    return row.accelerator.lower().startswith("tpu")


def _regional(rows: list[_Row], provider: str) -> set[tuple[str, str, str]]:
    """Return the offers whose on-demand price is that of the region: always on AWS, elsewhere when zones agree."""
    prices: dict[tuple[str, str, str], set[Decimal | None]] = defaultdict(set)
    for row in rows:
        prices[(row.instance or row.accelerator, row.accelerator, row.region)].add(row.price)
    return {key for key, found in prices.items() if provider == "aws" or len(found) == 1}


def _provider(table: TableRows, instance_of: Getter, context: Context) -> str:
    """Return the provider a person named, else the one the file name or the instance names show."""
    if context.provider:
        return PROVIDERS.get(squeezed(context.provider), context.provider)
    named = provider_in(context.file_name)
    if named:
        return named
    instances = (instance_of.text(record) for record in table.records[:2_000])
    shown = seller_of(filter(None, instances)) or folder_of(context.file_name)
    if shown:
        return shown
    message = f"{context.file_name} does not say whose prices it holds; name the provider"
    raise ProviderError(message)


def _of_vast(row: _Row, accelerator: str) -> Decimal | None:
    """Return the memory of one GPU [GB]: cards whose memory somebody changed show themselves by it."""
    megabytes = VAST_MIB.match(row.instance)
    if megabytes:
        return Decimal(megabytes[1]) / MIB_PER_GIB
    if not row.info.each_gb or not row.count:
        return None
    each = row.info.each_gb / row.count
    return proven_memory(GpuInfo(each_gb=each), accelerator, Decimal(1)).gb or round(each, 1)


SKYPILOT = SkyPilot()
