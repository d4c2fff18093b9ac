"""The form of an assumption set: rates, limits, slip classes, policy and exchange rates."""

from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from procurement.choices import gate_choices, label, slip_class_choices
from procurement.forms.base import Nested, RecordForm, Section, plain_number
from procurement.forms.fields import ListField, NumberField, WholeField, plain, read_number
from procurement.models import AssumptionSet

PATHS = ("cloud", "power", "staff", "colocation")
TAX = ("rate", "depreciation", "book_life_months")
POLICY = ("max_share_per_supplier", "capital_budget", "yearly_budget")
GATES = tuple(code for code, _ in gate_choices())
SLIPS = tuple(code for code, _ in slip_class_choices())


class AssumptionSetForm(RecordForm):
    """What every option of a run is computed with."""

    model = AssumptionSet
    table = "Assumptions"
    nested = (
        Nested("price_change_per_year", "PriceChange", PATHS),
        Nested("tax", "Tax", TAX),
        Nested("powered_grade", "PoweredGrade", ("above", "grade")),
        Nested("policy", "Policy", POLICY),
    )
    layout = (
        Section("Set", ("name", "dated_on", "source", "evaluated_on")),
        Section(
            "Money and time",
            (
                "currency", "discount_rate", "borrowing_rate", "discount_timing", "horizon_months", "hours_per_month",
                "time_zone",
            ),
        ),
        Section("Exchange rates", ("rates",), "A rate is never made up: without one, those options are left out."),
        Section("Price paths", tuple(f"price_change_per_year_{name}" for name in PATHS)),
        Section("Risk", ("risk_quantile", "materiality", "rank_by", "draws", "seed", "correlation", "readings")),
        Section(
            "Rules of the organisation", (*(f"policy_{name}" for name in POLICY), "approval_days"), is_folded=True
        ),
        Section("Income tax", tuple(f"tax_{name}" for name in TAX), "Off when left empty.", is_folded=True),
        Section(
            "Evidence: days it counts", tuple(f"days_{gate}" for gate in GATES), "Over the usual limits.",
            is_folded=True,
        ),
        Section(
            "Slip classes", (*(f"slip_{slip}_{end}" for slip in SLIPS for end in ("p10", "p90")), "slips_of_operators"),
            "Actual over promised duration. Both ends, over the usual ones.", is_folded=True,
        ),
        Section(
            "Stricter proof of power; what the answer must show",
            ("powered_grade_above", "powered_grade_grade", "forecast_dates", "keep_options"), is_folded=True,
        ),
    )  # fmt: skip
    rates = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One a line: base, counter, rate, day, source. As in: EUR USD 1.1625 2026-11-27 ECB",
    )  # fmt: skip
    approval_days = forms.CharField(
        required=False, label="Approval times", widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line: amount, days. The last line may leave the amount out as *. As in: 100000 5",
    )  # fmt: skip
    slips_of_operators = forms.CharField(
        required=False, label="Slips of one operator", widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text="One a line: class, operator (own or a provider's code), P10, P90. As in: bringup own 1.05 1.80",
    )  # fmt: skip
    forecast_dates = ListField(required=False, label="Days to forecast", help_text="ISO days with commas.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rates"].is_full = True
        self.fields["evaluated_on"].help_text = "Leave empty for today in the time zone; a fixed day suits samples."

    def _field(self, name: str) -> forms.Field:
        if name.startswith("days_"):
            return WholeField(required=False, unit="days", label=label(name.removeprefix("days_")))
        if name.startswith("slip_"):
            slip, end = name.removeprefix("slip_").rsplit("_", 1)
            return NumberField(required=False, unit="ratio", label=f"{label(slip)}, {end.upper()}")
        return super()._field(name)

    def clean_rates(self) -> list[dict[str, Any]]:
        """Return the exchange rates; every faulty line is named."""
        return _lines(self.cleaned_data["rates"], _rate)

    def clean_approval_days(self) -> list[dict[str, Any]]:
        """Return the steps of approval."""
        return _lines(self.cleaned_data["approval_days"], _step)

    def clean_slips_of_operators(self) -> list[dict[str, Any]]:
        """Return the slips that hold for one operator alone."""
        return _lines(self.cleaned_data["slips_of_operators"], _operator_slip)

    def clean_forecast_dates(self) -> list[str]:
        """Return the days as ISO text."""
        return [_day(word).isoformat() for word in self.cleaned_data["forecast_dates"]]

    def fx(self) -> list[dict[str, Any]]:
        """Return the exchange rates for the service."""
        return list(self.cleaned_data["rates"])

    def values(self) -> dict[str, Any]:
        """Return the set without its exchange rates."""
        values = super().values()
        days = {gate: self.cleaned_data.get(f"days_{gate}") for gate in GATES}
        ends = {slip: [self.cleaned_data.get(f"slip_{slip}_{end}") for end in ("p10", "p90")] for slip in SLIPS}
        values["evidence_days"] = {gate: limit for gate, limit in days.items() if limit is not None}
        values["slip_classes"] = {
            slip: {"p10": plain_number(low), "p90": plain_number(high)}
            for slip, (low, high) in ends.items()
            if low is not None and high is not None
        } | {line["name"]: line["ends"] for line in self.cleaned_data["slips_of_operators"]}
        steps = self.cleaned_data["approval_days"]
        values["policy"] = {**(values["policy"] or {}), **({"approval_days": steps} if steps else {})}
        values["price_change_per_year"] = values["price_change_per_year"] or {}
        return values

    def _stored(self) -> dict[str, Any]:
        self.initial = {**set_initial(self.instance), **self.initial} if self.instance is not None else self.initial
        return super()._stored()


