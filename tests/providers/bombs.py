"""Files that would fill memory or take minutes (T55), each made by code; none of them is a price list."""

import io
import json
import struct
import zipfile

from tests.providers.nasty_files import HEADER, PLAIN, line
from tests.providers.nasty_workbooks import SHEET, changed, unzipped, workbook, zipped

LYING_SIZE = 3_000_000
FRAME = {"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}
SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
FILLING = bytes(range(256)) * 4  # packs to nothing


def sheet_of(body: str, start: str = "") -> bytes:
    """Return a real workbook with another sheet in it."""
    xml = f'<?xml version="1.0"?>{start}<worksheet xmlns="{SPACE}"><sheetData>{body}</sheetData></worksheet>'
    return zipped({**unzipped(workbook()), SHEET: xml.encode()})


def prefixed(body: str) -> bytes:
    """Return a workbook whose tags have a namespace prefix, as those of some programs have."""
    xml = f'<?xml version="1.0"?><x:worksheet xmlns:x="{SPACE}"><x:sheetData>{body}</x:sheetData></x:worksheet>'
    return zipped({**unzipped(workbook()), SHEET: xml.encode()})


def cell(address: str, before: str = "", quote: str = '"') -> str:
    row = "".join(letter for letter in address if letter.isdigit())
    return f"<row r={quote}{row}{quote}><c {before}r={quote}{address}{quote}><v>1</v></c></row>"


def sparse(address: str, **options: str) -> bytes:
    return sheet_of(cell("A1", **options) + cell(address, **options))


def loosely_packed(content: bytes) -> bytes:
    """Return a workbook beside a megabyte that does not pack, so that the ratio of its sizes looks harmless."""
    noise = b"".join(struct.pack("<Q", number * 0x9E3779B97F4A7C15 % 2**64) for number in range(250_000))
    return zipped({**unzipped(content), "xl/media/image1.png": noise})


def lying_archive() -> bytes:
    """Return an archive whose directory states a small size for a large file."""
    content = zipped({**FRAME, SHEET: b"A" * LYING_SIZE})
    return content.replace(struct.pack("<I", LYING_SIZE), struct.pack("<I", 1_000))


def twice_named() -> bytes:
    """Return an archive with two sheets of one name: which of them is checked, and which is read?"""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in [*unzipped(workbook()).items(), ("xl/worksheets/sheet2.xml", sparse("XFD1048576"))]:
            archive.writestr(name, content)
    return out.getvalue().replace(b"sheet2.xml", b"sheet1.xml")


ENTITIES = '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>'
EXTERNAL = '<!DOCTYPE x SYSTEM "file:///etc/passwd">'
PREFIXED = (
    "<x:row r='1'><x:c r='A1'><x:v>1</x:v></x:c></x:row><x:row r='{0}'><x:c r='{1}{0}'><x:v>1</x:v></x:c></x:row>"
)
UNSAFE = {
    "a zip bomb": lambda: zipped({**FRAME, "xl/sharedStrings.xml": b"0" * 20_000_000}),
    "too many files": lambda: zipped(FRAME | {f"f{number}": b"" for number in range(1_001)}),
    "a nested archive": lambda: zipped({**FRAME, "xl/inner.xlsx": zipped({"a": b"b"})}),
    "entities": lambda: sheet_of(cell("A1"), ENTITIES),
    "an external entity": lambda: sheet_of(cell("A1"), EXTERNAL),
    "a million rows": lambda: sparse("A1048576"),
    "the last cell of a sheet": lambda: sparse("XFD1048576"),
    "the last cell in single quotes": lambda: sparse("XFD1048576", quote="'"),
    "the last cell behind long words": lambda: sparse("XFD1048576", before=f'note="{"x" * 100_000}" '),
    "the last cell with a prefix": lambda: prefixed(PREFIXED.format(1_048_576, "XFD")),
    "two cells that span 30 million, with a prefix": lambda: prefixed(PREFIXED.format(200_000, "ET")),
    "two cells that span 1.9 million": lambda: sparse("J190000"),
    "a wide sheet": lambda: sparse("XFD1"),
    "a row of cells without address": lambda: sheet_of("<row>" + "<c/>" * 20_000 + "</row>"),
    "three million cells at one address": lambda: loosely_packed(
        sheet_of("<row>" + '<c r="A1"/>' * 3_000_000 + "</row>")
    ),
    "a million rows that are there": lambda: loosely_packed(
        sheet_of("".join(f'<row r="{n}"/>' for n in range(1, 1_000_001)))
    ),
    "a tag without end": lambda: loosely_packed(sheet_of('<c r="A1" note="' + "x" * 600_000)),
    "six million strings": lambda: loosely_packed(
        zipped({**unzipped(workbook()), "xl/sharedStrings.xml": b"<si><t/>" * 6_000_001})
    ),
    "a thousand sheets": lambda: changed(
        workbook(), "xl/workbook.xml", "<sheets>", "<sheets>" + '<sheet name="a" r:id="rId1"/>' * 1_000
    ),
    "too many lines": lambda: b"a,b\n" * 500_002,
    "too many rows": lambda: b"a,b\n" * 200_002,
    "a million columns": lambda: b"x," * 1_000_000 + b"\n" + PLAIN,
    "a million nameless columns": lambda: f"{HEADER}{',' * 1_000_000}\n{line()}\n".encode(),
    "a cell of 10 MB": lambda: PLAIN.replace(b"box", b"x" * 10_000_000),
    "a quoted cell of 10 MB": lambda: PLAIN.replace(b"box", b'"' + b"x" * 10_000_000 + b'"'),
    "deep JSON": lambda: b"[" * 100_000 + b"]" * 100_000,
    "JSON of empty objects": lambda: b"[" + b"{}," * 5_000_000 + b"{}]",
    "JSON of empty lists": lambda: b"[" + b"[]," * 5_000_000 + b"[]]",
    "JSON of numbers": lambda: b'["",' + b"1," * 5_000_000 + b"1]",
    "a JSON string of 10 MB": lambda: json.dumps([{"sku": "x" * 10_000_000}]).encode(),
}
