"""Forms of decisions and API tokens."""

from datetime import datetime, time
from typing import Any

from django import forms
from django.utils import timezone

from procurement.forms.base import RefusableForm
from procurement.forms.fields import DayField, NumberField
from procurement.models import Answer
from procurement.services.accounts import SCOPES


class DecisionForm(RefusableForm):
    """One option of one workload, put up for approval."""

    option = forms.ChoiceField()
    amount = NumberField(label="Amount to approve")
    valid_until = DayField(help_text="After this day it must be prepared again.")
    conditions = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line; they are part of what is signed.",
    )
    comment = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, *args: Any, answer: Answer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        feasible = [row.option for row in answer.options.all() if row.is_feasible]
        self.fields["option"].choices = [(option, option) for option in feasible]  # type: ignore[attr-defined]
        self.fields["amount"].unit = answer.currency  # type: ignore[attr-defined]
        for name in ("option", "conditions", "comment"):
            self.fields[name].is_full = True

    def values(self) -> dict[str, Any]:
        """Return what is put up for approval."""
        lines = [line.strip() for line in self.cleaned_data["conditions"].splitlines() if line.strip()]
        return {**self.cleaned_data, "conditions": lines}


class ApprovalForm(RefusableForm):
    """Approve, reject or withdraw, with a word why."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    comment = forms.CharField(required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))


class TokenForm(RefusableForm):
    """A new API token."""

    name = forms.CharField(max_length=80, help_text="What uses it, such as `finance workbook`.")
    scopes = forms.MultipleChoiceField(
        choices=[(scope, scope) for scope in SCOPES], widget=forms.CheckboxSelectMultiple, label="What it may do",
        help_text="Never more than your own roles allow.",
    )  # fmt: skip
    expires_on = DayField(required=False, label="Last day", help_text="Without one it holds until it is revoked.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["scopes"].is_full = True

    def expires_at(self) -> datetime | None:
        """Return the end of the last day."""
        day = self.cleaned_data["expires_on"]
        return timezone.make_aware(datetime.combine(day, time.max)) if day else None
