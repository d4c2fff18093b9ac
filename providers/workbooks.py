"""From the bytes of an XLSX workbook to its cells, once the archive is proven harmless."""

import datetime
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from providers.errors import UnreadableFile, UnsafeFile

MAX_BYTES = 200 * 1024 * 1024  # unpacked; reliability T55
MAX_RATIO = 100  # unpacked over packed; reliability T55
MAX_ENTRIES = 1_000  # files in the archive; reliability T55
MAX_ROWS = 200_000  # of one sheet
MAX_COLUMNS = 1_000  # of one sheet
MAX_CELLS = 5_000_000  # of one sheet as a rectangle, which is what reading it allocates
PARSER = Path(__file__).with_name("workbook_process.py")
PARSER_BYTES = 2 * 1024**3  # address space of the process that parses; a workbook within the limits needs a third
PARSER_SECONDS = 30  # for which it may run
CANNOT_PARSE = 3  # its exit status for what is no workbook
CHUNK = 1 << 16  # bytes read at once
OVERLAP = 64  # bytes kept, so that a mark on the border of two chunks is seen
ZIP_SIGNATURE = b"PK\x03\x04"
CELL = re.compile(rb'<c\b[^>]{0,40}?\br="([A-Z]{1,4})([0-9]{1,9})"')
ROW = re.compile(rb'<row\b[^>]{0,80}?\br="([0-9]{1,9})"')
ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
Cell = str | bool | Decimal | datetime.date | datetime.datetime | datetime.time | datetime.timedelta


def is_workbook(content: bytes) -> bool:
    """Return whether the bytes begin like an archive, which an XLSX workbook is."""
    return content.startswith(ZIP_SIGNATURE)


def read_workbook(content: bytes, file_name: str) -> dict[str, list[list[Cell]]]:
    """Read the cells of every sheet of a workbook.

    Returns
    -------
    dict
        Sheet name to rows of cells: text as str, numbers as Decimal, dates as date, empty cells as "".

    Raises
    ------
    UnsafeFile
        When it unpacks to too much, nests archives, declares entities or spans too many cells.
    UnreadableFile
        When it is damaged, encrypted or no workbook.
    """
    check_archive(content, file_name)
    sheets: dict[str, list[list[Cell]]] = {}
    rows: list[list[Cell]] = []
    for line in _parsed_elsewhere(content, file_name).splitlines():
        parsed = json.loads(line)
        if isinstance(parsed, str):
            rows = sheets.setdefault(parsed, [])
        else:
            rows.append([_cell(value) for value in parsed])
    return sheets


def _parsed_elsewhere(content: bytes, file_name: str) -> bytes:
    """Return the rows as a process of its own writes them: what a workbook does to its parser stays in there."""
    limits = (str(PARSER_BYTES), str(PARSER_SECONDS))
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(PARSER), *limits], input=content, capture_output=True, timeout=PARSER_SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        message = f"{file_name} takes longer than {PARSER_SECONDS} s to read; split it, or save it as CSV"
        raise UnsafeFile(message) from error
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == CANNOT_PARSE and "MemoryError" not in said:
        message = f"{file_name} is no readable XLSX workbook: {said}"
        raise UnreadableFile(message)
    message = f"{file_name} needs more than {PARSER_BYTES // 2**20} MB to read; split it, or save it as CSV"
    raise UnsafeFile(message)


def _cell(value: Any) -> Cell:
    if isinstance(value, dict):
        ((kind, text),) = value.items()
        return _TAGGED[kind](text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    text = repr(float(value))  # the shortest text that gives this float back
    return Decimal(text[:-2] if text.endswith(".0") else text)


def _moment(text: str) -> Cell:
    moment = datetime.datetime.fromisoformat(text)
    return moment.date() if moment.time() == datetime.time() else moment


_TAGGED: Mapping[str, Callable[[str], Cell]] = {
    "datetime": _moment, "date": datetime.date.fromisoformat, "time": datetime.time.fromisoformat, "text": str,
    "seconds": lambda text: datetime.timedelta(seconds=float(text)),
}  # fmt: skip


def check_archive(content: bytes, file_name: str) -> None:
    """Refuse an archive that would cost more to read than a price list may; sizes are counted, not believed."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            _check_directory(entries, len(content), file_name)
            allowed = MAX_BYTES
            for entry in entries:
                allowed -= _check_entry(archive, entry, allowed, file_name)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        message = f"{file_name} is a damaged or encrypted archive: {error}"
        raise UnreadableFile(message) from error
    except zipfile.zlib.error as error:  # type: ignore[attr-defined]  # zlib as zipfile imports it
        message = f"{file_name} holds damaged compressed data: {error}"
        raise UnreadableFile(message) from error


def _check_directory(entries: list[zipfile.ZipInfo], packed: int, file_name: str) -> None:
    stated = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_ENTRIES or stated > MAX_BYTES or stated > packed * MAX_RATIO:
        message = (
            f"{file_name} unpacks to {stated:,} bytes in {len(entries):,} files; at most {MAX_BYTES:,} bytes, "
            f"{MAX_RATIO} times its size and {MAX_ENTRIES:,} files are read"
        )
        raise UnsafeFile(message)
    if "[Content_Types].xml" not in {entry.filename for entry in entries}:
        message = f"{file_name} is an archive but no workbook; send the file inside it"
        raise UnreadableFile(message)


def _check_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, allowed: int, file_name: str) -> int:
    """Read one file of the archive to its end and return its true size."""
    is_sheet = entry.filename.startswith("xl/worksheets/")
    size = last_row = last_column = 0
    tail = b""
    with archive.open(entry) as packed:
        while chunk := packed.read(CHUNK):
            if not size and chunk.startswith(ZIP_SIGNATURE):
                message = f"{file_name} holds another archive, {entry.filename}; send the workbook alone"
                raise UnsafeFile(message)
            size += len(chunk)
            seen = tail + chunk
            if size > allowed or ENTITY.search(seen):
                message = f"{file_name} unpacks to too much or declares XML entities in {entry.filename}"
                raise UnsafeFile(message)
            if is_sheet:
                last_row, last_column = _extent(seen, last_row, last_column)
                _check_extent(last_row, last_column, f"{file_name}, {entry.filename}")
            tail = seen[-OVERLAP:]
    return size


def _extent(seen: bytes, last_row: int, last_column: int) -> tuple[int, int]:
    rows = [int(number) for number in ROW.findall(seen)]
    columns = set()
    for letters, number in CELL.findall(seen):
        columns.add(letters)
        rows.append(int(number))
    widest = max((_column_number(letters) for letters in columns), default=0)
    return max([last_row, *rows]), max(last_column, widest)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _check_extent(rows: int, columns: int, place: str) -> None:
    if rows > MAX_ROWS or columns > MAX_COLUMNS or rows * columns > MAX_CELLS:
        message = (
            f"{place} reaches row {rows:,} and column {columns:,}; at most {MAX_ROWS:,} rows, {MAX_COLUMNS:,} columns "
            f"and {MAX_CELLS:,} cells are read"
        )
        raise UnsafeFile(message)
