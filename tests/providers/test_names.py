"""Accelerator names: any spelling to one model; what nobody knows stays unknown."""

from decimal import Decimal

import pytest

from providers.knowledge import MODELS, find_sku, rows_of
from providers.names import leading_count, read_name
from providers.reference import ACCELERATORS, read_accelerator_name


@pytest.mark.parametrize(
    ("written", "accelerator", "memory", "parts"),
    [
        ("NVIDIA H100 80GB HBM3", "H100-SXM-80", "80", 1),
        ("H100-MEGA", "H100-SXM-80", "80", 1),
        ("HGX H100", "H100-SXM-80", "80", 1),
        ("H100", "H100", None, 1),
        ("H100NVL", "H100-NVL-94", "94", 1),
        ("H100 PCIe", "H100-PCIe-80", "80", 1),
        ("81559MiB H100", "H100-80", "80", 1),
        ("8x H100 SXM5 80GB", "H100-SXM-80", "80", 1),
        ("A100", "A100", None, 1),
        ("A100-80GB", "A100-80", "80", 1),
        ("A100_SXM_80GB", "A100-SXM-80", "80", 1),
        ("NVIDIA A100-SXM4-40GB", "A100-SXM-40", "40", 1),
        ("V100 (32 GB)", "V100-32", "32", 1),
        ("A10", "A10", "24", 1),
        ("A10G", "A10G", "24", 1),
        ("L40", "L40", "48", 1),
        ("L40S", "L40S", "48", 1),
        ("Quadro RTX 6000", "Quadro RTX 6000", "24", 1),
        ("RTX6000-Ada", "RTX 6000 Ada", "48", 1),
        ("RTX A6000", "RTX A6000", "48", 1),
        ("RTXPRO6000WS", "RTX PRO 6000-workstation", "96", 1),
        ("RTX PRO Server 6000", "RTX PRO 6000", "96", 1),
        ("RTX 6000 96GB", "RTX PRO 6000", "96", 1),
        ("RTX 4070 Ti Super", "RTX 4070 Ti Super", "16", 1),
        ("GB300 SXM6", "GB300-NVL72", "288", 1),
        ("Instinct MI300X OAM", "MI300X", "192", 1),
        ("Radeon Instinct MI25", "MI25", "16", 1),
        ("Gaudi HL-205", "Gaudi 1", "32", 1),
        ("Trainium2", "Trainium 2", "96", 1),
        ("tpu-v5litepod-8", "TPU v5e", "16", 8),
        ("tpu-v3-32", "TPU v3", "32", 16),
        ("tpu-v4-16", "TPU v4", "32", 8),
        ("tpu-v6e-256", "TPU v6e", "32", 256),
        ("A100-80GB 3g.40gb", "A100-80", "80", Decimal(3) / 7),
        ("HGX A100 80GB", "A100-SXM-80", "80", 1),
        ("H100 NVL PCIe", "H100-NVL-94", "94", 1),
        ("H100 PCI-E 80GB", "H100-PCIe-80", "80", 1),
        ("8× H100 SXM5 + 400G InfiniBand", "H100-SXM-80", "80", 1),
        ("H100 SXM (IB)", "H100-SXM-80", "80", 1),
        ("HGX 8x H100", "H100-SXM-80", "80", 1),
        ("NVIDIA H100 SXM5 (8 GPUs)", "H100-SXM-80", "80", 1),
        ("DGX H100", "H100-SXM-80", "80", 1),
        ("V100-PCIE-16GB", "V100-PCIe-16", "16", 1),
        ("V100 PCIe", "V100-PCIe", None, 1),  # made with 16 and 32 GB
        ("h100-80gb.sxm", "H100-SXM-80", "80", 1),
        ("geforcertx4090-pcie-24gb", "RTX 4090", "24", 1),
        ("RTX 3090 NVLink", "RTX 3090", "24", 1),
        ("RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000-workstation", "96", 1),
    ],
)
def test_a_spelling_is_one_model(written, accelerator, memory, parts):
    name = read_name(written)

    assert name.accelerator == accelerator
    assert name.memory_gb == (None if memory is None else Decimal(memory))
    assert name.parts == parts


