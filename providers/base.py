"""What a price format is: it recognises a document and turns its rows into offers, each still as its source says it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

import pandas as pd

from providers.currency import Rate
from providers.document import Document
from providers.errors import CellError, Fault
from providers.sheet import Duplicate, Held, Ignored, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOffer:
    """What another source says an instance costs with Linux.

    `price` is per instance-hour in `currency`.
    """

    provider: str
    sku: str
    region: str | None
    purchase_model: str
    price: Decimal
    currency: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a person says about a file beside its bytes.

    Attributes
    ----------
    time_zone : str or None
        Zone in which a last day of validity ends, where the row names none.
    decimal : str or None
        The decimal sign of hand-made sheets; None when nobody said.
    aliases : mapping
        Further spellings, over the tables of providers/data: `H100-X` (an accelerator), `region:US East`,
        `unit:10 Std`, `sku:acme/big-box`, `provider:ACME Inc` to what they mean.
    profile : mapping or None
        How the columns of an unknown sheet are named; see `providers.formats.mapped`.
    rates : sequence of Rate
        Dated exchange rates, so that plausibility bands reach other currencies.
    medians : mapping
        Median price per accelerator-hour [USD] by accelerator that is already known.
    known : sequence of KnownOffer
        What other sources say of the same instances with Linux.
    """

    file_name: str
    observed_on: date
    source: str
    source_hash: str = ""
    currency: str | None = None
    provider: str | None = None
    time_zone: str | None = None
    decimal: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    profile: Mapping[str, Any] | None = None
    rates: Sequence[Rate] = ()
    medians: Mapping[str, Decimal] = field(default_factory=dict)
    known: Sequence[KnownOffer] = ()


@dataclass(slots=True, kw_only=True)
class Offer:
    """One priced line as its source states it, with names not yet normalised.

    `accelerator` may be empty when the SKU alone says what it is; `values` holds further contract columns; `steps` says
    how `price` came from `written`; `vram_gb` is the memory of one accelerator or of the part that is sold; `table_sku`
    is the SKU by which the tables know it, where `sku` says more.
    """

    line: int
    raw: Mapping[str, str]
    price: Decimal | None
    written: str
    currency: str | None
    basis: str
    sku: str = ""
    table_sku: str = ""
    accelerator: str = ""
    provider: str = ""
    region: str = ""
    count: Decimal | None = None
    vram_gb: Decimal | None = None
    form_factor: str = ""
    purchase_model: str = "on_demand"
    values: dict[str, Any] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    default_vram_gb: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Parsed:
    """What a format found in a document, and how many rows it looked at."""

    rows: int
    offers: list[Offer] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    ignored: list[Ignored] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unknown_columns: tuple[str, ...] = ()
    realised: pd.DataFrame | None = None


class Format(Protocol):
    """One price format of the shelf; `reads`, `holds` and `ignores` are printed in the README table."""

    key: str
    title: str
    reads: str
    holds: str
    ignores: str

    def recognises(self, document: Document) -> bool:
        """Return whether the document has the shape of this format, by its content alone."""
        ...

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return the offers of a recognised document."""
        ...


def ragged(found: int, expected: int) -> Reason:
    """Return the reason that holds a row of a catalog whose cells do not match its header."""
    return Reason(
        "ragged_row",
        f"the row has {found} cells, the header {expected}",
        "quote the cell that holds a delimiter, or send the catalog anew",
        {"cells": str(found), "expected": str(expected)},
    )


def ragged_offer(line: int, raw: Mapping[str, str], width: tuple[int, int], provider: str, sku: str = "") -> Offer:
    """Return a row whose cells may have moved as an offer that says nothing but where it stands.

    Parameters
    ----------
    width : tuple of int
        Cells of the row and of the header.
    """
    return Offer(
        line=line, raw=raw, price=None, written="a ragged row", currency=None, basis="per_instance_hour", sku=sku,
        provider=provider, reasons=[ragged(*width)],
    )  # fmt: skip


def no_price(what: str = "no price is stated") -> Reason:
    """Return the reason that holds an offer without a price: unknown is never zero."""
    return Reason("price_missing", what, "state the price, or wait for a list that has it")


def unpaid_part(payment_option: str, hourly: Decimal | None, upfront: Decimal | None) -> list[Reason]:
    """Return the reasons that hold a term of which one payment is missing: what is left would look cheap."""
    reasons = []
    if payment_option in {"partial", "all"} and not upfront:
        message = f"the term is paid {payment_option} upfront, but no upfront payment is stated"
        release = "send the list with the upfront payment of the term"
        reasons.append(Reason("upfront_missing", message, release, {"payment_option": payment_option}))
    if payment_option != "all" and hourly is None and upfront:
        reasons.append(no_price("an upfront payment is stated, but not the price per hour beside it"))
    return reasons


def object_in(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object under a key, empty when there is none; CellError when it is something else."""
    value = entry.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CellError(str(value)[:80], "wrong_shape", f"{name} must be an object")
    return value


def objects_in(entry: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the list of objects under a key, empty when there is none; CellError when it is something else."""
    value = entry.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise CellError(str(value)[:80], "wrong_shape", f"{name} must be a list of objects")
    return value


SUBJECTS = (
    "instance_type",
    "id",
    "name",
    "displayName",
    "slug",
    "key",
    "flavor_name",
)  # keys that name an object of an API


def parse_entries(
    entries: Iterable[Mapping[str, Any]], make: Callable[[int, Mapping[str, Any]], Iterable[Offer]]
) -> Parsed:
    """Return the offers of JSON objects; a cell that cannot be read becomes a fault of its object.

    Parameters
    ----------
    entries : iterable of mapping
        Objects in the order of the file.
    make : callable
        Gives the offers of one object and its 1-based number.
    """
    parsed = Parsed(rows=0)
    for line, entry in enumerate(entries, start=1):
        parsed.rows += 1
        try:
            offers = list(make(line, entry))
        except CellError as error:
            column = next((name for name, value in entry.items() if str(value) == error.value), "")
            parsed.faults.append(error.at(line, column))
            continue
        parsed.offers += offers
        if not offers:
            subject = next((str(entry[name]) for name in SUBJECTS if isinstance(entry.get(name), str)), "")
            parsed.ignored.append(Ignored(line, "no_accelerator", subject))
    return parsed


def texts_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return a JSON object as written, value by value, for the reader of a held row."""
    return {str(name): str(value) for name, value in entry.items()}
