"""A limit of requests a minute for each token or user, counted in the database over all processes."""

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from procurement.models import ApiToken
from procurement.services.api_requests import usage_count

WINDOW_SECONDS = 60


def subject_of(request: Request) -> str:
    """Return whose limit and whose idempotency keys a request uses."""
    if isinstance(request.auth, ApiToken):
        return f"token:{request.auth.key}"
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    return "anonymous"


class SubjectThrottle(BaseThrottle):
    """Counts every request of somebody known; nobody unknown gets past the login anyway."""

    wait_seconds = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request and tell whether it is within the limit."""
        subject = subject_of(request)
        if subject == "anonymous":
            return True
        limit = settings.API_REQUESTS_PER_MINUTE
        used = usage_count(subject=subject, window_seconds=WINDOW_SECONDS)
        self.wait_seconds = used.seconds_left
        view.rate_headers = {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(max(limit - used.requests, 0)),
            "X-RateLimit-Reset": str(max(1, round(used.seconds_left))),
        }
        return used.requests <= limit

    def wait(self) -> float:
        """Return the seconds until the window ends."""
        return self.wait_seconds
