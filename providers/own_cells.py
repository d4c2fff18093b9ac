"""Reads one cell of our own sheet by the kind of its column, and refuses what the column cannot hold."""

import difflib
import json
import re
from collections.abc import Callable
from typing import Any
from zoneinfo import available_timezones

from providers.cells import Shown, is_missing, read_boolean, read_date, read_integer, read_name, read_number, read_text
from providers.contract import Column
from providers.errors import CellError

FRACTIONS = frozenset({"monthly_interruption", "support_fraction"})
POSITIVE = frozenset({"accelerators_per_instance", "accelerators_per_node", "term_months", "price_hours_per_month"})


def read_own_cell(column: Column, cell: Any, decimal: str | None, currency: str | None) -> Any:
    """Return the value of a cell of our own sheet, None when nothing is stated; CellError when it cannot be read."""
    if column.kind == "decimal":
        if isinstance(cell, Shown) and "%" in cell.style and column.name not in FRACTIONS:
            raise CellError(f"{cell * 100:f} %", "not_a_number", "format the cell as a number: it is shown in percent")
        value = read_number(cell, decimal, currency if column.unit.startswith("currency") else None)
        return _in_range(column, value, cell)
    if column.kind == "integer":
        return _in_range(column, read_integer(cell, decimal), cell)
    if column.kind == "text":
        text = read_name(cell)
        if column.name == "time_zone" and text and text not in available_timezones():
            raise CellError(text, "not_a_time_zone", "write it as Europe/Berlin or UTC")
        return _choice(column, text) if column.choices and text else text
    return _READERS[column.kind](cell)


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
