"""Query parameters by allow-list: what may be asked, how it is read, and a suggestion for what is misspelt."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request

from procurement.api.problems import Refusal

EARLIEST_YEAR, LATEST_YEAR = 2000, 2100
LONGEST_TEXT = 200
LONGEST_LIST = 100
LARGEST_WHOLE = 2**31 - 1
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+ -]\d{2}:?\d{2})?)?", re.ASCII
)
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
Choices = Callable[[], Sequence[tuple[str, Any]]]


@dataclass(frozen=True, slots=True)
class Filter:
    """One query parameter: its lookup on the records, how its text is read and what it means."""

    name: str
    lookup: str
    meaning: str
    kind: str = "text"
    choices: Choices | None = None
    schema: Mapping[str, Any] = field(default_factory=dict)

    def read(self, text: str) -> Any:
        """Return the value of one text; refuses what cannot be read."""
        if "\x00" in text or len(text) > LONGEST_TEXT:
            raise _refused(self.name, f"a text of at most {LONGEST_TEXT} characters without NUL", text)
        if self.choices is not None:
            return _choice(self.name, text, [str(code) for code, _ in self.choices()])
        return _READERS[self.kind](self.name, text)

    def parameter(self) -> dict[str, Any]:
        """Return the parameter as in the OpenAPI file; one that may be repeated is an array."""
        schema = dict(self.schema or _SCHEMAS[self.kind])
        if self.choices is not None:
            schema = {"type": "string", "enum": [str(code) for code, _ in self.choices()]}
        if self.is_repeatable:
            schema = {"type": "array", "maxItems": LONGEST_LIST, "items": schema}
        return {"name": self.name, "in": "query", "description": self.meaning, "schema": schema}

    @property
    def is_repeatable(self) -> bool:
        """Whether several values mean any of them."""
        return self.kind in ("text", "whole") and self.lookup != "" and "__" not in self.lookup.removesuffix("__code")


def modified_filters() -> tuple[Filter, ...]:
    """Return the two filters by which a copy is kept up to date."""
    return (
        Filter("modified_since", "modified_at__gte", "changed at or after this instant (inclusive)", "instant"),
        Filter("modified_before", "modified_at__lt", "changed before this instant", "instant"),
    )


def refuse_unknown_parameters(request: Request, known: Iterable[str]) -> None:
    """Refuse parameters that the address does not know, with the nearest one that it does."""
    allowed = sorted(known)
    unknown = [name for name in request.query_params if name not in allowed]
    if not unknown:
        return
    errors = [{"parameter": name[:60], "detail": unknown_name(name, allowed)} for name in unknown[:20]]
    detail = " ".join(error["detail"] for error in errors[:3])
    raise Refusal(400, "unknown_parameter", detail, errors=errors)


def unknown_name(name: str, allowed: Sequence[str]) -> str:
    """Return the sentence for a name that is not known, with a suggestion."""
    near = difflib.get_close_matches(name[:60], allowed, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(allowed[:80]) or 'none'}."
    return f"`{_printable(name)}` is not known here. {hint}"


def filtered(request: Request, records: QuerySet[Any], filters: Sequence[Filter]) -> QuerySet[Any]:
    """Return the records that the parameters of the request ask for; a repeated parameter means any of its values."""
    for item in filters:
        texts = request.query_params.getlist(item.name)
        if not texts:
            continue
        if len(texts) > (LONGEST_LIST if item.is_repeatable else 1):
            raise _refused(item.name, f"given at most {LONGEST_LIST} times" if item.is_repeatable else "given once", "")
        values = [item.read(text) for text in texts]
        if len(values) == 1:
            records = records.filter(**{item.lookup: values[0]})
        else:
            records = records.filter(**{f"{item.lookup}__in": values})
    return records


def one_parameter(request: Request, item: Filter) -> Any:
    """Return the value of a parameter that stands alone, ``None`` when it is missing."""
    texts = request.query_params.getlist(item.name)
    if len(texts) > 1:
        raise _refused(item.name, "given once", texts[1])
    return item.read(texts[0]) if texts else None


def instant(name: str, text: str) -> datetime:
    """Return an ISO instant; a date is its midnight, no zone means UTC, and a space stands for a lost plus sign."""
    found = _INSTANT.fullmatch(text.strip())
    expected = f"an ISO instant from {EARLIEST_YEAR} to {LATEST_YEAR} such as 2026-11-30T09:00:00Z"
    if found is None:
        raise _refused(name, expected, text)
    day, time, zone = found.groups()
    zone = (zone or "Z").replace(" ", "+")
    try:
        value = datetime.fromisoformat(f"{day}T{time or '00:00'}{zone}").astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _refused(name, expected, text) from error
    if not EARLIEST_YEAR <= value.year <= LATEST_YEAR:
        raise _refused(name, expected, text)
    return value


def day(name: str, text: str) -> date:
    """Return an ISO date."""
    expected = f"an ISO date from {EARLIEST_YEAR} to {LATEST_YEAR} such as 2026-11-30"
    try:
        value = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError as error:
        raise _refused(name, expected, text) from error
    if value is None or not EARLIEST_YEAR <= value.year <= LATEST_YEAR:
        raise _refused(name, expected, text)
    return value


def flag(name: str, text: str) -> bool:
    """Return yes or no."""
    if text.lower() not in _FLAGS:
        raise _refused(name, "true or false", text)
    return _FLAGS[text.lower()]


def whole(name: str, text: str) -> int:
    """Return a whole number from 0."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 10 or int(text) > LARGEST_WHOLE:
        raise _refused(name, f"a whole number from 0 to {LARGEST_WHOLE}", text)
    return int(text)


def _any_text(name: str, text: str) -> str:
    return text


def _choice(name: str, text: str, known: Sequence[str]) -> str:
    if text not in known:
        raise _refused(name, f"one of {', '.join(known)}", text)
    return text


def _refused(name: str, expected: str, found: str) -> Refusal:
    shown = _printable(found)
    detail = f"`{name}` is `{shown}`; it should be {expected}."
    errors = [{"parameter": name, "detail": detail, "found": shown, "expected": expected}]
    return Refusal(400, "invalid_parameter", detail, errors=errors)


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:60])


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "text": _any_text, "instant": instant, "day": day, "flag": flag, "whole": whole,
}  # fmt: skip
_SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "string", "maxLength": LONGEST_TEXT},
    "whole": {"type": "integer", "minimum": 0, "maximum": LARGEST_WHOLE},
    "instant": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "flag": {"type": "boolean"},
}