@pytest.mark.parametrize(
    "written", ["NVIDIA GPU", "Wunderchip 9000", "RTX 6000", "RTX 4090 (48 GB mod)", "1g.10gb", "E9"]
)
def test_what_is_not_clear_stays_unknown(written):
    assert read_name(written) is None


def test_memory_beside_the_name_tells_twins_apart():
    assert read_name("RTX 6000", Decimal(24)).accelerator == "Quadro RTX 6000"
    assert read_name("RTX 6000", Decimal(48)).accelerator == "RTX 6000 Ada"
    assert read_name("RTX 6000", Decimal(96)).accelerator == "RTX PRO 6000"


def test_counts_in_names_are_read():
    written = ("8x H100", "H100::8", "L40Sx4", "H100 X 8", "H100 (8 GPUs)", "HGX 8x H100", "RTX 4090", "MI300X 192")
    assert [leading_count(text) for text in written] == [8, 8, 4, 8, 8, 8, None, None]


@pytest.mark.parametrize("key", sorted(ACCELERATORS))
def test_a_key_of_the_reference_table_is_itself(key):
    assert read_name(key).accelerator == key


def test_two_models_are_never_one_to_the_engine():
    names = {model.name for models in MODELS.values() for model in models}

    read = {name: read_accelerator_name(read_name(name).accelerator).model for name in names if read_name(name)}

    assert len(read) > 100
    assert len(set(read.values())) == len(read)


@pytest.mark.parametrize(
    ("provider", "sku", "accelerator", "count"),
    [
        ("aws", "p5.48xlarge", "H100-SXM-80", 8),
        ("aws", "p5.4xlarge", "H100-SXM-80", 1),
        ("aws", "g6f.large", "L4", Decimal("0.125")),
        ("aws", "trn2.48xlarge", "Trainium 2", 16),
        ("azure", "Standard_ND96isr_H100_v5", "H100-SXM-80", 8),
        ("azure", "Standard_NC80adis_H100_v5", "H100-NVL-94", 2),
        ("azure", "Standard_NV6ads_A10_v5", "A10", Decimal(1) / 6),
        ("azure", "Standard_NV4as_v4", "MI25", Decimal("0.125")),
        ("azure", "Standard_ND128isr_NDR_GB200_v6", "GB200-NVL72", 4),
        ("gcp", "a2-ultragpu-4g", "A100-SXM-80", 4),
        ("gcp", "g4-standard-12", "RTX PRO 6000", Decimal("0.25")),
        ("oci", "BM.GPU.H100.8", "H100-SXM-80", 8),
        ("lambda", "gpu_1x_h100_pcie", "H100-PCIe-80", 1),
        ("vultr", "vcg-a100-1c-6g-4vram", "A100-80", Decimal("0.05")),
    ],
)
def test_a_sku_tells_what_it_holds(provider, sku, accelerator, count):
    known = find_sku(provider, sku)

    assert (known.accelerator, known.accelerators) == (accelerator, count)


def test_a_new_size_of_an_accelerated_family_is_not_taken_for_a_cpu():
    for provider, sku in (("aws", "p9.48xlarge"), ("azure", "Standard_ND999_X1_v9"), ("gcp", "a9-highgpu-8g")):
        known = find_sku(provider, sku)
        assert not known.has_none
        assert known.accelerator is None
    assert find_sku("aws", "m7i.large").has_none


def test_every_row_of_every_table_has_its_cells_and_a_source():
    for table in (
        "aliases", "skus", "units", "providers", "regions", "region_aliases", "azure_region_words", "bands",
        "gcp_machines", "column_words", "currencies", "price_sheet_headers", "price_sheet_patterns",
    ):  # fmt: skip
        rows = rows_of(f"{table}.csv")
        assert rows
        assert all(row["source"].strip() for row in rows), table
        assert not [row for row in rows if None in row or None in row.values()], table  # a comma without quotes


def test_every_accelerator_of_a_sku_is_a_known_name():
    for row in rows_of("skus.csv"):
        if row["accelerator"] not in {"", "none"}:
            assert read_name(row["accelerator"]) is not None, row


def test_no_spelling_has_two_meanings_at_one_memory():
    for models in MODELS.values():
        sizes = [size for model in models for size in model.memory_gb]
        assert len(models) == 1 or len(sizes) == len(set(sizes)), models
