"""Reports, subscriptions and deliveries under /api/v1/."""

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
    PostApi,
    VersionedActionApi,
    actor,
    found,
)
from procurement.api.filters import Filter, modified_filters, one_parameter
from procurement.api.problems import Refusal
from procurement.api.serializers_base import ReasonInput
from procurement.errors import ProcurementError
from reports.api.serializers import DeliveryOutput, SubscriptionInput, SubscriptionOutput
from reports.base import MOST_DAYS, Filters, Report
from reports.models import MessageState, OutboxMessage, ReportSubscription
from reports.outbox import message_resend
from reports.registry import REPORTS, get_report, make_sheet
from reports.renderers.json import sheet_document
from reports.selectors import run_finished
from reports.services import subscription_archive, subscription_create, subscription_update
from reports.slots import trial_message
from reports.tasks import nudge_delivery

RUN = Filter("run", "", "id of a finished run; the newest when left out", "whole")
WORKLOAD = Filter("workload", "", "code of one workload; all when left out")
WITHIN_DAYS = Filter("within_days", "", f"days ahead, from 0 to {MOST_DAYS}; 30 when left out", "whole")
COLUMN = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("key", "name", "kind", "unit", "meaning")},
}
REPORT = {
    "type": "object",
    "properties": {
        "key": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"},
        "url": {"type": "string"}, "filters": {"type": "array", "items": {"type": "string"}},
        "columns": {"type": "array", "items": COLUMN},
    },
}  # fmt: skip
SHEET = {
    "type": "object",
    "properties": {
        "report": {"type": "string"}, "title": {"type": "string"}, "headline": {"type": "string"},
        "run": {"type": "integer"}, "inputs_digest": {"type": "string"}, "engine_version": {"type": "string"},
        "as_of": {"type": "string", "format": "date"}, "currency": {"type": "string"},
        "columns": {"type": "array", "items": COLUMN}, "row_count": {"type": "integer"},
        "rows": {"type": "array", "items": {"type": "object", "additionalProperties": True}},
    },
}  # fmt: skip


