"""Real public price files: for every one what is ready, held by reason, left out or refused."""

import time
from datetime import date
from decimal import Decimal

import pytest

from providers import NotAPriceList, read_quotes

pytestmark = pytest.mark.shared
FOCUS_HINT = "FOCUS"
COUNTS = {
    "aws/ec2instances_single_x2iedn.json": ("vantage", 1, 0, {}, 0),
    "aws/karpenter_aws_ondemand.csv": ("karpenter", 1367, 92, {"outside_model_band": 1}, 0),
    "aws/price_list_ec2_offer.json": ("aws_price_list", 1, 0, {}, 0),
    "aws/price_list_ec2_query_page.json": ("aws_price_list", 2, 0, {}, 0),
    "azure/ea_price_sheet_opencost.csv": ("azure_price_sheet", 9, 0, {}, 0),
    "azure/retail_prices_assembled.json": ("azure_retail", 14, 6, {}, 0),
    "focus/focus_sample_1000.csv": ("focus", 1000, 0, {}, 2),
    "focus/spec_commitment_discount_purchase_scenario_1.csv": ("focus", 1, 0, {}, 0),
    "focus/spec_commitment_discount_usage_scenario_1.csv": ("focus", 1, 0, {}, 0),
    "focus/spec_commitment_discount_usage_scenario_2.csv": ("focus", 1, 0, {}, 1),
    "focus/spec_virtual_currency_pricing_model_a2.csv": ("focus", 3, 0, {}, 0),
    "gcp/billing_skus_opencost.json": ("gcp_billing", 7, 15, {}, 0),
    "gpuhunt/hotaisle.csv": ("gpuhunt", 2, 2, {}, 0),
    "gpuhunt/jarvislabs.csv": ("gpuhunt", 9, 8, {}, 0),
    "gpuhunt/lium.csv": ("gpuhunt", 8, 4, {}, 0),
    "gpuhunt/vultr.csv": ("gpuhunt", 7, 6, {}, 0),
    "large/karpenter_azure_ondemand.csv": ("karpenter", 64956, 1219, {"unknown_sku": 172}, 0),
    "neocloud/api_hotaisle_available.json": ("hotaisle_api", 2, 2, {}, 0),
    "neocloud/api_lium_nodes_recorded.json": ("lium_api", 4, 4, {}, 0),
    "neocloud/fsdl_cloud-gpus.csv": (
        "curated_table", 257, 293,
        {
            "basis_disagrees": 26, "basis_not_proven": 4, "conflicting_price": 2, "memory_differs": 4,
            "outside_model_band": 7,
        }, 0,
    ),
    "neocloud/tardellirs_offerings.json": (
        "curated_offers", 310, 236,
        {"component_only": 57, "estimated_price": 13, "memory_differs": 3, "unknown_accelerator": 2}, 0,
    ),
    "oci/prices_usd.json": ("oci_list", 450, 7, {}, 0),
    "opencost/default.json": (
        "opencost", 1, 0, {"currency_missing": 1, "provider_missing": 1, "unknown_accelerator": 1}, 0,
    ),
    "opencost/pricing_schema.csv": (
        "opencost", 3, 0, {"currency_missing": 2, "provider_missing": 2, "unknown_accelerator": 1}, 0,
    ),
    "opencost/pricing_schema_mixed_gpu_ondemand.csv": (
        "opencost", 4, 0, {"currency_missing": 2, "provider_missing": 2, "term_missing": 1}, 0,
    ),
    "opencost/pricing_schema_region.csv": ("opencost", 3, 0, {}, 0),
}  # fmt: skip
REFUSED = (
    "aws/cur_anonymous.csv", "azure/EA_AmortizedCost_Small.csv", "azure/PricingUnits.csv", "azure/Regions.csv",
    "azure/billing_export_BOM.csv", "azure/billing_export_German_headers.csv", "azure/billing_export_PayAsYouGo.csv",
    "focus/currency_codes.csv", "gcp/acceleratortypes.csv", "gcp/machinetypes.csv", "gcp/sku_mapping_cyclenerd.csv",
    "neocloud/tardellirs_providers.json", "oci/shape_part_numbers.json",
)  # fmt: skip


