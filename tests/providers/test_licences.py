"""Two sources of one instance: what one costs above the other per vCPU tells a licence that nobody stated."""

import pytest

from providers import KnownOffer
from providers.licences import vcpus_of
from tests.providers.hand_made import d, held, rates, read_text

HEADER = "region,arm_sku,price_usd_hour"


def known(sku, price, region="eastus", model="on_demand"):
    return KnownOffer(
        provider="azure", sku=sku, region=region, purchase_model=model, price=d(price), currency="USD",
        source="Azure retail prices",
    )  # fmt: skip


def read(*rows, others=()):
    return read_text("\n".join([HEADER, *rows]) + "\n", "azure.csv", known=others)


def test_a_price_above_linux_by_the_windows_licence_is_held():
    # 98.32 + 96 vCPU x 0.046 = 102.736
    sheet = read(
        "eastus,Standard_ND96isr_H100_v5,102.736", "westus3,Standard_ND96isr_H100_v5,98.32",
        others=[known("Standard_ND96isr_H100_v5", "98.32")],
    )  # fmt: skip

    assert held(sheet) == [(2, "licence_in_price")]
    assert (
        "0.046 USD per vCPU-hour above the Linux price 98.32 of Azure retail prices" in sheet.held[0].reasons[0].message
    )
    assert rates(sheet, "region") == [("westus3", d("12.29"))]


@pytest.mark.parametrize(
    ("price", "other"),
    [
        ("98.32", known("Standard_ND96isr_H100_v5", "98.32")),  # the same price
        ("110.00", known("Standard_ND96isr_H100_v5", "98.32")),  # dearer, but not by a licence
        ("90.00", known("Standard_ND96isr_H100_v5", "98.32")),  # cheaper
        ("102.736", known("Standard_ND96isr_H100_v5", "98.32", region="westus3")),  # another region
        ("102.736", known("Standard_ND96isr_H100_v5", "98.32", model="spot")),  # bought another way
        ("102.736", known("Standard_ND96isr_H200_v5", "98.32")),  # another instance
    ],
)
def test_other_differences_are_no_licence(price, other):
    assert not read(f"eastus,Standard_ND96isr_H100_v5,{price}", others=[other]).held


def test_any_surcharge_that_rises_with_the_vcpus_is_one():
    # 0.02 per vCPU on 24, 48 and 96 of them: a licence that no band knows
    skus = {24: "3.673", 48: "7.346", 96: "14.692"}
    rows = [f"eastus,Standard_NC{size}ads_A100_v4,{d(price) + size * d('0.02')}" for size, price in skus.items()]
    others = [known(f"Standard_NC{size}ads_A100_v4", price) for size, price in skus.items()]

    assert held(read(*rows, others=others)) == [(line, "licence_in_price") for line in (2, 3, 4)]
    assert not read(*rows[:2], others=others).held


def test_a_row_that_says_windows_is_no_leak():
    header = "provider,sku,accelerator,accelerators_per_instance,price,price_basis,currency,purchase_model,region,os"
    row = "azure,Standard_ND96isr_H100_v5,H100 SXM,8,102.736,per_instance_hour,USD,on_demand,eastus,windows"

    sheet = read_text(f"{header}\n{row}\n", "q.csv", known=[known("Standard_ND96isr_H100_v5", "98.32")], decimal=".")

    assert rates(sheet, "os") == [("windows", d("12.842"))]


@pytest.mark.parametrize(
    ("provider", "sku", "vcpus"),
    [
        ("azure", "Standard_NC24ads_A100_v4", 24), ("azure", "NV36ads_A10_v5", 36), ("azure", "Standard_NC6s_v3", 6),
        ("azure", "Standard_ND96isr_H100_v5 (offer MS-1)", 96), ("aws", "p5.48xlarge", 192), ("aws", "g5.xlarge", 4),
        ("aws", "g6f.large", 2), ("aws", "g4dn.metal", None), ("gcp", "a2-highgpu-1g", 12),
        ("lambda", "gpu_1x_a10", None),
    ],
)  # fmt: skip
def test_the_name_of_an_instance_tells_its_vcpus(provider, sku, vcpus):
    assert vcpus_of(provider, sku) == vcpus
