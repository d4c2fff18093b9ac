"""Parses one XLSX workbook in a process of its own, under limits of memory and time: `python -I workbook_process.py`.

The workbook comes by standard input. Each sheet goes to standard output as a line with its name and what is hidden in
it, then a line `[row, [cell, ...]]` for each row that holds something; cells that JSON does not know, or whose value
does not say what the workbook shows, are written as `{kind: text}`. It imports nothing of this package, to start soon.
"""

import datetime
import html
import io
import json
import posixpath
import re
import resource
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import python_calamine

KINDS = ((datetime.datetime, "datetime"), (datetime.date, "date"), (datetime.time, "time"))
MAX_COVERED = 1_000_000  # cells of merged areas
MAX_BROKEN = 50_000  # errors and formulas without value: each is a fault that a person has to mend
NAMED = 20  # hidden rows that are named
ATTRIBUTE = r"""\b{}\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')"""
TAG = r"<(?:[A-Za-z_][\w.-]*:)?{}\b([^<>]*?)/?>"  # of any namespace prefix
CELL = TAG.format("c")
FORMULA = rf"(?:{TAG.format('f')}([^<]*)(?:</[^<>]*>)?\s*)"
VALUE = r"(?:<(?:[A-Za-z_][\w.-]*:)?v\b[^<>]*>([^<]*))?"
WITH_FORMULA = re.compile(rf"{CELL}\s*{FORMULA}{VALUE}")
WITH_ERROR = re.compile(rf"""<(?:[A-Za-z_][\w.-]*:)?c\b([^<>]*\bt\s*=\s*["']e["'][^<>]*)>\s*{FORMULA}?{VALUE}""")
ROW, COLUMN, MERGED = (re.compile(TAG.format(name)) for name in ("row", "col", "mergeCell"))
FORMAT, STYLE, STYLES = (re.compile(TAG.format(name)) for name in ("numFmt", "xf", "cellXfs"))
SHEET, RELATION = (re.compile(TAG.format(name)) for name in ("sheet", "Relationship"))
REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
SIGN = re.compile(r"\[\$([^\]-]+)|([$€£¥₹])|\"\s*([A-Z]{3}|[^\"\w\s]{1,3})\s*\"")
LITERAL = re.compile(r"\"[^\"]*\w[^\"]*\"|%|\\[-A-Za-z]")
BUILT_IN = {9: "0%", 10: "0.00%"}  # of the formats without code, those that show another number


def tagged(value: object) -> dict[str, str]:
    """Return a cell that JSON does not know as its kind and text."""
    if isinstance(value, datetime.timedelta):
        return {"seconds": repr(value.total_seconds())}
    for kind, name in KINDS:
        if isinstance(value, kind):
            return {name: value.isoformat()}
    return {"text": str(value)}


def attribute(text: str, name: str) -> str:
    """Return an attribute of a tag, empty when it has none of that name."""
    found = re.search(ATTRIBUTE.format(name), text)
    return html.unescape(found[1] or found[2] or "") if found else ""


def position(reference: str) -> tuple[int, int]:
    """Return row and column, from 0, of `B7`."""
    found = REFERENCE.fullmatch(reference)
    if found is None:
        message = f"a marked cell has the address {reference[:20]!r}"
        raise ValueError(message)
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - 64
    return int(found[2]) - 1, column - 1


class Parts:
    """The parts of a workbook that say more than the values of its cells."""

    def __init__(self, content: bytes) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(content))
        self.names = frozenset(self.archive.namelist())
        self.book = self.text("xl/workbook.xml")
        self.formats = self._formats(self.text("xl/styles.xml"))
        self.is_computed_later = re.search(r"""fullCalcOnLoad\s*=\s*["'](?:1|true)""", self.book) is not None
        targets = {}
        for tag in RELATION.finditer(self.text("xl/_rels/workbook.xml.rels")):
            target = attribute(tag[1], "Target")
            path = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))
            targets[attribute(tag[1], "Id")] = path
        sheets = [tag[1] for tag in SHEET.finditer(self.book)]
        self.paths = {attribute(tag, "name"): targets.get(attribute(tag, r"\w+:id"), "") for tag in sheets}

    def text(self, name: str) -> str:
        """Return a part, empty when there is none."""
        return self.archive.read(name).decode("utf-8", "replace") if name in self.names else ""

    def sheet(self, name: str) -> str:
        """Return the part of a sheet; ValueError where the workbook does not lead to it."""
        text = self.text(self.paths.get(name, ""))
        if not text:
            message = f"the sheet {name!r} is not where the workbook says"
            raise ValueError(message)
        return text

    @staticmethod
    def _formats(styles: str) -> dict[str, str]:
        """Return the format of each style whose cells show more than their number."""
        codes = {attribute(tag[1], "numFmtId"): attribute(tag[1], "formatCode") for tag in FORMAT.finditer(styles)}
        codes = {**{str(number): code for number, code in BUILT_IN.items()}, **codes}
        start = STYLES.search(styles)
        listed = styles[start.end() :].partition("cellXfs>")[0] if start else ""
        found = {}
        for number, tag in enumerate(STYLE.finditer(listed)):
            code = codes.get(attribute(tag[1], "numFmtId"), "").partition(";")[0]
            if re.fullmatch(r"00+", code) or SIGN.search(code) or LITERAL.search(code):
                found[str(number)] = code
        return found


