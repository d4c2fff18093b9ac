"""The reference tables: names, variants, rates and regions, each row with its source."""

import csv
import dataclasses

import pytest

from providers.reference import (
    ACCELERATORS,
    DATA_FOLDER,
    INFERENCE_RATES,
    Accelerator,
    accelerator_accepts,
    accelerator_of,
    inference_rate,
    match_accelerator,
    memory_gb,
    performance_ratio,
    rate_ratio,
    region_country,
    variants,
)


def rows(name):
    with (DATA_FOLDER / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_columns_of_the_table_are_the_fields_of_an_accelerator():
    assert list(rows("accelerators.csv")[0]) == [field.name for field in dataclasses.fields(Accelerator)]


@pytest.mark.parametrize("name", ["accelerators.csv", "inference_rates.csv", "regions.csv"])
def test_every_row_states_its_source(name):
    assert all(row["source"] for row in rows(name))
    assert all(row.get("verification", "given") for row in rows(name))


def test_every_published_rate_belongs_to_a_known_accelerator():
    assert {row["accelerator"] for row in rows("inference_rates.csv")} <= set(ACCELERATORS)


@pytest.mark.parametrize("name", list(ACCELERATORS))
def test_a_name_of_the_table_means_its_own_row_only(name):
    assert variants(name) == (name,)


@pytest.mark.parametrize(
    ("written", "model", "form_factor", "memory"),
    [
        ("H100", "H100", None, None),
        ("NVIDIA H100 80GB HBM3", "H100", None, 80),
        ("H100-SXM5-80GB", "H100", "SXM", 80),
        ("A100 (80 GB)", "A100", None, 80),
        ("NVIDIA A100-SXM4-40GB", "A100", "SXM", 40),
        ("AMD Instinct MI300X 192GB HBM3 (x32)", "MI300X", None, 192),
        ("NVIDIA Blackwell GPU (GB200)", "GB200", None, None),
        ("GB200-NVL72", "GB200", "NVL72", None),
        ("H200 PCIe", "H200", "NVL", None),
        ("nvidia-tesla-v100", "V100", None, None),
        ("tpu-v5-lite", "TPU v5e", None, None),
        ("v5e-256", "TPU v5e", None, None),
        ("RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000", None, None),
        ("Gaudi3", "Gaudi 3", None, None),
        ("B200-DLC", "B200", None, None),
    ],
)
def test_written_names_are_taken_apart(written, model, form_factor, memory):
    found = match_accelerator(written)

    assert (found.model, found.form_factor, found.memory_gb) == (model, form_factor, memory)


@pytest.mark.parametrize("name", ["RTX 5090", "L40", "", "a quantum computer"])
def test_a_model_outside_the_table_is_not_matched(name):
    assert match_accelerator(name) is None


@pytest.mark.parametrize(
    ("wanted", "offered", "expected"),
    [
        ("H100", "H100-SXM-80", True), ("H100", "H100 NVL", True), ("H100", "H100 PCIe", True),
        ("H100-SXM", "H100 NVL", False), ("H100-SXM", "H100-PCIe-80", False), ("H100 PCIe", "H100 NVL", False),
        ("H100 SXM", "H100", True), ("H100-SXM", "H100-94GB", False), ("A100-40GB", "A100-80GB", False),
        ("A100", "A100-80GB", True), ("A100-80GB", "A100", True), ("L40", "L40S", False), ("L40S", "L40", False),
        ("H100", "H200", False), ("B300", "B300 270GB", True), ("GB200", "GB200-NVL72", True), ("B200", "GB200", False),
        ("RTX 5090", "RTX5090", True), ("RTX 5090", "RTX 4090", False), ("V100-16GB", "V100-SXM2-32GB", False),
    ],
)  # fmt: skip
def test_a_wanted_name_accepts_what_does_not_contradict_it(wanted, offered, expected):
    assert accelerator_accepts(wanted, offered) is expected


def test_an_unspecific_name_has_the_memory_of_its_least_variant_and_the_rates_of_its_largest():
    assert memory_gb("A100") == 40
    assert memory_gb("H100 NVL") == 94
    assert accelerator_of("A100").name == "A100-SXM-80"
    assert accelerator_of("H100").bf16_dense_tflops == 989


def test_an_accelerator_without_bf16_trains_at_its_fp16_peak():
    assert accelerator_of("V100-SXM-32").training_tflops == 125


@pytest.mark.parametrize(
    ("model", "accelerator", "slo", "expected"),
    [
        ("llama2-70b", "H100", "server", 3819.95), ("Llama 2 70B", "H100-SXM-80", "offline", 3899.72),
        ("llama2-70b-99", "H200 NVL", "interactive", 1864.92), ("llama3.1-405b", "B200", "server", 155.59),
        ("llama3.1-8b", "L40S", "server", 1207.14), ("llama2-70b", "H100", "interactive", None),
        ("llama2-70b", "A100", "server", None), ("gpt-9", "H100", "server", None),
    ],
)  # fmt: skip
def test_published_rates_per_accelerator(model, accelerator, slo, expected):
    assert inference_rate(model, accelerator, slo) == expected


def test_ratios_say_which_rate_they_come_from():
    assert performance_ratio("H100", "H100-NVL") == 1.0  # the same model
    assert rate_ratio("H100", "H200").rate == "llama2_70b_lora_samples_s"
    assert performance_ratio("H100", "H200") == pytest.approx(0.318 / 0.2685)
    assert rate_ratio("A100", "H100").rate == "bert_train_samples_s"
    assert performance_ratio("H100", "MI210") == pytest.approx(181 / 989)
    assert rate_ratio("H100", "MI300X", INFERENCE_RATES).ratio == pytest.approx(3460 / 3900)
    assert performance_ratio("T4", "H100") is None
    assert performance_ratio("H100", "RTX 5090") is None


@pytest.mark.parametrize(
    ("provider", "region", "expected"),
    [
        ("AWS", "us-east-1", "US"), ("Amazon", "eu-central-1", "DE"), ("azure", "swedencentral", "SE"),
        ("Google Cloud", "europe-west4", "NL"), (None, "eu-north-1", "SE"), ("own", "DE", "DE"), ("own", None, None),
        ("own", "the moon", None), ("own", "us-east-1", "US"),
    ],
)  # fmt: skip
def test_regions_have_a_country(provider, region, expected):
    assert region_country(provider, region) == expected
