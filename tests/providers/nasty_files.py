"""Texts of the kinds that T54 names, made by code, each with what must become of it: nothing is changed silently."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

NAMES = (
    "provider", "sku", "accelerator", "accelerators_per_instance", "price", "price_basis", "currency",
    "purchase_model", "region", "quantity_available", "valid_until", "licence",
)  # fmt: skip
USUAL = {
    "provider": "Acme",
    "sku": "box",
    "accelerator": "H100 SXM",
    "accelerators_per_instance": "8",
    "price": "2.10",
    "price_basis": "per_accelerator_hour",
    "currency": "USD",
    "purchase_model": "on_demand",
    "region": "eu-1",
    "quantity_available": "64",
    "valid_until": "2027-01-31",
    "licence": "",
}
SHOWN = ("sku", "region", "price", "quantity_available")
GOOD = ("box", "eu-1", Decimal("2.10"), 64)
HEADER = ",".join(NAMES)


@dataclass(frozen=True)
class Nasty:
    """One file, and which rows are ready (SHOWN), held (line, reason), faulty (line, column, rule), or its refusal."""

    content: bytes
    ready: Sequence[tuple[Any, ...]] = (GOOD,)
    held: Sequence[tuple[int, str]] = ()
    faults: Sequence[tuple[int, str, str]] = ()
    refused: str = ""
    note: str = ""
    name: str = "prices.csv"


def line(**cells: str) -> str:
    return ",".join(f'"{cell}"' if "," in cell else cell for cell in {**USUAL, **cells}.values())


def text(*lines: str, encoding: str = "utf-8") -> bytes:
    return ("\n".join([HEADER, *lines]) + "\n").encode(encoding)


def one(encoding: str = "utf-8", **cells: str) -> bytes:
    return text(line(**cells), encoding=encoding)


def faulty(column: str, rule: str, **cells: str) -> Nasty:
    return Nasty(one(**cells), (), faults=((2, column, rule),))


def refused(content: bytes, why: str, name: str = "prices.csv") -> Nasty:
    return Nasty(content, (), refused=why, name=name)


def row(sku: str = "box", region: str = "eu-1", price: str = "2.10", quantity: int | None = 64) -> tuple[Any, ...]:
    return (sku, region, Decimal(price), quantity)


PLAIN = text(line())
NOT_UTF8 = "no UTF-8, and line 2 would read"
ENCODINGS = {
    "utf-8": Nasty(PLAIN),
    "utf-8 with mark": Nasty(PLAIN.decode().encode("utf-8-sig")),
    "utf-16 little endian with mark": Nasty(b"\xff\xfe" + PLAIN.decode().encode("utf-16-le")),
    "utf-16 big endian with mark": Nasty(b"\xfe\xff" + PLAIN.decode().encode("utf-16-be")),
    "utf-16 little endian without mark": Nasty(PLAIN.decode().encode("utf-16-le")),
    "utf-16 big endian without mark": Nasty(PLAIN.decode().encode("utf-16-be")),
    "utf-32 little endian with mark": Nasty(b"\xff\xfe\x00\x00" + PLAIN.decode().encode("utf-32-le")),
    "utf-32 big endian with mark": Nasty(b"\x00\x00\xfe\xff" + PLAIN.decode().encode("utf-32-be")),
    "utf-32 without mark": refused(PLAIN.decode().encode("utf-32-le"), "NUL characters, the first on line 1"),
    "utf-16 cut in a letter": refused(b"\xff\xfe" + PLAIN.decode().encode("utf-16-le")[:-1], "neither UTF-8, UTF-16"),
    "windows-1252": Nasty(one("cp1252", sku="Größe–M", licence="1 €"), [row("Größe–M")], note="Größe–M, €"),
    "latin-1": Nasty(one("latin-1", region="São Paulo"), [row(region="São Paulo")], note="read as Windows-1252: São"),
    "gb18030": refused(one("gb18030", region="北京云"), NOT_UTF8),
    "big5": refused(one("big5", region="台北"), NOT_UTF8),
    "shift-jis": refused(one("shift_jis", region="東京クラウド"), NOT_UTF8),
    "euc-kr": refused(one("euc-kr", region="서울"), NOT_UTF8),
    "windows-1251": refused(one("cp1251", region="Москва"), NOT_UTF8),
    "koi8-r": refused(one("koi8-r", region="Москва"), NOT_UTF8),
    "windows-1250": refused(one("cp1250", region="Łódź"), NOT_UTF8),
    "latin-9 with euro": refused(one("iso8859-15", price="2,10 €", currency="EUR"), NOT_UTF8),
    "mac roman": refused(one("mac-roman", region="München"), NOT_UTF8),
    "dos": refused(one("cp850", region="München"), "neither UTF-8, UTF-16 nor Windows-1252"),
    "mixed encodings": refused(one(region="Köln") + line(region="Köln").encode("cp1252"), "mixes encodings"),
    "NUL": refused(PLAIN + b"\x00", "NUL characters, the first on line 3"),
    "mark at the edge of a cell": Nasty(one(sku="\ufeffbox\ufeff")),
    "mark inside a cell": faulty("sku", "hidden_character", sku="bo\ufeffx"),
    "blank without width": faulty("sku", "hidden_character", sku="bo\u200bx"),
    "letters from right to left": faulty("region", "hidden_character", region="eu\u202e1-"),
    "control character": faulty("sku", "hidden_character", sku="bo\x08x"),
    "a letter that was lost": faulty("region", "hidden_character", region="M\ufffdnchen"),
}

OTHER_ORDER = ",".join(["sku", "provider", *NAMES[2:]])
SHAPES = {
    "lines end with carriage returns": Nasty(PLAIN.replace(b"\n", b"\r")),
    "lines end in three ways": Nasty(
        f"{HEADER}\r{line()}\r\n{line(sku='b')}\n{line(sku='c')}".encode(), [row(), row("b"), row("c")]
    ),
    "lines end in three ways, with quotes": Nasty(
        f"{HEADER}\r{line()}\r\n{line(sku=chr(34) + 'b' + chr(34))}\n{line(sku='c')}".encode(),
        [row(), row("b"), row("c")],
    ),
    "the end of old files": Nasty(PLAIN + b"\x1a", faults=[(3, "", "ragged_row")]),
    "blank lines": Nasty(PLAIN.replace(b"\n", b"\n\n,,,\n\n")),
    "trailing delimiters": Nasty(PLAIN.replace(b"\n", b",\n")),
    "a trailing delimiter in rows alone": Nasty(text(line() + ","), (), faults=[(2, "", "ragged_row")]),
    "a ragged row": Nasty(text(line(), "Acme,b"), faults=[(3, "", "ragged_row")]),
    "the same header name twice": Nasty(
        f"{HEADER},price\n{line()},2.10\n".encode(), [row()], faults=[(1, "price", "repeated_column")]
    ),
    "header only": Nasty(f"{HEADER}\n".encode(), ()),
    "the header again": Nasty(
        text(line(), HEADER, line(sku="b")), [row(), row("b")], faults=[(3, "", "second_header")]
    ),
    "another header below": Nasty(
        text(line(), OTHER_ORDER, line(sku="b")),
        [row()],
        faults=[(3, "", "second_header"), (4, "", "below_second_header")],
    ),
    "a quote that is never closed": Nasty(
        text(line(), line(sku='"open'), line(sku="c")), [row(), row("c")], faults=[(3, "", "broken_quotes")]
    ),
    "quotes inside a cell": Nasty(text(line(sku='bo"x')), [row('bo"x')]),
    "doubled quotes": Nasty(text(line(sku='"say ""hi"""')), [row('say "hi"')]),
    "a line end inside quotes": Nasty(text(line(sku='"two\nlines"')), [row("two\nlines")]),
    "a row that was put out with #": Nasty(text(line(), "#" + line(sku="old")), note="line 3 begins with #"),
    "nothing": refused(b"", "is empty"),
    "blanks": refused(b" \r\n\t\n", "is empty"),
    "a decimal comma that splits a cell": Nasty(
        text(line().replace("2.10", "2,10")), (), faults=[(2, "", "ragged_row")]
    ),
}

