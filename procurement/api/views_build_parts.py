"""Parts of a build: tranches, cost lines, waivers, evidence and promises."""

from typing import Any, ClassVar

from django.db.models import Model, QuerySet
from django.http import FileResponse
from django.urls import reverse
from rest_framework.renderers import JSONRenderer
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
    download,
    found,
)
from procurement.api.filters import Filter, modified_filters
from procurement.api.parsing import BoundedMultiPartParser, StrictJsonParser
from procurement.api.problems import Refusal
from procurement.api.renderers import BinaryRenderer
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_builds import (
    ConfirmInput,
    CostLineInput,
    CostLineOutput,
    EvidenceInput,
    EvidenceOutput,
    PromiseInput,
    PromiseOutput,
    TrancheInput,
    TrancheOutput,
    WaiverInput,
    WaiverOutput,
)
from procurement.api.views_builds import builds_plain
from procurement.choices import gate_choices
from procurement.models import CostLine, Evidence, Promise, Tranche, Waiver
from procurement.services.actors import Actor
from procurement.services.builds import (
    BuildPart,
    build_part_archive,
    build_part_create,
    build_part_update,
    evidence_add,
    evidence_confirm,
    promise_add,
)

EDIT = dict.fromkeys(("POST", "PATCH", "DELETE"), "build.edit")
GATE = Filter("gate", "gate", "the gate it is about", choices=gate_choices)


class PartApi(ApiView):
    """What the parts have in common: their build, their model and their place below it."""

    resource = "builds"
    actions = EDIT
    part: ClassVar[type[Model]]
    place: ClassVar[str] = ""

    def parts(self, code: str) -> QuerySet[Any]:
        """Return the parts of the build of a code."""
        build = found(builds_plain(), "build", code=code)
        person = "created_by" if issubclass(self.part, BuildPart) else "recorded_by"
        return self.part._default_manager.filter(build=build).select_related("build", person)


class PartListApi(PartApi, ListApi, CreateApi):
    """The parts of a build, and a new one."""

    filters = (ARCHIVED, *modified_filters())

    def records(self, **kwargs: Any) -> QuerySet[Any]:
        """Return the parts."""
        return self.parts(kwargs["code"])

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Any:
        """Store a part."""
        build = found(builds_plain(), "build", code=kwargs["code"])
        return build_part_create(by=by, build=build, part=self.part, values=values)

    def location(self, record: Any) -> str:
        """Return its address."""
        return reverse(f"api:{self.place}", kwargs={"code": record.build.code, "id": record.pk})


class PartDetailApi(PartApi, ChangeApi, ArchiveApi):
    """One part of a build."""

    def record(self, **kwargs: Any) -> Any:
        """Return the part."""
        return found(self.parts(kwargs["code"]), self.part._meta.verbose_name or "part", id=kwargs["id"])

    def change(self, by: Actor, record: Any, version: int, values: dict[str, Any]) -> Any:
        """Change it."""
        return build_part_update(by=by, record=record, version=version, values=values)

    def archive(self, by: Actor, record: Any, version: int) -> Any:
        """Take it out of use."""
        return build_part_archive(by=by, record=record, version=version)


class PartRestoreApi(PartApi, VersionedActionApi):
    """Bring a part of a build back."""

    input = ReasonInput

    def record(self, **kwargs: Any) -> Any:
        """Return the part."""
        return found(self.parts(kwargs["code"]), self.part._meta.verbose_name or "part", id=kwargs["id"])

    def carry_out(self, by: Actor, record: Any, version: int, values: dict[str, Any]) -> Any:
        """Bring it back."""
        return build_part_archive(by=by, record=record, version=version, is_archived=False)


class TrancheListApi(PartListApi):
    """Tranches of a build, and a new one."""

    part, place, input, output = Tranche, "tranche", TrancheInput, TrancheOutput


class TrancheDetailApi(PartDetailApi):
    """One tranche."""

    part, input, output = Tranche, TrancheInput, TrancheOutput


class TrancheRestoreApi(PartRestoreApi):
    """Bring a tranche back."""

    part, output = Tranche, TrancheOutput


class CostLineListApi(PartListApi):
    """Cost lines of a build, and a new one."""

    part, place, input, output = CostLine, "cost_line", CostLineInput, CostLineOutput


class CostLineDetailApi(PartDetailApi):
    """One cost line."""

    part, input, output = CostLine, CostLineInput, CostLineOutput


class CostLineRestoreApi(PartRestoreApi):
    """Bring a cost line back."""

    part, output = CostLine, CostLineOutput


