"""AWS prices in the shapes of several lists: what an attribute beside the price changes."""

import pytest

from tests.providers.hand_made import d, held, left_out, rates, read_json, read_text
from tests.providers.sample_files import RATES

P5 = {
    "instanceType": "p5.48xlarge", "regionCode": "us-east-1", "operatingSystem": "Linux", "tenancy": "Shared",
    "preInstalledSw": "NA", "capacitystatus": "Used", "gpu": "8", "marketoption": "OnDemand",
}  # fmt: skip
COLUMNS = (
    "SKU", "OfferTermCode", "TermType", "EffectiveDate", "StartingRange", "Unit", "PricePerUnit", "Currency",
    "Product Family", "Location", "Instance Type", "GPU", "Tenancy", "Operating System", "CapacityStatus",
    "Pre Installed S/W",
)  # fmt: skip
CELLS = (
    "A", "JR", "OnDemand", "2026-11-01", "0", "Hrs", "55.04", "USD", "Compute Instance", "EU (Frankfurt)",
    "p5.48xlarge", "8", "Shared", "Linux", "Used", "NA",
)  # fmt: skip


def offer_file(price="55.04", currency="USD", **attributes):
    product = {"sku": "S", "productFamily": "Compute Instance", "attributes": P5 | attributes}
    dimension = {"unit": "Hrs", "pricePerUnit": {currency: price}, "beginRange": "0"}
    term = {"effectiveDate": "2026-01-01T00:00:00Z", "priceDimensions": {"D": dimension}, "termAttributes": {}}
    return {"products": {"S": product}, "terms": {"OnDemand": {"S": {"S.T": term}}}}


def infracost(price="55.04", currency="USD", **attributes):
    region = attributes.pop("regionCode", "us-east-1")
    price = {"purchaseOption": "on_demand", "unit": "Hrs", currency: price, "startUsageAmount": "0"}
    return [
        {
            "vendorName": "aws", "region": region, "service": "AmazonEC2", "productFamily": "Compute Instance",
            "sku": "S", "attributes": P5 | attributes, "prices": [price],
        }
    ]  # fmt: skip


def vantage(instance_type="p5.48xlarge", gpus=8, region="us-east-1", **prices):
    pricing = {region: {"linux": prices or {"ondemand": "55.04"}}}
    return [{"instance_type": instance_type, "GPU": gpus, "GPU_model": None, "pricing": pricing}]


def bulk(*rows):
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in (COLUMNS, *rows))


BOTH = pytest.mark.parametrize("make", [offer_file, infracost], ids=["price list", "infracost"])


@BOTH
def test_an_unknown_type_that_states_gpus_waits_and_one_without_is_left_out(make):
    assert held(read_json(make(instanceType="x9g.4xlarge", gpu="2"))) == [(1, "unknown_sku")]
    assert left_out(read_json(make(instanceType="x9.4xlarge", gpu="NA"))) == [(1, "no_accelerator")]


@BOTH
@pytest.mark.parametrize(("instance_type", "gpus"), [("g4dn.xlarge", "4"), ("p5.48xlarge", "4")])
def test_another_count_than_the_type_has_waits(make, instance_type, gpus):
    assert held(read_json(make(instanceType=instance_type, gpu=gpus))) == [(1, "count_conflict")]


@BOTH
@pytest.mark.parametrize("gpus", ["0", "1", "NA"])
def test_a_part_of_a_gpu_is_listed_as_none_or_one(make, gpus):
    sheet = read_json(make("0.2", instanceType="g6f.large", gpu=gpus))

    assert rates(sheet, "accelerators_per_instance") == [(d("0.125"), d("1.6"))]  # 0.2 / (1/8)


@BOTH
@pytest.mark.parametrize(
    ("attributes", "sku", "flags"),
    [
        ({"licenseModel": "No License required"}, "p5.48xlarge", ("windows_in_price",)),
        ({"licenseModel": "Bring your own license"}, "p5.48xlarge (own licence)", ()),
        ({"licenseModel": "License Included - Infrastructure"}, "p5.48xlarge (licence billed apart)", ()),
        ({"operation": "RunInstances:0002:box"}, "p5.48xlarge (licence billed apart)", ()),
    ],
)
def test_windows_without_its_licence_is_an_offer_of_its_own(make, attributes, sku, flags):
    sheet = read_json(make(operatingSystem="Windows", **attributes))

    assert rates(sheet, "sku", "os", "flags") == [(sku, "windows", flags, d("6.88"))]
    assert sheet.ready["excludes"].tolist() == [() if flags else ("licence",)]


