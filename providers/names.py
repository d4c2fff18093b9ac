"""Accelerator names: any seller's spelling to one model with form factor and memory, or nothing."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from providers.knowledge import MODELS, NOT_ALPHANUMERIC, REFERENCE_MODELS, Model, squeezed
from providers.reference import ACCELERATORS, read_accelerator_name

MIG = re.compile(r"(?<![0-9A-Z])([1-7])G\.([0-9]+)GB", re.IGNORECASE)
MIG_SLICES = 7  # compute slices of an A100, H100, H200 or B200 (NVIDIA MIG user guide)
COUNT = re.compile(
    r"(?<![A-Za-z0-9])([0-9]{1,4})\s*[xX×]\s*(?=[A-Za-z])|(?:\s*::|\s+[xX×]\s*|(?<=[A-Za-z0-9])[x×])([0-9]{1,3})\s*$|"
    r"\s*[(\[]?\b([0-9]{1,3})[\s-]*GPUs?\b[)\]]?\s*$"
)  # 8x H100, H100::8, H100x8, H100 (8 GPUs); the X of MI300X 192 is part of the name
FABRIC = re.compile(
    r"(?:\b(?:with|w/)|\+)?\s*[(\[]?\b(?:[0-9]+G\s*)?(?:InfiniBand|IB|RoCE(?:v2)?|NDR|HDR)\b[)\]]?", re.IGNORECASE
)  # the network between nodes, which is no part of the model
PCI_E = re.compile(r"\bPCI-E(?:xpress)?\b", re.IGNORECASE)
NVL_CARD = re.compile(r"(?<![A-Z0-9])NVL(?![A-Z0-9])")  # an H100 NVL is a PCIe card: the narrower word is meant
MIB = re.compile(r"([0-9]{4,6})\s*MiB", re.IGNORECASE)
TPU_SLICE = re.compile(
    r"(?:cloud[-_ ])?(?:tpu)?[-_ ]?(v2|v3|v4|v5p|v5litepod|v5lite|v5e|v6e|7x|v7x)[-_]([0-9]{1,5})", re.IGNORECASE
)
CORES_PER_CHIP = {
    "v2": 2,
    "v3": 2,
    "v4": 2,
    "v5p": 2,
}  # the number in these slice names counts cores; Google Cloud TPU docs
FORM = re.compile(r"(?<![A-Z0-9])(SXM[2-6]?|PCIE?|NVL)(?:X[0-9]{1,2})?(?![A-Z0-9])")  # SXM5x8: eight of them
SXM_BOARDS = re.compile(r"(?<![A-Z0-9])(?:HGX|DGX)(?![A-Z0-9])")  # boards and servers that hold SXM parts
SXM_WORDS = re.compile(r"(?<![A-Z0-9])(?:HBM3|MEGA|PLUS)(?![A-Z0-9])")  # on an H100 these name the SXM part
NOISE = re.compile(
    r"\b(?:NVIDIA|GEFORCE|TENSOR CORE|GPUS?|GENERATION|EDITION|AMD|INTEL|HABANA|RADEON INSTINCT|INSTINCT|AWS|VWS|"
    r"BARE ?METAL|BLACKWELL|SERVER|NVLINK)\b|\bGEFORCE(?=[GR]TX)"
)
MEMORY = re.compile(r"\(?\b([0-9]{1,3}(?:\.[0-9]+)?)\s*(?:GB|GIB|G)\b\)?")
SPLIT_SXM = re.compile(r"(?<=SXM)[-_ ](?=[2-6](?![0-9]))", re.IGNORECASE)  # SXM-5
HOST_MEMORY = re.compile(r"(?<=GH200)[-_ ]*(?:480|624) ?GB", re.IGNORECASE)  # NVIDIA names it with the CPU's memory
DOT = re.compile(r"\.(?![0-9])|(?<![0-9])\.")  # h100-80gb.sxm, not 1.5 GB
JOINED = re.compile(r"(?<=[0-9])(?=(?:NVL|SXM|PCIE))", re.IGNORECASE)  # H100NVL, H100SXM5
CHANGED = re.compile(r"\bMOD\b")  # a card whose memory somebody changed is no longer that model


@dataclass(frozen=True, slots=True)
class Name:
    """What a written accelerator name says.

    `accelerator` is the canonical name; `nominal_gb` the memory sizes that the model is made with; `parts` the
    accelerators that one unit of the name stands for (a TPU slice of 8 chips: 8; a MIG part: its compute share).
    """

    accelerator: str
    model: str
    form_factor: str | None
    memory_gb: Decimal | None
    nominal_gb: tuple[Decimal, ...]
    parts: Decimal = Decimal(1)
    mig: bool = False


@lru_cache(maxsize=16_384)
def read_name(written: str, memory_gb: Decimal | None = None, form_factor: str = "") -> Name | None:
    """Return what a written name says, None when the model is not known.

    Parameters
    ----------
    written : str
        As a seller writes it: `A100-80GB-SXM`, `NVIDIA H100 80GB HBM3`, `RTXPRO6000WS`, `tpu-v5litepod-8`.
    memory_gb : Decimal, optional
        Memory of one accelerator [GB] stated beside the name; tells variants of one spelling apart.
    form_factor : str, optional
        Form factor stated beside the name.
    """
    slice_of = TPU_SLICE.fullmatch(written.strip())
    if slice_of:
        generation = slice_of[1].lower()
        chips = Decimal(slice_of[2]) / CORES_PER_CHIP.get(generation, 1)
        chip = _read(f"TPU {generation if generation.startswith('v') else 'v' + generation}", None, "")
        return replace(chip, parts=chips) if chip else None
    mig = MIG.search(written)
    if mig:
        whole = _read(MIG.sub(" ", re.sub(r"\bMIG\b", " ", written, flags=re.IGNORECASE)), None, form_factor)
        return replace(whole, parts=Decimal(mig[1]) / MIG_SLICES, mig=True) if whole else None
    return _read(written, memory_gb, form_factor)


def leading_count(written: str) -> int | None:
    """Return the count that a name carries, `8x H100` or `H100::8`; None without one."""
    match = COUNT.search(written)
    return int(match[1] or match[2] or match[3]) if match else None


def form_of(text: str) -> str:
    """Return the form factor that an instance name shows, empty without one."""
    upper = text.upper()
    if "SXM" not in upper and "PCI" not in upper and "NVL" not in upper:  # most names show none: no need to search
        return ""
    match = FORM.search(NOT_ALPHANUMERIC.sub(" ", upper))
    if match is None:
        return ""
    return "SXM" if match[1].startswith("SXM") else {"PCI": "PCIe", "PCIE": "PCIe", "NVL": "NVL"}[match[1]]


def _read(written: str, memory_gb: Decimal | None, form_factor: str) -> Name | None:
    text = PCI_E.sub("PCIe", FABRIC.sub(" ", COUNT.sub("", written)))
    text = MIB.sub(lambda found: f"{round(int(found[1]) / 1024)} GB", text)
    if CHANGED.search(text.upper()):
        return None
    text = JOINED.sub(" ", SPLIT_SXM.sub("", HOST_MEMORY.sub("", DOT.sub(" ", text))))
    stated = read_accelerator_name(text)
    form = form_of(form_factor) or stated.form_factor or form_of(text)
    if form == "PCIe" and NVL_CARD.search(text.upper()):
        form = "NVL"
    memory = _size(stated.memory_gb) if stated.memory_gb else None
    found = _by_table(text, memory or memory_gb)
    if found is not None:
        return _named(found.name, form or found.form_factor, memory, found.memory_gb)
    if stated.model in REFERENCE_MODELS:
        if not form and _is_sxm(stated.model, text.upper()):
            form = "SXM"
        return _named(stated.model, form or None, memory, ())
    return None


def _is_sxm(model: str, upper: str) -> bool:
    """Return whether the words beside a model name its SXM part."""
    if not any(ACCELERATORS[key].form_factor == "SXM" for key in REFERENCE_MODELS[model]):
        return False
    return bool(SXM_BOARDS.search(upper)) or (model.startswith("H100") and bool(SXM_WORDS.search(upper)))


def _by_table(text: str, memory: Decimal | None) -> Model | None:
    """Look a name up as written, then without maker, memory and form factor."""
    upper = re.sub(r"[_\-/]+", " ", text.upper())
    upper = re.sub(r"\((HIGH FREQ\.?)\)", r" \1", upper)
    bare = FORM.sub(" ", MEMORY.sub(" ", NOISE.sub(" ", upper)))
    for spelling in (upper, bare, bare.replace("TESLA", " "), re.sub(r"QUADRO|TESLA|RADEON(?: PRO)?", " ", bare)):
        models = MODELS.get(squeezed(spelling), ())
        if len(models) > 1:
            models = tuple(model for model in models if memory is not None and memory in model.memory_gb)
        if len(models) == 1:
            return models[0]
    return None


@lru_cache(maxsize=1_024)
def sizes_of(model: str) -> tuple[Decimal, ...]:
    """Return the memory sizes [GB] that a model is made with, in all its form factors."""
    known = [_size(ACCELERATORS[key].memory_gb) for key in REFERENCE_MODELS.get(model, ())]
    spelled = [size for entry in MODELS.get(squeezed(model), ()) if entry.name == model for size in entry.memory_gb]
    return tuple(dict.fromkeys((*known, *spelled)))


@lru_cache(maxsize=1_024)
def _sizes_in(model: str, form: str | None) -> tuple[Decimal, ...]:
    """Return the sizes that the table of spellings knows of a model in one form factor, beside the reference table."""
    found = (entry for models in MODELS.values() for entry in models if entry.name == model)
    return tuple(size for entry in found if form and entry.form_factor == form for size in entry.memory_gb)


@lru_cache(maxsize=1_024)
def spelled_sizes(written: str) -> tuple[Decimal, ...]:
    """Return the memory sizes [GB] of all models that share a spelling, which the memory alone tells apart."""
    return tuple(dict.fromkeys(size for model in MODELS.get(squeezed(written), ()) for size in model.memory_gb))


def _size(memory_gb: float) -> Decimal:
    return Decimal(f"{memory_gb:g}")


def _named(model: str, form: str | None, memory: Decimal | None, sizes: tuple[Decimal, ...]) -> Name:
    entries = [ACCELERATORS[key] for key in REFERENCE_MODELS.get(model, ())]
    forms = {entry.form_factor for entry in entries}
    if len(forms) == 1 and (form is None or forms & {"NVL72"}):  # GB300 SXM6: a superchip whatever its module is called
        form = forms.pop()
    fitting = [entry for entry in entries if form in (None, entry.form_factor)]
    made = (*(_size(entry.memory_gb) for entry in fitting), *_sizes_in(model, form), *sizes)
    nominal = tuple(dict.fromkeys(made)) or sizes_of(model)
    known = memory if memory is not None or len(nominal) != 1 else nominal[0]
    return Name(canonical(model, form, memory), model, form, known, nominal)


@lru_cache(maxsize=4_096)
def canonical(model: str, form: str | None, memory: Decimal | None) -> str:
    """Return the name under which an accelerator is kept: a key of the reference table where exactly one is meant.

    Otherwise the model with as much as is stated, so that nothing is claimed that the seller did not say.
    """
    entries = [ACCELERATORS[key] for key in REFERENCE_MODELS.get(model, ())]
    if not entries:
        return model
    if len(entries) == 1 and form in (None, entries[0].form_factor):
        return entries[0].name
    fitting = [
        entry
        for entry in entries
        if (form is None or entry.form_factor == form)
        and (memory is None or abs(_size(entry.memory_gb) - memory) <= memory / 10)
    ]
    is_sure = memory is not None or not set(_sizes_in(model, form)) - {_size(entry.memory_gb) for entry in fitting}
    if form and len(fitting) == 1 and is_sure:
        return fitting[0].name
    size = None if memory is None else f"{memory.normalize():f}"
    shown = None if {entry.form_factor for entry in entries} == {form} else form  # the only form there is says nothing
    return "-".join(part for part in (model, shown, size) if part)
