"""Pages of subscriptions and of what was delivered."""

from email import message_from_bytes, policy
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from procurement.errors import ProcurementError, VersionConflict
from procurement.permissions import can, require
from reports.forms import SubscriptionForm
from reports.mail import make_issue, report_letter
from reports.message import MOST_BYTES
from reports.models import OptOut, OutboxMessage, ReportSlot, ReportSubscription
from reports.outbox import message_acknowledge, message_resend
from reports.schedule import schedule_words, slots_next, zone_of
from reports.selectors import (
    messages_log,
    run_finished,
    slots_alarming,
    slots_of,
    subscriptions_all,
)
from reports.services import (
    slot_acknowledge,
    subscription_archive,
    subscription_create,
    subscription_update,
)
from reports.slots import trial_message
from reports.tasks import nudge_delivery
from reports.views.access import Crumb, ReaderView

NEXT_SHOWN = 3
LOG_SHOWN = 200
PARTS = {"html": "text/html", "text": "text/plain"}


class SubscriptionListView(ReaderView):
    """All subscriptions with when they are due next."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the list."""
        context = {
            "entries": [_entry(subscription) for subscription in subscriptions_all()],
            "may_edit": can(request.user, "subscription.edit"),
            "crumbs": [_reports_crumb()],
        }
        return render(request, "reports/subscriptions.html", context)


class SubscriptionCreateView(ReaderView):
    """A new subscription."""

    action = "subscription.edit"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show an empty form, with the person's own address and the report that was asked for."""
        initial = {
            "recipients": request.user.email, "time": "08:00", "days": ["mon"], "time_zone": "UTC",
            "report": request.GET.get("report", "recommendations"),
        }  # fmt: skip
        return _form_page(request, SubscriptionForm(initial=initial), None)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Store it."""
        form = SubscriptionForm(request.POST)
        if form.is_valid():
            try:
                stored = subscription_create(user=request.user, values=form.values(), source="web")
                messages.success(request, f"{stored} is stored.")
                return redirect("reports:subscription", stored.pk)
            except ProcurementError as refusal:
                form.take_refusal(refusal.fields, refusal.message)
        return _form_page(request, form, None, status=422)


class SubscriptionUpdateView(ReaderView):
    """One subscription: what it sends, to whom, when, and what became of it."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show it."""
        subscription = _subscription(pk)
        initial = SubscriptionForm.initial_of(subscription)
        return _form_page(request, SubscriptionForm(initial=initial), subscription)

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Change it; two people at once are shown both values."""
        require(request.user, "subscription.edit")
        subscription = _subscription(pk)
        form = SubscriptionForm(request.POST)
        conflict = None
        if form.is_valid():
            try:
                subscription_update(
                    user=request.user, subscription=subscription, version=form.cleaned_data["version"],
                    values=form.values(), source="web",
                )  # fmt: skip
                messages.success(request, f"{subscription} is changed.")
                return redirect("reports:subscription", pk)
            except VersionConflict as refusal:
                conflict = refusal
                form.data = form.data.copy()
                form.data["version"] = refusal.current_version
            except ProcurementError as refusal:
                form.take_refusal(refusal.fields, refusal.message)
        return _form_page(request, form, subscription, status=409 if conflict else 422, conflict=conflict)


class SubscriptionArchiveView(ReaderView):
    """Take a subscription out of use."""

    action = "subscription.edit"

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Archive it, or with ``?restore=1`` bring it back; a second press of the same button changes nothing."""
        subscription = get_object_or_404(ReportSubscription, pk=pk)
        is_archived = request.GET.get("restore") != "1"
        if subscription.is_archived == is_archived:
            return redirect("reports:subscriptions")
        subscription_archive(
            user=request.user, subscription=subscription, version=subscription.version, source="web",
            is_archived=is_archived,
        )  # fmt: skip
        undo = f"undo:{reverse('reports:subscription_archive', args=[pk])}?restore=1" if is_archived else ""
        verb = "archived" if is_archived else "in use again"
        messages.success(request, f"{subscription} is {verb}.", extra_tags=undo)
        return redirect("reports:subscriptions")


class SubscriptionTestView(ReaderView):
    """Send the report of now to oneself."""

    action = "subscription.edit"

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Write a test message; the real ones are untouched."""
        subscription = _subscription(pk)
        try:
            message = trial_message(subscription=subscription, user=request.user)
            nudge_delivery(message.pk)
            messages.success(request, f"A test is on its way to {message.recipient}.")
        except ProcurementError as refusal:
            messages.error(request, refusal.message)
        return redirect("reports:subscription", pk)


class SubscriptionPreviewView(ReaderView):
    """What the next mail would say, as it would look; nothing is stored."""

    def get(self, request: HttpRequest, pk: int, part: str) -> HttpResponse:
        """Return one part of the letter."""
        subscription = _subscription(pk)
        letter = report_letter(subscription, make_issue(subscription, run_finished(), timezone.now(), None))
        return _part({"html": letter.html, "text": letter.text}, part)


class DeliveryListView(ReaderView):
    """What was sent to whom, and what needs a person."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the log, newest first."""
        chosen = request.GET.get("subscription", "")
        subscription = ReportSubscription.objects.filter(pk=chosen).first() if chosen.isdecimal() else None
        context = {
            "log": messages_log(subscription)[:LOG_SHOWN],
            "limit": LOG_SHOWN,
            "slots": slots_alarming()[:LOG_SHOWN],
            "subscription": subscription,
            "may_edit": can(request.user, "subscription.edit"),
            "crumbs": [_reports_crumb()],
        }
        return render(request, "reports/deliveries.html", context)


