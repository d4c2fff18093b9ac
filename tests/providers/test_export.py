"""What is exported is read back unchanged, and no cell of it is a live formula."""

import csv
import io
from datetime import date
from decimal import Decimal

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers import export_csv, export_workbook, read_quotes, template_csv, template_workbook
from providers.contract import QUOTES
from providers.own_table import guarded, unguarded
from providers.reading import quote_frame
from tests.providers.sample_files import RATES, every_input, read_sample

PAYLOADS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", '=HYPERLINK("http://x","y")', "+49 30 123456",
    "-12.5 net", "'=1", "''=1", "=A1", "@x", "-", "=", "'", "=\n1", "+", "normal",
]  # fmt: skip
COLUMNS = [name for name in QUOTES.names if name not in {"source_file", "source_line", "source_hash"}]


def quotes(**changes):
    row = {
        "id": "Q-1", "provider": "Acme", "sku": "a", "accelerator": "H100-SXM-80", "form_factor": "SXM",
        "vram_gb": Decimal(80), "accelerators_per_instance": Decimal(8), "price": Decimal("2.10"),
        "price_basis": "per_accelerator_hour", "currency": "USD", "purchase_model": "on_demand",
        "price_includes_tax": False, "payment_option": "none", "quoted_on": date(2026, 11, 20), "region": "eu-1",
        "source_file": "f", "source_line": 2, "source_hash": "h", "row_key": "k",
        "price_per_accelerator_hour": Decimal("2.10"), "derivation": {"raw": "2.10"},
    }  # fmt: skip
    return quote_frame([{**row, **changes}])


def again(content, name):
    sheet = read_quotes(content, file_name=name, observed_on=date(2026, 11, 30), source="test")
    assert not sheet.faults
    return sheet


@pytest.mark.parametrize(("export", "name"), [(export_csv, "q.csv"), (export_workbook, "q.xlsx")])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"price": Decimal("1.234")},
        {"price": Decimal("0.1"), "includes": ("compute", "storage")},
        {"includes": ("a; b", " c", "[d")},
        {"costs": ({"component": "support", "amount": "5", "currency": "USD"},)},
        {"sku": "00042"},
        {"sku": "1E5", "region": "NA"},
        {"sku": 'quote " and, comma'},
        {"sku": "line\nbreak"},
        {
            "upfront": Decimal("1234567.89"),
            "term_months": 12,
            "purchase_model": "reserved",
            "valid_until": date(2027, 1, 1),
        },
        {"price": Decimal("3.1415926535897932384626"), "price_includes_tax": True},
    ],
)
def test_an_export_is_read_back_unchanged(export, name, changes):
    before = quotes(**changes)

    after = again(export(before), name).ready

    assert after[COLUMNS].equals(before[COLUMNS])


@pytest.mark.parametrize("path", every_input(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_whatever_was_ready_survives_export_and_import(path):
    before = read_sample(path)
    if before.ready.empty:
        return

    after = read_quotes(
        export_csv(before.ready), file_name="q.csv", observed_on=before.observed_on, source="test", rates=RATES
    )

    assert not after.faults
    seen = dict(zip(after.ready["id"], after.ready["price"], strict=True))
    seen |= {held.quote["id"]: held.quote["price"] for held in after.held}
    assert seen == dict(zip(before.ready["id"], before.ready["price"], strict=True))


@given(st.text(max_size=30))
@settings(max_examples=200)
def test_guarding_a_text_can_be_undone(text):
    assert unguarded(guarded(text)) == text
    assert guarded(text)[:1] not in {"=", "+", "-", "@", "\t", "\r", "\n"} or not text


@pytest.mark.parametrize("sign", ["\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_the_wide_signs_that_sheets_take_for_narrow_ones_are_guarded(sign):
    assert guarded(f"{sign}1+1") == f"'{sign}1+1"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_payload_is_a_live_formula_and_none_is_changed(payload):
    frame = quotes(sku=payload.strip() or "x", licence=f"x{payload}")

    text = export_csv(frame).decode("utf-8-sig")
    book = openpyxl.load_workbook(io.BytesIO(export_workbook(frame)))

    for row in list(csv.reader(io.StringIO(text, newline="")))[2:]:
        assert not {cell[:1] for cell in row} & {"=", "+", "@", "\t", "\r", "-"}
    assert {cell.data_type for row in book["quotes"].iter_rows() for cell in row} <= {"s", "n", "b"}
    assert again(export_csv(frame), "q.csv").ready["sku"].tolist() == frame["sku"].tolist()
    assert again(export_workbook(frame), "q.xlsx").ready["sku"].tolist() == frame["sku"].tolist()


def test_numbers_stay_numbers():
    frame = quotes(price=Decimal("2.5"), setup_fee=Decimal("12.5"))
    book = openpyxl.load_workbook(io.BytesIO(export_workbook(frame)))["quotes"]
    header = [cell.value for cell in book[2]]

    assert book[3][header.index("price")].value == 2.5
    assert book[3][header.index("setup_fee")].value == 12.5
    assert b",2.5," in export_csv(frame)


@pytest.mark.parametrize(("template", "name"), [(template_csv, "t.csv"), (template_workbook, "t.xlsx")])
def test_a_template_is_our_own_and_holds_no_row(template, name):
    sheet = again(template(), name)

    assert sheet.counts["rows"] == 0
    assert sheet.format_key == f"own_{name.split('.')[1]}"


def test_a_template_notes_unit_and_choices_under_every_header():
    lines = template_csv().decode("utf-8-sig").splitlines()

    assert lines[1].split(",")[:2] == ["id", "provider"]
    assert "[currency]" in lines[2]
    assert "one of per_accelerator_hour" in lines[2]


def test_an_edited_export_keeps_its_identity():
    before = again(export_csv(quotes()), "q.csv").ready
    edited = export_csv(quotes(price=Decimal("2.40")))

    after = again(edited, "q.csv").ready

    assert after["id"].tolist() == before["id"].tolist()
    assert after["row_key"].tolist() == before["row_key"].tolist()
    assert after["price"].tolist() == [Decimal("2.40")]
