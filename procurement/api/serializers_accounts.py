"""Tokens, jobs and the person who asks, as the interface takes and shows them."""

from typing import Any

from django.contrib.auth.models import User
from rest_framework import serializers

from procurement.api.fields import Document, Text
from procurement.api.serializers_base import RecordOutput, StrictSerializer
from procurement.models import ApiToken, AuditEntry, Job
from procurement.permissions import ACTIONS, can, roles_of
from procurement.services.accounts import SCOPES


class TokenInput(StrictSerializer):
    """A token to be made."""

    name = Text(max_length=80, help_text="what it is for")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES), min_length=1, max_length=len(SCOPES))
    expires_at = serializers.DateTimeField(required=False, allow_null=True, help_text="never, when left out")


class TokenOutput(RecordOutput):
    """A token without its secret."""

    scopes = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = ApiToken
        fields = ("key", "name", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at")


class NewTokenOutput(RecordOutput):
    """A new token; its secret is shown this once."""

    scopes = serializers.ListField(child=serializers.CharField())
    secret = serializers.CharField(help_text="shown once; send it as password, or after the key and a dot as Bearer")

    class Meta:
        model = ApiToken
        fields = (*TokenOutput.Meta.fields, "secret")


class JobOutput(RecordOutput):
    """One piece of work and how far it has come."""

    requested_by = serializers.CharField(source="requested_by.username", default=None, allow_null=True)
    args = Document()
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = (
            "id", "kind", "status", "args", "attempts", "progress", "last_error", "requested_by", "created_at",
            "run_after", "started_at", "finished_at", "acknowledged_at",
        )  # fmt: skip

    def get_progress(self, job: Job) -> dict[str, Any]:
        """Return done, total (null when it is not known) and a message."""
        return {"done": job.progress_done, "total": job.progress_total, "message": job.progress_message}


class HistoryOutput(RecordOutput):
    """Who did what, when and why."""

    user = serializers.CharField(source="user.username", default=None, allow_null=True)
    changes = Document(help_text="{field: [before, after]}")

    class Meta:
        model = AuditEntry
        fields = (
            "id", "at", "user", "source", "action", "record_type", "record_id", "record_name", "reason", "changes",
        )  # fmt: skip


class PersonOutput(serializers.Serializer[User]):
    """The person who asks and what they may do."""

    username = serializers.CharField()
    roles = serializers.SerializerMethodField()
    actions = serializers.SerializerMethodField()
    scopes = serializers.SerializerMethodField()

    def get_roles(self, user: User) -> list[str]:
        """Return the roles held."""
        return sorted(roles_of(user))

    def get_actions(self, user: User) -> list[str]:
        """Return what the roles allow."""
        return sorted(action for action in ACTIONS if can(user, action))

    def get_scopes(self, user: User) -> list[str] | None:
        """Return the scopes of the token; null for a session, which has all."""
        token = self.context["request"].auth
        return token.scopes if isinstance(token, ApiToken) else None
