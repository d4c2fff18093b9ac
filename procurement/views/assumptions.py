"""Pages of assumption sets: list, set, new from a copy, put in force."""

from typing import Any

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.choices import column_notes, label
from procurement.forms.assumptions import AssumptionSetForm, copied_initial
from procurement.forms.labels import label_of
from procurement.models import AssumptionSet
from procurement.selectors.assumptions import assumption_sets_all, day_of_evaluation
from procurement.services.actors import Actor
from procurement.services.assumptions import assumption_set_create, assumption_set_put_in_force, assumption_set_update
from procurement.views.base import ActionPage, FormPage, ListPage, Page, whole
from procurement.views.frame import Entry
from procurement.views.history import history_shown
from procurement.views.suggestions import suggestions

SHOWN = (
    "currency", "discount_rate", "discount_timing", "horizon_months", "hours_per_month", "time_zone", "evaluated_on",
    "risk_quantile", "materiality", "rank_by", "draws", "seed", "correlation", "readings",
)  # fmt: skip
BLOCKS = (
    ("price_change_per_year", "Price paths", "PriceChange"), ("policy", "Rules of the organisation", "Policy"),
    ("tax", "Income tax", "Tax"), ("powered_grade", "Stricter proof of power", "PoweredGrade"),
)  # fmt: skip


class AssumptionSetListView(ListPage):
    """Sets of assumptions, newest first; one is in force."""

    template = "procurement/assumption_sets.html"
    section_name = "workloads"

    def rows(self) -> Any:
        """Return them with the number of runs that used each."""
        return assumption_sets_all().annotate(run_count=Count("runs")).order_by("-dated_on", "-pk")


class AssumptionSetPage(Page):
    """What the pages of one set share."""

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Assumptions", reverse("procurement:assumptions"))]


class AssumptionSetDetailView(AssumptionSetPage):
    """One set with its exchange rates and history."""

    template = "procurement/assumption_set.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show it."""
        record = get_object_or_404(assumption_sets_all().annotate(run_count=Count("runs")), pk=pk)
        is_locked = bool(record.run_count) or record.is_in_force
        context = {"record": record, "is_locked": is_locked, "facts": _facts(record), "blocks": _blocks(record)}
        return self.show({**context, "entries": history_shown(record)})


class AssumptionSetFormPage(FormPage):
    """What entering and editing a set share."""

    action = "assumptions.edit"

    def more(self) -> dict[str, Any]:
        """Return known names to choose from."""
        return {**super().more(), **suggestions()}

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Assumptions", reverse("procurement:assumptions"))]

    def address_after(self, record: AssumptionSet) -> str:
        """Return the page of the set."""
        return reverse("procurement:assumption_set", args=[record.pk])


class AssumptionSetCreateView(AssumptionSetFormPage):
    """A new set, from nothing or as a copy."""

    heading = "New assumption set"
    button = "Save set"
    success = "{record} was saved. It takes effect when it is put in force."

    def make_form(self, *args: Any, **kwargs: Any) -> AssumptionSetForm:
        """Return the form, filled from the set to copy when one is named."""
        copied = self.asked("copy")
        source = get_object_or_404(AssumptionSet, pk=whole(copied)) if copied else None
        initial = copied_initial(source) if source else {}
        return AssumptionSetForm(*args, initial={**initial, "dated_on": day_of_evaluation()}, **kwargs)

    def store(self, form: AssumptionSetForm, by: Actor) -> AssumptionSet:
        """Store it."""
        return assumption_set_create(by=by, values=form.values(), fx=form.fx())


class AssumptionSetUpdateView(AssumptionSetFormPage):
    """A set that no run has used yet."""

    heading = "Edit assumption set"
    button = "Save set"
    success = "{record} was changed."

    def make_form(self, *args: Any, **kwargs: Any) -> AssumptionSetForm:
        """Return the form on the set."""
        return AssumptionSetForm(*args, instance=get_object_or_404(AssumptionSet, pk=self.kwargs["pk"]), **kwargs)

    def store(self, form: AssumptionSetForm, by: Actor) -> AssumptionSet:
        """Store the change; refused once a run has used the set."""
        version = form.cleaned_data["version"]
        values, fx = form.values(), form.fx()
        return assumption_set_update(by=by, assumption_set=form.instance, version=version, values=values, fx=fx)  # type: ignore[arg-type]


class AssumptionSetPutInForceView(ActionPage):
    """Make a set the one that new runs use."""

    action = "assumptions.edit"
    success = "The set is in force. Recommendations are being recomputed."

    def act(self, by: Actor) -> str:
        """Put it in force."""
        assumption_set_put_in_force(by=by, assumption_set=get_object_or_404(AssumptionSet, pk=self.kwargs["pk"]))
        return self.address_back()

    def address_back(self) -> str:
        """Return the page of the set."""
        return reverse("procurement:assumption_set", args=[self.kwargs["pk"]])


def _facts(record: AssumptionSet) -> list[dict[str, Any]]:
    notes = column_notes("Assumptions")
    facts = []
    for name in SHOWN:
        value = getattr(record, name)
        around = (record.ranges or {}).get(name)
        unit = notes[name].unit if name in notes else ""
        if name in ("discount_timing", "rank_by", "readings"):
            value = label(value)
        note = f"{around['min']} to {around['max']}" if around else ""
        facts.append({"name": label_of(name), "value": value, "unit": unit, "note": note})
    return facts


def _blocks(record: AssumptionSet) -> list[dict[str, Any]]:
    blocks = []
    for name, title, table in BLOCKS:
        notes = column_notes(table)
        stated = {key: value for key, value in (getattr(record, name) or {}).items() if not isinstance(value, list)}
        facts = [
            {"name": label_of(key), "value": _words(value), "unit": notes[key].unit if key in notes else ""}
            for key, value in stated.items()
        ]
        blocks.append({"title": title, "facts": facts})
    steps = record.policy.get("approval_days") or []
    blocks.append({"title": "Approval times", "facts": [
        {"name": f"up to {step['up_to']:,}" if "up_to" in step else "above", "value": step["days"], "unit": "days"}
        for step in steps
    ]})  # fmt: skip
    days = [{"name": label(gate), "value": limit, "unit": "days"} for gate, limit in record.evidence_days.items()]
    slips = [
        {
            "name": _slip_words(slip),
            "value": f"{ends['p10']} to {ends['p90']}",
            "unit": "ratio, 1 in 10 to 9 in 10",
        }
        for slip, ends in record.slip_classes.items()
    ]
    blocks += [{"title": "Evidence: days it counts", "facts": days}, {"title": "Slip classes", "facts": slips}]
    return [block for block in blocks if block["facts"]]


def _words(value: Any) -> Any:
    return f"{value['min']} / {value['likely']} / {value['max']}" if isinstance(value, dict) else value


def _slip_words(slip: str) -> str:
    name, _, operator = slip.partition("@")
    return f"{label(name)} of {operator}" if operator else label(name)
