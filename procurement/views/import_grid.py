"""Held and faulty rows of a draft as a grid whose cells a person mends."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from procurement.forms.base import read_back
from procurement.models import PriceSheet, SheetRow
from procurement.selectors.imports import cells_now, rows_with_cell, typed_cells
from procurement.services.price_sheets import Correction
from procurement.views.base import whole
from providers.headers import column_meant

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


def typed_in(sent: Mapping[str, str]) -> list[Correction]:
    """Return every cell that was sent of a grid, those that say what stood there before included."""
    asked = read_back(sent.get("asked", ""))
    headers, before = asked.get("headers"), asked.get("was")
    if not isinstance(headers, list) or not isinstance(before, dict):
        return []
    places = {name: _place_of(name) for name in before}
    return [
        Correction(line, str(headers[place]), str(before[name]), sent[name].strip())
        for name, (line, place) in places.items()
        if name in sent and 0 <= place < len(headers)
    ]


@dataclass(frozen=True, slots=True)
class Kept:
    """Cells that a person typed and did not send: those that still fit, and those where something else stands."""

    fitting: Sequence[Correction]
    astray: Sequence[tuple[Correction, str]]

    def typed(self, sheet: PriceSheet) -> dict[str, str]:
        """Return the fitting ones by the names of their cells."""
        places = {header: place for place, header in enumerate(headers_of(sheet))}
        return {f"cell-{one.line}-{places[one.column]}": one.value for one in self.fitting if one.column in places}

    def beside(self, sent: Sequence[Correction]) -> list[Correction]:
        """Return the fitting ones that a sent grid did not show."""
        known = {(one.line, one.column) for one in sent}
        return [one for one in self.fitting if (one.line, one.column) not in known]

    @property
    def table(self) -> Any:
        """The ones astray beside what stands there now, to be sent again; ``None`` where there is none."""
        stored = {f"line {one.line}, {one.column}": (now, one.value) for one, now in self.astray}
        return conflict_rows([one for one, _ in self.astray], stored)


def kept_of(sheet: PriceSheet, user: Any) -> Kept:
    """Return what a person typed in a draft and did not send."""
    cells = typed_cells(sheet, user)
    now = cells_now(sheet, {cell.line for cell in cells})
    fitting, astray = [], []
    for cell in cells:
        one = Correction(cell.line, cell.column, cell.was, cell.value)
        stands = now.get((cell.line, cell.column), cell.was)
        if stands == cell.was:
            fitting.append(one)
        elif stands != cell.value:
            astray.append((one, stands))
    return Kept(fitting, astray)


def asked_of(grid: Grid, headers: Sequence[str]) -> str:
    """Return what a grid sends back of itself: its headers and what stood in its cells."""
    cells = (cell for row in grid.rows for cell in row.cells if cell.is_open)
    return json.dumps({"headers": list(headers), "was": {cell.name: cell.was for cell in cells}})


def conflict_rows(corrections: Sequence[Correction], stored: Mapping[str, tuple[str, str]]) -> Any:
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
