"""Forms of reports: filters of a report, and a subscription."""

import re
from typing import Any, NamedTuple

from django import forms

from procurement.models import Run
from procurement.selectors.runs import answers_of
from reports.base import MOST_DAYS, Filters
from reports.models import CatchUp, ReportSubscription, Unchanged, WhenUncertain
from reports.registry import REPORTS
from reports.schedule import DAY_NAMES, zone_names


class Section(NamedTuple):
    """A titled part of a form."""

    title: str
    note: str
    fields: list[forms.BoundField]
    is_folded: bool = False
    is_open: bool = False


class FilterForm(forms.Form):
    """What a reader may narrow a report down to; only what the report heeds."""

    workload = forms.ChoiceField(required=False)
    within_days = forms.IntegerField(required=False, min_value=0, max_value=MOST_DAYS, label="Within")

    def __init__(self, *args: Any, heeded: tuple[str, ...], run: Run, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in set(self.fields) - set(heeded):
            del self.fields[name]
        if "workload" in self.fields:
            names = answers_of(run).prefetch_related(None).values_list("workload_code", "workload_name")
            self.fields["workload"].choices = [("", "All workloads"), *names]  # type: ignore[attr-defined]
        if "within_days" in self.fields:
            self.fields["within_days"].unit = "days"  # type: ignore[attr-defined]
            self.fields["within_days"].initial = Filters().within_days

    def filters(self) -> Filters:
        """Return what was asked for, the defaults where nothing valid was."""
        asked = getattr(self, "cleaned_data", {})
        days = asked.get("within_days")
        return Filters(workload=asked.get("workload", ""), within_days=30 if days is None else days)


class SubscriptionForm(forms.Form):
    """Who gets which report, on which days, at what time of which zone."""

    name = forms.CharField(max_length=120, help_text="It stands in the mail, so that people know why they get it.")
    report = forms.ChoiceField()
    workload = forms.CharField(required=False, max_length=60, help_text="Code of one workload; empty means all.")
    within_days = forms.IntegerField(
        required=False, min_value=0, max_value=MOST_DAYS, initial=30, label="Expiring within"
    )
    recipients = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}), help_text="One mail address a line; each gets a message of its own."
    )
    days = forms.MultipleChoiceField(choices=list(DAY_NAMES.items()), widget=forms.CheckboxSelectMultiple)
    time = forms.TimeField(widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"}), label="Time")
    time_zone = forms.ChoiceField(label="Time zone", help_text="Clock changes are followed: 08:00 stays 08:00.")
    if_unchanged = forms.ChoiceField(choices=Unchanged.choices, label="If nothing changed")
    catch_up = forms.ChoiceField(choices=CatchUp.choices, label="After a standstill")
    when_uncertain = forms.ChoiceField(choices=WhenUncertain.choices, label="If it is uncertain whether a mail arrived")
    is_active = forms.BooleanField(required=False, initial=True, label="Active")
    version = forms.IntegerField(widget=forms.HiddenInput, initial=0)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["report"].choices = [(report.key, report.title) for report in REPORTS]  # type: ignore[attr-defined]
        self.fields["time_zone"].choices = [(name, name) for name in zone_names()]  # type: ignore[attr-defined]
        self.fields["within_days"].unit = "days"  # type: ignore[attr-defined]
        for name in ("name", "recipients", "days"):
            self.fields[name].is_full = True  # type: ignore[attr-defined]

    @classmethod
    def initial_of(cls, subscription: ReportSubscription) -> dict[str, Any]:
        """Return the values of a stored subscription."""
        values = {name: getattr(subscription, name) for name in cls.base_fields if hasattr(subscription, name)}
        filters = subscription.filters
        return values | {
            "recipients": "\n".join(subscription.recipients),
            "workload": filters.get("workload", ""),
            "within_days": filters.get("within_days", 30),
        }

    def values(self) -> dict[str, Any]:
        """Return the values as the service takes them."""
        asked = dict(self.cleaned_data)
        asked.pop("version")
        days = asked.pop("within_days")
        filters = Filters(workload=asked.pop("workload"), within_days=30 if days is None else days)
        recipients = [entry for entry in re.split(r"[\s,;]+", asked["recipients"]) if entry]
        return asked | {"filters": filters.stored(), "recipients": recipients}

    def take_refusal(self, fields: dict[str, list[str]], message: str) -> None:
        """Put what the service refused beside its field."""
        for key, messages in fields.items():
            name = "workload" if key == "filters" else key
            for told in messages:
                self.add_error(name if name in self.fields else None, told)
        if not fields:
            self.add_error(None, message)

    @property
    def sections(self) -> list[Section]:
        """The form in parts."""

        def part(*names: str) -> list[forms.BoundField]:
            return [self[name] for name in names]

        return [
            Section("What and to whom", "", part("name", "report", "recipients")),
            Section("When", "", part("days", "time", "time_zone")),
            Section("Filter", "what the report is narrowed down to", part("workload", "within_days"), is_folded=True),
            Section(
                "Special cases", "nothing changed, standstill, doubt",
                part("if_unchanged", "catch_up", "when_uncertain", "is_active"), is_folded=True,
            ),
        ]  # fmt: skip
