"""From what services, serializers and Django raise to the one shape of refusal."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.db import DataError, IntegrityError, OperationalError
from django.http import Http404, HttpResponse
from rest_framework import exceptions
from rest_framework.request import Request

from procurement.api.problems import Refusal, pointer, problem_document, problem_response
from procurement.errors import PermissionRefused, ProcurementError, VersionConflict

log = structlog.get_logger(__name__)

# codes of services whose status is not 409 Conflict
STATUS_BY_CODE = {
    "invalid": 400,
    "not_found": 404,
    "too_large": 413,
    "idempotency_key_reused": 422,
    "permission_refused": 403,
}
# the engine checks a record inside a document of its own: /quotes/0/price is the price of what was sent
_ENGINE_FAULT = re.compile(
    r"/(?:(?:quotes|builds|workloads)/0|assumptions)(?P<place>(?:/[^/: ]+)*): (?P<detail>.+)", re.S
)
_PART = re.compile(r"/(tranches|costs|waived|evidence|promises)/\d+")
_DOCUMENT_NAMES = {"/id": "/code", "/class": "/slip_class", "/nodes": "/node_first"}
RETRY_LATER = {"Retry-After": "1"}


def problem_handler(error: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """Return the problem document of an exception; ``None`` for what nobody foresaw, which ends as 500."""
    request: Request = context["request"]
    if isinstance(error, Refusal):
        document = problem_document(request._request, error.status, error.code, error.detail, errors=error.errors)
        return problem_response(document, error.headers)
    if isinstance(error, ProcurementError):
        return _refused_by_service(error, request)
    if isinstance(error, exceptions.APIException):
        return _refused_by_framework(error, request)
    if isinstance(error, Http404):
        detail = str(error) or f"Nothing is at {request.path}."
        return problem_response(problem_document(request._request, 404, "not_found", detail))
    if isinstance(error, PermissionDenied):
        return problem_response(problem_document(request._request, 403, "permission_refused", str(error)))
    return _refused_by_database(error, request)


def _refused_by_service(error: ProcurementError, request: Request) -> HttpResponse:
    status = STATUS_BY_CODE.get(error.code, 409)
    headers = RETRY_LATER if error.code == "idempotency_in_flight" else {}
    faults = getattr(error, "faults", None)
    errors = list(faults) if faults else list(_field_errors(error.fields, request.path))
    members: dict[str, Any] = {}
    if isinstance(error, VersionConflict):
        status = 412
        headers = {"ETag": f'"{error.current_version}"'}
        members["current_version"] = error.current_version
        members["differences"] = [
            {"field": name, "stored": _shown(stored), "asked": _shown(asked)}
            for name, (stored, asked) in error.differences.items()
        ]
    if isinstance(error, PermissionRefused):
        status = 403
    document = problem_document(request._request, status, error.code, error.message, errors=errors, **members)
    return problem_response(document, headers)


def _shown(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | list | dict) else str(value)


def _field_errors(fields: Mapping[str, list[str]], path: str) -> Iterator[dict[str, str]]:
    for name, messages in fields.items():
        place = "" if name in ("__all__", "non_field_errors") else pointer(name)
        for message in messages:
            yield _of_engine(message, path) or {"pointer": place, "detail": message}


def _of_engine(message: str, path: str) -> dict[str, str] | None:
    """Return a fault that the engine found in the record's document, with its place in the body that was sent."""
    found = _ENGINE_FAULT.fullmatch(message)
    if found is None:
        return None
    place = found["place"]
    part = _PART.match(place)
    if part is not None and f"/{part[1].replace('waived', 'waivers')}/" in path:
        place = place[part.end() :]
    return {"pointer": _DOCUMENT_NAMES.get(place, place), "detail": found["detail"]}


def _refused_by_framework(error: exceptions.APIException, request: Request) -> HttpResponse:
    headers: dict[str, str] = {}
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        headers["WWW-Authenticate"] = getattr(error, "auth_header", "")
    if isinstance(error, exceptions.Throttled) and error.wait is not None:
        headers["Retry-After"] = str(max(1, int(error.wait)))
    if isinstance(error, exceptions.MethodNotAllowed):
        headers["Allow"] = ", ".join(context_methods(request))
    if isinstance(error, exceptions.ValidationError):
        errors = list(_serializer_errors(error.detail, ()))
        count = f"{len(errors)} faults" if len(errors) != 1 else "1 fault"
        detail = f"The request has {count}: " + "; ".join(
            f"{e['pointer'] or 'body'}: {e['detail']}" for e in errors[:5]
        )
        document = problem_document(request._request, 400, "invalid", detail, errors=errors)
        return problem_response(document, headers)
    code = str(error.default_code)
    document = problem_document(request._request, error.status_code, code, str(error.detail))
    return problem_response(document, headers)


def context_methods(request: Request) -> list[str]:
    """Return the methods that the address of a request offers."""
    view = (request.parser_context or {}).get("view")
    return list(getattr(view, "allowed_methods", []))


def _serializer_errors(detail: Any, place: tuple[object, ...]) -> Iterator[dict[str, str]]:
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _serializer_errors(inner, place if name == "non_field_errors" else (*place, name))
    elif isinstance(detail, list | tuple):
        for position, inner in enumerate(detail):
            nested = isinstance(inner, Mapping | list | tuple)
            yield from _serializer_errors(inner, (*place, position) if nested else place)
    else:
        yield {"pointer": pointer(*place), "detail": str(detail)}


def _refused_by_database(error: Exception, request: Request) -> HttpResponse | None:
    if isinstance(error, IntegrityError):
        # two requests passed the same check at once; the database let one through
        log.info("the database refused a write", error=str(error))
        detail = "Another record holds one of these values, or was changed at the same moment; read again and retry."
        return problem_response(problem_document(request._request, 409, "conflict", detail))
    if isinstance(error, DataError):
        log.warning("the database refused a value", error=str(error))
        detail = "A value is outside of what can be stored; make numbers smaller and texts shorter."
        return problem_response(problem_document(request._request, 400, "invalid", detail))
    if isinstance(error, OperationalError):
        log.error("the database did not answer", error=str(error))
        detail = "The database is busy or away for a moment; nothing was changed. Try again."
        return problem_response(problem_document(request._request, 503, "unavailable", detail), {"Retry-After": "5"})
    return None
