"""Pages of builds: list, readiness, evidence, promises, costs, history, capacity by month."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.builds import BuildForm, ConfirmForm
from procurement.models import Build, Evidence
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.builds import BuildStatus, build_status, builds_all, builds_status, capacity_by_month
from procurement.services.actors import Actor
from procurement.services.builds import build_archive, build_create, build_update
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page, stored_file
from procurement.views.build_display import (
    facts_shown,
    gates_shown,
    held_back_words,
    milestones_shown,
    planned_accelerators,
)
from procurement.views.filters import BuildFilter
from procurement.views.frame import Entry
from procurement.views.history import history_shown
from procurement.views.suggestions import suggestions


class BuildListView(ListPage):
    """Clusters that are built, with how far each is today."""

    template = "procurement/builds.html"
    section_name = "builds"
    filterset = BuildFilter
    order = "name"
    columns = (
        Column("Build", "name"), Column("Operator", "operator__name"), Column("Accelerator", "accelerator"),
        Column("Planned", "", "accelerators", True), Column("Usable today", "", "accelerators", True),
        Column("Energization"), Column("Availability"), Column("Held back by"),
        Column("All usable, 5 in 10"), Column("8 in 10"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return builds in use, archived ones only when asked for."""
        return builds_all().filter(is_archived=self.request.GET.get("state") == "archived")

    def more(self, page: Any) -> dict[str, Any]:
        """Return the lines with their readiness today."""
        statuses = builds_status()
        rows = [{"build": build, "planned": planned_accelerators(build)} for build in page]
        for row in rows:
            status = statuses.get(row["build"].code)
            row |= {"status": status, "held_back": held_back_words(status) if status else ""}
        return {"rows": rows}


