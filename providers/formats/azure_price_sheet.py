"""Azure price sheet of an agreement: negotiated unit prices per block of hours, headers in several languages."""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from providers.azure_names import OTHER_SERVICE, PROVIDER, has_accelerator, machine_sku, tier_of
from providers.base import Context, Offer, Parsed, ragged
from providers.cells import plain, read_date, read_number, read_text
from providers.document import HEADER_ROWS, Document, Record, TableRows
from providers.errors import CellError
from providers.knowledge import rows_of
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
ENGLISH = frozenset({"meter name", "metername"})
NEEDED = frozenset({"meter_name", "unit", "unit_price", "currency"})
USAGE = re.compile(r"quantity|usage|pretaxcost|^cost", re.IGNORECASE)  # a bill, not a price list
KINDS = {
    "": "on_demand", "consumption": "on_demand", "verbrauch": "on_demand", "consommation": "on_demand",
    "consumo": "on_demand", "savings plan": "savings_plan", "savingsplan": "savings_plan", "sparplan": "savings_plan",
    "reservation": "reserved", "reserved": "reserved", "reservierung": "reserved", "réservation": "reserved",
    "reserva": "reserved", "prenotazione": "reserved", "予約": "reserved", "预留": "reserved",
    "消費": "on_demand", "消费": "on_demand", "使用量": "on_demand", "従量課金": "on_demand",
    "plan d'économies": "savings_plan", "plan de ahorro": "savings_plan", "piano di risparmio": "savings_plan",
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
        fields: dict[str, int] = {}
        for place, name in enumerate(table.header):
            if found := _field(name):
                fields.setdefault(found, place)
        english = any(name.casefold() in ENGLISH for name in table.header)
        decimal = context.decimal or ("." if english else None)
        parsed = Parsed(rows=len(table.records))
        for record in table.records:
            cells = {field: _cell(record, place) for field, place in fields.items()}
            if not table.even(record):
                parsed.offers.append(_ragged_offer(table, record, cells))
                continue
            code = _ignored(cells)
            if code:
                parsed.ignored.append(Ignored(record.line, code, read_text(cells["meter_name"]) or ""))
                continue
            try:
                offer = _offer(table, record, cells, decimal)
                if offer.basis != "term_total":
                    _per_hour(offer, _text(cells, "unit"), context)
                parsed.offers.append(offer)
            except CellError as error:
                parsed.faults.append(error.at(record.line, table.header[fields["unit_price"]]))
        return parsed


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
            if {_field(name) for name in names} >= NEEDED and not any(USAGE.search(_bare(name)) for name in names):
                return grid.below(position)
    return None


def _bare(name: str) -> str:
    return "" if name.casefold().startswith(("included", "inbegriffen", "enthalten")) else name


def _cell(record: Record, place: int) -> Any:
    return record.cells[place] if place < len(record.cells) else None


def _text(cells: Mapping[str, Any], field: str) -> str:
    return read_text(cells.get(field)) or ""


def _ignored(cells: Mapping[str, Any]) -> str:
    category = f"{_text(cells, 'meter_category')} {_text(cells, 'meter_sub_category')} {_text(cells, 'product')}"
    if OTHER_SERVICE.search(category):
        return "other_service"
    return "" if has_accelerator(machine_sku(_text(cells, "meter_name"))) else "no_accelerator"


def _ragged_offer(table: TableRows, record: Record, cells: Mapping[str, Any]) -> Offer:
    return Offer(
        line=record.line, raw=table.raw(record), price=None, written="a ragged row", currency=None,
        basis="per_instance_hour", sku=_text(cells, "meter_name"), provider=PROVIDER,
        reasons=[ragged(len(record.cells), len(table.header))],
    )  # fmt: skip


def _offer(table: TableRows, record: Record, cells: Mapping[str, Any], decimal: str | None) -> Offer:
    currency = _text(cells, "currency") or None
    price = read_number(cells.get("unit_price"), decimal, currency)
    sku = machine_sku(_text(cells, "meter_name"))
    unit, offer_id = _text(cells, "unit"), _text(cells, "offer_id")
    product = f"{_text(cells, 'meter_sub_category')} {_text(cells, 'product')}"
    tier = tier_of(f"{_text(cells, 'meter_name')} {product}", product, sku)
    kind = _text(cells, "price_type")
    model = KINDS.get(kind.casefold())
    reasons: list[Reason] = []
    if model is None:
        message = f"{kind!r} is no known price type"
        reasons.append(Reason("unknown_price_type", message, "say how the price is bought", {"type": kind}))
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
            "valid_from": read_date(cells.get("start")),
            "valid_until": read_date(cells.get("end")),
        },
        reasons=reasons,
        flags=["negotiated_price"],
    )
    if model == "reserved":
        offer.basis = "term_total"  # the unit still says hours, the price is the total of the term
    return offer


def _per_hour(offer: Offer, unit: str, context: Context) -> None:
    found = mapped_unit(unit, context.aliases)
    if found is None or found[1] != "hour":
        offer.reasons.append(unknown_unit(unit))
    elif offer.price is not None and found[0] != Decimal(1):
        offer.steps.append(f"/ {plain(found[0])}, the price is per {unit}")
        offer.price /= found[0]


AZURE_PRICE_SHEET = AzurePriceSheet()
