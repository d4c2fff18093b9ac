"""Any other sheet, read by a profile that says what its columns mean."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed
from providers.cells import plain, read_text
from providers.contract import PRICE_BASES, QUOTES
from providers.document import Document, Record, TableRows, unread
from providers.errors import CellError, Fault, ProviderError
from providers.flatten import tables_of
from providers.headers import find_table, is_header, is_rule
from providers.mapping import Profile, ordered_date, read_profile
from providers.own_table import read_own, second_header
from providers.ranges import scaled
from providers.sheet import Ignored, Reason
from providers.units import mapped_unit, unknown_unit
from providers.wording import basis_of, bought_by, contradiction, currencies_in, meant, price_in, unit_in, way_of_buying

NO_GPU = frozenset({0, "0", "0.0"})
DATES = frozenset(column.name for column in QUOTES.columns if column.kind == "date")
TOTAL = re.compile(
    r"(?:grand |sub)?-?total\b|(?:zwischen|gesamt)?summe\b|gesamt\b|sous-total\b|montant\b|totale\b", re.IGNORECASE
)


class Mapped:
    """A supplier's own sheet, its columns matched once and kept as a profile."""

    key = "mapped"
    title = "Any sheet or JSON list, columns matched"
    reads = (
        "the matched columns, with stated currency, basis, decimal sign and order of dates; headers of two rows; "
        "prices in cents or per block divided; units, terms and memory in words; further prices of a row, bought as "
        "their header says"
    )
    holds = "as our own CSV, and unknown units, and prices whose header says another unit than they are taken for"
    ignores = "columns that nobody matched, which are listed; rows with 0 GPUs; sums, notes and section titles"

    def recognises(self, document: Document) -> bool:
        """Return False: a sheet is read so only when a person has matched its columns."""
        return False

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return the offers of the sheet by the profile of the context.

        Raises
        ------
        ProviderError
            When there is no profile, it cannot be used, or the sheet lacks its headers.
        """
        if context.profile is None:
            message = f"{context.file_name}: match the columns first; this format needs a profile"
            raise ProviderError(message)
        profile = read_profile(context.profile)
        theirs = _table(document, profile, context.file_name)
        parsed = _read(theirs, profile, context)
        for header in profile.further:
            more = _read(theirs, _bought_as(profile, header), context)
            parsed.offers += [offer for offer in more.offers if offer.price is not None]  # empty: not sold so
            parsed.faults += [fault for fault in more.faults if fault.column == header]
        parsed.notes += unread(document, tuple(profile.columns), theirs)
        used = {header.casefold() for header in (*profile.columns, *profile.further, *profile.ignored)}
        parsed.unknown_columns = tuple(name for name in theirs.header if name and name.casefold() not in used)
        return parsed


def _read(theirs: TableRows, profile: Profile, context: Context) -> Parsed:
    """Return the offers of a table at one of its prices."""
    sheet = _Sheet(theirs, profile, context)
    table = sheet.in_our_columns()
    parsed = read_own(table, replace(context, decimal=profile.decimal or context.decimal))
    names = {ours: header for header, ours in profile.columns.items()}
    parsed.faults = [replace(fault, column=names.get(fault.column, fault.column)) for fault in parsed.faults]
    parsed.faults += sheet.faults
    parsed.ignored += sheet.ignored
    parsed.rows = len(table.records) + len(sheet.ignored) + len({fault.line for fault in sheet.faults})
    for offer in parsed.offers:
        divisor = profile.divisor * sheet.blocks.get(offer.line, Decimal(1))
        if divisor != 1:
            _divide(offer, divisor)
        offer.reasons += sheet.doubts.get(offer.line, [])
    return parsed


def _bought_as(profile: Profile, header: str) -> Profile:
    """Return the profile with another price of the same rows, bought as its header says."""
    model, months = bought_by(header)
    apart = {"price", "purchase_model", "term_months", "upfront", "payment_option"}
    columns = {theirs: ours for theirs, ours in profile.columns.items() if ours not in apart}
    constants = {ours: value for ours, value in profile.constants.items() if ours not in apart}
    constants["purchase_model"] = model or "on_demand"
    if months:
        constants["term_months"] = str(months)
    if len(named := currencies_in(header)) == 1 and "currency" in constants:
        constants["currency"] = min(named)
    return replace(profile, columns={**columns, header: "price"}, constants=constants, further=())


def _table(document: Document, profile: Profile, file_name: str) -> TableRows:
    needed = (*profile.columns, *profile.further)
    for grid in tables_of(document):
        if profile.sheet in (None, grid.name) and (table := find_table(grid, needed)) is not None:
            return table
    message = f"{file_name} has no row with the headers {', '.join(needed)}"
    raise ProviderError(message)


class _Sheet:
    """A supplier's table on its way into our columns: what of it is read, refused, left out or doubted."""

    def __init__(self, table: TableRows, profile: Profile, context: Context) -> None:
        self.table = table
        self.profile = profile
        self.context = context
        self.faults: list[Fault] = []
        self.ignored: list[Ignored] = []
        self.doubts: dict[int, list[Reason]] = {}
        self.blocks: dict[int, Decimal] = {}
        self.places = [(ours, table.positions[theirs.casefold()]) for theirs, ours in profile.columns.items()]
        self.price = next((theirs for theirs, ours in profile.columns.items() if ours == "price"), "")
        named = [ours for ours, _ in self.places]
        if "sku" not in (*named, *profile.constants) and "accelerators_per_instance" in named:
            named.append("sku")  # which is then the number and name of what is sold
        if "purchase_model" in named and "term_months" not in (*named, *profile.constants):
            named.append("term_months")  # which the words of the purchase model may state
        self.header = (*named, *profile.constants)

    def in_our_columns(self) -> TableRows:
        """Return the rows that are offers, in our columns."""
        records = []
        for position, record in enumerate(self.table.records):
            if is_rule(record):
                continue
            is_repeated = self.table.repeats(record, self.price)
            if is_repeated or is_header(record):
                self.faults += second_header(self.table, record, self.table.records[position + 1 :])
                if self.table.is_same(record):
                    continue
                break
            cells = self._cells(record)
            if cells is not None:
                records.append(Record(record.line, [cells.get(name, "") for name in self.header]))
        return TableRows(self.header, self.table.line, records, [])

    def _cells(self, record: Record) -> dict[str, Any] | None:
        """Return the cells of an offer by our columns; None for a row that is none, or has a fault."""
        if self._is_ragged(record):
            return None
        cells: dict[str, Any] = dict(self.profile.constants)
        term: int | None = None
        broken = False
        for ours, place in self.places:
            cell = record.cells[place] if place < len(record.cells) else ""
            try:
                cells[ours], stated = self._meant(ours, cell)
                term = term or stated
            except CellError as error:
                self.faults.append(error.at(record.line, self.table.header[place]))
                broken = True
        if "sku" not in cells and str(cells.get("accelerators_per_instance") or "").strip():
            cells["sku"] = f"{cells['accelerators_per_instance']}x {cells.get('accelerator') or ''}".strip()
        if term and not str(cells.get("term_months") or "").strip():
            cells["term_months"] = term
        code = _no_offer(cells, record)
        if code and not broken:
            self.ignored.append(Ignored(record.line, code, str(cells.get("sku") or cells.get("accelerator") or "")))
        if broken or code or not any(str(cell).strip() for cell in record.cells):
            return None
        try:
            self._settle_basis(cells, record.line)
            cells["price"] = price_in(cells.get("price", ""), cells["price_basis"])
        except CellError as error:
            self.faults.append(error.at(record.line, self.price))
            return None
        return cells

    def _is_ragged(self, record: Record) -> bool:
        """Return whether cells may have moved; a note beside or below the table is left out, any other row a fault."""
        found, expected = len(record.cells), len(self.table.header)
        is_wider = any(str(cell).strip() for cell in record.cells[expected:])
        if self.table.is_trimmed or (found >= expected and not is_wider):
            return False
        filled = [str(cell).strip() for cell in record.cells if str(cell).strip()]
        if found < expected and len(filled) == 1:
            self.ignored.append(Ignored(record.line, "note_row", filled[0][:80]))
        else:
            hint = f"write {expected} cells, in quotes where they hold the delimiter"
            self.faults.append(Fault(record.line, "", f"{found} cells", "ragged_row", hint))
        return True

    def _meant(self, ours: str, cell: Any) -> tuple[Any, int | None]:
        """Return a cell in the words of our column, and the term that the words of a purchase model state."""
        cell = ordered_date(cell, self.profile.date_order) if ours in DATES else cell
        given = _translated(ours, cell, self.profile.values)
        if given is not cell or ours == "price_basis":
            return given, None
        if ours == "purchase_model" and isinstance(cell, str) and (bought := way_of_buying(cell)):
            return bought
        return meant(ours, cell), None

    def _settle_basis(self, cells: dict[str, Any], line: int) -> None:
        """Read the unit of a row; one that is not known holds the row until somebody maps it."""
        written = str(cells.get("price_basis") or "").strip()
        if written and written not in PRICE_BASES:
            found = basis_of(written, self.context.aliases, unit_in(self.price) or self._usual(cells))
            cells["price_basis"] = found[0] if found else "per_instance_hour"
            if found is None:
                self.doubts[line] = [_unclear_unit(written)]
                return
            self.blocks[line] = found[1]
        count = cells.get("accelerators_per_instance")
        currency = str(cells.get("currency") or "").strip()
        wrong = contradiction(self.price, cells.get("price_basis") or "", count, self.profile.divisor, currency)
        if wrong:
            message = f"the header {self.price!r} says a price of {wrong}"
            self.doubts[line] = [Reason("basis_not_proven", message, "match the columns anew, or confirm the price")]

    def _usual(self, cells: Mapping[str, Any]) -> str | None:
        """Return what a bare hour is of: of the product that a line names, or of the one accelerator that it holds."""
        is_of_one = str(cells.get("accelerators_per_instance") or "").strip() in {"1", "1.0"}
        return "per_instance_hour" if is_of_one or "sku" in self.profile.columns.values() else None


