"""JSON of the kinds that T54 names, each with what must become of it when its columns are matched by PROFILE."""

import json

from tests.providers.nasty_files import Nasty, refused, row

ITEM = {"provider": "Acme", "sku": "box", "gpu": "H100 SXM", "count": 8, "price": 2.1, "region": "eu-1", "pieces": 64}
PROFILE = {
    "columns": {
        "provider": "provider",
        "sku": "sku",
        "gpu": "accelerator",
        "count": "accelerators_per_instance",
        "price": "price",
        "region": "region",
        "pieces": "quantity_available",
    },
    "constants": {"price_basis": "per_accelerator_hour", "currency": "USD", "purchase_model": "on_demand"},
}
LIST = json.dumps([ITEM])


def other(old: str, new: str) -> bytes:
    assert old in LIST
    return LIST.replace(old, new).encode()


JSON = {
    "a list": Nasty(LIST.encode()),
    "with mark": Nasty(LIST.encode("utf-8-sig")),
    "utf-16": Nasty(LIST.encode("utf-16")),
    "one a line": Nasty(f"{json.dumps(ITEM)}\n\n{json.dumps(ITEM | {'sku': 'b'})}\n".encode(), [row(), row("b")]),
    "one a line, with a line separator in a string": Nasty(
        (json.dumps(ITEM | {"sku": "a\u2028b"}, ensure_ascii=False) + "\n" + LIST[1:-1]).encode(),
        [row("a\u2028b"), row()],
    ),
    "one a line, one broken": refused(
        f'{json.dumps(ITEM)}\n{{"a":\n'.encode(), "line 2 of a file with one JSON per line"
    ),
    "a trailing comma": refused(LIST.replace("]", ",]").encode(), "line 1 column"),
    "a comment": refused(b"// prices\n" + LIST.encode(), "headers provider"),
    "single quotes": refused(LIST.replace('"', "'").encode(), "line 1 column 3"),
    "a key twice": refused(
        other('"price": 2.1', '"price": 2.1, "price": 9'), "'price' stands twice .* line 1, column 2"
    ),
    "NaN": refused(other("2.1", "NaN"), "NaN is no number of JSON, in the object that begins on line 1, column 2"),
    "minus infinity": refused(other("2.1", "-Infinity"), "-Infinity is no number"),
    "a number without bounds": refused(
        other("2.1", "1e999999999"), "1e999999999 is a number without bounds, in the object"
    ),
    "a name without bounds": refused(other('"box"', "1e99999999"), "number without bounds"),
    "an exponent that no decimal has": refused(other("2.1", "1e" + "9" * 30), "number without bounds"),
    "a number of 5,000 digits": refused(other("2.1", "9" * 5000), "more than 4,300 digits"),
    "a large number": Nasty(other("2.1", "1e40"), (), faults=[(1, "price", "not_a_number")]),
    "a long id": Nasty(other('"box"', "12345678901234567890"), [row("12345678901234567890")]),
    "a number with a zero at its end as id": Nasty(other('"box"', "1.10"), [row("1.10")]),
    "an ambiguous text": Nasty(other("2.1", '"1.234"'), (), faults=[(1, "price", "ambiguous_number")]),
    "a true name": Nasty(other('"box"', "true"), (), faults=[(1, "sku", "not_text")]),
    "half a character": refused(other("box", "\\ud800"), r"line 1 holds \\ud800, half a character"),
    "two halves": Nasty(other("box", "\\ud83d\\ude00"), [row("😀")]),
    "NUL": refused(other("box", "a\\u0000b"), "the character NUL"),
    "a control character": Nasty(other("box", "a\\u0008b"), (), faults=[(1, "sku", "hidden_character")]),
    "a long string": refused(other("box", "x" * 200_000), "from line 1 on more than 131,072 letters hold no quote"),
    "a long string of quotes": refused(other("box", '\\"' * 200_000), "more than 131,072 letters hold no quote"),
    "a long key": refused(other('"pieces"', f'"{"x" * 200_000}"'), "more than 131,072 letters hold no quote"),
    "deep lists": refused(b"[" * 60_000 + b"]" * 60_000, "nests too deep"),
    "deep objects": refused(b'{"a":' * 60_000 + b"1" + b"}" * 60_000, "nests too deep"),
    "a million empty objects": refused(b"[" + b"{}," * 1_000_001 + b"{}]", "1,000,003 objects"),
    "a key for every object": refused(
        json.dumps([{f"k{n}": 1} for n in range(30_000)]).encode(), "30,000 objects and 200 keys"
    ),
    "shift-jis": refused(
        json.dumps([ITEM | {"region": "東京"}], ensure_ascii=False).encode("shift_jis"), "no UTF-8, and line 1"
    ),
    "rich text": refused(b"{\\rtf1\\ansi prices}", "a text document"),
}
