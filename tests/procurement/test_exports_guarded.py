"""T56: no export of prices holds a live formula, figures stay figures, and what went out comes in unchanged."""

import csv
import io
from datetime import date

import openpyxl
import pytest
from django.urls import reverse

from procurement.models import Quote
from procurement.services.price_sheets import price_sheet_confirm
from providers.own_table import guarded
from tests.factories import actor
from tests.procurement.page_tools import signed_in
from tests.procurement.sheet_tools import receive_bytes, work

pytestmark = pytest.mark.django_db
PAYLOADS = (
    "=1+1", "=cmd|' /C calc'!A0", '=HYPERLINK("http://x.example","y")', "=IMPORTXML(A1)",
    "+1+1", "+49 30 1234567", "-12.5",
    "-12.5 net", "-2+3", "@SUM(A1)", "@x", "'=1", "''=1", "'", "=", "-", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201",
    "#REF", "# note", "%0A=1", '"=1"', "=1;=2", "a\n=1", "x\t=1", "DDE (\"cmd\";\"/C calc\")",
)  # fmt: skip
COLUMNS = (
    "id", "provider", "sku", "accelerator", "price", "price_basis", "currency", "purchase_model", "region", "licence",
    "quoted_on", "setup_fee",
)  # fmt: skip
FIRST = frozenset("=+-@\t\r\uff1d\uff0b\uff0d\uff20")


def written(price, price_of_bad=None):
    file = io.StringIO()
    lines = csv.writer(file)
    lines.writerow(COLUMNS)
    for number, text in enumerate(map(guarded, PAYLOADS)):
        lines.writerow([
            f"q-{number}", "Acme", text, "H100-SXM", price, "per_accelerator_hour", "USD", "on_demand", text, text,
            "2026-11-20", "12.5",
        ])  # fmt: skip
    if price_of_bad is not None:
        lines.writerow(["=bad", *["=1+1"] * 3, price_of_bad, *["@x"] * 5, "=2", "-12.5"])
    return file.getvalue().encode()


def imported(content, name, day):
    sheet = receive_bytes(content, name=name, day=day, is_draft=True)
    assert (sheet.state, sheet.rows_faulty, sheet.rows_held) == ("checked", 0, 0), sheet.message
    price_sheet_confirm(by=actor("analyst"), sheet=sheet, version=sheet.version)
    work()
    sheet.refresh_from_db()
    return sheet


def live(text):
    """Return the cells of a CSV that a spreadsheet program would run."""
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    return [cell for cell in cells if cell[:1] in FIRST and not cell.removeprefix("-").replace(".", "", 1).isdecimal()]


def fetched(name, *args):
    answer = signed_in("viewer").get(reverse(f"procurement:{name}", args=args))
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    return answer.content


def test_t56_every_export_of_prices_is_harmless_and_comes_in_unchanged():
    imported(written("2.50"), "first.csv", date(2026, 11, 20))
    imported(written("2.25"), "second.csv", date(2026, 11, 21))
    before = list(Quote.objects.order_by("pk").values_list("code", "sku", "region", "licence", "price", "setup_fee"))
    assert len(before) == 2 * len(PAYLOADS)
    assert {sku for _, sku, *_ in before} == set(PAYLOADS)

    as_text, as_book = fetched("quotes_export"), fetched("quotes_export_workbook")

    text = as_text.decode("utf-8-sig")
    assert live(text) == []
    assert ",12.5," in text
    page = openpyxl.load_workbook(io.BytesIO(as_book))["quotes"]
    assert {cell.data_type for row in page.iter_rows() for cell in row} <= {"s", "n", "b"}
    head = [cell.value for cell in page[2]]
    assert {row[head.index("price")].value for row in page.iter_rows(min_row=3)} == {2.25}
    for content, name in ((as_text, "again.csv"), (as_book, "again.xlsx")):
        sheet = imported(content, name, date(2026, 11, 22))
        assert (sheet.rows_new, sheet.rows_changed, sheet.rows_same) == (0, 0, len(PAYLOADS))
    now = Quote.objects.order_by("pk").values_list("code", "sku", "region", "licence", "price", "setup_fee")
    assert list(now) == before
    for quote in Quote.objects.filter(is_current=True):
        assert live(fetched("quote_prices_file", quote.pk).decode()) == []


def test_t56_what_is_wrong_with_a_file_is_downloaded_as_text_and_its_figures_as_figures():
    imported(written("2.50"), "first.csv", date(2026, 11, 20))
    sheet = receive_bytes(written("2.25", price_of_bad="-12.5"), name="next.csv", day=date(2026, 11, 21), is_draft=True)

    files = [
        fetched(name, sheet.pk).decode("utf-8-sig")
        for name in ("import_faults", "import_fault_list", "import_differences")
    ]

    assert [live(text) for text in files] == [[], [], []]
    (row,) = csv.DictReader(io.StringIO(files[0]))
    assert (row["id"], row["price"], row["setup_fee"]) == ("'=bad", "-12.5", "-12.5")
    assert len(list(csv.DictReader(io.StringIO(files[2])))) == 2 * len(PAYLOADS)  # the price, and the rate from it