def _unclear_unit(written: str) -> Reason:
    if mapped_unit(written, {}) is None:
        return unknown_unit(written)
    message = f"{written!r}: of one accelerator or of the whole instance?"
    release = f"map the unit: unit:{written} to per_accelerator_hour or per_instance_hour"
    return Reason("unknown_unit", message, release, {"unit": written})


def _no_offer(cells: Mapping[str, Any], record: Record) -> str | None:
    """Return why a row is no offer: no accelerator in it, a sum, or words without a price; None for an offer."""
    if cells.get("accelerators_per_instance") in NO_GPU:
        return "no_accelerator"
    filled = [str(cell).strip() for cell in record.cells if str(cell).strip()]
    if any(TOTAL.match(text) for text in filled[:1]):
        return "total_row"
    return "note_row" if len(filled) == 1 and len(record.cells) > 1 else None


def _translated(ours: str, cell: Any, values: Mapping[str, Mapping[str, str]]) -> Any:
    words = values.get(ours)
    text = read_text(cell)
    if not words or text is None:
        return cell
    lower = {theirs.casefold(): target for theirs, target in words.items()}
    return lower.get(text.casefold(), cell)


def _divide(offer: Offer, divisor: Decimal) -> None:
    offer.steps.append(f"/ {plain(divisor)}, as the sheet's prices are written")
    offer.price = None if offer.price is None else offer.price / divisor
    upfront = offer.values.get("upfront")
    if upfront is not None:
        offer.values["upfront"] = upfront / divisor
    if "ranges" in offer.values:
        offer.values["ranges"] = scaled(offer.values["ranges"], ("price", "upfront"), divisor)


MAPPED = Mapped()