class _WaiverBody(ApiView):
    """The reason of a waiver is part of the record."""

    def read_body(self, request: Request, record: Any = None) -> tuple[dict[str, Any], str]:
        """Return the values with the reason, and the reason for the history."""
        values, reason = super().read_body(request, record)
        return ({**values, "reason": reason} if reason else values), reason


class WaiverListApi(_WaiverBody, PartListApi):
    """Expected components that a build knowingly leaves out, and a new one."""

    part, place, input, output = Waiver, "waiver", WaiverInput, WaiverOutput


class WaiverDetailApi(_WaiverBody, PartDetailApi):
    """One waiver."""

    part, input, output = Waiver, WaiverInput, WaiverOutput


class WaiverRestoreApi(PartRestoreApi):
    """Bring a waiver back."""

    part, output = Waiver, WaiverOutput


class EvidenceListApi(PartApi, ListApi, CreateApi):
    """Statements of evidence of a build, and a new one: as JSON with a link, or as a form with a file."""

    actions = {"POST": "evidence.add"}
    parser_classes = (StrictJsonParser, BoundedMultiPartParser)
    filters = (GATE, Filter("recorded_since", "recorded_at__gte", "recorded at or after this instant", "instant"))
    part, input, output = Evidence, EvidenceInput, EvidenceOutput

    def records(self, **kwargs: Any) -> QuerySet[Evidence]:
        """Return the statements."""
        return self.parts(kwargs["code"])

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Evidence:
        """Append a statement."""
        build = found(builds_plain(), "build", code=kwargs["code"])
        file = values.pop("attachment", None)
        attachment = (file.name, file.read()) if file is not None else None
        return evidence_add(by=by, build=build, values=values, attachment=attachment)

    def location(self, record: Evidence) -> str:
        """Return its address."""
        return reverse("api:evidence", kwargs={"code": record.build.code, "id": record.pk})


class EvidenceDetailApi(PartApi, DetailApi):
    """One statement of evidence."""

    part, output = Evidence, EvidenceOutput

    def record(self, **kwargs: Any) -> Evidence:
        """Return the statement."""
        return found(self.parts(kwargs["code"]), "evidence", id=kwargs["id"])


class EvidenceConfirmApi(PartApi, PostApi):
    """Say that a statement is still true; the earlier one stays as it is."""

    actions = {"POST": "evidence.add"}
    part, input, output = Evidence, ConfirmInput, EvidenceOutput

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Append the same statement on a later day."""
        evidence = found(self.parts(kwargs["code"]), "evidence", id=kwargs["id"])
        values, reason = self.read_body(request)
        confirmation = evidence_confirm(by=actor(request, reason), evidence=evidence, **values)
        location = reverse("api:evidence", kwargs={"code": kwargs["code"], "id": confirmation.pk})
        return self.shown(confirmation, status=201, headers={"Location": location})


class EvidenceAttachmentApi(PartApi):
    """The file of a statement, always as a download."""

    renderer_classes = (BinaryRenderer, JSONRenderer)
    part = Evidence
    output = {"type": "string", "format": "binary"}

    def get(self, request: Request, **kwargs: Any) -> FileResponse:
        """Return the file."""
        evidence = found(self.parts(kwargs["code"]), "evidence", id=kwargs["id"])
        if not evidence.attachment:
            raise Refusal(404, "not_found", f"Evidence `{evidence.pk}` has a link and no file.")
        return download(evidence.attachment, evidence.attachment_name)


class PromiseListApi(PartApi, ListApi, CreateApi):
    """Promised dates of a build, and a new one."""

    actions = {"POST": "evidence.add"}
    filters = (GATE, Filter("recorded_since", "recorded_at__gte", "recorded at or after this instant", "instant"))
    part, input, output = Promise, PromiseInput, PromiseOutput

    def records(self, **kwargs: Any) -> QuerySet[Promise]:
        """Return the promises."""
        return self.parts(kwargs["code"])

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Promise:
        """Append a promise."""
        build = found(builds_plain(), "build", code=kwargs["code"])
        return promise_add(by=by, build=build, values=values)

    def location(self, record: Promise) -> str:
        """Return its address."""
        return reverse("api:promise", kwargs={"code": record.build.code, "id": record.pk})


class PromiseDetailApi(PartApi, DetailApi):
    """One promised date."""

    part, output = Promise, PromiseOutput

    def record(self, **kwargs: Any) -> Promise:
        """Return the promise."""
        return found(self.parts(kwargs["code"]), "promise", id=kwargs["id"])
