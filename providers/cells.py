"""Reads one written cell: numbers with exact decimals, dates, yes and no; what is unclear is refused, not guessed."""

import datetime
import re
from decimal import Decimal, InvalidOperation
from typing import Any

from providers.errors import CellError

MISSING = frozenset(
    {
        "", "-", "–", "—", "n/a", "na", "null", "none", "nan", "tbd", "tba", "poa", "on request",
        "contact sales", "contact us", "contact", "call", "unknown", "?", "n.a.", "auf anfrage", "preis auf anfrage",
        "price on request", "upon request", "sur demande", "prix sur demande", "enquire", "enquire for pricing",
        "custom", "custom pricing", "sold out", "coming soon",
    }
)  # fmt: skip
NULL_TEXTS = frozenset({"", "null", "none"})  # a text cell: NA may be a region, Namibia or North America
SYMBOLS = {
    "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "HK$": "HKD", "S$": "SGD", "NZ$": "NZD",
    "€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW", "CN¥": "CNY", "JP¥": "JPY", "CHF": "CHF", "R$": "BRL",
}  # fmt: skip
SHARED_SYMBOLS = {
    "$": ("USD", "AUD", "CAD", "HKD", "SGD", "NZD", "TWD", "MXN"),
    "¥": ("JPY", "CNY"),
    "kr": ("SEK", "NOK", "DKK"),
}
MAX_DIGITS = 30
PLAIN = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,20})?")
SCIENTIFIC = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,20})?[eE][+-]?[0-9]{1,2}")
CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?"
DATE = re.compile(rf"(\d{{4}})-(\d{{2}})-(\d{{2}})(?:[T ]{CLOCK}(?:Z| UTC|[+-]\d{{2}}:?\d{{2}})?)?")
ERROR = re.compile(r"#(?:N/A|NV|GETTING_DATA|#+|[^\s!?]{2,14}[!?])")  # of any language, and what a narrow column shows
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffd]"
)  # control characters, directions, blanks without width, and the sign of a letter that was lost
EXACT_DIGITS = 15  # that a number of a workbook keeps
TRUE = frozenset({"true", "yes", "y", "1"})
FALSE = frozenset({"false", "no", "n", "0"})


class Marked(str):
    """A cell that has no value of its own, as its workbook shows it: reading it is refused with the rule it breaks."""

    rule: str
    hint: str

    def __new__(cls, text: str, rule: str, hint: str) -> "Marked":
        """Return the text with what is wrong with it."""
        made = super().__new__(cls, text)
        made.rule, made.hint = rule, hint
        return made


class Shown(Decimal):
    """A number that its workbook shows with more than its digits: a currency, a percent sign, words."""

    style: str
    sign: str

    def __new__(cls, text: str, style: str, sign: str) -> "Shown":
        """Return the number with the format that it is shown in, and the currency sign in that."""
        made = super().__new__(cls, text)
        made.style, made.sign = style, sign
        return made


def is_sign(text: str) -> bool:
    """Return whether a text means a currency."""
    return text in SYMBOLS or text in SHARED_SYMBOLS or re.fullmatch(r"[A-Z]{3}", text) is not None


def check_cell(value: Any) -> None:
    """Refuse a cell without a value of its own: an error, a formula that was never computed, a merged cell."""
    if isinstance(value, Marked):
        raise CellError(value, value.rule, value.hint)
    if isinstance(value, str) and value[:1] == "#" and is_error(value):
        raise CellError(value, "spreadsheet_error", "mend the formula, or write the value")


def is_error(text: str) -> bool:
    """Return whether a text is what a spreadsheet program shows where a formula failed: `#REF!`, `#N/A`."""
    return ERROR.fullmatch(text.strip()) is not None


def is_missing(value: Any) -> bool:
    """Return whether a cell of numbers says that there is none: empty, `NULL`, `N/A`, a dash, `Contact sales`."""
    return value is None or (isinstance(value, str) and value.strip().lower() in MISSING)