@pytest.fixture
def read(shared_folder):
    def of(name, **changes):
        content = (shared_folder / "data/prices" / name).read_bytes()
        return read_quotes(content, file_name=name, observed_on=date(2026, 11, 30), source="public file", **changes)

    return of


def _rate(sheet, sku, **where):
    rows = sheet.ready[sheet.ready["sku"] == sku]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    assert len(rows) == 1
    return rows.iloc[0]["price_per_accelerator_hour"]


@pytest.mark.parametrize(("name", "expected"), COUNTS.items(), ids=COUNTS)
def test_a_price_file_is_read(read, name, expected):
    key, rows, ready, held, realised = expected

    sheet = read(name)

    assert (sheet.format_key, sheet.counts["rows"], sheet.counts["ready"]) == (key, rows, ready)
    assert sheet.held_by_reason == held
    assert sheet.counts["realised"] == realised
    assert not sheet.faults


@pytest.mark.parametrize("name", REFUSED)
def test_a_bill_or_a_map_of_names_is_refused(read, name):
    with pytest.raises(NotAPriceList, match="send the"):
        read(name)


def test_every_price_file_has_its_counts(shared_folder):
    folder = shared_folder / "data/prices"

    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    assert found == {*COUNTS, *REFUSED}


def test_an_azure_reservation_is_a_total_for_its_term(read):
    # 42,066 for one year of two A100: / 8760 / 2 = 2.401, not 42,066 an hour
    sheet = read("azure/retail_prices_assembled.json")

    assert _rate(sheet, "Standard_NC48ads_A100_v4") == Decimal("2.4010273973")


def test_windows_and_low_priority_never_pass_as_linux_on_demand(read):
    sheet = read("azure/retail_prices_assembled.json")
    eastus = sheet.ready[(sheet.ready["sku"] == "Standard_ND96isr_H100_v5") & (sheet.ready["region"] == "eastus")]

    assert _rate(sheet, "Standard_ND96isr_H100_v5", region="eastus", os="linux", purchase_model="on_demand") == Decimal(
        "12.29"
    )
    assert sorted(zip(eastus["purchase_model"], eastus["os"], strict=True)) == [
        ("low_priority", "windows"), ("on_demand", "linux"), ("on_demand", "windows"), ("spot", "linux"),
    ]  # fmt: skip


def test_a_google_machine_is_the_sum_of_its_parts(read):
    # 2.933908 + 12 x 0.031611 + 85 x 0.004237 = 3.673385
    sheet = read("gcp/billing_skus_opencost.json")

    assert _rate(sheet, "a2-highgpu-1g", region="us-central1") == Decimal("3.673385")


def test_a_part_of_a_gpu_is_priced_as_a_part(read):
    # 0.123 for 4 of 80 GB: / 0.05 = 2.46
    assert _rate(read("gpuhunt/vultr.csv"), "vcg-a100-1c-6g-4vram") == Decimal("2.46")


def test_cents_and_oracle_list_prices_are_per_gpu(read):
    assert _rate(read("neocloud/api_hotaisle_available.json"), "bare_metal-8x-MI300X") == Decimal("3.39")
    assert _rate(read("oci/prices_usd.json"), "B98415") == 10


def test_realised_rates_are_kept_apart_from_quotes(read):
    # 8 rows of g5.4xlarge: 10.203682944 list cost over 6.283056 hours = 1.624
    sheet = read("focus/focus_sample_1000.csv")
    row = sheet.realised[sheet.realised["sku"] == "g5.4xlarge"].iloc[0]

    assert sheet.ready.empty
    assert (row["list_rate"], row["accelerator_hours"]) == (Decimal("1.624"), Decimal("6.28305600000"))


def test_own_rates_are_ready_once_provider_and_currency_are_said(read):
    sheet = read("opencost/pricing_schema.csv", provider="own", currency="EUR")

    assert sheet.held_by_reason == {"no_rate_for_bands": 1, "unknown_accelerator": 1}


def test_a_catalog_of_65000_rows_takes_seconds(read):
    start = time.process_time()

    read("large/karpenter_azure_ondemand.csv")

    assert time.process_time() - start < 5
