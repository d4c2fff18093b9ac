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


@pytest.mark.parametrize(
    ("header", "row", "guess", "constants"),
    [
        (
            "GPU Model,GPU Count,VRAM (GB),vCPUs,Instance price per hour,Price per GPU-hour",
            "NVIDIA HGX H100,8,80,128,$49.24,$6.16",
            {
                "GPU Model": "accelerator", "GPU Count": "accelerators_per_instance", "VRAM (GB)": "vram_gb",
                "Instance price per hour": "price",
            },
            {"price_basis": "per_instance_hour"},
        ),
        (
            "GPU,On-demand price per GPU-hour,Reserved", "H200 NVLink,$3.50,from $2.30",
            {"GPU": "accelerator", "On-demand price per GPU-hour": "price"},
            {"price_basis": "per_accelerator_hour", "purchase_model": "on_demand"},
        ),
        (
            "Plan,GPU,Monthly price (€ excl. VAT),Hourly price (€ excl. VAT)", "h100-380,1 x H100,2043.99,2.80",
            {"Plan": "sku", "GPU": "accelerator", "Hourly price (€ excl. VAT)": "price"},
            {"currency": "EUR", "price_basis": "per_instance_hour", "price_includes_tax": "false"},
        ),
        (
            "Instanz,GPU,Preis pro Monat (EUR inkl. MwSt.)", "n3.14d.g1,NVIDIA H100,2095.20",
            {"Instanz": "sku", "GPU": "accelerator", "Preis pro Monat (EUR inkl. MwSt.)": "price"},
            {"currency": "EUR", "price_basis": "per_month", "price_includes_tax": "true"},
        ),
    ],
    ids=["CoreWeave page", "Nebius page", "OVH page", "STACKIT page"],
)  # fmt: skip
def test_the_pages_of_sellers_are_guessed_and_tax_is_told(header, row, guess, constants):
    preview = preview_sheet(f"{header}\n{row}\n".encode(), "page.csv")

    assert preview.guess == guess
    assert preview.constants == constants


def test_a_page_of_node_prices_is_divided_and_contact_sales_is_no_price():
    constants = PROFILE["constants"] | {"price_basis": "per_instance_hour"}
    text = "GPU,Rate\n8x HGX H100,$49.24\nGB300 NVL72,Contact sales\n8x HGX B200,—\n"

    sheet = read(text, PROFILE | {"constants": constants})

    assert sheet.ready[["accelerator", "price_per_accelerator_hour"]].to_numpy().tolist() == [
        ["H100-SXM-80", Decimal("6.155")]
    ]
    assert [held.codes for held in sheet.held] == [("price_missing",), ("price_missing",)]


def test_a_price_per_month_needs_the_hours_of_the_sellers_month():
    constants = PROFILE["constants"] | {"price_basis": "per_month"}
    asked = read("GPU,Rate\n1x L4,730\n", PROFILE | {"constants": constants})
    assert [held.codes for held in asked.held] == [("month_hours_missing",)]

    for hours, rate in (("730", "1"), ("672", "1.0863095238"), ("720", "1.0138888889"), ("744", "0.9811827957")):
        told = PROFILE | {"constants": constants | {"price_hours_per_month": hours}}
        assert read("GPU,Rate\n1x L4,730\n", told).ready["price_per_accelerator_hour"].tolist() == [Decimal(rate)]


ANSWER = """{"data": {"total": 2, "flavors": [
 {"name": "gpu.h100.8", "pricing": {"hourly_cents": 2200}, "gpu": {"model": "H100 SXM", "count": 8}, "zones": ["a"]},
 {"name": "cpu.small", "pricing": {"hourly_cents": 4}, "gpu": {"count": 0}, "zones": ["a", "b"]}]}}"""


def test_the_json_of_any_vendor_is_matched_like_a_sheet():
    preview = preview_sheet(ANSWER.encode(), "flavors.json")
    assert preview.sheet == "data.flavors"
    assert preview.headers == ("name", "pricing.hourly_cents", "gpu.model", "gpu.count", "zones")
    assert preview.guess == {"name": "sku", "gpu.model": "accelerator", "gpu.count": "accelerators_per_instance"}

    profile = {
        "columns": {
            "name": "sku", "pricing.hourly_cents": "price", "gpu.model": "accelerator",
            "gpu.count": "accelerators_per_instance",
        },
        "constants": PROFILE["constants"] | {"price_basis": "per_instance_hour"}, "divisor": "100",
    }  # fmt: skip
    sheet = read(ANSWER, profile, file_name="flavors.json")

    assert sheet.ready["price_per_accelerator_hour"].tolist() == [Decimal("2.75")]  # 2200 / 100 / 8
    assert [(row.line, row.code) for row in sheet.ignored] == [(2, "no_accelerator")]


def test_objects_keyed_by_name_and_several_pages_are_tables_too():
    keyed = preview_sheet(b'{"servers": {"a": {"price": 1}, "b": {"price": 2}}}', "x.json")
    pages = preview_sheet(b'[{"rows": [{"gpu": "H100", "price": 1}]}, {"rows": [{"gpu": "L4", "price": 2}]}]', "x.json")

    assert (keyed.headers, keyed.rows) == (("key", "price"), 2)
    assert (pages.sheet, pages.rows) == ("rows", 2)


def test_a_cell_of_matched_json_is_mended_like_one_of_a_sheet():
    answer = '[{"gpu": "H100 SXM", "rate": "cheap"}, {"gpu": "L4", "rate": "1"}]'
    profile = PROFILE | {"columns": {"gpu": "accelerator", "rate": "price"}}
    wrong = read(answer, profile, file_name="x.json")
    assert [(fault.line, fault.column, fault.rule) for fault in wrong.faults] == [(1, "rate", "not_a_number")]

    mended = read(answer, profile, file_name="x.json", corrections={(1, "rate"): "2.5"})

    assert mended.ready["price"].tolist() == [Decimal("2.5"), Decimal(1)]
    assert rows_as_written(answer.encode(), "x.json", {1}) == {1: {"gpu": "H100 SXM", "rate": "cheap"}}
