"""SkyPilot catalogs of the single clouds: each has columns, names and gaps of its own."""

import pytest

from providers import NotAPriceList, ProviderError
from tests.providers.hand_made import d, held, left_out, rates, read_text

PYTHON = (
    "\"{{'Gpus': [{{'Name': '{name}', 'Count': {count}, 'MemoryInfo': {{'SizeInMiB': {each}}}}}], "
    "'TotalGpuMemoryInMiB': {total}}}\""
)
JSON = (
    '"{{""Gpus"":[{{""Name"":""{name}"",""MemoryInfo"":{{""SizeInMiB"":{each}}}}}],""TotalGpuMemoryInMiB"":{total}}}"'
)
LOWER = "\"{{'gpus': [{{'name': '{name}', 'memoryinfo': {{'sizeinmib': {each}}}}}], 'totalgpumemoryinmib': {total}}}\""
HEADER = "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region"


def info(name="A100", each=0, total=0, count=1, shape=PYTHON):
    return shape.format(name=name, each=each, total=total, count=count)


def catalog(cloud, *rows, header=HEADER):
    return read_text("\n".join([header, *rows]) + "\n", f"catalogs/v8/{cloud}/vms.csv")


@pytest.mark.parametrize(
    ("described", "count", "expected"),
    [
        ("", 1, "A100-40"),  # the convention of the catalogs: A100 alone is the 40 GB part
        (info(each=81920, total=81920), 1, "A100-80"),
        (info(each=81920, total=163840, count=2), 2, "A100-80"),  # of one, and of both
        (info(each=163840, total=327680, count=2), 2, "A100-80"),  # of both under the name of one
        (info(each=40960, total=40960, count=8), 8, "A100-40"),  # the total not multiplied
        (info(each=80, total=640, count=8), 8, "A100-80"),  # GB under a name that says MiB
        (info(each=204800, total=1638400, count=8), 8, "A100-40"),  # the memory of the host proves nothing
        (info(each=81920, total=81920, count=2), 2, "A100"),  # two of 40 or two of 80: nothing is claimed
        (info(each=81920, total=81920, shape=JSON), 1, "A100-80"),
        (info(name="a100", each=81920, total=81920, shape=LOWER), 1, "A100-80"),
    ],
)
def test_the_memory_of_an_a100_is_what_the_description_proves(described, count, expected):
    sheet = catalog("seeweb", f"box,A100,{count},{described},{2 * count},,it-fr2")

    assert rates(sheet, "accelerator") == [(expected, d("2"))]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (f"H100-1-80G,H100,1,{info('NVIDIA H100 PCIe', 81559, 81559)},2.5,,fr-par", "H100-PCIe-80"),
        (f"1x-H100-75,H100,1,{info('NVIDIA-H100-80GB-HBM3', 81559, 81559)},1.3,,default", "H100-SXM-80"),
        ("acme_H100-sxm5x8-NVLINK,H100,8,,24,,helsinki", "H100-SXM-80"),
        ("epyc-genoa-h100-pcie_2x8v16gb,H100,2,,4,,oslo", "H100-PCIe-80"),
        ("n3-A100x8-NVLink,A100-80G-PCIe-NVLink,8,,11.2,,CANADA-1", "A100-PCIe-80"),
        ("n3-H100-SXM5x8,H100-80G-SXM5,8,,19.2,,CANADA-1", "H100-SXM-80"),
        ("H100_x,H100_PCIE_BAREMETAL,1,,2.6,,dallas", "H100-PCIe-80"),
        ("1x_H200-NVL,NVIDIA-H200-NVL,1,,3.4,,US", "H200-NVL-141"),
        ("gpu-h100x8-640gb,H100,8,,24,,nyc2", "H100"),  # nobody says which: nothing is claimed
    ],
)
def test_the_form_factor_is_read_wherever_it_stands(row, expected):
    sheet = catalog("shadeform", row)

    assert [name for name, _ in rates(sheet, "accelerator")] == [expected]


