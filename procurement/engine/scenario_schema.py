"""The JSON Schema of a record, made from its columns."""

from collections.abc import Mapping
from typing import Any

from procurement.engine.scenario_limits import Bounds
from procurement.engine.scenario_reader import NAMES_ALLOWED, Field, fields_of

NUMBER_PATTERN = r"^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*$"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
OPEN_CHOICES = ("slip_class",)  # a document may define further names


def record_schema(record: type, title: str) -> dict[str, Any]:
    """Return the JSON Schema of a record class, with the schemas of all nested records under `$defs`."""
    definitions: dict[str, Any] = {}
    schema = _object(record, definitions)
    return {"$schema": DIALECT, "title": title, **schema, "$defs": dict(sorted(definitions.items()))}


def _object(record: type, definitions: dict[str, Any]) -> dict[str, Any]:
    fields = fields_of(record)
    return {
        "type": "object",
        "description": (record.__doc__ or "").strip().splitlines()[0],
        "properties": {key: _property(field, definitions) for key, field in fields.items()},
        "required": [key for key, field in fields.items() if field.metadata["required"]],
        "additionalProperties": False,
    }


def _property(field: Field, definitions: dict[str, Any]) -> dict[str, Any]:
    unit = field.metadata["unit"]
    meaning = field.metadata["meaning"]
    schema = _value(field, field.kind, definitions)
    description = {"description": f"{meaning} [{unit}]" if unit else meaning}
    if field.metadata["required"]:
        return {**description, **schema}
    return {**description, "anyOf": [schema, {"type": "null"}]}


def _value(field: Field, kind: str, definitions: dict[str, Any]) -> dict[str, Any]:
    if kind in ("number", "count"):
        return _number(field, whole=kind == "count", ranged=field.metadata["ranged"])
    if kind == "record":
        return _reference(field, definitions)
    if kind in ("number_by_name", "record_by_name"):
        return _by_name(field, kind, definitions)
    if kind == "pair":
        return {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2}
    if kind in ("texts", "days", "numbers", "records"):
        single = {"texts": "text", "days": "day", "numbers": "number", "records": "record"}[kind]
        return {"type": "array", "items": _value(field, single, definitions)}
    return _text(field, kind)


def _text(field: Field, kind: str) -> dict[str, Any]:
    if kind == "flag":
        return {"type": "boolean"}
    if kind == "day":
        return {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
    choices = field.metadata["choices"]
    if choices and field.name not in OPEN_CHOICES:
        return {"type": "string", "enum": list(choices)}
    return {"type": "string"}


def _number(field: Field, *, whole: bool, ranged: bool) -> dict[str, Any]:
    plain = {"type": "integer" if whole else "number", **_limits(field.bounds)}
    single: list[dict[str, Any]] = [plain, {"type": "string", "pattern": NUMBER_PATTERN}]
    if not ranged:
        return {"anyOf": single}
    parts: Mapping[str, Any] = {part: {"anyOf": single} for part in ("min", "likely", "max")}
    estimate = {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}
    return {"anyOf": [*single, estimate]}


def _limits(bounds: Bounds) -> dict[str, float]:
    return {
        "exclusiveMinimum" if bounds.above else "minimum": bounds.least,
        "exclusiveMaximum" if bounds.below else "maximum": bounds.greatest,
    }


def _reference(field: Field, definitions: dict[str, Any]) -> dict[str, Any]:
    if field.record is None:
        raise TypeError(f"the column {field.name} names no record class")
    name = field.record.__name__
    if name not in definitions:
        definitions[name] = {}  # a record that holds itself ends here
        definitions[name] = _object(field.record, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _by_name(field: Field, kind: str, definitions: dict[str, Any]) -> dict[str, Any]:
    entry = (
        _reference(field, definitions)
        if kind == "record_by_name"
        else _number(field, whole=False, ranged=field.metadata["ranged"])
    )
    names = NAMES_ALLOWED.get(field.name)
    if names:
        return {"type": "object", "properties": dict.fromkeys(names, entry), "additionalProperties": False}
    return {"type": "object", "additionalProperties": entry}
