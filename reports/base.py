"""The contract of a report: a key, columns with their units, and rows read from a finished run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, Protocol

from procurement.errors import ProcurementError
from procurement.models import Run

Kind = Literal["text", "money", "rate", "number", "percent", "day", "status", "flag"]
Row = dict[str, Any]
NUMERIC: tuple[Kind, ...] = ("money", "rate", "number", "percent")
ADDRESS = "address"  # key of a row: the page that shows more of it, no column
MOST_DAYS = 3650


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its key in data, its name for people, its kind and unit."""

    key: str
    name: str
    kind: Kind = "text"
    unit: str = ""
    meaning: str = ""

    @property
    def is_numeric(self) -> bool:
        """Whether its values are aligned right and stored as numbers."""
        return self.kind in NUMERIC


@dataclass(frozen=True, slots=True)
class Filters:
    """What a reader may narrow a report down to."""

    workload: str = ""
    within_days: int = 30

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "Filters":
        """Read filters from a query or a stored subscription; a value that cannot be right is refused by name."""
        text = str(values.get("within_days") or 30).strip()
        try:
            stated = Decimal(text)
            days = int(stated) if 0 <= stated <= MOST_DAYS else -1  # never int() of 1e99999999
        except (InvalidOperation, ValueError, OverflowError):
            days = -1
        if days < 0:
            message = f"`{text[:40]}` is no number of days from 0 to {MOST_DAYS}, such as 30."
            raise ProcurementError("invalid", message, {"within_days": [message]})
        return cls(workload=str(values.get("workload") or "")[:60], within_days=days)

    def stored(self) -> dict[str, Any]:
        """Return the filters as a subscription keeps them."""
        return {"workload": self.workload, "within_days": self.within_days}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A report that was made: everything a renderer needs, and nothing to look up."""

    key: str
    title: str
    description: str
    headline: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    run_id: int | None
    run_digest: str
    engine_version: str
    as_of: date
    currency: str
    empty: str


class Report(Protocol):
    """One entry of the shelf: an independent file that is registered by one line."""

    key: str
    title: str
    description: str
    columns: tuple[Column, ...]
    filters: tuple[str, ...]  # names of the filters it heeds
    empty: str  # what is said when there is no row

    def rows(self, run: Run, filters: Filters) -> list[Row]:
        """Return the rows; figures come as stored, dates as dates, unknown as None."""

    def headline(self, rows: Sequence[Row]) -> str:
        """Return the news in a few words, for a subject line."""
