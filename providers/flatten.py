"""A JSON answer as a table, so that the columns of any API can be matched like those of a sheet."""

from collections.abc import Iterator, Mapping
from typing import Any

from providers.document import Document, Grid, Record
from providers.errors import UnsafeFile

LEAST_OBJECTS = 1
MAX_COLUMNS = 200
MAX_NESTED = 4  # objects of a list inside an object that become columns of their own
MAX_DEPTH = 6
MAX_CELLS = 5_000_000  # objects times keys, as of a sheet


def tables_of(document: Document) -> tuple[Grid, ...]:
    """Return the grids of a table, or one grid per list of objects in a JSON file, the longest first.

    Keys inside objects are joined by points; the line of a row is the place of its object in the list.
    """
    if document.json is None:
        return document.grids
    found: dict[str, list[Mapping[str, Any]]] = {}
    for page in document.pages if _is_pages(document) else [document.json]:
        for path, objects in _lists(page, (), 0):
            found.setdefault(path, []).extend(objects)
    grids = [_grid(path, objects, document) for path, objects in found.items() if len(objects) >= LEAST_OBJECTS]
    return tuple(sorted(grids, key=lambda grid: -len(grid.records)))


def _is_pages(document: Document) -> bool:
    """Return whether a list holds answers that hold the lists, as several pages of one API do."""
    return isinstance(document.json, list) and all(
        isinstance(page, dict) and any(isinstance(value, list) for value in page.values()) and len(page) <= MAX_DEPTH
        for page in document.json
    )


def _lists(value: Any, path: tuple[str, ...], depth: int) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Return the lists of objects and the objects keyed by name that a value holds, not those inside their objects."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        objects: list[Mapping[str, Any]] = [entry for entry in value if isinstance(entry, dict)]
        if objects:
            yield ".".join(path) or "list", objects
    elif isinstance(value, dict):
        inner = list(value.values())
        if len(inner) > 1 and all(isinstance(entry, dict) for entry in inner):
            yield ".".join(path) or "objects", [{"key": key, **entry} for key, entry in value.items()]
            return
        for key, entry in value.items():
            yield from _lists(entry, (*path, str(key)), depth + 1)


def _grid(name: str, objects: list[Mapping[str, Any]], document: Document) -> Grid:
    rows = [dict(_cells(entry, "", 0)) for entry in objects]
    columns = list(dict.fromkeys(key for row in rows for key in row))[:MAX_COLUMNS]
    if len(rows) * len(columns) > MAX_CELLS:
        spans = f"{name} spans {len(rows):,} objects and {len(columns):,} keys"
        message = f"{document.file_name}: {spans}; at most {MAX_CELLS:,} cells are read"
        raise UnsafeFile(message)
    records = [Record(number, [row.get(key, "") for key in columns]) for number, row in enumerate(rows, start=1)]
    return Grid(name, [Record(0, list(columns)), *records], document.corrections)


def _cells(value: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, entry in value.items():
        name = f"{prefix}{key}"
        if isinstance(entry, dict) and depth < MAX_DEPTH:
            yield from _cells(entry, f"{name}.", depth + 1)
        elif isinstance(entry, list) and any(isinstance(part, dict) for part in entry):
            for place, part in enumerate(entry[:MAX_NESTED], start=1):
                if isinstance(part, dict) and depth < MAX_DEPTH:
                    yield from _cells(part, f"{name}.{place}.", depth + 1)
        elif isinstance(entry, list):
            yield name, "; ".join(str(part) for part in entry)
        else:
            yield name, "" if entry is None else entry
