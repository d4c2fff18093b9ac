"""Azure Retail Prices API: Consumption, Reservation and DevTest items, savings plans inside Consumption items."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from providers.azure_names import (
    DEV_TEST,
    EXPIRED,
    OTHER_SERVICE,
    PROVIDER,
    has_accelerator,
    machine_sku,
    tier_of,
)
from providers.base import Context, Offer, Parsed, objects_in, ragged
from providers.cells import plain, read_date, read_number
from providers.document import Document, Record, TableRows
from providers.errors import CellError, Fault
from providers.sheet import Ignored, Reason
from providers.units import mapped_unit, read_term, unknown_unit

CSV_NEEDED = ("retailPrice", "armRegionName", "unitOfMeasure")
RAGGED = ""  # key under which a row of a table keeps why its cells are not to be trusted
WITHOUT_CLASS = re.compile(r"N[A-Z]+[0-9]")  # NV36ads_A10_v5 is Standard_NV36ads_A10_v5
Item = dict[str, Any]


class AzureRetail:
    """One item per meter, region and way of buying; the term of a reservation is paid as one total."""

    key = "azure_retail"
    title = "Azure Retail Prices (JSON, CSV)"
    reads = "on demand, Spot, Low Priority; reservations as term totals; savings plans; Windows as its own system"
    holds = "DevTest, future prices, volume tiers, units that are no hours, unknown sizes and regions, ragged rows"
    ignores = (
        "machines without accelerator, other services, dedicated hosts, superseded and expired prices, secondary meters"
    )

    def recognises(self, document: Document) -> bool:
        """Return whether items carry Azure's machine and price fields."""
        if document.json is None:
            return document.table(*CSV_NEEDED) is not None
        item = next(_json_items(document), None)
        if item is None:
            return any(_is_envelope(page) for page in document.pages)
        return "retailPrice" in {*item, *_price_fields(document)} and "armRegionName" in item

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return the offers of a page of the API."""
        envelopes = [page for page in document.pages if _is_envelope(page)]
        billed = {str(page["BillingCurrency"]) for page in envelopes if page.get("BillingCurrency")}
        currency = billed.pop() if len(billed) == 1 else None
        items = list(_items(document))
        parsed = Parsed(rows=len(items))
        decimal = "." if document.json is not None else context.decimal or "."
        if envelopes and envelopes[-1].get("NextPageLink"):
            parsed.notes.append("the last page says that more pages follow: this file is not the whole list")
        latest = _latest([item for _, item in items], context.observed_on)
        for line, item in items:
            try:
                code = _ignored(item, latest)
                if code:
                    parsed.ignored.append(Ignored(line, code, str(item.get("armSkuName") or item.get("skuName") or "")))
                else:
                    parsed.offers += _offers(line, item, currency, context, decimal)
            except CellError as error:
                column = next((name for name, value in item.items() if str(value) == error.value), "retailPrice")
                parsed.faults.append(Fault(line, column, error.value, error.rule, error.hint))
        return parsed


def _is_envelope(page: Any) -> bool:
    return isinstance(page, dict) and isinstance(page.get("Items"), list) and "NextPageLink" in page


def _items(document: Document) -> list[tuple[int, Item]]:
    """Return the items with their place: the number in a JSON list, the line of a table made from one."""
    table = document.table(*CSV_NEEDED) if document.json is None else None
    if table is None:
        return list(enumerate(_json_items(document), start=1))
    return [(record.line, _from_table(table, record)) for record in table.records]


def _from_table(table: TableRows, record: Record) -> Item:
    item: Item = dict(zip(table.header, record.cells, strict=False))
    plans = str(item.pop("savingsPlan", "") or "")
    if plans.startswith("["):  # tools that cannot nest write `System.Object[]` or nothing
        try:
            item["savingsPlan"] = json.loads(plans, parse_float=Decimal)
        except (ValueError, RecursionError):
            item["savingsPlan"] = plans
    return item if table.even(record) else {**item, RAGGED: ragged(len(record.cells), len(table.header))}


def _json_items(document: Document) -> Iterator[Item]:
    is_page = any(_is_envelope(page) or "Items" in page for page in document.pages[:1] if isinstance(page, dict))
    yield from document.objects("Items") if is_page else document.objects()


def _price_fields(document: Document) -> set[str]:
    return {name for _, item in zip(range(50), _json_items(document), strict=False) for name in item}


def _sku(item: Item) -> str:
    named = str(item.get("armSkuName") or "")
    if not named:
        return machine_sku(str(item.get("skuName") or item.get("meterName") or ""))
    return f"Standard_{named}" if WITHOUT_CLASS.match(named) else named


def _names(item: Item) -> str:
    return f"{item.get('skuName') or ''} {item.get('meterName') or ''}"


def _system_names(item: Item) -> str:
    return f"{item.get('productName') or ''} {_names(item)}"


def _key(item: Item) -> tuple[str, ...]:
    fields = ("armRegionName", "type", "reservationTerm", "tierMinimumUnits", "currencyCode")
    tier = tier_of(_names(item), _system_names(item), _sku(item))
    return (_sku(item), tier.purchase_model, tier.os, *(str(item.get(name)).lower() for name in fields))


def _latest(items: list[Item], observed_on: date) -> dict[tuple[str, ...], date]:
    """Return the latest start in force on the day, by offer; older starts of the same offer are superseded."""
    found: dict[tuple[str, ...], date] = {}
    for item in items:
        start = _day(item, "effectiveStartDate")
        if start is not None and start <= observed_on:
            key = _key(item)
            found[key] = max(start, found.get(key, start))
    return found


def _day(item: Item, name: str) -> date | None:
    try:
        return read_date(item.get(name))
    except CellError:
        return None  # reported when the item is read


def _ignored(item: Item, latest: dict[tuple[str, ...], date]) -> str:
    """Return the code under which an item is left out, empty when it is an offer."""
    service, product = str(item.get("serviceName") or "Virtual Machines"), str(item.get("productName") or "")
    if service != "Virtual Machines" or OTHER_SERVICE.search(product):
        return "other_service"
    if not has_accelerator(_sku(item)):
        return "no_accelerator"
    if str(item.get("isPrimaryMeterRegion")).casefold() == "false":
        return "secondary_meter"
    if EXPIRED.search(_names(item)):
        return "expired_meter"
    start = _day(item, "effectiveStartDate")
    return "superseded" if start is not None and start < latest.get(_key(item), start) else ""


def _offers(line: int, item: Item, currency: str | None, context: Context, decimal: str) -> Iterator[Offer]:
    sku = _sku(item)
    tier = tier_of(_names(item), _system_names(item), sku)
    kind = str(item.get("type") or ("Reservation" if item.get("reservationTerm") else "Consumption"))
    is_told = tier.os == "windows" or item.get("productName")  # no other name says that a price is without Windows
    values = {"os": tier.os if is_told else None, "valid_from": read_date(item.get("effectiveStartDate"))}
    values["valid_until"] = read_date(item.get("effectiveEndDate"))
    shared: dict[str, Any] = {
        "line": line, "raw": {name: str(value) for name, value in item.items() if name}, "sku": sku,
        "provider": PROVIDER,
        "currency": str(item.get("currencyCode") or currency or "") or None,
        "region": _region(item),
        "flags": ["page_in_other_currency"] if currency and item.get("currencyCode", currency) != currency else [],
    }  # fmt: skip
    shared["flags"] += [] if is_told else ["system_not_stated"]
    price, reasons = _price(item, decimal)
    if RAGGED in item:
        reasons.append(item[RAGGED])
    unit = str(item.get("unitOfMeasure") or "")
    if kind == "Reservation":
        term = read_term(str(item.get("reservationTerm") or ""))
        written = f"{_shown(price)} {shared['currency']}, term {item.get('reservationTerm')}, unit written {unit!r}"
        yield Offer(
            **shared, price=price, written=written, basis="term_total", purchase_model="reserved",
            values=values | {"term_months": term}, reasons=reasons,
        )  # fmt: skip
        return
    block, steps = _hours(unit, reasons, context)
    if kind != "Consumption":
        reasons.append(DEV_TEST if kind == "DevTestConsumption" else _unknown_kind(kind))
    if price is not None and block != 1:
        price = price / block
    yield Offer(
        **shared, price=price, written=f"{_shown(price)} {shared['currency']} {unit}", basis="per_instance_hour",
        purchase_model=tier.purchase_model, values=values, reasons=reasons, steps=steps,
    )  # fmt: skip
    if RAGGED not in item:
        yield from _savings_plans(item, shared, values, kind)


def _savings_plans(item: Item, shared: dict[str, Any], values: dict[str, Any], kind: str) -> Iterator[Offer]:
    """Return the savings plans inside an item: their prices are per hour, unlike those of reservations."""
    for plan in objects_in(item, "savingsPlan"):
        price, reasons = _price(plan, ".")
        term = read_term(str(plan.get("term") or ""))
        if kind == "DevTestConsumption":
            reasons.append(DEV_TEST)
        written = f"{_shown(price)} {shared['currency']} per hour, savings plan {plan.get('term')}"
        yield Offer(
            **shared, price=price, written=written,
            basis="per_instance_hour", purchase_model="savings_plan", values=values | {"term_months": term},
            reasons=reasons,
        )  # fmt: skip


def _region(item: Item) -> str:
    region = str(item.get("armRegionName") or item.get("location") or "")
    return "" if region.lower() == "global" else region


def _price(item: Mapping[str, Any], decimal: str) -> tuple[Decimal | None, list[Reason]]:
    retail, unit = (read_number(item.get(name), decimal) for name in ("retailPrice", "unitPrice"))
    reasons = []
    if retail is not None and unit is not None and retail != unit:
        message = f"retailPrice {plain(retail)} and unitPrice {plain(unit)} differ"
        reasons.append(Reason("price_conflict", message, "say which of the two is paid"))
    least = read_number(item.get("tierMinimumUnits"), decimal)
    if least:
        message = f"the price holds from {plain(least)} units on"
        reasons.append(Reason("volume_tier", message, "confirm that the volume is reached"))
    return (retail if retail is not None else unit), reasons


def _shown(price: Decimal | None) -> str:
    return "nothing" if price is None else plain(price)


def _hours(unit: str, reasons: list[Reason], context: Context) -> tuple[Decimal, list[str]]:
    found = mapped_unit(unit, context.aliases)
    if found is None or found[1] != "hour":
        reasons.append(unknown_unit(unit))
        return Decimal(1), []
    return found[0], [] if found[0] == 1 else [f"/ {plain(found[0])}, the price is per {unit}"]


def _unknown_kind(kind: str) -> Reason:
    return Reason(
        "unknown_price_type", f"{kind!r} is no known price type", "say how the price is bought", {"type": kind}
    )


AZURE_RETAIL = AzureRetail()