@BOTH
@pytest.mark.parametrize(("price", "code"), [("0.0000000000", "price_not_positive"), ("39.33", "term_missing")])
def test_a_capacity_block_is_never_on_demand(make, price, code):
    sheet = read_json(make(price, marketoption="CapacityBlock"))

    assert held(sheet) == [(1, code)]
    assert sheet.held[0].quote["purchase_model"] == "capacity_block"


@BOTH
def test_china_is_priced_in_its_own_currency(make):
    sheet = read_json(make("3.60", "CNY", instanceType="g4dn.xlarge", gpu="1", regionCode="cn-north-1"), rates=RATES)

    assert rates(sheet, "region", "currency") == [("cn-north-1", "CNY", d("3.6"))]


def test_another_kind_of_term_is_not_on_demand():
    found = offer_file()
    found["terms"] = {"FlatRate": found["terms"]["OnDemand"]}

    assert held(read_json(found)) == [(1, "unknown_price_type")]


def test_outposts_are_no_region():
    assert left_out(read_json(offer_file("0", locationType="AWS Outposts"))) == [(1, "other_tenancy")]


def test_the_european_sovereign_cloud_is_a_region():
    sheet = read_json(offer_file("60", "EUR", regionCode="eusc-de-east-1"), rates=RATES)

    assert rates(sheet, "region", "currency") == [("eusc-de-east-1", "EUR", d("7.5"))]


def test_a_ragged_row_of_the_bulk_list_waits_and_the_others_count():
    sheet = read_text(bulk(CELLS, (*CELLS, "moved")), "index.csv")

    assert rates(sheet, "source_line", "region") == [(2, "eu-central-1", d("6.88"))]
    assert held(sheet)[0][:2] == (3, "ragged_row")


def test_the_newest_price_that_has_begun_counts_among_those_of_a_product():
    product = infracost()[0]
    starts = {"2024-01-01": "98.32", "2026-06-05": "55.04", "2027-01-01": "40"}
    product["prices"] = [
        {"purchaseOption": "on_demand", "unit": "Hrs", "USD": price, "effectiveDateStart": f"{day}T00:00:00Z"}
        for day, price in starts.items()
    ]

    assert rates(read_json([product]), "price") == [(d("55.04"), d("6.88"))]


def test_infracost_names_azure_machines_by_their_meter_where_nothing_else_does():
    attributes = {"skuName": "NC24ads A100 v4", "productName": "Virtual Machines NCads A100 v4 Series"}
    price = {"purchaseOption": "Consumption", "unit": "1 Hour", "USD": "3.673"}
    product = {"vendorName": "azure", "region": "eastus", "service": "Virtual Machines", "productFamily": "Compute"}
    expired = attributes | {"meterName": "NC24ads A100 v4 - Expired"}
    sheet = read_json([product | {"attributes": found, "prices": [price]} for found in (attributes, expired)])

    assert rates(sheet, "sku") == [("Standard_NC24ads_A100_v4", d("3.673"))]
    assert left_out(sheet) == [(2, "expired_meter")]


@pytest.mark.parametrize(
    ("amounts", "found"),
    [
        ({"CNY": "3.60"}, ("CNY", "3.6")),
        ({"CNY": "3.60", "USD": "0.51"}, ("CNY", "3.6")),
        ({"USD": "0.526", "CNY": None}, ("USD", "0.526")),
    ],
)
def test_infracost_converts_into_dollars_what_it_states_in_another_currency(amounts, found):
    product = infracost(instanceType="g4dn.xlarge", gpu="1")[0]
    product["prices"] = [{"purchaseOption": "on_demand", "unit": "Hrs"} | amounts]

    assert rates(read_json([product], rates=RATES), "currency") == [(found[0], d(found[1]))]


def test_infracost_dollars_for_china_are_converted():
    product = infracost("0.51", instanceType="g4dn.xlarge", gpu="1", regionCode="cn-north-1")

    assert held(read_json(product)) == [(1, "currency_conflict")]


