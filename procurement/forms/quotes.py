"""Forms of providers, quotes, price sheets and the release of held rows."""

from decimal import Decimal
from typing import Any

from django import forms

from procurement.choices import column_notes
from procurement.forms.base import RecordForm, RefusableForm, Section
from procurement.forms.fields import MEASURED_RUN, DayField, NumberField, RowsField, WholeField
from procurement.models import Provider, Quote
from procurement.selectors.quotes import providers_active


class ProviderForm(RecordForm):
    """Somebody who sells capacity."""

    model = Provider
    layout = (Section("Provider", ("name", "code", "website", "note")),)


class QuoteForm(RecordForm):
    """One offer; saving a change makes a new version."""

    model = Quote
    table = "Quote"
    layout = (
        Section("Vendor and document", ("provider", "source", "quoted_on", "valid_until", "sku", "code")),
        Section(
            "What is sold",
            ("accelerator", "accelerators_per_node", "accelerators_per_instance", "region", "zone", "cluster"),
        ),
        Section(
            "Price",
            (
                "price", "currency", "price_basis", "purchase_model", "term_months", "price_hours_per_month", "upfront",
                "payment_option", "setup_fee", "exit_fee", "price_includes_tax",
            ),
            "The price of one accelerator for one hour is derived from these.",
        ),
        Section(
            "Capacity and delivery",
            (
                "capacity_class", "quantity_available", "largest_domain_accelerators", "earliest_start",
                "lead_time_days", "min_accelerators", "min_days", "max_days", "available_to", "booking_horizon_days",
                "quota_accelerators", "monthly_interruption",
            ),
            "Whether the accelerators are there together, and when.",
        ),
        Section(
            "Network",
            (
                "interconnect", "fabric", "network_gbps_per_accelerator", "measured_allreduce_gbps", "toll_multiplier",
                "measured_runs",
            ),
            "What lets them work together.",
        ),
        Section(
            "Data, support and what the price holds",
            ("egress_per_gb", "storage_per_gb_month", "support_fraction", "includes", "excludes"), is_folded=True,
        ),
        Section(
            "Failures and storage rates",
            ("failures_per_1000_node_days", "restart_minutes", "storage_read_gb_s", "storage_write_gb_s"),
            is_folded=True,
        ),
        Section("Particulars", ("valid_from", "vram_gb", "form_factor", "os", "licence"), is_folded=True),
    )  # fmt: skip
    measured_runs = RowsField(MEASURED_RUN, required=False, label="Timed runs")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["provider"].queryset = providers_active()  # type: ignore[attr-defined]
        if "code" in self.fields:
            self.fields["code"].required = False
            self.fields["code"].help_text = "Made from provider, model and region when left empty."
        self.fields["accelerator"].widget.attrs["list"] = "accelerators"
        self.fields["currency"].widget.attrs |= {"maxlength": 3, "list": "currencies", "autocapitalize": "characters"}

    def clean_currency(self) -> str:
        """Return the code in capitals."""
        return str(self.cleaned_data["currency"]).upper()

    def left_out(self) -> tuple[str, ...]:
        """Leave the name out of a new version: the versions of one offer share it."""
        return ("code",) if self.instance is not None else ()


class PriceSheetForm(RefusableForm):
    """A file of prices, or its text pasted from a sheet."""

    file = forms.FileField(required=False, help_text="CSV as it came; nothing is changed in it.")
    pasted = forms.CharField(
        required=False, label="Or paste rows", widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="With the line of headings, straight from a sheet.",
    )  # fmt: skip
    observed_on = DayField(label="Day the prices were true")
    source = forms.CharField(max_length=500, label="Where it comes from", help_text="Address, e-mail or person.")
    provider = forms.ModelChoiceField(
        Provider.objects.none(), required=False, empty_label="As the rows say", help_text="For files that name none."
    )
    currency = forms.CharField(
        max_length=3, min_length=3, required=False, help_text="ISO code, for files that state none; never guessed."
    )
    is_skipping_faulty = forms.BooleanField(
        required=False, label="Import the good rows if some are faulty",
        help_text="Otherwise one faulty row stops the whole file and nothing is stored.",
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["provider"].queryset = providers_active()  # type: ignore[attr-defined]
        self.fields["pasted"].is_full = True
        self.fields["file"].is_full = True

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
        names = ("provider", "currency", "is_skipping_faulty")
        found = {name: self.cleaned_data[name] for name in names}
        return {**found, "currency": found["currency"].upper()}


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
