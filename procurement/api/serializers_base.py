"""What all serializers of records share: strict fields by model field, unknown keys refused with a suggestion."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db import models
from rest_framework import serializers
from rest_framework.validators import UniqueValidator

from procurement.api.fields import Choice, Code, Day, DecimalText, Document, Flag, Text, Whole, plain
from procurement.api.filters import unknown_name

LARGEST_WHOLE = 2**31 - 1
LONGEST_NOTE = 10_000
RECORD_FIELDS = ("version", "is_archived", "created_at", "modified_at", "created_by")
FIELD_BY_MODEL_FIELD = {
    **serializers.ModelSerializer.serializer_field_mapping,
    models.CharField: Text,
    models.TextField: Text,
    models.SlugField: serializers.SlugField,
    models.DecimalField: DecimalText,
    models.BooleanField: Flag,
    models.DateField: Day,
    models.IntegerField: Whole,
    models.PositiveIntegerField: Whole,
    models.PositiveBigIntegerField: Whole,
    models.JSONField: Document,
}


class StrictMixin:
    """Refuses keys that the input does not know."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the values; an unknown key is a fault beside the others."""
        errors = self._unknown_keys(data) if isinstance(data, Mapping) else {}
        try:
            values = super().to_internal_value(data)  # type: ignore[misc]
        except serializers.ValidationError as error:
            if isinstance(error.detail, dict):
                raise serializers.ValidationError({**errors, **error.detail}) from error
            raise
        if errors:
            raise serializers.ValidationError(errors)
        return values

    def _unknown_keys(self, data: Mapping[str, Any]) -> dict[str, list[str]]:
        fields: Mapping[str, serializers.Field[Any, Any, Any, Any]] = self.fields  # type: ignore[attr-defined]
        known = sorted(name for name, field in fields.items() if not field.read_only)
        unknown = [str(name) for name in data if name not in known]
        return {name[:60]: [unknown_name(name, known)] for name in unknown[:50]}


class StrictSerializer(StrictMixin, serializers.Serializer[Any]):
    """An input that is no record."""


class ReasonInput(StrictSerializer):
    """An action that needs nothing but a reason, if any."""

    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class RecordInput(StrictMixin, serializers.ModelSerializer[Any]):
    """What may be written of a record; uniqueness and cross-field rules are the service's."""

    serializer_field_mapping = FIELD_BY_MODEL_FIELD
    serializer_choice_field = Choice
    serializer_related_field = Code
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")
    only_when_new: ClassVar[tuple[str, ...]] = ()

    def build_standard_field(self, field_name: str, model_field: Any) -> Any:
        """Return field class and arguments; bounds stated, uniqueness left to the service."""
        field_class, arguments = super().build_standard_field(field_name, model_field)
        validators = [item for item in arguments.get("validators", ()) if not isinstance(item, UniqueValidator)]
        if "validators" in arguments:
            arguments["validators"] = validators
        if field_class is Whole:
            arguments.setdefault("max_value", LARGEST_WHOLE)
            arguments.setdefault("min_value", -LARGEST_WHOLE)
        if isinstance(model_field, models.TextField):
            arguments["max_length"] = LONGEST_NOTE
        return field_class, _without_json_codecs(arguments)

    def build_relational_field(self, field_name: str, relation_info: Any) -> Any:
        """Return field class and arguments of a related record, which is named by its code."""
        field_class, arguments = super().build_relational_field(field_name, relation_info)
        arguments.pop("view_name", None)
        return field_class, arguments

    def get_validators(self) -> list[Any]:
        """Return none: the service checks the whole record."""
        return []

    def get_fields(self) -> Any:
        """Return the fields; a change may not touch what is given once, such as the code."""
        fields = super().get_fields()
        if self.partial:
            for name in self.only_when_new:
                fields.pop(name, None)
        return fields


class RecordOutput(serializers.ModelSerializer[Any]):
    """What is shown of a record; decimals are plain strings, people and records go by name and code."""

    serializer_field_mapping = FIELD_BY_MODEL_FIELD
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True, read_only=True)

    def build_standard_field(self, field_name: str, model_field: Any) -> Any:
        """Return field class and arguments."""
        field_class, arguments = super().build_standard_field(field_name, model_field)
        return field_class, _without_json_codecs(arguments)

    def get_fields(self) -> Any:
        """Return the fields, all of them to read."""
        fields = super().get_fields()
        for field in fields.values():
            field.read_only = True
        return fields


def _without_json_codecs(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in ("encoder", "decoder", "style")}


class RangesField(Document):
    """Least and greatest values by column: {"price": {"min": "2", "max": "3"}}."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the ranges as decimal strings; refuses columns that hold no number and ranges the wrong way round."""
        checked: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        columns = self._columns()
        for name, bounds in super().to_internal_value(data).items():
            if name not in columns:
                errors[name[:60]] = [unknown_name(name, sorted(columns))]
            elif not isinstance(bounds, Mapping) or set(bounds) != {"min", "max"}:
                errors[name] = ['Should be an object with exactly "min" and "max".']
            else:
                checked[name] = self._bounds(name, data[name], errors)
        if errors:
            raise serializers.ValidationError(errors)
        return checked

    def _columns(self) -> set[str]:
        parent: Any = self.parent
        return {name for name, field in parent.fields.items() if isinstance(field, DecimalText)}

    def _bounds(self, name: str, bounds: Mapping[str, Any], errors: dict[str, Any]) -> dict[str, str] | None:
        field = DecimalText(max_digits=24, decimal_places=8)
        try:
            least, greatest = (field.run_validation(bounds[key]) for key in ("min", "max"))
        except serializers.ValidationError as error:
            errors[name] = error.detail
            return None
        if least > greatest:
            errors[name] = [f"min {least} is greater than max {greatest}."]
        return {"min": str(plain(least)), "max": str(plain(greatest))}
