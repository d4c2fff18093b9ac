"""Prices put together of several parts: one that is missing, zero or stated twice holds the sum."""

import pytest

from tests.providers.hand_made import d, held, left_out, rates, read_json, read_text
from tests.providers.sample_files import RATES

P4D = {
    "instanceType": "p4d.24xlarge", "regionCode": "us-east-1", "operatingSystem": "Linux", "tenancy": "Shared",
    "preInstalledSw": "NA", "capacitystatus": "Used",
}  # fmt: skip


def aws_list(dimensions, option, currency="USD", region="us-east-1"):
    product = {"sku": "S", "productFamily": "Compute Instance", "attributes": P4D | {"regionCode": region}}
    priced = {
        unit: {"unit": unit, "pricePerUnit": {currency: price}, "beginRange": "0"} for unit, price in dimensions.items()
    }
    attributes = {"LeaseContractLength": "1yr", "PurchaseOption": option, "OfferingClass": "standard"}
    term = {"effectiveDate": "2026-01-01T00:00:00Z", "termAttributes": attributes, "priceDimensions": priced}
    return {"products": {"S": product}, "terms": {"Reserved": {"S": {"S.T": term}}}}


def infracost(dimensions, option, **changes):
    bought = {"termLength": "1yr", "termPurchaseOption": option, "termOfferingClass": "standard"}
    prices = [{"purchaseOption": "reserved", "unit": unit, "USD": price} | bought for unit, price in dimensions.items()]
    return [
        {
            "vendorName": "aws", "region": "us-east-1", "service": "AmazonEC2", "productFamily": "Compute Instance",
            "sku": "S", "attributes": P4D, "prices": prices, **changes,
        }
    ]  # fmt: skip


@pytest.mark.parametrize("make", [aws_list, infracost], ids=["price list", "infracost"])
@pytest.mark.parametrize(
    ("dimensions", "option", "rate"),
    [
        ({"Hrs": "10", "Quantity": "87600"}, "Partial Upfront", "2.5"),  # (10 + 87600 / 8760) / 8
        ({"Hrs": "0.0000", "Quantity": "175200"}, "All Upfront", "2.5"),  # 175200 / 8760 / 8
        ({"Quantity": "175200"}, "All Upfront", "2.5"),
        ({"Hrs": "20", "Quantity": "0"}, "No Upfront", "2.5"),
        ({"Hrs": "20"}, "No Upfront", "2.5"),
    ],
)
def test_an_upfront_payment_is_spread_over_its_term(make, dimensions, option, rate):
    assert rates(read_json(make(dimensions, option)), "purchase_model") == [("reserved", d(rate))]


@pytest.mark.parametrize("make", [aws_list, infracost], ids=["price list", "infracost"])
@pytest.mark.parametrize(
    ("dimensions", "option", "code"),
    [
        ({"Hrs": "10"}, "Partial Upfront", "upfront_missing"),
        ({"Hrs": "10", "Quantity": "N/A"}, "Partial Upfront", "upfront_missing"),
        ({"Hrs": "10", "Quantity": "0"}, "Partial Upfront", "upfront_missing"),
        ({"Hrs": "5"}, "All Upfront", "upfront_missing"),
        ({"Quantity": "87600"}, "Partial Upfront", "price_missing"),
    ],
)
def test_a_term_of_which_a_payment_is_missing_is_held(make, dimensions, option, code):
    assert held(read_json(make(dimensions, option))) == [(1, code)]


def test_prices_of_aws_in_china_are_yuan():
    listed = read_json(aws_list({"Hrs": "150"}, "No Upfront", "CNY", "cn-north-1"), rates=RATES)
    product = infracost({"Hrs": None}, "No Upfront", region="cn-north-1")
    product[0]["prices"][0]["CNY"] = "150"

    assert rates(listed, "currency") == [("CNY", d("18.75"))]  # 150 / 8
    assert rates(read_json(product, rates=RATES), "currency") == [("CNY", d("18.75"))]


@pytest.mark.parametrize(
    "changes",
    [
        {"service": "ElasticMapReduce", "productFamily": "Elastic Map Reduce Instance"},
        {"service": "AmazonEC2", "productFamily": "Dedicated Host"},
    ],
)
def test_the_surcharge_of_another_service_is_no_price_of_an_instance(changes):
    # EMR states 2.7 an hour for a p4d.24xlarge, on top of the instance
    sheet = read_json(infracost({"Hrs": "2.7"}, "No Upfront", **changes))

    assert (rates(sheet), left_out(sheet)) == ([], [(1, "other_service")])


def component(description, price, group, unit="h"):
    units, _, nanos = (price or "").partition(".")
    stated = {"units": units, "nanos": int(nanos.ljust(9, "0"))} if price else {}
    rate = {"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", **stated}}
    priced = {"effectiveTime": "2026-01-01T00:00:00Z", "pricingExpression": {"usageUnit": unit, "tieredRates": [rate]}}
    return {
        "skuId": description[:9], "description": f"{description} running in Americas", "pricingInfo": [priced],
        "category": {"resourceGroup": group, "usageType": "OnDemand"}, "serviceRegions": ["us-central1"],
    }  # fmt: skip


