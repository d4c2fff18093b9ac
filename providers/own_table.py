"""Our own quote table as a sheet: which headers it has, how its cells are written and read back unchanged."""

import difflib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import repeat
from typing import Any, TypeAlias

from providers.base import Context, Offer, Parsed
from providers.cells import (
    is_error,
    plain,
    read_text,
)
from providers.contract import COMMITTED, DERIVED, QUOTES, RANGED, Column
from providers.document import Record, TableRows
from providers.errors import CellError, Fault
from providers.own_cells import read_own_cell
from providers.ranges import SLASH, checked_ranges, end_of, split_cell

FORMAT_MARK = "quotes/1"  # first line of an exported sheet, with the decimal sign it was written with
NOTE = "#"  # rows whose first cell begins so are notes
WRITTEN = tuple(column for column in QUOTES.columns if column.name not in {"source_file", "source_line", "source_hash"})
IGNORED = frozenset((*DERIVED.names, "source_file", "source_line", "source_hash"))
NEEDED = ("accelerator", "price")
MUST_HAVE = ("price", "price_basis", "purchase_model")
LEAST_KNOWN = 4  # headers that must be ours before a sheet is taken for our own
DANGEROUS = re.compile(
    "'*[=+\\-@#\t\r\n\uff1d\uff0b\uff0d\uff20]"
)  # a text that a spreadsheet program may run (OWASP, CSV injection), or that would make its row a note
GUARD = "'"
ORDERED_DAYS = (("valid_from", "valid_until"), ("quoted_on", "valid_until"), ("earliest_start", "available_to"))
OWN_FIELDS = frozenset(
    {
        "provider", "sku", "accelerator", "price", "price_basis", "currency", "purchase_model", "region",
        "accelerators_per_instance", "vram_gb", "form_factor",
    }
)  # columns that an offer holds by themselves  # fmt: skip


def is_own(table: TableRows | None) -> bool:
    """Return whether a header is that of our own sheet: enough of our names, and more of them than of others."""
    if table is None:
        return False
    names = [name.casefold() for name in table.header if name]
    known = sum(name in QUOTES.names for name in names)
    return known >= LEAST_KNOWN and known * 2 > len(names) and bool({"price_basis", "purchase_model"} & set(names))


def guarded(text: str) -> str:
    """Return a text cell that no spreadsheet program takes for a formula."""
    return GUARD + text if DANGEROUS.match(text) else text


def unguarded(text: str) -> str:
    """Return the text that was guarded; the inverse of `guarded`."""
    return text[1:] if text.startswith(GUARD) and DANGEROUS.match(text) else text


def written_cell(column: Column, value: Any) -> Any:
    """Return a value as a cell: text guarded, numbers as numbers, None for what is not stated."""
    if value is None:
        return None
    if column.kind == "text":
        return guarded(value)
    if column.kind == "texts":
        simple = all(part and ";" not in part and part == part.strip() and part[0] != "[" for part in value)
        return guarded("; ".join(value) if simple else json.dumps(list(value), ensure_ascii=False)) if value else None
    if column.kind == "records":
        return guarded(json.dumps(list(value), ensure_ascii=False, default=_json_number)) if value else None
    return value.isoformat() if column.kind == "date" else value


def _json_number(value: Any) -> str:
    return plain(value) if isinstance(value, Decimal) else str(value)


def note_of(column: Column) -> str:
    """Return the note under a header: meaning, unit, allowed values, whether it must be stated."""
    parts = [column.meaning]
    if column.unit:
        parts.append(f"[{column.unit}]")
    if column.name in RANGED:
        parts.append("an estimate as min / likely / max")
    if column.choices:
        parts.append("one of " + ", ".join(column.choices))
    if column.required and column.name not in {"id", "quoted_on"}:
        parts.append("required")
    return "; ".join(parts)


def read_own(table: TableRows, context: Context) -> Parsed:
    """Read the rows of our own sheet; a row with a fault gives no offer, and every fault is named."""
    reader = _OwnReader(table, context)
    return reader.read()


