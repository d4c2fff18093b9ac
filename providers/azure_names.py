"""Names of Azure virtual machines: from meter names to SKUs, and what a meter or product name says beside the size."""

import re
from dataclasses import dataclass

from providers.knowledge import find_sku

PROVIDER = "azure"
MODELS = r"A100|H100|H200|MI300X|GB200|GB300|A10|T4|V710|V620|RTXPRO6000BSE"
JOINED = re.compile(rf"(?:Standard[_ ])?(N[CDGV][A-Z]*[0-9]+[a-z]*)[_ ]?({MODELS})?[_ ]?(v[0-9])?", re.IGNORECASE)
TIERS = re.compile(r"\s*(?:-\s*)?\b(?:Spot|Low Priority|Expired|Promo|DevTest)\b\s*", re.IGNORECASE)
WINDOWS = re.compile(r"\bWin(?:dows)?\b", re.IGNORECASE)
OTHER_SERVICE = re.compile(r"Cloud ?Services|Dedicated|Licen[sc]e|Reservation-", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tier:
    """How a meter is bought and what system is in its price."""

    purchase_model: str
    os: str


def machine_sku(name: str) -> str:
    """Return the SKU that a meter, SKU or arm SKU name stands for: `ND96isrH100v5` is `Standard_ND96isr_H100_v5`."""
    first = TIERS.sub(" ", name.split("/")[0]).strip()
    match = JOINED.fullmatch(first)
    if match:
        return "Standard_" + "_".join(part for part in match.groups() if part)
    return "Standard_" + re.sub(r"\s+", "_", re.sub(r"^Standard[_ ]", "", first))


def has_accelerator(sku: str) -> bool:
    """Return whether a SKU is of an accelerated family, whether or not its size is known."""
    known = find_sku(PROVIDER, sku)
    return known is not None and not known.has_none


def tier_of(names: str, product: str, sku: str) -> Tier:
    """Return purchase model and system from what stands in SKU and meter names and in the product name."""
    lower = names.lower()
    if "low priority" in lower:
        model = "low_priority"
    elif re.search(r"\bspot\b", lower):
        model = "spot"
    elif "promo" in lower or sku.lower().endswith("_promo"):
        model = "promo"
    else:
        model = "on_demand"
    return Tier(model, "windows" if WINDOWS.search(product) else "linux")
