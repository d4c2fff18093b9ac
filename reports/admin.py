"""Subscriptions, slots and messages for administrators: to look at; people change them on their pages."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from reports.models import OptOut, OutboxMessage, ReportSlot, ReportSubscription


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    """Shows records; changes go through the services, which check and keep history."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: there is a page for it."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: there is a page for it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: what was sent stays on record."""
        return False


@admin.register(ReportSubscription)
class ReportSubscriptionAdmin(ReadOnlyAdmin):
    """Who gets which report."""

    list_display = ("name", "report", "owner", "time", "time_zone", "is_active", "is_archived")
    list_filter = ("report", "is_active", "is_archived")
    search_fields = ("name",)


@admin.register(ReportSlot)
class ReportSlotAdmin(ReadOnlyAdmin):
    """What became of each slot."""

    list_display = ("subscription", "slot_at", "state", "run", "attempts", "message")
    list_filter = ("state",)
    list_select_related = ("subscription", "run")


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    """What became of each message."""

    list_display = ("subject", "recipient", "kind", "state", "attempts", "created_at", "sent_at")
    list_filter = ("state", "kind")
    exclude = ("content",)
    search_fields = ("recipient", "subject", "message_id")


@admin.register(OptOut)
class OptOutAdmin(ReadOnlyAdmin):
    """Who left by themselves."""

    list_display = ("recipient", "subscription", "at")
    list_select_related = ("subscription",)
