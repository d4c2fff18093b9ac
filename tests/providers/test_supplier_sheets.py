"""Sheets as suppliers send them: what is guessed of their columns, and what each row becomes by that guess."""

import io

import pytest
import xlsxwriter

from providers import ProviderError, preview_sheet
from providers.headers import column_meant
from providers.mapping import read_profile
from providers.wording import bought_by, way_of_buying
from tests.providers.hand_made import d, held, left_out, rates, read_text
from tests.providers.sample_files import RATES


def read(text, name="sheet.csv", **changes):
    """Read a sheet by its guess, with what a person would add to it."""
    content = text if isinstance(text, bytes) else text.encode()
    preview = preview_sheet(content, name)
    said = {"provider": "Acme", "currency": "USD", "purchase_model": "on_demand"}
    constants = {ours: value for ours, value in said.items() if ours not in preview.guess.values()}
    profile = {
        "columns": preview.guess, "constants": constants | preview.constants | changes.pop("constants", {}),
        "divisor": preview.divisor, "further": preview.further, "date_order": "dmy", **changes.pop("profile", {}),
    }  # fmt: skip
    given = {"decimal": preview.decimal, "rates": RATES, **changes}
    return read_text(content, name, profile=profile, **given)


def workbook(*rows, name="Prices", **before):
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        for title, lines in (*before.items(), (name, rows)):
            sheet = book.add_worksheet(title)
            for line, cells in enumerate(lines):
                sheet.write_row(line, 0, cells)
    return out.getvalue()


GERMAN = """Angebot Nr. 4711, alle Preise in EUR zzgl. MwSt.

Artikel;GPU-Modell;Anzahl GPUs;VRAM;Standort;Preis pro GPU-Stunde
A-1;NVIDIA H100 SXM5;8;80 GB;Frankfurt;2,49 €
A-2;NVIDIA L40S;4;48 GB;Frankfurt;0,99 €
Summe;;;;;3,48 €
* Angebot freibleibend
"""


def test_a_german_offer_is_read_without_its_sum_and_its_note():
    preview = preview_sheet(GERMAN.encode(), "angebot.csv")
    assert preview.constants == {"currency": "EUR", "price_basis": "per_accelerator_hour"}

    sheet = read(GERMAN)

    assert rates(sheet, "accelerator", "vram_gb", "currency")[0] == ("H100-SXM-80", d("80"), "EUR", d("2.49"))
    assert left_out(sheet) == [(6, "total_row"), (7, "note_row")]


@pytest.mark.parametrize(
    ("header", "basis", "more"),
    [
        ("€/GPU/hr", "per_accelerator_hour", {"currency": "EUR"}),
        ("US$/GPU/hr", "per_accelerator_hour", {"currency": "USD"}),
        ("S$ per GPU-hour", "per_accelerator_hour", {"currency": "SGD"}),
        ("price_eur_gpu_hour", "per_accelerator_hour", {"currency": "EUR"}),
        ("USD per node-month", "per_month", {"currency": "USD"}),
        ("Monthly price (730h)", "per_month", {"price_hours_per_month": "730"}),
        ("Preis/Monat je Server (720 Std.)", "per_month", {"price_hours_per_month": "720"}),
        ("Price per 8-GPU node per hour", "per_instance_hour", {}),
        ("Prix horaire par GPU (€ HT)", "per_accelerator_hour", {"currency": "EUR", "price_includes_tax": "false"}),
        ("GPU-Stundenpreis (inkl. MwSt.)", "per_accelerator_hour", {"price_includes_tax": "true"}),
        ("1-year reserved ($/GPU/hr)", "per_accelerator_hour", {"purchase_model": "reserved", "term_months": "12"}),
        ("36 Monate reserviert, EUR/GPU-h", "per_accelerator_hour", {"currency": "EUR", "term_months": "36"}),
        ("Spot price ($/hr per instance)", "per_instance_hour", {"purchase_model": "spot"}),
    ],
)  # fmt: skip
def test_the_header_of_a_price_says_its_unit(header, basis, more):
    preview = preview_sheet(f"SKU;GPU;{header}\na;1x L4;1.5\n".encode(), "sheet.csv")

    assert preview.guess == {"SKU": "sku", "GPU": "accelerator", header: "price"}
    assert preview.constants["price_basis"] == basis
    assert more.items() <= preview.constants.items()


