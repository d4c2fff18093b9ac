"""The form of a mapping: a name as suppliers write it, and what it means here."""

from typing import Any

from django import forms

from procurement.forms.base import RefusableForm

KINDS = (
    ("", "Accelerator"), ("region:", "Region"), ("unit:", "Unit of measure"), ("sku:", "SKU, as provider/sku"),
    ("provider:", "Provider"),
)  # fmt: skip


class MappingForm(RefusableForm):
    """One mapping; held rows are read anew with it."""

    kind = forms.ChoiceField(choices=KINDS, required=False, label="What is named")
    name = forms.CharField(max_length=100, label="Name as the supplier writes it")
    target = forms.CharField(
        max_length=60, label="What it means",
        help_text="An accelerator of the reference table, a region code, or a unit such as 1 hour.",
    )  # fmt: skip
    note = forms.CharField(max_length=300, required=False, help_text="Where this is known from.")
    reason = forms.CharField(max_length=300, label="Why", help_text="Kept in the history of the record.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["target"].widget.attrs["list"] = "accelerators"
        for name in ("note", "reason"):
            self.fields[name].is_full = True  # type: ignore[attr-defined]

    def values(self) -> dict[str, Any]:
        """Return the mapping as it is stored."""
        cleaned = self.cleaned_data
        return {
            "alias": f"{cleaned['kind']}{cleaned['name']}", "accelerator": cleaned["target"], "note": cleaned["note"],
        }  # fmt: skip
