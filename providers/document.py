"""One price file, decoded once: its tables or its JSON, for formats to recognise and to parse."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from providers.cells import read_text
from providers.decoding import check_rows, check_size, decode_text, find_delimiter, read_rows
from providers.encodings import note_of
from providers.errors import Fault
from providers.json_text import read_json
from providers.workbooks import is_workbook, read_workbook

HEADER_ROWS = 40  # rows among which a header is looked for: preambles, notes and titles stand above it
JSON_STARTS = ("{", "[")


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a table by header name."""

    line: int
    cells: list[Any]


@dataclass(frozen=True)
class Grid:
    """The rows of one sheet or text file; `name` is the sheet's name, empty for text.

    `is_trimmed` says that rows end with their last filled cell, as those of a workbook do.
    """

    name: str
    records: list[Record]
    corrections: Mapping[tuple[int, str], str] = field(default_factory=dict)
    is_trimmed: bool = False

    def table(self, needed: Iterable[str]) -> "TableRows | None":
        """Return the table below the first row that holds all needed names, in any case; None without one."""
        wanted = {name.casefold() for name in needed}
        for position, record in enumerate(self.records[:HEADER_ROWS]):
            names = [str(cell).strip() for cell in record.cells]
            if wanted <= {name.casefold() for name in names}:
                return self.below(position)
        return None

    def below(self, position: int, names: tuple[str, ...] | None = None) -> "TableRows":
        """Return the table whose header stands at a place, or is given by its names, with the corrected cells in it."""
        header = self.records[position]
        if names is None:
            names = tuple(str(cell).strip() for cell in header.cells)
        rows = self.records[position + 1 :]
        if self.is_trimmed:
            rows = [_filled_up(record, len(names)) for record in rows]
        if self.corrections:
            rows = [_corrected(record, names, self.corrections) for record in rows]
        return TableRows(names, header.line, rows, self.records[:position], self.is_trimmed)


def _filled_up(record: Record, width: int) -> Record:
    missing = width - len(record.cells)
    return Record(record.line, [*record.cells, *[""] * missing]) if missing > 0 else record


def _corrected(record: Record, names: tuple[str, ...], corrections: Mapping[tuple[int, str], str]) -> Record:
    cells = [*record.cells, *[""] * (len(names) - len(record.cells))]
    found = {place: corrections.get((record.line, name)) for place, name in enumerate(names)}
    changed = {place: value for place, value in found.items() if value is not None}
    if not changed:
        return record
    return Record(record.line, [changed.get(place, cell) for place, cell in enumerate(cells)])


