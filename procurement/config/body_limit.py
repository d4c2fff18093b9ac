"""Refuses a request whose body is larger than any file that is kept, before a byte of it is stored or read."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render


class BodyLimitMiddleware:
    """Outermost but for the API's own, which makes a problem document of this refusal."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request, with 413 where it is too large."""
        length = request.META.get("CONTENT_LENGTH") or ""
        if length.isdecimal() and int(length[:20]) > settings.MAX_BODY_BYTES:
            return self.refusal(request)
        return self.get_response(request)

    @staticmethod
    def refusal(request: HttpRequest) -> HttpResponse:
        """Return the page that says how much is read."""
        most = settings.MAX_BODY_BYTES // 2**20
        return render(request, "413.html", {"most": most}, status=413)
