"""Lists that price components: Google Cloud's SKUs by their descriptions, and the GPU and node rates of OpenCost."""

import pytest

from tests.providers.hand_made import d, held, left_out, rates, read_json, read_text
from tests.providers.sample_files import RATES

OPENCOST = "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version\n"


def sku(description, price, unit="h", usage="OnDemand", **category):
    units, _, nanos = price.partition(".")
    amount = {"currencyCode": "USD", "units": units, "nanos": int(f"{nanos:0<9}")}
    expression = {"usageUnit": unit, "tieredRates": [{"startUsageAmount": 0, "unitPrice": amount}]}
    group = "GPU" if "core" not in description.lower() and unit == "h" else "CPU"
    return {
        "skuId": description, "description": description,
        "category": {"resourceGroup": group, "usageType": usage, "serviceDisplayName": "Compute Engine"} | category,
        "serviceRegions": ["us-central1"], "pricingInfo": [{"pricingExpression": expression}],
    }  # fmt: skip


def machine(gpu, core, ram, prices, **category):
    return {
        "skus": [
            sku(gpu, prices[0], **category), sku(core, prices[1], **category | {"resourceGroup": "CPU"}),
            sku(ram, prices[2], "GiBy.h", **category),
        ]
    }  # fmt: skip


def test_a_commitment_names_its_core_and_memory_otherwise_and_is_summed_all_the_same():
    found = machine(
        "Commitment v1: Nvidia Tesla A100 GPU running in Americas for 1 Year",
        "Commitment v1: A2 Cpu in Americas for 1 Year",
        "Commitment v1: A2 Ram in Americas for 1 Year",
        ("1.8", "0.02", "0.003"),
        usage="Commit1Yr",
    )
    sheet = read_json(found)

    first = rates(sheet, "sku", "purchase_model", "term_months")[0]
    assert first == ("a2-highgpu-1g", "cud", 12, d("2.295"))  # 1.8 + 12 x 0.02 + 85 x 0.003


def test_a_commitment_of_no_family_is_that_of_n1():
    found = machine(
        "Commitment v1: Nvidia Tesla T4 GPU running in Americas for 3 Years",
        "Commitment v1: Cpu in Americas for 3 Years",
        "Commitment v1: Ram in Americas for 3 Years",
        ("0.16", "0.014", "0.002"),
        usage="Commit3Yr",
    )

    assert rates(read_json(found), "sku", "term_months") == [
        ("n1-standard-8+T4x1", 36, d("0.332"))  # 0.16 + 8 x 0.014 + 30 x 0.002
    ]


@pytest.mark.parametrize(
    ("description", "model", "term"),
    [
        ("A4 Nvidia B200 (1 gpu slice) running in Americas", "on_demand", None),
        ("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Americas", "spot", None),
        ("A4 Nvidia B200 (1 gpu slice) attached to DWS Defined Duration VMs running in Americas", "dws", None),
        ("Commitment v1: A4 Nvidia B200 (1 gpu slice) in Americas for 3 Years", "cud", 36),
    ],
)
def test_a_gpu_slice_holds_its_share_of_the_machine(description, model, term):
    sheet = read_json({"skus": [sku(description, "9")]})

    assert rates(sheet, "sku", "purchase_model", "term_months", "price") == [
        ("a4-highgpu-8g", model, term, d("72"), d("9"))
    ]


def test_a_part_of_a_g4_holds_its_share_of_the_machine():
    sheet = read_json({"skus": [sku("1/8 vGPU no lssd running in Iowa", "0.64688")]})

    assert rates(sheet, "sku", "accelerators_per_instance", "price") == [
        ("g4-standard-6", d("0.125"), d("0.64688"), d("5.17504")),
        ("g4-standard-12", d("0.25"), d("1.29376"), d("5.17504")),
        ("g4-standard-24", d("0.5"), d("2.58752"), d("5.17504")),
    ]


