"""Read a document into typed values by the columns of the records, collecting every fault with its pointer."""

import dataclasses
import datetime
import difflib
import functools
import math
import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from procurement.engine import codes, tables
from procurement.engine import scenario_limits as limits
from procurement.engine.columns import Range, columns
from procurement.engine.errors import Fault
from procurement.engine.scenario_limits import Bounds

DOCUMENT_KEYS = {("Promise", "slip_class"): "class"}  # where a column and its key in the document differ
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_UNSAFE_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")  # control characters, lone surrogates
_SUGGESTIONS = 100  # unknown names that are compared with the known ones; the rest is listed without a suggestion
_SHOWN = 60  # characters of a value that a fault shows


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a record in the document and how its value is read."""

    name: str
    key: str
    kind: str
    metadata: Mapping[str, Any]
    bounds: Bounds
    record: type | None


@dataclass(slots=True)
class Node:
    """A record that is being read: its class, where it stands and the values that could be read."""

    record: type
    pointer: str
    values: dict[str, Any] = field(default_factory=dict)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value that was read, else the default."""
        return self.values.get(name, default)


def pointer_to(parent: str, key: object) -> str:
    """Return the JSON pointer of a key or an index below ``parent`` (RFC 6901)."""
    return f"{parent}/{str(key).replace('~', '~0').replace('/', '~1')}"


