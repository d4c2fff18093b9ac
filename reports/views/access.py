"""Who may open a page: signed in first, then the action; refusals become pages, not errors."""

from typing import Any, ClassVar, NamedTuple

from django.contrib.auth.mixins import AccessMixin
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views import View

from procurement.errors import PermissionRefused, ProcurementError
from procurement.permissions import require
from reports.errors import ReportUnavailable
from reports.renderers.base import Rendered

NOT_FOUND = ("unknown_report", "unknown_format")


class Crumb(NamedTuple):
    """One step of the way to a page."""

    name: str
    address: str


class ReaderView(AccessMixin, View):
    """A view for people who may carry out ``action``."""

    action: ClassVar[str] = "record.view"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Let nobody in who is signed out or not allowed."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        if any("\0" in part for part in kwargs.values() if isinstance(part, str)):
            return render(request, "404.html", {"refusal": "The address holds a NUL character."}, status=404)
        try:
            require(request.user, self.action)
            return super().dispatch(request, *args, **kwargs)
        except PermissionRefused as refusal:
            return render(request, "403.html", {"refusal": refusal.message}, status=403)
        except ReportUnavailable as refusal:
            return render(request, "404.html", {"refusal": refusal.message}, status=404)
        except ProcurementError as refusal:
            if refusal.code in NOT_FOUND:
                return render(request, "404.html", {"refusal": refusal.message}, status=404)
            raise


def download(rendered: Rendered) -> HttpResponse:
    """Return a file to keep."""
    answer = HttpResponse(rendered.content, content_type=rendered.content_type)
    answer["Content-Disposition"] = f'attachment; filename="{rendered.file_name}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
