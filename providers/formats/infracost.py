"""Infracost cloud-pricing rows (JSON or CSV): products of several clouds with raw prices, terms not yet amortised."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from providers.aws_names import PROVIDER, china_doubt, licence_apart, market_of, stated_accelerators, variant_name
from providers.azure_names import DEV_TEST, EXPIRED, OTHER_SERVICE, has_accelerator, machine_sku, tier_of
from providers.base import Context, Offer, Parsed, ragged_offer, unpaid_part
from providers.cells import is_missing, plain, read_date, read_number
from providers.document import Document
from providers.errors import CellError, Fault
from providers.knowledge import PROVIDERS, find_sku, squeezed
from providers.sheet import Ignored, Reason
from providers.units import read_term, read_unit, unknown_unit

CSV_NEEDED = ("vendorName", "region", "service", "sku", "attributes", "prices")
CURRENCIES = ("CNY", "EUR", "GBP", "USD")  # keys of a price; beside another one USD is what the service converted
COMPONENT = re.compile(
    r"\s*\b(?:GPU|running in|attached to)\b.*", re.IGNORECASE
)  # behind the accelerator in a description
HOURS = frozenset({"hrs", "hours", "hour", "1 hour", "h"})
SERVICES = {"aws": "amazonec2", "azure": "virtual machines", "gcp": "compute engine"}  # others price a surcharge
OPTIONS = {"no upfront": "none", "partial upfront": "partial", "all upfront": "all"}
MODELS = {
    "ondemand": "on_demand", "consumption": "on_demand", "spot": "spot",
    "preemptible": "spot", "reserved": "reserved", "reservation": "reserved", "devtestconsumption": "on_demand",
    "lowpriority": "low_priority", "commit1yr": "cud", "commit3yr": "cud", "": "on_demand",
}  # fmt: skip


class Infracost:
    """Products with attributes and a list of prices by purchase option, unit and term."""

    key = "infracost"
    title = "Infracost cloud pricing (JSON, CSV)"
    reads = "AWS and Azure instances: on demand, spot, reserved; AWS upfront rows joined, Azure term totals spread"
    holds = (
        "components of Google Cloud, DevTest, units that are no hours, unknown sizes, another GPU count than the size "
        "has, ragged rows, terms without upfront payment"
    )
    ignores = (
        "other services, instances without accelerator, dedicated tenancy, software licences, superseded and expired "
        "prices"
    )

    def recognises(self, document: Document) -> bool:
        """Return whether products carry vendor, attributes and prices."""
        if document.table(*CSV_NEEDED) is not None:
            return True
        product = next((found for _, found in _json_products(document)), None)
        return product is not None and {"vendorName", "prices"} <= set(product)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per product, purchase option and term."""
        parsed = Parsed(rows=0)
        for line, product in _products(document, parsed):
            parsed.rows += 1
            try:
                _take(line, product, context.observed_on, parsed)
            except CellError as error:
                parsed.faults.append(Fault(line, "prices", error.value, error.rule, error.hint))
        return parsed


def _products(document: Document, parsed: Parsed) -> Iterator[tuple[int, dict[str, Any]]]:
    table = document.table(*CSV_NEEDED)
    if table is None:
        yield from _json_products(document)
        return
    for record in table.records:
        row: dict[str, Any] = dict(table.raw(record))
        if not table.even(record):
            parsed.rows += 1
            width, vendor = (len(record.cells), len(table.header)), str(row.get("vendorName") or "")
            parsed.offers.append(ragged_offer(record.line, row, width, vendor))
            continue
        try:
            row |= {name: json.loads(row.get(name) or "null", parse_float=Decimal) for name in ("attributes", "prices")}
        except (ValueError, RecursionError) as error:
            parsed.faults.append(Fault(record.line, "prices", "", "not_json", f"write JSON in quotes ({error})"))
            continue
        yield record.line, row


def _json_products(document: Document) -> Iterator[tuple[int, dict[str, Any]]]:
    found = document.json
    for path in (("data", "products"), ("products",), ()):
        listed = list(document.objects(*path)) if path or isinstance(found, list) else []
        if listed:
            yield from enumerate(listed, start=1)
            return


