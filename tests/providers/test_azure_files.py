"""Azure's public list and the sheets of agreements: what stands beside a machine's price and is another price."""

import csv
import io

import pytest

from providers.azure_names import machine_sku
from providers.knowledge import find_sku
from tests.providers.hand_made import d, held, left_out, rates, read_json, read_text

ITEM = {
    "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": 3.673, "unitPrice": 3.673,
    "armRegionName": "eastus", "location": "US East", "effectiveStartDate": "2023-03-01T00:00:00Z",
    "meterName": "NC24ads A100 v4", "productName": "Virtual Machines NCads A100 v4 Series",
    "skuName": "NC24ads A100 v4", "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "type": "Consumption",
    "isPrimaryMeterRegion": True, "armSkuName": "Standard_NC24ads_A100_v4",
}  # fmt: skip
SHEET = {
    "Meter name": "NC24ads A100 v4", "Meter category": "Virtual Machines", "Meter sub-category": "NCads A100 v4 Series",
    "Meter region": "US East", "Unit of measure": "10 Hours", "Unit price": "36.73", "Currency code": "USD",
    "Offer Id": "MS-AZR-0017P", "Term": "", "Price type": "Consumption",
}  # fmt: skip
CUSTOMER = {
    "billingCurrency": "EUR", "currency": "USD", "effectiveEndDate": "2026-11-30T23:59:59Z",
    "effectiveStartDate": "2026-11-01T00:00:00Z", "meterCategory": "Virtual Machines", "meterName": "NC24ads A100 v4",
    "meterRegion": "EU West", "meterSubCategory": "NCads A100 v4 Series", "priceType": "Consumption",
    "productOrderName": "Azure plan", "term": "", "tierMinimumUnits": "0", "unitOfMeasure": "1 Hour",
    "unitPrice": "3.5",
}  # fmt: skip


def _items(*changes):
    return read_json({"BillingCurrency": "USD", "Items": [ITEM | change for change in changes], "NextPageLink": None})


def _table(row, *changes):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(row))
    writer.writeheader()
    writer.writerows(row | change for change in changes)
    return out.getvalue()


def test_the_retail_price_of_a_reservation_is_the_total_of_one_three_or_five_years():
    terms = [("1 Year", 20_000), ("3 Years", 40_000), ("5 Years", 60_000)]
    sheet = _items(*({"type": "Reservation", "reservationTerm": t, "retailPrice": p, "unitPrice": p} for t, p in terms))

    assert rates(sheet, "term_months", "price_basis") == [
        (12, "term_total", d("2.2831050228")),  # 20,000 / 8,760
        (36, "term_total", d("1.5220700152")),  # 40,000 / 26,280
        (60, "term_total", d("1.3698630137")),  # 60,000 / 43,800
    ]


def test_savings_plans_of_an_item_are_prices_per_hour_and_those_of_dev_test_wait():
    plans = [{"unitPrice": 2.5, "retailPrice": 2.5, "term": "1 Year"}, {"unitPrice": 2, "term": "3 Years"}]
    sheet = _items({"savingsPlan": plans}, {"savingsPlan": plans, "type": "DevTestConsumption"})

    assert rates(sheet, "purchase_model", "term_months") == [
        ("on_demand", None, d("3.673")), ("savings_plan", 12, d("2.5")), ("savings_plan", 36, d("2")),
    ]  # fmt: skip
    assert held(sheet) == [(2, "dev_test_price")] * 3


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"serviceName": "Azure Machine Learning"}, "other_service"),
        ({"serviceName": "Azure Databricks", "armSkuName": ""}, "other_service"),
        ({"productName": "NCads A100 v4 Series Cloud Services"}, "other_service"),
        ({"productName": "NCads A100 v4 Series Dedicated Host"}, "other_service"),
        ({"serviceName": "Virtual Machines Licenses"}, "other_service"),
        ({"isPrimaryMeterRegion": False}, "secondary_meter"),
        ({"meterName": "NC24ads A100 v4 - Expired"}, "expired_meter"),
        ({"armSkuName": "Standard_D2_v3", "skuName": "D2 v3"}, "no_accelerator"),
    ],
)
def test_an_item_that_is_no_price_of_a_machine_in_use_is_left_out(change, code):
    assert left_out(_items(change)) == [(1, code)]


