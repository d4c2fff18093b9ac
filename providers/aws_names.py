"""What AWS attributes say of an instance beside its type: accelerators, market, licence; for every list of them."""

from collections.abc import Mapping
from decimal import Decimal

from providers.cells import read_number
from providers.errors import CellError
from providers.knowledge import find_sku
from providers.sheet import Reason

PROVIDER = "aws"
CHINA = "cn-"  # regions of the two Chinese operators, whose lists are in their own currency alone
CHINA_CURRENCY = "CNY"


def stated_accelerators(written: object) -> Decimal | None:
    """Return the accelerators of an instance as stated beside its type; None for none, a part of one, or no number."""
    try:
        number = read_number(written)
    except CellError:
        return None
    return number if number is not None and number >= 1 else None


def has_no_accelerator(sku: str, accelerators: Decimal | None) -> bool:
    """Return whether an instance type has no accelerator; a count beside it is believed before the family's name."""
    known = find_sku(PROVIDER, sku)
    return accelerators is None and (known is None or known.has_none)


def china_doubt(region: str, currency: str | None) -> list[Reason]:
    """Return why a price of a region in China is not that of its list: it is stated in another currency than it has."""
    if not region.startswith(CHINA) or currency in {None, CHINA_CURRENCY}:
        return []
    message = f"AWS sells {region} in {CHINA_CURRENCY} alone, the price is in {currency}"
    release = f"state the price in {CHINA_CURRENCY}"
    return [Reason("currency_conflict", message, release, {"currency": CHINA_CURRENCY})]


def market_of(attributes: Mapping[str, str]) -> str:
    """Return how an instance without a term is bought, by attributes with squeezed names."""
    return "capacity_block" if attributes.get("MARKETOPTION", "").lower() == "capacityblock" else "on_demand"


def licence_apart(attributes: Mapping[str, str]) -> str:
    """Return in words who pays the licence where the price leaves it out and is that of Linux; empty where it is in."""
    if "bring your own" in attributes.get("LICENSEMODEL", "").lower():
        return "own licence"
    is_apart = "infrastructure" in attributes.get("LICENSEMODEL", "").lower()  # License Included - Infrastructure
    return "licence billed apart" if is_apart or attributes.get("OPERATION", "").lower().endswith(":box") else ""


def variant_name(sku: str, *variants: str) -> str:
    """Return an instance type with what tells offers of it apart, `p5.48xlarge (convertible; own licence)`."""
    shown = "; ".join(variant for variant in variants if variant)
    return f"{sku} ({shown})" if shown else sku
