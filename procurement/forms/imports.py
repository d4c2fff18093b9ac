"""Forms of imports: the file and what it does not say, what its columns mean, the release of held rows."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms

from procurement.choices import column_notes, price_basis_choices, purchase_model_choices
from procurement.forms.base import BLANK, RefusableForm
from procurement.forms.fields import DayField, NumberField, WholeField, plain
from procurement.forms.labels import label_of
from procurement.models import PriceSheet, Provider
from procurement.models.records import known_time_zone
from procurement.selectors.quotes import providers_active
from providers import QUOTES
from providers.wording import bought_by

MODES = (
    ("strict", "All or nothing: one faulty row stops the file until it is mended"),
    ("skip_faulty", "Import the good rows, leave faulty ones out"),
)
USUAL = (
    "accelerator", "sku", "price", "currency", "price_basis", "purchase_model", "term_months", "region",
    "accelerators_per_instance", "accelerators_per_node", "provider", "quantity_available", "valid_from", "valid_until",
)  # fmt: skip
NOT_MATCHED = frozenset({"source_file", "source_line", "source_hash"})
DECIMALS = (("", "Ask me where a number could mean two"), (".", "1,234.56 (point)"), (",", "1.234,56 (comma)"))
DATE_ORDERS = (("ymd", "2026-11-30"), ("dmy", "30.11.2026 or 30/11/26"), ("mdy", "11/30/2026"))
DIVISORS = (("1", "in whole units, as 2.50"), ("100", "in cents, as 250"))
FURTHER = "further"  # a column of another price of the same rows
NEEDED = {"price_basis": "what the price is per", "purchase_model": "how it is bought"}


class PriceSheetForm(RefusableForm):
    """Step 1: a file of prices or its text pasted from a sheet, and what it does not say itself."""

    file = forms.FileField(required=False, help_text="CSV, XLSX or JSON as it came; nothing is changed in it.")
    pasted = forms.CharField(
        required=False, label="Or paste rows", widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text="With the line of headings, straight from a sheet.",
    )  # fmt: skip
    observed_on = DayField(label="Day the prices were true")
    source = forms.CharField(max_length=500, label="Where it comes from", help_text="Address, e-mail or person.")
    provider = forms.ModelChoiceField(
        Provider.objects.none(), required=False, empty_label="As the rows say", label="Supplier",
        help_text="For files that name none; the columns of a sheet are remembered for it.",
    )  # fmt: skip
    currency = forms.CharField(
        max_length=3, min_length=3, required=False, help_text="ISO code, for files that state none; never guessed."
    )
    zone = forms.CharField(
        max_length=60, required=False, label="Time zone of its days", validators=[known_time_zone],
        help_text="As Asia/Tokyo: an offer valid until a day ends at midnight there. Else that of the assumptions.",
    )  # fmt: skip
    mode = forms.ChoiceField(choices=MODES, initial="strict", label="If some rows are faulty")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["provider"].queryset = providers_active()  # type: ignore[attr-defined]
        for name in ("file", "pasted", "mode"):
            self.fields[name].is_full = True
        self.fields["currency"].widget.attrs |= {"list": "currencies", "autocapitalize": "characters"}
        self.fields["zone"].widget.attrs["list"] = "zones"

    def clean(self) -> dict[str, Any]:
        """Ask for exactly one of file and pasted rows."""
        cleaned = super().clean() or self.cleaned_data
        if bool(cleaned.get("file")) == bool((cleaned.get("pasted") or "").strip()) and not self.errors:
            self.add_error("file", "Give either a file or pasted rows.")
        return cleaned

    def content(self) -> tuple[str, bytes]:
        """Return name and bytes of the file."""
        uploaded = self.cleaned_data["file"]
        if uploaded:
            return uploaded.name, uploaded.read()
        return "pasted.csv", self.cleaned_data["pasted"].encode()

    def options(self) -> dict[str, Any]:
        """Return what the service takes besides the file."""
        return {
            "provider": self.cleaned_data["provider"], "currency": self.cleaned_data["currency"].upper(),
            "zone": self.cleaned_data["zone"],
            "is_skipping_faulty": self.cleaned_data["mode"] == "skip_faulty", "is_draft": True,
        }  # fmt: skip


class MatchForm(RefusableForm):
    """Step 2: what each column of a supplier's sheet means, and what holds for every row."""

    def __init__(
        self, *args: Any, sheet: PriceSheet, profile: Mapping[str, Any] | None, zone: str = "", **kwargs: Any
    ) -> None:
        self.sheet, self.zone = sheet, sheet.zone or zone
        self.kept = dict(profile or {})
        super().__init__(*args, **kwargs)
        self.headers: Sequence[str] = sheet.preview.get("headers", ())
        known = self.kept.get("columns") or sheet.preview.get("guess", {})
        constants = self.kept.get("constants") or sheet.preview.get("constants", {})
        further = (self.kept if self.kept.get("columns") else sheet.preview).get("further", ())
        for place, header in enumerate(self.headers):
            if header:
                usual = FURTHER if header in further else known.get(header, "")
                self.fields[f"column_{place}"] = forms.ChoiceField(
                    choices=_columns_to_match(), required=False, initial=usual, label=header
                )
        self._add_constants(constants)
        self._add_notation()
        self.fields["version"] = forms.IntegerField(widget=forms.HiddenInput, initial=sheet.version)

    def _add_constants(self, known: Mapping[str, Any]) -> None:
        fields = {
            "price_basis": forms.ChoiceField(choices=BLANK + price_basis_choices(), required=False),
            "purchase_model": forms.ChoiceField(choices=BLANK + purchase_model_choices(), required=False),
            "currency": forms.CharField(max_length=3, min_length=3, required=False),
            "provider": forms.CharField(max_length=120, required=False),
            "region": forms.CharField(max_length=80, required=False),
            "term_months": WholeField(required=False, unit="months"),
            "price_hours_per_month": NumberField(required=False, unit="hours"),
            "accelerators_per_instance": NumberField(required=False, unit="accelerators"),
        }
        fields["currency"].widget.attrs |= {"list": "currencies", "autocapitalize": "characters"}
        for name, field in fields.items():
            field.label = label_of(name)
            field.initial = known.get(name, {"currency": self.sheet.currency}.get(name, ""))
            self.fields[f"constant_{name}"] = field
        self.fields["constant_price_hours_per_month"].help_text = "Where the price is per month: 672, 720, 730 or 744."
        self.fields["constant_accelerators_per_instance"].help_text = "1 where a price per month is of one accelerator."

    def _add_notation(self) -> None:
        preview, kept = self.sheet.preview, self.kept
        decimal = kept.get("decimal") or self.sheet.decimal or preview.get("decimal") or ""
        zone = forms.CharField(
            max_length=60, required=False, label="Time zone of its days", initial=self.zone,
            validators=[known_time_zone],
        )  # fmt: skip
        zone.widget.attrs["list"] = "zones"
        zone.help_text = "As Europe/Berlin; a day in the sheet ends at midnight there."
        self.fields |= {
            "decimal": forms.ChoiceField(choices=DECIMALS, required=False, initial=decimal, label="Numbers"),
            "date_order": forms.ChoiceField(
                choices=DATE_ORDERS,
                initial=kept.get("date_order") or _date_order(preview.get("samples", ())),
                label="Days",
            ),
            "divisor": forms.ChoiceField(
                choices=DIVISORS,
                initial=str(kept.get("divisor") or preview.get("divisor", "1")),
                label="Prices are written",
            ),
            "zone": zone,
        }

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return header, samples and field of each column, for the template."""
        samples = self.sheet.preview.get("samples", ())
        return [
            {
                "header": header,
                "samples": samples[place] if place < len(samples) else (),
                "field": self[f"column_{place}"],
            }
            for place, header in enumerate(self.headers)
            if header
        ]

    @property
    def constants(self) -> list[Any]:
        """Return the fields that hold for every row."""
        return [self[name] for name in self.fields if name.startswith("constant_")]

    @property
    def notation(self) -> list[Any]:
        """Return how numbers and days are written."""
        return [self[name] for name in ("decimal", "date_order", "divisor", "zone")]

    def clean(self) -> dict[str, Any]:
        """Refuse what names one column twice, or leaves out what every price needs."""
        cleaned = super().clean() or self.cleaned_data
        matched: dict[str, str] = {}
        for place, header in enumerate(self.headers):
            ours = cleaned.get(f"column_{place}")
            if ours == FURTHER and bought_by(header)[0] is None:
                self.add_error(f"column_{place}", "This heading does not say how it is bought: spot, reserved, 1 year.")
            elif ours == FURTHER:
                continue
            elif ours and ours in matched:
                self.add_error(f"column_{place}", f"`{matched[ours]}` is matched to {label_of(ours).lower()} already.")
            elif ours:
                matched[ours] = header
        self._check_constants(cleaned, matched)
        if "price" not in matched:
            self.add_error(None, "No column is matched to the price.")
        if not {"accelerator", "sku"} & set(matched):
            self.add_error(None, "No column is matched to the accelerator or to the provider's own name of it.")
        return cleaned

    def _check_constants(self, cleaned: Mapping[str, Any], matched: Mapping[str, str]) -> None:
        for name in [name for name in self.fields if name.startswith("constant_")]:
            stated = name.removeprefix("constant_")
            if cleaned.get(name) and stated in matched:
                self.add_error(name, f"`{matched[stated]}` says it row by row; leave this empty.")
            elif stated in NEEDED and not cleaned.get(name) and stated not in matched and name not in self.errors:
                self.add_error(name, f"Say {NEEDED[stated]}, or match a column to it.")

    def settings(self) -> dict[str, Any]:
        """Return what the service changes of the draft."""
        cleaned = self.cleaned_data
        columns = {
            header: cleaned[f"column_{place}"]
            for place, header in enumerate(self.headers)
            if cleaned.get(f"column_{place}") not in (None, "", FURTHER)
        }
        further = [name for place, name in enumerate(self.headers) if cleaned.get(f"column_{place}") == FURTHER]
        constants = {
            name.removeprefix("constant_"): plain(value) if isinstance(value, Decimal) else str(value)
            for name, value in cleaned.items()
            if name.startswith("constant_") and value not in (None, "")
        }
        if "currency" in constants:
            constants["currency"] = constants["currency"].upper()
        profile = {
            "columns": columns, "constants": constants, "date_order": cleaned["date_order"],
            "divisor": cleaned["divisor"],
            "ignored": [name for name in self.headers if name and name not in {*columns, *further}],
        }  # fmt: skip
        for name, value in (("decimal", cleaned["decimal"]), ("sheet", self.sheet.preview.get("sheet"))):
            if value:
                profile[name] = value
        if further:
            profile["further"] = further
        if self.kept.get("values"):
            profile["values"] = self.kept["values"]
        return {"profile": profile, "decimal": cleaned["decimal"], "zone": cleaned["zone"]}


def _date_order(samples: Sequence[Sequence[str]]) -> str:
    """Return the order of day and month that some cell proves, else that of ISO; points stand behind days."""
    for cell in (cell for cells in samples for cell in cells):
        parts = re.fullmatch(r"(\d{1,2})([./])(\d{1,2})[./](?:\d{4}|\d{2})", cell.strip())
        if parts and (parts[2] == "." or int(parts[1]) > 12):
            return "dmy"
        if parts and int(parts[3]) > 12:
            return "mdy"
    return "ymd"


def _columns_to_match() -> list[Any]:
    names = [name for name in QUOTES.names if name not in NOT_MATCHED]
    usual = [(name, label_of(name)) for name in USUAL]
    others = sorted(((name, label_of(name)) for name in names if name not in USUAL), key=lambda pair: pair[1].lower())
    usual.insert(3, (FURTHER, "Another price, bought as its heading says"))
    return [("", "– leave out –"), ("Most used", usual), ("Others", others)]


class ReleaseForm(RefusableForm):
    """Values that make a held row a quote, and why it may be trusted."""

    accelerator = forms.CharField(max_length=60)
    accelerators_per_instance = NumberField(required=False, unit="accelerators")
    price = NumberField(unit="currency")
    currency = forms.CharField(max_length=3, min_length=3)
    region = forms.CharField(max_length=80, required=False)
    valid_until = DayField(required=False)
    quantity_available = WholeField(required=False, unit="accelerators")
    reason = forms.CharField(max_length=300, label="Why this row may be trusted")

    def __init__(self, *args: Any, row_values: dict[str, Any], **kwargs: Any) -> None:
        self.row_values = row_values
        super().__init__(*args, initial=row_values, **kwargs)
        notes = column_notes("Quote")
        for name, field in self.fields.items():
            if name in notes:
                field.help_text = notes[name].meaning.capitalize() + "."
        self.fields["reason"].is_full = True

    def changed_values(self) -> dict[str, Any]:
        """Return what was stated beyond or against the row."""
        stated = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        return {
            name: value
            for name, value in stated.items()
            if value not in (None, "") and not _is_same(value, self.row_values.get(name))
        }


def _is_same(value: Any, known: Any) -> bool:
    if isinstance(value, Decimal | int) and known not in (None, ""):
        return Decimal(str(known)) == value
    return str(value) == str(known)
