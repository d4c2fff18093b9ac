"""Our own quote table as a sheet: which headers it has, how its cells are written and read back unchanged."""

import difflib
import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any
from zoneinfo import available_timezones

from providers.base import Context, Offer, Parsed
from providers.cells import (
    Marked,
    is_error,
    is_missing,
    plain,
    read_boolean,
    read_date,
    read_integer,
    read_name,
    read_number,
    read_text,
)
from providers.contract import COMMITTED, DERIVED, QUOTES, RANGED, Column
from providers.document import Record, TableRows
from providers.errors import CellError, Fault
from providers.ranges import checked_ranges, end_of, split_cell

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
        "accelerators_per_instance", "vram_gb",
    }
)  # columns that an offer holds by themselves  # fmt: skip
FRACTIONS = frozenset({"monthly_interruption", "support_fraction"})
POSITIVE = frozenset({"accelerators_per_instance", "accelerators_per_node", "term_months", "price_hours_per_month"})


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


class _OwnReader:
    def __init__(self, table: TableRows, context: Context) -> None:
        self.table = table
        self.context = context
        self.decimal = context.decimal or _stated_decimal(table)
        self.parsed = Parsed(rows=0)
        self.ends: list[tuple[Column, str, int]] = []
        self.known: dict[tuple[str, str, str | None], Any] = {}

    def read(self) -> Parsed:
        columns = self._columns()
        if any(fault.rule == "missing_column" for fault in self.parsed.faults):
            self.parsed.rows = len(self.table.records)
            return self.parsed  # every row would only repeat it
        for place, record in enumerate(self.table.records):
            if self._is_note(record):
                continue
            self.parsed.rows += 1
            if self.table.repeats(record, "price"):
                faults = second_header(self.table, record, self.table.records[place + 1 :])
                self.parsed.faults += faults
                self.parsed.rows += len(faults) - 1
                if len(faults) > 1:
                    break
                continue
            if not self.table.even(record):
                found = f"{len(record.cells)} cells"
                hint = f"write {len(self.table.header)} cells, in quotes where they hold the delimiter"
                self.parsed.faults.append(Fault(record.line, "", found, "ragged_row", hint))
                continue
            self._row(record, columns)
        return self.parsed

    def _is_note(self, record: Record) -> bool:
        """Return whether a row is a note; said is which of them holds a price, for it may have been meant."""
        first = str(record.cells[0]).lstrip()
        if not first.startswith(NOTE) or is_error(first):
            return False
        price = self._cell(record, "price")
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

    def _row(self, record: Record, columns: list[tuple[Column, int]]) -> None:
        values: dict[str, Any] = {}
        faults: list[Fault] = []
        ends: dict[str, dict[str, Any]] = {}
        written = ""
        currency = self._currency(record)
        for column, place in columns:
            cell = record.cells[place] if place < len(record.cells) else ""
            try:
                parts = split_cell(cell) if column.name in RANGED else None
                if parts is not None:
                    least, cell, greatest = parts
                    ends[column.name] = {
                        end: self._value(column, part, currency) for end, part in (("min", least), ("max", greatest))
                    }
                values[column.name] = self._value(column, cell, currency)
            except CellError as error:
                faults.append(error.at(record.line, column.name))
            if column.name == "price":
                written = str(cell).strip()
        faults += self._ends(record, ends, currency)
        ranges, wrong = checked_ranges(values, ends, record.line)
        faults += [fault for fault in wrong if fault.column not in {found.column for found in faults}]
        if ranges:
            values["ranges"] = ranges
        faults += self._rules(values, record.line, {fault.column for fault in faults})
        if faults:
            self.parsed.faults += faults
            return
        self.parsed.offers.append(self._offer(record, values, written))

    def _ends(self, record: Record, ends: dict[str, dict[str, Any]], currency: str | None) -> list[Fault]:
        """Read the least and greatest values that stand in columns of their own."""
        faults = []
        for column, end, place in self.ends:
            try:
                value = self._value(column, record.cells[place], currency)
            except CellError as error:
                faults.append(error.at(record.line, f"{column.name}_{end}"))
                continue
            if value is not None:
                ends.setdefault(column.name, {})[end] = value
        return faults

    def _currency(self, record: Record) -> str | None:
        try:
            return read_text(self._cell(record, "currency") or self.context.currency)
        except CellError:
            return None  # its own cell becomes the fault

    def _cell(self, record: Record, name: str) -> Any:
        return self.table.getter(name)(record)

    def _value(self, column: Column, cell: Any, currency: str | None) -> Any:
        """Return the value of a cell; a sheet repeats most of its texts, which are read once."""
        if not isinstance(cell, str) or isinstance(cell, Marked):
            return self._new_value(column, cell, currency)
        key = (column.name, cell, currency)
        if key not in self.known:
            value = self._new_value(column, unguarded(cell), currency)
            self.known[key] = value
            if value is None and cell.strip() and column.name != "price":  # a row without price is held, and says so
                self.parsed.notes.append(f"{column.name}: `{cell.strip()[:40]}` was read as not stated")
        return self.known[key]

    def _new_value(self, column: Column, cell: Any, currency: str | None) -> Any:
        if column.kind == "decimal":
            value = read_number(cell, self.decimal, currency if column.unit.startswith("currency") else None)
            return _in_range(column, value, cell)
        if column.kind == "integer":
            return _in_range(column, read_integer(cell, self.decimal), cell)
        if column.kind == "text":
            text = read_name(cell)
            if column.name == "time_zone" and text and text not in available_timezones():
                raise CellError(text, "not_a_time_zone", "write it as Europe/Berlin or UTC")
            return _choice(column, text) if column.choices and text else text
        return _READERS[column.kind](cell)

    def _rules(self, values: dict[str, Any], line: int, broken: set[str]) -> list[Fault]:
        """Return faults of a row as a whole: what must stand, and days in order."""
        faults = []
        defaults = {"provider": self.context.provider, "currency": self.context.currency}
        for name in ("provider", "accelerator", "currency", "price_basis", "purchase_model"):
            if name == "accelerator" and values.get("sku"):
                continue  # the SKU may tell; else the row is held for mapping
            if not values.get(name) and not defaults.get(name) and name not in broken and name in values | defaults:
                faults.append(Fault(line, name, "", "required", f"state the {QUOTES.column(name).meaning}"))
        for first, last in ORDERED_DAYS:
            start, end = values.get(first), values.get(last)
            if start and end and end < start:
                faults.append(Fault(line, last, end.isoformat(), "before_" + first, f"a day not before {start}"))
        model = values.get("purchase_model")
        if model in COMMITTED and not values.get("term_months") and not values.get("min_days"):
            hint = f"state the months of the {model} term, or min_days"
            faults.append(Fault(line, "term_months", "", "required", hint))
        return faults

    def _offer(self, record: Record, values: dict[str, Any], written: str) -> Offer:
        stated = {name: value for name, value in values.items() if value is not None}
        rest = {name: value for name, value in stated.items() if name not in OWN_FIELDS}
        if "id" in rest:
            rest["id_is_given"] = True
        currency = stated.get("currency") or self.context.currency
        return Offer(
            line=record.line,
            raw=self.table.raw(record),
            price=stated.get("price"),
            written=f"{written or 'nothing'} {currency}",
            currency=currency,
            basis=stated["price_basis"],
            sku=stated.get("sku", ""),
            accelerator=stated.get("accelerator", ""),
            provider=stated.get("provider", ""),
            region=stated.get("region", ""),
            count=stated.get("accelerators_per_instance"),
            vram_gb=stated.get("vram_gb"),
            form_factor=stated.get("form_factor", ""),
            purchase_model=stated["purchase_model"],
            values=rest,
        )


