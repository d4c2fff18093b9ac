"""From bytes to text and rows, with limits; nothing is changed silently."""

import csv
import io
import re
from dataclasses import dataclass

from providers.encodings import SAMPLE, check_decoded, check_markup, check_signature, find_encoding
from providers.errors import Fault, UnreadableFile, UnsafeFile

MAX_BYTES = 100 * 1024 * 1024  # of a file; more is no price list that a person checks
MAX_LINES = 500_000  # of a text file
MAX_COLUMNS = 1_000  # of a text file, as of a workbook: formats look at every header
MAX_CELL = 131_072  # letters of a cell; more is no price, and patterns over it would take minutes
MAX_ROWS = 200_000  # of a table in text: each takes about 4 KB of memory until it is checked
MAX_QUOTE_ERRORS = 20  # rows whose quotes do not close, before the file is refused
DELIMITERS = (",", ";", "\t", "|")
EDGE_MARK = re.compile('(?<![^\\s,;|"])\ufeff+|\ufeff+(?![^\\s,;|"])')  # at the edge of a cell it says nothing


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
    if not content or content.isspace():  # strip would copy all of it
        message = f"{file_name} is empty; send a file with a header and at least one row"
        raise UnreadableFile(message)
    if len(content) > MAX_BYTES:
        message = f"{file_name} has {len(content):,} bytes; at most {MAX_BYTES:,} are read: split it"
        raise UnsafeFile(message)


def decode_text(content: bytes, file_name: str) -> Text:
    """Decode a text file: UTF-8 with or without mark, UTF-16, UTF-32 with mark, else Windows-1252.

    Raises
    ------
    UnreadableFile
        When the bytes are a known binary format, or text of none of these encodings.
    """
    check_signature(content, file_name)
    _check_lines(content.count(b"\n") if b"\x00" not in content[:SAMPLE] else 0, file_name)  # before the costly work
    encoding = find_encoding(content, file_name)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        message = f"{file_name} is neither UTF-8, UTF-16 nor Windows-1252 text (byte {error.start}); save it as UTF-8"
        raise UnreadableFile(message) from error
    if "\ufeff" in text:
        text = EDGE_MARK.sub("", text)
    _check_lines(text.count("\n"), file_name)
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        message = f"{file_name} holds NUL characters, the first on line {line}; save it as UTF-8 text"
        raise UnreadableFile(message)
    check_decoded(text, encoding, file_name)
    check_markup(text, file_name)
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