BAND = ((2, "outside_absolute_band"),)
NUMBERS = {
    **{
        f"price {written}": Nasty(one(price=written), (), held=BAND)  # 1,234.50 an hour: read, and held
        for written in (
            "1.234,50",
            "1,234.50",
            "1 234,50",
            "1\u00a0234,50",
            "1\u2009234,50",
            "1\u202f234.50",
            "1’234.50",
        )
    },
    **{
        f"price {written}": faulty("price", "ambiguous_number", price=written)
        for written in ("1.234", "1,234", "$1.234", "12,345")
    },
    **{
        f"price {written}": faulty("price", "not_a_number", price=written)
        for written in (
            "٢٫٥",
            "٢.٥",
            "２．１０",
            "½",
            "1/2",
            "2.1.0",
            "12 34",
            "0x10",
            "1_000",
            "(2.10)",
            "2.10-",
            "2.10/h",
            "15%",
            "Infinity",
            "1e999999999",
            "1e400",
            "2.10\u200b",
            "=2.10",
            "'2.10",
        )
    },
    "price with the true minus": Nasty(one(price="−2.10"), (), held=((2, "price_not_positive"),)),
    "price 1E5": Nasty(one(price="1E5"), (), held=BAND),
    "price very small": Nasty(one(price="1e-20"), (), held=BAND),
    "price of 31 digits": Nasty(one(price="9" * 31), (), held=BAND),
    "price in another currency": faulty("price", "other_currency", price="2,10 €"),
    "price not said": Nasty(one(price="NaN"), (), held=((2, "price_missing"),)),
    "1.000 pieces": faulty("quantity_available", "ambiguous_number", quantity_available="1.000"),
    "1,000 pieces": faulty("quantity_available", "ambiguous_number", quantity_available="1,000"),
    "7.5 pieces": faulty("quantity_available", "not_whole", quantity_available="7.5"),
    "pieces on request": Nasty(
        one(quantity_available="on request"),
        [row(quantity=None)],
        note="quantity_available: `on request` was read as not stated",
    ),
}