def test_contradicting_form_factors_and_memory_are_held():
    sheet = catalog(
        "spheron",
        "gpu_1x_a100_SXM4,A100_80G_PCIE,1,,1.1,,us",
        f"n3-H100x8-NVLink,H100_NVL,8,{info('H100_NVL', 81920, 655360, 8)},16,,CANADA-1",  # a bridge is no NVL card
        f"n3-H100x1-NVLink,H100_NVL,1,{info('H100_NVL', 81920, 81920)},2,,CANADA-1",  # nor 80/94 of one
    )

    assert held(sheet) == [(2, "form_factor_conflict"), (3, "memory_differs"), (4, "memory_differs")]


def test_a_catalog_without_a_spot_column_or_with_stand_ins_has_no_spot_price():
    header = "InstanceType,UpstreamCloudId,AcceleratorName,AcceleratorCount,Region,Price,SpotPrice"
    broker = catalog(
        "primeintellect",
        "runpod__1xA100,NVIDIA A100-SXM4-80GB,A100-80GB,1,UNSPECIFIED,1.9,99999999",
        "x__1xB200,B200,B200,1,US,99999999,",
        header=header,
    )
    without = catalog(
        "simplepod", "gpu_1x,RTX4090,1,0.34,EU", header="InstanceType,AcceleratorName,AcceleratorCount,Price,Region"
    )

    assert rates(broker, "accelerator", "region", "purchase_model") == [("A100-SXM-80", None, "on_demand", d("1.9"))]
    assert held(broker) == [(3, "price_sentinel")]
    assert rates(without, "purchase_model") == [("on_demand", d("0.34"))]


def test_prices_of_marketplaces_and_third_parties_never_pass_as_on_demand():
    floor = catalog("mithril", "h100-80gb.sxm.8x,H100,8,,8.0,8.0,us-central2-a")
    community = catalog("runpod", "1x_H100-SXM_COMMUNITY,H100-SXM,1,,2.6,,CA", "1x_H100-SXM_SECURE,H100-SXM,1,,2.9,,CA")

    assert [model for model, _ in rates(floor, "purchase_model")] == ["market_floor", "spot"]
    assert [model for model, _ in rates(community, "purchase_model")] == ["market_floor", "on_demand"]


def test_windows_is_told_where_a_catalog_states_the_system():
    sheet = catalog(
        "spheron",
        "a,L40S,1,,1,,us,Windows Server 2022",
        "b,L40S,1,,1,,us,Ubuntu 24.04",
        header=f"{HEADER},OperatingSystem",
    )

    assert [system for system, _ in rates(sheet, "os")] == ["windows", "linux"]


def test_the_same_instance_at_two_prices_stops_both_and_zones_at_one_price_merge():
    header = f"{HEADER},AvailabilityZone"
    sheet = catalog(
        "scaleway",
        "RENDER-S,P100,1,,1.24,,fr-par,fr-par-1", "RENDER-S,P100,1,,1.24,,fr-par,fr-par-2",
        "GPU-S,T4,1,,0.9,,fr-par,fr-par-1", "GPU-S,T4,1,,1.0,,fr-par,fr-par-1", header=header,
    )  # fmt: skip

    assert rates(sheet, "sku", "zone") == [("RENDER-S", None, d("1.24"))]
    assert held(sheet) == [(4, "conflicting_price"), (5, "conflicting_price")]
    assert [(row.line, row.kept_line) for row in sheet.duplicates] == [(3, 2)]


def test_rows_without_accelerator_are_left_out_and_spot_alone_is_told():
    sheet = catalog("verda", "CPU.4V.16G,,,,0.03,0.01,FIN-01", "2B300.60V,B300,2,,,4.893,FIN-03")

    assert left_out(sheet) == [(2, "no_accelerator")]
    assert rates(sheet, "purchase_model") == [("spot", d("2.4465"))]
    assert "sold as spot" in sheet.held[0].reasons[0].message


def test_vast_cuts_super_and_ti_off_its_column_and_keeps_them_in_the_name():
    def row(instance, name, count, memory):
        described = info(name, memory, memory, count)
        return f'{instance},{name},{count},{described},{count},0.00,"Oslo, NO, EU"'

    sheet = catalog(
        "vast",
        row("1x-RTX_4080S-32-65536", "RTX4080", 1, 16376),
        row("2x-RTX_4070S_Ti-32-65536", "RTX4070", 2, 32752),
        row("1x-RTX_3060_Ti-32-65536", "RTX3060", 1, 8192),
        row("2x-Tesla_V100-32-65536", "V100", 2, 32768),  # 16 GB each: its memory is that of all together
        row("2x-RTX_4090-32-65536", "RTX4090", 2, 98280),  # 48 GB each: somebody changed these cards
    )

    assert rates(sheet, "accelerator", "vram_gb") == [
        ("RTX 4080 Super", d("16"), d("1")), ("RTX 4070 Ti Super", d("16"), d("1")), ("RTX 3060 Ti", d("8"), d("1")),
        ("V100-16", d("16"), d("1")),
    ]  # fmt: skip
    assert held(sheet) == [(6, "memory_differs")]


