"""GpuInfo, the column in which SkyPilot catalogs describe the GPUs of an instance: evidence, never the last word."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from providers.names import form_of, read_name, sizes_of, spelled_sizes

MIB_PER_GIB = 1024
LEAST_MIB = 1_000  # smaller figures are GB under a name that says MiB
FIELD = r"['\"]{0,2}%s['\"]{0,2}\s*:\s*['\"]{0,2}"
NAME = re.compile(FIELD % "name" + r"([^'\",}\]]+)", re.IGNORECASE)
SIZE = re.compile(FIELD % "sizeinmib" + r"([0-9]+(?:\.[0-9]+)?)", re.IGNORECASE)
TOTAL = re.compile(FIELD % "totalgpumemoryinmib" + r"([0-9]+(?:\.[0-9]+)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GpuInfo:
    """The name and the memory figures [GB] of a description, as it states them."""

    name: str = ""
    each_gb: Decimal | None = None
    total_gb: Decimal | None = None


@lru_cache(maxsize=4_096)
def read_gpu_info(text: str) -> GpuInfo:
    """Read a description: a Python dict or JSON as text in any case, or the bare name of the GPU."""
    if not text.startswith(("{", "[")):
        return GpuInfo(text)
    name = NAME.search(text)
    return GpuInfo(name[1].strip() if name else "", _gigabytes(SIZE, text), _gigabytes(TOTAL, text))


def _gigabytes(pattern: re.Pattern[str], text: str) -> Decimal | None:
    match = pattern.search(text)
    if match is None:
        return None
    value = Decimal(match[1])
    return value / MIB_PER_GIB if value >= LEAST_MIB else value


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of one GPU [GB] as a description proves it; `is_open` says that it allows two readings."""

    gb: Decimal | None = None
    is_open: bool = False


@lru_cache(maxsize=4_096)
def proven_memory(info: GpuInfo, accelerator: str, count: Decimal | None) -> Memory:
    """Return the memory of one GPU where the description fits exactly one size that the model is made with.

    Catalogs write the memory of one GPU, that of all together, or that of the host: a figure that is no size of the
    model proves nothing, and one that could be either is left open.
    """
    name = read_name(accelerator)
    sizes = spelled_sizes(accelerator) if name is None else sizes_of(name.model)
    if info.each_gb is None:
        return Memory()
    each = _size(info.each_gb, sizes)
    shared = _size(info.each_gb / count, sizes) if count and count > 1 else None
    if each is None or shared is None:
        return Memory(each or shared)
    is_sum = info.total_gb is not None and count is not None and info.total_gb == info.each_gb * count
    return Memory(each) if is_sum else Memory(is_open=True)


def _size(stated: Decimal, sizes: tuple[Decimal, ...]) -> Decimal | None:
    fitting = [size for size in sizes if abs(size - stated) <= size / 10]
    return min(fitting, key=lambda size: abs(size - stated), default=None)


@lru_cache(maxsize=4_096)
def described_form(info: GpuInfo, accelerator: str) -> str:
    """Return the form factor that the described name shows of the same model, empty without one."""
    one, other = read_name(info.name), read_name(accelerator)
    if one is None or other is None or one.model != other.model:
        return ""
    return form_of(info.name) or (one.form_factor or "" if other.form_factor is None else "")
