"""OpenCost custom prices: CSV by asset class, or one JSON of component prices; own rates, mostly of own clusters."""

import re
from decimal import Decimal

from providers.base import Context, Offer, Parsed, ragged
from providers.cells import plain, read_number
from providers.document import Document, Record, TableRows
from providers.errors import CellError, Fault
from providers.knowledge import PROVIDERS, find_sku, squeezed
from providers.sheet import Ignored, Reason

NEEDED = ("EndTimestamp", "InstanceID", "AssetClass", "InstanceIDField", "MarketPriceHourly")
JSON_KEYS = frozenset({"CPU", "RAM"})
OTHER_KEYS = frozenset({"GPU", "spotCPU", "spotRAM", "storage", "internetNetworkEgress"})  # one of them stands beside
PRICE = str | int | Decimal
BOUGHT = re.compile(r"[-_ ](on-?demand|reserved|spot|preemptible)$", re.IGNORECASE)
ANY = "any GPU"  # the JSON has one price for all: mapping this name says which accelerator the cluster has
MODELS = {"ondemand": "on_demand", "reserved": "reserved", "spot": "spot", "preemptible": "spot"}
GPU_CLASSES = frozenset({"gpu", "gpulabel"})  # both a price per GPU-hour, found by a label of the node
CLOUDS = ("aws", "azure", "gcp", "oci")  # whose instance types are known
NODE = Reason(
    "node_rate",
    "the rate of a node with accelerators: whether it holds them, or a gpu row adds them, is not said",
    "confirm that the rate is that of the whole node",
)


class OpenCost:
    """Rates that an organisation charges itself per GPU-hour."""

    key = "opencost"
    title = "OpenCost custom pricing (CSV, JSON)"
    reads = "gpu rows: price per GPU-hour of the GPU that the label names, by region"
    holds = (
        "no stated currency or provider, labels that name no GPU, reserved rates without term, one price for any GPU, "
        "rates of nodes whose type has accelerators"
    )
    ignores = "node and volume rows, which name no accelerator; end timestamps"

    def recognises(self, document: Document) -> bool:
        """Return whether the header or the keys are those of custom prices."""
        found = document.json
        if not isinstance(found, dict):
            return document.table(*NEEDED) is not None
        is_priced = all(isinstance(found.get(name), PRICE) for name in JSON_KEYS)
        return is_priced and bool(OTHER_KEYS & set(found))

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per GPU rate."""
        table = document.table(*NEEDED)
        if table is None:
            return _json(document, context)
        parsed = Parsed(rows=len(table.records))
        for record in table.records:
            if str(record.cells[0] if record.cells else "").lstrip().startswith("#"):
                parsed.ignored.append(Ignored(record.line, "note", str(record.cells[0])[:80]))
                continue
            kind = table.getter("AssetClass").text(record).lower()
            cloud, sku = _machine(table, record, context.provider) if kind == "node" else ("", "")
            if table.even(record) and kind not in GPU_CLASSES and not cloud:
                code = "node_rate" if kind == "node" else "other_service"
                parsed.ignored.append(Ignored(record.line, code, table.getter("InstanceID").text(record)))
                continue
            try:
                offer = _offer(table, record, context)
            except CellError as error:
                parsed.faults.append(error.at(record.line, "MarketPriceHourly"))
                continue
            if cloud:
                offer.sku = offer.table_sku = sku
                offer.accelerator, offer.basis, offer.provider = "", "per_instance_hour", cloud
                offer.reasons.append(NODE)
            else:  # OpenCost adds it to the rate of the node
                offer.flags.append("host_not_priced")
                offer.values["excludes"] = ("vcpu", "memory")
            parsed.offers.append(offer)
        return parsed


def _machine(table: TableRows, record: Record, stated: str | None) -> tuple[str, str]:
    """Return cloud and accelerated instance type of a node, as its type or as the label it is found by."""
    for name in ("InstanceType", "InstanceID"):
        sku = table.getter(name).text(record)
        if cloud := _cloud(sku, stated):
            return cloud, sku
    return "", ""


def _cloud(sku: str, stated: str | None) -> str:
    """Return the cloud whose accelerated instance type a node is of, empty when it is none."""
    clouds = (stated,) if stated in CLOUDS else CLOUDS
    found = ((cloud, find_sku(cloud, sku)) for cloud in clouds if cloud and sku)
    return next((cloud for cloud, known in found if known and not known.has_none and known.accelerator), "")


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
    seller = PROVIDERS.get(squeezed(str(prices.get("provider") or "")), "")  # `custom` is nobody's name
    currency = str(prices.get("currencyCode") or context.currency or "") or None
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
                currency=currency,
                provider=context.provider or seller,
                basis="per_accelerator_hour",
                sku=ANY,
                accelerator=ANY,
                purchase_model=model,
            )  # fmt: skip
        )
    parsed.ignored += [Ignored(1, "component", key) for key in prices if key not in {"GPU", "spotGPU"}]
    return parsed


OPENCOST = OpenCost()
