"""API tokens and the audit trail."""

import pgtrigger
from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """A hashed, scoped secret; the secret itself is shown once and never stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    key = models.CharField(max_length=20, unique=True, help_text="public part: the user name for Basic")
    secret_sha256 = models.CharField(max_length=64)
    scopes = models.JSONField(default=list, help_text="such as quotes:read, quotes:write, *:read")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.name} ({self.key})"


class AuditEntry(models.Model):
    """Who did what, when and why; appended only, each entry chained to the one before."""

    at = models.DateTimeField(db_index=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    source = models.CharField(max_length=20, help_text="web, api, command or job")
    action = models.CharField(max_length=60)
    record_type = models.CharField(max_length=60)
    record_id = models.CharField(max_length=60)
    record_name = models.CharField(max_length=300)
    reason = models.CharField(max_length=300, blank=True)
    changes = models.JSONField(default=dict, help_text="{field: [before, after]}")
    previous_digest = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "audit entries"
        indexes = (models.Index(fields=("record_type", "record_id"), name="audit_by_record"),)
        triggers = (pgtrigger.Protect(name="audit_append_only", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.action} {self.record_name}"