def _attributes(product: dict[str, Any]) -> dict[str, str]:
    given = product.get("attributes") or {}
    if isinstance(given, list):
        given = {str(entry.get("key")): entry.get("value") for entry in given if isinstance(entry, dict)}
    if not isinstance(given, dict):
        raise CellError(str(given)[:80], "wrong_shape", "attributes must be an object or a list of keys and values")
    return {squeezed(str(name)): str(value) for name, value in given.items()}


def _take(line: int, product: dict[str, Any], today: date, parsed: Parsed) -> None:
    provider = PROVIDERS.get(squeezed(str(product.get("vendorName"))), str(product.get("vendorName")))
    attributes = _attributes(product)
    sku = _sku(provider, attributes)
    code = _ignored(provider, sku, product, attributes)
    if code:
        parsed.ignored.append(Ignored(line, code, sku or str(product.get("sku"))))
        return
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    names = ("purchaseOption", "termLength", "termPurchaseOption", "termOfferingClass")
    for price in _flat(product.get("prices")):
        groups[tuple(str(price.get(name) or "") for name in names)].append(price)
    for bought, prices in groups.items():
        parsed.offers.append(_offer(line, product, provider, sku, attributes, bought, _in_force(prices, today)))


def _sku(provider: str, attributes: dict[str, str]) -> str:
    named = attributes.get("ARMSKUNAME") or attributes.get("INSTANCETYPE") or attributes.get("MACHINETYPE") or ""
    if named or provider != "azure":
        return named
    meter = attributes.get("SKUNAME") or attributes.get("METERNAME") or ""
    return machine_sku(meter) if meter else ""


def _in_force(prices: list[dict[str, Any]], today: date) -> list[dict[str, Any]]:
    """Return the prices that began last; those that have not begun where there is no other."""
    days = [read_date(price.get("effectiveDateStart")) for price in prices]
    latest = max((day for day in days if day is not None and day <= today), default=None)
    if latest is None:
        return prices
    return [price for price, day in zip(prices, days, strict=True) if day in (None, latest)]


def _flat(prices: Any) -> Iterator[dict[str, Any]]:
    """Return the prices of a product, listed or keyed by hash."""
    if isinstance(prices, dict):
        prices = list(prices.values())
    if not isinstance(prices, list | None):
        raise CellError(str(prices)[:80], "wrong_shape", "prices must be a list, or an object of lists")
    for price in prices or []:
        if isinstance(price, list):
            yield from (entry for entry in price if isinstance(entry, dict))
        elif isinstance(price, dict):
            yield price


def _ignored(provider: str, sku: str, product: dict[str, Any], attributes: dict[str, str]) -> str:
    family, service = str(product.get("productFamily") or ""), str(product.get("service") or "")
    if service and service.lower() != SERVICES.get(provider, service.lower()):
        return "other_service"
    if provider == "gcp" and "GPU" in attributes.get("RESOURCEGROUP", "") + attributes.get("DESCRIPTION", ""):
        return ""
    if not sku or (family and not family.startswith("Compute")):
        return "other_service"
    if provider == "azure":
        return _ignored_on_azure(sku, attributes)
    known = find_sku(provider, sku)
    count = stated_accelerators(attributes.get("GPU")) if provider == PROVIDER else None
    if count is None and (known is None or known.has_none):
        return "no_accelerator"
    if attributes.get("TENANCY", "Shared") != "Shared":
        return "other_tenancy"
    if attributes.get("CAPACITYSTATUS", "Used") != "Used":
        return "capacity_reservation_line"
    return "" if attributes.get("PREINSTALLEDSW", "NA") in {"NA", ""} else "software_licence"


def _ignored_on_azure(sku: str, attributes: dict[str, str]) -> str:
    if OTHER_SERVICE.search(attributes.get("PRODUCTNAME", "")):
        return "other_service"
    if not has_accelerator(sku):
        return "no_accelerator"
    names = f"{attributes.get('SKUNAME', '')} {attributes.get('METERNAME', '')}"
    return "expired_meter" if EXPIRED.search(names) else ""


