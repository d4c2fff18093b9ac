"""Quotes as the table that price files are read into and written from."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
from django.utils.text import slugify

from procurement.models import Quote
from providers import QUOTES


def quotes_table(quotes: Iterable[Quote]) -> pd.DataFrame:
    """Return the offers in the columns of a price file; what is not stated is ``None``."""
    rows = [_row(quote) for quote in quotes]
    columns = {name: pd.Series([row[name] for row in rows], dtype=object) for name in (*QUOTES.names, "ranges")}
    return pd.DataFrame(columns)


def _row(quote: Quote) -> dict[str, Any]:
    row = {column.name: _value(quote, column.name, column.kind) for column in QUOTES.columns}
    return {**row, "id": quote.code, "ranges": quote.ranges or None}


def _value(quote: Quote, name: str, kind: str) -> Any:
    value: Any = getattr(quote, name, None)
    if name == "provider":
        # the name as files spell it, so that the offer is known again; the code where it leads to another provider
        return value.name if slugify(value.name)[:60] == value.code else value.code
    if name == "cluster":
        return value.code if value is not None else None
    if kind in ("texts", "records"):
        return tuple(value or ())
    return None if value == "" else value