class BuildPage(Page):
    """What the pages of one build share."""

    def build(self) -> Build:
        """Return the build asked for."""
        return get_object_or_404(builds_all(), code=self.kwargs["code"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Builds", reverse("procurement:builds"))]

    def shown(self, build: Build) -> dict[str, Any]:
        """Return what every tab shows."""
        counts = {"evidence": len(build.evidence.all()), "promises": len(build.promises.all())}
        names = (
            ("Readiness", "build"), ("Evidence", "build_evidence"), ("Promises", "build_promises"),
            ("Costs", "build_costs"), ("History", "build_history"),
        )  # fmt: skip
        tabs = []
        for words, name in names:
            address = reverse(f"procurement:{name}", args=[build.code])
            tabs.append(Entry(words, address, address == self.request.path, count=counts.get(words.lower())))
        status: BuildStatus = build_status(build)
        planned = planned_accelerators(build)
        return {"build": build, "status": status, "tabs": tabs, "planned": planned, "today": day_of_evaluation()}


class BuildDetailView(BuildPage):
    """The six gates, the milestones and the forecast of a build."""

    template = "procurement/build.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show them as of today."""
        build = self.build()
        shown = self.shown(build)
        gates = gates_shown(build, shown["status"])
        milestones = milestones_shown(build, shown["status"], shown["today"])
        return self.show({**shown, "gates": gates, "milestones": milestones, "facts": facts_shown(build)})


class BuildEvidenceView(BuildPage):
    """Everything that was stated about the gates, newest first."""

    template = "procurement/build_evidence.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show it with a button that confirms each statement."""
        build = self.build()
        statements = sorted(build.evidence.all(), key=lambda row: (row.observed_on, row.pk), reverse=True)
        form = ConfirmForm(initial={"observed_on": day_of_evaluation()})
        return self.show({**self.shown(build), "statements": statements, "confirm_form": form})


class BuildPromisesView(BuildPage):
    """Every promised date with the day it was promised."""

    template = "procurement/build_promises.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show them, newest first."""
        build = self.build()
        promises = sorted(build.promises.all(), key=lambda row: (row.stated_on, row.pk), reverse=True)
        return self.show({**self.shown(build), "promises": promises})


class BuildCostsView(BuildPage):
    """Cost lines, tranches and what is knowingly left out."""

    template = "procurement/build_costs.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show them."""
        build = self.build()
        lines = [line for line in build.costs.all() if not line.is_archived]
        waived = [waiver for waiver in build.waived.all() if not waiver.is_archived]
        tranches = [tranche for tranche in build.tranches.all() if not tranche.is_archived]
        return self.show({**self.shown(build), "lines": lines, "waived": waived, "tranches": tranches})


class BuildHistoryView(BuildPage):
    """Who changed the build or one of its parts, when and why."""

    template = "procurement/build_history.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show it, newest first."""
        build = self.build()
        return self.show({**self.shown(build), "entries": history_shown(build)})


class EvidenceFileView(BuildPage):
    """The file that proves a statement; always saved, never opened as a page."""

    def get(self, request: HttpRequest, code: str, pk: int) -> HttpResponseBase:
        """Return it under its own name."""
        evidence = get_object_or_404(Evidence, pk=pk, build__code=code)
        if not evidence.attachment:
            raise Http404("this statement has no file")
        name = evidence.attachment_name
        return stored_file(evidence.attachment, name)


class BuildFormPage(FormPage):
    """What entering and editing a build share."""

    action = "build.edit"

    def more(self) -> dict[str, Any]:
        """Return known names to choose from."""
        return {**super().more(), **suggestions()}

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Builds", reverse("procurement:builds"))]

    def address_after(self, record: Build) -> str:
        """Return the page of the build."""
        return reverse("procurement:build", args=[record.code])


class BuildCreateView(BuildFormPage):
    """A new build."""

    heading = "New build"
    button = "Save build"
    success = "{record} was saved. Add its tranches and what is proven of it."

    def make_form(self, *args: Any, **kwargs: Any) -> BuildForm:
        """Return the empty form."""
        return BuildForm(*args, **kwargs)

    def store(self, form: BuildForm, by: Actor) -> Build:
        """Store it."""
        return build_create(by=by, values=form.values())


class BuildUpdateView(BuildFormPage):
    """A build that is changed."""

    heading = "Edit build"
    button = "Save build"
    success = "{record} was changed. Recommendations are being recomputed."

    def make_form(self, *args: Any, **kwargs: Any) -> BuildForm:
        """Return the form on the build."""
        return BuildForm(*args, instance=get_object_or_404(Build, code=self.kwargs["code"]), **kwargs)

    def store(self, form: BuildForm, by: Actor) -> Build:
        """Store the change."""
        return build_update(by=by, build=form.instance, version=form.cleaned_data["version"], values=form.values())


class BuildArchiveView(ActionPage):
    """Take a build out of every comparison, or bring it back."""

    action = "build.edit"
    is_archived = True
    success = "Done. The records of the build stay as they are."

    def act(self, by: Actor) -> str:
        """Archive it."""
        build = get_object_or_404(Build, code=self.kwargs["code"])
        build_archive(by=by, build=build, version=build.version, is_archived=self.is_archived)
        return self.address_back()

    def undo_address(self) -> str:
        """Return the way back."""
        return reverse("procurement:build_restore", args=[self.kwargs["code"]]) if self.is_archived else ""

    def address_back(self) -> str:
        """Return the page of the build."""
        return reverse("procurement:build", args=[self.kwargs["code"]])


class CapacityView(Page):
    """Announced, energized and accessible accelerators of all operators by month."""

    template = "procurement/capacity.html"
    section_name = "builds"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the last six months as they were and eighteen to come as forecast."""
        months = capacity_by_month()
        series = [
            {"name": name.capitalize(), "values": [getattr(month, name) for month in months]}
            for name in ("announced", "energized", "accessible")
        ]
        days = [month.month for month in months]
        chart = {"days": days, "series": series, "unit": "accelerators", "today": day_of_evaluation()}
        return self.show({"months": months, "chart": chart})