def test_a_size_without_its_class_and_one_told_by_its_meter_are_the_same_offer():
    sheet = _items({"armSkuName": "NC24ads_A100_v4"}, {"armSkuName": ""}, {})

    assert sheet.ready["sku"].tolist() == ["Standard_NC24ads_A100_v4"]
    assert [row.line for row in sheet.duplicates] == [2, 3]


@pytest.mark.parametrize(
    ("change", "system"),
    [
        ({"productName": "Virtual Machines NCads A100 v4 Series Windows"}, "windows"),
        ({"productName": "Virtual Machines NCads A100 v4 Srs Win"}, "windows"),
        ({"skuName": "NC24ads A100 v4 Windows"}, "windows"),
        ({"productName": "Virtual Machines NCads A100 v4 Series Linux"}, "linux"),
    ],
)
def test_windows_is_told_by_any_of_the_names(change, system):
    assert rates(_items(change), "os") == [(system, d("3.673"))]


def test_an_item_that_names_no_product_may_be_windows():
    sheet = _items({"productName": ""})

    assert sheet.ready[["os", "flags"]].to_numpy().tolist() == [[None, ("system_not_stated",)]]
    assert held(_items({"productName": ""}, {"productName": "", "retailPrice": 4.777, "unitPrice": 4.777})) == [
        (1, "conflicting_price"),
        (2, "conflicting_price"),
    ]


def test_a_term_makes_a_reservation_of_an_item_without_type():
    sheet = _items({"type": None, "reservationTerm": "1 Year", "retailPrice": 20_000, "unitPrice": 20_000})

    assert rates(sheet, "purchase_model") == [("reserved", d("2.2831050228"))]


@pytest.mark.parametrize(
    ("written", "sku", "accelerator", "count"),
    [
        ("ND96isrH200v5", "Standard_ND96isr_H200_v5", "H200-SXM-141", "8"),
        ("NC4asT4v3 Spot", "Standard_NC4as_T4_v3", "T4", "1"),
        ("ND128isrNDRGB200v6", "Standard_ND128isr_NDR_GB200_v6", "GB200-NVL72", "4"),
        ("NCC40adsH100v5 Low Priority", "Standard_NCC40ads_H100_v5", "H100-NVL-94", "1"),
        ("NV12s v3/NV12s v3 Promo", "Standard_NV12s_v3", "M60", "1"),
        ("NC24ads_A100_v4", "Standard_NC24ads_A100_v4", "A100-PCIe-80", "1"),
        ("ND96isrB200v6", "Standard_ND96isr_B200_v6", None, None),  # no size of the table: held
        ("NX8s v1", "Standard_NX8s_v1", None, None),
    ],
)
def test_a_meter_name_is_a_size_however_its_parts_are_joined(written, sku, accelerator, count):
    known = find_sku("azure", sku)

    assert machine_sku(written) == sku
    assert (known.accelerator, known.accelerators) == (accelerator, d(count) if count else None)


@pytest.mark.parametrize("written", ["D2 v3", "NP10s", "NAT Gateway", "P30 Disks", "M64s"])
def test_a_meter_of_a_machine_without_accelerator_is_none(written):
    assert find_sku("azure", machine_sku(written)).has_none


def test_the_currency_of_an_item_counts_before_that_of_its_page():
    sheet = read_json({"BillingCurrency": "EUR", "Items": [ITEM], "NextPageLink": None})

    assert sheet.ready[["currency", "flags"]].to_numpy().tolist() == [["USD", ("page_in_other_currency",)]]


def test_the_list_as_a_table_is_read_like_its_json():
    rows = ({}, {"isPrimaryMeterRegion": "False"}, {"savingsPlan": '[{"retailPrice": 2.5, "term": "1 Year"}]'})
    text = _table({**ITEM, "savingsPlan": ""}, *rows)
    sheet = read_text(text + "only,three,cells\n", "prices.csv")

    assert sheet.format_key == "azure_retail"
    assert rates(sheet, "source_line", "purchase_model") == [
        (2, "on_demand", d("3.673")), (4, "savings_plan", d("2.5")),
    ]  # fmt: skip
    assert left_out(sheet) == [(3, "secondary_meter"), (5, "no_accelerator")]
    assert [row.line for row in sheet.duplicates] == [4]