@dataclass(frozen=True)
class TableRows:
    """A header and the rows below it."""

    header: tuple[str, ...]
    line: int
    records: list[Record]
    above: list[Record]
    is_trimmed: bool = False

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Place of each header name, in lower case; of a repeated name the first."""
        return {name.casefold(): place for place, name in reversed(list(enumerate(self.header)))}

    def place(self, name: str) -> int | None:
        """Return the place of a column, in any case; None when the table has none of that name."""
        return self.positions.get(name.casefold())

    def even(self, record: Record) -> bool:
        """Return whether a row has as many cells as the header: one more may have moved all cells behind it."""
        return len(record.cells) == len(self.header)

    def repeats(self, record: Record, name: str) -> bool:
        """Return whether a row is a header again: a word among the numbers of a column, most headers beside it."""
        place = self.place(name)
        if place is None or place >= len(record.cells) or not str(record.cells[place])[:1].isalpha():
            return False
        found = {str(cell).strip().casefold() for cell in record.cells}
        names = {header.casefold() for header in self.header if header}
        return len(names & found) * 2 > len(names)

    def is_same(self, record: Record) -> bool:
        """Return whether a header that stands again has its names at the same places."""
        return [str(cell).strip().casefold() for cell in record.cells] == [name.casefold() for name in self.header]

    def getter(self, name: str) -> "Getter":
        """Return a reader of one column that gives None where the table has no such column or the row is short."""
        return Getter(self.place(name))

    def raw(self, record: Record) -> "RawRow":
        """Return a row as written, by header name; cells beyond the header are numbered."""
        return RawRow(self.header, record.cells)


class RawRow(Mapping[str, str]):
    """A row as written, put together only when somebody looks at it: most rows are never shown."""

    __slots__ = ("_cells", "_header")

    def __init__(self, header: tuple[str, ...], cells: list[Any]) -> None:
        self._header = header
        self._cells = cells

    def _shown(self) -> dict[str, str]:
        names = [*self._header, *("" for _ in range(len(self._header), len(self._cells)))]
        pairs = zip(names, self._cells, strict=False)  # a short row is shown as far as it goes
        return {name or f"cell {place}": str(cell) for place, (name, cell) in enumerate(pairs, start=1)}

    def __getitem__(self, name: str) -> str:
        return self._shown()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown())

    def __len__(self) -> int:
        return len(self._cells)


@dataclass(frozen=True, slots=True)
class Getter:
    """Reads one column of a record."""

    place: int | None

    def __call__(self, record: Record) -> Any:
        """Return the cell as written, None when there is none."""
        if self.place is None or self.place >= len(record.cells):
            return None
        return record.cells[self.place]

    def text(self, record: Record) -> str:
        """Return the cell as text without blanks around it, empty when there is none."""
        cell = self(record)
        return _cleaned(cell) if type(cell) is str else read_text(cell) or ""


@lru_cache(maxsize=4_096)
def _cleaned(cell: str) -> str:
    """Return a text cell without blanks around it: a catalog repeats most of its texts."""
    return read_text(cell) or ""


@dataclass(frozen=True)
class Document:
    """A decoded file: `grids` of a table or workbook, or `json`, never both; `notes` are for the person."""

    file_name: str
    content_hash: str
    encoding: str
    grids: tuple[Grid, ...] = ()
    json: Any = None
    is_workbook: bool = False
    corrections: Mapping[tuple[int, str], str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = field(default=())
    notes: tuple[str, ...] = ()

    def table(self, *needed: str) -> TableRows | None:
        """Return the first table of any sheet whose header holds all needed names."""
        for grid in self.grids:
            found = grid.table(needed)
            if found is not None:
                return found
        return None

    def objects(self, *path: str) -> Iterator[dict[str, Any]]:
        """Return the objects of a JSON list under a path of keys, of all pages where the file holds a list of pages."""
        for page in self.pages if path else [self.json]:
            value: Any = page
            for key in path:
                value = value.get(key) if isinstance(value, dict) else None
            if isinstance(value, list):
                yield from (entry for entry in value if isinstance(entry, dict))

    @property
    def pages(self) -> list[Any]:
        """The answers of an API that the file holds: one, or a list of them."""
        return self.json if isinstance(self.json, list) else [self.json]


def unread(document: Document, needed: Iterable[str], read: TableRows) -> list[str]:
    """Return a note of the sheets of a workbook that hold the same headers as the one that was read."""
    found = [(grid.name, grid.table(tuple(needed))) for grid in document.grids if document.is_workbook]
    names = [name for name, table in found if table is not None and table.records and table.records != read.records]
    return [f"not read: {', '.join(names)}, which has the same headers; send it as a file of its own"] if names else []


def open_document(content: bytes, file_name: str, corrections: Mapping[tuple[int, str], str] | None = None) -> Document:
    """Decode a file by its content, not by its name.

    Parameters
    ----------
    content : bytes
        The file as received; its hash is that of these bytes, whatever is corrected.
    file_name : str
        Named in refusals.
    corrections : mapping, optional
        Line and header of a table's cell to what a person put there instead.

    Raises
    ------
    UnreadableFile, UnsafeFile
        When it is no text, JSON or workbook within the limits.
    """
    check_size(content, file_name)
    digest = hashlib.sha256(content).hexdigest()
    if is_workbook(content):
        sheets = read_workbook(content, file_name)
        grids = tuple(
            Grid(sheet.name, [Record(*row) for row in sheet.rows], corrections or {}, is_trimmed=True)
            for sheet in sheets
        )
        notes = tuple(note for sheet in sheets for note in sheet.notes)
        return Document(file_name, digest, "xlsx", grids, is_workbook=True, notes=notes)
    decoded = decode_text(content, file_name)
    notes = note_of(decoded.text, decoded.encoding)
    if decoded.text.lstrip().startswith(JSON_STARTS):
        found = read_json(decoded.text, file_name)
        return Document(file_name, digest, decoded.encoding, json=found, corrections=corrections or {}, notes=notes)
    check_rows(decoded.text, file_name)
    rows, faults = read_rows(decoded.text, find_delimiter(decoded.text))
    grid = Grid("", [Record(row.line, row.cells) for row in rows], corrections or {})
    return Document(file_name, digest, decoded.encoding, (grid,), faults=tuple(faults), notes=notes)
