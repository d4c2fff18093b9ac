"""APIs of single vendors that differ in names alone: which field means what is a table, one row per price."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

from providers.base import Context, Offer, Parsed, no_price, parse_entries, texts_of
from providers.cells import plain, read_number
from providers.currency import is_currency
from providers.document import Document
from providers.knowledge import rows_of
from providers.names import form_of
from providers.sheet import Reason
from providers.wording import meant

UNITS = {
    "gb": Decimal(1), "total_gb": Decimal(1), "mib": Decimal(1024), "bytes": Decimal(1024**3),
}  # in one GB as the catalogs count it  # fmt: skip
TOTAL = "total_gb"  # the memory of all accelerators together
TEXT = "text"  # memory as words: 80Gi, 24GB
UNCLEAR = "unclear"  # nobody says whether the price is per accelerator or per instance
APART = "apart"  # the accelerator alone: vCPU and memory have prices of their own
EACH = (APART, "per_accelerator_hour")
LOOKED_AT = 50  # objects of a list in which the fields of a vendor are looked for
KEYS = "#"  # a path that ends so names the keys of an object


@dataclass(frozen=True, slots=True)
class Api:
    """Where one vendor's answer holds what; several names of a field are tried in their order.

    A list inside the objects of a list is named after the outer list; `parent` is the object that holds it.
    """

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
    title = (
        "Vendor APIs by table (JSON: Akash, CloudRift, Cudo, DigitalOcean, Fluidstack, Gcore, Hyperstack, JarvisLabs, "
        "Linode, Mithril, Prime Intellect, Scaleway, Seeweb, Shadeform, TensorDock, Together, Vast)"
    )
    reads = (
        "price per instance-hour or GPU-hour, cents divided, minutes made hours, memory of one or of all GPUs, one "
        "offer per region; bids as floor"
    )
    holds = (
        "prices of which nobody says whether per GPU or per instance, GPUs whose vCPU and memory are billed apart, "
        "unknown GPUs, missing currency or price"
    )
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
    for api in APIS:
        if any(api.needed <= set(entry) for entry in islice(_objects(document, api), LOOKED_AT)):
            return api
    return None


def _objects(document: Document, api: Api) -> Iterator[dict[str, Any]]:
    """Return the objects of a list, those that a vendor keys by name, and those of a list inside other objects."""
    if not api.list:
        yield from document.objects()
    for page in document.pages if api.list else []:
        yield from _inside(page, api.list, None)


def _inside(value: Any, path: tuple[str, ...], parent: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    for place, key in enumerate(path):
        value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, list) and path[place + 1 :]:
            for entry in value:
                yield from _inside(entry, path[place + 1 :], entry if isinstance(entry, dict) else parent)
            return
    more = {} if parent is None else {"parent": parent}
    if isinstance(value, list):
        yield from ({**entry, **more} for entry in value if isinstance(entry, dict))
    elif isinstance(value, dict):
        yield from ({"key": key, **entry, **more} for key, entry in value.items() if isinstance(entry, dict))


def _values(entry: Any, path: str) -> list[Any]:
    """Return what stands under a path, of every object where a list is on the way; its keys where it ends so."""
    found = [entry]
    for key in path.removesuffix(KEYS).split("."):
        inner = [part for value in found for part in (value if isinstance(value, list) else [value])]
        found = [part[key] for part in inner if isinstance(part, dict) and part.get(key) is not None]
    if path.endswith(KEYS):
        return [key for value in found if isinstance(value, dict) for key in value]
    return [part for value in found for part in (value if isinstance(value, list) else [value])]


def _first(entry: Any, paths: str) -> Any:
    return next((value for path in paths.split("|") if path for value in _values(entry, path)), None)


def _offers(line: int, entry: Mapping[str, Any], api: Api) -> Iterator[Offer]:
    for row in api.prices:
        count = read_number(_first(entry, row["count"]))
        name = str(_first(entry, row["accelerator"]) or "")
        if (not name and not count) or count == 0:
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
    divisor, _, times = row["divisor"].partition("/")
    unit = "cents" if divisor == "100" else "an hour"
    steps = ([f"x {times} minutes"] if times else []) + (["/ 100 cents"] if divisor == "100" else [])
    model = _way_of_buying(entry, row["purchase_model"])
    offer = Offer(
        line=line,
        raw=texts_of(entry),
        price=None if price is None else price * Decimal(times or 1) / Decimal(divisor),
        written=f"{'nothing' if price is None else plain(price)} {stated} {unit}, {row['price']}",
        steps=steps,
        currency=stated or None,
        basis="per_accelerator_hour" if row["basis"] in EACH else "per_instance_hour",
        sku=" ".join(str(found) for part in row["sku"].split("+") if (found := _first(entry, part))),
        accelerator=name,
        form_factor=form_of(str(_first(entry, row["form_factor"]) or "")),
        provider=row["provider"],
        region=region,
        count=count,
        vram_gb=_memory(_first(entry, row["memory"]), row["memory_unit"], count),
        purchase_model=model,
        values={"capacity_class": "spot" if model == "spot" else "on_demand"},
        reasons=[] if price is not None else [no_price()],
    )
    if row["basis"] == APART:
        message = f"{row['price']} is the accelerator alone: vCPU and memory are billed beside it"
        offer.reasons.append(Reason("component_only", message, "state the price with vCPU and memory"))
    if row["basis"] == UNCLEAR and count != 1:
        held = plain(count) if count else "some"
        message = f"{row['price']} of {held} accelerators: for one of them or for all?"
        offer.reasons.append(Reason("basis_not_proven", message, "state what the price is per"))
    return offer


def _way_of_buying(entry: Mapping[str, Any], written: str) -> str:
    """Return the purchase model of a row of the table: `on_demand|isSpot=spot` is spot where the field is true."""
    usual, *others = written.split("|")
    chosen = (model for field, _, model in (other.partition("=") for other in others) if _first(entry, field) is True)
    return next(chosen, usual)


def _memory(written: Any, unit: str, count: Decimal | None) -> Decimal | None:
    text = meant("vram_gb", f"{written}B" if str(written).endswith("Gi") else written) if unit == TEXT else written
    stated = read_number(text)
    if not stated:
        return None
    each = stated / UNITS.get(unit, Decimal(1))
    return each / count if unit == TOTAL and count else each


VENDOR_API = VendorApi()
