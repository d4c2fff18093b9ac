"""Cells of a JSON price list: shown with their paths, and put back, corrected, before a format reads the list."""

import json
import re
from collections.abc import Mapping, MutableMapping, Set
from decimal import Decimal
from typing import Any

from providers.document import Document, open_document
from providers.flatten import KEY, Listed, cells_of, lists_of

PLAIN_JSON = re.compile(r"-?(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,20})?|true|false")


def main_objects(document: Document) -> list[Listed]:
    """Return the objects of the longest list of a JSON file, which are the rows of its table; none for a table."""
    if document.json is None:
        return []
    return max(lists_of(document).values(), key=len, default=[])


def mend(document: Document, corrections: Mapping[tuple[int, str], str]) -> None:
    """Put corrected cells into the objects of a JSON document, which is changed in place.

    A cell is named by the place of its object in the list and its path, as in the table of the list. Text stays text;
    in place of a number, or of nothing, a written number is one.
    """
    objects = main_objects(document)
    renamed: list[tuple[MutableMapping[str, Any], str, str]] = []
    for (line, path), text in corrections.items():
        listed = objects[line - 1]
        if path == KEY and listed.parent is not None:
            renamed.append((listed.parent, listed.key, text))
        elif not _put(listed.entry, path, text):
            _add(listed.entry, path, text)
    for parent, key, text in renamed:
        entries = [(text if name == key else name, entry) for name, entry in parent.items()]
        parent.clear()
        parent.update(entries)


def objects_as_written(
    content: bytes, file_name: str, lines: Set[int], *, rows: int, corrections: Mapping[tuple[int, str], str]
) -> dict[int, dict[str, str]]:
    """Return some objects of a JSON list by the paths of their cells, as written or corrected.

    Parameters
    ----------
    lines : set of int
        Places of the objects.
    rows : int
        Rows that the format counted: where it counts other things than the objects of the longest list, nothing is
        returned, since a place would mean another object.

    Returns
    -------
    dict
        Line to path to cell.
    """
    document = open_document(content, file_name)
    objects = main_objects(document)
    if len(objects) != rows:
        return {}
    mend(document, corrections)
    listed = [(line, objects[line - 1]) for line in sorted(lines) if line <= rows]
    return {line: {path: str(cell) for path, cell in cells_of(found.row)} for line, found in listed}


def _put(entry: MutableMapping[str, Any], path: str, text: str) -> bool:
    """Change the cell at a path that the object has; keys may hold points themselves."""
    if path in entry:
        entry[path] = _as_before(entry[path], text)
        return True
    for key in entry:
        if path.startswith(f"{key}.") and _put_inside(entry[key], path.removeprefix(f"{key}."), text):
            return True
    return False


def _put_inside(value: Any, path: str, text: str) -> bool:
    if isinstance(value, dict):
        return _put(value, path, text)
    place, _, rest = path.partition(".")
    if not isinstance(value, list) or not place.isdecimal() or not 1 <= int(place) <= len(value):
        return False
    part = value[int(place) - 1]
    return isinstance(part, dict) and _put(part, rest, text)


def _add(entry: MutableMapping[str, Any], path: str, text: str) -> None:
    """State what the object leaves out and others of its list state."""
    head, _, rest = path.partition(".")
    if rest and isinstance(entry.get(head), dict | None):
        entry[head] = entry.get(head) or {}
        _add(entry[head], rest, text)
    else:
        entry[path] = _as_before(None, text)


def _as_before(was: Any, text: str) -> Any:
    """Return a typed cell as the kind of value that stood there."""
    if isinstance(was, list):
        return [part.strip() for part in text.split(";") if part.strip()]
    if isinstance(was, str):
        return text
    if not text.strip():
        return None
    if PLAIN_JSON.fullmatch(text.strip()):
        return json.loads(text, parse_float=Decimal)
    return text
