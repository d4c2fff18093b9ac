"""Azure price sheet of an agreement: negotiated unit prices per block of hours, headers in several languages."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

from providers.azure_names import (
    DEV_TEST,
    DEV_TEST_OFFERS,
    EXPIRED,
    OTHER_SERVICE,
    PROVIDER,
    has_accelerator,
    is_other_service,
    machine_sku,
    service_doubt,
    sku_in,
    tier_of,
)
from providers.base import Context, Offer, Parsed, ragged_offer
from providers.cells import plain, read_date, read_number, read_text
from providers.document import HEADER_ROWS, Document, Record, TableRows
from providers.errors import CellError
from providers.knowledge import rows_of, squeezed
from providers.sheet import Ignored, Reason
from providers.units import mapped_unit, read_term, unknown_unit

FIELDS: Mapping[str, str] = {row["header"].casefold(): row["field"] for row in rows_of("price_sheet_headers.csv")}
METER = (
    "(?:meter|compteur|medidor|contatore|verbrauchseinheit|zähler|messgerät|"
    "メーター|計量器|计量|仪表|電表|电表|미터|측정기)"
)
PATTERNS = tuple(
    (re.compile(row["pattern"].replace("METER", METER), re.IGNORECASE), row["field"])
    for row in rows_of("price_sheet_patterns.csv")
)  # for headers that the table does not hold word by word, the narrower ones first
FALLBACKS = {"currency": "billing_currency", "meter_name": "service"}  # where the better column is missing
ENGLISH = frozenset({"meter name", "metername", "service"})
NEEDED = frozenset({"meter_name", "unit", "unit_price", "currency"})
DATED = ("start", "end")
SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?:[ T].*)?")  # month first in the English sheets
DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ T].*)?")
GROUPED = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")  # Azure writes no groups: somebody saved the sheet anew
RETAIL = "retailprice"  # the public list as a table, a format of its own
USAGE = re.compile(r"quantity|usage|pretaxcost|^cost", re.IGNORECASE)  # a bill, not a price list
KINDS = {  # price types without blanks
    "": "on_demand", "devtest": "on_demand", "devtestconsumption": "on_demand", "consumption": "on_demand",
    "verbrauch": "on_demand", "consommation": "on_demand", "consumo": "on_demand", "消費": "on_demand",
    "消费": "on_demand", "使用量": "on_demand", "従量課金": "on_demand", "reservedinstance": "reserved",
    "reservation": "reserved", "reserved": "reserved", "reservierung": "reserved", "réservation": "reserved",
    "reserva": "reserved", "prenotazione": "reserved", "予約": "reserved", "预留": "reserved",
    "savingsplan": "savings_plan", "sparplan": "savings_plan", "pland'économies": "savings_plan",
    "plandeahorro": "savings_plan", "plandeahorros": "savings_plan", "pianodirisparmio": "savings_plan",
    "節約プラン": "savings_plan", "节省计划": "savings_plan",
}  # fmt: skip


class AzurePriceSheet:
    """One line per meter, offer and way of buying, the price for a block of hours."""

    key = "azure_price_sheet"
    title = "Azure price sheet (CSV, XLSX)"
    reads = (
        "negotiated price per block (10 Hours, 100 Hours), per Offer Id; preamble skipped; headers in several languages"
    )
    holds = "commitments without term, units that are no hours, unknown sizes and regions, ambiguous decimals"
    ignores = "meters of other services and of machines without accelerator"

    def recognises(self, document: Document) -> bool:
        """Return whether a sheet has the columns of meter, unit, unit price and currency, and is no bill."""
        return _table(document) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per line of an accelerated machine."""
        table = _table(document)
        if table is None:
            return Parsed(rows=0)
        fields = _places(table.header)
        english = any(name.casefold() in ENGLISH for name in table.header)
        decimal = context.decimal or ("." if english else None)
        parsed = Parsed(rows=len(table.records))
        for record in table.records:
            cells = {field: _cell(record, place) for field, place in fields.items()}
            if not table.even(record):
                width = (len(record.cells), len(table.header))
                offer = ragged_offer(record.line, table.raw(record), width, PROVIDER, _text(cells, "meter_name"))
                parsed.offers.append(offer)
                continue
            code = _ignored(cells)
            if code:
                parsed.ignored.append(Ignored(record.line, code, read_text(cells["meter_name"]) or ""))
                continue
            try:
                asks = context.decimal is None and GROUPED.fullmatch(_text(cells, "unit_price")) is not None
                offer = _offer(table, record, cells, None if asks else decimal)
                if offer.basis != "term_total":
                    _per_hour(offer, _text(cells, "unit"), context)
                parsed.offers.append(offer)
            except CellError as error:
                parsed.faults.append(error.at(record.line, _column_of(error, table.header, cells, fields)))
        return parsed


def _places(header: tuple[str, ...]) -> dict[str, int]:
    """Return the place of each field; of two columns for one field the first."""
    places: dict[str, int] = {}
    for place, name in enumerate(header):
        if found := _field(name):
            places.setdefault(found, place)
    for field, other in FALLBACKS.items():
        if field not in places and other in places:
            places[field] = places[other]
    return places


def _column_of(error: CellError, header: tuple[str, ...], cells: Mapping[str, Any], fields: Mapping[str, int]) -> str:
    wrong = next((field for field in DATED if str(cells.get(field)).strip() == error.value), "unit_price")
    return header[fields[wrong]]


