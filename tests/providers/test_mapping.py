"""Any sheet: what the wizard shows, what a profile may say, and what it must not."""

import io
from datetime import date
from decimal import Decimal

import pytest
import xlsxwriter

from providers import ProviderError, read_quotes
from providers.mapping import decimal_sign, preview_sheet, read_profile, rows_as_written
from tests.providers.sample_files import SAMPLES

CONTENT = SAMPLES.joinpath("mapped", "angebot.csv").read_bytes()
PROFILE = {
    "columns": {"GPU": "accelerator", "Rate": "price"},
    "constants": {
        "provider": "Acme", "currency": "USD", "price_basis": "per_accelerator_hour", "purchase_model": "on_demand",
    },
}  # fmt: skip


def read(text, profile, **changes):
    given = {"file_name": "sheet.csv", "observed_on": date(2026, 11, 30), "source": "test", **changes}
    return read_quotes(text.encode(), profile=profile, **given)


def test_a_preview_finds_the_header_and_guesses_columns():
    preview = preview_sheet(CONTENT, "angebot.csv")

    assert preview.header_line == 3
    assert preview.guess == {
        "Modell": "accelerator", "Anzahl GPUs": "accelerators_per_instance", "Preis (Cent/GPU-h)": "price",
        "Kaufart": "purchase_model", "Laufzeit (Monate)": "term_months", "Gültig bis": "valid_until",
        "Standort": "region",
    }  # fmt: skip
    assert preview.unknown == ("Bemerkung",)
    assert preview.decimal == ","
    assert preview.samples[0][:2] == ("H100 SXM", "L40S")
    assert preview.rows == 5


def test_a_price_header_tells_currency_and_basis():
    preview = preview_sheet(b"Instance,GPU,Price (EUR per GPU hour)\na,H100,2.5\n", "sheet.csv")

    assert preview.constants == {"currency": "EUR", "price_basis": "per_accelerator_hour"}


@pytest.mark.parametrize(
    ("cells", "sign"),
    [(["2.99", "1.234"], "."), (["2,99", "1.234"], ","), (["1.234"], None), (["2.99", "2,99"], None), (["12"], None)],
)
def test_the_decimal_sign_is_told_only_by_a_cell_that_proves_it(cells, sign):
    assert decimal_sign(cells) == sign


def test_a_matched_sheet_is_read():
    sheet = read("GPU,Rate,Remark\n8x H100 SXM,2.50,x\n", PROFILE)

    assert sheet.format_key == "mapped"
    assert sheet.ready["price"].tolist() == [Decimal("2.50")]
    assert sheet.unknown_columns == ("Remark",)


def test_faults_name_the_supplier_s_own_column():
    sheet = read("GPU,Rate\nH100 SXM,cheap\n", PROFILE)

    assert [(fault.line, fault.column) for fault in sheet.faults] == [(2, "Rate")]


def test_cents_are_divided_with_the_step_written_down():
    quote = read("GPU,Rate\nH100 SXM,250\n", {**PROFILE, "divisor": 100}).ready.iloc[0]

    assert quote["price"] == Decimal("2.5")
    assert quote["derivation"]["steps"][0].startswith("/ 100")
    assert quote["derivation"]["raw"] == "250 USD"


def test_a_chosen_sheet_of_a_workbook_is_read():
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as workbook:
        for name, price in (("old", 9.0), ("new", 2.5)):
            sheet = workbook.add_worksheet(name)
            sheet.write_row(0, 0, ["GPU", "Rate"])
            sheet.write_row(1, 0, ["H100 SXM", price])
    given = {"file_name": "s.xlsx", "observed_on": date(2026, 11, 30), "source": "test"}

    sheet = read_quotes(out.getvalue(), profile={**PROFILE, "sheet": "new"}, **given)

    assert sheet.ready["price"].tolist() == [Decimal("2.5")]
    assert preview_sheet(out.getvalue(), "s.xlsx", "new").sheet == "new"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"columns": {"GPU": "accelerator"}}, "price"),
        ({"columns": {"GPU": "acelerator", "Rate": "price"}}, "acelerator"),
        ({"columns": {"GPU": "price", "Rate": "price"}}, "twice"),
        ({"constants": {}}, "purchase_model"),
        ({"decimal": ";"}, "decimal"),
        ({"date_order": "ydm"}, "date order"),
        ({"divisor": 0}, "divisor"),
        ({"colums": {}}, "colums"),
    ],
)
def test_a_wrong_profile_is_refused_with_everything_that_is_wrong(changes, words):
    with pytest.raises(ProviderError, match=words):
        read_profile({**PROFILE, **changes})


def test_a_sheet_without_the_matched_headers_is_refused():
    with pytest.raises(ProviderError, match="Rate"):
        read("GPU,Tariff\nH100 SXM,2\n", PROFILE)


def test_an_unmatched_sheet_asks():
    with pytest.raises(ProviderError, match="match"):
        read_quotes(CONTENT, file_name="a.csv", observed_on=date(2026, 11, 30), source="test", format_key="mapped")
    with pytest.raises(ProviderError, match="sheets"):
        preview_sheet(b'{"a": 1}', "a.json")


def test_a_narrow_sheet_with_decimal_commas_is_cut_at_its_semicolons():
    assert preview_sheet(b"GPU;Rate\nH100 SXM;2,50\n", "sheet.csv").headers == ("GPU", "Rate")


def test_rows_are_given_as_written_for_who_mends_their_cells():
    content = b"Offer of Acme\nGPU,Rate\nH100,2.50\nH200,cheap\n"

    assert rows_as_written(content, "sheet.csv", {4}) == {4: {"GPU": "H200", "Rate": "cheap"}}
    assert rows_as_written(content, "sheet.csv", {4}, corrections={(4, "Rate"): "3.10"}) == {
        4: {"GPU": "H200", "Rate": "3.10"}
    }
