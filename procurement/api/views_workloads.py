"""Workloads, their presets, and assumption sets."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import (
    ARCHIVED,
    ApiView,
    ArchiveApi,
    ChangeApi,
    CreateApi,
    DetailApi,
    ListApi,
    PostApi,
    VersionedActionApi,
    actor,
    found,
)
from procurement.api.filters import Filter, modified_filters
from procurement.api.problems import Refusal
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_workloads import (
    AssumptionSetInput,
    AssumptionSetOutput,
    PresetOutput,
    WorkloadInput,
    WorkloadOutput,
)
from procurement.choices import kind_choices, workload_presets
from procurement.models import AssumptionSet, Workload
from procurement.selectors.assumptions import assumption_set_in_force, assumption_sets_all
from procurement.selectors.workloads import workloads_all
from procurement.services.actors import Actor
from procurement.services.assumptions import (
    assumption_set_create,
    assumption_set_put_in_force,
    assumption_set_update,
)
from procurement.services.workloads import workload_archive, workload_create, workload_update


class WorkloadListApi(ListApi, CreateApi):
    """Workloads, and a new one."""

    resource = "workloads"
    actions = {"POST": "workload.edit"}
    filters = (
        Filter("code", "code", "code of the workload"),
        Filter("kind", "kind", "what it does", choices=kind_choices),
        ARCHIVED,
        *modified_filters(),
    )
    output = WorkloadOutput
    input = WorkloadInput

    def records(self, **kwargs: Any) -> QuerySet[Workload]:
        """Return all workloads."""
        return workloads_all().select_related("created_by")

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Workload:
        """Store a workload."""
        return workload_create(by=by, values=values)

    def location(self, record: Workload) -> str:
        """Return its address."""
        return reverse("api:workload", kwargs={"code": record.code})


class WorkloadDetailApi(ChangeApi, ArchiveApi):
    """One workload."""

    resource = "workloads"
    actions = {"PATCH": "workload.edit", "DELETE": "workload.edit"}
    output = WorkloadOutput
    input = WorkloadInput

    def record(self, **kwargs: Any) -> Workload:
        """Return the workload."""
        return found(workloads_all().select_related("created_by"), "workload", **kwargs)

    def change(self, by: Actor, record: Workload, version: int, values: dict[str, Any]) -> Workload:
        """Change it."""
        return workload_update(by=by, workload=record, version=version, values=values)

    def archive(self, by: Actor, record: Workload, version: int) -> Workload:
        """Take it out of the runs."""
        return workload_archive(by=by, workload=record, version=version)


class WorkloadRestoreApi(VersionedActionApi):
    """Bring a workload back."""

    resource = "workloads"
    actions = {"POST": "workload.edit"}
    output = WorkloadOutput
    input = ReasonInput

    def record(self, **kwargs: Any) -> Workload:
        """Return the workload."""
        return found(workloads_all(), "workload", **kwargs)

    def carry_out(self, by: Actor, record: Workload, version: int, values: dict[str, Any]) -> Workload:
        """Bring it back."""
        return workload_archive(by=by, workload=record, version=version, is_archived=False)


class WorkloadPresetListApi(ApiView):
    """The defaults that a workload may start from."""

    resource = "workloads"
    output = PresetOutput

    def described_reply(self, schema: Any) -> dict[str, Any]:
        """Return the JSON schema of the reply."""
        return {
            "type": "object", "required": ["results"],
            "properties": {"results": {"type": "array", "items": schema}},
        }  # fmt: skip

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return all presets."""
        return Response({"results": PresetOutput(workload_presets(), many=True).data})


class AssumptionSetListApi(ListApi, CreateApi):
    """Assumption sets, and a new one with its exchange rates."""

    resource = "assumption-sets"
    actions = {"POST": "assumptions.edit"}
    filters = (
        Filter("name", "name", "name of the set"),
        Filter("is_in_force", "is_in_force", "whether new runs use it", "flag"),
        ARCHIVED,
        *modified_filters(),
    )
    output = AssumptionSetOutput
    input = AssumptionSetInput

    def records(self, **kwargs: Any) -> QuerySet[AssumptionSet]:
        """Return all sets."""
        return assumption_sets_all().select_related("created_by")

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> AssumptionSet:
        """Store a set."""
        rates = values.pop("fx", [])
        return assumption_set_create(by=by, values=values, fx=rates)

    def location(self, record: AssumptionSet) -> str:
        """Return its address."""
        return reverse("api:assumption_set", kwargs={"id": record.pk})


class AssumptionSetDetailApi(ChangeApi):
    """One assumption set; it changes only until a run has used it."""

    has_not_modified = False  # being put in force is no new version

    resource = "assumption-sets"
    actions = {"PATCH": "assumptions.edit"}
    output = AssumptionSetOutput
    input = AssumptionSetInput

    def record(self, **kwargs: Any) -> AssumptionSet:
        """Return the set."""
        return found(assumption_sets_all().select_related("created_by"), "assumption set", **kwargs)

    def change(self, by: Actor, record: AssumptionSet, version: int, values: dict[str, Any]) -> AssumptionSet:
        """Change it, with all its rates where they are given."""
        rates = values.pop("fx", None)
        return assumption_set_update(by=by, assumption_set=record, version=version, values=values, fx=rates)


class AssumptionSetInForceApi(DetailApi):
    """The assumption set that new runs use."""

    has_not_modified = False

    resource = "assumption-sets"
    output = AssumptionSetOutput

    def record(self, **kwargs: Any) -> AssumptionSet:
        """Return the set in force."""
        in_force = assumption_set_in_force()
        if in_force is None:
            raise Refusal(404, "not_found", "No assumption set is in force yet; finance puts one in force.")
        return in_force


class AssumptionSetPutInForceApi(PostApi):
    """Make a set the one that new runs use."""

    resource = "assumption-sets"
    actions = {"POST": "assumptions.edit"}
    success_status = 200
    output = AssumptionSetOutput
    input = ReasonInput

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Put it in force."""
        record = found(assumption_sets_all(), "assumption set", **kwargs)
        _, reason = self.read_body(request)
        return self.shown(assumption_set_put_in_force(by=actor(request, reason), assumption_set=record))
