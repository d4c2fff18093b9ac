"""Units of measure and terms as sources write them: `10 Hours`, `1 GB/Month`, `1K/Hour`, `3 Years`, `1yr`, `P3Y`."""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from providers.knowledge import UNITS
from providers.rates import HOURS_PER_YEAR
from providers.sheet import Reason

BLOCK = re.compile(r"\s*(?:([0-9]+(?:\.[0-9]+)?)\s*([KM](?![A-Za-z]))?)?\s*(.*?)\s*", re.DOTALL)
FACTORS = {"K": Decimal(1_000), "M": Decimal(1_000_000)}
TERM = re.compile(
    r"P?\s*([0-9]{1,2})\s*-?\s*(y|yr|yrs|year|years|m|mo|month|months|jahre?|monate?|ans?|mois|a\u00f1os?|mes|meses)",
    re.IGNORECASE,
)
YEARS = ("y", "j", "a")
HOURS: dict[str, int] = {"hour": 1, "day": 24, "year": HOURS_PER_YEAR}  # of units with a fixed length


@lru_cache(maxsize=4_096)
def read_unit(written: str) -> tuple[Decimal, str] | None:
    """Return block size and kind of a unit of measure; None when the unit is not known.

    Kinds: `hour`, `day`, `month`, `year`, `accelerator_hour`, or `other` for what is no time of a machine.
    """
    match = BLOCK.fullmatch(written)
    if match is None:
        return None
    block = Decimal(match[1] or 1) * FACTORS.get(match[2] or "", Decimal(1))
    rest = match[3].casefold()
    nested = re.fullmatch(r"1\s+(.*)", rest)  # `1 1 Hour` of enterprise price sheets
    kind = UNITS.get(nested[1] if nested else rest)
    return (block, kind) if kind and block > 0 else None


def mapped_unit(written: str, aliases: Mapping[str, str]) -> tuple[Decimal, str] | None:
    """Return block size and kind of a unit, by what a person mapped it to (`unit:10 Std` to `10 hours`) first."""
    return read_unit(unit_meant(written, aliases))


def unit_meant(written: str, aliases: Mapping[str, str]) -> str:
    """Return what a person mapped a unit to, else the unit as written."""
    wanted = f"unit:{written}".casefold()
    return next((target for name, target in aliases.items() if name.casefold() == wanted), written)


@lru_cache(maxsize=1_024)
def read_term(written: str) -> int | None:
    """Return the months of a term; None when it is empty or not read."""
    match = TERM.fullmatch(written.strip())
    if match is None:
        return None
    return int(match[1]) * (12 if match[2].lower().startswith(YEARS) else 1)


def unknown_unit(written: str) -> Reason:
    """Return the reason that holds a price of an unknown unit."""
    message = f"{written!r} is no known unit of time"
    return Reason(
        "unknown_unit", message, f"map the unit: unit:{written} to 1 hour, or to a block as 10 hours", {"unit": written}
    )
