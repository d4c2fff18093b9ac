"""What the archive that a workbook is may hold: counted while it is unpacked, before anything is parsed."""

import io
import re
import zipfile

from providers.errors import UnreadableFile, UnsafeFile

MAX_BYTES = 200 * 1024 * 1024  # unpacked; reliability T55
MAX_RATIO = 100  # unpacked over packed; reliability T55
MAX_ENTRIES = 1_000  # files in the archive; reliability T55
MAX_ROWS = 200_000  # of one sheet
MAX_COLUMNS = 1_000  # of one sheet
MAX_CELLS = 2_000_000  # of all sheets, each as a rectangle, which is what reading it allocates
MAX_TAGS = 12_000_000  # of all parts: a cell has four to six
MAX_SHEETS = 200
SPARSE_CELLS = 100_000  # of a rectangle, from which on
SPARSE_RATIO = 50  # so many times the cells that are there make a sheet sparse
CHUNK = 1 << 16  # bytes read at once
MAX_TAG = 1 << 18  # bytes of a tag
ZIP_SIGNATURE = b"PK\x03\x04"
PREFIX = rb"<(?:[A-Za-z_][\w.-]*:)?"  # of any namespace
CELL = re.compile(PREFIX + rb"""(c|row)\b(?:[^<>]*?\sr\s*=\s*["']([A-Z]{0,4})([0-9]{1,9})["'])?""")
SHEET = re.compile(PREFIX + rb"sheet\s")
ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
ENCODING = re.compile(rb"""<\?xml[^>]{0,200}encoding\s*=\s*["'](?!utf-?8["'])""", re.IGNORECASE)
KINDS = {
    "xl/workbook.bin": "a binary XLSB workbook", "content.xml": "an OpenDocument sheet",
    "word/document.xml": "a text document", "ppt/presentation.xml": "a presentation",
}  # fmt: skip


