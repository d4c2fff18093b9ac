"""Columns of an unknown sheet: what a person must match, with a first guess, and the checked profile of a supplier."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from providers.cells import is_missing, plain, read_number
from providers.contract import QUOTES
from providers.document import HEADER_ROWS, Document, Grid, Record, open_document
from providers.errors import CellError, ProviderError
from providers.flatten import tables_of
from providers.guesses import guess_of
from providers.headers import find_header, find_table, weight
from providers.wording import bought_by

SAMPLES = 5  # cells shown under each header
DATE_ORDERS = {"ymd": (0, 1, 2), "dmy": (2, 1, 0), "mdy": (2, 0, 1)}  # places of year, month and day
WRITTEN_DATE = re.compile(r"(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})")
KEYS = frozenset({"columns", "constants", "values", "decimal", "date_order", "divisor", "sheet", "ignored", "further"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How the columns of one supplier's sheet are to be read.

    Attributes
    ----------
    columns : mapping
        Their header to our column.
    constants : mapping
        Our column to the value that holds for every row.
    values : mapping
        Our column to their words and ours: `{"purchase_model": {"PAYG": "on_demand"}}`.
    divisor : Decimal
        What their price is divided by: 100 where it is in cents.
    further : sequence of str
        Headers of further prices of the same rows, which name how they are bought: `1 year reserved`, `Spot`.
    """

    columns: Mapping[str, str]
    constants: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    decimal: str | None = None
    date_order: str = "ymd"
    divisor: Decimal = Decimal(1)
    sheet: str | None = None
    ignored: Sequence[str] = ()
    further: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPreview:
    """One sheet with its headers, sample cells, and a first guess that a person confirms."""

    sheet: str
    header_line: int
    headers: tuple[str, ...]
    samples: tuple[tuple[str, ...], ...]
    guess: Mapping[str, str]
    unknown: tuple[str, ...]
    constants: Mapping[str, str]
    decimal: str | None
    rows: int
    divisor: str = "1"
    further: tuple[str, ...] = ()


def read_profile(given: Mapping[str, Any]) -> Profile:
    """Return the checked profile of a mapping; ProviderError names everything that is wrong with it."""
    wrong = [f"{key!r} is no part of a profile: {', '.join(sorted(KEYS))}" for key in given if key not in KEYS]
    columns = {str(theirs): str(ours) for theirs, ours in (given.get("columns") or {}).items()}
    constants = {str(ours): str(value) for ours, value in (given.get("constants") or {}).items()}
    for ours in (*columns.values(), *constants, *(given.get("values") or {})):
        if ours not in QUOTES.names:
            wrong.append(f"{ours!r} is no column of a quote")
    targets = [*columns.values(), *constants]
    wrong += [f"{ours} is matched twice" for ours in sorted(set(targets)) if targets.count(ours) > 1]
    wrong += [
        f"no column is matched to {name}" for name in ("price", "price_basis", "purchase_model") if name not in targets
    ]
    if not {"accelerator", "sku"} & set(targets):
        wrong.append("no column is matched to accelerator or sku")
    if given.get("decimal") not in (None, ".", ","):
        wrong.append(f"the decimal sign {given['decimal']!r} is neither '.' nor ','")
    if given.get("date_order", "ymd") not in DATE_ORDERS:
        wrong.append(f"the date order {given['date_order']!r} is none of {', '.join(DATE_ORDERS)}")
    divisor = Decimal(1)
    try:
        divisor = read_number(given.get("divisor", 1)) or Decimal(0)
    except CellError as error:
        wrong.append(f"the divisor {error}")
    if divisor <= 0:
        wrong.append("the divisor must be above zero: 1, or 100 for cents")
    further = [str(header) for header in given.get("further") or ()]
    wrong += [f"{header!r} does not say how it is bought" for header in further if bought_by(header)[0] is None]
    wrong += [f"{header!r} is matched twice" for header in further if header in columns]
    if wrong:
        message = "the column profile cannot be used: " + "; ".join(wrong)
        raise ProviderError(message)
    return Profile(
        columns=columns,
        constants=constants,
        values={ours: dict(words) for ours, words in (given.get("values") or {}).items()},
        decimal=given.get("decimal"),
        date_order=given.get("date_order", "ymd"),
        divisor=divisor,
        sheet=given.get("sheet"),
        ignored=tuple(given.get("ignored") or ()),
        further=tuple(further),
    )


