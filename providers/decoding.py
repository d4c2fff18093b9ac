"""From bytes to text, rows and JSON, with limits; nothing is changed silently."""

import csv
import io
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from providers.errors import Fault, UnreadableFile, UnsafeFile

MAX_BYTES = 100 * 1024 * 1024  # of a file; more is no price list that a person checks
MAX_LINES = 500_000  # of a text file
MAX_COLUMNS = 1_000  # of a text file, as of a workbook: formats look at every header
MAX_CELL = 131_072  # letters of a cell; more is no price, and patterns over it would take minutes
MAX_ROWS = 200_000  # of a table in text: each takes about 4 KB of memory until it is checked
MAX_QUOTE_ERRORS = 20  # rows whose quotes do not close, before the file is refused
DELIMITERS = (",", ";", "\t", "|")
BINARY_SIGNATURES = {
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a picture",
    b"\xd0\xcf\x11\xe0": "an old XLS workbook",
}
UTF_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
SAMPLE = 4_096  # bytes looked at to tell text from binary


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded text and the encoding it was read with."""

    text: str
    encoding: str


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one record and the line on which it starts."""

    line: int
    cells: list[str]


def check_size(content: bytes, file_name: str) -> None:
    """Refuse a file that is empty or above the limit."""
    if not content.strip():
        message = f"{file_name} is empty; send a file with a header and at least one row"
        raise UnreadableFile(message)
    if len(content) > MAX_BYTES:
        message = f"{file_name} has {len(content):,} bytes; at most {MAX_BYTES:,} are read: split it"
        raise UnsafeFile(message)


def decode_text(content: bytes, file_name: str) -> Text:
    """Decode a text file: UTF-8 with or without mark, UTF-16, else Windows-1252.

    Raises
    ------
    UnreadableFile
        When the bytes are a known binary format, or text of none of these encodings.
    """
    for signature, name in BINARY_SIGNATURES.items():
        if content.startswith(signature):
            message = f"{file_name} is {name}; send CSV, JSON or XLSX"
            raise UnreadableFile(message)
    _check_lines(content.count(b"\n") if b"\x00" not in content[:SAMPLE] else 0, file_name)  # before the costly work
    encoding = _encoding(content, file_name)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        message = f"{file_name} is neither UTF-8, UTF-16 nor Windows-1252 text (byte {error.start}); save it as UTF-8"
        raise UnreadableFile(message) from error
    text = text.replace("\ufeff", "")
    _check_lines(text.count("\n"), file_name)
    if "\x00" in text:
        message = f"{file_name} holds NUL characters (first at {text.index(chr(0))}); save it as UTF-8 text"
        raise UnreadableFile(message)
    return Text(text, encoding)


def check_rows(text: str, file_name: str) -> None:
    """Refuse a table of too many rows before any of them is split."""
    count = max(text.count("\n"), text.count("\r"))  # old files end their lines with a carriage return
    if count > MAX_ROWS:
        message = f"{file_name} has {count:,} rows; at most {MAX_ROWS:,} are read: split it"
        raise UnsafeFile(message)


def _check_lines(count: int, file_name: str) -> None:
    if count > MAX_LINES:
        message = f"{file_name} has {count:,} lines; at most {MAX_LINES:,} are read: split it"
        raise UnsafeFile(message)


def _encoding(content: bytes, file_name: str) -> str:
    if content.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    for mark, name in UTF_MARKS.items():
        if content.startswith(mark):
            return name
    sample = content[:SAMPLE]
    if sample.count(b"\x00") > len(sample) // 4:
        return "utf-16-le" if sample[1:2] == b"\x00" else "utf-16-be"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        if not content.decode("utf-8", "ignore").isascii():
            message = f"{file_name} mixes encodings: UTF-8 letters, but byte {error.start} is none; save it as UTF-8"
            raise UnreadableFile(message) from error
        return "cp1252"
    return "utf-8"


def find_delimiter(text: str) -> str:
    """Return the delimiter that appears most in the widest of the first lines, then in more of them; else a comma."""
    lines = [line for line in io.StringIO(text[:65_536], newline="") if line.strip()][:20]
    places = {mark: -place for place, mark in enumerate(DELIMITERS)}
    held = {mark: sum(mark in line for line in lines) for mark in DELIMITERS}  # a decimal comma is not in the header
    counts = ((line.count(mark), held[mark], places[mark], mark) for line in lines for mark in DELIMITERS)
    best = max(counts, default=None)
    return best[3] if best and best[0] else ","


def read_rows(text: str, delimiter: str) -> tuple[list[Row], list[Fault]]:
    """Read delimited text strictly; a record whose quotes are broken becomes a fault and the rest is read on.

    Returns
    -------
    rows : list of Row
        Each with the line on which it starts; blank lines are left out.
    faults : list of Fault
        Records that cannot be read.
    """
    if '"' not in text:
        plain = _plain_rows(text, delimiter)
        _check_extent(plain)
        return plain, []
    lines = list(io.StringIO(text, newline=""))
    rows: list[Row] = []
    faults: list[Fault] = []
    position = 0
    while position < len(lines):
        reader = csv.reader(iter(lines[position:]), delimiter=delimiter, strict=True)
        start = position
        try:
            for cells in reader:
                if any(cells):
                    rows.append(Row(start + 1, cells))
                start = position + reader.line_num
            break
        except csv.Error as error:
            if "field limit" in str(error):
                raise UnsafeFile(_too_long(start + 1)) from error
            found = lines[start].strip()[:80]
            faults.append(Fault(start + 1, "", found, "broken_quotes", f"close each quote ({error})"))
            position = start + 1
        if len(faults) > MAX_QUOTE_ERRORS:
            message = f"more than {MAX_QUOTE_ERRORS} rows have broken quotes, the first on line {faults[0].line}"
            raise UnreadableFile(message)
    _check_extent(rows)
    return rows, faults


def _check_extent(rows: list[Row]) -> None:
    """Refuse a table that is wider, or has a longer cell, than any price list."""
    for row in rows:
        if len(row.cells) > MAX_COLUMNS:
            message = f"line {row.line} has {len(row.cells):,} cells; at most {MAX_COLUMNS:,} are read"
            raise UnsafeFile(message)
        if len(max(row.cells, key=len)) > MAX_CELL:
            raise UnsafeFile(_too_long(row.line))


def _too_long(line: int) -> str:
    return f"a cell on line {line} has more than {MAX_CELL:,} letters: a quote is not closed, or this is no price list"


def _plain_rows(text: str, delimiter: str) -> list[Row]:
    lines = io.StringIO(text, newline=None)  # without quotes a line is a row
    return [
        Row(number, line.rstrip("\n").split(delimiter))
        for number, line in enumerate(lines, start=1)
        if line.strip(" \t\r\n" + delimiter)
    ]


def read_json(text: str, file_name: str) -> Any:
    """Read JSON with exact decimals, or one JSON per line as a list; a repeated key, NaN or deep nesting is refused."""
    try:
        try:
            return _json(text)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
            return [_json(line) for line in text.splitlines() if line.strip()]
    except RecursionError as error:
        message = f"{file_name} nests too deep to be a price list"
        raise UnsafeFile(message) from error
    except ValueError as error:
        message = f"{file_name} is no valid JSON: {error}"
        raise UnreadableFile(message) from error


def _json(text: str) -> Any:
    return json.loads(text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_unique_keys)


def _no_constant(name: str) -> Any:
    message = f"{name} is no number of JSON"
    raise ValueError(message)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        message = f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice in one object"
        raise ValueError(message)
    return found