class DeliveryCopyView(ReaderView):
    """The exact copy of a message."""

    def get(self, request: HttpRequest, pk: int, part: str) -> HttpResponse:
        """Return the HTML, the text, or the whole message as a file."""
        message = get_object_or_404(OutboxMessage, pk=pk)
        if part == "eml":
            answer = HttpResponse(message.frozen, content_type="message/rfc822")
            answer["Content-Disposition"] = f'attachment; filename="message-{pk}.eml"'
            return answer
        parsed = message_from_bytes(message.frozen, policy=policy.default)
        parts = {"html": parsed.get_body(("html",)), "text": parsed.get_body(("plain",))}
        return _part({name: body.get_content() if body else "" for name, body in parts.items()}, part)


class DeliveryResendView(ReaderView):
    """Send an uncertain or failed message again."""

    action = "subscription.edit"

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Put it back into the queue, with the same message id."""
        message = get_object_or_404(OutboxMessage.objects.defer("content"), pk=pk)
        try:
            message_resend(message=message, user=request.user, reason=_sent(request, "reason")[:200])
            nudge_delivery(pk)
            messages.success(request, f"The message to {message.recipient} is sent again.")
        except ProcurementError as refusal:
            messages.error(request, refusal.message)
        return redirect("reports:deliveries")


class DeliverySeenView(ReaderView):
    """Note that an alarm was seen."""

    action = "subscription.edit"

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Quiet the alarm."""
        message_acknowledge(message=get_object_or_404(OutboxMessage.objects.defer("content"), pk=pk), user=request.user)
        return redirect("reports:deliveries")


class SlotSeenView(ReaderView):
    """Note that a missed or failed slot was seen."""

    action = "subscription.edit"

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Quiet the alarm."""
        slot_acknowledge(slot=get_object_or_404(ReportSlot, pk=pk), user=request.user)
        return redirect("reports:deliveries")


def _sent(request: HttpRequest, name: str) -> str:
    """Return what was sent with a button, without what no database can hold."""
    return request.POST.get(name, "").replace("\0", "").strip()


def _subscription(pk: int) -> ReportSubscription:
    return get_object_or_404(ReportSubscription.objects.select_related("owner"), pk=pk, is_archived=False)


def _reports_crumb() -> Crumb:
    return Crumb("Reports", reverse("reports:index"))


def _entry(subscription: ReportSubscription) -> dict[str, Any]:
    zone = zone_of(subscription.time_zone)
    upcoming = slots_next(
        days=subscription.days, at=subscription.time, zone=zone, after=timezone.now(), count=NEXT_SHOWN
    )
    return {
        "subscription": subscription,
        "words": schedule_words(subscription.days, subscription.time, subscription.time_zone),
        "next": [slot.astimezone(zone).strftime("%a %d %b %Y, %H:%M") for slot in upcoming],
        "zone": subscription.time_zone,
        "last": messages_log(subscription).first(),
    }


def _form_page(
    request: HttpRequest, form: SubscriptionForm, subscription: ReportSubscription | None, *, status: int = 200,
    conflict: VersionConflict | None = None,
) -> HttpResponse:  # fmt: skip
    context: dict[str, Any] = {
        "form": form,
        "subscription": subscription,
        "may_edit": can(request.user, "subscription.edit"),
        "conflict": conflict,
        "crumbs": [_reports_crumb(), Crumb("Subscriptions", reverse("reports:subscriptions"))],
    }
    if subscription is not None:
        context |= _entry(subscription) | {
            "log": messages_log(subscription)[:10],
            "slots": slots_of(subscription)[:10],
            "left": OptOut.objects.filter(subscription=subscription),
            "preview": _preview(subscription),
        }
    return render(request, "reports/subscription.html", context, status=status)


def _preview(subscription: ReportSubscription) -> dict[str, Any]:
    try:
        letter = report_letter(subscription, make_issue(subscription, run_finished(), timezone.now(), None))
    except ProcurementError as refusal:
        return {"fault": refusal.message}
    kilobytes = -(-len(letter.html.encode()) // 1024)
    return {"subject": letter.subject, "size": kilobytes, "limit": MOST_BYTES // 1024}


def _part(parts: dict[str, str], part: str) -> HttpResponse:
    if part not in parts:
        raise Http404(f"There is no part `{part[:20]}`; the parts are {', '.join(PARTS)}.")
    answer = HttpResponse(parts[part], content_type=f"{PARTS[part]}; charset=utf-8")
    answer["X-Frame-Options"] = "SAMEORIGIN"
    answer["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
    return answer
