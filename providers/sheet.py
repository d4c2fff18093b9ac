"""What the reading of one price file gives: quotes that are ready, rows that are held, faults, and the count of all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pandas as pd

from providers.errors import Fault


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row is not trusted, and what would release it."""

    code: str
    message: str
    release: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """A row that is readable but not trusted: never priced, never dropped.

    `quote` holds the contract columns as far as they are known, so that a release needs no second reading.
    """

    line: int
    raw: Mapping[str, str]
    reasons: tuple[Reason, ...]
    quote: Mapping[str, Any]

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the reasons, in the order found."""
        return tuple(reason.code for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A row that says the same as another row of the file and was merged into it."""

    line: int
    kept_line: int
    row_key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """A row that is no offer of an accelerator, with the reason it is left out."""

    line: int
    code: str
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteSheet:
    """One price file, read and checked.

    Attributes
    ----------
    ready : DataFrame
        One row per trusted quote: the columns of `contract.QUOTES`, then those of `contract.DERIVED`. Values are
        Python objects (Decimal, date, str, tuple); what is not stated is None.
    held : tuple of Held
        Rows that wait for a mapping, a rate, a day or a person.
    faults : tuple of Fault
        Every cell that cannot be read, with line and column.
    duplicates, ignored : tuple
        Rows merged into others, and rows that offer no accelerator.
    realised : DataFrame or None
        Realised rates of a bill (FOCUS); never quotes.
    """

    format_key: str
    file_name: str
    source: str
    source_hash: str
    observed_on: date
    encoding: str
    rows_read: int
    ready: pd.DataFrame
    held: tuple[Held, ...]
    faults: tuple[Fault, ...]
    duplicates: tuple[Duplicate, ...]
    ignored: tuple[Ignored, ...]
    notes: tuple[str, ...]
    unknown_columns: tuple[str, ...] = ()
    realised: pd.DataFrame | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Number of rows read and where they went."""
        return {
            "rows": self.rows_read,
            "ready": len(self.ready),
            "held": len(self.held),
            "faulty": len({fault.line for fault in self.faults}),
            "duplicates": len(self.duplicates),
            "ignored": len(self.ignored),
            "realised": 0 if self.realised is None else len(self.realised),
        }

    @property
    def held_by_reason(self) -> dict[str, int]:
        """Number of held rows under each reason code; a row with two reasons counts under both."""
        found: dict[str, int] = {}
        for row in self.held:
            for code in row.codes:
                found[code] = found.get(code, 0) + 1
        return dict(sorted(found.items()))

    @property
    def ignored_by_reason(self) -> dict[str, int]:
        """Number of ignored rows under each reason code."""
        found: dict[str, int] = {}
        for row in self.ignored:
            found[row.code] = found.get(row.code, 0) + 1
        return dict(sorted(found.items()))
