"""Small files made by hand, read through the one door as a service would read them."""

import json
from datetime import date
from decimal import Decimal

from providers import QuoteSheet, read_quotes


def read_text(text: str | bytes, file_name: str, **changes: object) -> QuoteSheet:
    content = text if isinstance(text, bytes) else text.encode()
    return read_quotes(
        content, **{"file_name": file_name, "observed_on": date(2026, 11, 30), "source": "hand made", **changes}
    )


def read_json(value: object, file_name: str = "page.json", **changes: object) -> QuoteSheet:
    return read_text(json.dumps(value), file_name, **changes)


def rates(sheet: QuoteSheet, *columns: str) -> list[tuple[object, ...]]:
    """Return the named columns of the ready rows with their rate, in the order of the file."""
    names = [*columns, "price_per_accelerator_hour"]
    return [tuple(row) for row in sheet.ready[names].itertuples(index=False)]


def held(sheet: QuoteSheet) -> list[tuple[object, ...]]:
    return [(row.line, *row.codes) for row in sheet.held]


def left_out(sheet: QuoteSheet) -> list[tuple[int, str]]:
    return [(row.line, row.code) for row in sheet.ignored]


def d(text: str) -> Decimal:
    return Decimal(text)
