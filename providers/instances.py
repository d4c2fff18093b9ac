"""What one billed instance holds: accelerator, form factor, memory and how many, or why that cannot be told."""

from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from providers.cells import plain
from providers.knowledge import BANDS
from providers.names import Name, canonical, form_of, leading_count, read_name, sizes_of
from providers.rates import rounded
from providers.sheet import Reason

COUNT_TOLERANCE = Decimal("0.02")  # of the count: catalogs write 1/6 as 0.167
GPU_WORD = "accelerators"


class Stated(NamedTuple):
    """What a source says of an instance: the accelerator's name as written and what stands beside it.

    `sku_accelerator` and `sku_accelerators` are what the tables know of its SKU; `default_vram_gb` what the catalog
    means by a model without memory.
    """

    written: str
    form_factor: str
    vram_gb: Decimal | None
    accelerators: Decimal | None
    basis: str
    sku_accelerator: str | None
    sku_accelerators: Decimal | None
    default_vram_gb: tuple[tuple[str, Decimal], ...]


@dataclass(frozen=True, slots=True)
class Instance:
    """What an instance holds, with the steps that led there and the reasons that hold its row.

    `accelerator` is None where nobody knows the name; `accelerators` is less than 1 for a part of one.
    """

    accelerator: str | None
    form_factor: str | None
    accelerators: Decimal | None
    vram_gb: Decimal | None
    steps: tuple[str, ...]
    reasons: tuple[Reason, ...]


@dataclass(slots=True)
class _Notes:
    steps: list[str] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)


@lru_cache(maxsize=16_384)
def instance_of(stated: Stated) -> Instance:
    """Return what an instance holds: a catalog says the same of most of its instances."""
    notes = _Notes()
    name = _name(notes, stated)
    if name is None:
        return Instance(None, None, stated.accelerators, None, tuple(notes.steps), tuple(notes.reasons))
    count = _count(notes, stated, name)
    memory = _memory(notes, stated, name, count)
    return Instance(name.accelerator, name.form_factor, count, memory, tuple(notes.steps), tuple(notes.reasons))


def _name(notes: _Notes, stated: Stated) -> Name | None:
    """Return the accelerator by its name and its SKU, the variant by its memory."""
    written, form = stated.written, stated.form_factor
    if stated.sku_accelerator is None:
        form = _agreed_form(notes, form, form_of(written), written)
    name = read_name(written, stated.vram_gb, form) if written else None
    if stated.sku_accelerator is not None:
        name = _by_sku(stated.sku_accelerator, name, written, notes)
    return None if name is None else _with_memory(name, stated)


def _agreed_form(notes: _Notes, beside: str, named: str, written: str) -> str:
    """Return the form factor that the name and what stands beside it agree on; a contradiction holds the row."""
    if not beside or not named or beside == named:
        return beside
    if {beside, named} == {"PCIe", "NVL"}:  # an NVL is a PCIe card: the narrower word is meant
        return "NVL"
    message = f"the name {written} says {named}, what stands beside it {beside}"
    facts = {"written": named, "beside": beside}
    notes.reasons.append(Reason("form_factor_conflict", message, "say which of the two is right", facts))
    return named


def _by_sku(accelerator: str, name: Name | None, written: str, notes: _Notes) -> Name | None:
    by_sku = read_name(accelerator)
    if name is not None and by_sku is not None and name.model != by_sku.model:
        message = f"the row says {written}, its SKU holds {by_sku.accelerator}"
        facts = {"written": written, "sku": by_sku.accelerator}
        notes.reasons.append(Reason("accelerator_conflict", message, "say which of the two is right", facts))
    return by_sku or name


def _with_memory(name: Name, stated: Stated) -> Name:
    """Settle the variant by the memory stated beside the name, else by what the catalog means without one."""
    if name.memory_gb is not None:
        return name
    return _variant(name, stated.vram_gb or dict(stated.default_vram_gb).get(name.model))


@lru_cache(maxsize=4_096)
def _variant(name: Name, memory_gb: Decimal | None) -> Name:
    fitting = [size for size in name.nominal_gb if memory_gb and abs(size - memory_gb) <= size / 10]
    if len(fitting) != 1:
        return name
    accelerator = canonical(name.model, name.form_factor, fitting[0])
    return replace(name, accelerator=accelerator, memory_gb=fitting[0])


