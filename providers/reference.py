"""Accelerators, published inference rates and regions: the reference tables, read once from providers/data."""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

DATA_FOLDER = Path(__file__).resolve().parent / "data"
NAMES_KEPT = 4096  # spellings whose reading is kept; a catalog of prices repeats few names many times
MEMORY_TOLERANCE = 0.10  # of the larger figure: makers round 180, 183 and 192 GB of one part, yet 80 and 94 differ
TRAINING_RATES = ("llama2_70b_lora_samples_s", "bert_train_samples_s", "bf16_dense_tflops")  # the first both have
INFERENCE_RATES = ("llama2_70b_offline_tokens_s", "bf16_dense_tflops")  # the first both have
FORM_FACTORS = {"PCIE": "PCIe", "PCI": "PCIe", "OAM": "OAM", "NVL": "NVL", "SUPERCHIP": "superchip"}
FORM_FACTOR_SYNONYMS = {("H200", "PCIe"): "NVL"}  # the only PCIe card of the model is the NVL
SERIES = ("TPU", "TRAINIUM", "INFERENTIA", "GAUDI")  # a number after these belongs to the model, not the memory
MODEL_SYNONYMS = {
    "V4": "TPUV4", "V5E": "TPUV5E", "V5P": "TPUV5P", "V6E": "TPUV6E", "TPUV5LITE": "TPUV5E", "TPUV5LITEPOD": "TPUV5E",
    "TRILLIUM": "TPUV6E", "IRONWOOD": "TPUV7X", "TPU7X": "TPUV7X", "TPUV7": "TPUV7X", "TRN1": "TRAINIUM1",
    "TRAINIUM": "TRAINIUM1", "TRN2": "TRAINIUM2", "TRN3": "TRAINIUM3", "INF2": "INFERENTIA2",
    "RTX6000PRO": "RTXPRO6000",
}  # fmt: skip
NOISE = frozenset({
    "NVIDIA", "AMD", "INTEL", "AWS", "AMAZON", "GOOGLE", "HABANA", "INSTINCT", "TESLA", "GEFORCE", "VIRTUALIZED", "CTS",
    "TENSOR", "CORE", "GPU", "GPUS", "DLC", "HGX", "DGX", "SPX", "MEGA", "VWS", "AIR", "LIQUID", "COOLED", "GRACE",
    "HOPPER", "BLACKWELL", "AMPERE", "SERVER", "EDITION", "CLOUD", "NVLINK", "RACK", "BARE", "METAL", "BAREMETAL", "GB",
    "GIB", "G",
})  # fmt: skip
NOISE_PATTERN = re.compile(r"HBM\w*|GDDR\w*|\d+W|\d+X|X\d+|NPS\d")
EU_COUNTRIES = frozenset({  # members of the European Union, by ISO 3166 alpha-2
    "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE", "IT", "LV", "LT", "LU", "MT",
    "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE",
})  # fmt: skip
EEA_COUNTRIES = EU_COUNTRIES | {"IS", "LI", "NO"}
PROVIDER_SYNONYMS = {
    "amazon": "aws", "amazon web services": "aws", "microsoft": "azure", "microsoft azure": "azure", "google": "gcp",
    "google cloud": "gcp", "oracle": "oci", "oracle cloud": "oci", "lambda labs": "lambda",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One accelerator model in one form factor and memory size; what is not published is None.

    Rates are per accelerator and dense (never sparse); `node_kw_max` is the all-in power of `node_accelerators`.
    """

    name: str
    model: str
    form_factor: str
    maker: str
    memory_gb: float
    memory_tb_s: float | None
    bf16_dense_tflops: float | None
    fp16_dense_tflops: float | None
    fp8_dense_tflops: float | None
    fp4_dense_tflops: float | None
    int8_dense_tops: float | None
    tdp_w: float | None
    scale_up_accelerators: int
    scale_up_gb_s: float | None
    node_accelerators: int | None
    node_kw_max: float | None
    node_kw_basis: str
    matmul_bf16_tflops: float | None
    llama2_70b_offline_tokens_s: float | None
    llama2_70b_server_tokens_s: float | None
    llama2_70b_lora_samples_s: float | None
    bert_train_samples_s: float | None
    resnet50_train_images_s: float | None
    source: str
    verification: str
    notes: str

    @property
    def training_tflops(self) -> float | None:
        """Dense 16-bit peak [TFLOPS]: BF16, or FP16 on parts that have no BF16."""
        return self.bf16_dense_tflops or self.fp16_dense_tflops


@dataclass(frozen=True, slots=True)
class AcceleratorName:
    """What a written name says: the model, and form factor and memory [GB] where it states them."""

    model: str
    form_factor: str | None
    memory_gb: float | None


@dataclass(frozen=True, slots=True)
class RateRatio:
    """Rate of one accelerator over that of another, with the name of the published rate."""

    ratio: float
    rate: str


def _rows(file_name: str) -> list[dict[str, str]]:
    with (DATA_FOLDER / file_name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _number(text: str) -> float | None:
    return float(text) if text.strip() else None


def _accelerator(row: dict[str, str]) -> Accelerator:
    texts = ("name", "model", "form_factor", "maker", "node_kw_basis", "source", "verification", "notes")
    values: dict[str, str | float | int | None] = {
        key: value if key in texts else _number(value) for key, value in row.items()
    }
    for key in ("scale_up_accelerators", "node_accelerators"):
        values[key] = int(row[key]) if row[key] else None
    return Accelerator(**values)  # type: ignore[arg-type]  # columns equal fields; a test compares them


def _squeezed(text: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", text.upper())


def _model_key(model: str) -> str:
    """Return `llama2-70b` and `Llama 2 70B` alike; the accuracy suffix of the rounds (-99) is dropped."""
    return re.sub(r"[^a-z0-9.]", "", re.sub(r"-99(\.9)?$", "", model.strip().lower()))


ACCELERATORS: Mapping[str, Accelerator] = MappingProxyType(
    {row["name"]: _accelerator(row) for row in _rows("accelerators.csv")}
)
_MODELS: Mapping[str, str] = {_squeezed(entry.model): entry.model for entry in ACCELERATORS.values()}
_INFERENCE: Mapping[tuple[str, str, str], float] = {
    (_model_key(row["model"]), row["accelerator"], row["slo"]): float(row["tokens_per_second"])
    for row in _rows("inference_rates.csv")
}
_REGIONS: Mapping[tuple[str, str], str] = {
    (row["provider"].lower(), row["region"].lower()): row["country"] for row in _rows("regions.csv")
}
_COUNTRIES = frozenset(_REGIONS.values()) | EEA_COUNTRIES


def _form_factor(token: str) -> str | None:
    if re.fullmatch(r"SXM\d?", token):
        return "SXM"
    if re.fullmatch(r"NVL\d+", token):
        return token
    if token in {"WORKSTATION", "MAXQ"}:
        return "workstation"
    return FORM_FACTORS.get(token)


def _memory(token: str, following: str, before: str) -> float | None:
    stated = re.fullmatch(r"(\d+(?:\.\d+)?)(GB|GIB|G)", token)
    if stated:
        return float(stated.group(1))
    if not re.fullmatch(r"\d+(?:\.\d+)?", token):
        return None
    if following in {"GB", "GIB", "G"}:
        return float(token)
    key = MODEL_SYNONYMS.get(before, before)
    sizes = [entry.memory_gb for entry in ACCELERATORS.values() if _squeezed(entry.model) == key]
    return float(token) if any(_same_memory(float(token), size) for size in sizes) else None


def _same_memory(one: float, other: float) -> bool:
    return abs(one - other) <= MEMORY_TOLERANCE * max(one, other)


@lru_cache(maxsize=NAMES_KEPT)
def read_accelerator_name(name: str) -> AcceleratorName:
    """Take a written accelerator name apart, whether or not the table knows its model.

    Parameters
    ----------
    name : str
        As a supplier writes it: `H100`, `NVIDIA H100 80GB HBM3`, `H100-SXM5-80GB`, `AMD Instinct MI300X`.

    Returns
    -------
    AcceleratorName
        `model` as in the reference table where that knows it, else the rest of the name in capitals.
    """
    text = re.sub(r"\([^)]*\bX\d+\)|MAX-Q", lambda found: "MAXQ" if found.group() == "MAX-Q" else " ", name.upper())
    tokens = [token for token in re.split(r"[^A-Z0-9.]+", text) if token]
    kept: list[str] = []
    form_factor: str | None = None
    memory_gb: float | None = None
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        before = "".join(kept)
        size = _memory(token, following, before)
        if size is not None and before not in SERIES:
            memory_gb = size
        elif _form_factor(token):
            form_factor = _form_factor(token)
        elif token.isdigit() and MODEL_SYNONYMS.get(before, before).startswith(SERIES) and before not in SERIES:
            continue  # v5e-256: the chips of a slice are no part of the model
        elif token not in NOISE and not NOISE_PATTERN.fullmatch(token):
            kept.append(token)
    while len(kept) > 1 and kept[-1] in {"TRILLIUM", "IRONWOOD"}:
        kept.pop()
    key = MODEL_SYNONYMS.get("".join(kept), "".join(kept))
    model = _MODELS.get(key, key)
    return AcceleratorName(model, FORM_FACTOR_SYNONYMS.get((model, form_factor or ""), form_factor), memory_gb)


def match_accelerator(name: str) -> AcceleratorName | None:
    """Return what a written name says, or None where the reference table does not know the model."""
    stated = read_accelerator_name(name)
    return stated if stated.model in _MODELS.values() else None


def _compatible(one: AcceleratorName, other: AcceleratorName) -> bool:
    if one.model != other.model:
        return False
    if one.form_factor and other.form_factor and one.form_factor != other.form_factor:
        return False
    return one.memory_gb is None or other.memory_gb is None or _same_memory(one.memory_gb, other.memory_gb)


def accelerator_accepts(wanted: str, offered: str) -> bool:
    """Return whether an offered accelerator satisfies a wanted name (semantics 40).

    A name without form factor or memory accepts every variant of that model; what both state must agree.
    """
    wish, offer = read_accelerator_name(wanted), read_accelerator_name(offered)
    if not _compatible(wish, offer):
        return False
    covered = variants(offered)  # a form factor may imply the memory: H100 NVL is the 94 GB part
    return not covered or any(_compatible(wish, _stated(ACCELERATORS[key])) for key in covered)


def _stated(entry: Accelerator) -> AcceleratorName:
    return AcceleratorName(entry.model, entry.form_factor, entry.memory_gb)


@lru_cache(maxsize=NAMES_KEPT)
def variants(name: str) -> tuple[str, ...]:
    """Return the keys of ACCELERATORS that a name covers; empty where the model is unknown."""
    stated = read_accelerator_name(name)
    return tuple(key for key, entry in ACCELERATORS.items() if _compatible(stated, _stated(entry)))


@lru_cache(maxsize=NAMES_KEPT)
def accelerator_of(name: str) -> Accelerator | None:
    """Return the reference entry of a name: of several variants the one with the largest scale-up domain, then memory.

    A cluster that says `H100` without more is sold as SXM; use `memory_gb` where the least must hold.
    """
    found = [ACCELERATORS[key] for key in variants(name)]
    return max(found, key=lambda entry: (entry.scale_up_accelerators, entry.memory_gb)) if found else None


def memory_gb(name: str) -> float | None:
    """Return the memory [GB] of a name: as stated, else the least of the variants that it covers."""
    stated = read_accelerator_name(name).memory_gb
    if stated is not None:
        return stated
    return min((ACCELERATORS[key].memory_gb for key in variants(name)), default=None)


def inference_rate(model: str, accelerator: str, slo: str) -> float | None:
    """Return the published throughput [tokens/s per accelerator] of a model at a service level.

    Parameters
    ----------
    model : str
        `llama2-70b`, `llama3.1-405b`, `llama3.1-8b`, `deepseek-r1`, `mixtral-8x7b` or `gptj`, in any spelling.
    accelerator : str
        Any written name; read as in `accelerator_of`.
    slo : str
        `offline`, `server` or `interactive`.

    Returns
    -------
    float or None
        Median of the round per accelerator; None where no round has it.

    References
    ----------
    MLCommons, MLPerf Inference v5.1 (2025) and v4.1 (2024) results.
    """
    entry = accelerator_of(accelerator)
    return None if entry is None else _INFERENCE.get((_model_key(model), entry.name, slo))


def rate_ratio(from_type: str, to_type: str, rates: tuple[str, ...] = TRAINING_RATES) -> RateRatio | None:
    """Return rate(to) / rate(from) by the first rate of `rates` that is published for both (semantics 7)."""
    one, other = accelerator_of(from_type), accelerator_of(to_type)
    if accelerator_accepts(from_type, to_type):
        return RateRatio(1.0, "same_model")
    if one is None or other is None:
        return None
    for rate in rates:
        below, above = getattr(one, rate), getattr(other, rate)
        if below and above:
            return RateRatio(float(above) / float(below), rate)
    return None


def performance_ratio(from_type: str, to_type: str) -> float | None:
    """Return how much more one `to_type` does than one `from_type` in training; None without a shared rate.

    The rate is the Llama 2 70B LoRA benchmark, else BERT, else the dense BF16 peak: `rate_ratio` says which.
    """
    found = rate_ratio(from_type, to_type)
    return None if found is None else found.ratio


@lru_cache(maxsize=4096)
def region_country(provider: str | None, region: str | None) -> str | None:
    """Return the ISO 3166 alpha-2 country of a provider's region; None where it is not known.

    Without a match for the provider a region counts when all providers that use the name agree on the country; a
    region written as a country code stands for itself.
    """
    if not region:
        return None
    name = (provider or "").strip().lower()
    found = _REGIONS.get((PROVIDER_SYNONYMS.get(name, name), region.strip().lower()))
    if found:
        return found
    if region.strip() in _COUNTRIES:
        return region.strip()
    agreed = {country for (_, key), country in _REGIONS.items() if key == region.strip().lower()}
    return agreed.pop() if len(agreed) == 1 else None
