"""Held and faulty rows of a draft as a grid whose cells a person mends."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from procurement.forms.base import read_back
from procurement.models import PriceSheet, SheetRow
from procurement.selectors.imports import rows_with_cell
from procurement.services.price_sheets import Correction
from procurement.views.base import whole
from providers.mapping import column_meant

MOST_COLUMNS = 12  # shown beside those that hold a fault
# our columns by which a person knows a row again
IDENTITY = ("provider", "sku", "accelerator", "accelerators_per_instance", "price", "price_basis", "currency", "region")
# the column in which what a reason speaks of can be mended
COLUMN_OF_REASON = {
    "unknown_accelerator": "accelerator", "accelerator_conflict": "accelerator", "unknown_sku": "sku",
    "unknown_region": "region", "price_missing": "price", "price_not_positive": "price", "price_conflict": "price",
    "outside_absolute_band": "price", "outside_model_band": "price", "conflicting_price": "price",
    "currency_missing": "currency", "unknown_currency": "currency", "no_rate_for_bands": "currency",
    "term_missing": "term_months", "count_conflict": "accelerators_per_instance", "basis_disagrees": "price_basis",
    "count_price_mismatch": "accelerators_per_instance", "memory_differs": "vram_gb", "provider_missing": "provider",
    "not_yet_effective": "valid_from", "purchase_model_conflict": "purchase_model",
}  # fmt: skip


@dataclass(slots=True)
class Cell:
    """One cell: what stands there, and what is wrong with it."""

    name: str
    header: str
    value: str
    was: str
    faults: list[Mapping[str, str]] = field(default_factory=list)
    alike: int = 0
    is_open: bool = True


@dataclass(slots=True)
class GridRow:
    """One row: its cells, and what is wrong with none of them in particular."""

    row: SheetRow
    cells: list[Cell]
    faults: list[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows under their headers."""

    headers: Sequence[str]
    rows: Sequence[GridRow]


def headers_of(sheet: PriceSheet) -> list[str]:
    """Return the headers of held and faulty rows, in the order of the file."""
    return list(sheet.preview.get("row_headers", ()))


def grid_of(sheet: PriceSheet, rows: Sequence[SheetRow], typed: Mapping[str, str] | None = None) -> Grid:
    """Return rows as a grid; cells that were typed and not stored yet keep what was typed."""
    headers = headers_of(sheet)
    places = {header: place for place, header in enumerate(headers)}
    named = {row.pk: [(_header_of(reason, headers, sheet), reason) for reason in row.reasons] for row in rows}
    faulty = {header for pairs in named.values() for header, _ in pairs if header}
    known = {header for header in (_ours(name, headers, sheet) for name in IDENTITY) if header}
    shown = [header for header in headers if header in faulty | known]
    if len(known) < 3:
        shown = [header for place, header in enumerate(headers) if place < MOST_COLUMNS or header in faulty]
    found: list[GridRow] = []
    lines: set[int] = set()
    for row in rows:
        cells = []
        for header in shown:
            was, name = str(row.raw.get(header, "")), f"cell-{row.line}-{places[header]}"
            cell = Cell(name, header, (typed or {}).get(name, was), was)
            cell.faults = [reason for place, reason in named[row.pk] if place == header]
            cell.is_open = row.line not in lines  # a line that makes several offers is mended once
            cells.append(cell)
        lines.add(row.line)
        found.append(GridRow(row, cells, [reason for place, reason in named[row.pk] if place is None]))
    _count_alike(found)
    return Grid(shown, found)


def corrections_in(sheet: PriceSheet, sent: Mapping[str, str]) -> list[Correction]:
    """Return the cells that were changed in a grid, and those alike that shall change with them.

    The grid says itself which headers it had and what stood in its cells: somebody else may mend rows meanwhile.
    """
    asked = read_back(sent.get("asked", ""))
    headers, before = asked.get("headers"), asked.get("was")
    if not isinstance(headers, list) or not isinstance(before, dict):
        return []
    found: dict[tuple[int, str], Correction] = {}
    for name, was in before.items():
        line, place = _place_of(name)
        value = sent.get(name)
        if value is None or value.strip() == str(was).strip() or not 0 <= place < len(headers):
            continue
        header = str(headers[place])
        lines = rows_with_cell(sheet, header, str(was)) if sent.get(f"all-{name}") else []
        for one in (line, *lines):
            found.setdefault((one, header), Correction(one, header, str(was), value.strip()))
    return list(found.values())


def asked_of(grid: Grid, headers: Sequence[str]) -> str:
    """Return what a grid sends back of itself: its headers and what stood in its cells."""
    cells = (cell for row in grid.rows for cell in row.cells if cell.is_open)
    return json.dumps({"headers": list(headers), "was": {cell.name: cell.was for cell in cells}})


def conflict_rows(sheet: PriceSheet, corrections: Sequence[Correction], stored: Mapping[str, tuple[str, str]]) -> Any:
    """Return every cell that a person asked for and did not get, beside what stands there now, to be sent again."""
    headers = list(dict.fromkeys(one.column for one in corrections))
    rows = []
    for one in corrections:
        now = stored.get(f"line {one.line}, {one.column}", (None, ""))[0]
        name = f"cell-{one.line}-{headers.index(one.column)}"
        rows.append({"name": name, "line": one.line, "column": one.column, "theirs": now or one.was, "mine": one.value})
    asked = json.dumps({"headers": headers, "was": {row["name"]: row["theirs"] for row in rows}})
    return {"rows": rows, "asked": asked} if rows else None


def _place_of(name: str) -> tuple[int, int]:
    parts = name.split("-")
    numbers = [whole(part) for part in parts[1:]]
    if len(numbers) != 2 or None in numbers:
        return 0, -1
    return int(numbers[0] or 0), int(numbers[1] or 0)


def _header_of(reason: Mapping[str, str], headers: Sequence[str], sheet: PriceSheet) -> str | None:
    column = reason.get("column") or COLUMN_OF_REASON.get(reason.get("code", ""), "")
    return _ours(column, headers, sheet) if column else None


def _ours(column: str, headers: Sequence[str], sheet: PriceSheet) -> str | None:
    """Return the header that stands for a column: itself in any case, or as it was matched."""
    by_case = {header.strip().casefold(): header for header in headers}
    matched = {ours: theirs for theirs, ours in ((sheet.profile or {}).get("columns") or {}).items()}
    named = by_case.get(column.casefold()) or by_case.get(matched.get(column, "\0").strip().casefold())
    if named or sheet.profile:
        return named
    ends = {header.rpartition(".")[2].casefold(): header for header in reversed(headers)}  # of a path in JSON
    meant = (header for header in headers if column_meant(header) == column)
    return ends.get(column.rpartition(".")[2].casefold()) or next(meant, None)


def _count_alike(rows: Iterable[GridRow]) -> None:
    """Note on the first of several cells with the same wrong value how many there are."""
    first: dict[tuple[str, str, str], Cell] = {}
    for row in rows:
        for cell in row.cells:
            if cell.faults:
                key = (cell.header, cell.was, cell.faults[0].get("code", ""))
                first.setdefault(key, cell).alike += 1
