"""The comparison of bids as CSV and XLSX: the same cells as the page; no text is ever a formula."""

import csv
import io
from datetime import date
from decimal import Decimal
from typing import Any

import xlsxwriter

from procurement.selectors.requests_comparison import Comparison, Matrix, Option
from providers.cells import plain
from providers.own_table import guarded

HEAD = ("item", "unit", "differs")
OPTIONS = {"in_memory": True, "strings_to_formulas": False, "strings_to_numbers": False, "strings_to_urls": False}
WIDTHS = (34, 24, 9)
OPTION_WIDTH = 30


def comparison_csv(comparison: Comparison) -> bytes:
    """Return both groups in one table, options as columns: UTF-8 with mark, points, CRLF, text guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for line in comparison_lines(comparison):
        writer.writerow([_text(cell) for cell in line])
    return out.getvalue().encode("utf-8-sig")


def comparison_workbook(comparison: Comparison) -> bytes:
    """Return the same table as a workbook: numbers as numbers, days as days, text as text."""
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, OPTIONS)
    book.set_properties({"title": f"{comparison.request.code} comparison", "author": "Compute decisions"})
    page = book.add_worksheet("comparison")
    head = book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    text = book.add_format({"text_wrap": True, "valign": "top"})
    day = book.add_format({"num_format": "yyyy-mm-dd", "valign": "top", "align": "left"})
    lines = comparison_lines(comparison)
    for place, line in enumerate(lines):
        for column, cell in enumerate(line):
            if cell in (None, ""):
                continue
            if isinstance(cell, date):
                page.write_datetime(place, column, cell, day)
            elif isinstance(cell, Decimal | int) and not isinstance(cell, bool):
                page.write_number(place, column, float(cell), text)
            else:
                page.write_string(place, column, _plain_text(cell), head if place == 0 or column == 0 else text)
    for column, width in enumerate(WIDTHS):
        page.set_column(column, column, width)
    page.set_column(len(WIDTHS), max(len(WIDTHS), len(lines[0]) - 1), OPTION_WIDTH)
    page.freeze_panes(1, 1)
    page.set_landscape()
    page.fit_to_pages(1, 0)
    book.close()
    return buffer.getvalue()


def comparison_lines(comparison: Comparison) -> list[list[Any]]:
    """Return the table: head, standing, derivation, then one line an item; comparable options first."""
    options = (*comparison.compared.options, *comparison.apart.options)
    lines: list[list[Any]] = [
        [*HEAD, *(option.name for option in options)],
        ["standing", "", "", *("apart" if option.reasons else "compared" for option in options)],
        ["reasons", "", "", *("; ".join(option.reasons) for option in options)],
        ["state", "", "", *(option.bid.get_state_display() for option in options)],
        ["currency", "", "", *(option.terms.currency for option in options)],
        ["derivation of the price", "", "", *(_derivation(option) for option in options)],
        ["exchange rate", "", "", *(option.fx_words for option in options)],
    ]
    both = zip(comparison.compared.rows, comparison.apart.rows, strict=True)
    for compared, apart in both:
        unit = f"{comparison.currency} {compared.unit}".strip() if compared.key == "base_rate" else compared.unit
        differs = "yes" if _differs(comparison.compared, compared.differs) else ""
        lines.append([compared.words, unit, differs, *(cell.value for cell in (*compared.cells, *apart.cells))])
    return lines


def _derivation(option: Option) -> str:
    if option.rate is None:
        return option.why_no_rate
    return " ".join([*option.steps, f"= {plain(option.rate)} {option.terms.currency} per accelerator-hour"])


def _differs(matrix: Matrix, differs: bool) -> bool:
    return differs and len(matrix.options) > 1


def _text(cell: Any) -> str:
    if isinstance(cell, Decimal):
        return plain(cell)
    return guarded(_plain_text(cell)) if isinstance(cell, str) else _plain_text(cell)


def _plain_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return cell.isoformat() if isinstance(cell, date) else str(cell)
