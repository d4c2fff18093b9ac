"""Workbooks are parsed in a process of their own: what goes wrong in there is a refusal here, and no more."""

import datetime
import io
import time
import zipfile
from decimal import Decimal

import pytest
import xlsxwriter

from providers import workbooks
from providers.errors import UnreadableFile, UnsafeFile
from providers.workbooks import Sheet, read_workbook


def workbook(*rows):
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    sheet = book.add_worksheet("Prices")
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    for number, cells in enumerate(rows):
        for place, cell in enumerate(cells):
            if isinstance(cell, datetime.date):
                sheet.write_datetime(number, place, cell, day)
            else:
                sheet.write(number, place, cell)
    book.close()
    return file.getvalue()


def test_cells_come_through_the_other_process_unchanged():
    content = workbook(["H100 SXM", 2.5, 0.1, 8, True, "", datetime.date(2026, 11, 30), "007"])

    day = datetime.date(2026, 11, 30)
    cells = ["H100 SXM", Decimal("2.5"), Decimal("0.1"), Decimal("8"), True, "", day, "007"]
    assert read_workbook(content, "prices.xlsx") == [Sheet("Prices", is_hidden=False, rows=[(1, cells)])]


def test_a_workbook_that_needs_too_much_memory_is_refused_and_this_process_lives(monkeypatch):
    monkeypatch.setattr(workbooks, "PARSER_BYTES", 48 * 2**20)  # not enough for interpreter and half a million cells
    monkeypatch.setattr(workbooks, "PARSER_RATIO", 0)

    with pytest.raises(UnsafeFile, match="needs more than 48 MB"):
        read_workbook(workbook(*([number] * 50 for number in range(10_000))), "large.xlsx")


def test_a_workbook_that_takes_too_long_is_refused_in_that_time(monkeypatch, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(60)\n", encoding="utf-8")
    monkeypatch.setattr(workbooks, "PARSER", slow)
    monkeypatch.setattr(workbooks, "PARSER_WAIT", 0.5)
    began = time.monotonic()

    with pytest.raises(UnsafeFile, match=r"longer than 0\.5 s"):
        read_workbook(workbook(["x"]), "slow.xlsx")

    assert time.monotonic() - began < 5


def test_what_is_no_workbook_says_so():
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")

    with pytest.raises(UnreadableFile, match="no readable XLSX workbook"):
        read_workbook(empty.getvalue(), "broken.xlsx")
