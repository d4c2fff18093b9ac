"""Columns of an unknown sheet: what a person must match, with a first guess, and the checked profile of a supplier."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from providers.cells import SYMBOLS, is_missing, read_number
from providers.contract import QUOTES
from providers.currency import is_currency
from providers.document import Document, Grid, Record, open_document
from providers.errors import CellError, ProviderError
from providers.flatten import tables_of
from providers.knowledge import rows_of, squeezed

SAMPLES = 5  # cells shown under each header
HEADER_ROWS = 40
DATE_ORDERS = {"ymd": (0, 1, 2), "dmy": (2, 1, 0), "mdy": (2, 0, 1)}  # places of year, month and day
WRITTEN_DATE = re.compile(r"(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})")
KEYS = frozenset({"columns", "constants", "values", "decimal", "date_order", "divisor", "sheet", "ignored"})
MONTH = re.compile(r"month|monat|mois|mensuel|mensile|/ ?mo\b|mes\b", re.IGNORECASE)
HOUR = re.compile(r"hour|/ ?h|stunde|heure|hora|ora\b", re.IGNORECASE)
PER_ACCELERATOR = re.compile(r"gpu|accelerator|beschleuniger", re.IGNORECASE)
TAX = re.compile(r"vat|tax|mwst|ust\b|tva|iva|\bht\b|ttc", re.IGNORECASE)
WITHOUT_TAX = re.compile(r"excl|exkl|zzgl|\bex\b|without|before|ohne|plus|hors|\bht\b|netto", re.IGNORECASE)
BOUGHT = (
    ("spot", re.compile(r"spot|preemptible|interruptible", re.IGNORECASE)),
    ("reserved", re.compile(r"reserved|reservation|reserviert", re.IGNORECASE)),
    ("on_demand", re.compile(r"on.?demand|pay.?as.?you.?go|payg", re.IGNORECASE)),
)  # what the header of a price says of how it is bought
WORDS: Mapping[str, str] = {
    squeezed(word): row["column"] for row in rows_of("column_words.csv") for word in row["words"].split("|")
}


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
    """

    columns: Mapping[str, str]
    constants: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    decimal: str | None = None
    date_order: str = "ymd"
    divisor: Decimal = Decimal(1)
    sheet: str | None = None
    ignored: Sequence[str] = ()


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
    position = _header_position(grid)
    header = [str(cell).strip() for cell in grid.records[position].cells]
    rows = grid.records[position + 1 :]
    guess = _guess(header, rows)
    constants = _constants(header, guess)
    price = next((place for place, name in enumerate(header) if guess.get(name) == "price"), None)
    return SheetPreview(
        sheet=grid.name,
        header_line=grid.records[position].line,
        headers=tuple(header),
        samples=tuple(tuple(_sample(rows, place)) for place in range(len(header))),
        guess=guess,
        unknown=tuple(name for name in header if name and name not in guess),
        constants=constants,
        decimal=None if price is None else decimal_sign(_cells(rows, price)),
        rows=len(rows),
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
        table = grid.table(columns) if columns else None
        if table is None and grid.records:
            table = grid.below(_header_position(grid))
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
    return grids[0]


def _header_position(grid: Grid) -> int:
    """Return the place of the row with most known words; of none, the first row with most cells filled."""

    def weight(record: Record) -> tuple[int, int]:
        names = [str(cell).strip() for cell in record.cells]
        return sum(column_meant(name) is not None for name in names), sum(bool(name) for name in names)

    rows = grid.records[:HEADER_ROWS]
    return max(range(len(rows)), key=lambda place: (*weight(rows[place]), -place))


def column_meant(header: str) -> str | None:
    """Return our column that a header means: as written, without brackets, without units, or the end of a JSON path."""
    bare = re.sub(r"\(.*?\)|\[.*?\]", " ", header)
    without_unit = re.sub(
        r"\b(?:USD|EUR|GBP|CHF|per hour|per gpu|je|pro|/ ?(?:gpu|h|hr|hour|month))\b.*", "", bare, flags=re.I
    )
    for spelling in (header, bare, without_unit, header.rpartition(".")[2]):
        column = WORDS.get(squeezed(spelling)) if squeezed(spelling) else None
        if column or spelling.strip().lower() in QUOTES.names:
            return column or spelling.strip().lower()
    return None


def _guess(header: Sequence[str], rows: Sequence[Record]) -> dict[str, str]:
    """Return the first header for each of our columns; a price per hour goes before one per month."""
    found: dict[str, str] = {}
    by_month: list[str] = []
    for place, name in enumerate(header):
        column = column_meant(name)
        if column == "accelerator" and _is_number(_sample(rows, place)):
            column = "accelerators_per_instance"  # `gpu: 8` counts them
        if column == "price" and MONTH.search(name) and not HOUR.search(name):
            by_month.append(name)
        elif column and column not in found.values():
            found[name] = column
    if by_month and "price" not in found.values():
        found[by_month[0]] = "price"
    return found


def _is_number(samples: Sequence[str]) -> bool:
    return bool(samples) and all(re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text) for text in samples)


def _constants(header: Sequence[str], guess: Mapping[str, str]) -> dict[str, str]:
    """Return what the header of the price says about currency, basis, tax and how it is bought."""
    price = next((name for name in header if guess.get(name) == "price"), "")
    said: dict[str, str] = {}
    code = next((word for word in re.findall(r"[A-Z]{3}", price) if is_currency(word)), None)
    symbol = next((SYMBOLS[sign] for sign in SYMBOLS if sign in price), None)
    if code or symbol:
        said["currency"] = str(code or symbol)
    if HOUR.search(price):
        said["price_basis"] = "per_accelerator_hour" if PER_ACCELERATOR.search(price) else "per_instance_hour"
    elif MONTH.search(price):
        said["price_basis"] = "per_month"
    if TAX.search(price):
        said["price_includes_tax"] = "false" if WITHOUT_TAX.search(price) else "true"
    bought = next((model for model, pattern in BOUGHT if pattern.search(price)), None)
    if bought:
        said["purchase_model"] = bought
    return {ours: value for ours, value in said.items() if ours not in guess.values()}


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
