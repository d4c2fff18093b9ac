"""The tables of providers/data that the intake reads: names, SKUs, regions, units and bands, with their sources."""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from providers.reference import ACCELERATORS

DATA_FOLDER = Path(__file__).resolve().parent / "data"
NOT_ALPHANUMERIC = re.compile(r"[^A-Z0-9]+")
NO_LETTER_OR_DIGIT = re.compile(r"[\W_]+")  # of any script: 東日本 is not 西日本
NO_ACCELERATOR = "none"  # in skus.csv: the SKU is known and has no accelerator

REFERENCE_MODELS: Mapping[str, tuple[str, ...]] = {
    model: tuple(name for name, entry in ACCELERATORS.items() if entry.model == model)
    for model in {entry.model for entry in ACCELERATORS.values()}
}


def rows_of(file_name: str) -> list[dict[str, str]]:
    """Return the rows of one table of providers/data."""
    with (DATA_FOLDER / file_name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def squeezed(text: str) -> str:
    """Return the letters and digits of a name in capitals: spellings that differ in nothing else are one."""
    return NO_LETTER_OR_DIGIT.sub("", text.upper())


@dataclass(frozen=True, slots=True)
class Model:
    """One spelling of an accelerator model: its name here, form factor and nominal memory sizes [GB]."""

    name: str
    form_factor: str | None
    memory_gb: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True)
class Sku:
    """What a provider's SKU holds: the accelerator by name and how many.

    `accelerator` is None for an unknown size of an accelerated family.
    """

    accelerator: str | None
    accelerators: Decimal | None

    @property
    def has_none(self) -> bool:
        """Whether the SKU is known to have no accelerator."""
        return self.accelerator == NO_ACCELERATOR


@dataclass(frozen=True, slots=True)
class Band:
    """Limits of a plausibility check, with unit and the least number of rows it needs."""

    low: Decimal | None
    high: Decimal | None
    unit: str
    least_rows: int


def _models() -> dict[str, tuple[Model, ...]]:
    found: dict[str, list[Model]] = {}
    for row in rows_of("aliases.csv"):
        sizes = tuple(Decimal(size) for size in row["memory_gb"].split("|") if size)
        model = Model(row["model"], row["form_factor"] or None, sizes)
        spellings = [row["alias"]] if row["model"] in REFERENCE_MODELS else [row["alias"], row["model"]]
        for spelling in spellings:  # a model's own name is a spelling of it
            known = found.setdefault(squeezed(spelling), [])
            if model.name not in {entry.name for entry in known}:
                known.append(model)
    return {alias: tuple(models) for alias, models in found.items()}


def _patterns() -> dict[str, list[tuple[re.Pattern[str], str, str]]]:
    found: dict[str, list[tuple[re.Pattern[str], str, str]]] = {}
    for row in rows_of("skus.csv"):
        pattern = re.compile(row["pattern"], re.IGNORECASE)
        found.setdefault(row["provider"], []).append((pattern, row["accelerator"], row["accelerators"]))
    return found


MODELS: Mapping[str, tuple[Model, ...]] = _models()
_SKUS = _patterns()
PROVIDERS: Mapping[str, str] = {
    squeezed(name): row["provider"]
    for row in rows_of("providers.csv")
    for name in (row["provider"], *row["aliases"].split("|"))
    if name
}
MARKETPLACES = frozenset(row["provider"] for row in rows_of("providers.csv") if row["kind"] == "marketplace")
REGION_ALIASES: Mapping[tuple[str, str], str] = {
    (row["provider"], squeezed(row["alias"])): row["region"] for row in rows_of("region_aliases.csv")
}
REGIONS = frozenset((row["provider"], row["region"]) for row in rows_of("regions.csv")) | frozenset(
    (provider, region) for (provider, _), region in REGION_ALIASES.items()
)
REGION_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "aws": re.compile(r"(?:[a-z]{2}|eusc)(?:-[a-z]+)+-\d+(?:-[a-z0-9-]+)?"),  # with the name of a local zone
    "gcp": re.compile(r"[a-z]+-[a-z]+\d+|global"),
    "oci": re.compile(r"[a-z]{2}-[a-z]+-\d+"),
}
UNITS: Mapping[str, str] = {row["unit"].casefold(): row["kind"] for row in rows_of("units.csv")}
BANDS: Mapping[str, Band] = {
    row["check"]: Band(
        Decimal(row["low"]) if row["low"] else None, Decimal(row["high"]), row["unit"], int(row["least_rows"])
    )
    for row in rows_of("bands.csv")
    if row["subject"] == "*"
}
AGE_LIMIT_DAYS: Mapping[str, int] = {
    row["subject"]: int(row["high"]) for row in rows_of("bands.csv") if row["check"] == "age_days"
}


@lru_cache(maxsize=65_536)
def find_sku(provider: str, sku: str) -> Sku | None:
    """Return what the table knows of a provider's SKU; None when no pattern matches."""
    for pattern, accelerator, accelerators in _SKUS.get(provider, ()):
        match = pattern.fullmatch(sku.strip())
        if match:
            return Sku(accelerator or None, _amount(match.expand(accelerators)) if accelerators else None)
    return None


def _amount(text: str) -> Decimal:
    whole, _, parts = text.partition("/")
    return Decimal(whole) / Decimal(parts) if parts else Decimal(whole)
