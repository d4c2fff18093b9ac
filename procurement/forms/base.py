"""The form of a record: fields from its columns, sections, version, reason, refusals and the merge of two edits."""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.db import models

from procurement.choices import ColumnNote, column_notes
from procurement.errors import ProcurementError
from procurement.forms.fields import DayField, Estimate, EstimateField, ListField, NumberField, NumbersField, WholeField
from procurement.forms.labels import label_of

LONG_UNIT = 14  # characters; a longer unit needs a field of two columns
BLANK = [("", "–")]


class Section(NamedTuple):
    """A titled part of a form; a folded one opens when it holds something or a fault."""

    title: str
    names: tuple[str, ...]
    note: str = ""
    is_folded: bool = False


class Nested(NamedTuple):
    """A record inside a record, such as the training block of a workload, typed in flat fields."""

    name: str
    record: str
    names: tuple[str, ...]

    def flat(self, name: str) -> str:
        """Return the field that holds a nested column."""
        return f"{self.name}_{name}"


class Difference(NamedTuple):
    """One field that two people changed at the same time."""

    label: str
    theirs: str
    mine: str


class RefusableForm(forms.Form):
    """A small form that can show what a service refused."""

    def take_refusal(self, error: ProcurementError) -> None:
        """Put each refusal beside its field."""
        for name, messages in error.fields.items():
            for message in messages:
                self.add_error(name if name in self.fields else None, message)
        if not error.fields:
            self.add_error(None, error.message)


