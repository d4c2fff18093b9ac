"""SkyPilot `pricing.csv` of Slurm and Kubernetes: own rates per vCPU, memory and accelerator, empty is any."""

from decimal import Decimal

from providers.base import Context, Offer, Parsed, ragged
from providers.cells import plain, read_number
from providers.document import Document, Record, TableRows
from providers.errors import CellError
from providers.file_names import provider_in
from providers.sheet import Ignored, Reason

NEEDED = ("PricePerVCPU", "PricePerMemoryGB", "AcceleratorName", "PricePerAccelerator")
CURRENCY = "USD"  # SkyPilot computes in USD; a person may state another
OWN = "own"


class SkyPilotOnPrem:
    """Rates of own clusters by region (cluster), zone (partition) and accelerator."""

    key = "skypilot_on_prem"
    title = "SkyPilot pricing.csv (Slurm, Kubernetes)"
    reads = "price per accelerator-hour by cluster and partition"
    holds = "rates that leave out priced vCPU or memory, wildcard accelerators with a price, zero prices"
    ignores = "rows without accelerator; the all-zero default row"

    def recognises(self, document: Document) -> bool:
        """Return whether the header is that of an own price file."""
        return document.table(*NEEDED) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per accelerator rate."""
        table = document.table(*NEEDED)
        if table is None:
            return Parsed(rows=0)
        parsed = Parsed(rows=len(table.records))
        hosts = [record for record in table.records if table.even(record) and _has_host_rate(table, record)]
        for record in table.records:
            try:
                _row(table, record, hosts, context, parsed)
            except CellError as error:
                columns = ("PricePerVCPU", "PricePerMemoryGB", "PricePerAccelerator")
                at = next((name for name in columns if table.getter(name).text(record) == error.value), columns[-1])
                parsed.faults.append(error.at(record.line, at))
        return parsed


def _has_host_rate(table: TableRows, record: Record) -> bool:
    try:
        cells = (table.getter(name)(record) for name in ("PricePerVCPU", "PricePerMemoryGB"))
        return any(read_number(cell, ".") for cell in cells)
    except CellError:
        return False


def _row(table: TableRows, record: Record, hosts: list[Record], context: Context, parsed: Parsed) -> None:
    def text(name: str) -> str:
        return table.getter(name).text(record)

    price = read_number(table.getter("PricePerAccelerator")(record), ".")
    name = text("AcceleratorName")
    if table.even(record) and not name and not price:
        code = "host_rate" if _has_host_rate(table, record) else "zero_default_row"
        parsed.ignored.append(Ignored(record.line, code, text("Region") or "any cluster"))
        return
    reasons = [] if table.even(record) else [ragged(len(record.cells), len(table.header))]
    if price and any(_applies(table, host, record) for host in hosts):
        message = "vCPU and memory are priced apart: this is the rate of the accelerator alone"
        reasons.append(Reason("component_only", message, "state the rate of the whole node per accelerator"))
    parsed.offers.append(
        Offer(
            line=record.line,
            raw=table.raw(record),
            price=price,
            written=f"{'nothing' if price is None else plain(price)} {context.currency or CURRENCY}",
            currency=context.currency or CURRENCY,
            basis="per_accelerator_hour",
            sku=name or "any accelerator",
            accelerator=name or "any accelerator",
            provider=context.provider or provider_in(context.file_name) or OWN,
            region=text("Region"),
            values={"zone": text("Zone") or None, "os": "linux"},
            reasons=reasons,
            default_vram_gb={"A100": Decimal(40), "V100": Decimal(16)},
        )
    )


def _applies(table: TableRows, host: Record, record: Record) -> bool:
    """Return whether a host rate holds where an accelerator rate does: an empty cell is a wildcard."""
    for name in ("Region", "Zone"):
        one, other = table.getter(name).text(host), table.getter(name).text(record)
        if one and other and one != other:
            return False
    return True


SKYPILOT_ON_PREM = SkyPilotOnPrem()
