"""One shape of refusal: application/problem+json (RFC 9457) with every fault, its pointer and the request id."""

import json
import uuid
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse

PROBLEM_JSON = "application/problem+json"
TYPE_PREFIX = "urn:compute-decisions:problem:"


class Refusal(Exception):
    """A request that the interface itself refuses, before any service is asked.

    Parameters
    ----------
    status : int
        HTTP status.
    code : str
        Stable lower_snake name of the fault.
    detail : str
        A sentence that names the thing, the value and what would be right.
    errors : sequence of mapping, optional
        Faults by place, each with `pointer`, `parameter` or `header` and `detail`.
    headers : mapping, optional
        Headers of the reply.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.headers = dict(headers or {})


def problem_document(
    request: HttpRequest,
    status: int,
    code: str,
    detail: str,
    **members: Any,
) -> dict[str, Any]:
    """Return a problem document; ``members`` that are None are left out."""
    return {
        "type": f"{TYPE_PREFIX}{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": request_id(request),
        "errors": [],
        **{name: value for name, value in members.items() if value is not None},
    }


def problem_response(document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return a problem document as a reply."""
    content = json.dumps(document, cls=DjangoJSONEncoder, ensure_ascii=True)
    return HttpResponse(content, status=document["status"], content_type=PROBLEM_JSON, headers=dict(headers or {}))


def request_id(request: HttpRequest) -> str:
    """Return the id of a request, the one in its logs and in the header X-Request-Id."""
    known = getattr(request, "request_id", None)
    if known is None:
        known = str(uuid.uuid4())
        request.request_id = known  # type: ignore[attr-defined]
    return str(known)


def pointer(*parts: object) -> str:
    """Return the JSON pointer of a place (RFC 6901)."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)
