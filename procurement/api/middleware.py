"""What holds for every request under /api/: a request id, problem documents for every refusal, a forgiven slash."""

import re
from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.urls import is_valid_path
from django.utils.log import log_response
from structlog.contextvars import bound_contextvars

from procurement.api.problems import PROBLEM_JSON, problem_document, problem_response, request_id

PREFIX = "/api/"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,100}", re.ASCII)
_DETAILS = {
    400: "The request cannot be read; its host, headers or form are not as they should be.",
    403: "The request was refused. A browser session sends the header X-CSRFToken with every change.",
    404: "Nothing is at this address; /api/v1/ lists what is there.",
    405: "This address does not offer the method.",
    413: "The request is larger than what is read here.",
    500: "Something went wrong that nobody foresaw; nothing was changed. Name the request id when you report it.",
}
# what Django's own handlers would make of an exception, narrowest first
_STATUSES: dict[type[Exception], int] = {
    RequestDataTooBig: 413,
    SuspiciousOperation: 400,
    BadRequest: 400,
    MultiPartParserError: 400,
    PermissionDenied: 403,
    Http404: 404,
}
_KEPT_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate", "Vary", "Set-Cookie")


class ApiMiddleware:
    """Outermost for /api/: turns what Django itself refuses into problem documents."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        if not request.path_info.startswith(PREFIX):
            return self.get_response(request)
        asked = request.headers.get("X-Request-Id", "")
        if _REQUEST_ID.fullmatch(asked) and not hasattr(request, "request_id"):
            request.request_id = asked  # type: ignore[attr-defined]
        _forgive_missing_slash(request)
        with bound_contextvars(request_id=request_id(request)):
            is_there = is_valid_path(request.path_info, settings.ROOT_URLCONF)
            response = self.get_response(request) if is_there else _problem(request, 404)
        if response.status_code >= HTTPStatus.BAD_REQUEST and not _is_problem(response):
            response = _as_problem(request, response)
        response["X-Request-Id"] = request_id(request)
        response["Cache-Control"] = response.get("Cache-Control", "private, no-cache")
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the problem document of what a view raised, without asking for the pages that people are shown."""
        if not request.path_info.startswith(PREFIX):
            return None
        status = next((status for kind, status in _STATUSES.items() if isinstance(exception, kind)), 500)
        response = _problem(request, status)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            got_request_exception.send(sender=type(self), request=request)
            log_response(
                "%s: %s", "nobody foresaw this", request.path, response=response, request=request,
                exception=exception,
            )  # fmt: skip
        return response


def _problem(request: HttpRequest, status: int) -> HttpResponse:
    detail = _DETAILS.get(status, HTTPStatus(status).phrase)
    return problem_response(problem_document(request, status, HTTPStatus(status).name.lower(), detail))


def _forgive_missing_slash(request: HttpRequest) -> None:
    """Take the address without its last slash for the same one: a redirect would lose the body of a POST."""
    path = request.path_info
    if path.endswith("/") or is_valid_path(path, settings.ROOT_URLCONF):
        return
    if is_valid_path(f"{path}/", settings.ROOT_URLCONF):
        request.path_info = f"{path}/"
        request.path = f"{request.path}/"


def _is_problem(response: HttpResponseBase) -> bool:
    return str(response.get("Content-Type", "")).startswith(PROBLEM_JSON)


def _as_problem(request: HttpRequest, response: HttpResponseBase) -> HttpResponse:
    replacement = _problem(request, response.status_code)
    for name in _KEPT_HEADERS:
        if response.has_header(name):
            replacement[name] = response[name]
    return replacement
