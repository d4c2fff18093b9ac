"""Curated GPU table as CSV: price per instance beside the price per GPU, which must agree."""

from decimal import Decimal

from providers.base import Context, Offer, Parsed, ragged
from providers.cells import plain, read_number
from providers.document import Document, Record, TableRows
from providers.errors import CellError
from providers.knowledge import BANDS
from providers.names import read_name
from providers.sheet import Reason

NEEDED = ("Cloud", "GPU Type", "GPUs", "GPU RAM", "On-demand", "Per-GPU", "Spot")
CURRENCY = "USD"  # the table states none; its prices are USD
MARGIN = Decimal("0.0051")  # of a price that is rounded to cents


class CuratedTable:
    """One row per cloud and instance with total memory, price, price per GPU and spot price."""

    key = "curated_table"
    title = "Curated GPU table (CSV)"
    reads = "on-demand price per instance and spot price; memory of all GPUs together"
    holds = "rows whose price per GPU is not the instance price over its GPUs, or stands alone for several GPUs"
    ignores = "empty spot cells"

    def recognises(self, document: Document) -> bool:
        """Return whether the header holds both prices."""
        return document.table(*NEEDED) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return an on-demand and, where stated, a spot offer per row."""
        table = document.table(*NEEDED)
        if table is None:
            return Parsed(rows=0)
        parsed = Parsed(rows=len(table.records))
        for record in table.records:
            column = ""
            try:
                numbers: dict[str, Decimal | None] = {}
                for column in ("GPUs", "GPU RAM", "On-demand", "Per-GPU", "Spot"):
                    numbers[column] = read_number(table.getter(column)(record), ".")
            except CellError as error:
                parsed.faults.append(error.at(record.line, column))
                continue
            parsed.offers += _offers(table, record, numbers)
        return parsed


def _offers(table: TableRows, record: Record, numbers: dict[str, Decimal | None]) -> list[Offer]:
    count, price, each = numbers["GPUs"], numbers["On-demand"], numbers["Per-GPU"]
    reasons = [] if table.even(record) else [ragged(len(record.cells), len(table.header))]
    if price is not None and each is not None and count:
        reasons += _agreement(price, each, count)
    elif price is None and each is not None and count != 1:
        message = f"a price per GPU of {plain(each)} for {count} GPUs without the price of the instance"
        reasons.append(Reason("basis_not_proven", message, "state the price of the instance"))
    offers = []
    if price is not None or each is None:
        offers.append(_offer(table, record, numbers, price, "per_instance_hour", "on_demand"))
    else:
        offers.append(_offer(table, record, numbers, each, "per_accelerator_hour", "on_demand"))
    if numbers["Spot"]:
        offers.append(_offer(table, record, numbers, numbers["Spot"], "per_instance_hour", "spot"))
    for offer in offers:
        offer.reasons = list(reasons)
    return offers


def _agreement(price: Decimal, each: Decimal, count: Decimal) -> list[Reason]:
    derived = price / count
    band = BANDS["basis_agrees"]
    low, high = each * (band.low or 1) - MARGIN, each * (band.high or 1) + MARGIN
    if low <= derived <= high:
        return []
    message = (
        f"{plain(price)} over {plain(count)} GPUs is {plain(round(derived, 4))}, the row says {plain(each)} per GPU"
    )
    return [Reason("basis_disagrees", message, "say which of the two prices is right")]


def _offer(  # noqa: PLR0913 - a row, what it says, and which of its prices is meant
    table: TableRows,
    record: Record,
    numbers: dict[str, Decimal | None],
    price: Decimal | None,
    basis: str,
    model: str,
) -> Offer:
    def text(name: str) -> str:
        return table.getter(name).text(record)

    count = numbers["GPUs"]
    shape = f"{text('GPUs')}x {text('GPU Type')} {text('vCPUs')} vCPU {text('RAM')} GB"
    name = text("Name")
    return Offer(
        line=record.line,
        raw=table.raw(record),
        price=price,
        written=f"{'nothing' if price is None else plain(price)} {CURRENCY}",
        currency=CURRENCY,
        basis=basis,
        sku=name or shape,
        accelerator=text("GPU Type"),
        provider=text("Cloud"),
        count=count,
        vram_gb=_memory(text("GPU Type"), numbers["GPU RAM"], count),
        purchase_model=model,
    )


def _memory(written: str, memory: Decimal | None, count: Decimal | None) -> Decimal | None:
    """Return the memory of one GPU: the column sums all of them, except where it repeats the size in the name."""
    if not memory or not count:
        return None
    name = read_name(written)
    return memory if name is not None and name.memory_gb == memory else memory / count


CURATED_TABLE = CuratedTable()
