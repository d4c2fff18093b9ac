"""Karpenter price lists: region, instance type and on-demand price, generated without system or currency columns."""

from providers.aws_names import PROVIDER as AWS
from providers.aws_names import china_doubt
from providers.base import Context, Offer, Parsed, ragged
from providers.cells import read_number
from providers.document import Document, TableRows
from providers.errors import CellError
from providers.knowledge import find_sku
from providers.sheet import Ignored

CURRENCIES = ("USD", "CNY", "EUR")  # the name of the price column says which
SHAPES = {
    ("region", sku_column, f"price_{currency.lower()}_hour"): (provider, currency)
    for sku_column, provider in (("arm_sku", "azure"), ("instance_type", "aws"))
    for currency in CURRENCIES
}


class Karpenter:
    """A cross-check list: one on-demand price per instance type and region."""

    key = "karpenter"
    title = "Karpenter on-demand list (CSV)"
    reads = "on-demand price per instance, in the currency of its column; promotional sizes as promo"
    holds = "zero prices, unknown sizes and regions, AWS regions in China, whose list is not in USD"
    ignores = "instances without accelerator"

    def recognises(self, document: Document) -> bool:
        """Return whether the header is region, instance type and price."""
        return any(document.table(*shape) is not None for shape in SHAPES)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per accelerated instance; the system is not stated and stays open."""
        for shape, (provider, currency) in SHAPES.items():
            table = document.table(*shape)
            if table is not None:
                return _rows(table, shape, provider, currency)
        return Parsed(rows=0)


def _rows(table: TableRows, shape: tuple[str, str, str], provider: str, currency: str) -> Parsed:
    parsed = Parsed(rows=len(table.records))
    region_of, sku_of, price_of = (table.getter(name) for name in shape)
    width = len(table.header)
    for record in table.records:
        sku = str(sku_of(record) or "").strip()
        known = find_sku(provider, sku)
        if known is not None and known.has_none and len(record.cells) == width:
            parsed.ignored.append(Ignored(record.line, "no_accelerator", sku))
            continue
        try:
            price = read_number(price_of(record), ".")
        except CellError as error:
            parsed.faults.append(error.at(record.line, shape[2]))
            continue
        parsed.offers.append(
            Offer(
                line=record.line,
                raw=table.raw(record),
                price=price,
                written=f"{price_of.text(record)} {currency}",
                currency=currency,
                basis="per_instance_hour",
                sku=sku,
                provider=provider,
                region=region_of.text(record),
                purchase_model="promo" if sku.lower().endswith("_promo") else "on_demand",
                values={"capacity_class": "on_demand"},
                flags=["system_not_stated"],
                reasons=[
                    *([] if table.even(record) else [ragged(len(record.cells), width)]),
                    *(china_doubt(region_of.text(record), currency) if provider == AWS else ()),
                ],
            )  # fmt: skip
        )
    return parsed


KARPENTER = Karpenter()
