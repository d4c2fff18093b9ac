"""Charges of a bill: which machine they are for, and how many of its hours their quantity is."""

import csv
import io

import pytest

from providers import NotAPriceList
from tests.providers.hand_made import d, held, left_out, read_text

CHARGE = {
    "BilledCost": "110.08", "EffectiveCost": "100", "ListCost": "110.08", "ContractedCost": "110.08",
    "ListUnitPrice": "55.04", "BillingCurrency": "USD", "ChargeCategory": "Usage", "PricingQuantity": "2",
    "ChargeDescription": "", "ChargePeriodStart": "2026-10-01T00:00:00Z", "ChargePeriodEnd": "2026-10-01T02:00:00Z",
    "PricingUnit": "Hours", "ProviderName": "AWS", "ServiceName": "", "RegionId": "us-east-1", "SkuId": "",
    "SkuPriceDetails": "", "x_UsageType": "", "x_SkuMeterName": "", "x_SkuMeterCategory": "", "x_SkuDetails": "",
    "ConsumedQuantity": "", "x_PricingBlockSize": "",
}  # fmt: skip
NC24 = "Standard_NC24ads_A100_v4"
ON_NC24 = f'{{"ServiceType": "{NC24}"}}'


def bill(**change):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(CHARGE))
    writer.writeheader()
    writer.writerow(CHARGE | change)
    return read_text(out.getvalue(), "focus.csv")


def realised(sheet, *columns):
    return [tuple(row) for row in sheet.realised[list(columns)].itertuples(index=False)]


@pytest.mark.parametrize(
    ("charge", "sku"),
    [
        ({"ChargeDescription": "$55.04 per On Demand Linux p5.48xlarge Instance Hour"}, "p5.48xlarge"),
        ({"x_UsageType": "USE2-BoxUsage:p4d.24xlarge"}, "p4d.24xlarge"),
        ({"x_UsageType": "EU-SpotUsage:g5.xlarge", "ServiceName": "Amazon Elastic Compute Cloud"}, "g5.xlarge"),
        ({"SkuPriceDetails": '{"InstanceType": "g6.xlarge"}'}, "g6.xlarge"),
        ({"ProviderName": "Microsoft", "x_SkuMeterName": "NC24ads A100 v4 Spot"}, NC24),
        ({"ProviderName": "Microsoft", "x_SkuDetails": ON_NC24}, NC24),
        (
            {"ProviderName": "Microsoft", "ChargeDescription": "NCads A100 v4 Series - NC24ads A100 v4 - US East"},
            NC24,
        ),
        (
            {
                "ProviderName": "Microsoft",
                "x_SkuMeterName": "NC24ads A100 v4",
                "ServiceName": "Azure Kubernetes Service",
            },
            NC24,
        ),
        ({"ProviderName": "Oracle", "SkuId": "B98415", "PricingUnit": "GPU Per Hour"}, "B98415"),
    ],
)
def test_a_charge_names_its_machine_in_one_of_several_columns(charge, sku):
    assert realised(bill(**charge), "sku", "instance_hours") == [(sku, d("2"))]


@pytest.mark.parametrize(
    "charge",
    [
        {"ChargeDescription": "$1.408 per Hosting ml.g5.xlarge hour"},
        {"ChargeDescription": "$0.27 per hour for EMR p3.2xlarge", "ServiceName": "Amazon Elastic MapReduce"},
        {"x_UsageType": "USE2-EBSOptimized:p3.2xlarge"},
        {
            "ProviderName": "Microsoft", "x_SkuMeterCategory": "Virtual Machines Licenses", "x_SkuDetails": ON_NC24,
        },
        {"ProviderName": "Microsoft", "x_SkuMeterName": "24 vCPU VM License", "x_SkuDetails": ON_NC24},
        {"ProviderName": "Google Cloud", "ChargeDescription": "A2 Instance Core running in Americas"},
    ],
)  # fmt: skip
def test_a_surcharge_on_a_machine_is_not_its_price(charge):
    assert left_out(bill(**charge)) == [(2, "no_accelerator")]


@pytest.mark.parametrize(
    "header",
    [
        "MeterId,MeterName,MeterRegion,UnitOfMeasure,Quantity,EffectivePrice,CostInBillingCurrency,BillingCurrencyCode,UnitPrice",
        "date,ID der Verbrauchseinheit (MeterId),UsageQuantity (UsageQuantity),costInBillingCurrency,Currency",
        "lineItem/tenantId,usage/billedQuantity,cost/productSku,cost/unitPrice,cost/currencyCode",
    ],
)
def test_a_bill_of_another_shape_says_what_to_send_instead(header):
    with pytest.raises(NotAPriceList, match="FOCUS"):
        read_text(f"{header}\n{','.join('x' for _ in header.split(','))}\n", "bill.csv")


def test_accelerators_that_are_billed_apart_from_their_machine_wait():
    charge = {"ProviderName": "Google Cloud", "ChargeDescription": "Nvidia Tesla A100 GPU running in Americas"}

    assert held(bill(**charge)) == [(2, "component_only")]


@pytest.mark.parametrize(
    ("charge", "hours"),
    [
        ({"PricingUnit": "1 Hour"}, "2"),
        ({"PricingUnit": "10 Hours"}, "20"),
        ({"x_PricingBlockSize": "100"}, "200"),
        ({"x_PricingBlockSize": "100", "ConsumedQuantity": "200"}, "200"),
        ({"x_PricingBlockSize": "100", "ConsumedQuantity": "2"}, "2"),
        ({"x_PricingBlockSize": "100", "PricingUnit": "100 Hours"}, "200"),
    ],
)
def test_a_quantity_may_count_blocks_of_hours(charge, hours):
    sheet = bill(ChargeDescription="p5.48xlarge", **charge)

    assert realised(sheet, "instance_hours") == [(d(hours),)]


def test_blocks_that_are_not_what_was_consumed_wait():
    sheet = bill(ChargeDescription="p5.48xlarge", x_PricingBlockSize="100", ConsumedQuantity="50")

    assert held(sheet) == [(2, "quantity_conflict")]


def test_a_list_price_of_nothing_is_not_known():
    sheet = bill(ChargeDescription="p5.48xlarge", ListCost="0", ListUnitPrice="0", ContractedCost="0", BilledCost="0")

    assert realised(sheet, "list_rate", "contracted_rate", "effective_rate", "billed_cost") == [
        (None, None, d("6.25"), d("0"))  # 100 / 2 hours / 8 GPUs
    ]


@pytest.mark.parametrize("unit", ["GB-Hours", "vCPU-Hours", "Months", "GPU Hours"])
def test_a_unit_that_is_no_hour_of_the_machine_waits(unit):
    assert held(bill(ChargeDescription="p5.48xlarge", PricingUnit=unit)) == [(2, "unknown_unit")]
