"""OpenCost custom prices: CSV by asset class, or one JSON of component prices; own rates, mostly of own clusters."""

import re

from providers.base import Context, Offer, Parsed, ragged
from providers.cells import plain, read_number
from providers.document import Document, Record, TableRows
from providers.errors import CellError, Fault
from providers.sheet import Ignored

NEEDED = ("EndTimestamp", "InstanceID", "AssetClass", "InstanceIDField", "MarketPriceHourly")
JSON_KEYS = frozenset({"CPU", "RAM", "GPU"})
BOUGHT = re.compile(r"[-_ ](on-?demand|reserved|spot)$", re.IGNORECASE)
ANY = "any GPU"  # the JSON has one price for all: mapping this name says which accelerator the cluster has
MODELS = {"ondemand": "on_demand", "reserved": "reserved", "spot": "spot"}


class OpenCost:
    """Rates that an organisation charges itself per GPU-hour."""

    key = "opencost"
    title = "OpenCost custom pricing (CSV, JSON)"
    reads = "gpu rows: price per GPU-hour of the GPU that the label names, by region"
    holds = (
        "no stated currency or provider, labels that name no GPU, reserved rates without term, one price for any GPU"
    )
    ignores = "node and volume rows, which name no accelerator; end timestamps"

    def recognises(self, document: Document) -> bool:
        """Return whether the header or the keys are those of custom prices."""
        found = document.json
        is_json = isinstance(found, dict) and set(found) >= JSON_KEYS and isinstance(found.get("GPU"), str)
        return is_json or document.table(*NEEDED) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per GPU rate."""
        table = document.table(*NEEDED)
        if table is None:
            return _json(document, context)
        parsed = Parsed(rows=len(table.records))
        for record in table.records:
            kind = table.getter("AssetClass").text(record).lower()
            if table.even(record) and kind != "gpu":
                code = "node_rate" if kind == "node" else "other_service"
                parsed.ignored.append(Ignored(record.line, code, table.getter("InstanceID").text(record)))
                continue
            try:
                parsed.offers.append(_offer(table, record, context))
            except CellError as error:
                parsed.faults.append(error.at(record.line, "MarketPriceHourly"))
        return parsed


def _offer(table: TableRows, record: Record, context: Context) -> Offer:
    label = table.getter("InstanceID").text(record)
    bought = BOUGHT.search(label)
    price = read_number(table.getter("MarketPriceHourly")(record), ".")
    return Offer(
        line=record.line,
        raw=table.raw(record),
        price=price,
        written=f"{'nothing' if price is None else plain(price)} {context.currency or ''} per GPU-hour".replace(
            "  ", " "
        ),
        currency=context.currency,
        basis="per_accelerator_hour",
        sku=label,
        accelerator=BOUGHT.sub("", label),
        region=table.getter("Region").text(record),
        purchase_model=MODELS[bought[1].lower().replace("-", "")] if bought else "on_demand",
        reasons=[] if table.even(record) else [ragged(len(record.cells), len(table.header))],
    )


def _json(document: Document, context: Context) -> Parsed:
    prices = document.json if isinstance(document.json, dict) else {}
    parsed = Parsed(rows=1)
    for key, model in (("GPU", "on_demand"), ("spotGPU", "spot")):
        try:
            price = read_number(prices.get(key))
        except CellError as error:
            parsed.faults.append(Fault(1, key, error.value, error.rule, error.hint))
            continue
        if price is None:
            continue
        parsed.offers.append(
            Offer(
                line=1,
                raw={name: str(value) for name, value in prices.items()},
                price=price,
                written=f"{plain(price)} per GPU-hour",
                currency=context.currency,
                basis="per_accelerator_hour",
                sku=ANY,
                accelerator=ANY,
                purchase_model=model,
            )  # fmt: skip
        )
    parsed.ignored += [Ignored(1, "component", key) for key in prices if key not in {"GPU", "spotGPU"}]
    return parsed


OPENCOST = OpenCost()
