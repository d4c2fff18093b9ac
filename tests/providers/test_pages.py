"""Answers of APIs as people save them: one page, several pages, one JSON per line, an empty page."""

import json

import pytest

from tests.providers.hand_made import d, held, rates, read_json, read_text


def item(region="eastus", **changes):
    return {
        "currencyCode": "USD", "retailPrice": 3.6, "unitPrice": 3.6, "armRegionName": region, "type": "Consumption",
        "armSkuName": "Standard_NC24ads_A100_v4", "unitOfMeasure": "1 Hour", "serviceName": "Virtual Machines",
        "productName": "Virtual Machines NCads A100 v4 Series", "skuName": "NC24ads A100 v4", **changes,
    }  # fmt: skip


def page(*items, link=None):
    return {"BillingCurrency": "USD", "Items": list(items), "NextPageLink": link, "Count": len(items)}


PAGES = [page(item("eastus"), link="https://prices.example/next"), page(item("westus2"))]


@pytest.mark.parametrize(
    "text", [json.dumps(PAGES), "\n".join(map(json.dumps, PAGES)), json.dumps(PAGES[0]["Items"] + PAGES[1]["Items"])],
    ids=["a list of pages", "a page per line", "the items alone"],
)  # fmt: skip
def test_several_pages_are_one_list(text):
    sheet = read_text(text, "retail.json")

    assert rates(sheet, "region", "source_line") == [("eastus", 1, d("3.6")), ("westus2", 2, d("3.6"))]
    assert not sheet.notes


def test_a_page_that_has_a_next_one_says_that_it_is_not_the_whole_list():
    assert "more pages follow" in read_json(PAGES[0]).notes[0]


def test_an_empty_page_is_read_as_no_rows():
    sheet = read_json(page())

    assert (sheet.format_key, sheet.counts["rows"]) == ("azure_retail", 0)


def test_a_region_may_stand_in_the_location_and_the_whole_world_is_no_region():
    sheet = read_json(page(item("", location="EU West"), item("Global", location="Global")))

    assert [region for region, _ in rates(sheet, "region")] == ["westeurope", None]


def test_exactly_one_price_of_an_offer_remains_or_none_does():
    sheet = read_json(
        page(
            item(effectiveStartDate="2024-01-01T00:00:00Z"), item(retailPrice=3.0, unitPrice=3.0, meterId="other"),
            item(retailPrice=9.9, unitPrice=9.9, effectiveStartDate="2020-01-01T00:00:00Z"),
        )
    )  # fmt: skip

    assert held(sheet) == [(1, "conflicting_price"), (2, "conflicting_price")]
    assert sheet.ignored_by_reason == {"superseded": 1}


def test_catalogs_of_other_clouds_come_in_pages_too():
    def sku(name, group, units, nanos, unit="h"):
        rate = {"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": units, "nanos": nanos}}
        return {
            "skuId": name, "description": name, "serviceRegions": ["us-central1"],
            "category": {"resourceFamily": "Compute", "resourceGroup": group, "usageType": "OnDemand"},
            "pricingInfo": [{"pricingExpression": {"usageUnit": unit, "tieredRates": [rate]}}],
        }  # fmt: skip

    pages = [
        {"skus": [sku("Nvidia Tesla A100 GPU running in Americas", "GPU", "2", 900_000_000)], "nextPageToken": "x"},
        {
            "skus": [
                sku("A2 Instance Core running in Americas", "CPU", "0", 30_000_000),
                sku("A2 Instance Ram running in Americas", "RAM", "0", 4_000_000, "GiBy.h"),
            ]
        },
    ]

    sheet = read_json(pages)

    # 2.9 + 12 x 0.03 + 85 x 0.004 = 3.6
    assert ("a2-highgpu-1g", d("3.6")) in rates(sheet, "sku")


def test_lines_that_are_no_json_refuse_the_file():
    with pytest.raises(Exception, match="no valid JSON"):
        read_text('{"a": 1}\n{"b": \n', "x.json")
