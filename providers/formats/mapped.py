"""Any other sheet, read by a profile that says what its columns mean."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from providers.base import Context, Parsed
from providers.cells import plain, read_text
from providers.contract import QUOTES
from providers.document import Document, Record, TableRows, unread
from providers.errors import CellError, Fault, ProviderError
from providers.flatten import tables_of
from providers.mapping import Profile, ordered_date, read_profile
from providers.own_table import read_own, second_header
from providers.ranges import scaled
from providers.sheet import Ignored

NO_GPU = frozenset({0, "0", "0.0"})


class Mapped:
    """A supplier's own sheet, its columns matched once and kept as a profile."""

    key = "mapped"
    title = "Any sheet or JSON list, columns matched"
    reads = "the matched columns, with stated currency, basis, decimal sign and order of dates; prices in cents divided"
    holds = "as our own CSV"
    ignores = "columns that nobody matched, which are listed; rows with 0 GPUs"

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
        table, faults, ignored = _ours(theirs, profile)
        parsed = read_own(table, replace(context, decimal=profile.decimal or context.decimal))
        names = {ours: header for header, ours in profile.columns.items()}
        parsed.faults = [replace(fault, column=names.get(fault.column, fault.column)) for fault in parsed.faults]
        parsed.faults += faults
        parsed.notes += unread(document, tuple(profile.columns), theirs)
        parsed.ignored += ignored
        parsed.rows = len(table.records) + len(ignored) + len({fault.line for fault in faults})
        used = {header.casefold() for header in (*profile.columns, *profile.ignored)}
        parsed.unknown_columns = tuple(name for name in theirs.header if name and name.casefold() not in used)
        if profile.divisor != 1:
            _divide(parsed, profile.divisor)
        return parsed


def _table(document: Document, profile: Profile, file_name: str) -> TableRows:
    for grid in tables_of(document):
        if profile.sheet in (None, grid.name) and (table := grid.table(profile.columns)) is not None:
            return table
    message = f"{file_name} has no row with the headers {', '.join(profile.columns)}"
    raise ProviderError(message)


def _ours(table: TableRows, profile: Profile) -> tuple[TableRows, list[Fault], list[Ignored]]:
    """Return the table in our columns; rows whose dates cannot be read are left to the faults, rows of 0 GPUs out."""
    places = [(ours, table.positions[theirs.casefold()]) for theirs, ours in profile.columns.items()]
    header = (*(ours for ours, _ in places), *profile.constants)
    dates = {column.name for column in QUOTES.columns if column.kind == "date"}
    records, faults, ignored = [], [], []
    price = next((theirs for theirs, ours in profile.columns.items() if ours == "price"), "")
    for position, record in enumerate(table.records):
        if table.repeats(record, price):
            faults += second_header(table, record, table.records[position + 1 :])
            if table.is_same(record):
                continue
            break
        cells: list[Any] = []
        broken = False
        for ours, place in places:
            cell = record.cells[place] if place < len(record.cells) else ""
            try:
                cell = ordered_date(cell, profile.date_order) if ours in dates else cell
                cells.append(_translated(ours, cell, profile.values))
            except CellError as error:
                faults.append(error.at(record.line, table.header[place]))
                broken = True
        is_bare = dict(zip(header, cells, strict=False)).get("accelerators_per_instance") in NO_GPU
        if is_bare and not broken:
            ignored.append(Ignored(record.line, "no_accelerator", _subject(header, cells)))
        elif not broken and any(str(cell).strip() for cell in cells):
            records.append(Record(record.line, [*cells, *profile.constants.values()]))
    return TableRows(header, table.line, records, []), faults, ignored


def _subject(header: tuple[str, ...], cells: list[Any]) -> str:
    return next((str(cell) for name, cell in zip(header, cells, strict=False) if name == "sku"), "")


def _translated(ours: str, cell: Any, values: Mapping[str, Mapping[str, str]]) -> Any:
    words = values.get(ours)
    text = read_text(cell)
    if not words or text is None:
        return cell
    lower = {theirs.casefold(): target for theirs, target in words.items()}
    return lower.get(text.casefold(), cell)


def _divide(parsed: Parsed, divisor: Decimal) -> None:
    for offer in parsed.offers:
        offer.steps.append(f"/ {plain(divisor)}, as the sheet's prices are written")
        offer.price = None if offer.price is None else offer.price / divisor
        upfront = offer.values.get("upfront")
        if upfront is not None:
            offer.values["upfront"] = upfront / divisor
        if "ranges" in offer.values:
            offer.values["ranges"] = scaled(offer.values["ranges"], ("price", "upfront"), divisor)


MAPPED = Mapped()
