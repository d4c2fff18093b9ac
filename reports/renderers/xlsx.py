"""XLSX: numbers as numbers, dates as dates, text never as a formula, the run on its own sheet."""

import io
from collections.abc import Sequence
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from reports.base import Column, Kind, Row, Sheet
from reports.renderers.base import Rendered, cell_text, file_name
from reports.templatetags.figures import known

NUMBER_FORMATS: dict[Kind, str] = {
    "money": "#,##0.00;[Red]-#,##0.00", "rate": "#,##0.0000", "number": "#,##0.####", "percent": "0.0%",
    "day": "yyyy-mm-dd",
}  # fmt: skip
WIDTHS: dict[Kind, int] = {"money": 17, "rate": 13, "number": 11, "percent": 10, "day": 12, "flag": 11, "status": 18}
OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
    "remove_timezone": True,
}


class Formats:
    """The cell formats of one workbook."""

    def __init__(self, book: Workbook) -> None:
        self.head = book.add_format(
            {"bold": True, "bg_color": "#EDF0F5", "bottom": 1, "text_wrap": True, "valign": "top"}
        )
        self.head_right = book.add_format(
            {"bold": True, "bg_color": "#EDF0F5", "bottom": 1, "text_wrap": True, "valign": "top", "align": "right"}
        )
        self.text = book.add_format({"text_wrap": True, "valign": "top"})
        self.strong = book.add_format({"bold": True, "valign": "top"})
        self.title = book.add_format({"bold": True, "font_size": 14})
        self.by_kind: dict[Kind, Format] = {
            kind: book.add_format({"num_format": pattern, "valign": "top"}) for kind, pattern in NUMBER_FORMATS.items()
        }
        self.total: Format = book.add_format({"num_format": NUMBER_FORMATS["money"], "bold": True, "top": 1})

    def of(self, kind: Kind) -> Format:
        """Return the format of a kind of column."""
        return self.by_kind.get(kind, self.text)


def new_workbook(title: str, comment: str) -> tuple[io.BytesIO, Workbook, Formats]:
    """Return an empty workbook that keeps text as text, its buffer and its formats."""
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, OPTIONS)
    book.set_properties({"title": title, "comments": comment, "author": "Compute decisions"})
    return buffer, book, Formats(book)


def write_cell(page: Worksheet, at: tuple[int, int], value: Any, kind: Kind, formats: Formats) -> None:
    """Write one value as what it is: number, date or text; unknown stays empty."""
    line, place = at
    if not known(value):
        page.write_blank(line, place, None, formats.of(kind))
    elif kind == "day":
        page.write_datetime(line, place, value, formats.of(kind))
    elif kind in NUMBER_FORMATS:
        page.write_number(line, place, float(value), formats.of(kind))
    elif kind == "flag":
        page.write_string(line, place, "yes" if value else "no", formats.text)
    else:
        page.write_string(line, place, str(value), formats.text)


def column_head(column: Column, currency: str) -> str:
    """Return a column's head with its unit; amounts name the currency here and stand without it in the cells."""
    unit = column.unit
    if column.kind in ("money", "rate"):
        unit = f"{currency} {unit}".strip()
    return f"{column.name}, {unit}" if unit else column.name


def write_table(
    page: Worksheet, columns: Sequence[Column], rows: Sequence[Row], formats: Formats, currency: str
) -> None:
    """Write a table with a head that stays, filters and print settings."""
    for place, column in enumerate(columns):
        head = formats.head_right if column.is_numeric else formats.head
        page.write_string(0, place, column_head(column, currency), head)
        longest = max((len(cell_text(column, row)) for row in rows), default=0)
        page.set_column(place, place, WIDTHS.get(column.kind, min(max(14, longest + 2), 52)))
        for line, row in enumerate(rows, start=1):
            value = cell_text(column, row) if column.kind == "status" else row.get(column.key)
            write_cell(page, (line, place), value, column.kind, formats)
    page.freeze_panes(1, 1)
    if rows:
        page.autofilter(0, 0, len(rows), len(columns) - 1)
    page.set_landscape()
    page.set_paper(9)
    page.fit_to_pages(1, 0)
    page.repeat_rows(0)


def write_source(book: Workbook, facts: Sequence[tuple[str, str]], formats: Formats) -> None:
    """Write the sheet that says where every figure comes from."""
    page = book.add_worksheet("About")
    page.set_column(0, 0, 24)
    page.set_column(1, 1, 90)
    for line, (name, value) in enumerate(facts):
        page.write_string(line, 0, name, formats.strong)
        page.write_string(line, 1, value, formats.text)


class XlsxRenderer:
    """One sheet with the table, one that says which run it comes from."""

    key = "xlsx"
    name = "XLSX"
    content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    def render(self, sheet: Sheet) -> Rendered:
        """Return the report as a workbook."""
        buffer, book, formats = new_workbook(sheet.title, f"run {sheet.run_id}, inputs {sheet.run_digest}")
        currencies = {str(row.get("currency")) for row in sheet.rows if row.get("currency")}
        columns = list(sheet.columns)
        if len(currencies) > 1:
            columns.append(Column("currency", "Currency"))
        currency = currencies.pop() if len(currencies) == 1 else ""
        write_table(book.add_worksheet(sheet.title[:31]), columns, sheet.rows, formats, currency)
        write_source(
            book,
            [
                ("Report", sheet.title), ("What it shows", sheet.description), ("Run", str(sheet.run_id)),
                ("As of", sheet.as_of.isoformat()), ("Inputs digest", sheet.run_digest),
                ("Engine version", sheet.engine_version), ("Rows", str(len(sheet.rows))),
                ("Empty cells", "unknown; an unknown amount is never shown as 0"),
                ("Amounts", "excluding tax; nominal unless the column says present cost"),
            ],
            formats,
        )  # fmt: skip
        book.close()
        return Rendered(buffer.getvalue(), self.content_type, file_name(sheet, "xlsx"))


RENDERER = XlsxRenderer()