WORDS = {
    **{
        f"sku {word}": Nasty(one(sku=word), [row(word)])
        for word in ("1E5", "1.00E+05", "00123", "NA", "NaN", "TRUE", "1-2")
    },
    **{
        f"region {word}": Nasty(one(region=word), [row(region=word)])
        for word in ("NA", "NaN", "TRUE", "N/A", "1E5", "007")
    },
    **{
        f"region {word}": Nasty(one(region=word), [row(region=None)], note=f"region: `{word}` was read as not stated")
        for word in ("null", "None", "NULL")
    },
    **{
        f"{column} {word}": faulty(column, "spreadsheet_error", **{column: word})
        for column in ("sku", "region", "price", "quantity_available", "valid_until")
        for word in ("#REF!", "#N/A", "#DIV/0!", "#NV", "########")
    },
    "provider in the first column #REF!": faulty("provider", "spreadsheet_error", provider="#REF!"),
    **{
        f"valid until {word}": faulty("valid_until", "not_a_date", valid_until=word)
        for word in ("03/04/2026", "3.4.2026", "2027-02-30", "46356", "20270131", "31 Jan 2027", "2027-01-31 99:99")
    },
    "valid until with a time": Nasty(one(valid_until="2027-01-31T23:59:59Z")),
}


TEXTS = {**ENCODINGS, **SHAPES, **NUMBERS, **WORDS}