def _stated_decimal(table: TableRows) -> str | None:
    """Return the decimal sign that the first line of an exported sheet states."""
    for record in table.above:
        text = ";".join(str(cell) for cell in record.cells)
        if FORMAT_MARK in text and (match := re.search(r"decimal\s*=\s*(point|comma)", text)):
            return "." if match[1] == "point" else ","
    return None


def _choice(column: Column, text: str) -> str:
    if text in column.choices:
        return text
    spelled = re.sub(r"[\s\-/]+", "_", text.lower())
    if spelled in column.choices:
        return spelled
    near = difflib.get_close_matches(spelled, column.choices, 1)
    hint = (f"did you mean {near[0]}? " if near else "") + f"one of {', '.join(column.choices)}"
    raise CellError(text, "not_a_choice", hint)


def _in_range(column: Column, value: Any, cell: Any) -> Any:
    if value is None:
        return None
    if column.name in FRACTIONS and not 0 <= value <= 1:
        raise CellError(str(cell), "not_a_fraction", "write a share between 0 and 1")
    if column.name in POSITIVE and value <= 0:
        raise CellError(str(cell), "not_positive", "write a number above zero")
    if value < 0 and column.name != "price":
        raise CellError(str(cell), "negative", "write a number that is not below zero")
    return value


def _texts(cell: Any) -> tuple[str, ...]:
    text = read_text(cell)
    if text is None:
        return ()
    if text.startswith("["):
        found = _json(text)
        if all(isinstance(part, str) for part in found):
            return tuple(found)
        raise CellError(text, "not_a_list", "write names with semicolons between them")
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _records(cell: Any) -> tuple[dict[str, Any], ...]:
    if is_missing(cell):
        return ()
    found = _json(str(cell))
    if not all(isinstance(part, dict) for part in found):
        raise CellError(str(cell), "not_records", 'write a JSON list of objects, as [{"component": "storage"}]')
    return tuple(found)


def _json(text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise CellError(text[:80], "not_json", f"write a JSON list ({error})") from error
    if not isinstance(found, list):
        raise CellError(text[:80], "not_a_list", "write a JSON list")
    return found


_READERS: dict[str, Callable[[Any], Any]] = {
    "boolean": read_boolean, "date": read_date, "texts": _texts, "records": _records,
}  # fmt: skip
