"""Forms of measured use: a file, and the reason for which its figures are taken or not."""

from typing import Any

from django import forms

from procurement.forms.base import RefusableForm
from procurement.forms.fields import DayField
from procurement.models import Build, Workload
from procurement.selectors.assumptions import assumption_set_in_force


class UsageFileForm(RefusableForm):
    """A file of measured use, and what it does not say itself."""

    file = forms.FileField(help_text="From sacct --parsable2, a CSV of utilisation, or a FOCUS 1.x bill.")
    source = forms.CharField(max_length=500, label="Where it comes from", help_text="System, address or person.")
    time_zone = forms.CharField(
        max_length=60, help_text="Of times that state no offset, as Europe/Berlin; sacct writes local time."
    )
    build = forms.ModelChoiceField(
        Build.objects.none(), required=False, empty_label="As the rows say", label="Place",
        help_text="Of rows whose place is not known by name.",
    )  # fmt: skip
    workload = forms.ModelChoiceField(
        Workload.objects.none(), required=False, empty_label="As the rows say",
        help_text="If every row is of one workload; else by WCKey, Account or tag.",
    )  # fmt: skip
    covers_from = DayField(
        required=False, label="First day it covers", help_text="Every job that ran from then on is in the file."
    )
    covers_until = DayField(required=False, label="Last day it covers")
    is_skipping_faulty = forms.BooleanField(
        required=False, label="Count the good rows if some are faulty",
        help_text="Otherwise one faulty row stops the whole file and nothing is counted.",
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["build"].queryset = Build.objects.filter(is_archived=False)  # type: ignore[attr-defined]
        self.fields["workload"].queryset = Workload.objects.filter(is_archived=False)  # type: ignore[attr-defined]
        self.fields["file"].is_full = True
        in_force = assumption_set_in_force()
        self.initial.setdefault("time_zone", in_force.time_zone if in_force else "UTC")

    def options(self) -> dict[str, Any]:
        """Return what the service takes besides the file."""
        names = ("time_zone", "build", "workload", "covers_from", "covers_until", "is_skipping_faulty")
        return {name: self.cleaned_data[name] for name in names}


class WithdrawForm(RefusableForm):
    """Why what a file says should not count."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(max_length=300, label="Why it should not count")
