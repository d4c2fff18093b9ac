"""From a text to what its JSON says, with exact decimals; what JSON leaves open is refused with its place."""

import json
import re
from decimal import Decimal, InvalidOperation
from json import decoder, scanner
from typing import Any

from providers.errors import UnreadableFile, UnsafeFile

MAX_OBJECTS = 1_000_000  # objects and lists of a file; each takes 60 to 250 bytes of memory
MAX_VALUES = 3_000_000  # of a file
MAX_STRING = 131_072  # letters of a string, as of a cell
MAX_EXPONENT = 400  # beyond every price; a number written out would take memory without end
MAX_PLACED = 5_000_000  # letters of a text in which the place of a fault is looked for
ESCAPED = re.compile(r"(?<!\\)(?:\\\\)*\\u([0-9a-fA-F]{4})")
PAIRED = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class _Refused(ValueError):
    """What is no JSON of a price list though it can be parsed."""


def read_json(text: str, file_name: str) -> Any:
    """Read JSON with exact decimals, or one JSON per line as a list.

    Raises
    ------
    UnsafeFile
        When it nests too deep, or holds too many values or too long a string.
    UnreadableFile
        With line and column, when it is no JSON, repeats a key, or holds NaN, a number without bounds or half a
        character.
    """
    _check_amount(text, file_name)
    _check_strings(text, file_name)
    try:
        _check_escapes(text)
        return _read(text)
    except RecursionError as error:
        message = f"{file_name} nests too deep to be a price list"
        raise UnsafeFile(message) from error
    except ValueError as error:
        why = "a number has more than 4,300 digits" if "integer string conversion" in str(error) else error
        message = f"{file_name} is no valid JSON: {why}"
        raise UnreadableFile(message) from error


def _check_amount(text: str, file_name: str) -> None:
    """Refuse what would fill the memory: `{},{},{}` takes twenty times its size."""
    objects, values = text.count("{") + text.count("["), text.count(",")
    if objects > MAX_OBJECTS or values > MAX_VALUES:
        message = (
            f"{file_name} holds about {objects:,} objects and {values:,} values; at most {MAX_OBJECTS:,} and "
            f"{MAX_VALUES:,} are read: split it"
        )
        raise UnsafeFile(message)


def _check_strings(text: str, file_name: str) -> None:
    """Refuse a string longer than any cell, looking only at one quote in each stretch of that length."""
    place = 0
    while place + MAX_STRING < len(text):
        found = _last_quote(text, place, place + MAX_STRING)
        if found < 0:
            where = f"{file_name}: from line {_line(text, place)} on"
            message = f"{where} more than {MAX_STRING:,} letters hold no quote: a string is too long"
            raise UnsafeFile(message)
        place = found + 1


def _last_quote(text: str, start: int, end: int) -> int:
    """Return the last quote that no backslash takes its meaning, -1 without one."""
    found = text.rfind('"', start, end)
    while found >= 0:
        before = text[max(start, found - 64) : found]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            return found
        found = text.rfind('"', start, found)
    return -1


def _check_escapes(text: str) -> None:
    """Refuse what no database keeps: the character NUL, and half of a pair that is one character."""
    if SUSPECT.search(text) is None:
        return
    whole = {place for pair in PAIRED.finditer(text) for place in (pair.start(), pair.start() + 6)}
    for escape in ESCAPED.finditer(text):
        number, place = int(escape[1], 16), escape.end() - 6
        if number == 0 or (0xD800 <= number <= 0xDFFF and place not in whole):
            kind = "the character NUL" if number == 0 else "half a character"
            message = f"line {_line(text, place)} holds {text[place : place + 6]}, {kind}"
            raise _Refused(message)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _read(text: str) -> Any:
    try:
        return _one(text)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise
        return [_line_of(line, number) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]


def _line_of(line: str, number: int) -> Any:
    """Return the JSON of one line of many, none of which may hold a line end."""
    try:
        return _one(line)
    except ValueError as error:
        message = f"line {number} of a file with one JSON per line: {error}"
        raise _Refused(message) from error


def _one(text: str) -> Any:
    try:
        return json.loads(text, parse_float=_number, parse_constant=_no_constant, object_pairs_hook=_unique_keys)
    except _Refused:
        if len(text) > MAX_PLACED:
            raise
        _Placing(parse_float=_number, parse_constant=_no_constant, object_pairs_hook=_unique_keys).decode(text)
        raise


class _Placing(json.JSONDecoder):
    """Reads once more in plain Python, to say in which object the fault is."""

    def __init__(self, **hooks: Any) -> None:
        super().__init__(**hooks)
        self.parse_object = self._object
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]

    def _object(self, at: tuple[str, int], *rest: Any) -> Any:
        text, place = at
        try:
            return decoder.JSONObject(at, *rest)  # type: ignore[attr-defined]
        except _Refused as error:
            if "object that begins" in str(error):
                raise
            column = place - text.rfind("\n", 0, place) - 1
            message = f"{error}, in the object that begins on line {_line(text, place)}, column {column}"
            raise _Refused(message) from error


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("Infinity")
    if not number.is_finite() or abs(number.adjusted()) > MAX_EXPONENT:
        message = f"{text[:40]} is a number without bounds"
        raise _Refused(message)
    return number


def _no_constant(name: str) -> Any:
    message = f"{name} is no number of JSON"
    raise _Refused(message)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        message = f"the key {next(key for key in keys if keys.count(key) > 1)[:80]!r} stands twice in one object"
        raise _Refused(message)
    return found