@pytest.mark.parametrize(
    ("option", "model"), [("Low Priority", "low_priority"), ("Spot", "spot"), ("Consumption", "on_demand")]
)
def test_infracost_names_the_tier_of_azure_in_the_purchase_option(option, model):
    attributes = {"armSkuName": "Standard_NC24ads_A100_v4", "productName": "Virtual Machines NCads A100 v4 Series"}
    price = {"purchaseOption": option, "unit": "1 Hour", "USD": "3.673"}
    product = {"vendorName": "azure", "region": "eastus", "service": "Virtual Machines", "productFamily": "Compute"}

    sheet = read_json([product | {"attributes": attributes, "prices": [price]}])

    assert rates(sheet, "purchase_model") == [(model, d("3.673"))]


def test_a_ragged_row_of_infracost_waits():
    text = "vendorName,region,service,sku,attributes,prices\naws,us-east-1,AmazonEC2,S,{},[],moved\n"

    assert held(read_text(text, "products.csv"))[0][:2] == (2, "ragged_row")


def test_vantage_holds_an_unknown_type_with_gpus_and_another_count():
    assert held(read_json(vantage("x9g.4xlarge", 2))) == [(1, "unknown_sku")]
    assert held(read_json(vantage(gpus=4))) == [(1, "count_conflict")]
    assert left_out(read_json(vantage("m5.large", 0))) == [(1, "no_accelerator")]


def test_vantage_lists_china_in_its_own_currency():
    sheet = read_json(vantage("g4dn.xlarge", 1, "cn-north-1", ondemand="3.60"), rates=RATES)

    assert rates(sheet, "currency") == [("CNY", d("3.6"))]


def test_vantage_spreads_upfront_payments_itself_and_knows_no_spot_price_as_none():
    reserved = {
        "yrTerm1Standard.partialUpfront": "30", "yrTerm3Convertible.noUpfront": "29", "yrTerm1Savings.noUpfront": "33",
        "yrTerm3Standard.allUpfront": "N/A",
    }  # fmt: skip
    sheet = read_json(vantage(ondemand="55.04", spot_avg="N/A", spot_min="0", reserved=reserved))

    assert rates(sheet, "sku", "purchase_model", "term_months", "payment_option") == [
        ("p5.48xlarge", "on_demand", None, "none", d("6.88")),
        ("p5.48xlarge", "reserved", 12, "partial", d("3.75")),
        ("p5.48xlarge (convertible)", "reserved", 36, "none", d("3.625")),
        ("p5.48xlarge", "savings_plan", 12, "none", d("4.125")),
    ]


def test_vantage_lists_azure_sizes_under_names_of_its_own():
    prices = {"ondemand": 3.673, "spot_min": 0.9, "lowpriority": 0.7, "hybridbenefit": 3.1}
    reserved = {"yrTerm1Standard.allUpfront": 2.3, "yrTerm1Standard.hybridbenefit": 1.9}
    record = {
        "instance_type": "nc24adsa100v4", "pretty_name_azure": "NC24ads A100 v4",
        "pricing": {"us-east": {"linux": prices | {"reserved": reserved}, "windows": {"ondemand": 4.777}}},
    }  # fmt: skip
    sheet = read_json([record])

    assert set(sheet.ready["sku"]) == {"Standard_NC24ads_A100_v4"}
    assert rates(sheet, "region", "os", "purchase_model") == [
        ("eastus", "linux", "on_demand", d("3.673")), ("eastus", "linux", "spot", d("0.9")),
        ("eastus", "linux", "low_priority", d("0.7")), ("eastus", "linux", "reserved", d("2.3")),
        ("eastus", "windows", "on_demand", d("4.777")),
    ]  # fmt: skip
    assert left_out(sheet) == [(1, "software_licence")]


def test_vantage_may_price_google_machines_without_their_gpus():
    record = {"instance_type": "a2-highgpu-1g", "GPU": 1, "pricing": {"us-central1": {"linux": {"ondemand": "0.74"}}}}

    assert held(read_json([record])) == [(1, "component_only")]


def test_a_karpenter_column_in_dollars_is_not_believed_for_china():
    text = "region,instance_type,price_usd_hour\ncn-north-1,g4dn.xlarge,3.71\nus-east-1,g4dn.xlarge,0.526\n"
    sheet = read_text(text, "aws.csv")

    assert held(sheet) == [(2, "currency_conflict")]
    assert rates(sheet, "region") == [("us-east-1", d("0.526"))]
    in_yuan = read_text("region,instance_type,price_cny_hour\ncn-north-1,g4dn.xlarge,3.60\n", "cn.csv", rates=RATES)
    assert rates(in_yuan, "currency") == [("CNY", d("3.6"))]
