"""From the bytes of an XLSX workbook to its cells, once the archive is proven harmless."""

import datetime
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from providers.archives import ZIP_SIGNATURE, check_archive
from providers.cells import Marked, Shown, is_sign
from providers.errors import UnreadableFile, UnsafeFile

PARSER = Path(__file__).with_name("workbook_process.py")
PARSER_BYTES = 96 * 2**20  # address space of the process that parses, for the interpreter and an empty workbook
PARSER_RATIO = 25  # bytes more for each byte that the workbook unpacks to; tables of short numbers need the most
PARSER_SECONDS = 30  # of processor time for which it may run
PARSER_WAIT = 120  # seconds, because others may use the processors too
CANNOT_PARSE = 3  # its exit status for what is no workbook
SIGN = re.compile(r"\[\$([^\]-]+)|([$€£¥₹])|\"\s*([A-Z]{3}|[^\"\w\s]{1,3})\s*\"")  # of a currency, in a format
Cell = str | bool | Decimal | datetime.date | datetime.datetime | datetime.time | datetime.timedelta
MARKS = {
    "error": ("spreadsheet_error", "mend the formula, or write the value"),
    "formula": ("never_computed", "open the workbook in a spreadsheet program and save it, or write the value"),
    "merged": ("merged_cell", "unmerge the area {} and write the value in each of its cells"),
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: number and cells of each row that holds something, and what a reader of the workbook does not see."""

    name: str
    is_hidden: bool
    rows: list[tuple[int, list[Cell]]]
    notes: tuple[str, ...] = ()


def is_workbook(content: bytes) -> bool:
    """Return whether the bytes begin like an archive, which an XLSX workbook is."""
    return content.startswith(ZIP_SIGNATURE)


def read_workbook(content: bytes, file_name: str) -> list[Sheet]:
    """Read the cells of every sheet of a workbook, visible sheets first.

    Returns
    -------
    list of Sheet
        Cells as text, Decimal or date; those whose value does not say what the workbook shows as Marked or Shown.

    Raises
    ------
    UnsafeFile
        When it unpacks to too much, nests archives, declares entities or spans too many cells.
    UnreadableFile
        When it is damaged, encrypted or no workbook.
    """
    size = check_archive(content, file_name)
    sheets: list[Sheet] = []
    for line in _parsed_elsewhere(content, size, file_name).splitlines():
        parsed = json.loads(line)
        if isinstance(parsed, dict):
            sheets.append(Sheet(parsed["sheet"], parsed["is_hidden"], [], _notes(parsed)))
        else:
            number, cells = parsed
            sheets[-1].rows.append((number, [_cell(value) for value in cells]))
    return sorted(sheets, key=lambda sheet: sheet.is_hidden)


def _notes(about: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a person should know of a sheet before its rows count."""
    notes = []
    if about["is_hidden"]:
        notes.append(f"the sheet {about['sheet']} is hidden in the workbook")
    if about["row_count"]:
        named = ", ".join(about["rows"]) + (" …" if about["row_count"] > len(about["rows"]) else "")
        notes.append(f"rows {named} of the sheet {about['sheet']} are hidden in the workbook and were read")
    if about["columns"]:
        notes.append(f"columns of the sheet {about['sheet']} are hidden in the workbook and were read")
    return tuple(notes)


def _parsed_elsewhere(content: bytes, size: int, file_name: str) -> bytes:
    """Return the rows as a process of its own writes them: what a workbook does to its parser stays in there."""
    memory = PARSER_BYTES + PARSER_RATIO * size
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(PARSER), str(memory), str(PARSER_SECONDS)], input=content, capture_output=True,
            timeout=PARSER_WAIT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        message = f"{file_name} takes longer than {PARSER_WAIT} s to read; split it, or save it as CSV"
        raise UnsafeFile(message) from error
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == CANNOT_PARSE and "MemoryError" not in said:
        message = f"{file_name} is no readable XLSX workbook: {said}"
        raise UnreadableFile(message)
    message = f"{file_name} needs more than {memory // 2**20} MB to read; split it, or save it as CSV"
    raise UnsafeFile(message)


def _cell(value: Any) -> Cell:
    if isinstance(value, dict):
        ((kind, text),) = value.items()
        return _marked(kind, text) if kind in MARKS else _TAGGED[kind](text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return Decimal(_digits(value))


def _digits(value: float) -> str:
    text = repr(float(value))  # the shortest text that gives this float back
    return text.removesuffix(".0")


def _moment(text: str) -> Cell:
    moment = datetime.datetime.fromisoformat(text)
    return moment.date() if moment.time() == datetime.time() else moment


def _marked(kind: str, text: str) -> Marked:
    rule, hint = MARKS[kind]
    return Marked("" if kind == "merged" else text, rule, hint.format(text))


def _shown(found: tuple[float, str]) -> Cell:
    """Return a number whose format shows more: leading zeros are part of what it says, a currency must agree."""
    value, code = found
    if re.fullmatch("0+", code):
        return _digits(value).zfill(len(code)) if value >= 0 and value == int(value) else Decimal(_digits(value))
    signs = [next(filter(None, sign)).strip() for sign in SIGN.findall(code)]
    return Shown(_digits(value), code, next((sign for sign in signs if is_sign(sign)), ""))


_TAGGED: Mapping[str, Callable[[Any], Cell]] = {
    "datetime": _moment, "date": datetime.date.fromisoformat, "time": datetime.time.fromisoformat, "text": str,
    "shown": _shown, "seconds": lambda text: datetime.timedelta(seconds=float(text)),
}  # fmt: skip