@pytest.mark.parametrize(
    ("rows", "basis"),
    [
        ("H100 SXM,8,19.92\nH100 SXM,1,2.49", "per_instance_hour"),  # grows with the count
        ("H100 SXM,8,2.39\nH100 SXM,1,2.49", "per_accelerator_hour"),  # stays
        ("H100 SXM,8,19.92\nL4,1,0.6", None),  # nothing tells
        ("8x H100 SXM,,19.92\n1x H100 SXM,,2.49", "per_instance_hour"),  # the names count
        ("8x H100 SXM,,19.92\nL4,,0.6", None),
    ],
)
def test_where_the_header_does_not_say_of_what_an_hour_is_the_prices_may(rows, basis):
    preview = preview_sheet(f"GPU,Count,Hourly price\n{rows}\n".encode(), "sheet.csv")

    assert preview.constants.get("price_basis") == basis


def test_a_price_per_gpu_and_month_is_not_divided_by_the_gpus_of_a_node():
    text = "GPU,GPUs per node,USD per GPU per month (730h)\nH100 SXM,8,1752\n"

    sheet = read(text)
    assert rates(sheet, "accelerators_per_node", "price_basis") == [(8, "per_month", d("2.4"))]

    wrong = {
        "GPU": "accelerator",
        "GPUs per node": "accelerators_per_instance",
        "USD per GPU per month (730h)": "price",
    }
    constants = {"accelerators_per_instance": None}
    profile = {"columns": wrong, "constants": {
        "provider": "Acme", "currency": "USD", "purchase_model": "on_demand", "price_basis": "per_month",
        "price_hours_per_month": "730",
    }}  # fmt: skip
    assert held(read(text, constants=constants, profile=profile)) == [(2, "basis_not_proven")]


@pytest.mark.parametrize(
    ("header", "constants"),
    [
        ("Price per month", {"price_basis": "per_instance_hour"}),
        ("Price per hour", {"price_basis": "per_month", "price_hours_per_month": "730"}),
        ("Price per node-hour", {"price_basis": "per_accelerator_hour"}),
        ("Price (cents per GPU hour)", {"price_basis": "per_accelerator_hour"}),
    ],
)
def test_a_header_that_says_another_unit_than_was_matched_holds_its_rows(header, constants):
    profile = {"divisor": "1"}

    assert held(read(f"GPU,{header}\n1x L4,120\n", constants=constants, profile=profile))[0][1] == "basis_not_proven"


def test_units_of_a_column_are_read_and_unknown_ones_wait_for_a_mapping():
    text = (
        "Product,GPU,Qty,Price,Unit,Commitment\n"
        "a,H100 SXM,8,19.92,node/hour,On-Demand\n"
        "b,H100 SXM,1,2.10,GPU-hour,Reserved 12 months\n"
        "c,L40S,1,9.5,10 hours,PAYG\n"
        "d,L40S,1,300,per fortnight,PAYG\n"
    )

    sheet = read(text)
    assert rates(sheet, "sku", "purchase_model", "term_months") == [
        ("a", "on_demand", None, d("2.49")), ("b", "reserved", 12, d("2.1")), ("c", "on_demand", None, d("0.95")),
    ]  # fmt: skip
    assert held(sheet) == [(5, "unknown_unit")]

    mapped = read(text, aliases={"unit:per fortnight": "336 hours"})
    assert rates(mapped, "sku")[-1] == ("d", d("0.8928571429"))  # 300 / 336


def test_a_bare_hour_beside_a_number_of_gpus_asks_whose_it_is():
    text = "GPU,GPUs,Price,Unit\nH100 SXM,8,19.92,hour\n"

    assert held(read(text)) == [(2, "unknown_unit")]
    told = read(text, aliases={"unit:hour": "per_instance_hour"})
    assert rates(told, "accelerator") == [("H100-SXM-80", d("2.49"))]


def test_a_price_cell_may_repeat_its_unit_and_may_not_contradict_it():
    text = "GPU Model,VRAM,Price\nNVIDIA H100 SXM,80GB,$2.49/GPU/hr\nNVIDIA H200 SXM,141GB,$3.29/GPU/hr\n"
    assert [rate for *_, rate in rates(read(text))] == [d("2.49"), d("3.29")]

    sheet = read(text, constants={"price_basis": "per_month"})
    assert {(fault.column, fault.rule) for fault in sheet.faults} == {("Price", "other_unit")}