class RecordForm(RefusableForm):
    """Base of every record form. Subclasses name the model, the table of column notes and the layout."""

    model: type[models.Model]
    table = ""
    layout: tuple[Section, ...] = ()
    nested: tuple[Nested, ...] = ()
    choices_of: Mapping[str, Sequence[tuple[str, str]]] = {}

    def __init__(self, *args: Any, instance: models.Model | None = None, **kwargs: Any) -> None:
        self.instance = instance
        super().__init__(*args, **kwargs)
        self.notes = column_notes(self.table) if self.table else {}
        for name in self._names():
            if name not in self.fields:
                self.fields[name] = self._field(name)
        if instance is not None:
            self.fields["version"] = forms.IntegerField(widget=forms.HiddenInput)
            self.fields["as_read"] = forms.CharField(widget=forms.HiddenInput, required=False)
        self.fields["reason"] = forms.CharField(
            label="Why", max_length=300, required=instance is not None, help_text="Kept in the history of the record."
        )
        self.fields["reason"].is_full = True
        self.initial = {**self._stored(), **self.initial}

    # --- what it shows ---

    @property
    def sections(self) -> Iterator[dict[str, Any]]:
        """Return the sections with their bound fields, for the template."""
        for section in (*self.layout, Section("Reason", ("reason",))):
            fields = [self[name] for name in section.names if name in self.fields]
            is_filled = any(field.errors or field.value() not in (None, "", [], False) for field in fields)
            yield {
                "title": section.title, "note": section.note, "fields": fields, "is_folded": section.is_folded,
                "is_open": is_filled,
            }  # fmt: skip

    @property
    def has_estimates(self) -> bool:
        """Whether a number may be typed as low / likely / high."""
        return any(isinstance(field, EstimateField) for field in self.fields.values())

    @property
    def echoes(self) -> list[str]:
        """Return how numbers were read where that differs from how they were typed."""
        read = []
        for name, field in self.fields.items():
            typed = str(self.data.get(self.add_prefix(name), "")).strip()
            value = self.cleaned_data.get(name)
            shown = field.prepare_value(value) if isinstance(field, NumberField) and value is not None else typed
            if typed.replace(" ", "") != str(shown).replace(" ", ""):
                read.append(f"{field.label}: `{typed}` was read as {shown}")
        return read

    # --- what it gives ---

    def values(self) -> dict[str, Any]:
        """Return the values for the service: estimates as likely value and ranges, nested fields as one."""
        inner = {nested.flat(name) for nested in self.nested for name in nested.names}
        names = [name for name in self._names() if name not in inner and self._model_field(name) is not None]
        values: dict[str, Any] = {name: self.cleaned_data.get(name) for name in names}
        if "ranges" in {field.name for field in self.model._meta.concrete_fields}:
            kept = dict(getattr(self.instance, "ranges", None) or {})
            values["ranges"] = {name: part for name, part in kept.items() if name not in values}
        for name, value in list(values.items()):
            if isinstance(value, Estimate):
                values["ranges"][name] = {"min": plain_number(value.low), "max": plain_number(value.high)}
                values[name] = value.likely
            elif value is None and (default := self._default(name)) is not None:
                values[name] = default
        return values | {nested.name: self._nested_value(nested) for nested in self.nested}

    def take_refusal(self, error: ProcurementError) -> None:
        """Put what a service refused beside the fields it concerns."""
        for name, messages in error.fields.items():
            target = self._field_for_fault(name)
            for message in messages:
                self.add_error(target, message if target else f"{label_of(name)}: {message}")
        if not error.fields:
            self.add_error(None, error.message)

    def merged(self, current: models.Model) -> tuple["RecordForm", list[Difference], list[str]]:
        """Return this form upon the record as it stands now, the fields both changed, and those taken from them.

        Where only they changed a field, theirs is kept; where both did, mine stays in the form and theirs is shown.
        """
        read = read_back(self.data.get("as_read", ""))
        fresh = type(self)(instance=current, **self._options())
        data = self.data.copy()
        differences, taken = [], []
        for name in self._names():
            mine, theirs = str(data.get(name) or ""), fresh.typed(name)
            before = read.get(name, theirs)
            if mine == theirs or before == theirs:
                continue
            label = str(self.fields[name].label)
            if mine == before:
                data[name] = theirs
                taken.append(label)
            else:
                differences.append(Difference(label, theirs or "–", mine or "–"))
        data["version"] = str(current.version)  # type: ignore[attr-defined]
        data["as_read"] = fresh.initial["as_read"]
        return type(self)(data, instance=current, **self._options()), differences, taken

    def typed(self, name: str) -> str:
        """Return the initial value of a field as a browser would send it."""
        field = self.fields[name]
        value = field.prepare_value(self.initial.get(name, field.initial))
        if isinstance(field, forms.BooleanField):
            return "on" if value else ""
        return "" if value is None else str(value)

    # --- how it is made ---

    def _options(self) -> dict[str, Any]:
        return {}

    def _names(self) -> list[str]:
        return [name for section in self.layout for name in section.names if name not in self.left_out()]

    def left_out(self) -> tuple[str, ...]:
        """Return the fields of the layout that this form does not show."""
        return ()

    def _nest_of(self, name: str) -> tuple[Nested, str] | None:
        for nested in self.nested:
            if name.startswith(f"{nested.name}_") and name.removeprefix(f"{nested.name}_") in nested.names:
                return nested, name.removeprefix(f"{nested.name}_")
        return None

    def _model_field(self, name: str) -> "models.Field[Any, Any] | None":
        return next((field for field in self.model._meta.concrete_fields if field.name == name), None)

    def _default(self, name: str) -> Any:
        field = self._model_field(name)
        return field.get_default() if field is not None and not field.null else None

    def _field(self, name: str) -> forms.Field:
        nest = self._nest_of(name)
        if nest is not None:
            nested, column = nest
            note = column_notes(nested.record)[column]
            return self._finish(note_field(note), note, column)
        model_field = self._model_field(name)
        if model_field is None:
            raise LookupError(
                f"{type(self).__name__}: `{name}` is neither declared nor a field of {self.model.__name__}"
            )
        note = self.notes.get(name)
        field = model_form_field(model_field, note, self.choices_of.get(name))
        return self._finish(field, note, name, model_field.help_text)

    def _finish(self, field: forms.Field, note: ColumnNote | None, name: str, help_text: str = "") -> forms.Field:
        field.label = label_of(name)
        words = help_text or (note.meaning if note else "")
        if words.lower() not in str(field.label).lower():
            field.help_text = f"{words[:1].upper()}{words[1:]}."
        unit = getattr(field, "unit", "")
        currency = getattr(self.instance, "currency", "") or "currency"
        if unit:
            field.unit = unit.replace("currency", currency)  # type: ignore[attr-defined]
        field.is_wide = len(unit) > LONG_UNIT  # type: ignore[attr-defined]
        return field

    def _stored(self) -> dict[str, Any]:
        if self.instance is None:
            return {}
        stored: dict[str, Any] = {}
        ranges = getattr(self.instance, "ranges", None) or {}
        for name in self._names():
            nest = self._nest_of(name)
            if nest is not None:
                stored[name] = estimate_of((getattr(self.instance, nest[0].name) or {}).get(nest[1]))
            elif (model_field := self._model_field(name)) is not None:
                value = model_field.value_from_object(self.instance)
                around = ranges.get(name)
                stored[name] = Estimate(_decimal(around["min"]), value, _decimal(around["max"])) if around else value
        self.initial = {**stored, **self.initial}
        stored["version"] = self.instance.version  # type: ignore[attr-defined]
        stored["as_read"] = json.dumps({name: self.typed(name) for name in self._names()})
        return stored

    def _nested_value(self, nested: Nested) -> dict[str, Any] | None:
        found = {}
        for name in nested.names:
            value = self.cleaned_data.get(nested.flat(name))
            if value not in (None, "", []):
                found[name] = document_value(value)
        return found or None

    def _field_for_fault(self, name: str) -> str | None:
        if name in self.fields:
            return name
        inner = [field for field in self.fields if field.startswith(f"{name}_")]
        filled = [field for field in inner if self.cleaned_data.get(field) not in (None, "", [])]
        return next(iter(filled or inner), None)


