"""Fields that take what the OpenAPI file says and nothing else, and give decimals as plain strings."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

EARLIEST_DAY, LATEST_DAY = date(1990, 1, 1), date(2199, 12, 31)
DECIMAL_PATTERN = r"^[+-]?\d{1,16}(\.\d{1,12})?$"
_DECIMAL = re.compile(DECIMAL_PATTERN, re.ASCII)
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,15}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def plain(value: Any) -> str | None:
    """Return a decimal as a plain string without trailing zeros: 12.60000000 is 12.6."""
    if value is None:
        return None
    text = format(Decimal(value), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def money(value: Any) -> str | None:
    """Return an amount as a plain string with at least two decimals: 1013447.5000 is 1013447.50."""
    text = plain(value)
    if text is None:
        return None
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals:<02}"


def _is_form(field: Any) -> bool:
    """Return whether a field is read from a form, where everything is text."""
    return hasattr(getattr(field.root, "initial_data", None), "getlist")


class DecimalText(serializers.DecimalField):
    """A decimal: a string (or a number) comes in, a plain string goes out."""

    default_error_messages = {  # noqa: RUF012 - the framework reads a dict
        "invalid": 'Should be a decimal such as "1234.50": digits, a point, no separators, no exponent.',
    }

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the decimal; refuses what is not written as one."""
        if isinstance(data, bool) or not isinstance(data, str | int | Decimal | float):
            self.fail("invalid")
        text = data if isinstance(data, str) else format(Decimal(str(data)), "f")
        if not _DECIMAL.fullmatch(text):
            self.fail("invalid")
        return super().to_internal_value(text)

    def to_representation(self, value: Any) -> str | None:
        """Return the plain string."""
        return plain(value)


class MoneyText(DecimalText):
    """An amount of the reply: at least two decimals."""

    def to_representation(self, value: Any) -> str | None:
        """Return the plain string."""
        return money(value)


class Text(serializers.CharField):
    """A text; numbers are not taken for texts."""

    def to_internal_value(self, data: Any) -> str:
        """Return the text."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Choice(serializers.ChoiceField):
    """One of the codes; the message lists them."""

    default_error_messages = {  # noqa: RUF012 - the framework reads a dict
        "invalid_choice": "`{input}` is not one of {known}.",
    }

    def to_internal_value(self, data: Any) -> Any:
        """Return the code."""
        if data == "" and self.allow_blank:
            return ""
        if not isinstance(data, str) or data not in self.choices:
            self.fail("invalid_choice", input=str(data)[:60], known=", ".join(str(code) for code in self.choices))
        return data


class Whole(serializers.IntegerField):
    """A whole number."""

    def to_internal_value(self, data: Any) -> int:
        """Return the number; 12.0 is 12, and true is none, nor is "12" outside a form."""
        if _is_form(self) and isinstance(data, str) and _WHOLE.fullmatch(data):
            data = int(data)
        is_number = isinstance(data, int | Decimal | float) and not isinstance(data, bool)
        if not is_number or Decimal(data) != Decimal(data).to_integral_value():
            self.fail("invalid")
        return super().to_internal_value(int(data))


class Flag(serializers.BooleanField):
    """Yes or no; words are taken in forms only."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the flag."""
        if not isinstance(data, bool) and not _is_form(self):
            self.fail("invalid", input=str(data)[:60])
        return bool(super().to_internal_value(data))


class Day(serializers.DateField):
    """An ISO date."""

    def to_internal_value(self, value: Any) -> date:
        """Return the date; refuses one that no record of this service can have."""
        if not isinstance(value, str) or not _DAY.fullmatch(value):
            self.fail("invalid", format="YYYY-MM-DD")
        day: date = super().to_internal_value(value)
        if not EARLIEST_DAY <= day <= LATEST_DAY:
            raise serializers.ValidationError(f"{day} should be from {EARLIEST_DAY} to {LATEST_DAY}.")
        return day


class Instant(serializers.DateTimeField):
    """An instant with its zone; a time without one could be any of them."""

    default_error_messages = {  # noqa: RUF012 - the framework reads a dict
        "no_instant": "Should be an instant with its zone, such as 2026-12-04T12:00:00+01:00 or 2026-12-04T11:00:00Z.",
    }

    def to_internal_value(self, value: Any) -> datetime:
        """Return the instant in UTC; refuses one that no record of this service can have."""
        if not isinstance(value, str) or not _INSTANT.fullmatch(value):
            self.fail("no_instant")
        try:
            moment = datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail("no_instant")
        if not EARLIEST_DAY <= moment.date() <= LATEST_DAY:
            raise serializers.ValidationError(f"{moment.date()} should be from {EARLIEST_DAY} to {LATEST_DAY}.")
        return moment


class Code(serializers.SlugRelatedField):
    """Another record, by its code."""

    default_error_messages = {  # noqa: RUF012 - the framework reads a dict
        "does_not_exist": "There is no record with the {slug_name} `{value}`.",
        "invalid": "Should be the code of a record, as text.",
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(slug_field="code", **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        """Return the record."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data[:200])


class Texts(serializers.ListField):
    """A list of texts."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=Text(max_length=200), max_length=200, **kwargs)


class Document(serializers.Field):
    """An object of the scenario document; the engine checks what is in it."""

    default_error_messages = {  # noqa: RUF012 - the framework reads a dict
        "not_an_object": "Should be an object as in the scenario document.",
    }

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the object with numbers that JSON can hold."""
        if not isinstance(data, Mapping):
            self.fail("not_an_object")
        return {str(name): as_json(value) for name, value in data.items()}

    def to_representation(self, value: Any) -> Any:
        """Return the object as it is."""
        return value


class Documents(serializers.ListField):
    """A list of objects of the scenario document."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=Document(), max_length=500, **kwargs)


def as_json(value: Any) -> Any:
    """Return a value read with exact decimals as JSON numbers."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {str(name): as_json(inner) for name, inner in value.items()}
    return [as_json(inner) for inner in value] if isinstance(value, list | tuple) else value


class DecimalSchema(OpenApiSerializerFieldExtension):
    """Decimals in the OpenAPI file: strings go out, strings or numbers come in."""

    target_class = DecimalText
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """Return the JSON schema."""
        text = {"type": "string", "format": "decimal", "pattern": DECIMAL_PATTERN}
        return text if direction == "response" else {"oneOf": [text, {"type": "number"}]}


class DocumentSchema(OpenApiSerializerFieldExtension):
    """Objects of the scenario document in the OpenAPI file."""

    target_class = Document
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """Return the JSON schema."""
        return {"type": "object", "additionalProperties": True}