def set_initial(record: AssumptionSet) -> dict[str, Any]:
    """Return what the lines and limits of a set look like in the form, for editing and for a copy."""
    initial: dict[str, Any] = {f"days_{gate}": limit for gate, limit in record.evidence_days.items()}
    for slip, ends in record.slip_classes.items():
        initial |= {f"slip_{slip}_{end}": ends[end] for end in ("p10", "p90")}
    initial["slips_of_operators"] = "\n".join(
        f"{slip.replace('@', ' ')} {ends['p10']} {ends['p90']}"
        for slip, ends in record.slip_classes.items()
        if "@" in slip
    )
    initial["rates"] = "\n".join(
        f"{rate.base} {rate.counter} {plain(rate.rate)} {rate.on} {rate.source}".strip() for rate in record.fx.all()
    )
    steps = record.policy.get("approval_days", [])
    initial["approval_days"] = "\n".join(f"{step.get('up_to', '*')} {step['days']}" for step in steps)
    return initial


def copied_initial(record: AssumptionSet) -> dict[str, Any]:
    """Return everything of a set for a new one, but its name."""
    form = AssumptionSetForm(instance=record)
    left_out = {"version", "as_read", "name"}
    return {name: value for name, value in form.initial.items() if name not in left_out}


def _lines(text: str, read: Any) -> list[dict[str, Any]]:
    rows, faults = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                rows.append(read(line))
            except ValidationError as error:
                faults.append(f"line {number}: {' '.join(error.messages)}")
    if faults:
        raise ValidationError(faults)
    return rows


def _rate(line: str) -> dict[str, Any]:
    words = line.replace(";", " ").split(maxsplit=4)
    if len(words) < 4:
        raise ValidationError(f"`{line.strip()}` should be: base counter rate day source.")
    base, counter, rate, day = words[:4]
    source = words[4] if len(words) > 4 else ""
    return {
        "base": base.upper(),
        "counter": counter.upper(),
        "rate": read_number(rate),
        "on": _day(day),
        "source": source,
    }


def _step(line: str) -> dict[str, Any]:
    words = line.replace(";", " ").split()
    if len(words) != 2:
        raise ValidationError(f"`{line.strip()}` should be: amount days.")
    days = int(read_number(words[1]))
    return {"days": days} if words[0] == "*" else {"up_to": plain_number(Decimal(read_number(words[0]))), "days": days}


def _operator_slip(line: str) -> dict[str, Any]:
    words = line.replace(";", " ").replace("@", " ").split()
    if len(words) != 4 or words[0] not in SLIPS:
        raise ValidationError(
            f"`{line.strip()}` should be: class operator P10 P90, the class one of {', '.join(SLIPS)}."
        )
    low, high = (plain_number(Decimal(read_number(word))) for word in words[2:])
    return {"name": f"{words[0]}@{words[1]}", "ends": {"p10": low, "p90": high}}


def _day(word: str) -> date:
    try:
        return date.fromisoformat(word)
    except ValueError:
        raise ValidationError(f"`{word}` is not a day. Write it like 2026-11-30.") from None