def test_an_instance_named_after_another_variant_is_held():
    header = "InstanceType,UpstreamCloudId,AcceleratorName,AcceleratorCount,Region,Price"
    sheet = catalog(
        "primeintellect",
        "latitude__8xL40,g3-l40s-large,L40,8,DE,6.97", "hyperstack__4xL40,n3-L40x4,L40,4,CA,4", header=header,
    )  # fmt: skip

    assert held(sheet) == [(2, "accelerator_conflict")]
    assert rates(sheet, "sku") == [("hyperstack__4xL40", d("1"))]


def test_memory_tells_apart_what_one_spelling_means():
    sheet = catalog("seeweb", f"ECS1GPU,RTX6000,1,{info('RTX6000', 24576, 24576)},0.29,,it-fr2")

    assert rates(sheet, "accelerator") == [("Quadro RTX 6000", d("0.29"))]


@pytest.mark.parametrize(
    ("instances", "seller"),
    [
        (["gpu-h100-sxm_8gpu-128vcpu-1600gb", "cpu-d3_4vcpu-16gb"], "nebius"),
        (["1x_H100-SXM_SECURE", "2x_A40_COMMUNITY"], "runpod"),
        (["1H100.80S.32V", "CPU.4V.16G"], "verda"),
        (["gpu_8x_h100_sxm5", "gpu_1x_a10", "cpu_4x_general"], "lambda"),
        (["BM.GPU.H100.8", "VM.Standard.E5.Flex$_2_8"], "oci"),
    ],
)
def test_a_catalog_without_a_telling_name_is_whose_instances_it_lists(instances, seller):
    rows = "".join(f"{instance},H100,1,,2,,x\n" for instance in instances)

    sheet = read_text(f"{HEADER}\n{rows}", "vms.csv")

    assert {*sheet.ready["provider"], *(row.quote["provider"] for row in sheet.held)} == {seller}


@pytest.mark.parametrize("instances", [["gpu_1x_rtx4090_32", "gpu_8x_rtx5090_256"], ["n3-H100x1__CA", "gpu_1x_a10"]])
def test_names_that_others_use_too_show_no_seller(instances):
    rows = "".join(f"{instance},H100,1,,2,,x\n" for instance in instances)

    with pytest.raises(ProviderError, match="name the provider"):
        read_text(f"{HEADER}\n{rows}", "vms.csv")


@pytest.mark.parametrize(
    "header",
    [
        "Tag,Region,OS,OSVersion,ImageId,CreationDate", "InstanceType,OnDemandInstanceQuotaCode,SpotInstanceQuotaCode",
        "Accelerator,Region,QuotaCode", "AcceleratorName,Clouds",
    ],
)  # fmt: skip
def test_the_tables_beside_a_catalog_are_no_price_lists(header):
    with pytest.raises(NotAPriceList, match=r"vms\.csv"):
        read_text(f"{header}\n{',x' * header.count(',')}x\n", "catalogs/v8/aws/images.csv")


def test_the_currency_of_a_seller_who_lists_in_euro_is_doubted_and_may_be_said():
    rows = [f"{HEADER}", "gpu.h100,H100,1,,2.50,,eu-1"]
    content, name = "\n".join(rows) + "\n", "catalogs/v8/seeweb/vms.csv"
    doubted = read_text(content, name)
    assert doubted.ready["currency"].tolist() == ["USD"]
    assert any("seeweb lists in EUR" in note for note in doubted.notes)
    said = read_text(content, name, currency="EUR")
    assert {*said.ready["currency"], *(row.quote["currency"] for row in said.held)} == {"EUR"}
    with pytest.raises(ProviderError, match="SkyPilot catalogs are in USD, not in EUR"):
        read_text(content, "catalogs/v8/lambda/vms.csv", currency="EUR")
