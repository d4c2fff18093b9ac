"""Forms of what belongs to a build: tranches, cost lines, waivers, evidence, promises."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.base import RecordForm
from procurement.forms.builds import (
    ConfirmForm,
    CostLineForm,
    EvidenceForm,
    PromiseForm,
    TrancheForm,
    WaiverForm,
)
from procurement.models import Build, Evidence
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.builds import builds_all
from procurement.services.actors import Actor
from procurement.services.builds import (
    build_part_archive,
    build_part_create,
    build_part_update,
    evidence_add,
    evidence_confirm,
    promise_add,
)
from procurement.views.base import ActionPage, FormPage
from procurement.views.frame import Entry
from procurement.views.suggestions import suggestions

PARTS: dict[str, tuple[type[RecordForm], str]] = {
    "tranche": (TrancheForm, "tranche"),
    "cost": (CostLineForm, "cost line"),
    "waiver": (WaiverForm, "component left out"),
}


class PartPage(FormPage):
    """What the forms of a build's parts share."""

    action = "build.edit"
    success = "{record} was saved. Recommendations are being recomputed."
    tab = "build_costs"

    def build(self) -> Build:
        """Return the build that the part belongs to."""
        return get_object_or_404(builds_all(), code=self.kwargs["code"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        build = self.build()
        return [Entry("Builds", reverse("procurement:builds")), Entry(build.name, self.address_after(None))]

    def address_after(self, record: Any) -> str:
        """Return the tab of the build that lists the part."""
        return reverse(f"procurement:{self.tab}", args=[self.kwargs["code"]])

    def kind(self) -> tuple[type[RecordForm], str]:
        """Return form and words of the kind of part in the address."""
        if self.kwargs["part"] not in PARTS:
            raise Http404(f"a build has no {self.kwargs['part']}")
        return PARTS[self.kwargs["part"]]

    def more(self) -> dict[str, Any]:
        """Return heading and button."""
        return {**super().more(), **suggestions()}


class PartCreateView(PartPage):
    """A new tranche, cost line or waiver."""

    def make_form(self, *args: Any, **kwargs: Any) -> RecordForm:
        """Return the empty form, in the currency of the assumptions."""
        in_force = assumption_set_in_force()
        return self.kind()[0](*args, initial={"currency": in_force.currency if in_force else ""}, **kwargs)

    def store(self, form: RecordForm, by: Actor) -> Any:
        """Add it to the build."""
        return build_part_create(by=by, build=self.build(), part=form.model, values=form.values())  # type: ignore[arg-type]

    def more(self) -> dict[str, Any]:
        """Name the part."""
        return {**super().more(), "heading": f"New {self.kind()[1]}", "button": f"Save {self.kind()[1]}"}


class PartUpdateView(PartPage):
    """A tranche, cost line or waiver that is changed."""

    def make_form(self, *args: Any, **kwargs: Any) -> RecordForm:
        """Return the form on the part."""
        form = self.kind()[0]
        part = get_object_or_404(form.model, pk=self.kwargs["pk"], build__code=self.kwargs["code"])
        return form(*args, instance=part, **kwargs)

    def store(self, form: RecordForm, by: Actor) -> Any:
        """Store the change."""
        version = form.cleaned_data["version"]
        return build_part_update(by=by, record=form.instance, version=version, values=form.values())  # type: ignore[arg-type]

    def more(self) -> dict[str, Any]:
        """Name the part."""
        return {**super().more(), "heading": f"Edit {self.kind()[1]}", "button": f"Save {self.kind()[1]}"}


class PartArchiveView(ActionPage):
    """Take a part out of use, or bring it back."""

    action = "build.edit"
    is_archived = True
    success = "Done. The history of the build keeps it."

    def act(self, by: Actor) -> str:
        """Archive it."""
        model = PARTS[self.kwargs["part"]][0].model if self.kwargs["part"] in PARTS else None
        if model is None:
            raise Http404(f"a build has no {self.kwargs['part']}")
        part = get_object_or_404(model, pk=self.kwargs["pk"], build__code=self.kwargs["code"])
        build_part_archive(by=by, record=part, version=part.version, is_archived=self.is_archived)  # type: ignore[arg-type, attr-defined]
        return self.address_back()

    def undo_address(self) -> str:
        """Return the way back."""
        arguments = [self.kwargs["code"], self.kwargs["part"], self.kwargs["pk"]]
        return reverse("procurement:part_restore", args=arguments) if self.is_archived else ""

    def address_back(self) -> str:
        """Return the costs of the build."""
        return reverse("procurement:build_costs", args=[self.kwargs["code"]])


class EvidenceCreateView(PartPage):
    """A new statement of evidence."""

    action = "evidence.add"
    heading = "Add evidence"
    button = "Add evidence"
    tab = "build_evidence"
    success = "The evidence is on record. Recommendations are being recomputed."

    def make_form(self, *args: Any, **kwargs: Any) -> EvidenceForm:
        """Return the form for today, for the gate that was asked about."""
        initial = {"observed_on": day_of_evaluation(), "gate": self.request.GET.get("gate", "")}
        return EvidenceForm(*args, build=self.build(), initial=initial, **kwargs)

    def store(self, form: EvidenceForm, by: Actor) -> Evidence:
        """Append it."""
        return evidence_add(by=by, build=self.build(), values=form.values(), attachment=form.file())


class PromiseCreateView(PartPage):
    """A new promise."""

    action = "evidence.add"
    heading = "Add promise"
    button = "Add promise"
    tab = "build_promises"
    success = "The promise is on record. Recommendations are being recomputed."

    def make_form(self, *args: Any, **kwargs: Any) -> PromiseForm:
        """Return the form for a promise made today."""
        return PromiseForm(*args, build=self.build(), initial={"stated_on": day_of_evaluation()}, **kwargs)

    def store(self, form: PromiseForm, by: Actor) -> Any:
        """Append it."""
        return promise_add(by=by, build=self.build(), values=form.values())


class EvidenceConfirmView(PartPage):
    """Still true: the same statement on a later day."""

    action = "evidence.add"
    heading = "Still true"
    button = "Confirm"
    tab = "build_evidence"
    success = "Confirmed: the statement counts anew from that day."

    def make_form(self, *args: Any, **kwargs: Any) -> ConfirmForm:
        """Return the form for today."""
        return ConfirmForm(args[0] if args else None, initial={"observed_on": day_of_evaluation()})

    def store(self, form: ConfirmForm, by: Actor) -> Evidence:
        """Append the confirmation."""
        evidence = get_object_or_404(Evidence, pk=self.kwargs["pk"], build__code=self.kwargs["code"])
        day, source = form.cleaned_data["observed_on"], form.cleaned_data["source"]
        return evidence_confirm(by=by, evidence=evidence, observed_on=day, source=source)
