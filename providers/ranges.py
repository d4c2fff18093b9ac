"""Estimates in our own sheet: `2 / 2.5 / 3` in one cell, or `price_min` and `price_max` beside `price`."""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from providers.cells import plain
from providers.contract import RANGED
from providers.errors import CellError, Fault

ENDS = ("min", "max")
SLASH = re.compile(r"\s+/\s+")  # with blanks around it: 1/6 is a share, not a range
PARTS = 3  # min, likely and max

Number = Callable[[Any], Any]


def end_of(header: str) -> tuple[str, str] | None:
    """Return the column and the end that a header names, `price_min` as price and min; None for any other header."""
    name, _, end = header.casefold().rpartition("_")
    return (name, end) if end in ENDS and name in RANGED else None


def headers_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the headers under which the ends of estimated columns are written."""
    return tuple(f"{name}_{end}" for name in names for end in ENDS)


def split_cell(cell: Any) -> tuple[Any, Any, Any] | None:
    """Return min, likely and max of a cell that writes all three, None for a single value."""
    if not isinstance(cell, str) or "/" not in cell:
        return None
    parts = SLASH.split(cell.strip())
    if len(parts) == 1:
        return None
    if len(parts) != PARTS:
        raise CellError(cell, "not_a_range", "write min / likely / max, three numbers with blanks around the slashes")
    return parts[0], parts[1], parts[2]


def checked_ranges(
    likely: Mapping[str, Any], ends: Mapping[str, Mapping[str, Any]], line: int
) -> tuple[dict[str, dict[str, str]], list[Fault]]:
    """Return the estimates of a row as they are kept, and a fault for each that is incomplete or out of order.

    Parameters
    ----------
    likely : mapping
        Values of the row by column.
    ends : mapping
        Column to its stated `min` and `max`; what is not stated is None.
    """
    found: dict[str, dict[str, str]] = {}
    faults = []
    for name, stated in ends.items():
        least, middle, greatest = stated.get("min"), likely.get(name), stated.get("max")
        if least is None and greatest is None:
            continue
        if least is None or middle is None or greatest is None:
            column = name if middle is None else f"{name}_{'min' if least is None else 'max'}"
            hint = f"an estimate needs {name}_min, {name} and {name}_max"
            faults.append(Fault(line, column, "", "range_incomplete", hint))
        elif not least <= middle <= greatest:
            shown = f"{_shown(least)} / {_shown(middle)} / {_shown(greatest)}"
            faults.append(Fault(line, name, shown, "range_out_of_order", "min <= likely <= max"))
        elif name == "price" and least <= 0:
            faults.append(Fault(line, f"{name}_min", _shown(least), "not_positive", "write a price above zero"))
        elif least < greatest:
            found[name] = {"min": _shown(least), "max": _shown(greatest)}
    return found, faults


def _shown(value: Any) -> str:
    return plain(value) if isinstance(value, Decimal) else str(value)


def scaled(ranges: Mapping[str, Mapping[str, str]] | None, names: Iterable[str], divisor: Decimal) -> dict[str, Any]:
    """Return the estimates with the ends of some columns divided."""
    return {
        name: {end: plain(Decimal(value) / divisor) for end, value in ends.items()}
        if name in set(names)
        else dict(ends)
        for name, ends in (ranges or {}).items()
    }
