"""Leaving a subscription: a page on GET, which link scanners may open; only POST unsubscribes, without signing in."""

from typing import Any, ClassVar

from django.http import HttpResponse
from django.shortcuts import render
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from procurement.errors import ProcurementError
from reports.message import read_unsubscribe_token
from reports.models import ReportSubscription
from reports.services import recipient_leave, recipient_return


class UnsubscribeView(APIView):
    """One click for mail programs (RFC 8058), one button for people; the signed token is the permission."""

    schema = None
    authentication_classes: ClassVar[list[Any]] = []
    permission_classes: ClassVar[list[Any]] = [AllowAny]
    throttle_classes: ClassVar[list[Any]] = []

    def get(self, request: Request, token: str) -> HttpResponse:
        """Show what would be left."""
        return self._page(request, token, state="ask")

    def post(self, request: Request, token: str) -> HttpResponse:
        """Leave, or come back when the button for that was pressed; repeating it changes nothing."""
        try:
            subscription_id, recipient = read_unsubscribe_token(token)
        except ProcurementError as refusal:
            return self._refused(request, refusal)
        if request._request.POST.get("again") == "yes":
            recipient_return(subscription_id=subscription_id, recipient=recipient)
            return self._page(request, token, state="back")
        recipient_leave(subscription_id=subscription_id, recipient=recipient)
        return self._page(request, token, state="left")

    def _page(self, request: Request, token: str, state: str) -> HttpResponse:
        try:
            subscription_id, recipient = read_unsubscribe_token(token)
        except ProcurementError as refusal:
            return self._refused(request, refusal)
        subscription = ReportSubscription.objects.filter(pk=subscription_id).first()
        context = {"subscription": subscription, "recipient": recipient, "state": state}
        return render(request._request, "reports/unsubscribe.html", context)

    def _refused(self, request: Request, refusal: ProcurementError) -> HttpResponse:
        return render(request._request, "404.html", {"refusal": refusal.message}, status=404)
