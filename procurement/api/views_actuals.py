"""Measured use: files, what became of their rows, planned beside measured, and offers to accept or decline."""

from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse
from django.urls import reverse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView, DetailApi, ListApi, PostApi, VersionedActionApi, actor, download, found
from procurement.api.filters import Filter
from procurement.api.parsing import BoundedMultiPartParser
from procurement.api.renderers import BinaryRenderer
from procurement.api.serializers_actuals import (
    AssignInput,
    MeasuredOutput,
    OfferOutput,
    UsageFileInput,
    UsageFileOutput,
    UsageRowOutput,
    WhyInput,
)
from procurement.api.serializers_base import ReasonInput
from procurement.models import OfferState, UsageFile, UsageOffer, UsageRow, UsageRowState, UsageState
from procurement.permissions import require
from procurement.selectors.actuals import build_measured, usage_files_all, usage_offers_all, workload_measured
from procurement.selectors.builds import builds_all
from procurement.selectors.workloads import workloads_all
from procurement.services.actors import Actor
from procurement.services.actuals import usage_assign, usage_receive, usage_withdraw
from procurement.services.usage_offers import usage_offer_accept, usage_offer_decline, usage_offer_right


class UsageFileListApi(ListApi, PostApi):
    """Files of measured use, and a new one as a form; the same content again is the file that is there (200)."""

    resource = "actuals"
    actions = {"POST": "actuals.import"}
    parser_classes = (BoundedMultiPartParser,)
    filters = (
        Filter("state", "state", "where the file stands", choices=lambda: UsageState.choices),
        Filter("content_sha256", "content_sha256", "digest of the file"),
        Filter("received_since", "received_at__gte", "received at or after this instant", "instant"),
    )
    output = UsageFileOutput
    input = UsageFileInput

    def records(self, **kwargs: Any) -> QuerySet[UsageFile]:
        """Return all files."""
        return usage_files_all()

    def success_statuses(self) -> tuple[int, ...]:
        """Return 201 for a new file and 200 for one that is there."""
        return (200, 201)

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Store the file as it is and queue its reading."""
        values, reason = self.read_body(request)
        upload, source = values.pop("file"), values.pop("source")
        file, is_new = usage_receive(
            by=actor(request, reason), file_name=upload.name, content=upload.read(), source=source, options=values
        )
        location = reverse("api:usage_file", kwargs={"id": file.pk})
        return self.shown(file, status=201 if is_new else 200, headers={"Location": location})


class UsageFileDetailApi(DetailApi):
    """One file of measured use and the counts of its rows."""

    has_not_modified = False  # being read is no new version

    resource = "actuals"
    output = UsageFileOutput

    def record(self, **kwargs: Any) -> UsageFile:
        """Return the file."""
        return found(usage_files_all(), "usage file", **kwargs)


class UsageFileFileApi(ApiView):
    """A file of measured use as it was received."""

    resource = "actuals"
    renderer_classes = (BinaryRenderer, JSONRenderer)
    output = {"type": "string", "format": "binary"}

    def get(self, request: Request, **kwargs: Any) -> FileResponse:
        """Return the file."""
        file = found(usage_files_all(), "usage file", **kwargs)
        return download(file.file, file.file_name)


class UsageFileWithdrawApi(VersionedActionApi):
    """Take back all that was read of a file, saying why; the file stays."""

    resource = "actuals"
    actions = {"POST": "actuals.import"}
    output = UsageFileOutput
    input = WhyInput

    def record(self, **kwargs: Any) -> UsageFile:
        """Return the file."""
        return found(usage_files_all(), "usage file", **kwargs)

    def carry_out(self, by: Actor, record: UsageFile, version: int, values: dict[str, Any]) -> UsageFile:
        """Take it back."""
        return usage_withdraw(by=by, file=record, version=version)


class UsageRowListApi(ListApi):
    """Rows of a file that are held, faulty or left out, with what would be right."""

    resource = "actuals"
    filters = (Filter("state", "state", "what became of the row", choices=lambda: UsageRowState.choices),)
    output = UsageRowOutput

    def records(self, **kwargs: Any) -> QuerySet[UsageRow]:
        """Return the rows of the file."""
        return found(usage_files_all(), "usage file", **kwargs).rows.all()


class UsageRowAssignApi(PostApi):
    """Say which build, workload or provider a name in a file means."""

    resource = "actuals"
    actions = {"POST": "actuals.import"}
    success_status = 200
    output = UsageFileOutput
    input = AssignInput

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Assign the name."""
        file = found(usage_files_all(), "usage file", id=kwargs["id"])
        row = found(file.rows.all(), "row", id=kwargs["row_id"])
        values, reason = self.read_body(request)
        return self.shown(usage_assign(by=actor(request, reason), row=row, code=values["code"]))


class WorkloadMeasuredApi(ApiView):
    """Planned beside measured of one workload, by figure and by month."""

    resource = "actuals"
    output = MeasuredOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return it."""
        return self.shown(workload_measured(found(workloads_all(), "workload", **kwargs)))


class BuildMeasuredApi(ApiView):
    """Planned beside measured of one build, by figure and by month."""

    resource = "actuals"
    output = MeasuredOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return it."""
        return self.shown(build_measured(found(builds_all(), "build", **kwargs)))


class UsageOfferListApi(ListApi):
    """Measured figures that may replace planned ones, and what people said to them."""

    resource = "actuals"
    filters = (
        Filter("state", "state", "what a person said", choices=lambda: OfferState.choices),
        Filter("workload", "workload__code", "code of the workload"),
        Filter("build", "build__code", "code of the build"),
    )
    output = OfferOutput

    def records(self, **kwargs: Any) -> QuerySet[UsageOffer]:
        """Return all offers."""
        return usage_offers_all().select_related("created_by")


class UsageOfferDetailApi(DetailApi):
    """One offer of a measured figure."""

    has_not_modified = False

    resource = "actuals"
    output = OfferOutput

    def record(self, **kwargs: Any) -> UsageOffer:
        """Return the offer."""
        return found(usage_offers_all(), "offer", **kwargs)


class OfferActionApi(VersionedActionApi):
    """A decision on an open offer; the service asks for the right to edit what it is about."""

    resource = "actuals"
    output = OfferOutput
    input = ReasonInput

    def record(self, **kwargs: Any) -> UsageOffer:
        """Return the offer, to those who may edit what it is about."""
        offer: UsageOffer = found(usage_offers_all(), "offer", **kwargs)
        require(self.request.user, usage_offer_right(offer))
        return offer

    def carry_out(self, by: Actor, record: UsageOffer, version: int, values: dict[str, Any]) -> UsageOffer:
        """Decide it."""
        raise NotImplementedError


class UsageOfferAcceptApi(OfferActionApi):
    """Take a measured figure as the new assumption of its workload or build."""

    def carry_out(self, by: Actor, record: UsageOffer, version: int, values: dict[str, Any]) -> UsageOffer:
        """Accept it."""
        return usage_offer_accept(by=by, offer=record, version=version)


class UsageOfferDeclineApi(OfferActionApi):
    """Keep the planned figure, saying why."""

    input = WhyInput

    def carry_out(self, by: Actor, record: UsageOffer, version: int, values: dict[str, Any]) -> UsageOffer:
        """Decline it."""
        return usage_offer_decline(by=by, offer=record, version=version)