def a2(gpu="2.933908", core="0.031611", ram="0.004237"):
    return [
        component("Nvidia Tesla A100 GPU", gpu, "GPU"), component("A2 Instance Core", core, "CPU"),
        component("A2 Instance Ram", ram, "RAM", "GiBy.h"),
    ]  # fmt: skip


def test_a_whole_machine_is_priced():
    # 2.933908 + 12 x 0.031611 + 85 x 0.004237 = 3.673385
    assert rates(read_json(a2()), "sku")[0] == ("a2-highgpu-1g", d("3.673385"))


@pytest.mark.parametrize("part", ["gpu", "core", "ram"])
@pytest.mark.parametrize(("price", "code"), [(None, "price_missing"), ("0.0", "price_not_positive")])
def test_a_machine_with_a_part_of_no_price_is_not_summed(part, price, code):
    sheet = read_json(a2(**{part: price}))

    assert sheet.ready.empty
    assert code in {found for _, *codes in held(sheet) for found in codes}


def test_a_part_at_two_prices_holds_every_machine_of_it_whatever_their_order():
    second = component("A2 Instance Core", "0.05", "CPU")

    for listed in ([*a2(), second], [second, *a2()]):
        sheet = read_json(listed)
        assert sheet.ready.empty
        assert {codes for _, *codes in map(tuple, held(sheet)) for codes in codes} == {"component_conflict"}


def test_cores_on_hosts_of_ones_own_are_not_those_of_shared_machines():
    alone = component("A2 Sole Tenancy Instance Core", "0.05", "CPU")

    assert rates(read_json([*a2(), alone]), "sku")[0] == ("a2-highgpu-1g", d("3.673385"))


CHARGE = {
    "ProviderName": "AWS", "RegionId": "us-east-1", "BillingCurrency": "USD", "PricingCurrency": "NULL",
    "ChargeCategory": "Usage", "ChargeClass": "NULL", "ChargeDescription": "p5.48xlarge",
    "ChargePeriodStart": "2026-10-01 00:00:00", "ChargePeriodEnd": "2026-10-02 00:00:00",
    "PricingCategory": "Standard", "PricingUnit": "Hours", "PricingQuantity": "10", "ListUnitPrice": "55.04",
    "ListCost": "550.40", "ContractedCost": "550.40", "EffectiveCost": "400.00", "BilledCost": "400.00",
    "CommitmentDiscountStatus": "NULL",
}  # fmt: skip
FOCUS_HEADER = ",".join(CHARGE)


def bill(*changes, header=FOCUS_HEADER):
    return read_text("\n".join([header, *(",".join((CHARGE | change).values()) for change in changes)]), "bill.csv")


def realised(sheet, *columns):
    return [tuple(row) for row in sheet.realised[list(columns)].itertuples(index=False)]


@pytest.mark.parametrize("column", ["PricingQuantity", "EffectiveCost"])
def test_a_charge_without_cost_or_quantity_is_held_and_changes_no_rate(column):
    sheet = bill({}, {column: "NULL"})

    assert held(sheet) == [(3, "charge_incomplete")]
    assert realised(sheet, "effective_rate", "accelerator_hours") == [(d("5"), d("80"))]  # 400 / 10 / 8


def test_a_sum_without_one_of_its_list_costs_is_unknown_and_no_half():
    sheet = bill({}, {"ListCost": "NULL", "ContractedCost": ""})

    assert realised(sheet, "effective_rate", "list_rate", "contracted_cost") == [(d("5"), None, None)]


def test_unused_commitment_needs_its_cost_alone():
    nothing = {"PricingQuantity": "NULL", "PricingUnit": "NULL", "ListUnitPrice": "NULL", "ListCost": "NULL"}
    unused = {"CommitmentDiscountStatus": "UNUSED", "EffectiveCost": "80", **nothing}
    sheet = bill({"CommitmentDiscountStatus": "used"}, unused, unused | {"EffectiveCost": "NULL"})

    assert held(sheet) == [(4, "charge_incomplete")]
    # (400 + 80) / 80 = 6
    assert realised(sheet, "effective_rate_with_unused")[0] == (d("6"),)


def test_headers_of_a_bill_are_read_in_any_case():
    sheet = bill({}, {"ChargeCategory": "TAX"}, header=FOCUS_HEADER.lower())

    assert (left_out(sheet), realised(sheet, "effective_rate")) == ([(3, "tax")], [(d("5"),)])


def test_enums_numbers_and_currencies_of_a_bill_are_read_as_the_specification_writes_them():
    sheet = bill(
        {"ChargeCategory": "usage", "PricingCategory": "STANDARD", "PricingUnit": "hours", "EffectiveCost": "35.2E-7"},
        {"ChargeCategory": "CREDIT"}, {"ChargeCategory": "Adjustment"}, {"ChargeCategory": "Purchase"},
        {"ChargeClass": "correction"}, {"PricingCurrency": "TOKENS"}, {"BillingCurrency": "Credits"},
    )  # fmt: skip

    assert left_out(sheet) == [(3, "credit"), (4, "adjustment"), (5, "commitment_purchase"), (6, "correction")]
    assert held(sheet) == [(7, "virtual_currency"), (8, "virtual_currency")]
    assert realised(sheet, "effective_cost", "pricing_category") == [(d("0.00000352"), "standard")]