def _offer(  # noqa: PLR0913 - a product, how it is bought and what it costs are told apart
    line: int,
    product: dict[str, Any],
    provider: str,
    sku: str,
    attributes: dict[str, str],
    bought: tuple[str, ...],
    prices: list[dict[str, Any]],
) -> Offer:
    option, length, payment, offering = bought
    model = MODELS.get(squeezed(option).lower())
    term = read_term(length)
    currency = next((code for code in CURRENCIES if any(not is_missing(price.get(code)) for price in prices)), None)
    names = f"{attributes.get('SKUNAME', '')} {attributes.get('METERNAME', '')}"
    tier = tier_of(names, attributes.get("PRODUCTNAME", ""), sku)
    if provider == "azure" and model == "on_demand":
        model = tier.purchase_model
    if provider == PROVIDER and model == "on_demand":
        model = market_of(attributes)
    system = tier.os if provider == "azure" else attributes.get("OPERATINGSYSTEM", "linux").lower()
    starts = [read_date(price.get("effectiveDateStart")) for price in prices]
    variant = offering if offering.lower() not in {"", "standard"} else ""
    offer = Offer(
        line=line,
        raw={"sku": str(product.get("sku")), "prices": str(prices)} | attributes,
        price=None,
        written="",
        currency=currency,
        basis="per_instance_hour",
        sku=variant_name(sku, variant, licence_apart(attributes)),
        table_sku=sku,
        accelerator="" if sku else COMPONENT.sub("", attributes.get("DESCRIPTION", "")),
        provider=provider,
        region=str(product.get("region") or ""),
        count=stated_accelerators(attributes.get("GPU")) if provider == PROVIDER else None,
        purchase_model=model or "on_demand",
        values={
            "os": system, "term_months": term, "payment_option": OPTIONS.get(payment.lower(), "none"),
            "valid_from": max(filter(None, starts), default=None),
            "excludes": ("licence",) if licence_apart(attributes) else (),
        },
    )  # fmt: skip
    if provider == PROVIDER:
        offer.reasons += china_doubt(offer.region, currency)
    if model is None:
        offer.reasons.append(
            Reason("unknown_price_type", f"{option!r} is no known purchase option", "say how it is bought")
        )
    if option.lower() == "devtestconsumption":
        offer.reasons.append(DEV_TEST)
    if provider == "gcp":
        offer.basis = "per_accelerator_hour"
        offer.reasons.append(Reason("component_only", "a component of a machine", "price the whole machine"))
    _price(offer, prices, currency or "USD", is_total=provider == "azure" and model == "reserved")
    return offer


def _price(offer: Offer, prices: list[dict[str, Any]], currency: str, *, is_total: bool) -> None:
    """Fill price and upfront payment from the rows of one way of buying."""
    hourly: list[Decimal] = []
    upfront = Decimal(0)
    for price in prices:
        amount, unit = read_number(price.get(currency)), str(price.get("unit") or "")
        start = read_number(price.get("startUsageAmount"))
        if start:
            message = f"the price holds from {plain(start)} units on"
            offer.reasons.append(Reason("volume_tier", message, "confirm that the volume is reached"))
        if amount is None:
            continue
        block = read_unit(unit)
        if unit.lower() == "quantity":
            upfront += amount
        elif is_total:
            offer.basis = "term_total"
            hourly.append(amount)
        elif unit.lower() in HOURS or (block is not None and block[1] == "hour"):
            hourly.append(amount / (block[0] if block else 1))
        else:
            offer.reasons.append(unknown_unit(unit))
    if len(set(hourly)) > 1:
        said = ", ".join(plain(price) for price in hourly)
        offer.reasons.append(
            Reason("price_conflict", f"several prices for one way of buying: {said}", "say which holds")
        )
    if offer.purchase_model == "reserved" and not is_total:
        offer.reasons += unpaid_part(offer.values["payment_option"], hourly[0] if hourly else None, upfront)
    offer.price = hourly[0] if hourly else (Decimal(0) if upfront else None)
    offer.values["upfront"] = upfront or None
    parts = [plain(offer.price)] if offer.price is not None else []
    parts += [f"{plain(upfront)} upfront"] if upfront else []
    offer.written = f"{' + '.join(parts) or 'nothing'} {currency}"


INFRACOST = Infracost()