def read_back(text: str) -> dict[str, str]:
    """Return the values that the form was opened with, none when they do not come back as they were sent."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return values if isinstance(values, dict) else {}


def model_form_field(  # noqa: C901, PLR0911 - one line per kind of column reads best as a list
    field: "models.Field[Any, Any]", note: ColumnNote | None, pairs: Sequence[tuple[str, str]] | None
) -> forms.Field:
    """Return the form field of a model field; what has a default may stay empty."""
    unit = note.unit if note else ""
    required = not (field.blank or field.null or field.has_default())
    initial = field.get_default() if field.has_default() and not callable(field.default) else None
    common = {"required": required, "initial": initial}
    if pairs is not None or field.choices:
        options = list(pairs if pairs is not None else field.choices)  # type: ignore[arg-type]
        return forms.ChoiceField(choices=options if initial else BLANK + options, **common)
    if isinstance(field, models.ForeignKey):
        queryset = field.related_model._default_manager.all()  # type: ignore[union-attr]
        return forms.ModelChoiceField(queryset, required=required, empty_label="–")
    if isinstance(field, models.BooleanField):
        return forms.BooleanField(required=False, initial=bool(initial))
    if isinstance(field, models.DecimalField):
        kind = EstimateField if note and note.is_ranged and hasattr(field.model, "ranges") else NumberField
        return kind(unit=unit, **common)
    if isinstance(field, models.IntegerField):
        return WholeField(unit=unit, **common)
    if isinstance(field, models.DateField):
        return DayField(required=required)
    if isinstance(field, models.JSONField):
        return ListField(required=False, allowed=note.choices if note else ())
    if isinstance(field, models.TextField):
        return forms.CharField(required=required, widget=forms.Textarea(attrs={"rows": 3}))
    return forms.CharField(max_length=field.max_length, **common)


def note_field(note: ColumnNote) -> forms.Field:
    """Return the form field of a column that lives inside another record."""
    if note.choices:
        return forms.ChoiceField(choices=BLANK + [(code, label_of(code)) for code in note.choices], required=False)
    if note.type in (float, int):
        return (EstimateField if note.is_ranged else NumberField)(unit=note.unit, required=False)
    if note.type is tuple:
        field = NumbersField(required=False, widget=forms.Textarea(attrs={"rows": 2}))
        field.unit = note.unit  # type: ignore[attr-defined]
        return field
    return forms.CharField(required=False, max_length=200)


def estimate_of(value: Any) -> Any:
    """Return {min, likely, max} of a document as an Estimate, anything else as it is."""
    if isinstance(value, Mapping) and {"min", "likely", "max"} <= set(value):
        return Estimate(_decimal(value["min"]), _decimal(value["likely"]), _decimal(value["max"]))
    return value


def document_value(value: Any) -> Any:
    """Return a cleaned value as it stands in the scenario document."""
    if isinstance(value, Estimate):
        low, likely, high = (plain_number(part) for part in value)
        return {"min": low, "likely": likely, "max": high}
    return plain_number(value) if isinstance(value, Decimal) else value


def plain_number(number: Decimal) -> int | float:
    """Return a Decimal as the JSON number a person would write."""
    return int(number) if number == number.to_integral_value() else float(number)


def _decimal(value: Any) -> Decimal:
    return Decimal(str(value))
