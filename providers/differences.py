"""What a new sheet changes in the quotes that are there: new, changed, the same, gone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pandas as pd

from providers.contract import QUOTES

NOT_COMPARED = frozenset({"id", "quoted_on", "source_file", "source_line", "source_hash"})  # another day is no change
COMPARED = (*(name for name in QUOTES.names if name not in NOT_COMPARED), "ranges")
KINDS = ("new", "changed", "same", "gone")


@dataclass(frozen=True, slots=True)
class Change:
    """One offer in both sheets: its key, what happened to it, and each changed column with old and new value."""

    row_key: str
    kind: str
    values: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)


def compare_quotes(before: pd.DataFrame, after: pd.DataFrame) -> list[Change]:
    """Return what happens to every offer, in the order of the new sheet, then those that it leaves out.

    Parameters
    ----------
    before, after : DataFrame
        Quote tables with `row_key`; numbers are compared by value, so 2.5 and 2.50 are the same.
    """
    old = {row["row_key"]: row for row in _rows(before)}
    new = {row["row_key"]: row for row in _rows(after)}
    changes = [_change(key, old.get(key), row) for key, row in new.items()]
    return changes + [Change(key, "gone") for key in old if key not in new]


def count_changes(changes: Iterable[Change]) -> dict[str, int]:
    """Return how many offers are new, changed, the same and gone."""
    kinds = [change.kind for change in changes]
    return {kind: kinds.count(kind) for kind in KINDS}


def _rows(frame: pd.DataFrame) -> Sequence[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = frame.to_dict("records")  # type: ignore[assignment]  # keys are column names
    return found


def _change(key: str, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> Change:
    if old is None:
        return Change(key, "new")
    pairs = {name: (_plain(old.get(name)), _plain(new.get(name))) for name in COMPARED}
    values = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    return Change(key, "changed" if values else "same", values)


def _plain(value: Any) -> Any:
    """Return a value so that what is not stated is always None."""
    if value is None or (isinstance(value, Decimal | float) and value != value):  # noqa: PLR0124 - NaN is not itself
        return None
    return tuple(value) if isinstance(value, list) else None if value == {} else value
