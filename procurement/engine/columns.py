"""How a record declares its columns: name, meaning, unit, default, allowed values."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Range:
    """A number that a person estimates: least, most likely and greatest value, all in the column's unit."""

    min: float
    likely: float
    max: float


def column(  # noqa: PLR0913 - one keyword per property of a column reads best at the call
    meaning: str,
    *,
    unit: str = "",
    default: Any = None,
    factory: Callable[[], Any] | None = None,
    required: bool = False,
    choices: tuple[str, ...] = (),
    ranged: bool = False,
    record: str = "",
) -> Any:
    """Declare one column: meaning, unit, default, allowed values and whether {min, likely, max} is allowed.

    ``record`` names the record class that a nested object or each entry of a list must have.
    """
    metadata = {
        "meaning": meaning, "unit": unit, "required": required, "choices": choices, "ranged": ranged, "record": record,
    }  # fmt: skip
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def columns(record: type) -> dict[str, Mapping[str, Any]]:
    """Return the columns of a record class by name, each with its metadata."""
    return {field.name: field.metadata for field in dataclasses.fields(record)}
