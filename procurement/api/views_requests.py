"""Requests for quotes: draft, publish, extend, open, compare, award, cancel."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import (
    ApiView,
    ChangeApi,
    CreateApi,
    DetailApi,
    ListApi,
    VersionedActionApi,
    found,
)
from procurement.api.filters import Filter, modified_filters
from procurement.api.problems import Refusal
from procurement.api.renderers import BinaryRenderer, CsvRenderer
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_requests import (
    AwardInput,
    ComparisonOutput,
    ExtendInput,
    OpeningOutput,
    RequestInput,
    RequestOutput,
    RequestStepInput,
)
from procurement.models import QuoteRequest, RequestOpening, RequestState
from procurement.selectors.requests import requests_all
from procurement.selectors.requests_comparison import request_comparison
from procurement.selectors.requests_files import comparison_csv, comparison_workbook
from procurement.services.actors import Actor
from procurement.services.requests import (
    request_cancel,
    request_create,
    request_extend,
    request_publish,
    request_update,
)
from procurement.services.requests_awards import request_award
from procurement.services.requests_openings import request_open

STORED = [pair for pair in RequestState.choices if pair[0] != RequestState.CLOSED]


class RequestListApi(ListApi, CreateApi):
    """Requests for quotes, and a new draft."""

    resource = "requests"
    actions = {"POST": "request.edit"}
    filters = (
        Filter("state", "state", "as stored; `closed` is a published one after its deadline", choices=lambda: STORED),
        *modified_filters(),
    )
    output = RequestOutput
    input = RequestInput

    def records(self, **kwargs: Any) -> QuerySet[QuoteRequest]:
        """Return all requests."""
        return requests_all()

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> QuoteRequest:
        """Store a draft."""
        return request_create(by=by, values=values)

    def location(self, record: QuoteRequest) -> str:
        """Return its address."""
        return reverse("api:request", kwargs={"code": record.code})


class RequestDetailApi(ChangeApi):
    """One request; a change after publishing needs a reason and goes to all suppliers."""

    resource = "requests"
    actions = {"PATCH": "request.edit"}
    output = RequestOutput
    input = RequestInput
    has_not_modified = False  # the clock closes it without a new version

    def record(self, **kwargs: Any) -> QuoteRequest:
        """Return the request."""
        return found(requests_all(), "request", **kwargs)

    def change(self, by: Actor, record: QuoteRequest, version: int, values: dict[str, Any]) -> QuoteRequest:
        """Change the draft, or amend what was published."""
        return request_update(by=by, quote_request=record, version=version, values=values)


class RequestActionApi(VersionedActionApi):
    """A step of a request."""

    resource = "requests"
    actions = {"POST": "request.edit"}
    output = RequestOutput
    input = RequestStepInput

    def record(self, **kwargs: Any) -> QuoteRequest:
        """Return the request."""
        return found(requests_all(), "request", **kwargs)


class RequestPublishApi(RequestActionApi):
    """Publish a draft to its suppliers."""

    input = ReasonInput

    def carry_out(self, by: Actor, record: QuoteRequest, version: int, values: dict[str, Any]) -> QuoteRequest:
        """Publish it."""
        return request_publish(by=by, quote_request=record, version=version)


class RequestExtendApi(RequestActionApi):
    """Move the deadline of a published request to a later instant; all suppliers are told why."""

    input = ExtendInput

    def carry_out(self, by: Actor, record: QuoteRequest, version: int, values: dict[str, Any]) -> QuoteRequest:
        """Extend it."""
        return request_extend(by=by, quote_request=record, version=version, due_at=values["due_at"])


class RequestCancelApi(RequestActionApi):
    """End a request without award; bids that were not opened stay sealed."""

    def carry_out(self, by: Actor, record: QuoteRequest, version: int, values: dict[str, Any]) -> QuoteRequest:
        """Cancel it."""
        return request_cancel(by=by, quote_request=record, version=version)


class RequestAwardApi(RequestActionApi):
    """Choose opened bids; each becomes a quote in force."""

    actions = {"POST": "request.award"}
    input = AwardInput

    def carry_out(self, by: Actor, record: QuoteRequest, version: int, values: dict[str, Any]) -> QuoteRequest:
        """Award it."""
        return request_award(
            by=by, quote_request=record, version=version, bids=values["bids"],
            deviation_reason=values.get("deviation_reason", ""),
        )  # fmt: skip


class RequestOpenApi(RequestActionApi):
    """Open the bids after the deadline, or begin to where two people are asked for."""

    actions = {"POST": "request.open"}
    input = ReasonInput
    output = OpeningOutput

    def carry_out(self, by: Actor, record: QuoteRequest, version: int, values: dict[str, Any]) -> RequestOpening:
        """Open it."""
        return request_open(by=by, quote_request=record, version=version)


class RequestOpeningApi(DetailApi):
    """The record of the opening."""

    resource = "requests"
    output = OpeningOutput

    def record(self, **kwargs: Any) -> RequestOpening:
        """Return the record, or refuse while nobody has begun."""
        quote_request = found(requests_all(), "request", **kwargs)
        openings = RequestOpening.objects.select_related("begun_by", "opened_by")
        opening = openings.filter(request=quote_request).first()
        if opening is None:
            raise Refusal(404, "not_found", f"The bids of {quote_request.code} were not opened yet.")
        return opening


class ComparisonApi(ApiView):
    """Opened bids side by side, with the derivation of each price and what speaks against each bid."""

    resource = "requests"
    output = ComparisonOutput

    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Return the comparison; empty before the opening."""
        comparison = request_comparison(found(requests_all(), "request", **kwargs))
        return Response(ComparisonOutput(comparison).data)


class ComparisonCsvApi(ApiView):
    """The comparison as CSV, options as columns."""

    resource = "requests"
    renderer_classes = (CsvRenderer, JSONRenderer)
    output = {"type": "string"}

    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Return the table."""
        comparison = request_comparison(found(requests_all(), "request", **kwargs))
        headers = {
            "X-Row-Count": str(len(comparison.compared.rows)),
            "Content-Disposition": f'attachment; filename="{kwargs["code"]}.csv"',
        }
        return HttpResponse(comparison_csv(comparison), content_type="text/csv; charset=utf-8", headers=headers)


class ComparisonWorkbookApi(ApiView):
    """The comparison as XLSX, options as columns."""

    resource = "requests"
    renderer_classes = (BinaryRenderer, JSONRenderer)
    output = {"type": "string", "format": "binary"}

    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Return the workbook."""
        comparison = request_comparison(found(requests_all(), "request", **kwargs))
        headers = {"Content-Disposition": f'attachment; filename="{kwargs["code"]}.xlsx"'}
        return HttpResponse(comparison_workbook(comparison), content_type="application/octet-stream", headers=headers)
