"""What a renderer returns, and how one cell reads as text."""

import datetime
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from reports.base import ADDRESS, Column, Row, Sheet
from reports.templatetags.badges import badge_of
from reports.templatetags.figures import (
    UNKNOWN,
    day_text,
    known,
    money_text,
    number_text,
    percent_text,
)

RATE_PLACES = 4
_FORMULA = re.compile(
    "[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
)  # the last four: the wide signs, which sheets take alike


@dataclass(frozen=True, slots=True)
class Rendered:
    """A file: its bytes, what they are and what to call it."""

    content: bytes
    content_type: str
    file_name: str


class Renderer(Protocol):
    """One format of the shelf."""

    key: str
    name: str
    content_type: str

    def render(self, sheet: Sheet) -> Rendered:
        """Return the report as a file."""


def file_name(sheet: Sheet, extension: str) -> str:
    """Return a name that says what, of which run and as of when."""
    return f"{sheet.key.replace('_', '-')}-run-{sheet.run_id}-{sheet.as_of.isoformat()}.{extension}"


def cell_text(column: Column, row: Row) -> str:
    """Return a cell as people read it; the unit stands in the column's head, the currency beside the amount."""
    value = row.get(column.key)
    if column.kind == "flag":
        return UNKNOWN if value is None else "yes" if value else "no"
    if not known(value):
        return UNKNOWN
    if column.kind == "money":
        return money_text(value, str(row.get("currency", "")))
    if column.kind == "rate":
        return f"{row.get('currency', '')} {number_text(value, RATE_PLACES)}"
    if column.kind == "number":
        return number_text(value)
    if column.kind == "percent":
        return percent_text(value)
    if column.kind == "day":
        return day_text(value)
    if column.kind == "status":
        return badge_of(str(value)).word
    return str(value)


def cell_data(value: Any) -> Any:
    """Return a cell as data: decimals as strings, dates in ISO, unknown as None."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value


def guarded(text: str) -> str:
    """Return text that no spreadsheet takes for a formula; figures are never passed through here."""
    return f"'{text}" if _FORMULA.match(text) else text


def data_keys(sheet: Sheet) -> list[str]:
    """Return the keys of a row as data, stable in order: codes first, then the columns, then the currency."""
    shown = [column.key for column in sheet.columns]
    hidden = sorted({key for row in sheet.rows for key in row} - set(shown) - {"currency", ADDRESS})
    has_money = any(column.kind in ("money", "rate") for column in sheet.columns)
    return [*hidden, *shown, *(["currency"] if has_money else [])]
