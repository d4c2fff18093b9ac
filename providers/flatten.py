"""A JSON answer as a table, so that the columns of any API can be matched like those of a sheet."""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple

from providers.document import Document, Grid, Record
from providers.errors import UnsafeFile

MAX_COLUMNS = 200
MAX_NESTED = 4  # objects of a list inside an object that become columns of their own
MAX_DEPTH = 6
MAX_CELLS = 5_000_000  # objects times keys, as of a sheet
KEY = "key"  # column of the name under which an object stands, where objects are keyed by name


class Listed(NamedTuple):
    """One object of a list; where it is keyed by name instead, the object that holds it and its key."""

    entry: MutableMapping[str, Any]
    parent: MutableMapping[str, Any] | None = None
    key: str = ""

    @property
    def row(self) -> Mapping[str, Any]:
        """The object with the name under which it stands."""
        return self.entry if self.parent is None else {KEY: self.key, **self.entry}


def tables_of(document: Document) -> tuple[Grid, ...]:
    """Return the grids of a table, or one grid per list of objects in a JSON file, the longest first.

    Keys inside objects are joined by points; the line of a row is the place of its object in the list.
    """
    if document.json is None:
        return document.grids
    grids = [_grid(path, objects, document) for path, objects in lists_of(document).items()]
    return tuple(sorted(grids, key=lambda grid: -len(grid.records)))


def lists_of(document: Document) -> dict[str, list[Listed]]:
    """Return the lists of objects in a JSON file by their path, those of several pages in one."""
    found: dict[str, list[Listed]] = {}
    for page in document.pages if _is_pages(document) else [document.json]:
        for path, objects in _lists(page, (), 0):
            found.setdefault(path, []).extend(objects)
    return found


def _is_pages(document: Document) -> bool:
    """Return whether a list holds answers that hold the lists, as several pages of one API do."""
    return isinstance(document.json, list) and all(
        isinstance(page, dict) and any(isinstance(value, list) for value in page.values()) and len(page) <= MAX_DEPTH
        for page in document.json
    )


def _lists(value: Any, path: tuple[str, ...], depth: int) -> Iterator[tuple[str, list[Listed]]]:
    """Return the lists of objects and the objects keyed by name that a value holds, not those inside their objects."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        objects = [Listed(entry) for entry in value if isinstance(entry, dict)]
        if objects:
            yield ".".join(path) or "list", objects
    elif isinstance(value, dict):
        inner = list(value.values())
        if len(inner) > 1 and all(isinstance(entry, dict) for entry in inner):
            yield ".".join(path) or "objects", [Listed(entry, value, key) for key, entry in value.items()]
            return
        for key, entry in value.items():
            yield from _lists(entry, (*path, str(key)), depth + 1)


def _grid(name: str, objects: list[Listed], document: Document) -> Grid:
    rows = [dict(cells_of(listed.row)) for listed in objects]
    columns = list(dict.fromkeys(key for row in rows for key in row))[:MAX_COLUMNS]
    if len(rows) * len(columns) > MAX_CELLS:
        spans = f"{name} spans {len(rows):,} objects and {len(columns):,} keys"
        message = f"{document.file_name}: {spans}; at most {MAX_CELLS:,} cells are read"
        raise UnsafeFile(message)
    records = [Record(number, [row.get(key, "") for key in columns]) for number, row in enumerate(rows, start=1)]
    return Grid(name, [Record(0, list(columns)), *records], document.corrections)


def cells_of(value: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Return the cells of an object, each with its path: keys inside objects are joined by points."""
    for key, entry in value.items():
        name = f"{prefix}{key}"
        if isinstance(entry, dict) and depth < MAX_DEPTH:
            yield from cells_of(entry, f"{name}.", depth + 1)
        elif isinstance(entry, list) and any(isinstance(part, dict) for part in entry):
            for place, part in enumerate(entry[:MAX_NESTED], start=1):
                if isinstance(part, dict) and depth < MAX_DEPTH:
                    yield from cells_of(part, f"{name}.{place}.", depth + 1)
        elif isinstance(entry, list):
            yield name, "; ".join(str(part) for part in entry)
        else:
            yield name, "" if entry is None else entry
