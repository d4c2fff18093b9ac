"""AWS price list: bulk offer file, GetProducts page and bulk CSV; hourly and upfront dimensions of one term summed."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from providers.aws_names import (
    PROVIDER,
    has_no_accelerator,
    licence_apart,
    market_of,
    stated_accelerators,
    variant_name,
)
from providers.base import Context, Offer, Parsed, object_in, ragged_offer, unpaid_part
from providers.cells import plain, read_date, read_number
from providers.document import Document, TableRows
from providers.errors import CellError, Fault
from providers.knowledge import squeezed
from providers.sheet import Ignored, Reason
from providers.units import read_term

CSV_NEEDED = ("SKU", "OfferTermCode", "TermType", "Unit", "PricePerUnit", "Currency")
OPTIONS = {"noupfront": "none", "partialupfront": "partial", "allupfront": "all", "": "none"}
KINDS = frozenset({"OnDemand", "Reserved"})
HOUR_UNITS = frozenset({"hrs", "hours", "hour"})
LINUX_TEXTS = frozenset({"linux", "na", ""})


@dataclass(slots=True)
class Dimension:
    """One price dimension of a term: amount, unit and from which quantity on."""

    unit: str
    price: Decimal | None
    currency: str
    begins: str


@dataclass(slots=True)
class Term:
    """One way of buying one product, with its price dimensions; attributes by squeezed name."""

    line: int
    product: dict[str, str]
    kind: str
    attributes: dict[str, str]
    effective: str
    dimensions: list[Dimension] = field(default_factory=list)


class AwsPriceList:
    """Products with attributes, and terms with price dimensions."""

    key = "aws_price_list"
    title = "AWS price list (JSON offer file, GetProducts page, CSV)"
    reads = "on demand, reserved with upfront payment by term and class, capacity blocks; Windows as its own system"
    holds = (
        "zero prices, tiers, units that are no hours, unknown sizes, another GPU count than the size has, ragged rows, "
        "terms without length or upfront payment"
    )
    ignores = (
        "instances without accelerator, dedicated tenancy, Outposts, capacity reservation lines, software licences"
    )

    def recognises(self, document: Document) -> bool:
        """Return whether the document holds products with AWS terms."""
        return document.table(*CSV_NEEDED) is not None or next(_json_products(document), None) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per term of an accelerated instance."""
        table = document.table(*CSV_NEEDED)
        parsed = Parsed(rows=0)
        terms = _csv_terms(table, parsed) if table else _json_terms(document, parsed)
        ignored: set[tuple[int, str]] = set()
        for term in terms:
            code = _ignored(term)
            if not code:
                parsed.offers += _checked_offers(term, parsed)
            elif (term.line, code) not in ignored:
                ignored.add((term.line, code))
                parsed.ignored.append(Ignored(term.line, code, term.product.get("INSTANCETYPE", "")))
        return parsed


def _attributes(given: Mapping[str, Any]) -> dict[str, str]:
    return {squeezed(name): str(value) for name, value in given.items()}


