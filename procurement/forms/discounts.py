"""The form of a contract discount."""

from typing import Any

from procurement.forms.base import RecordForm, Section
from procurement.forms.fields import NumberField
from procurement.models import ContractDiscount
from procurement.selectors.quotes import providers_active


class DiscountForm(RecordForm):
    """A share or an amount off a supplier's list prices."""

    model = ContractDiscount
    layout = (
        Section("Contract", ("provider", "code", "source")),
        Section(
            "What comes off", ("discount_percent", "discount_per_accelerator_hour", "currency"),
            "Either a share of the price and of what is paid up front, or an amount off each accelerator-hour. "
            "The list price itself is kept.",
        ),
        Section(
            "What it is for", ("accelerator", "purchase_model", "region", "sku_pattern"),
            "What is left empty is for all. Two discounts may not hold for the same offer on the same day.",
        ),
        Section("How long", ("valid_from", "valid_until", "time_zone")),
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "provider" in self.fields:
            self.fields["provider"].queryset = providers_active()  # type: ignore[attr-defined]
        self.fields["discount_percent"] = self._sized("discount_percent", "%")
        self.fields["discount_per_accelerator_hour"] = self._sized(
            "discount_per_accelerator_hour", "per accelerator-hour"
        )
        self.fields["accelerator"].widget.attrs["list"] = "accelerators"
        self.fields["currency"].widget.attrs |= {"maxlength": 3, "list": "currencies", "autocapitalize": "characters"}
        self.fields["source"].is_full = True  # type: ignore[attr-defined]
        self.fields["reason"].required = True
        self.fields["reason"].help_text = "What was agreed, and with whom. Kept in the history of the record."

    def _sized(self, name: str, unit: str) -> NumberField:
        before = self.fields[name]
        field = NumberField(required=False, unit=unit, label=before.label, help_text=before.help_text)
        field.is_wide = len(unit) > 1  # type: ignore[attr-defined]
        return field

    def clean_currency(self) -> str:
        """Return the code in capitals."""
        return str(self.cleaned_data["currency"] or "").upper()

    def clean(self) -> dict[str, Any]:
        """Ask for exactly one of share and amount, and for the currency of an amount."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        share, amount = cleaned.get("discount_percent"), cleaned.get("discount_per_accelerator_hour")
        if not {"discount_percent", "discount_per_accelerator_hour"} & set(self.errors):
            if (share is None) == (amount is None):
                self.add_error("discount_percent", "State either a share or an amount.")
            elif amount is not None and not cleaned.get("currency"):
                self.add_error("currency", "State the currency of the amount.")
            elif share is not None:
                cleaned["currency"] = ""
            if share is not None and not 0 < share < 100:
                self.add_error("discount_percent", f"{share} should be above 0 and below 100; 12 is 12 %.")
        return cleaned

    def left_out(self) -> tuple[str, ...]:
        """Leave the name and the supplier out of a change: runs and history refer to them."""
        return ("code", "provider") if self.instance is not None else ()