def test_two_rows_of_headers_are_one_and_equal_names_are_told_apart():
    content = workbook(
        ["Acme GPU Cloud"], [],
        ["GPU", "VRAM (GB)", "On-demand", "", "Reserved 12 months", ""],
        ["", "", "per GPU/h", "per node/h", "per GPU/h", "per node/h"],
        ["H100 SXM", 80, 2.99, 23.92, 2.49, 19.92], ["Total", "", 2.99, 23.92, "", ""],
        Terms=[["All prices exclude VAT"]],
    )  # fmt: skip
    preview = preview_sheet(content, "offer.xlsx")
    assert preview.sheet == "Prices"
    assert preview.headers[2:4] == ("On-demand per GPU/h", "On-demand per node/h")
    assert rates(read(content, "offer.xlsx"), "price_basis") == [("per_accelerator_hour", d("2.99"))]

    reserved = {"GPU": "accelerator", "Reserved 12 months per GPU/h": "price"}
    profile = {"columns": reserved, "constants": {
        "provider": "Acme", "currency": "USD", "price_basis": "per_accelerator_hour", "purchase_model": "reserved",
        "term_months": "12",
    }}  # fmt: skip
    assert rates(read(content, "offer.xlsx", profile=profile)) == [(d("2.49"),)]

    twins = workbook(["GPU", "USD/GPU/hr", "USD/GPU/hr"], ["L4", 0.6, 0.5])
    second = {"GPU": "accelerator", "USD/GPU/hr (2)": "price"}
    assert rates(read(twins, "twins.xlsx", profile={"columns": second})) == [(d("0.5"),)]


def test_a_row_whose_cells_moved_is_no_price():
    sheet = read("GPU,Price per GPU hour,Region\nH100 SXM,2,50,US\nL4,0.5,US\n")

    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(2, "ragged_row")]
    assert rates(sheet, "accelerator") == [("L4", d("0.5"))]


def test_another_table_below_is_not_read_under_the_first_header():
    text = "GPU,Count,Price per hour (USD)\nL4,1,0.6\n\nGPU,Count,Price per month (USD)\nL4,1,180\n"

    sheet = read(text)

    assert [rate for *_, rate in rates(sheet)] == [d("0.6")]
    assert {fault.line for fault in sheet.faults} == {4, 5}


def test_a_table_in_markdown_is_read():
    sheet = read("| GPU | VRAM | Price per GPU hour |\n|---|---|---|\n| H100 SXM | 80GB | $2.49 |\n")

    assert rates(sheet, "accelerator") == [("H100-SXM-80", d("2.49"))]


def test_sizes_without_a_product_name_are_offers_of_their_own():
    sheet = read("gpu,count,price (cents per hour)\nH100 SXM,8,1992\nH100 SXM,1,299\n")

    assert rates(sheet, "sku") == [("8x H100 SXM", d("2.49")), ("1x H100 SXM", d("2.99"))]


def test_a_count_that_contradicts_the_name_and_a_term_on_demand_are_held():
    quantity = read("GPU,Qty,Price per node hour\n8x H100 SXM,4,19.92\n")
    term = read("GPU,Term,Price per GPU hour\nH100 SXM,12 months,2.49\n")

    assert held(quantity) == [(2, "count_conflict")]
    assert held(term) == [(2, "purchase_model_conflict")]


def test_columns_of_words_are_not_taken_for_quantities():
    text = "Model,Availability,Type,Lead time,RAM,Memory,Price (USD/GPU-h)\nA100,In stock,Metal,4 weeks,512,80,1.5\n"
    preview = preview_sheet(text.encode(), "sheet.csv")

    assert preview.guess == {
        "Model": "accelerator", "Lead time": "lead_time_days", "Memory": "vram_gb", "Price (USD/GPU-h)": "price",
    }  # fmt: skip
    assert rates(read(text), "accelerator", "lead_time_days") == [("A100-80", 28, d("1.5"))]


@pytest.mark.parametrize(
    ("words", "bought"),
    [
        ("PAYG", ("on_demand", None)), ("On-Demand", ("on_demand", None)), ("Reserviert (12 Monate)", ("reserved", 12)),
        ("1 year commitment", ("reserved", 12)), ("36 mo", ("reserved", 36)), ("preemptible", ("spot", None)),
        ("Bare metal", None),
    ],
)  # fmt: skip
def test_words_of_buying_are_a_model_and_perhaps_a_term(words, bought):
    assert way_of_buying(words) == bought


