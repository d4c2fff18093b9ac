"""Forms of providers and quotes."""

from typing import Any

from procurement.forms.base import RecordForm, Section
from procurement.forms.fields import MEASURED_RUN, RowsField
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
        Section("Vendor and document", ("provider", "source", "quoted_on", "valid_until", "time_zone", "sku", "code")),
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
        self.fields["time_zone"].widget.attrs["list"] = "zones"
        self.fields["currency"].widget.attrs |= {"maxlength": 3, "list": "currencies", "autocapitalize": "characters"}

    def clean_currency(self) -> str:
        """Return the code in capitals."""
        return str(self.cleaned_data["currency"]).upper()

    def left_out(self) -> tuple[str, ...]:
        """Leave the name out of a new version: the versions of one offer share it."""
        return ("code",) if self.instance is not None else ()