def _json_products(document: Document) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Return attributes and terms of each product, in any of the published shapes."""
    found = document.json
    if isinstance(found, dict) and isinstance(found.get("products"), dict) and isinstance(found.get("terms"), dict):
        for sku, product in found["products"].items():
            terms = {kind: by_sku.get(sku, {}) for kind, by_sku in found["terms"].items() if isinstance(by_sku, dict)}
            yield _product(product), terms
        return
    for entry in _entries(found):
        if isinstance(entry, dict) and isinstance(entry.get("product"), dict) and isinstance(entry.get("terms"), dict):
            yield _product(entry["product"]), entry["terms"]


def _entries(found: Any) -> Iterable[Any]:
    if isinstance(found, list):
        for entry in found:
            yield from _entries(entry) if isinstance(entry, dict) and "PriceList" in entry else [_decoded(entry)]
    elif isinstance(found, dict) and isinstance(found.get("PriceList"), list):
        yield from (_decoded(entry) for entry in found["PriceList"])
    elif isinstance(found, dict):
        yield from found.values()


def _decoded(entry: Any) -> Any:
    """Return a product that a page holds as text within its JSON."""
    if not isinstance(entry, str):
        return entry
    try:
        return json.loads(entry, parse_float=Decimal)
    except (ValueError, RecursionError):
        return None


def _product(stated: Any) -> dict[str, str]:
    product: dict[str, Any] = stated if isinstance(stated, dict) else {}
    attributes = product.get("attributes")
    named = _attributes(attributes if isinstance(attributes, dict) else {})
    return {"SKU": str(product.get("sku", "")), "PRODUCTFAMILY": str(product.get("productFamily", "")), **named}


def _json_terms(document: Document, parsed: Parsed) -> Iterator[Term]:
    for line, (product, kinds) in enumerate(_json_products(document), start=1):
        parsed.rows += 1
        for kind in kinds:
            try:
                yield from [_json_term(line, product, kind, term) for term in object_in(kinds, kind).values()]
            except CellError as error:
                parsed.faults.append(Fault(line, f"terms.{kind}", error.value, error.rule, error.hint))


def _json_term(line: int, product: dict[str, str], kind: str, stated: Any) -> Term:
    term: Mapping[str, Any] = object_in({"term": stated}, "term")
    effective = str(term.get("effectiveDate") or "")
    found = Term(line, product, kind, _attributes(object_in(term, "termAttributes")), effective)
    dimensions = object_in(term, "priceDimensions")
    for name in dimensions:
        dimension = object_in(dimensions, name)
        for currency, amount in object_in(dimension, "pricePerUnit").items():
            begins = str(dimension.get("beginRange") or "0")
            unit = str(dimension.get("unit") or "")
            found.dimensions.append(Dimension(unit, read_number(amount), currency, begins))
    return found


def _csv_terms(table: TableRows, parsed: Parsed) -> Iterator[Term]:
    """Gather the rows of one SKU and term code, which the CSV spreads over lines."""
    terms: dict[tuple[str, str], Term] = {}
    left_out: set[tuple[str, str]] = set()
    names = tuple(squeezed(name) for name in table.header)
    parsed.rows = len(table.records)
    for record in table.records:
        if not table.even(record):
            width = (len(record.cells), len(table.header))
            parsed.offers.append(ragged_offer(record.line, table.raw(record), width, PROVIDER))
            continue
        row = dict(zip(names, map(str, record.cells), strict=True))
        key = (row.get("SKU", ""), row.get("OFFERTERMCODE", ""))
        if code := _ignored_by_type(row):  # most rows: they need no more than that
            if key not in left_out:
                left_out.add(key)
                parsed.ignored.append(Ignored(record.line, code, row.get("INSTANCETYPE", "")))
            continue
        known = terms.setdefault(
            key, Term(record.line, row, row.get("TERMTYPE", ""), row, row.get("EFFECTIVEDATE", ""))
        )
        try:
            price = read_number(row.get("PRICEPERUNIT"))
        except CellError as error:
            parsed.faults.append(error.at(record.line, "PricePerUnit"))
            continue
        begins = row.get("STARTINGRANGE") or "0"
        known.dimensions.append(Dimension(row.get("UNIT", ""), price, row.get("CURRENCY", ""), begins))
    yield from terms.values()


def _ignored_by_type(product: Mapping[str, str]) -> str:
    if not product.get("PRODUCTFAMILY", "Compute Instance").startswith("Compute Instance"):
        return "other_service"
    gpus = product.get("GPU")
    accelerators = stated_accelerators(gpus) if gpus else None
    return "no_accelerator" if has_no_accelerator(product.get("INSTANCETYPE", ""), accelerators) else ""


def _ignored(term: Term) -> str:
    """Return the code under which a product is left out, empty when it is an offer of accelerators."""
    product = term.product
    if code := _ignored_by_type(product):
        return code
    if product.get("TENANCY", "Shared") not in {"Shared", "NA"} or product.get("LOCATIONTYPE") == "AWS Outposts":
        return "other_tenancy"
    if product.get("CAPACITYSTATUS", "Used") != "Used":
        return "capacity_reservation_line"
    return "" if product.get("PREINSTALLEDSW", "NA") in {"NA", ""} else "software_licence"


def _checked_offers(term: Term, parsed: Parsed) -> list[Offer]:
    try:
        return list(_offers(term))
    except CellError as error:
        parsed.faults.append(Fault(term.line, "effectiveDate", error.value, error.rule, error.hint))
        return []


def _offers(term: Term) -> Iterator[Offer]:
    by_currency: dict[str, list[Dimension]] = defaultdict(list)
    for dimension in term.dimensions:
        by_currency[dimension.currency].append(dimension)
    for currency, dimensions in by_currency.items():
        yield _offer(term, currency, dimensions)


def _offer(term: Term, currency: str, dimensions: list[Dimension]) -> Offer:
    product, attributes = term.product, term.attributes
    sku = product.get("INSTANCETYPE", "")
    reasons: list[Reason] = []
    hours = _one(dimensions, HOUR_UNITS, reasons)
    upfront = _one(dimensions, {"quantity"}, reasons)
    for dimension in dimensions:
        if dimension.unit.lower() not in HOUR_UNITS | {"quantity"}:
            message = f"{dimension.unit!r} is no known unit of a machine"
            reasons.append(Reason("unknown_unit", message, "say what the price is per", {"unit": dimension.unit}))
        if read_number(dimension.begins):
            message = f"the price holds from {dimension.begins} units on"
            reasons.append(Reason("volume_tier", message, "confirm that the volume is reached"))
    if term.kind not in KINDS:
        message = f"{term.kind!r} is no known kind of term"
        reasons.append(Reason("unknown_price_type", message, "say how the price is bought", {"type": term.kind}))
    variant = attributes.get("OFFERINGCLASS", "").lower() if term.kind == "Reserved" else ""
    model = "reserved" if term.kind == "Reserved" else market_of(product)
    option = OPTIONS.get(squeezed(attributes.get("PURCHASEOPTION", "")).lower(), "none")
    if model == "reserved":
        reasons += unpaid_part(option, hours, upfront)
    extra = [variant if variant != "standard" else "", licence_apart(product)]
    parts = [f"{plain(hours)} per hour" if hours is not None else "", f"{plain(upfront)} upfront" if upfront else ""]
    return Offer(
        line=term.line,
        raw=term.product | {f"term {name}": value for name, value in attributes.items() if name not in product},
        price=hours if hours is not None or not upfront else Decimal(0),
        written=f"{' + '.join(part for part in parts if part) or 'nothing'} {currency}",
        currency=currency,
        basis="per_instance_hour",
        sku=variant_name(sku, *extra),
        table_sku=sku,
        provider=PROVIDER,
        region=product.get("REGIONCODE") or product.get("LOCATION", ""),
        count=stated_accelerators(product.get("GPU")),
        purchase_model=model,
        values={
            "os": _system(product), "licence": product.get("LICENSEMODEL") or None,
            "valid_from": read_date(term.effective),
            "term_months": read_term(attributes.get("LEASECONTRACTLENGTH", "")) if model == "reserved" else None,
            "payment_option": option,
            "upfront": upfront or None,
            "excludes": ("licence",) if licence_apart(product) else (),
        },
        reasons=reasons,
    )  # fmt: skip


def _system(product: dict[str, str]) -> str:
    system = product.get("OPERATINGSYSTEM", "").lower()
    return "linux" if system in LINUX_TEXTS else system


def _one(dimensions: list[Dimension], units: Iterable[str], reasons: list[Reason]) -> Decimal | None:
    """Return the one price of a unit; several prices of one unit are no single price."""
    found = [dimension.price for dimension in dimensions if dimension.unit.lower() in units]
    if len(set(found)) > 1:
        prices = ", ".join("none" if price is None else plain(price) for price in found)
        message = f"the term states several prices of one unit: {prices}"
        reasons.append(Reason("price_conflict", message, "say which of them is paid"))
    return found[0] if found else None


AWS_PRICE_LIST = AwsPriceList()