def test_a_ragged_row_of_the_list_waits():
    lines = _table(ITEM, {}, {}).splitlines()
    sheet = read_text("\n".join([*lines[:2], lines[2] + ",moved"]), "prices.csv")

    assert held(sheet) == [(3, "ragged_row")]


@pytest.mark.parametrize("category", ["Azure Machine Learning", "Azure Databricks", "Cloud Services"])
def test_a_meter_of_another_service_that_is_named_like_a_machine_is_left_out(category):
    assert left_out(read_text(_table(SHEET, {"Meter category": category}), "ea.csv")) == [(2, "other_service")]


def test_a_meter_category_that_nobody_knows_waits():
    text = _table(SHEET, {"Meter category": "Komputery"}, {"Meter category": "Virtuelle Computer"})

    assert held(read_text(text, "ea.csv")) == [(2, "unknown_service")]


@pytest.mark.parametrize(
    ("row", "change", "code"),
    [
        (SHEET, {"Offer Id": "MS-AZR-0148P"}, "dev_test_price"),
        (SHEET, {"Price type": "DevTestConsumption"}, "dev_test_price"),
        (CUSTOMER, {"productOrderName": "Azure plan for Dev/Test"}, "dev_test_price"),
        (CUSTOMER, {"tierMinimumUnits": "100"}, "volume_tier"),
        (SHEET, {"Term": "1 Year"}, "unknown_price_type"),
        (SHEET, {"Price type": "Rebate"}, "unknown_price_type"),
        (SHEET, {"Unit of measure": "1/Month"}, "unknown_unit"),
        (CUSTOMER, {"effectiveStartDate": "12/01/2026"}, "not_yet_effective"),
    ],
)
def test_a_price_that_not_every_buyer_pays_by_the_hour_waits(row, change, code):
    assert held(read_text(_table(row, change), "sheet.csv")) == [(2, code)]


def test_a_customer_agreement_states_prices_in_its_pricing_currency_not_in_that_of_the_bill():
    text = _table(
        CUSTOMER, {},
        {"priceType": "SavingsPlan", "term": "P3Y", "unitPrice": "2.1"},
        {"priceType": "ReservedInstance", "term": "P1Y", "unitPrice": "20000"},
        {"meterRegion": "UK South", "effectiveStartDate": "11/1/2026", "effectiveEndDate": "11/30/2026"},
    )  # fmt: skip
    sheet = read_text(text, "mca.csv")

    assert set(sheet.ready["currency"]) == {"USD"}
    assert rates(sheet, "purchase_model", "term_months") == [
        ("on_demand", None, d("3.5")),
        ("savings_plan", 36, d("2.1")),
        ("reserved", 12, d("2.2831050228")),  # 20,000 / 8,760
        ("on_demand", None, d("3.5")),
    ]
    assert sheet.ready["valid_from"].map(str).tolist() == ["2026-11-01"] * 4


def test_only_the_billing_currency_counts_where_it_is_the_only_one():
    row = {name: value for name, value in CUSTOMER.items() if name != "currency"}

    sheet = read_text(_table(row, {"billingCurrency": "USD"}), "mca.csv")

    assert rates(sheet, "currency") == [("USD", d("3.5"))]


def test_an_older_sheet_names_the_size_inside_its_product():
    row = {
        "Service": "Virtual Machines NCads A100 v4 Series Windows - NC24ads A100 v4 - US East",
        "Unit of measure": "100 Hours", "Unit price": "477.70", "Currency code": "USD",
    }  # fmt: skip
    sheet = read_text(_table(row, {}), "old.csv")

    assert rates(sheet, "sku", "os") == [("Standard_NC24ads_A100_v4", "windows", d("4.777"))]


@pytest.mark.parametrize("unit", ["100 Hours", "1 Hour"])
def test_a_price_that_somebody_saved_with_a_comma_asks(unit):
    text = _table(SHEET, {"Unit price": "1,204", "Unit of measure": unit})

    assert [(fault.line, fault.rule) for fault in read_text(text, "ea.csv").faults] == [(2, "ambiguous_number")]
    assert len(read_text(text, "ea.csv", decimal=",").faults) == 0


def test_a_day_that_is_none_is_named_by_its_column():
    sheet = read_text(_table(CUSTOMER, {"effectiveStartDate": "30/11/2026"}), "mca.csv")

    assert [(fault.line, fault.column, fault.rule) for fault in sheet.faults] == [
        (2, "effectiveStartDate", "not_a_date")
    ]
