"""Workbooks of the kinds that T54 names, and what only calls itself one, each with what must become of it."""

import gzip
import io
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any

import xlsxwriter

from tests.providers.nasty_files import BAND, NAMES, PLAIN, USUAL, Nasty, refused, row


def workbook(make: Callable[[Any, Any], None] | None = None, rows: int = 1, **cells: Any) -> bytes:
    """Return a workbook with one usual row on line 2, written by a spreadsheet library, and what `make` does to it."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("prices")
        fill(sheet, rows=rows, **cells)
        if make is not None:
            make(book, sheet)
    return out.getvalue()


def fill(sheet: Any, rows: int = 1, **cells: Any) -> None:
    numbers = {"accelerators_per_instance": 8, "price": 2.1, "quantity_available": 64}
    for place, name in enumerate(NAMES):
        sheet.write_string(0, place, name)
        for number in range(1, rows + 1):
            value = {**USUAL, **numbers, "sku": "box" if number == 1 else f"box-{number}", **cells}[name]
            if value != "":
                sheet.write(number, place, value)


def changed(content: bytes, part: str, old: str, new: str) -> bytes:
    """Return a workbook with other words in one part."""
    parts = unzipped(content)
    assert old.encode() in parts[part]
    return zipped({**parts, part: parts[part].replace(old.encode(), new.encode())})


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def cell(name: str, value: Any, style: str = "", kind: str = "write") -> Callable[[Any, Any], None]:
    """Return what puts a value with a format into the usual row."""

    def put(book: Any, sheet: Any) -> None:
        form = book.add_format({"num_format": style}) if style else None
        getattr(sheet, kind)(1, NAMES.index(name), value, form)

    return put


def formula(name: str, written: str, value: Any = 0) -> Callable[[Any, Any], None]:
    return lambda _, sheet: sheet.write_formula(1, NAMES.index(name), written, None, value)


def another_sheet(book: Any, _: Any) -> None:
    fill(book.add_worksheet("second"), sku="other")


def hidden_sheet(book: Any, sheet: Any) -> None:
    another_sheet(book, sheet)
    book.worksheets()[1].activate()
    book.worksheets()[1].set_first_sheet()
    sheet.hide()


def merged(book: Any, sheet: Any) -> None:
    sheet.merge_range(1, NAMES.index("region"), 2, NAMES.index("region"), "eu-1")


SHEET = "xl/worksheets/sheet1.xml"
DAY = datetime(2027, 1, 31, 18, 30)  # noqa: DTZ001 - workbooks know no zone
WORKBOOKS = {
    "numbers": Nasty(workbook()),
    "a workbook named csv": Nasty(workbook(), name="prices.csv"),
    "text named xlsx": Nasty(PLAIN, name="prices.xlsx"),
    "with macros": Nasty(
        changed(workbook(), "[Content_Types].xml", "spreadsheetml.sheet.main", "sheet.macroEnabled.main"),
        name="prices.xlsm",
    ),
    "numbers stored as text": Nasty(workbook(price="2.10", quantity_available="64")),
    "an ambiguous number stored as text": Nasty(workbook(price="1.234"), (), faults=[(2, "price", "ambiguous_number")]),
    "a number with three decimals": Nasty(workbook(price=1.234), [row(price="1.234")]),
    "a number as floats are": Nasty(workbook(price=0.1 + 0.2), [row(price="0.3")]),
    "a very small number": Nasty(workbook(price=1e-20), (), held=BAND),
    "a very large number": Nasty(workbook(price=1e308), (), faults=[(2, "price", "not_a_number")]),
    "an id of 17 digits": Nasty(workbook(sku=12345678901234567), (), faults=[(2, "sku", "rounded_number")]),
    "an id of 17 digits as text": Nasty(
        workbook(cell("sku", "12345678901234567", kind="write_string")), [row("12345678901234567")]
    ),
    "leading zeros by format": Nasty(workbook(cell("sku", 42, "00000")), [row("00042")]),
    "leading zeros as text": Nasty(workbook(cell("sku", "00042", kind="write_string")), [row("00042")]),
    "words by format": Nasty(workbook(cell("sku", 42, '"BOX-"0000')), (), faults=[(2, "sku", "not_text")]),
    "a price in euro by format": Nasty(
        workbook(cell("price", 2.1, "[$€-407] #,##0.00")), (), faults=[(2, "price", "other_currency")]
    ),
    "a price in dollars by format": Nasty(workbook(cell("price", 2.1, '"$"#,##0.00'))),
    "a percent cell": Nasty(workbook(cell("region", 0.15, "0%")), (), faults=[(2, "region", "not_text")]),
    "a formula with its value": Nasty(workbook(formula("price", "=1.05*2", 2.1))),
    "a formula that was never computed": Nasty(
        workbook(formula("price", "=1.05*2")), (), faults=[(2, "price", "never_computed")]
    ),
    "a count that was never computed": Nasty(
        workbook(formula("quantity_available", "=8*8")), (), faults=[(2, "quantity_available", "never_computed")]
    ),
    "a formula without value": Nasty(
        changed(workbook(formula("region", '="eu-"&1', "x")), SHEET, "<v>x</v>", ""),
        (),
        faults=[(2, "region", "never_computed")],
    ),
    "a formula whose value is no text": Nasty(
        workbook(formula("licence", '=IF(1,"","x")', "")), (), faults=[(2, "licence", "never_computed")]
    ),
    "#N/A in a text": Nasty(
        workbook(formula("region", "=NA()", "#N/A")), (), faults=[(2, "region", "spreadsheet_error")]
    ),
    "#REF! in a count": Nasty(
        workbook(formula("quantity_available", "=#REF!", "#REF!")),
        (),
        faults=[(2, "quantity_available", "spreadsheet_error")],
    ),
    "#DIV/0! in the price": Nasty(
        workbook(formula("price", "=1/0", "#DIV/0!")), (), faults=[(2, "price", "spreadsheet_error")]
    ),
    "merged cells": Nasty(workbook(merged, rows=2), [row(price="2.1")], faults=[(3, "region", "merged_cell")]),
    "a hidden row": Nasty(
        workbook(lambda _, sheet: sheet.set_row(2, None, None, {"hidden": True}), rows=2),
        [row(), row("box-2")],
        note="rows 3 of the sheet prices are hidden",
    ),
    "a hidden column": Nasty(
        workbook(lambda _, sheet: sheet.set_column(4, 4, None, None, {"hidden": True})),
        note="columns of the sheet prices are hidden",
    ),
    "a hidden sheet first": Nasty(workbook(hidden_sheet), [row("other")], note="the sheet prices is hidden"),
    "two sheets of prices": Nasty(workbook(another_sheet), note="not read: second"),
    "a day with its time": Nasty(workbook(cell("valid_until", DAY, "yyyy-mm-dd hh:mm", "write_datetime"))),
    "a day as serial number": Nasty(workbook(valid_until=46356), (), faults=[(2, "valid_until", "not_a_date")]),
    "a name that became a day": Nasty(
        workbook(cell("sku", DAY, "d-mmm", "write_datetime")), (), faults=[(2, "sku", "not_text")]
    ),
    "a price that became a day": Nasty(
        workbook(cell("price", DAY, "d-mmm", "write_datetime")), (), faults=[(2, "price", "not_a_number")]
    ),
    "a name that became yes": Nasty(workbook(cell("sku", True)), (), faults=[(2, "sku", "not_text")]),
    "a price that became yes": Nasty(workbook(cell("price", True)), (), faults=[(2, "price", "not_a_number")]),
    "inline strings": Nasty(
        changed(
            workbook(sku=77),
            SHEET,
            '<c r="B2"><v>77</v></c>',
            '<c r="B2" t="inlineStr"><is><r><t>b</t></r><r><t>x</t></r></is></c>',
        ),
        [row("bx")],
    ),
    "a number that is none": Nasty(
        changed(workbook(), SHEET, "<v>2.1</v>", "<v>NaN</v>"), (), faults=[(2, "price", "not_a_number")]
    ),
    "a shared string that is not there": refused(
        changed(workbook(), SHEET, 't="s"><v>14<', 't="s"><v>999<'), "no readable XLSX"
    ),
    "a page behind a workbook": Nasty(workbook() + b"<html>" + b"x" * 99),
    "a page before a workbook": refused(b"<html>" + workbook(), "mixes encodings"),
    "an old workbook": refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "old XLS workbook", "prices.xls"),
    "a binary workbook": refused(
        zipped({"[Content_Types].xml": b"", "xl/workbook.bin": b""}), "binary XLSB", "prices.xlsb"
    ),
    "an open document": refused(zipped({"mimetype": b"", "content.xml": b"<x/>"}), "OpenDocument", "prices.ods"),
    "a letter": refused(zipped({"[Content_Types].xml": b"", "word/document.xml": b""}), "text document", "prices.docx"),
    "an archive of csv": refused(zipped({"prices.csv": PLAIN}), "archive but no workbook", "prices.zip"),
    "gzip": refused(gzip.compress(PLAIN), "gzip archive", "prices.csv.gz"),
    "a web page named xls": refused(
        b"\n<html><table><tr><td>provider</td></tr></table></html>", "web page or XML", "prices.xls"
    ),
    "a saved page named xls": refused(b"MIME-Version: 1.0\n\n<html>", "saved web page", "prices.xls"),
    "a PDF": refused(b"%PDF-1.7\n%\xe2\xe3", "a PDF", "prices.pdf"),
    "a 7z archive": refused(b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(40), "7z archive", "prices.csv"),
}
