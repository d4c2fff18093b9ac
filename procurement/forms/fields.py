"""Fields that read what people type: numbers in any notation, estimates as low / likely / high, lists."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError

_SPACES = re.compile(r"[\s\u00a0\u202f'’_]")
_AMBIGUOUS = re.compile(r"^[+-]?\d{1,3},\d{3}$", re.ASCII)
_PLAIN = re.compile(r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$", re.ASCII)
MEASURED_RUN = ("accelerators", "params_b", "step_s", "compute_s")
LARGEST = Decimal(10) ** 16


class Estimate(NamedTuple):
    """A number that a person estimates."""

    low: Decimal
    likely: Decimal
    high: Decimal


def read_number(text: str) -> Decimal:
    """Return the number that was meant: ``31.000,50``, ``31,000.50`` and ``31000.5`` are the same.

    ``1,234`` could be two numbers, so it is refused with both readings.
    """
    written = _SPACES.sub("", text)
    if _AMBIGUOUS.match(written):
        whole, tail = written.split(",")
        raise ValidationError(f"`{text}` can be read as {whole}{tail} or as {whole}.{tail}. Write the one you mean.")
    if "," in written and "." in written:
        decimal = max(",.", key=written.rfind)
        thousands = "." if decimal == "," else ","
        written = _without_groups(text, written, thousands, decimal)
    elif written.count(",") == 1:
        written = written.replace(",", ".")
    elif written.count(",") > 1:
        written = _without_groups(text, written, ",", ".")
    elif written.count(".") > 1:
        written = _without_groups(text, written, ".", ",")
    if not _PLAIN.match(written):
        raise ValidationError(f"`{text}` is not a number. Write it like 31000.5.")
    try:
        number = Decimal(written)
    except InvalidOperation:
        raise ValidationError(f"`{text}` is not a number. Write it like 31000.5.") from None
    if abs(number) >= LARGEST:
        raise ValidationError(f"`{text}` is too large; at most 16 digits before the decimal point are kept.")
    return number


def _without_groups(text: str, written: str, thousands: str, decimal: str) -> str:
    whole, _, tail = written.rpartition(decimal) if decimal in written else (written, "", "")
    groups = whole.lstrip("+-").split(thousands)
    if not 1 <= len(groups[0]) <= 3 or any(len(group) != 3 for group in groups[1:]) or thousands in tail:
        raise ValidationError(f"`{text}`: the groups of thousands do not add up. Write it like 31000.5.")
    return whole.replace(thousands, "") + (f".{tail}" if tail else "")


def plain(number: Decimal | float | int | None) -> str:
    """Return a number as it is shown in an input: no exponent, no needless zeros."""
    if number is None or number == "":
        return ""
    return format(Decimal(str(number)).normalize(), "f")


class NumberField(forms.Field):
    """A number with its unit beside the input."""

    widget = forms.TextInput

    def __init__(self, *, unit: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.unit = unit

    def widget_attrs(self, widget: forms.Widget) -> dict[str, str]:
        """Ask phones for the number keyboard; nothing is completed from earlier entries."""
        return {"inputmode": "decimal", "autocomplete": "off"}

    def prepare_value(self, value: Any) -> Any:
        """Show a stored number plainly and what was typed as it was typed."""
        return value if isinstance(value, str) else plain(value)

    def to_python(self, value: Any) -> Any:
        """Return the number, ``None`` when nothing was typed."""
        if value in self.empty_values:
            return None
        return read_number(str(value))


class WholeField(NumberField):
    """A whole number, zero or more."""

    def to_python(self, value: Any) -> Any:
        """Return the whole number."""
        number = super().to_python(value)
        if number is None:
            return None
        if number != number.to_integral_value() or number < 0 or number > 2_147_483_647:
            raise ValidationError(f"`{value}` should be a whole number from 0 to 2,147,483,647.")
        return int(number)


class EstimateField(NumberField):
    """A number, or an estimate as ``low / likely / high``."""

    is_estimate = True

    def prepare_value(self, value: Any) -> Any:
        """Show an estimate with its three values."""
        if isinstance(value, Estimate):
            return " / ".join(plain(part) for part in value)
        return super().prepare_value(value)

    def to_python(self, value: Any) -> Any:
        """Return a number or an Estimate."""
        parts = str(value if value is not None else "").split("/")
        if len(parts) == 1:
            return super().to_python(value)
        if len(parts) != 3:
            raise ValidationError(f"`{value}` should be one number, or three as low / likely / high.")
        low, likely, high = (read_number(part.strip()) for part in parts)
        if not low <= likely <= high:
            raise ValidationError(f"`{value}`: low / likely / high should rise from left to right.")
        return Estimate(low, likely, high)


class ListField(forms.CharField):
    """Words separated by commas or lines."""

    def __init__(self, *, allowed: Sequence[str] = (), **options: Any) -> None:
        super().__init__(**options)
        self.allowed = allowed

    def prepare_value(self, value: Any) -> Any:
        """Show a stored list with commas."""
        return ", ".join(str(part) for part in value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        """Return the words as a list."""
        words = [word.strip() for word in re.split(r"[,;\n]", super().to_python(value)) if word.strip()]
        strange = [word for word in words if self.allowed and word not in self.allowed]
        if strange:
            raise ValidationError(f"`{strange[0]}` is not known here. Use {', '.join(self.allowed)}.")
        return words


class NumbersField(ListField):
    """Numbers separated by spaces, commas with space, semicolons or lines, as pasted from a sheet."""

    def prepare_value(self, value: Any) -> Any:
        """Show stored numbers one after the other."""
        return " ".join(plain(part) for part in value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        """Return the numbers as a list."""
        text = forms.CharField.to_python(self, value)
        return [float(read_number(word)) for word in re.split(r"[;\s]+|,\s+", (text or "").strip()) if word]


class RowsField(forms.CharField):
    """Rows of named figures, one a line, as pasted from a sheet; a name that is `month` is a day."""

    def __init__(self, names: Sequence[str], *, needed: int = 0, **options: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3}), **options)
        self.names = tuple(names)
        self.needed = needed or len(self.names)
        self.is_full = True
        self.help_text = f"One a line: {', '.join(name.replace('_', ' ') for name in self.names)}."

    def prepare_value(self, value: Any) -> Any:
        """Show stored rows one a line."""
        if not isinstance(value, list | tuple):
            return value
        return "\n".join(" ".join(_cell(row.get(name)) for name in self.names if name in row) for row in value)

    def to_python(self, value: Any) -> Any:
        """Return the rows as objects with these names."""
        lines = [line.strip() for line in (super().to_python(value) or "").splitlines() if line.strip()]
        return [self._row(line) for line in lines]

    def _row(self, line: str) -> dict[str, Any]:
        cells = [cell for cell in re.split(r"[;\t ]+|,\s+", line) if cell]
        if not self.needed <= len(cells) <= len(self.names):
            raise ValidationError(f"`{line}` should hold {', '.join(self.names)}, separated by spaces.")
        return {
            name: cell if name == "month" else float(read_number(cell))
            for name, cell in zip(self.names, cells, strict=False)
        }


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else plain(value)


class DayField(forms.DateField):
    """A day, typed or picked, in ISO order."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date", "min": "2000-01-01", "max": "2100-12-31"})
        messages = {"invalid": "This is not a day. Write it like 2026-11-30."}
        super().__init__(widget=widget, input_formats=["%Y-%m-%d", "%d.%m.%Y"], error_messages=messages, **options)

    def clean(self, value: Any) -> Any:
        """Return the day; one outside this century is a slip of the pen."""
        day = super().clean(value)
        if day is not None and not 2000 <= day.year <= 2100:
            raise ValidationError(f"The year {day.year} should lie from 2000 to 2100.")
        return day
