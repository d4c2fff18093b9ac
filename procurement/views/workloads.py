"""Pages of workloads: list, presets, form, detail, history."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.choices import ColumnNote, column_notes, label, workload_presets
from procurement.forms.labels import label_of
from procurement.forms.workloads import WorkloadForm, preset_initial
from procurement.models import Workload
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.runs import answer_of, recommendation_table, run_latest_finished
from procurement.selectors.workloads import workloads_all
from procurement.services.actors import Actor
from procurement.services.workloads import workload_archive, workload_create, workload_update
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page
from procurement.views.filters import WorkloadFilter
from procurement.views.frame import Entry
from procurement.views.history import history_shown
from procurement.views.suggestions import suggestions

SHOWN = (
    "kind", "shape", "accelerators", "accelerator_types", "min_memory_gb", "interconnect", "fabrics", "start",
    "need_by", "months", "days", "end", "deadline_policy", "interruptible", "growth_per_year", "residency",
    "allowed_providers", "dataset_gb", "storage_gb", "egress_gb_per_month", "feed_gb_s_per_accelerator",
    "switching_cost", "value_per_accelerator_hour", "second_place_overhead_per_month",
)  # fmt: skip
NESTED = (("demand", "Demand"), ("training", "Training"), ("inference", "Inference"), ("current", "CurrentPlace"))


class WorkloadListView(ListPage):
    """Needs for accelerators, each with the newest recommendation."""

    template = "procurement/workloads.html"
    section_name = "workloads"
    filterset = WorkloadFilter
    order = "name"
    columns = (
        Column("Workload", "name"), Column("Kind", "kind"), Column("Shape", "shape"),
        Column("Size", "accelerators", "accelerators", True), Column("Start", "start"), Column("Needed by", "need_by"),
        Column("Owner", "owner__username"), Column("Recommendation"), Column("How sure"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return workloads in use, archived ones only when asked for."""
        return workloads_all().filter(is_archived=self.request.GET.get("state") == "archived")

    def more(self, page: Any) -> dict[str, Any]:
        """Return the lines with what the newest finished run says."""
        lines = {line.workload_code: line for line in recommendation_table()}
        return {"rows": [{"workload": workload, "line": lines.get(workload.code)} for workload in page]}


class WorkloadPage(Page):
    """What the pages of one workload share."""

    def workload(self) -> Workload:
        """Return the workload asked for."""
        return get_object_or_404(workloads_all(), code=self.kwargs["code"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Workloads", reverse("procurement:workloads"))]

    def shown(self, workload: Workload) -> dict[str, Any]:
        """Return what every tab shows."""
        names = (("Need", "workload"), ("History", "workload_history"))
        addresses = [(words, reverse(f"procurement:{name}", args=[workload.code])) for words, name in names]
        tabs = [Entry(words, address, address == self.request.path) for words, address in addresses]
        return {"workload": workload, "tabs": tabs}


class WorkloadDetailView(WorkloadPage):
    """One need, and what the newest finished run recommends for it."""

    template = "procurement/workload.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show it."""
        workload = self.workload()
        run = run_latest_finished()
        answer = answer_of(run, workload.code) if run else None
        return self.show({**self.shown(workload), "blocks": workload_blocks(workload), "run": run, "answer": answer})


class WorkloadHistoryView(WorkloadPage):
    """Who changed the workload, when and why."""

    template = "procurement/workload_history.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show it, newest first."""
        workload = self.workload()
        return self.show({**self.shown(workload), "entries": history_shown(workload)})


class WorkloadFormPage(FormPage):
    """What entering and editing a workload share."""

    action = "workload.edit"

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Workloads", reverse("procurement:workloads"))]

    def more(self) -> dict[str, Any]:
        """Return known names to choose from."""
        return {**super().more(), **suggestions()}

    def address_after(self, record: Workload) -> str:
        """Return the page of the workload."""
        return reverse("procurement:workload", args=[record.code])


class WorkloadCreateView(WorkloadFormPage):
    """A new need, from a preset or from nothing."""

    heading = "New workload"
    button = "Save workload"
    success = "{record} was saved. A recommendation is being computed."
    template = "procurement/workload_new.html"

    def make_form(self, *args: Any, **kwargs: Any) -> WorkloadForm:
        """Return the form with the values of the preset asked for."""
        initial = {"start": day_of_evaluation(), **preset_initial(self.request.GET.get("preset", ""))}
        return WorkloadForm(*args, initial=initial, **kwargs)

    def store(self, form: WorkloadForm, by: Actor) -> Workload:
        """Store it."""
        return workload_create(by=by, values=form.values())

    def more(self) -> dict[str, Any]:
        """Return the presets beside the form."""
        chosen = self.request.GET.get("preset", "")
        return {**super().more(), "presets": workload_presets(), "chosen": chosen}


class WorkloadUpdateView(WorkloadFormPage):
    """A need that is changed."""

    heading = "Edit workload"
    button = "Save workload"
    success = "{record} was changed. Its recommendation is being recomputed."

    def make_form(self, *args: Any, **kwargs: Any) -> WorkloadForm:
        """Return the form on the workload."""
        return WorkloadForm(*args, instance=get_object_or_404(Workload, code=self.kwargs["code"]), **kwargs)

    def store(self, form: WorkloadForm, by: Actor) -> Workload:
        """Store the change."""
        version = form.cleaned_data["version"]
        return workload_update(by=by, workload=form.instance, version=version, values=form.values())  # type: ignore[arg-type]


class WorkloadArchiveView(ActionPage):
    """Take a workload out of the runs, or bring it back."""

    action = "workload.edit"
    is_archived = True
    success = "Done. Past runs keep the workload."

    def act(self, by: Actor) -> str:
        """Archive it."""
        workload = get_object_or_404(Workload, code=self.kwargs["code"])
        workload_archive(by=by, workload=workload, version=workload.version, is_archived=self.is_archived)
        return self.address_back()

    def undo_address(self) -> str:
        """Return the way back."""
        return reverse("procurement:workload_restore", args=[self.kwargs["code"]]) if self.is_archived else ""

    def address_back(self) -> str:
        """Return the page of the workload."""
        return reverse("procurement:workload", args=[self.kwargs["code"]])


def workload_blocks(workload: Workload) -> list[dict[str, Any]]:
    """Return the stated facts of a workload in blocks, each with its unit; what is not stated is left out."""
    notes = column_notes("Workload")
    blocks: list[dict[str, Any]] = [
        {"title": "Need", "facts": [_fact(name, getattr(workload, name), notes) for name in SHOWN]}
    ]
    for name, record in NESTED:
        stated = getattr(workload, name) or {}
        inner = column_notes(record)
        blocks.append({"title": label(name), "facts": [_fact(key, value, inner) for key, value in stated.items()]})
    for block in blocks:
        block["facts"] = [fact for fact in block["facts"] if fact["value"] not in (None, "", [], {}, False)]
    return [block for block in blocks if block["facts"]]


def _fact(name: str, value: Any, notes: dict[str, ColumnNote]) -> dict[str, Any]:
    note = notes.get(name)
    if isinstance(value, dict) and {"min", "likely", "max"} <= set(value):
        value = f"{value['min']} / {value['likely']} / {value['max']}"
    elif isinstance(value, dict):
        value = ", ".join(f"{label_of(key)} {part}" for key, part in value.items())
    elif note is not None and note.choices and isinstance(value, str) and value:
        value = label(value)
    return {"name": label_of(name), "value": value, "unit": note.unit if note else ""}