class ReportListApi(ApiView):
    """The reports that there are, with their columns and filters."""

    resource = "runs"
    output = {"type": "object", "properties": {"results": {"type": "array", "items": REPORT}}}

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the shelf."""
        return Response({"results": [self._shown(request, report) for report in REPORTS]})

    def _shown(self, request: Request, report: Report) -> dict[str, Any]:
        columns = [
            {
                "key": column.key,
                "name": column.name,
                "kind": column.kind,
                "unit": column.unit,
                "meaning": column.meaning,
            }
            for column in report.columns
        ]
        return {
            "key": report.key, "title": report.title, "description": report.description,
            "url": request.build_absolute_uri(reverse("reports_api:report", args=[report.key])),
            "filters": list(report.filters), "columns": columns,
        }  # fmt: skip


class ReportDetailApi(ApiView):
    """One report of a finished run, with the same figures as its page, files and mails."""

    resource = "runs"
    filters = (RUN, WORKLOAD, WITHIN_DAYS)
    output = SHEET

    def get(self, request: Request, key: str, **kwargs: Any) -> Response:
        """Return the report."""
        asked = {item.name: one_parameter(request, item) for item in (WORKLOAD, WITHIN_DAYS)}
        given = {name: value for name, value in asked.items() if value is not None}
        try:
            report = get_report(key)
            sheet = make_sheet(report, run_finished(one_parameter(request, RUN)), Filters.read(given))
        except ProcurementError as refusal:
            if refusal.code in ("unknown_report", "report_unavailable"):
                raise Refusal(404, "not_found", refusal.message) from refusal
            errors = [{"parameter": name, "detail": told[0]} for name, told in refusal.fields.items()]
            raise Refusal(400, "invalid_parameter", refusal.message, errors=errors) from refusal
        return Response(sheet_document(sheet), headers={"X-Row-Count": str(len(sheet.rows))})


class SubscriptionListApi(ListApi, CreateApi):
    """Subscriptions, and a new one."""

    resource = "subscriptions"
    actions = {"POST": "subscription.edit"}
    filters = (
        Filter("report", "report", "key of the report", choices=lambda: [(report.key, report) for report in REPORTS]),
        ARCHIVED,
        *modified_filters(),
    )
    output = SubscriptionOutput
    input = SubscriptionInput

    def records(self, **kwargs: Any) -> QuerySet[ReportSubscription]:
        """Return all subscriptions."""
        return ReportSubscription.objects.select_related("owner", "created_by")

    def create(self, by: Any, values: dict[str, Any], **kwargs: Any) -> ReportSubscription:
        """Store a subscription that is due from now on."""
        return subscription_create(user=by.user, values=values, source=by.source, reason=by.reason)

    def location(self, record: ReportSubscription) -> str:
        """Return its address."""
        return reverse("reports_api:subscription", kwargs={"id": record.pk})


class SubscriptionDetailApi(ChangeApi, ArchiveApi):
    """One subscription."""

    resource = "subscriptions"
    actions = {"PATCH": "subscription.edit", "DELETE": "subscription.edit"}
    output = SubscriptionOutput
    input = SubscriptionInput
    has_not_modified = False  # who left by themselves is shown too

    def record(self, **kwargs: Any) -> ReportSubscription:
        """Return the subscription."""
        return found(ReportSubscription.objects.select_related("owner", "created_by"), "subscription", **kwargs)

    def change(self, by: Any, record: ReportSubscription, version: int, values: dict[str, Any]) -> ReportSubscription:
        """Change it."""
        return subscription_update(
            user=by.user, subscription=record, version=version, values=values, source=by.source, reason=by.reason
        )

    def archive(self, by: Any, record: ReportSubscription, version: int) -> ReportSubscription:
        """Take it out of use."""
        return subscription_archive(user=by.user, subscription=record, version=version, source=by.source)


class SubscriptionRestoreApi(VersionedActionApi):
    """Bring a subscription back; nothing of the pause is sent."""

    resource = "subscriptions"
    actions = {"POST": "subscription.edit"}
    output = SubscriptionOutput
    input = ReasonInput

    def record(self, **kwargs: Any) -> ReportSubscription:
        """Return the subscription."""
        return found(ReportSubscription.objects.select_related("owner", "created_by"), "subscription", **kwargs)

    def carry_out(
        self, by: Any, record: ReportSubscription, version: int, values: dict[str, Any]
    ) -> ReportSubscription:
        """Bring it back."""
        return subscription_archive(
            user=by.user, subscription=record, version=version, source=by.source, is_archived=False
        )


class SubscriptionTestApi(PostApi):
    """Send the report of now to oneself; the real messages are untouched."""

    resource = "subscriptions"
    actions = {"POST": "subscription.edit"}
    output = DeliveryOutput
    input = ReasonInput

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Write a test message."""
        self.read_body(request)
        record = found(ReportSubscription.objects.select_related("owner"), "subscription", **kwargs)
        message = trial_message(subscription=record, user=actor(request).user)
        message.refresh_from_db()
        nudge_delivery(message.pk)
        return self.shown(message, status=201)


class DeliveryListApi(ListApi):
    """Messages that were written, and what became of each."""

    resource = "subscriptions"
    filters = (
        Filter("subscription", "subscription_id", "id of the subscription", "whole"),
        Filter("letter", "letter_id", "id of the letter of a request", "whole"),
        Filter("state", "state", "where the message stands", choices=lambda: MessageState.choices),
    )
    output = DeliveryOutput

    def records(self, **kwargs: Any) -> QuerySet[OutboxMessage]:
        """Return all messages without their text."""
        return OutboxMessage.objects.defer("content")


class DeliveryResendApi(PostApi):
    """Send an uncertain or failed message again, with the same message id."""

    resource = "subscriptions"
    actions = {"POST": "subscription.edit"}
    output = DeliveryOutput
    input = ReasonInput
    success_status = 200

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Put it back into the queue."""
        _, reason = self.read_body(request)
        record = found(OutboxMessage.objects.defer("content"), "delivery", **kwargs)
        message = message_resend(message=record, user=actor(request).user, reason=reason)
        nudge_delivery(message.pk)
        return self.shown(message)