def read_text(value: Any) -> str | None:
    """Return the text of a cell as written, without blanks around it; None for empty, `NULL` and `None`."""
    if value is None:
        return None
    check_cell(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    text = str(value).strip()
    return None if text.lower() in NULL_TEXTS else text


def read_number(value: Any, decimal: str | None = ".", currency: str | None = None) -> Decimal | None:
    """Read a number exactly.

    Parameters
    ----------
    value : object
        Text of a cell, or a number that JSON or a workbook states.
    decimal : str or None
        The decimal sign of the file, `.` or `,`; None when nobody said: then `1.234` and `1,234` are refused.
    currency : str or None
        ISO code that a currency sign in the cell must agree with.

    Returns
    -------
    Decimal or None
        None where the cell says that there is no number.

    Raises
    ------
    CellError
        With rule `not_a_number`, `ambiguous_number` or `other_currency`.
    """
    check_cell(value)
    if is_missing(value):
        return None
    if isinstance(value, bool):
        raise CellError(str(value), "not_a_number", "write a number")
    if isinstance(value, Shown) and value.sign:
        _check_sign(f"{value} {value.sign}", value.sign, currency)
    if isinstance(value, int | Decimal):
        return _bounded(Decimal(value), str(value))
    text = str(value).strip()
    if decimal != "," and PLAIN.fullmatch(text) and (decimal == "." or not _is_group(text)):
        return Decimal(text)
    return _bounded(_written_number(text, decimal, currency), text)


def _is_group(text: str) -> bool:
    """Return whether a number like 1.234 could as well be one thousand two hundred thirty-four."""
    return re.fullmatch(r"[1-9][0-9]{0,2}\.[0-9]{3}", text) is not None


def _written_number(text: str, decimal: str | None, currency: str | None) -> Decimal:
    body = _without_currency(text, currency)
    if SCIENTIFIC.fullmatch(body):
        return Decimal(body)
    sign = "-" if body[:1] in {"-", "−"} else ""
    body = re.sub(r"(?<=[0-9])[\u00a0\u2009\u202f ' ’](?=[0-9]{3}(?![0-9]))", "", body.lstrip("-−+").strip())
    if not re.fullmatch(r"[0-9]+(?:[.,][0-9]+)*", body):
        raise CellError(text, "not_a_number", "write digits with one decimal sign, the unit in its own column")
    return Decimal(sign + _plain_digits(text, body, decimal))


def _plain_digits(text: str, body: str, decimal: str | None) -> str:
    """Return the digits with a point as decimal sign, where the grouping leaves no doubt."""
    marks = re.findall(r"[.,]", body)
    if not marks:
        return body
    last = marks[-1]
    if len(set(marks)) == 2 and marks.count(last) == 1 and _groups_are_right(body, last):  # 1,234.50 or 1.234,50
        if decimal not in (None, last):
            raise CellError(text, "other_decimal_sign", f"the file's decimal sign is {decimal!r}")
        return re.sub(r"[.,]", "", body.rpartition(last)[0]) + "." + body.rpartition(last)[2]
    if len(set(marks)) == 1 and len(marks) > 1 and _groups_are_right(body + "?", "?"):  # 1,234,567
        if decimal == last:
            raise CellError(text, "other_decimal_sign", f"{last!r} is the file's decimal sign and stands once")
        return body.replace(last, "")
    if len(marks) > 1:
        raise CellError(text, "not_a_number", "group digits by threes, with one decimal sign")
    return _one_mark(text, body, last, decimal)


def _groups_are_right(body: str, last: str) -> bool:
    groups = re.split(r"[.,]", body.rpartition(last)[0])
    return 1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])


def _one_mark(text: str, body: str, mark: str, decimal: str | None) -> str:
    whole, _, rest = body.partition(mark)
    could_group = len(rest) == 3 and 1 <= len(whole) <= 3 and whole[0] != "0"
    if decimal is None and could_group:
        hint = f"say which sign is the decimal sign of this file: {whole}{rest} or {whole}.{rest}"
        raise CellError(text, "ambiguous_number", hint)
    if decimal in (None, mark):
        return f"{whole}.{rest}"
    if could_group:
        return whole + rest
    raise CellError(text, "other_decimal_sign", f"the file's decimal sign is {decimal!r}")