def second_header(table: TableRows, record: Record, below: Sequence[Record]) -> list[Fault]:
    """Return the fault of a header that stands again, and of all rows below it where its columns are others."""
    if table.is_same(record):
        return [Fault(record.line, "", "a header again", "second_header", "remove the line")]
    hint = f"line {record.line} names other columns: send the table below it as a file of its own"
    first = Fault(record.line, "", "another header", "second_header", "send the table below it as a file of its own")
    return [first, *(Fault(row.line, "", "", "below_second_header", hint) for row in below)]


_Parts: TypeAlias = tuple[Any, Mapping[str, Any] | None, CellError | None]  # value, ends of an estimate, what is wrong


class _OwnReader:
    """Reads the sheet column by column: a sheet repeats most of its cells, and each different one is read once."""

    def __init__(self, table: TableRows, context: Context) -> None:
        self.table = table
        self.context = context
        self.decimal = context.decimal or _stated_decimal(table)
        self.parsed = Parsed(rows=0)
        self.ends: list[tuple[Column, str, int]] = []
        self.records: list[Record] = []
        self.currencies: Sequence[str | None] = ()
        self.values: dict[str, list[Any]] = {}
        self.ranges: dict[int, dict[str, dict[str, Any]]] = defaultdict(dict)
        self.faults: dict[int, list[Fault]] = defaultdict(list)

    def read(self) -> Parsed:
        columns = self._columns()
        if any(fault.rule == "missing_column" for fault in self.parsed.faults):
            self.parsed.rows = len(self.table.records)
            return self.parsed  # every row would only repeat it
        self.records = list(self._rows())
        self.currencies = self._currencies()
        for column, place in columns:
            self.values[column.name] = self._column(column, place)
        for column, end, place in self.ends:
            self._end(column, end, place)
        self._check_rows()
        prices = next(place for column, place in columns if column.name == "price")
        self._offers([_likely(record.cells[prices]) for record in self.records])
        self.parsed.faults += [fault for faults in self.faults.values() for fault in faults]
        return self.parsed

    def _rows(self) -> Iterator[Record]:
        """Yield the rows of as many cells as the header, up to another header; notes are none."""
        for place, record in enumerate(self.table.records):
            if self._is_note(record):
                continue
            self.parsed.rows += 1
            if self.table.repeats(record, "price"):
                faults = second_header(self.table, record, self.table.records[place + 1 :])
                self.parsed.faults += faults
                self.parsed.rows += len(faults) - 1
                if len(faults) > 1:
                    return
            elif self.table.even(record):
                yield record
            else:
                found = f"{len(record.cells)} cells"
                hint = f"write {len(self.table.header)} cells, in quotes where they hold the delimiter"
                self.parsed.faults.append(Fault(record.line, "", found, "ragged_row", hint))

    def _is_note(self, record: Record) -> bool:
        """Return whether a row is a note; said is which of them holds a price, for it may have been meant."""
        first = str(record.cells[0]).lstrip()
        if not first.startswith(NOTE) or is_error(first):
            return False
        price = self.table.getter("price")(record)
        if self.table.even(record) and any(letter.isdecimal() for letter in str(price)):
            self.parsed.notes.append(f"line {record.line} begins with {NOTE} and was left out as a note")
        return True

    def _columns(self) -> list[tuple[Column, int]]:
        """Return our columns with their place; unknown and missing headers become faults of the header's line."""
        known, unknown = [], []
        for place, name in enumerate(self.table.header):
            column = name.casefold()
            if column in IGNORED or not column:
                continue
            if (end := end_of(column)) is not None:
                self.ends.append((QUOTES.column(end[0]), end[1], place))
            elif column in QUOTES.names:
                known.append((QUOTES.column(column), place))
            else:
                unknown.append(name)
        faults = self.parsed.faults
        for name in unknown:
            near = difflib.get_close_matches(name.casefold(), QUOTES.names, 1)
            hint = f"did you mean {near[0]}?" if near else "remove the column, or match the sheet's columns instead"
            faults.append(Fault(self.table.line, name, name, "unknown_column", hint))
        names = [column.name for column, _ in known]
        for name in {name for name in names if names.count(name) > 1}:
            faults.append(Fault(self.table.line, name, name, "repeated_column", "keep one of the two"))
        for name in MUST_HAVE:
            if name not in names:
                faults.append(Fault(self.table.line, name, "", "missing_column", f"add the column {name}"))
        self.parsed.unknown_columns = tuple(unknown)
        return known

    def _currencies(self) -> list[str | None]:
        """Return the currency of each row, with which a sign in its amounts must agree."""
        getter = self.table.getter("currency")
        cells = [getter(record) or self.context.currency for record in self.records]
        known = {cell: _currency(cell) for cell in set(cells)}
        return [known[cell] for cell in cells]

    def _column(self, column: Column, place: int) -> list[Any]:
        """Return the value of each row; None, with a fault noted, where a cell cannot be read."""
        cells = [record.cells[place] for record in self.records]
        signs = self.currencies if column.unit.startswith("currency") else repeat(None, len(cells))
        keys = list(zip(cells, signs, strict=True))
        texts = dict.fromkeys(key for key in keys if type(key[0]) is str)  # cells of a workbook carry more than a value
        known = {key: self._parts(column, *key) for key in texts}
        parts = [known[key] if type(key[0]) is str else self._parts(column, *key) for key in keys]
        for position, (_, ends, error) in enumerate(parts):
            if ends or error:
                self._note(position, column, ends, error)
        return [value for value, _, _ in parts]

    def _note(self, position: int, column: Column, ends: Mapping[str, Any] | None, error: CellError | None) -> None:
        """Keep the ends of an estimate and the fault of a cell beside its row."""
        if error is not None:
            self.faults[position].append(error.at(self.records[position].line, column.name))
        elif ends is not None:
            self.ranges[position][column.name] = dict(ends)

    def _parts(self, column: Column, cell: Any, currency: str | None) -> _Parts:
        """Return the value of a cell, the ends of an estimate that it states, and what is wrong with it."""
        text = unguarded(cell) if type(cell) is str else cell
        try:
            parts = split_cell(text) if column.name in RANGED else None
            if parts is None:
                value = read_own_cell(column, text, self.decimal, currency)
                self._note_unstated(column, cell, value)
                return value, None, None
            least, likely, greatest = (read_own_cell(column, part, self.decimal, currency) for part in parts)
        except CellError as error:
            return None, None, error
        return likely, {"min": least, "max": greatest}, None

    def _note_unstated(self, column: Column, cell: Any, value: Any) -> None:
        """Say that words were read as not stated; a row without a price is held, and says so itself."""
        if value is None and type(cell) is str and cell.strip() and column.name != "price":
            self.parsed.notes.append(f"{column.name}: `{cell.strip()[:40]}` was read as not stated")

    def _end(self, column: Column, end: str, place: int) -> None:
        """Read the least or greatest values that stand in a column of their own."""
        for position, (record, currency) in enumerate(zip(self.records, self.currencies, strict=True)):
            value, _, error = self._parts(column, record.cells[place], currency)
            if error is not None:
                self.faults[position].append(error.at(record.line, f"{column.name}_{end}"))
            elif value is not None:
                self.ranges[position].setdefault(column.name, {})[end] = value

    def _check_rows(self) -> None:
        """Note what is wrong with a row as a whole: estimates, what must stand, days in order, terms."""
        for position, ends in self.ranges.items():
            self._check_range(position, ends)
        stated = {"provider": self.context.provider, "currency": self.context.currency}
        for name in ("provider", "accelerator", "currency", "price_basis", "purchase_model"):
            if name in self.values | stated and not stated.get(name):
                self._demand(name)
        for first, last in (days for days in ORDERED_DAYS if self.values.keys() >= set(days)):
            for position, (start, end) in enumerate(zip(self._of(first), self._of(last), strict=True)):
                if start and end and end < start:
                    self._fault(position, last, end.isoformat(), "before_" + first, f"a day not before {start}")
        if not set(COMMITTED).isdisjoint(self._of("purchase_model")):
            self._check_terms()

    def _check_terms(self) -> None:
        """Note the rows that commit for a time which they do not state."""
        terms = zip(self._of("purchase_model"), self._of("term_months"), self._of("min_days"), strict=True)
        for position, (model, months, days) in enumerate(terms):
            if model in COMMITTED and not months and not days:
                hint = f"state the months of the {model} term, or min_days"
                self._fault(position, "term_months", "", "required", hint)

    def _check_range(self, position: int, ends: Mapping[str, Mapping[str, Any]]) -> None:
        likely = {name: self.values[name][position] for name in ends if name in self.values}
        ranges, wrong = checked_ranges(likely, ends, self.records[position].line)
        broken = {fault.column for fault in self.faults.get(position, ())}
        new = [fault for fault in wrong if fault.column not in broken]
        if new:
            self.faults[position] += new
        if ranges:
            self.values.setdefault("ranges", [None] * len(self.records))[position] = ranges

    def _demand(self, name: str) -> None:
        """Note the rows that leave a column empty which must stand."""
        if all(self._of(name)):
            return
        for position, (value, sku) in enumerate(zip(self._of(name), self._of("sku"), strict=True)):
            if value or (name == "accelerator" and sku):  # the SKU may tell; else the row is held for mapping
                continue
            if name not in {fault.column for fault in self.faults.get(position, ())}:
                self._fault(position, name, "", "required", f"state the {QUOTES.column(name).meaning}")

    def _fault(self, position: int, column: str, value: str, rule: str, hint: str) -> None:
        self.faults[position].append(Fault(self.records[position].line, column, value, rule, hint))

    def _of(self, name: str) -> Sequence[Any]:
        """Return a column, Nones where the sheet has none of that name."""
        return self.values.get(name) or [None] * len(self.records)

    def _offers(self, written: Sequence[str]) -> None:
        """Add an offer for each row without a fault."""
        rest = [name for name in self.values if name not in OWN_FIELDS]
        names = (*OWN_FIELDS, *rest)
        for position, cells in enumerate(zip(*(self._of(name) for name in names), strict=True)):
            if position not in self.faults:
                stated = dict(zip(names, cells, strict=True))
                values = {name: stated[name] for name in rest if stated[name] is not None}
                self.parsed.offers.append(self._offer(self.records[position], stated, values, written[position]))

    def _offer(self, record: Record, stated: Mapping[str, Any], values: dict[str, Any], written: str) -> Offer:
        if "id" in values:
            values["id_is_given"] = True
        currency = stated["currency"] or self.context.currency
        return Offer(
            line=record.line,
            raw=self.table.raw(record),
            price=stated["price"],
            written=f"{written or 'nothing'} {currency}",
            currency=currency,
            basis=stated["price_basis"],
            sku=stated["sku"] or "",
            accelerator=stated["accelerator"] or "",
            provider=stated["provider"] or "",
            region=stated["region"] or "",
            count=stated["accelerators_per_instance"],
            vram_gb=stated["vram_gb"],
            form_factor=stated["form_factor"] or "",
            purchase_model=stated["purchase_model"],
            values=values,
        )


def _currency(cell: Any) -> str | None:
    try:
        return read_text(cell)
    except CellError:
        return None  # its own cell becomes the fault


def _likely(cell: Any) -> str:
    """Return the price of a row as written; of an estimate the likely one."""
    text = str(cell).strip()
    if "/" not in text:
        return text
    parts = SLASH.split(text)
    return parts[1] if len(parts) > 1 else text


def _stated_decimal(table: TableRows) -> str | None:
    """Return the decimal sign that the first line of an exported sheet states."""
    for record in table.above:
        text = ";".join(str(cell) for cell in record.cells)
        if FORMAT_MARK in text and (match := re.search(r"decimal\s*=\s*(point|comma)", text)):
            return "." if match[1] == "point" else ","
    return None