def marks_of(sheet: str, parts: Parts) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the cells of a sheet whose value does not say what the workbook shows, by row and column from 0."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    if parts.formats:
        wanted = "|".join(parts.formats)
        styled = re.compile(rf"""<(?:[A-Za-z_][\w.-]*:)?c\b([^<>]*\bs\s*=\s*["'](?:{wanted})["'][^<>]*)>""")
        for tag in styled.finditer(sheet):
            found[position(attribute(tag[1], "r"))] = {"format": parts.formats[attribute(tag[1], "s")]}
    broken = 0
    for tag in WITH_FORMULA.finditer(sheet):
        is_empty = tag[4] is None or (tag[4] == "" and attribute(tag[1], "t") != "str")  # a text may be empty
        if is_empty or (parts.is_computed_later and tag[4] == "0"):
            found[position(attribute(tag[1], "r"))] = {"formula": "=" + html.unescape(tag[3])[:80]}
            broken = _one_more(broken)
    for tag in WITH_ERROR.finditer(sheet):
        found[position(attribute(tag[1], "r"))] = {"error": html.unescape(tag[4] or "")[:20]}
        broken = _one_more(broken)
    covered = 0
    for tag in MERGED.finditer(sheet):
        area = attribute(tag[1], "ref")
        first, last = (position(corner) for corner in area.partition(":")[::2])
        covered += (last[0] - first[0] + 1) * (last[1] - first[1] + 1)
        if covered > MAX_COVERED:
            message = f"merged areas cover more than {MAX_COVERED:,} cells"
            raise ValueError(message)
        cells = ((row, column) for row in range(first[0], last[0] + 1) for column in range(first[1], last[1] + 1))
        found |= {cell: {"merged": area} for cell in cells if cell != first}
    return found


def _one_more(broken: int) -> int:
    if broken == MAX_BROKEN:
        message = f"more than {MAX_BROKEN:,} cells hold errors or formulas that were never computed"
        raise ValueError(message)
    return broken + 1


def hidden_in(sheet: str) -> dict[str, Any]:
    """Return what of a sheet a reader of the workbook does not see."""
    hidden = [[tag[1] for tag in kind.finditer(sheet) if "hidden" in tag[1]] for kind in (ROW, COLUMN)]
    rows, columns = ([tag for tag in tags if attribute(tag, "hidden") in {"1", "true"}] for tags in hidden)
    return {"rows": [attribute(tag, "r") for tag in rows[:NAMED]], "row_count": len(rows), "columns": len(columns)}


def rows_of(rows: list[list[Any]], marks: Mapping[tuple[int, int], dict[str, Any]]) -> Iterator[tuple[int, list[Any]]]:
    """Yield number and cells of each row that holds something, with the marks in it."""
    marked: dict[int, dict[int, dict[str, Any]]] = {}
    for (row, column), mark in marks.items():
        marked.setdefault(row, {})[column] = mark
    for number, cells in enumerate(rows):
        here = marked.get(number, {})
        for column, mark in here.items():
            if "format" in mark:
                if column < len(cells) and isinstance(cells[column], float):
                    cells[column] = {"shown": [cells[column], mark["format"]]}
            elif column < len(cells):
                cells[column] = mark
            elif "merged" not in mark:
                cells += [""] * (column - len(cells)) + [mark]
        while cells and cells[-1] == "":
            cells.pop()
        if cells and (not here or any(cell != "" and not _is_covered(cell) for cell in cells)):
            yield number + 1, cells


def _is_covered(cell: object) -> bool:
    return isinstance(cell, dict) and "merged" in cell


def main() -> int:
    """Read, parse and write; exit status 3 says that the workbook cannot be parsed, standard error says why."""
    memory, seconds = int(sys.argv[1]), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    out = sys.stdout
    try:
        content = sys.stdin.buffer.read()
        workbook = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        parts = Parts(content)
        for described in workbook.sheets_metadata:
            if described.typ != python_calamine.SheetTypeEnum.WorkSheet:
                continue
            text = parts.sheet(described.name)
            is_hidden = described.visible != python_calamine.SheetVisibleEnum.Visible
            out.write(json.dumps({"sheet": described.name, "is_hidden": is_hidden, **hidden_in(text)}) + "\n")
            marks = marks_of(text, parts)
            rows = workbook.get_sheet_by_name(described.name).to_python(skip_empty_area=False)
            for row in rows_of(rows, marks):
                out.write(json.dumps(row, default=tagged) + "\n")
    except MemoryError:
        sys.stderr.write("MemoryError")
        return 3
    except (
        python_calamine.CalamineError,
        ValueError,
        OverflowError,
        KeyError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        sys.stderr.write(str(error)[:500])
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