def described(value: object) -> str:
    """Return a short, safe description of any value."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        safe = _UNSAFE_TEXT.sub("\N{REPLACEMENT CHARACTER}", value[:_SHOWN])
        return f'"{safe}{"..." if len(value) > _SHOWN else ""}"'
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 128 else "a whole number of more than 38 digits"
    if isinstance(value, float | Decimal | date):
        return str(value)
    if isinstance(value, Mapping):
        return f"an object with {len(value)} keys"
    if isinstance(value, Sequence):
        return f"a list of {len(value)} entries"
    return f"a {type(value).__name__}"


@functools.cache
def fields_of(record: type) -> Mapping[str, Field]:
    """Return the fields of a record class by their keys in the document."""
    hints = typing.get_type_hints(record)
    found = {}
    for name, metadata in columns(record).items():
        kind, nested = _kind(hints[name], metadata["record"])
        key = DOCUMENT_KEYS.get((record.__name__, name), name)
        bounds = limits.bounds_of(record.__name__, name, metadata)
        found[key] = Field(name, key, kind, metadata, bounds, nested)
    return found


def _kind(hint: Any, record_name: str) -> tuple[str, type | None]:
    """Return how a value of a type is read, and the record class of nested objects."""
    if isinstance(hint, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not types.NoneType)
    nested: type | None = getattr(tables, record_name) if record_name else None
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        entry = inner[0]
        if inner == (int, int):
            return "pair", None
        kinds: dict[Any, str] = {str: "texts", date: "days", float: "numbers"}
        return (kinds[entry], None) if nested is None else ("records", nested)
    if origin is Mapping:
        return ("record_by_name", nested) if nested else ("number_by_name", None)
    if nested is not None:
        return "record", nested
    simple: dict[Any, str] = {str: "text", bool: "flag", int: "count", float: "number", datetime.date: "day"}
    return simple[hint], None


class Reader:
    """Reads records and remembers every fault and every {min, likely, max}."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.ranges: dict[str, Range] = {}
        self.names: dict[tuple[str, str], tuple[str, ...]] = {}  # further choices of a column, by record and column
        self.faulty: set[str] = set()  # pointers of everything that holds a fault further below
        self._suggested = 0

    def fault(self, pointer: str, found: object, expected: str) -> None:
        """Remember a fault: what was found at the pointer and what would be right."""
        self._remember(pointer, described(found), expected)

    def _remember(self, pointer: str, seen: str, expected: str) -> None:
        message = f"{pointer or 'document'}: found {seen}; right would be {expected}"
        self.faults.append(Fault(pointer, seen, expected, message))
        parts = pointer.split("/")
        self.faulty.update("/".join(parts[:depth]) for depth in range(1, len(parts)))

    def closest(self, name: str, known: Sequence[str]) -> str:
        """Return what would be right instead of a name that is not known, with the closest known one first."""
        listed = ", ".join(known) if known else "no key at all"
        self._suggested += 1
        if self._suggested > _SUGGESTIONS:
            return f"one of {listed}"
        matches = difflib.get_close_matches(name[:_SHOWN].lower(), [item.lower() for item in known], n=1, cutoff=0.6)
        near = next((item for item in known if matches and item.lower() == matches[0]), None)
        return f'"{near}", the nearest known name' if near else f"one of {listed}"

    def record(self, value: object, pointer: str, record: type) -> Node | None:
        """Read one object as a record; None when it is no object."""
        if not isinstance(value, Mapping):
            self.fault(pointer, value, f"an object ({record.__name__})")
            return None
        known = fields_of(record)
        node = Node(record, pointer)
        for key in value:
            if key not in known:
                self._unknown_key(key, pointer, tuple(known))
        for key, column in known.items():
            given = value.get(key)
            if given is not None:
                read = self.value(given, pointer_to(pointer, key), column)
                if read is not None:
                    node.values[column.name] = read
            elif column.metadata["required"]:
                self.fault(pointer_to(pointer, key), given, f"a value: {column.metadata['meaning']} (required)")
        return node

    def _unknown_key(self, key: object, pointer: str, known: tuple[str, ...]) -> None:
        name = key if isinstance(key, str) else str(described(key))
        place = pointer_to(pointer, _UNSAFE_TEXT.sub("?", name[:_SHOWN]))
        self._remember(place, f"unknown key {described(name)}", self.closest(name, known))

    def value(self, value: object, pointer: str, column: Field) -> Any:  # noqa: PLR0911 - one return per kind
        """Read one value of a column; None when it has a fault."""
        match column.kind:
            case "number" | "count":
                return self._estimated(value, pointer, column)
            case "text":
                return self._choice(value, pointer, column)
            case "day":
                return self.day(value, pointer)
            case "flag":
                return self._flag(value, pointer)
            case "record":
                return self.record(value, pointer, typing.cast(type, column.record))
            case "number_by_name" | "record_by_name":
                return self._by_name(value, pointer, column)
            case "pair":
                return self._pair(value, pointer)
        return self._entries(value, pointer, column)

    def _entries(self, value: object, pointer: str, column: Field) -> tuple[Any, ...] | None:
        """Read a list."""
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            self.fault(pointer, value, f"a list: {column.metadata['meaning']}")
            return None
        single = dataclasses.replace(column, kind=_ENTRY_KINDS[column.kind])
        read = [
            self.value(entry, pointer_to(pointer, index), single)
            if single.kind != "number"
            else self.number(entry, pointer_to(pointer, index), column.bounds)
            for index, entry in enumerate(value)
        ]
        return tuple(entry for entry in read if entry is not None)

    def _by_name(self, value: object, pointer: str, column: Field) -> dict[str, Any] | None:
        """Read an object whose keys are names."""
        if not isinstance(value, Mapping):
            self.fault(pointer, value, f"an object: {column.metadata['meaning']}")
            return None
        read = {}
        allowed = NAMES_ALLOWED.get(column.name, ())
        for key, entry in value.items():
            if (allowed and key not in allowed) or self.text(key, pointer) is None:
                self._unknown_key(key, pointer, allowed)
                continue
            single = dataclasses.replace(column, kind="record" if column.record else "number")
            read[key] = self.value(entry, pointer_to(pointer, key), single)
        return {key: entry for key, entry in read.items() if entry is not None}

    def _pair(self, value: object, pointer: str) -> tuple[int, int] | None:
        """Read the first and the last of a run of node numbers."""
        entries = value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else ()
        if len(entries) != 2:
            self.fault(pointer, value, "a list of two node numbers: [first, last]")
            return None
        bounds = Bounds(0, limits.LARGEST_COUNT)
        first, last = (self._count(entry, pointer_to(pointer, index), bounds) for index, entry in enumerate(entries))
        if first is None or last is None:
            return None
        if last < first:
            self.fault(pointer, f"{first} to {last}", "a last node number that is not below the first")
            return None
        return first, last

    def _estimated(self, value: object, pointer: str, column: Field) -> float | int | None:
        """Read a number, or a {min, likely, max} whose likely value is kept in the record."""
        read = self._count if column.kind == "count" else self.number
        if not isinstance(value, Mapping):
            return read(value, pointer, column.bounds)
        if not column.metadata["ranged"]:
            self.fault(pointer, value, f"one number without a range: {column.metadata['meaning']}")
            return None
        parts = ("min", "likely", "max")
        for key in value:
            if key not in parts:
                self._unknown_key(key, pointer, parts)
        for part in parts:
            if value.get(part) is None:
                self.fault(pointer_to(pointer, part), None, "a number: a range needs min, likely and max")
        given = [(part, value[part]) for part in parts if value.get(part) is not None]
        numbers = [read(number, pointer_to(pointer, part), column.bounds) for part, number in given]
        low, likely, high = [*numbers, None, None, None][:3]
        if low is None or likely is None or high is None:
            return None
        if not low <= likely <= high:
            self.fault(pointer, f"min {low}, likely {likely}, max {high}", "min <= likely <= max")
            return None
        self.ranges[pointer] = Range(low, likely, high)
        return likely

    def number(self, value: object, pointer: str, bounds: Bounds) -> float | None:
        """Read a finite number within bounds; text that is a number is accepted."""
        if isinstance(value, str) and _NUMBER.fullmatch(value[:100]) and len(value) <= 100:
            read = float(value)
        elif isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            read = _as_float(value)
        else:
            self.fault(pointer, value, f"a number, {bounds}")
            return None
        if not math.isfinite(read) or not bounds.holds(read):
            self.fault(pointer, value, f"a number, {bounds}")
            return None
        return read

    def _count(self, value: object, pointer: str, bounds: Bounds) -> int | None:
        """Read a whole number within bounds."""
        read = self.number(value, pointer, bounds)
        if read is not None and not read.is_integer():
            self.fault(pointer, value, f"a whole number, {bounds}")
            return None
        return None if read is None else int(read)

    def text(self, value: object, pointer: str) -> str | None:
        """Read text without control characters."""
        if not isinstance(value, str) or len(value) > limits.LONGEST_TEXT or _UNSAFE_TEXT.search(value):
            self.fault(pointer, value, f"text of at most {limits.LONGEST_TEXT} characters, without control characters")
            return None
        return value

    def _choice(self, value: object, pointer: str, column: Field) -> str | None:
        """Read text, one of the column's choices if it has any."""
        read = self.text(value, pointer)
        choices = column.metadata["choices"]
        if read is None or not choices:
            return read
        choices = (*choices, *self.names.get((column.name, "choices"), ()))
        if read not in choices:
            self.fault(pointer, read, self.closest(read, choices))
            return None
        return read

    def _flag(self, value: object, pointer: str) -> bool | None:
        if not isinstance(value, bool):
            self.fault(pointer, value, "true or false")
            return None
        return value

    def day(self, value: object, pointer: str) -> date | None:
        """Read an ISO day."""
        read = value if isinstance(value, date) and not isinstance(value, datetime.datetime) else _iso_day(value)
        if read is None or not limits.EARLIEST_DAY <= read <= limits.LATEST_DAY:
            expected = f"a day of the calendar as YYYY-MM-DD, {limits.EARLIEST_DAY} to {limits.LATEST_DAY}"
            self.fault(pointer, value, expected)
            return None
        return read


_ENTRY_KINDS = {"texts": "text", "days": "day", "numbers": "number", "records": "record"}
NAMES_ALLOWED: Mapping[str, tuple[str, ...]] = {
    "cooling_kw_per_node": ("air", "liquid"),
    "evidence_days": codes.EVIDENCE_GATES,
}


def _as_float(value: int | float | Decimal) -> float:
    """Return a float, infinite where the number is too large for one."""
    try:
        return float(value)
    except (OverflowError, ValueError):
        return math.inf


def _iso_day(value: object) -> date | None:
    """Return the day of an ISO text of the long form, None for anything else."""
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def built(node: Node) -> Any:
    """Return the frozen record of a node that was read without fault."""
    return node.record(**{name: _built_value(value) for name, value in node.values.items()})


def _built_value(value: Any) -> Any:
    if isinstance(value, Node):
        return built(value)
    if isinstance(value, tuple):
        return tuple(_built_value(entry) for entry in value)
    if isinstance(value, dict):
        return {key: _built_value(entry) for key, entry in value.items()}
    return value
