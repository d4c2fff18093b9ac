"""The formats that are read, in the order they are shown, and which one a document has."""

from providers.base import Format
from providers.document import Document
from providers.errors import AmbiguousFormat, UnknownFormat
from providers.formats.gpuhunt import GPUHUNT
from providers.formats.own_csv import OWN_CSV
from providers.formats.skypilot import SKYPILOT

FORMATS: tuple[Format, ...] = (OWN_CSV, SKYPILOT, GPUHUNT)


def get_format(key: str) -> Format:
    """Return the format of a key; UnknownFormat with the keys there are when there is none."""
    for entry in FORMATS:
        if entry.key == key:
            return entry
    message = f"there is no price format {key!r}; the formats are {', '.join(entry.key for entry in FORMATS)}"
    raise UnknownFormat(message)


def detect_format(document: Document) -> Format:
    """Return the one format that recognises a document.

    Raises
    ------
    UnknownFormat
        When none does.
    AmbiguousFormat
        When more than one does; the person chooses.
    """
    found = [entry for entry in FORMATS if entry.recognises(document)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = [entry.key for entry in found]
        message = f"{document.file_name} fits {' and '.join(keys)}; name one of them"
        raise AmbiguousFormat(message, keys)
    shown = " | ".join(str(cell) for cell in _first_cells(document))
    message = (
        f"{document.file_name} has the shape of no known price list (it begins {shown[:120]!r}); name a format, match "
        "its columns, or use the template of our own CSV"
    )
    raise UnknownFormat(message)


def _first_cells(document: Document) -> list[str]:
    if document.grids:
        records = [record for grid in document.grids for record in grid.records[:1]]
        return [str(cell) for record in records for cell in record.cells[:8]]
    if isinstance(document.json, dict):
        return list(document.json)[:8]
    first = document.json[0] if isinstance(document.json, list) and document.json else None
    return list(first)[:8] if isinstance(first, dict) else []
