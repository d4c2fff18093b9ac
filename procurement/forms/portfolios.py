"""The form that asks for a portfolio: how good, how long, and what a person has fixed, one row a pin."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms

from procurement.errors import ProcurementError
from procurement.forms.base import RefusableForm
from procurement.forms.fields import NumberField, WholeField, plain
from procurement.services.portfolios import GAP, MOST_PINS, SECONDS

ALL, COUNT, SHARE, NOT = "all", "accelerators", "share", "not"
HOWS = (
    (ALL, "all of it there"), (COUNT, "so many accelerators there"), (SHARE, "a share of it there, %"),
    (NOT, "not there"),
)  # fmt: skip
SPARE_ROWS = 2
HUNDRED = Decimal(100)


class PinForm(forms.Form):
    """One thing that a person has decided; a row without workload and place is no pin."""

    use_required_attribute = False

    workload = forms.CharField(
        max_length=60, widget=forms.TextInput(attrs={"list": "workloads", "autocomplete": "off"})
    )
    place = forms.CharField(
        max_length=200, label="Quote or build", widget=forms.TextInput(attrs={"list": "places", "autocomplete": "off"})
    )
    how = forms.ChoiceField(choices=HOWS, label="What holds", required=False)
    amount = NumberField(required=False, label="How many, or %")
    first_month = WholeField(required=False, label="From month", help_text="0 is its first")
    last_month = WholeField(required=False, label="To month", help_text="itself included")
    reason = forms.CharField(required=False, max_length=300, label="Why")

    def has_changed(self) -> bool:
        """Return whether it says anything: a chosen way alone says nothing."""
        return any(name != "how" for name in self.changed_data)

    def clean(self) -> dict[str, Any]:
        """Want an amount where one is needed, and a share of no more than the whole."""
        values = super().clean() or self.cleaned_data
        how, amount = values.get("how") or ALL, values.get("amount")
        if how in (COUNT, SHARE) and amount is None and "amount" not in self.errors:
            self.add_error("amount", "Say how many accelerators, or which share in percent.")
        if how in (ALL, NOT) and amount is not None:
            self.add_error("amount", "Choose whether this is a number of accelerators or a share, or leave it empty.")
        if amount is not None and not 0 <= amount <= (HUNDRED if how == SHARE else Decimal(10**9)):
            self.add_error(
                "amount", f"{plain(amount)} is out of bounds; {'0 to 100 %' if how == SHARE else '0 or more'}."
            )
        return values

    def pin(self) -> dict[str, Any]:
        """Return the pin for the service."""
        values = self.cleaned_data
        found = {name: values.get(name) for name in ("workload", "place", "first_month", "last_month", "reason")}
        how = values.get("how") or ALL
        if how == NOT:
            found["share"] = Decimal(0)
        elif how == SHARE:
            found["share"] = values["amount"] / HUNDRED
        elif how == COUNT:
            found["accelerators"] = values["amount"]
        return {name: value for name, value in found.items() if value not in (None, "")}


def pin_initial(pin: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored pin as its row shows it."""
    shown = {name: pin.get(name) for name in ("workload", "place", "first_month", "last_month", "reason")}
    share, count = pin.get("share"), pin.get("accelerators")
    if count is not None:
        return {**shown, "how": COUNT, "amount": plain(count)}
    if share is None:
        return {**shown, "how": ALL}
    part = Decimal(str(share)) * HUNDRED
    return {**shown, "how": SHARE, "amount": plain(part)} if part else {**shown, "how": NOT}


class PortfolioForm(RefusableForm):
    """A question on a run: its limits, its pins and why it is asked."""

    gap = NumberField(
        label="Good enough within", unit="%", help_text="The plan may cost so much more than the best one can."
    )
    time_limit_s = WholeField(
        label="Look for at most", unit="seconds", help_text="Then the best found is the answer, and says so."
    )
    reason = forms.CharField(required=False, max_length=300, label="Why", help_text="Kept in the history.")

    def __init__(self, data: Any = None, *, rows: Sequence[Mapping[str, Any]] = (), **kwargs: Any) -> None:
        initial = {"gap": GAP * HUNDRED, "time_limit_s": SECONDS, **kwargs.pop("initial", {})}
        super().__init__(data, initial=initial, **kwargs)
        self.fields["reason"].is_full = True  # type: ignore[attr-defined]
        made = forms.formset_factory(PinForm, extra=SPARE_ROWS, max_num=MOST_PINS, absolute_max=MOST_PINS)
        if data is not None:
            data = data.copy()
            data["pins-INITIAL_FORMS"] = "0"  # a row that was emptied is no pin any more, whoever had filled it
        self.pins = made(data, initial=list(rows), prefix="pins")

    @classmethod
    def with_more_rows(cls, data: Any) -> "PortfolioForm":
        """Return the form as it was typed, not judged yet, with spare rows for further pins."""
        count = min(int(data.get("pins-TOTAL_FORMS") or 0), MOST_PINS)
        names = PinForm.base_fields
        rows = [{name: data.get(f"pins-{row}-{name}", "") for name in names} for row in range(count)]
        filled = [row for row in rows if any(value for name, value in row.items() if name != "how")]
        return cls(rows=filled, initial={name: data.get(name, "") for name in cls.base_fields})

    def is_valid(self) -> bool:
        """Return whether the question and every pin can be read; what is wrong with a pin is also said above."""
        are_right = self.pins.is_valid()
        if not are_right:
            for number, row in enumerate(self.pins.forms, start=1):
                for name, messages in row.errors.items():
                    label = row.fields[name].label or name.replace("_", " ").capitalize() if name in row.fields else ""
                    for message in messages:
                        self.add_error(
                            None, f"Pin {number}, {label}: {message}" if label else f"Pin {number}: {message}"
                        )
        return super().is_valid() and are_right

    def asked(self) -> dict[str, Any]:
        """Return the question for the service."""
        values = self.cleaned_data
        return {
            "gap": values["gap"] / HUNDRED, "time_limit_s": values["time_limit_s"],
            "pins": [row.pin() for row in self._stated()],
        }  # fmt: skip

    def _stated(self) -> list[PinForm]:
        return [row for row in self.pins.forms if row.has_changed()]

    def take_refusal(self, error: ProcurementError) -> None:
        """Put each fault of a pin beside its row, and above the form."""
        rows = self._stated()
        others: dict[str, list[str]] = {}
        for pointer, messages in error.fields.items():
            parts = pointer.strip("/").split("/")
            if parts[0] != "pins" or len(parts) < 2 or not parts[1].isdecimal() or int(parts[1]) >= len(rows):
                others[pointer] = messages
                continue
            row = rows[int(parts[1])]
            name = parts[2] if len(parts) > 2 and parts[2] in row.fields else None
            for message in messages:
                row.add_error(name if name != "share" else "amount", message)
                self.add_error(None, f"Pin {self.pins.forms.index(row) + 1}, {name or 'row'}: {message}")
        if others or not error.fields:
            super().take_refusal(ProcurementError(error.code, error.message, others))
