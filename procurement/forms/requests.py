"""Forms of requests for quotes: the request, invitations, questions, bids, and what each step asks for."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms

from procurement.choices import asked_item_choices, fabric_choices, power_status_choices
from procurement.forms.base import Difference, RecordForm, RefusableForm, Section
from procurement.forms.fields import DayField, ListField
from procurement.models import BidTerms, QuoteRequest, RequestInvitation
from procurement.selectors.assumptions import zone_of_evaluation
from procurement.selectors.quotes import providers_active
from procurement.selectors.reference import time_zone_names
from procurement.selectors.requests import request_today
from procurement.selectors.workloads import workloads_active

LABELS = {
    **{key: words.partition(":")[0] for key, words in asked_item_choices()},
    "accelerator_types": "Accelerators that may be offered",
    "accelerators": "How many, together",
    "start_on": "Needed from",
    "end_on": "Needed until",
    "least_interconnect": "Scale, at least",
    "least_domain_accelerators": "Fabric domain, at least",
    "least_allreduce_gbps": "Measured all-reduce, at least",
    "latest_delivery_on": "Delivered by",
    "longest_term_months": "Term, at most",
    "least_bidders": "Suppliers to ask, at least",
    "sole_source_reason": "Why fewer are asked",
    "opening_people": "People who open the bids",
    "quantity_available": "Accelerators offered together",
    "reference": "Number of their document",
    "contact_email": "Mail",
}


def _boxes(label: str, choices: Sequence[tuple[str, str]], help_text: str = "") -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label, choices=choices, required=False, widget=forms.CheckboxSelectMultiple, help_text=help_text
    )


UNITS = {
    "accelerators": "accelerators", "least_domain_accelerators": "accelerators", "least_allreduce_gbps": "Gbit/s",
    "longest_term_months": "months",
}  # fmt: skip


class LinesField(ListField):
    """Texts, one a line; a text may hold commas."""

    def prepare_value(self, value: Any) -> Any:
        """Show stored texts on lines of their own."""
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        """Return the lines that say something."""
        return [line.strip() for line in forms.CharField.to_python(self, value).splitlines() if line.strip()]


class DeadlineFields(forms.Form):
    """A day and a time in a zone; a time that the zone skips or has twice is refused."""

    due_on = DayField(label="Deadline, day")
    due_time = forms.TimeField(
        label="Deadline, time", widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"}), initial="12:00"
    )

    def due_at(self, zone: str) -> datetime | None:
        """Return the instant in UTC; a fault is put beside the time."""
        day, time = self.cleaned_data.get("due_on"), self.cleaned_data.get("due_time")
        if day is None or time is None:
            return None
        wall = datetime.combine(day, time, tzinfo=ZoneInfo(zone))
        moment = wall.astimezone(UTC)
        if moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) != wall.replace(tzinfo=None):
            self.add_error("due_time", f"There is no {time:%H:%M} on {day} in {zone}: the clocks go forward.")
        elif wall.replace(fold=1).astimezone(UTC) != moment:
            self.add_error("due_time", f"{time:%H:%M} comes twice on {day} in {zone}: the clocks go back.")
        return moment


class RequestForm(RecordForm, DeadlineFields):
    """One request for quotes."""

    model = QuoteRequest
    layout = (
        Section(
            "What is asked",
            (
                "title", "need", "accelerator_types", "accelerators", "region", "start_on", "end_on", "workloads",
                "questions",
            ),
            "Suppliers read this.",
        ),
        Section(
            "What a bid must have",
            (
                "least_interconnect", "least_domain_accelerators", "least_allreduce_gbps", "latest_delivery_on",
                "longest_term_months", "accepted_fabrics", "accepted_power", "must_answer",
            ),
            "A bid that breaks one of these is shown apart, with the reason.",
        ),
        Section(
            "Deadline and opening", ("due_on", "due_time", "time_zone", "opening_people"),
            "Bids stay sealed until then, for everybody.",
        ),
        Section("Suppliers", ("least_bidders", "sole_source_reason"), "They are invited on the next page."),
    )  # fmt: skip
    accelerator_types = ListField(help_text="One or several, separated by commas.")
    questions = LinesField(
        required=False, label="Further questions", widget=forms.Textarea(attrs={"rows": 3}), help_text="One a line."
    )
    workloads = _boxes("For these workloads", ())
    accepted_fabrics = _boxes("Fabrics that are accepted", fabric_choices(), "None chosen: any.")
    accepted_power = _boxes("Power that is accepted", power_status_choices(), "None chosen: any.")
    must_answer = _boxes(
        "Must be answered",
        [(key, words.partition(":")[0]) for key, words in asked_item_choices()],
        "Everything is asked; these must not stay empty.",
    )
    time_zone = forms.ChoiceField(
        label="Time zone of the deadline", choices=[(name, name) for name in time_zone_names()]
    )
    opening_people = forms.TypedChoiceField(
        choices=[(1, "One person"), (2, "Two people, one after the other")], coerce=int, initial=1
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        is_published = self.instance is not None and self.instance.state != "draft"
        for name in ("due_on", "due_time", "time_zone", "opening_people") if is_published else ():
            del self.fields[name]
        codes = [(workload.code, workload.name) for workload in workloads_active()]
        self.fields["workloads"].choices = codes
        if self.instance is None:
            self.initial = {"time_zone": zone_of_evaluation(), **self.initial}
        self.fields["accelerator_types"].widget.attrs["list"] = "accelerators"
        for name in ("title", "need", "workloads", "questions", "accepted_fabrics", "accepted_power", "must_answer",
                     "sole_source_reason"):  # fmt: skip
            self.fields[name].is_full = True
        for name, label in LABELS.items():
            if name in self.fields:
                self.fields[name].label = label
        for name, unit in UNITS.items():
            self.fields[name].unit = unit
        self.fields["reason"].required = is_published
        if is_published:
            self.fields["reason"].help_text = "All suppliers read it, with what changes."

    def left_out(self) -> tuple[str, ...]:
        """Leave the deadline out of an amendment: it is extended, not amended."""
        is_published = self.instance is not None and self.instance.state != "draft"
        return ("due_on", "due_time", "time_zone", "opening_people") if is_published else ()

    def _stored(self) -> dict[str, Any]:
        due = getattr(self.instance, "due_at", None)
        if due is not None:
            wall = due.astimezone(ZoneInfo(self.instance.time_zone))
            self.initial = {"due_on": wall.date(), "due_time": f"{wall:%H:%M}", **self.initial}
        return super()._stored()

    def clean(self) -> dict[str, Any]:
        """Read the deadline in its zone."""
        cleaned = super().clean() or self.cleaned_data
        if "due_on" in self.fields and cleaned.get("time_zone"):
            cleaned["due_at"] = self.due_at(cleaned["time_zone"])
        return cleaned

    def values(self) -> dict[str, Any]:
        """Return the values of the request, with the deadline as an instant."""
        found = super().values()
        return found | ({"due_at": self.cleaned_data["due_at"]} if "due_on" in self.fields else {})

    def merged(self, current: Any) -> tuple["RequestForm", list[Difference], list[str]]:
        """Return this form upon the request as it stands now, and every value that differs."""
        data = self.data.copy()
        data["version"] = str(current.version)
        mine = self.values()
        differences = [
            Difference(str(self.fields[name].label), _words(getattr(current, name)), _words(value))
            for name, value in mine.items()
            if name in self.fields and getattr(current, name) != value
        ]
        return type(self)(data, instance=current), differences, []


class ExtensionForm(RefusableForm, DeadlineFields):
    """A later deadline in the zone of the request, and why."""

    reason = forms.CharField(max_length=300, label="Why", help_text="All suppliers read it.")
    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, zone: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.zone = zone
        self.fields["due_time"].unit = zone
        self.fields["due_time"].is_wide = True
        self.fields["reason"].is_full = True

    def clean(self) -> dict[str, Any]:
        """Read the deadline in its zone."""
        cleaned = super().clean() or self.cleaned_data
        cleaned["due_at"] = self.due_at(self.zone)
        return cleaned


class InvitationForm(RecordForm):
    """A supplier who is asked."""

    model = RequestInvitation
    layout = (Section("Supplier", ("provider", "contact_name", "contact_email", "is_mailed")),)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "provider" in self.fields:
            self.fields["provider"].queryset = providers_active()
        self.fields["contact_email"].label = LABELS["contact_email"]
        self.fields["is_mailed"].label = "The service mails the letters"

    def left_out(self) -> tuple[str, ...]:
        """Leave the supplier alone once invited."""
        return ("provider",) if self.instance is not None else ()


class StepForm(RefusableForm):
    """A step that asks for nothing but why."""

    reason = forms.CharField(max_length=300, label="Why", widget=forms.Textarea(attrs={"rows": 3}))
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].is_full = True


class QuestionForm(RefusableForm):
    """A question about the request."""

    question = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))
    invitation = forms.ModelChoiceField(
        RequestInvitation.objects.none(), required=False, empty_label="Ourselves", label="Asked by",
        help_text="Kept here; no supplier is told.",
    )  # fmt: skip

    def __init__(self, *args: Any, quote_request: QuoteRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["invitation"].queryset = quote_request.invitations.select_related("provider", "request")
        self.fields["question"].is_full = True


class AnswerForm(RefusableForm):
    """The answer to a question."""

    answer = forms.CharField(
        max_length=4000, widget=forms.Textarea(attrs={"rows": 6}), help_text="Goes to all invited suppliers."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["answer"].is_full = True


class BidForm(RecordForm):
    """What a supplier offers; what is typed here is sealed and shown to nobody before the opening."""

    model = BidTerms
    table = "Quote"
    layout = (
        Section("What is offered", ("option", "accelerator", "quantity_available", "accelerators_per_node", "region")),
        Section(
            "Price",
            (
                "price", "currency", "price_basis", "accelerators_per_instance", "price_hours_per_month",
                "purchase_model", "upfront", "payment_option", "setup_fee", "exit_fee", "support_fraction",
                "price_includes_tax", "quoted_on", "valid_until",
            ),
            "The price of one accelerator for one hour is derived from these.",
        ),
        Section(
            "Scale and network",
            (
                "interconnect", "largest_domain_accelerators", "fabric", "network_gbps_per_accelerator",
                "measured_allreduce_gbps",
            ),
        ),
        Section(
            "Site, power, delivery and access",
            ("site", "power_status", "cooling_status", "earliest_start", "delivery_said_by", "access_terms"),
        ),
        Section(
            "Contract",
            (
                "term_months", "ramp", "min_accelerators", "termination", "renewal", "storage_per_gb_month",
                "egress_per_gb",
            ),
        ),
        Section("Their document", ("reference", "attachment", "note")),
    )  # fmt: skip
    option = forms.CharField(
        max_length=60, initial="main", help_text="Tells several options of one supplier apart. Not sealed: no prices."
    )
    attachment = forms.FileField(required=False, label="File", help_text="At most 20 MB; sealed like the rest.")

    def __init__(self, *args: Any, quote_request: QuoteRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("quoted_on", request_today(quote_request))
        del self.fields["reason"]  # it would stand in the history, unsealed
        names = []
        for number, question in enumerate(quote_request.questions):
            names.append(f"further_{number}")
            self.fields[names[-1]] = forms.CharField(
                required=False, max_length=2000, label=question, widget=forms.Textarea(attrs={"rows": 2})
            )
            self.fields[names[-1]].is_full = True
        self.further = names
        if names:
            self.layout = (*self.layout[:-1], Section("Further questions", tuple(names)), self.layout[-1])
        for name, label in LABELS.items():
            if name in self.fields:
                self.fields[name].label = label
        for name in ("access_terms", "termination", "renewal", "note"):
            self.fields[name].is_full = True
            self.fields[name].widget.attrs["rows"] = 2
        self.fields["accelerator"].widget.attrs["list"] = "accelerators"
        self.fields["currency"].widget.attrs |= {"maxlength": 3, "list": "currencies", "autocapitalize": "characters"}

    @property
    def echoes(self) -> list[str]:
        """Return nothing: how a price was read would stand, unsealed, in the message of the next page."""
        return []

    @property
    def sections(self) -> Iterator[dict[str, Any]]:
        """Return the sections that hold fields."""
        return (section for section in super().sections if section["fields"])

    def clean_currency(self) -> str:
        """Return the code in capitals."""
        return str(self.cleaned_data["currency"]).upper()

    def values(self) -> dict[str, Any]:
        """Return the terms, with the answers to the further questions in their order."""
        answers = [self.cleaned_data.get(name, "") for name in self.further]
        return super().values() | {"further_answers": answers}

    def file(self) -> tuple[str, bytes] | None:
        """Return name and bytes of the attached document."""
        uploaded = self.cleaned_data.get("attachment")
        return (uploaded.name, uploaded.read()) if uploaded else None


class AwardForm(RefusableForm):
    """Which bids are chosen, and why."""

    bids = forms.TypedMultipleChoiceField(label="Chosen", coerce=int, widget=forms.CheckboxSelectMultiple)
    reason = forms.CharField(max_length=300, label="Why these", widget=forms.Textarea(attrs={"rows": 3}))
    deviation_reason = forms.CharField(
        max_length=300, required=False, label="Why in spite of what a must-have asks",
        help_text="Only where a chosen bid breaks one, or too few suppliers bid.",
    )  # fmt: skip
    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, choices: Sequence[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["bids"].choices = choices
        for field in self.fields.values():
            field.is_wide = True


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "–"
    return "–" if value in (None, "") else str(value)