def _count(notes: _Notes, stated: Stated, name: Name) -> Decimal | None:
    """Return how many accelerators one instance holds; a part of one is less than 1."""
    written, by_sku, count = stated.written, stated.sku_accelerators, stated.accelerators
    lead = leading_count(written)
    if count is None and by_sku is None and lead:
        count = Decimal(lead)
    if name.parts != 1:
        return _whole_of_parts(notes, name, count, written)
    if lead and count != lead and stated.basis != "per_accelerator_hour" and written.lstrip().startswith(str(lead)):
        message = f"{written} is {lead} {GPU_WORD}, the row says {plain(count or Decimal(0))}"
        facts = {"written": plain(count or Decimal(0)), "name": str(lead)}
        notes.reasons.append(Reason("count_conflict", message, "say how many accelerators the price is for", facts))
    if by_sku is not None:
        if count is not None and abs(count - by_sku) > COUNT_TOLERANCE * by_sku and not (count == 1 > by_sku):
            message = f"the row says {plain(count)} {GPU_WORD}, its SKU holds {plain(rounded(by_sku))}"
            facts = {"written": plain(count), "sku": plain(rounded(by_sku))}
            notes.reasons.append(Reason("count_conflict", message, "say which of the two is right", facts))
        return by_sku
    if count is None or stated.vram_gb is None or not name.nominal_gb:
        return count
    is_whole = stated.basis == "per_accelerator_hour" or count > 1  # parts are sold one by one
    return count if is_whole else count * _fraction(notes, stated.vram_gb, name)


def _whole_of_parts(notes: _Notes, name: Name, count: Decimal | None, written: str) -> Decimal:
    """Return the accelerators of a name that stands for several or for a part: catalogs count it as one."""
    notes.steps.append(f"{written} is {plain(rounded(name.parts))} {GPU_WORD}")
    if count is not None and name.parts > 1 and count not in (Decimal(1), name.parts):
        message = f"the row says {plain(count)}, {written} is {plain(name.parts)} {GPU_WORD}"
        facts = {"written": plain(count), "name": plain(name.parts)}
        notes.reasons.append(Reason("count_conflict", message, "say how many accelerators the price is for", facts))
    return name.parts if name.parts > 1 else (count or Decimal(1)) * name.parts


def _fraction(notes: _Notes, vram_gb: Decimal, name: Name) -> Decimal:
    """Return the part of an accelerator that is sold, told by its memory; 1 when it is whole."""
    low = BANDS["memory"].low or Decimal(1)
    if vram_gb >= low * min(name.nominal_gb):
        return Decimal(1)
    sizes = {name.memory_gb} if name.memory_gb else set(name.nominal_gb)
    if len(sizes) != 1:
        message = f"{plain(vram_gb)} GB is part of a {name.accelerator}, which is made with several memory sizes"
        notes.reasons.append(
            Reason(
                "fraction_unknown", message, "map the SKU to the variant and state its share", {"gb": plain(vram_gb)}
            )
        )
        return Decimal(1)
    whole = sizes.pop() or vram_gb
    if vram_gb > whole * (BANDS["fraction"].high or Decimal(1)):  # no seller cuts off a tenth: another model is meant
        return Decimal(1)
    notes.steps.append(f"{plain(vram_gb)} of {plain(whole)} GB is a part of one accelerator")
    return vram_gb / whole


def _memory(notes: _Notes, stated: Stated, name: Name, count: Decimal | None) -> Decimal | None:
    """Return the memory of one accelerator; one of no variant holds the row: a wrong column, a total, another model."""
    size, nominal = stated.vram_gb, name.nominal_gb
    if size is None:  # as the name says: RTX 4090 48GB is no RTX 4090
        size, nominal = name.memory_gb, nominal if name.form_factor == "NVL" else sizes_of(name.model)
    if size is None:
        return name.memory_gb
    if not nominal:
        return size
    low, high = BANDS["memory"].low or Decimal(1), BANDS["memory"].high or Decimal(1)
    is_part = count is not None and count < 1 and stated.basis != "per_accelerator_hour" and stated.vram_gb is not None
    named = name.memory_gb
    if stated.vram_gb is not None and named is not None and not is_part and not low <= size / named <= high:
        message = f"{plain(size)} GB per accelerator, but {name.accelerator} has {plain(named)} GB"
        facts = {"written": plain(size), "nominal": plain(named)}
        notes.reasons.append(Reason("memory_differs", message, "say which accelerator is meant", facts))
        return named
    too_much = size > high * max(nominal)
    too_little = not is_part and size < low * min(nominal)
    if too_much or too_little:
        sizes = " or ".join(plain(size) for size in nominal)
        message = f"{plain(size)} GB per accelerator, but {name.accelerator} has {sizes} GB"
        facts = {"written": plain(size), "nominal": sizes}
        notes.reasons.append(Reason("memory_differs", message, "say which accelerator is meant", facts))
        return named
    return stated.vram_gb if stated.vram_gb is not None and not is_part else named