def test_parts_of_defined_duration_and_of_calendar_mode_are_not_added_up():
    gpu = sku("Reserved Nvidia H100 80GB Mega GPU in Americas in Calendar Mode", "4.8")
    parts = [
        sku("DWS Defined Duration A3Plus Core running in Americas", "0.011", resourceGroup="CPU"),
        sku("DWS Defined Duration A3Plus Ram running in Americas", "0.001", "GiBy.h"),
    ]

    assert held(read_json({"skus": [gpu, *parts]})) == [(1, "component_only")]
    defined = sku("Nvidia H100 Mega 80GB GPU attached to DWS Defined Duration VMs running in Americas", "4.4")
    sheet = read_json({"skus": [defined, *parts]})
    assert rates(sheet, "sku", "purchase_model", "price") == [
        ("a3-megagpu-8g", "dws", d("39.36"), d("4.92"))  # 8 x 4.4 + 208 x 0.011 + 1872 x 0.001
    ]


def test_memory_by_the_decimal_gigabyte_is_more_by_the_binary_one():
    found = machine(
        "Nvidia Tesla A100 GPU running in Americas",
        "A2 Instance Core running in Americas",
        "A2 Instance Ram running in Americas",
        ("2", "0.03", "0.004"),
    )
    found["skus"][2]["pricingInfo"][0]["pricingExpression"]["usageUnit"] = "GBy.h"

    first = rates(read_json(found), "sku")[0]
    assert first == ("a2-highgpu-1g", d("2.7250722202"))  # 2 + 12 x 0.03 + 85 x 0.004 x 1.073741824


def test_sizes_that_are_sold_as_spot_alone_are_not_offered_on_demand():
    prices = ("9.8", "0.03", "0.0025")
    parts = ("A3 Instance Core running in Americas", "A3 Instance Ram running in Americas")
    on_demand = read_json(machine("Nvidia H100 80GB GPU running in Americas", *parts, prices))
    spot = read_json(
        machine(
            "Nvidia H100 80GB GPU attached to Spot Preemptible VMs running in Americas",
            *(f"Spot Preemptible {part}" for part in parts), prices, usage="Preemptible",
        )
    )  # fmt: skip

    assert on_demand.ready["sku"].tolist() == ["a3-highgpu-8g"]
    assert spot.ready["sku"].tolist() == ["a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g", "a3-highgpu-8g"]


def test_the_line_of_a_reservation_is_not_the_price_on_demand():
    sheet = read_json({"skus": [sku("Reserved Nvidia H100 80GB Mega GPU in Iowa", "9.2")]})

    assert held(sheet) == [(1, "component_only", "term_missing")]


@pytest.mark.parametrize(
    ("description", "written", "name"),
    [
        ("TpuV5e running in Iowa", "1.2", "TPU v5e"), ("Tpu v6e in Iowa", "2.7", "TPU v6e"),
        ("TPU7x in Iowa", "12", "TPU v7x"),
        ("Reserved V5e TPU in Seoul in Calendar Mode", "0.84", "TPU v5e"),
        ("TPU-v5p running in Iowa", "4.2", "TPU v5p"),
    ],
)  # fmt: skip
def test_a_tpu_is_priced_by_the_chip(description, written, name):
    sheet = read_json({"skus": [sku(description, written, resourceGroup="TPU")]})

    assert rates(sheet, "accelerator") == [(name, d(written))]


@pytest.mark.parametrize("description", ["Cloud TPU v3-8 in Iowa", "Tpu-V4 Pod in Oklahoma", "TpuV2 in Iowa"])
def test_an_older_tpu_waits_for_it_may_be_priced_by_core_or_board(description):
    assert held(read_json({"skus": [sku(description, "4.5", resourceGroup="TPU")]})) == [(1, "unknown_component")]


