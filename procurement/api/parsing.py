"""JSON bodies read strictly: bounded, UTF-8, no NaN, no duplicate keys, nothing that PostgreSQL cannot store."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from rest_framework.parsers import BaseParser, MultiPartParser

from procurement.api.problems import Refusal, pointer

MEGABYTE = 1024 * 1024
MAX_DEPTH = 40
MAX_DIGITS = 300
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class StrictJsonParser(BaseParser):
    """Reads a record; numbers keep every digit that was sent.

    Not the framework's JSONParser: for that one the whole body is read before its size can be refused.
    """

    media_type = "application/json"

    max_bytes = 5 * MEGABYTE

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Return the value of a JSON body."""
        content = _bounded(stream, self.max_bytes, parser_context)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _unreadable(f"byte {error.start} is not UTF-8; send JSON in UTF-8.") from error
        try:
            value = json.loads(
                text, parse_constant=_refuse_constant, parse_float=_decimal, parse_int=_whole,
                object_pairs_hook=_object,
            )  # fmt: skip
        except json.JSONDecodeError as error:
            raise _unreadable(f"{error.msg} at line {error.lineno}, column {error.colno}.") from error
        except RecursionError as error:
            raise _unreadable(f"it is nested deeper than {MAX_DEPTH} levels.") from error
        refuse_unstorable(value)
        return value


class DocumentJsonParser(StrictJsonParser):
    """Reads a scenario document, which may be larger than a record."""

    max_bytes = 20 * MEGABYTE


class BoundedMultiPartParser(MultiPartParser):
    """Reads a form with a file."""

    max_bytes = 52 * MEGABYTE

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Return fields and files of a form."""
        _refuse_large(parser_context, self.max_bytes)
        parsed = super().parse(stream, media_type, parser_context)
        for name, values in parsed.data.lists():
            refuse_unstorable({name: values})
        return parsed


def _bounded(stream: Any, max_bytes: int, parser_context: Mapping[str, Any] | None) -> bytes:
    _refuse_large(parser_context, max_bytes)
    content: bytes = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise _too_large(max_bytes)
    return content


def _refuse_large(parser_context: Mapping[str, Any] | None, max_bytes: int) -> None:
    request = (parser_context or {}).get("request")
    length = str(request.META.get("CONTENT_LENGTH") or "0") if request is not None else "0"
    if length.isdecimal() and int(length[:20]) > max_bytes:
        raise _too_large(max_bytes)


def _too_large(max_bytes: int) -> Refusal:
    return Refusal(413, "too_large", f"The body is larger than {max_bytes // MEGABYTE} MB, the most that is read here.")


def _unreadable(what: str) -> Refusal:
    detail = f"The body is not JSON that can be read: {what}"
    return Refusal(400, "unreadable", detail, errors=[{"pointer": "", "detail": detail}])


def _refuse_constant(name: str) -> Any:
    raise _unreadable(f"{name} is not a number in JSON; send null and say why the figure is missing.")


def _decimal(text: str) -> Decimal:
    value = Decimal(text)
    if len(text) > MAX_DIGITS or abs(value.adjusted()) > MAX_DIGITS:
        raise _unreadable(f"the number {text[:20]}… is outside of what can be read.")
    return value


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _unreadable(f"the number {text[:20]}… has more than {MAX_DIGITS} digits.")
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise _unreadable(f"the key {json.dumps(twice[:60])} stands twice in one object; keep one.")
    return found


def refuse_unstorable(value: Any) -> None:
    """Refuse texts that cannot be stored (NUL, half a surrogate pair) and nesting without end, with the place."""
    waiting: list[tuple[Any, tuple[object, ...]]] = [(value, ())]
    while waiting:
        current, place = waiting.pop()
        if len(place) > MAX_DEPTH:
            raise _unreadable(f"it is nested deeper than {MAX_DEPTH} levels.")
        if isinstance(current, str):
            _refuse_text(current, place)
        elif isinstance(current, Mapping):
            for name, inner in current.items():
                _refuse_text(name, place)
                waiting.append((inner, (*place, name)))
        elif isinstance(current, list | tuple):
            waiting.extend((inner, (*place, position)) for position, inner in enumerate(current))


def _refuse_text(text: str, place: tuple[object, ...]) -> None:
    found = _UNSTORABLE.search(text)
    if found is None:
        return
    where = _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", pointer(*place))
    detail = f"The text at {where or 'the top'} holds the character U+{ord(found[0]):04X}, which cannot be stored."
    raise Refusal(400, "invalid", detail, errors=[{"pointer": where, "detail": detail}])
