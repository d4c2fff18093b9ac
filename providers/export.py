"""Writes quotes and the empty template as our own CSV and XLSX, which are read back unchanged."""

import csv
import io
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import pandas as pd
import xlsxwriter

from providers.cells import plain
from providers.contract import RANGED, Column
from providers.own_table import FORMAT_MARK, NOTE, WRITTEN, note_of, written_cell
from providers.ranges import ENDS, headers_of

FIRST_LINE = f"{NOTE} {FORMAT_MARK}; decimal=point"
SHEET_NAME = "quotes"
HEADER_WIDTH = 18  # characters


def export_csv(quotes: pd.DataFrame) -> bytes:
    """Return a quote table as CSV in UTF-8 with mark: text cells guarded against formulas, numbers with a point.

    Parameters
    ----------
    quotes : DataFrame
        With the columns of `contract.QUOTES`; further columns are left out, missing columns stay empty.
    """
    return _csv([FIRST_LINE], _headers(quotes), _rows(quotes))


def template_csv() -> bytes:
    """Return an empty sheet with a note of meaning and unit under every header."""
    notes = [note_of(column) for column in WRITTEN]
    return _csv([FIRST_LINE], [column.name for column in WRITTEN], [[f"{NOTE} {notes[0]}", *notes[1:]]])


def _csv(above: list[str], headers: list[str], rows: Iterable[list[Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(above)
    writer.writerow(headers)
    for row in rows:
        writer.writerow([_text(cell) for cell in row])
    return out.getvalue().encode("utf-8-sig")


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return plain(cell) if isinstance(cell, Decimal) else str(cell)


def _ranges(quotes: pd.DataFrame) -> list[Mapping[str, Mapping[str, Any]]]:
    return [found or {} for found in quotes["ranges"].tolist()] if "ranges" in quotes.columns else []


def _estimated(quotes: pd.DataFrame) -> list[str]:
    """Return the columns that some row estimates: only these have columns for their ends."""
    stated = {name for found in _ranges(quotes) for name in found}
    return [name for name in RANGED if name in stated]


def _headers(quotes: pd.DataFrame) -> list[str]:
    return [*(column.name for column in WRITTEN), *headers_of(_estimated(quotes))]


def _rows(quotes: pd.DataFrame) -> list[list[Any]]:
    columns = [_written(quotes, column) for column in WRITTEN]
    ranges = _ranges(quotes)
    for name in _estimated(quotes):
        for end in ENDS:
            ends = [found.get(name, {}).get(end) for found in ranges]
            columns.append([None if value is None else Decimal(str(value)) for value in ends])
    return [list(row) for row in zip(*columns, strict=True)]


def _written(quotes: pd.DataFrame, column: Column) -> list[Any]:
    if column.name not in quotes.columns:
        return [None] * len(quotes)
    return [written_cell(column, value) for value in quotes[column.name].tolist()]


def export_workbook(quotes: pd.DataFrame) -> bytes:
    """Return a quote table as an XLSX workbook: text is written as text, so that no cell is a formula.

    Numbers that a workbook's floating point cannot hold exactly are written as text with a point.
    """
    return _workbook(_headers(quotes), _rows(quotes))


def template_workbook() -> bytes:
    """Return an empty workbook with a comment of meaning and unit on every header."""
    return _workbook([column.name for column in WRITTEN], [])


def _workbook(headers: list[str], rows: list[list[Any]]) -> bytes:
    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(out, options) as workbook:
        sheet = workbook.add_worksheet(SHEET_NAME)
        bold = workbook.add_format({"bold": True})
        sheet.write_string(0, 0, FIRST_LINE)
        for place, name in enumerate(headers):
            sheet.write_string(1, place, name, bold)
        for place, column in enumerate(WRITTEN):
            sheet.write_comment(1, place, note_of(column))
        sheet.set_column(0, len(headers) - 1, HEADER_WIDTH)
        sheet.freeze_panes(2, 0)
        for line, row in enumerate(rows, start=2):
            for place, cell in enumerate(row):
                _write_cell(sheet, line, place, cell)
    return out.getvalue()


def _write_cell(sheet: Any, line: int, place: int, cell: Any) -> None:
    if cell is None:
        return
    if isinstance(cell, bool):
        sheet.write_boolean(line, place, cell)
    elif isinstance(cell, int) or (isinstance(cell, Decimal) and Decimal(repr(float(cell))) == cell):
        sheet.write_number(line, place, cell)
    else:
        sheet.write_string(line, place, plain(cell) if isinstance(cell, Decimal) else str(cell))
