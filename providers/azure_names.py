"""Names of Azure virtual machines: from meter names to SKUs, and what a meter or product name says beside the size."""

import re
from dataclasses import dataclass

from providers.knowledge import find_sku
from providers.sheet import Reason

PROVIDER = "azure"
MODELS = r"A100|H100|H200|B200|B300|MI300X|GB200|GB300|A10|T4|V710|V620|RTXPRO6000BSE"
JOINED = re.compile(
    rf"(?:Standard[_ ])?(N[CDGV][A-Z]*[0-9]+[a-z]*?)[_ ]?(NDR)?[_ ]?({MODELS})?[_ ]?(v[0-9])?", re.IGNORECASE
)
TIERS = re.compile(r"\s*(?:-\s*)?\b(?:Spot|Low Priority|Expired|Promo|DevTest)\b\s*", re.IGNORECASE)
WINDOWS = re.compile(r"\bWin(?:dows)?\b", re.IGNORECASE)
EXPIRED = re.compile(r"\bExpired\b", re.IGNORECASE)  # a meter that is billed no more, its last price still listed
OTHER_SERVICE = re.compile(r"Cloud ?Services|Dedicated|Licen[sc]e|Reservation-", re.IGNORECASE)
MACHINES = frozenset(
    {
        "",
        "virtual machines",
        "virtuelle computer",
        "machines virtuelles",
        "máquinas virtuales",
        "macchine virtuali",
        "máquinas virtuais",
        "virtuele machines",
        "virtuella datorer",
        "maszyny wirtualne",
        "виртуальные машины",
        "仮想マシン",
        "virtual machine",
        "虚拟机",
        "虛擬機器",
        "가상 머신",
    }
)  # meter categories of machines; Machine Learning, Databricks and Batch have meters named like the machines they use
KNOWN_OTHERS = re.compile(r"azure |cloud ?services|.*databricks|.*machine learning|.*batch", re.IGNORECASE)
DEV_TEST_OFFERS = frozenset(
    {"MS-AZR-0148P", "MS-AZR-0023P", "MS-AZR-0029P", "MS-AZR-0059P", "MS-AZR-0060P", "MS-AZR-0063P"}
)
DEV_TEST = Reason(
    "dev_test_price",
    "the price holds for Dev/Test subscriptions alone",
    "confirm that the buyer has such a subscription",
)


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


def sku_in(text: str) -> str:
    """Return the accelerated SKU that one part of a product text names, as `… Series - NC24ads A100 v4 - US East`."""
    parts = (machine_sku(part) for part in re.split(r"\s+-\s+|,", text))
    return next((sku for sku in parts if has_accelerator(sku)), "")


def service_doubt(category: str) -> Reason | None:
    """Return why a meter of an accelerated size may be no machine: its category is known neither as one nor as else."""
    if category.casefold() in MACHINES:
        return None
    message = f"the meter category {category!r} is not known to be that of virtual machines"
    release = "say whether the price is that of a virtual machine"
    return Reason("unknown_service", message, release, {"category": category})


def is_other_service(category: str) -> bool:
    """Return whether a meter category is known to be of a service whose meters are named like machines."""
    return category.casefold() not in MACHINES and KNOWN_OTHERS.match(category) is not None


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
