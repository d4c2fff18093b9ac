"""Probes: /livez says that the process answers, /readyz that the service can do its work."""

from django.http import HttpRequest, JsonResponse


def livez(request: HttpRequest) -> JsonResponse:
    """Answer as long as the process lives."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Answer."""
    return JsonResponse({"status": "ok"})