def ordered_date(cell: Any, order: str) -> Any:
    """Return a written day by the order of its parts as a date; anything else as it is."""
    match = WRITTEN_DATE.fullmatch(str(cell).strip()) if isinstance(cell, str) else None
    if match is None:
        return cell
    year, month, day = (int(match[place + 1]) for place in DATE_ORDERS[order])
    try:
        return date(year + 2000 if year < 100 else year, month, day)
    except ValueError as error:
        raise CellError(str(cell), "not_a_date", f"a day in the order {order}") from error


def preview_sheet(content: bytes, file_name: str, sheet: str | None = None) -> SheetPreview:
    """Return the headers of a sheet with samples and a guess what they mean; nothing is decided by it.

    Raises
    ------
    ProviderError
        When the file is no table, or has no sheet of that name.
    """
    document = open_document(content, file_name)
    grid = _grid(document, sheet, file_name)
    found = find_header(grid)
    table = grid.below(found.position, found.names)
    header, rows = table.header, table.records
    guess = guess_of(header, rows, grid.records[: found.position])
    price = next((place for place, name in enumerate(header) if guess.columns.get(name) == "price"), None)
    return SheetPreview(
        sheet=grid.name,
        header_line=table.line,
        headers=header,
        samples=tuple(tuple(_sample(rows, place)) for place in range(len(header))),
        guess=guess.columns,
        unknown=tuple(name for name in header if name and name not in {*guess.columns, *guess.further}),
        constants=guess.constants,
        decimal=None if price is None else decimal_sign(_cells(rows, price)),
        rows=len(rows),
        divisor=plain(guess.divisor),
        further=tuple(guess.further),
    )


def rows_as_written(
    content: bytes,
    file_name: str,
    lines: Set[int],
    columns: Sequence[str] = (),
    corrections: Mapping[tuple[int, str], str] | None = None,
) -> dict[int, dict[str, str]]:
    """Return some rows of a table by header name, as written or corrected, so that a person can mend their cells.

    Parameters
    ----------
    lines : set of int
        Lines of the rows; those that the table does not hold are left out.
    columns : sequence of str, optional
        Headers by which the table is known; else its header is found as for a preview.

    Returns
    -------
    dict
        Line to header to cell; empty for a file that is no table.
    """
    document = open_document(content, file_name, corrections)
    found: dict[int, dict[str, str]] = {}
    for grid in tables_of(document):
        table = find_table(grid, columns) if columns else None
        if table is None and grid.records:
            header = find_header(grid)
            table = grid.below(header.position, header.names)
        if table is not None:
            found |= {record.line: dict(table.raw(record)) for record in table.records if record.line in lines}
        if found:
            break
    return found


def _grid(document: Document, sheet: str | None, file_name: str) -> Grid:
    tables = tables_of(document)
    grids = [grid for grid in tables if grid.records and sheet in (None, grid.name)]
    if not grids:
        names = ", ".join(grid.name for grid in tables) or "none"
        message = f"{file_name} has no table {sheet or ''}: its sheets are {names}; send CSV, XLSX or JSON"
        raise ProviderError(message)
    return max(grids, key=lambda grid: _known_words(grid))  # of equals the first


def _known_words(grid: Grid) -> int:
    """Return how many words of a sheet's likeliest header are known: a cover page has none."""
    return max((weight(record.cells)[0] for record in grid.records[:HEADER_ROWS]), default=0)


def _cells(rows: Sequence[Record], place: int) -> list[Any]:
    return [record.cells[place] for record in rows if place < len(record.cells)]


def _sample(rows: Sequence[Record], place: int) -> list[str]:
    return [text for cell in _cells(rows, place) if (text := str(cell).strip())][:SAMPLES]


def decimal_sign(cells: Sequence[Any]) -> str | None:
    """Return the decimal sign that some cell proves and none contradicts; None when a person must say."""
    signs = set()
    for cell in cells:
        if not isinstance(cell, str) or is_missing(cell):
            continue
        for sign in (".", ","):
            try:
                one, other = read_number(cell, sign), None
            except CellError:
                continue
            try:
                other = read_number(cell, "," if sign == "." else ".")
            except CellError:
                signs.add(sign)
            if other is not None and one == other and sign in cell:
                signs.add(sign)
    return signs.pop() if len(signs) == 1 else None
