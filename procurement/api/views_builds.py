"""Builds: details, archive and restore, readiness, the whole build as a document."""

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
    ListApi,
    VersionedActionApi,
    found,
)
from procurement.api.filters import Filter, modified_filters, one_parameter
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_builds import BuildInput, BuildOutput
from procurement.models import Build
from procurement.selectors.builds import build_status, builds_all
from procurement.selectors.frames import build_document
from procurement.services.actors import Actor
from procurement.services.builds import build_archive, build_create, build_update


def builds_plain() -> QuerySet[Build]:
    """Return all builds without their parts."""
    return builds_all().prefetch_related(None).select_related("operator", "site", "owner", "created_by")


class BuildListApi(ListApi, CreateApi):
    """Builds, ours and providers', and a new one."""

    resource = "builds"
    actions = {"POST": "build.edit"}
    filters = (
        Filter("code", "code", "code of the build"),
        Filter("operator", "operator__code", "code of the provider that runs it"),
        Filter("is_own", "operator__isnull", "whether we run it ourselves", "flag"),
        Filter("site", "site__code", "code of the site"),
        Filter("accelerator", "accelerator", "accelerator model"),
        ARCHIVED,
        *modified_filters(),
    )
    output = BuildOutput
    input = BuildInput

    def records(self, **kwargs: Any) -> QuerySet[Build]:
        """Return all builds."""
        return builds_plain()

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Build:
        """Store a build."""
        return build_create(by=by, values=values)

    def location(self, record: Build) -> str:
        """Return its address."""
        return reverse("api:build", kwargs={"code": record.code})


class BuildDetailApi(ChangeApi, ArchiveApi):
    """One build; its parts have addresses below it."""

    resource = "builds"
    actions = {"PATCH": "build.edit", "DELETE": "build.edit"}
    output = BuildOutput
    input = BuildInput

    def record(self, **kwargs: Any) -> Build:
        """Return the build."""
        return found(builds_plain(), "build", **kwargs)

    def change(self, by: Actor, record: Build, version: int, values: dict[str, Any]) -> Build:
        """Change it."""
        return build_update(by=by, build=record, version=version, values=values)

    def archive(self, by: Actor, record: Build, version: int) -> Build:
        """Take it out of every comparison."""
        return build_archive(by=by, build=record, version=version)


class BuildRestoreApi(VersionedActionApi):
    """Bring a build back."""

    resource = "builds"
    actions = {"POST": "build.edit"}
    output = BuildOutput
    input = ReasonInput

    def record(self, **kwargs: Any) -> Build:
        """Return the build."""
        return found(builds_plain(), "build", **kwargs)

    def carry_out(self, by: Actor, record: Build, version: int, values: dict[str, Any]) -> Build:
        """Bring it back."""
        return build_archive(by=by, build=record, version=version, is_archived=False)


class BuildDocumentApi(ApiView):
    """A build with all its parts, as in the scenario document."""

    resource = "builds"
    output = {"type": "object", "additionalProperties": True}

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the document."""
        return Response(build_document(found(builds_all(), "build", **kwargs)))


class BuildStatusApi(ApiView):
    """Readiness and forecast of a build on the day of evaluation, or on another day."""

    resource = "builds"
    filters = (Filter("as_of", "", "day; the day of evaluation when left out", "day"),)
    output = {
        "type": "object",
        "required": ["readiness", "forecast"],
        "properties": {
            "readiness": {"type": "object", "additionalProperties": True},
            "forecast": {"type": "object", "additionalProperties": True},
        },
    }

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the status."""
        build = found(builds_all(), "build", **kwargs)
        status = build_status(build, one_parameter(request, self.filters[0]))
        return Response({"readiness": status.readiness, "forecast": status.forecast})