@pytest.mark.parametrize(
    "change",
    [
        {"serviceDisplayName": "Vertex AI"},
        {"serviceDisplayName": "Kubernetes Engine"},
        {"serviceDisplayName": "Cloud Run"},
    ],
)
def test_a_gpu_of_another_service_is_no_machine(change):
    found = sku("Nvidia L4 GPU running in Americas", "0.7", **change)

    assert left_out(read_json({"skus": [found]})) == [(1, "other_service")]


def test_a_licence_fee_is_no_gpu_and_a_workstation_gpu_is_not_the_plain_one():
    fee, workstation = "Licensing Fee for Nvidia T4 Virtual Workstation", "Nvidia Tesla T4 Virtual Workstation GPU"
    sheet = read_json({"skus": [sku(fee, "0.2"), sku(f"{workstation} running in Americas", "0.55")]})

    assert left_out(sheet) == [(1, "other_service")]
    assert held(sheet) == [(2, "unknown_component", "unknown_accelerator")]


def oracle(name, part="B1", metric="GPU Per Hour", category="Compute - GPU", **price):
    prices = [{"model": "PAY_AS_YOU_GO", "value": 10} | price]
    return {
        "partNumber": part, "displayName": name, "metricName": metric, "serviceCategory": category,
        "currencyCodeLocalizations": [{"currencyCode": "USD", "prices": prices}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("item", "code"),
    [
        (oracle("OCI - NVIDIA AI Enterprise - H100"), "software_licence"),
        (oracle("Oracle Compute Cloud@Customer - Compute - GPU.L40S"), "other_service"),
        (oracle("OCI - Compute - GPU - L40S", category="Compute Cloud@Customer"), "other_service"),
        (oracle("Oracle Cloud VMware Solution - BM.GPU.A10.64", metric="Node Per Hour"), "other_service"),
        (oracle("Roving Edge Device - RED.2 GPU", metric="Resource Possession Per Day"), "other_service"),
    ],
)
def test_an_oracle_item_that_is_no_gpu_in_its_cloud_is_left_out(item, code):
    assert left_out(read_json({"items": [item]})) == [(1, code)]


@pytest.mark.parametrize(
    ("name", "accelerator"),
    [
        ("OCI- Compute - GPU - MI355X", "MI355X"), ("Compute  - GPU - A10", "A10"),
        ("Oracle Cloud Infrastructure - Compute - GPU - B300", "B300-SXM-288"),
        ("OCI - Compute - GPU - RTX PRO 6000", "RTX PRO 6000"),
    ],
)  # fmt: skip
def test_oracle_writes_its_titles_in_several_ways(name, accelerator):
    assert rates(read_json({"items": [oracle(name)]}), "accelerator") == [(accelerator, d("10"))]


@pytest.mark.parametrize(
    ("item", "code"),
    [
        (oracle("OCI - Compute - GPU - H100T"), "unknown_accelerator"),
        (oracle("OCI - Compute - GPU - E4"), "unknown_accelerator"),
        (oracle("OCI - Compute - GPU - H200", part="B98415"), "accelerator_conflict"),
        (oracle("OCI - Compute - GPU - H100", category="SuperCluster Appliance"), "unknown_service"),
        (oracle("OCI - Compute - GPU - H100", model="MONTHLY_COMMIT"), "unknown_price_type"),
        (oracle("OCI - Compute - GPU - H100", rangeMin=100), "volume_tier"),
        (oracle("OCI - Compute - GPU - H100", value=0), "price_not_positive"),
        (oracle("OCI - Compute - GPU - H100", value=None), "price_missing"),
    ],
)
def test_an_oracle_item_in_doubt_waits(item, code):
    assert held(read_json({"items": [item]})) == [(1, code)]


@pytest.mark.parametrize(
    ("name", "part", "accelerator"),
    [
        ("Compute - GPU - E3", "B92740", "A100-SXM-40"),
        ("Compute - GPU Standard - V2", "B89734", "V100-SXM-16"),
        ("Compute - Bare Metal GPU Standard - X7", "B88517", "P100"),
    ],
)
def test_a_part_number_names_the_gpu_of_a_title_that_does_not(name, part, accelerator):
    assert rates(read_json({"items": [oracle(name, part=part)]}), "accelerator") == [(accelerator, d("10"))]
    assert held(read_json({"items": [oracle(name)]})) == [(1, "unknown_accelerator")]


@pytest.mark.parametrize("kind", ["gpu", "gpulabel", "GPU"])
def test_the_rate_of_a_gpu_leaves_out_the_host_that_it_is_added_to(kind):
    rows = f",n1,us-east-1,node,type,m5.large,0.1,\n,nvidia-h100,us-east-1,{kind},product,,4.5,\n"
    sheet = read_text(OPENCOST + rows, "custom.csv", currency="USD", provider="own")

    assert rates(sheet, "accelerator", "excludes", "flags") == [
        ("H100", ("vcpu", "memory"), ("host_not_priced",), d("4.5"))
    ]
    assert left_out(sheet) == [(2, "node_rate")]


@pytest.mark.parametrize("cells", ["n1,us-east-1,node,type,p5.48xlarge", "p5.48xlarge,us-east-1,node,label,"])
def test_the_rate_of_a_node_with_accelerators_waits(cells):
    sheet = read_text(f"{OPENCOST},{cells},55.04,\n", "custom.csv", currency="USD")

    assert held(sheet) == [(2, "node_rate")]
    assert sheet.held[0].quote["accelerators_per_instance"] == 8


@pytest.mark.parametrize(
    ("label", "model"),
    [("a100-preemptible", "spot"), ("a100_spot", "spot"), ("NVIDIA-A100-ondemand", "on_demand"), ("A100", "on_demand")],
)
def test_a_label_says_how_the_gpu_is_bought(label, model):
    sheet = read_text(f"{OPENCOST},{label},,gpu,product,,2,\n", "custom.csv", currency="USD", provider="own")

    assert rates(sheet, "accelerator", "purchase_model") == [("A100", model, d("2"))]


def test_the_notes_in_a_custom_price_list_are_left_out():
    notes = "# Prices in EUR per hour\n# of our own nodes, without VAT\n"
    rows = "# --- GPUs ---\n,H100,,gpu,product,,4.5,\n,gke-gpu-pool-1,,node,metadata.name,,2,\n"
    sheet = read_text(notes + OPENCOST + rows, "custom.csv", currency="EUR", provider="own", rates=RATES)

    assert rates(sheet, "source_line", "accelerator") == [(5, "H100", d("4.5"))]
    assert left_out(sheet) == [(4, "note"), (6, "node_rate")]


def test_a_custom_json_says_its_currency_and_seller():
    custom = {"provider": "STACKIT", "currencyCode": "EUR", "CPU": "0.02", "RAM": "0.008", "GPU": "2.5", "storage": "1"}
    sheet = read_json(custom, aliases={"any GPU": "L40S"}, rates=RATES)

    assert rates(sheet, "provider", "currency") == [("stackit", "EUR", d("2.5"))]


def test_a_custom_json_without_a_price_of_gpus_offers_none():
    sheet = read_json({"provider": "custom", "CPU": "0.03", "spotCPU": "0.007", "RAM": "0.004", "storage": "0.00005"})

    assert sheet.format_key == "opencost"
    assert (len(sheet.ready), len(sheet.held), len(sheet.faults)) == (0, 0, 0)


@pytest.mark.parametrize("price", ["0.95", 0.95])
def test_one_price_for_any_gpu_waits_for_the_accelerator_of_the_cluster(price):
    custom = {"provider": "custom", "CPU": "0.03", "RAM": "0.004", "GPU": price, "storage": "0.00005"}

    assert held(read_json(custom, currency="USD", provider="own")) == [(1, "unknown_accelerator")]
    mapped = read_json(custom, currency="USD", provider="own", aliases={"any GPU": "L40S"})
    assert rates(mapped, "accelerator") == [("L40S", d("0.95"))]