def _without_currency(text: str, currency: str | None) -> str:
    match = re.fullmatch(r"([^0-9+\-−.,]*?)\s*([+\-−]?\s*[0-9].*?)\s*([^0-9.,]*)", text)
    if match is None:
        raise CellError(text, "not_a_number", "write a number, or leave the cell empty when there is none")
    signs = [part.strip() for part in (match[1], match[3]) if part.strip()]
    for sign in signs:
        _check_sign(text, sign, currency)
    return match[2]


def _check_sign(text: str, sign: str, currency: str | None) -> None:
    named = SYMBOLS.get(sign) or (sign if re.fullmatch(r"[A-Z]{3}", sign) else None)
    allowed = SHARED_SYMBOLS.get(sign) or ((named,) if named else ())
    if not allowed:
        raise CellError(text, "not_a_number", f"{sign!r} is no currency: write the unit in its own column")
    if currency is not None and currency not in allowed:
        raise CellError(text, "other_currency", f"the row is in {currency}, the cell says {' or '.join(allowed)}")


def _bounded(value: Decimal, text: str) -> Decimal:
    if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS:
        raise CellError(text[:40], "not_a_number", f"a number of at most {MAX_DIGITS} digits")
    return value


def read_name(value: Any) -> str | None:
    """Return the text of a cell that names something; refused is what only looks like the name that was meant.

    Raises
    ------
    CellError
        For a date or a number that a spreadsheet program made of a name, and for letters that nobody sees.
    """
    if isinstance(value, bool | datetime.date | datetime.time | datetime.timedelta):
        raise CellError(str(value), "not_text", "format the cell as text and write the name as it is")
    if isinstance(value, Shown):
        raise CellError(
            str(value), "not_text", f"it is shown as {value.style!r}: format the cell as text and write it so"
        )
    if isinstance(value, Decimal) and value.adjusted() >= EXACT_DIGITS:
        raise CellError(f"{value:f}", "rounded_number", f"format the cell as text: numbers keep {EXACT_DIGITS} digits")
    text = read_text(value)
    is_plain = text is None or (text.isascii() and text.isprintable())
    hidden = None if text is None or is_plain else HIDDEN.search(text)
    if text and hidden:
        hint = (
            f"remove U+{ord(hidden[0]):04X} at place {hidden.start() + 1}: nobody sees it, or a letter was lost there"
        )
        raise CellError(text, "hidden_character", hint)
    return text


def read_integer(value: Any, decimal: str | None = ".") -> int | None:
    """Read a whole number, `8` and `8.0` alike; by the decimal sign of the file, for `1.000` may be a thousand."""
    number = read_number(value, decimal)
    if number is None:
        return None
    if number != number.to_integral_value():
        raise CellError(str(value), "not_whole", "write a whole number")
    return int(number)


def read_date(value: Any) -> datetime.date | None:
    """Read a day in ISO form, with or without a time; other orders of day and month are refused."""
    check_cell(value)
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    if is_missing(value):
        return None
    match = DATE.fullmatch(str(value).strip())
    try:
        if match:
            return datetime.date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        pass  # the 31st of June: refused below with the same hint
    raise CellError(str(value), "not_a_date", "write the day as 2026-11-30")


def read_boolean(value: Any) -> bool | None:
    """Read yes or no."""
    check_cell(value)
    if isinstance(value, bool):
        return value
    text = "" if value is None else str(value).strip().lower()
    if text in TRUE or text in FALSE:
        return text in TRUE
    if text in NULL_TEXTS:
        return None
    raise CellError(str(value), "not_yes_or_no", "write true or false")


def plain(value: Decimal) -> str:
    """Return a number as digits, without exponent and without zeros at its end."""
    try:
        text = f"{value:f}"
    except InvalidOperation:
        return str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text