def check_archive(content: bytes, file_name: str) -> int:
    """Refuse an archive that would cost more to read than a price list may; return the bytes that it unpacks to."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            _check_directory(entries, len(content), file_name)
            count = _Count(file_name)
            for entry in entries:
                count.add(archive, entry)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        message = f"{file_name} is a damaged or encrypted archive: {error}"
        raise UnreadableFile(message) from error
    except zipfile.zlib.error as error:  # type: ignore[attr-defined]  # zlib as zipfile imports it
        message = f"{file_name} holds damaged compressed data: {error}"
        raise UnreadableFile(message) from error
    return count.size


def _check_directory(entries: list[zipfile.ZipInfo], packed: int, file_name: str) -> None:
    stated = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_ENTRIES or stated > MAX_BYTES or stated > packed * MAX_RATIO:
        message = (
            f"{file_name} unpacks to {stated:,} bytes in {len(entries):,} files; at most {MAX_BYTES:,} bytes, "
            f"{MAX_RATIO} times its size and {MAX_ENTRIES:,} files are read"
        )
        raise UnsafeFile(message)
    names = {entry.filename for entry in entries}
    if len(names) < len(entries):
        message = f"{file_name} is an archive that holds two files of one name; save the workbook anew"
        raise UnreadableFile(message)
    if not {"[Content_Types].xml", "xl/workbook.xml"} <= names:
        kind = next((KINDS[name] for name in KINDS if name in names), "an archive but no workbook")
        message = f"{file_name} is {kind}; save it as XLSX or CSV, or send the file inside it"
        raise UnreadableFile(message)


class _Count:
    """What the parts of a workbook hold, counted as they are unpacked; sizes that it states are not believed."""

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name
        self.size = self.tags = self.cells = 0

    def add(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
        """Read one file of the archive to its end."""
        extent, rest = _Extent(), b""
        place = f"{self.file_name}, {entry.filename}"
        self._foresee(archive, entry, place)
        with archive.open(entry) as packed:
            while chunk := packed.read(CHUNK):
                seen = rest + chunk
                if ENTITY.search(seen):
                    message = f"{place} declares XML entities, which no price list needs"
                    raise UnsafeFile(message)
                end = max(0, seen.rfind(b"<"))  # what follows may be the beginning of a tag
                extent.add(seen[:end])
                self._check_extent(extent, place)
                rest = _begun(seen[end:], place)
        extent.add(rest)
        extent.is_whole = True
        self._check_extent(extent, place)
        self.cells += extent.rectangle
        if entry.filename == "xl/workbook.xml":
            _check_sheets(archive.read(entry), place)

    def _foresee(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: str) -> None:
        """Refuse what holds too many tags before any of them is looked at, which takes longer."""
        cells = rows = size = 0
        with archive.open(entry) as packed:
            while chunk := packed.read(CHUNK):
                if not size:
                    _check_start(chunk, place)
                size += len(chunk)
                self.tags += chunk.count(b"<")
                cells += chunk.count(b"<c ") + chunk.count(b"<c/") + chunk.count(b"<c>") + chunk.count(b":c ")
                rows += chunk.count(b"<row") + chunk.count(b":row")
                if self.size + size > MAX_BYTES or self.tags > MAX_TAGS:
                    message = f"{place} unpacks to too much: at most {MAX_BYTES:,} bytes and {MAX_TAGS:,} tags are read"
                    raise UnsafeFile(message)
                if self.cells + cells > MAX_CELLS or rows > MAX_ROWS:
                    message = f"{place} has more than {MAX_CELLS:,} cells or {MAX_ROWS:,} rows; split it"
                    raise UnsafeFile(message)
        self.size += size

    def _check_extent(self, extent: "_Extent", place: str) -> None:
        cells = self.cells + max(extent.rectangle, extent.cells)
        is_sparse = extent.rectangle > SPARSE_CELLS and extent.rectangle > SPARSE_RATIO * extent.cells
        if (
            extent.rows > MAX_ROWS
            or extent.columns > MAX_COLUMNS
            or cells > MAX_CELLS
            or (is_sparse and extent.is_whole)
        ):
            message = (
                f"{place} reaches row {extent.rows:,} and column {extent.columns:,} with {extent.cells:,} cells; "
                f"at most {MAX_ROWS:,} rows, {MAX_COLUMNS:,} columns and {MAX_CELLS:,} cells are read"
            )
            raise UnsafeFile(message)


def _begun(rest: bytes, place: str) -> bytes:
    """Return the beginning of a tag that the next bytes go on with; text and closed tags are done."""
    if b">" in rest:
        return b""
    if len(rest) > MAX_TAG:
        message = f"{place} holds a tag of more than {MAX_TAG:,} bytes"
        raise UnsafeFile(message)
    return rest


def _check_start(chunk: bytes, place: str) -> None:
    if chunk.startswith(ZIP_SIGNATURE):
        message = f"{place} is another archive; send the workbook alone"
        raise UnsafeFile(message)
    if chunk.startswith((b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")) or ENCODING.search(chunk[:400]):
        message = f"{place} is not written in UTF-8; save the workbook anew"
        raise UnreadableFile(message)


def _check_sheets(book: bytes, place: str) -> None:
    count = len(SHEET.findall(book))
    if count > MAX_SHEETS:
        message = f"{place} lists {count:,} sheets; at most {MAX_SHEETS} are read"
        raise UnsafeFile(message)


class _Extent:
    """How far the cells of one part reach; a cell without address stands right of the one before."""

    def __init__(self) -> None:
        self.rows = self.columns = self.cells = self.in_row = 0
        self.is_whole = False

    @property
    def rectangle(self) -> int:
        return self.rows * self.columns

    def add(self, seen: bytes) -> None:
        """Take the tags of one stretch into account."""
        found = CELL.findall(seen)
        if not found:
            return
        self.cells += sum(kind == b"c" for kind, _, _ in found)
        numbers = [int(number) for _, _, number in found if number]
        self.rows = max(self.rows, max(numbers, default=0))
        self.columns = max(self.columns, *(_column_number(letters) for letters in {letters for _, letters, _ in found}))
        if len(numbers) < len(found):
            self._count(found)

    def _count(self, found: list[tuple[bytes, bytes, bytes]]) -> None:
        for kind, _, number in found:
            self.rows += kind == b"row" and not number
            self.in_row = 0 if kind == b"row" else self.in_row + 1
            self.columns = max(self.columns, self.in_row)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