@lru_cache(maxsize=4_096)
def _field(name: str) -> str | None:
    """Return the field that a header names, in English, in another language, or in brackets behind it."""
    bracketed = re.search(r"\(([A-Za-z ]+)\)\s*$", name)
    known = FIELDS.get(name.strip().casefold()) or (FIELDS.get(bracketed[1].casefold()) if bracketed else None)
    return known or next((field for pattern, field in PATTERNS if pattern.fullmatch(name.strip())), None)


def _table(document: Document) -> TableRows | None:
    for grid in document.grids:
        for position, record in enumerate(grid.records[:HEADER_ROWS]):
            names = tuple(str(cell).strip() for cell in record.cells)
            is_sheet = set(_places(names)) >= NEEDED and not any(USAGE.search(_bare(name)) for name in names)
            if is_sheet and RETAIL not in {name.casefold() for name in names}:
                return grid.below(position)
    return None


def _bare(name: str) -> str:
    return "" if name.casefold().startswith(("included", "inbegriffen", "enthalten")) else name


def _cell(record: Record, place: int) -> Any:
    return record.cells[place] if place < len(record.cells) else None


def _text(cells: Mapping[str, Any], field: str) -> str:
    return read_text(cells.get(field)) or ""


def _day(value: Any, *, is_english: bool) -> date | None:
    """Return a day in ISO form, with points as day.month.year, or in an English sheet as month/day/year."""
    text = str(value or "").strip()
    slashed, dotted = SLASHED.fullmatch(text) if is_english else None, DOTTED.fullmatch(text)
    try:
        if slashed:
            return date(int(slashed[3]), int(slashed[1]), int(slashed[2]))
        if dotted:
            return date(int(dotted[3]), int(dotted[2]), int(dotted[1]))
    except ValueError as error:
        raise CellError(text, "not_a_date", "write the day as 2026-11-30") from error
    return read_date(value)


def _sku(cells: Mapping[str, Any]) -> str:
    """Return the size that a line prices: by its meter, in older sheets by the product that stands there instead."""
    sku = machine_sku(_text(cells, "meter_name"))
    return sku if has_accelerator(sku) else sku_in(_text(cells, "meter_name")) or sku_in(_text(cells, "product")) or sku


def _ignored(cells: Mapping[str, Any]) -> str:
    category = _text(cells, "meter_category")
    if OTHER_SERVICE.search(f"{category} {_text(cells, 'meter_sub_category')} {_text(cells, 'product')}"):
        return "other_service"
    if not has_accelerator(_sku(cells)):
        return "no_accelerator"
    if is_other_service(category):
        return "other_service"
    return "expired_meter" if EXPIRED.search(_text(cells, "meter_name")) else ""


def _offer(table: TableRows, record: Record, cells: Mapping[str, Any], decimal: str | None) -> Offer:
    currency = _text(cells, "currency") or None
    price = read_number(cells.get("unit_price"), decimal, currency)
    sku = _sku(cells)
    unit, offer_id = _text(cells, "unit"), _text(cells, "offer_id")
    product = " ".join(_text(cells, field) for field in ("meter_name", "meter_sub_category", "product"))
    tier = tier_of(product, product, sku)
    kind = re.sub(r"[\s_-]+", "", _text(cells, "price_type").casefold().replace("’", "'"))
    model = KINDS.get(kind)
    is_english = any(name.casefold() in ENGLISH for name in table.header)
    offer = Offer(
        line=record.line,
        raw=table.raw(record),
        price=price,
        written=f"{'nothing' if price is None else plain(price)} {currency} per {unit}",
        currency=currency,
        basis="per_instance_hour",
        sku=f"{sku} (offer {offer_id})" if offer_id else sku,
        table_sku=sku,
        provider=PROVIDER,
        region=_text(cells, "meter_region"),
        purchase_model=tier.purchase_model if model in (None, "on_demand") else model,
        values={
            "os": tier.os,
            "term_months": read_term(_text(cells, "term")),
            "valid_from": _day(cells.get("start"), is_english=is_english),
            "valid_until": _day(cells.get("end"), is_english=is_english),
        },
        reasons=list(_doubts(cells, model, kind)),
        flags=["negotiated_price"],
    )
    if model == "reserved":
        offer.basis = "term_total"  # the unit still says hours, the price is the total of the term
    return offer


def _doubts(cells: Mapping[str, Any], model: str | None, kind: str) -> Iterator[Reason]:
    """Return what keeps a line from being the price that anybody pays for the machine."""
    if model is None:
        message = f"{_text(cells, 'price_type')!r} is no known price type"
        yield Reason("unknown_price_type", message, "say how the price is bought", {"type": kind})
    if model == "on_demand" and _text(cells, "term"):
        message = f"a term of {_text(cells, 'term')} beside a price that is paid by use"
        yield Reason("unknown_price_type", message, "say how the price is bought", {"term": _text(cells, "term")})
    plan = f"{kind} {squeezed(_text(cells, 'order')).casefold()}"
    if "devtest" in plan or _text(cells, "offer_id").upper() in DEV_TEST_OFFERS:
        yield DEV_TEST
    if least := read_number(cells.get("tier")):
        message = f"the price holds from {plain(least)} units on"
        yield Reason("volume_tier", message, "confirm that the volume is reached")
    if doubt := service_doubt(_text(cells, "meter_category")):
        yield doubt


def _per_hour(offer: Offer, unit: str, context: Context) -> None:
    found = mapped_unit(unit, context.aliases)
    if found is None or found[1] != "hour":
        offer.reasons.append(unknown_unit(unit))
    elif offer.price is not None and found[0] != Decimal(1):
        offer.steps.append(f"/ {plain(found[0])}, the price is per {unit}")
        offer.price /= found[0]


AZURE_PRICE_SHEET = AzurePriceSheet()