@pytest.mark.parametrize("header", ["Notes", "vCPUs", "Storage (TB)", "Price per GB-month", "CO2 per GPU hour"])
def test_what_is_no_column_of_ours_stays_unmatched(header):
    assert column_meant(header) is None


def test_a_list_in_json_whose_names_count_is_not_taken_for_prices_of_one():
    content = b"""[{"GPU": "1x Nvidia A100 (40GB)", "hourly-price": "4.10", "VRAM": "40", "provider": "acme"},
     {"GPU": "2x Nvidia A100 (40GB)", "hourly-price": "8.20", "VRAM": "80", "provider": "acme"},
     {"GPU": "GH200", "hourly-price": "Enquire for pricing", "VRAM": 144, "provider": "acme"}]"""

    sheet = read(content, "prices.json", profile={"date_order": "ymd"})

    assert rates(sheet, "accelerator", "price_basis") == [("A100-40", "per_instance_hour", d("4.1"))]
    assert held(sheet) == [(2, "memory_differs"), (3, "price_missing")]  # 80 GB is no 40 GB of the name


WIDE = """GPU,Memory,On-demand ($/GPU/hr),1 year reserved ($/GPU/hr),36 months ($/GPU/hr),Spot ($/GPU/hr),Setup fee
1x H100 SXM,80 GB,2.99,2.49,1.99,1.49,
1x L4,24 GB,0.60,,0.35,,
1x L40S,48 GB,1.10,n/a,on request,0.50,
"""


def test_further_prices_of_a_row_are_offers_bought_as_their_headers_say():
    preview = preview_sheet(WIDE.encode(), "wide.csv")
    assert preview.further == ("1 year reserved ($/GPU/hr)", "36 months ($/GPU/hr)", "Spot ($/GPU/hr)")
    assert preview.unknown == ("Setup fee",)

    sheet = read(WIDE)

    assert rates(sheet, "accelerator", "purchase_model", "term_months") == [
        ("H100-SXM-80", "on_demand", None, d("2.99")), ("L4", "on_demand", None, d("0.60")),
        ("L40S", "on_demand", None, d("1.10")), ("H100-SXM-80", "reserved", 12, d("2.49")),
        ("H100-SXM-80", "reserved", 36, d("1.99")), ("L4", "reserved", 36, d("0.35")),
        ("H100-SXM-80", "spot", None, d("1.49")), ("L40S", "spot", None, d("0.50")),
    ]  # fmt: skip
    assert not sheet.faults


def test_a_further_price_in_another_unit_or_bought_in_no_known_way_is_not_proposed():
    header = "GPU,On-demand ($/GPU/hr),1 year reserved ($/month),Partner price ($/GPU/hr)"

    preview = preview_sheet(f"{header}\n1x L4,0.60,250,0.55\n".encode(), "wide.csv")

    assert preview.further == ()


def test_a_further_price_whose_header_does_not_say_how_it_is_bought_is_refused():
    with pytest.raises(ProviderError, match="'Partner price' does not say how it is bought"):
        read_profile({"columns": {"GPU": "accelerator", "Price": "price"}, "further": ["Partner price"]})


@pytest.mark.parametrize(
    ("header", "bought"),
    [
        ("1-3 years", (None, None)), ("Reserved, 1 or 3 years", ("reserved", None)), ("3-year", ("reserved", 36)),
        ("12-36 mo reserved", ("reserved", None)), ("On-demand (min. 1 month)", ("on_demand", None)),
    ],
)  # fmt: skip
def test_a_header_of_several_terms_names_none(header, bought):
    assert bought_by(header) == bought


def test_a_price_whose_header_names_another_currency_than_its_row_is_held():
    sheet = read("GPU,Price (EUR/GPU/hr),Currency\n1x L4,0.60,EUR\n1x A10,0.70,USD\n")

    assert rates(sheet, "accelerator", "currency") == [("L4", "EUR", d("0.60"))]
    assert held(sheet) == [(3, "basis_not_proven")]


def test_a_further_price_is_in_the_currency_of_its_own_header():
    sheet = read("GPU,On-demand (USD/GPU/hr),Spot (EUR/GPU/hr)\n1x L4,0.60,0.30\n")

    assert rates(sheet, "purchase_model", "currency") == [
        ("on_demand", "USD", d("0.60")), ("spot", "EUR", d("0.30")),
    ]  # fmt: skip
