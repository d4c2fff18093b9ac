"""Which accelerated machine a charge is for: bills name it in details, usage types, meters or descriptions."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from providers.azure_names import MACHINES, sku_in
from providers.knowledge import find_sku

INSTANCE = re.compile(
    r"(?<![\w.])((?:[a-z]{1,3}[0-9][a-z0-9-]*|trn[0-9][a-z]*|inf[0-9]|dl[0-9][a-z]*)\.(?:metal|[0-9]*x?large|medium|small|micro|nano)[a-z0-9-]*)\b"
    r"|\b(Standard_N[A-Za-z0-9_]+)\b|\b((?:a2|a3|a4x?|g2|g4)-[a-z]+-[0-9a-z]+)\b"
)
USAGE = re.compile(
    r"(?:^|-)(?:BoxUsage|SpotUsage|DedicatedUsage|HeavyUsage|UnusedBox|UnusedDed):([a-z0-9-]+\.[a-z0-9-]+)$"
)  # USE2-BoxUsage:p4d.24xlarge; other usage types are surcharges on a machine
EC2 = re.compile(r"|amazonec2|.*elastic compute cloud.*|(?:amazon )?ec2\b.*", re.IGNORECASE)
DETAIL_KEYS = ("InstanceType", "instanceType", "ArmSkuName", "x_InstanceType", "VMSize", "ServiceType")
LICENCE = re.compile(r"\bLicen[sc]e", re.IGNORECASE)
COMPONENT = re.compile(r"\b(?:Nvidia|GPU|TPU)(?![a-z])", re.IGNORECASE)  # of a machine that Google bills in parts


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns of one bill in which a machine may be named."""

    types: tuple[str, ...]
    details: tuple[str, ...]
    usages: tuple[str, ...]
    meters: tuple[str, ...]
    categories: tuple[str, ...]


def columns_of(header: Sequence[str]) -> Columns:
    """Return the columns of a header that may name a machine."""
    bare = {name: name.casefold().replace("_", "").removeprefix("x") for name in header}
    return Columns(
        types=tuple(name for name, found in bare.items() if "instancetype" in found),
        details=tuple(name for name, found in bare.items() if found in {"skupricedetails", "skudetails"}),
        usages=tuple(name for name, found in bare.items() if found == "usagetype"),
        categories=tuple(name for name, found in bare.items() if found == "skumetercategory"),
        meters=tuple(name for name, found in bare.items() if found in {"skumeter", "skumetername", "skudescription"}),
    )


def charged_sku(provider: str, charge: Mapping[str, str], columns: Columns) -> str:
    """Return the accelerated instance type, size or part that a charge is for, empty when it names none.

    Parameters
    ----------
    provider : str
        Key of the provider.
    charge : mapping
        Cells of the charge by column name; a column that the bill has not gives nothing.
    """
    if not _is_machine(provider, charge, columns):
        return ""
    for candidate in _candidates(provider, charge, columns):
        known = find_sku(provider, candidate)
        if known is not None and not known.has_none:
            return candidate
    return ""


def names_component(provider: str, charge: Mapping[str, str], columns: Columns) -> bool:
    """Return whether a charge is for the accelerators of a machine whose core and memory are charges of their own."""
    names = (charge.get(name) or "" for name in (*columns.meters, "ChargeDescription"))
    return provider == "gcp" and any(COMPONENT.search(name) for name in names)


def _is_machine(provider: str, charge: Mapping[str, str], columns: Columns) -> bool:
    """Return whether a charge is for a machine itself: surcharges and licences are billed by its hours as well."""
    if provider == "aws":
        return EC2.fullmatch(charge.get("ServiceName") or "") is not None
    if provider != "azure":
        return True
    stated = [charge.get(name) or "" for name in columns.categories]
    if any(stated):
        return all(text.casefold() in MACHINES for text in stated)
    return not any(LICENCE.search(charge.get(name) or "") for name in (*columns.meters, "ChargeDescription"))


def _candidates(provider: str, charge: Mapping[str, str], columns: Columns) -> Iterator[str]:
    for name in columns.types:
        yield charge.get(name) or ""
    for name in columns.details:
        yield from _detailed(charge.get(name) or "")
    for name in columns.usages:
        if match := USAGE.search(charge.get(name) or ""):
            yield match[1]
    description = charge.get("ChargeDescription") or ""
    for match in INSTANCE.finditer(description):
        yield from (part for part in match.groups() if part)
    if provider == "azure":
        for text in (*(charge.get(name) or "" for name in columns.meters), description):
            yield sku_in(text)
    if provider == "oci":
        yield charge.get("SkuId") or ""


def _detailed(text: str) -> Iterator[str]:
    if not text.startswith("{"):
        return
    try:
        stated = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from (str(stated[name]) for name in DETAIL_KEYS if name in stated)
