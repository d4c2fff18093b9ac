"""What the interface remembers of requests: replies by idempotency key, use per minute, evaluations that take long."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class ApiIdempotency(models.Model):
    """The reply to a POST that carried an Idempotency-Key, written in the transaction of its effect."""

    subject = models.CharField(max_length=60, help_text="the token, or the user of a session")
    key = models.CharField(max_length=200)
    path = models.CharField(max_length=500)
    body_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now(), db_index=True)

    class Meta:
        verbose_name_plural = "API idempotency keys"
        constraints = (models.UniqueConstraint(fields=("subject", "key"), name="api_idempotency_key_once"),)

    def __str__(self) -> str:
        return f"{self.subject} {self.key}"


class ApiUsage(models.Model):
    """How many requests a subject made in its current minute; one row a subject."""

    subject = models.CharField(max_length=60, primary_key=True)
    started_at = models.DateTimeField()
    requests = models.PositiveBigIntegerField()

    class Meta:
        verbose_name_plural = "API usage"

    def __str__(self) -> str:
        return f"{self.subject}: {self.requests} since {self.started_at:%H:%M:%S}"


class Evaluation(models.Model):
    """A scenario document that is evaluated by a worker, and its answer."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.JSONField(help_text="the scenario document")
    answer = models.JSONField(null=True, blank=True)
    job = models.ForeignKey("procurement.Job", on_delete=models.SET_NULL, null=True, related_name="+")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), db_index=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"Evaluation {self.pk}"
