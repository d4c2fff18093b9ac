"""Which text the bytes of a file are: told by marks and by what cannot be; what is in doubt is refused."""

import re

from providers.errors import UnreadableFile

BINARY_SIGNATURES = {
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"BZh9": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"\x28\xb5\x2f\xfd": "a zstandard archive",
    b"PK\x05\x06": "an empty ZIP archive",
    b"PK\x07\x08": "a ZIP archive in parts",
    b"PAR1\x15": "a Parquet file",
    b"SQLite format 3": "a SQLite database",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\xd0\xcf\x11\xe0": "an old XLS workbook, or one with a password",
    b"{\\rtf": "a text document",
    b"MIME-Version:": "a saved web page",
}
MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32-le",  # before UTF-16, whose mark begins it
    b"\x00\x00\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
SAMPLE = 4_096  # bytes looked at to tell text from binary
CONTROL = re.compile("[\x00-\x08\x0e-\x19\x1b-\x1f]")  # no text holds these; the end of old files is \x1a
WESTERN = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿŒœŠšŽžŸ")
SIGNS = frozenset("€£¥§°²³µ·®©™×½¼¾ªº¿¡†‡")  # stand alone, or beside letters without accent
BETWEEN = re.compile("[\u00a0«»–—‘’“”…•]")  # ends a word
OPENING = re.compile("[A-Za-z][‚„]|[‚„](?![0-9A-Za-z\u00c0-\u00ff])")  # such quotes open a word
MONEY_BEFORE = re.compile("[€£¥§][A-Za-z]")  # such signs stand before digits
CASE_FALLS = re.compile("[a-zß-ÿœšž][À-ÞŒŠŽŸ]|[A-Za-z][À-ÞŒŠŽŸ][a-zà-ÿ]")  # capitals with accents inside a word
HIGH_WORD = re.compile("[A-Za-z]*[\u0080-\uffff][A-Za-z\u0080-\uffff]*")
SHOWN = 8  # words in the note of a guessed encoding
LONGEST_RUN = 2  # letters with accents in a row; three and more are an alphabet of their own


def check_signature(content: bytes, file_name: str) -> None:
    """Refuse what is known to be no text by its first bytes; the name of the file decides nothing."""
    for signature, name in BINARY_SIGNATURES.items():
        if content.startswith(signature):
            message = f"{file_name} is {name}; send CSV, JSON or XLSX"
            raise UnreadableFile(message)


def check_markup(text: str, file_name: str) -> None:
    """Refuse a web page or XML, which some programs save under the name of a workbook."""
    if text[:SAMPLE].lstrip().startswith("<"):
        message = f"{file_name} is a web page or XML, no table; open it in a spreadsheet program and save it as XLSX"
        raise UnreadableFile(message)


def find_encoding(content: bytes, file_name: str) -> str:
    """Return the encoding of a text file: by its mark, else UTF-16 by its zeros, UTF-8, or Windows-1252.

    Raises
    ------
    UnreadableFile
        When letters of UTF-8 stand beside bytes of another encoding.
    """
    for mark, name in MARKS.items():
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


def check_decoded(text: str, encoding: str, file_name: str) -> None:
    """Refuse a text that the encoding was guessed of and that cannot be meant so.

    Raises
    ------
    UnreadableFile
        With the line, for what is no text, and for letters that Windows-1252 would turn into those of another alphabet.
    """
    control = CONTROL.search(text) if encoding.startswith("utf-16") else None
    if control and control[0] != "\x00":
        message = f"{file_name} is no text: it holds the control character U+{ord(control[0]):04X}; send CSV or JSON"
        raise UnreadableFile(message)
    if encoding == "cp1252":
        odd = next((found for found in high_words(text) if not is_western(found)), None)
        if odd is not None:
            line = text.count("\n", 0, text.index(odd)) + 1
            message = f"{file_name} is no UTF-8, and line {line} would read {odd[:40]!r} otherwise; save it as UTF-8"
            raise UnreadableFile(message)


def note_of(text: str, encoding: str) -> tuple[str, ...]:
    """Return what a person should look at where the encoding was guessed: the words that depend on it."""
    words = high_words(text) if encoding == "cp1252" else []
    if not words:
        return ()
    shown = ", ".join(words[:SHOWN]) + (" …" if len(words) > SHOWN else "")
    return (f"it is no UTF-8 and was read as Windows-1252: {shown}",)


def high_words(text: str) -> list[str]:
    """Return the different words that hold more than ASCII, in the order of the text."""
    return list(dict.fromkeys(HIGH_WORD.findall(text)))


def is_western(word: str) -> bool:
    """Return whether a word can be meant as Windows-1252: no other alphabet, no accents of another code page."""
    return OPENING.search(word) is None and all(_is_part(part) for part in BETWEEN.split(word.strip("‚„")))


def _is_part(part: str) -> bool:
    high = [letter for letter in part if not letter.isascii()]
    accents = [letter for letter in high if letter in WESTERN]
    if len(accents) < len(high):
        return not accents and all(letter in SIGNS for letter in high) and MONEY_BEFORE.search(part) is None
    is_long = re.search(f"[^\x00-\x7f]{{{LONGEST_RUN + 1}}}", part) is not None
    is_bare = len(high) > 1 and len(high) == len(part)
    return not (is_long or is_bare or CASE_FALLS.search(part))
