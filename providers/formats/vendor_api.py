"""APIs of single vendors that differ in names alone: which field means what is a table, one row per price."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, no_price, parse_entries, texts_of
from providers.cells import plain, read_number
from providers.currency import is_currency
from providers.document import Document
from providers.knowledge import rows_of
from providers.names import form_of
from providers.sheet import Reason

UNITS = {
    "gb": Decimal(1), "total_gb": Decimal(1), "mib": Decimal(1024), "bytes": Decimal(1024**3),
}  # in one GB as the catalogs count it  # fmt: skip
TOTAL = "total_gb"  # the memory of all accelerators together
UNCLEAR = "unclear"  # nobody says whether the price is per accelerator or per instance


@dataclass(frozen=True, slots=True)
class Api:
    """Where one vendor's answer holds what; several names of a field are tried in their order."""

    provider: str
    list: tuple[str, ...]
    needed: frozenset[str]
    prices: tuple[Mapping[str, str], ...]


def _apis() -> tuple[Api, ...]:
    found: dict[tuple[str, str, str], list[Mapping[str, str]]] = {}
    for row in rows_of("vendor_apis.csv"):
        found.setdefault((row["provider"], row["list"], row["needed"]), []).append(row)
    return tuple(
        Api(provider, tuple(path.split(".")) if path else (), frozenset(needed.split("|")), tuple(rows))
        for (provider, path, needed), rows in found.items()
    )


APIS = _apis()


class VendorApi:
    """A list of instance types or offers with a price each."""

    key = "vendor_api"
    title = "Vendor APIs by table (JSON: Vast, Shadeform, DigitalOcean, Scaleway, Gcore, Mithril, Hyperstack)"
    reads = "price per instance-hour, cents divided, memory of one or of all GPUs, one offer per region; bids as floor"
    holds = "prices of which nobody says whether per GPU or per instance, unknown GPUs, missing currency or price"
    ignores = "objects without GPU; further vendors are a row of providers/data/vendor_apis.csv"

    def recognises(self, document: Document) -> bool:
        """Return whether the first object has the fields of exactly one vendor."""
        return _found(document) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per object, price and region."""
        api = _found(document)
        if api is None:
            return Parsed(rows=0)
        return parse_entries(_objects(document, api), lambda line, entry: _offers(line, entry, api))


def _found(document: Document) -> Api | None:
    return next((api for api in APIS if api.needed <= set(next(_objects(document, api), {}))), None)


def _objects(document: Document, api: Api) -> Iterator[dict[str, Any]]:
    """Return the objects of a list, or those that a vendor keys by name."""
    yield from document.objects(*api.list)
    for page in document.pages if api.list else []:
        value: Any = page
        for key in api.list:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, dict):
            yield from ({"key": key, **entry} for key, entry in value.items() if isinstance(entry, dict))


def _values(entry: Any, path: str) -> list[Any]:
    """Return what stands under a path, of every object where a list is on the way."""
    found = [entry]
    for key in path.split("."):
        inner = [part for value in found for part in (value if isinstance(value, list) else [value])]
        found = [part[key] for part in inner if isinstance(part, dict) and part.get(key) is not None]
    return [part for value in found for part in (value if isinstance(value, list) else [value])]


def _first(entry: Any, paths: str) -> Any:
    return next((value for path in paths.split("|") if path for value in _values(entry, path)), None)


def _offers(line: int, entry: Mapping[str, Any], api: Api) -> Iterator[Offer]:
    for row in api.prices:
        count = read_number(_first(entry, row["count"]))
        name = str(_first(entry, row["accelerator"]) or "")
        if not name and not count:
            return
        price = read_number(_first(entry, row["price"]))
        if price is None and row is not api.prices[0]:
            continue  # a further way of buying that this object does not have
        regions = next((found for path in row["region"].split("|") if path and (found := _values(entry, path))), [""])
        for region in regions:
            yield _offer(line, entry, row, name, count, price, str(region))


def _offer(  # noqa: PLR0913 - an object, one of its prices, and one of its places
    line: int,
    entry: Mapping[str, Any],
    row: Mapping[str, str],
    name: str,
    count: Decimal | None,
    price: Decimal | None,
    region: str,
) -> Offer:
    stated = row["currency"] if is_currency(row["currency"]) else str(_first(entry, row["currency"]) or "")
    divisor = Decimal(row["divisor"])
    unit = "cents" if divisor == 100 else "an hour"
    offer = Offer(
        line=line,
        raw=texts_of(entry),
        price=None if price is None else price / divisor,
        written=f"{'nothing' if price is None else plain(price)} {stated} {unit}, {row['price']}",
        steps=["/ 100 cents"] if divisor == 100 else [],
        currency=stated or None,
        basis="per_instance_hour",
        sku=" ".join(str(found) for part in row["sku"].split("+") if (found := _first(entry, part))),
        accelerator=name,
        form_factor=form_of(str(_first(entry, row["form_factor"]) or "")),
        provider=row["provider"],
        region=region,
        count=count,
        vram_gb=_memory(read_number(_first(entry, row["memory"])), row["memory_unit"], count),
        purchase_model=row["purchase_model"],
        values={"capacity_class": "spot" if row["purchase_model"] == "spot" else "on_demand"},
        reasons=[] if price is not None else [no_price()],
    )
    if row["basis"] == UNCLEAR and count != 1:
        held = plain(count) if count else "some"
        message = f"{row['price']} of {held} accelerators: for one of them or for all?"
        offer.reasons.append(Reason("basis_not_proven", message, "state what the price is per"))
    return offer


def _memory(stated: Decimal | None, unit: str, count: Decimal | None) -> Decimal | None:
    if not stated:
        return None
    each = stated / UNITS[unit]
    return each / count if unit == TOTAL and count else each


VENDOR_API = VendorApi()
