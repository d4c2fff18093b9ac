"""gpuhunt catalogs of the single providers: whose they are, and what their flags and places mean."""

import pytest

from providers import ProviderError
from tests.providers.hand_made import d, held, rates, read_text

HEADER = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags"


def catalog(file_name, *rows):
    return read_text("\n".join([HEADER, *rows]) + "\n", file_name)


def test_nodes_that_runpod_rents_by_several_are_an_offer_of_their_own():
    sheet = catalog(
        "runpod.csv",
        "NVIDIA H100 80GB HBM3,US-KS-2,21.52,160,1000,8,H100,80,False,,nvidia,",
        "NVIDIA H100 80GB HBM3,US-KS-2,24.0,160,1000,8,H100,80,False,,nvidia,runpod-cluster",
    )

    assert held(sheet) == []
    assert rates(sheet, "sku", "min_accelerators", "interconnect") == [
        ("NVIDIA H100 80GB HBM3", None, None, d("2.69")),
        ("NVIDIA H100 80GB HBM3 cluster", 16, "multi_node", d("3")),
    ]


def test_a_country_is_where_runpod_rents_the_machines_of_others():
    sheet = catalog(
        "runpod.csv",
        "NVIDIA A100 80GB PCIe,CA,1.19,8,117,1,A100,80,False,,nvidia,",
        "NVIDIA A100 80GB PCIe,CA-MTL-1,1.39,8,117,1,A100,80,False,,nvidia,",
    )

    assert rates(sheet, "region", "purchase_model") == [
        ("CA", "market_floor", d("1.19")), ("CA-MTL-1", "on_demand", d("1.39")),
    ]  # fmt: skip


def test_the_memory_of_a_lambda_gpu_is_as_it_stands():
    sheet = catalog("lambdalabs.csv", "gpu_1x_gh200,us-east-3,1.49,64,464,1,GH200,96,False,4398,nvidia,lambda-arm")

    assert rates(sheet, "accelerator", "vram_gb") == [("GH200-96", d("96"), d("1.49"))]


@pytest.mark.parametrize("file_name", ["pasted.csv", "gpuhunt-catalog.csv", "prices_2026-11.csv", "catalog (1).csv"])
def test_a_plain_file_name_is_no_provider_and_instances_may_tell(file_name):
    told = catalog(file_name, "gpu-h100-sxm 1gpu-16vcpu-200gb,eu-north1,2.95,16,200,1,H100,80,False,,nvidia,")
    assert told.ready["provider"].tolist() == ["nebius"]

    with pytest.raises(ProviderError, match="does not say whose"):
        catalog(file_name, "8123456,us-texas,0.39,16,63,1,RTX4090,24,False,100,nvidia,")
