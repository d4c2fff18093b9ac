"""The queue of record: jobs and the signs of life of those who work on them."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class JobStatus(models.TextChoices):
    """Where a job stands. `failed` was refused on purpose, `dead` has used up its attempts; both want a person."""

    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    DEAD = "dead", "dead"


class Job(models.Model):
    """One piece of work, written in the transaction of the change that caused it."""

    kind = models.CharField(max_length=60)
    dedupe_key = models.CharField(max_length=200, unique=True, help_text="asked twice with one key, it is one job")
    is_coalescing = models.BooleanField(default=False, help_text="the key is free again as soon as the work begins")
    args = models.JSONField(default=dict)
    status = models.CharField(max_length=10, choices=JobStatus.choices, default=JobStatus.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    owner = models.CharField(max_length=36, blank=True, help_text="who works on it now")
    lease_until = models.DateTimeField(null=True, blank=True)
    run_after = models.DateTimeField(db_default=Now())
    last_error = models.TextField(blank=True)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(null=True, blank=True)
    progress_message = models.CharField(max_length=200, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True, help_text="when a person had seen its alarm")

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=("status", "run_after", "id"), name="job_next_to_run"),
            models.Index(fields=("kind", "-id"), name="job_by_kind"),
        )
        constraints = (
            models.CheckConstraint(condition=models.Q(status__in=JobStatus.values), name="job_status_is_known"),
            models.CheckConstraint(
                condition=models.Q(status=JobStatus.RUNNING, lease_until__isnull=False) & ~models.Q(owner="")
                | ~models.Q(status=JobStatus.RUNNING) & models.Q(lease_until__isnull=True, owner=""),
                name="job_running_has_owner_and_lease",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk} ({self.status})"

    @property
    def is_open(self) -> bool:
        """Whether work on it is still to come."""
        return self.status in {JobStatus.QUEUED, JobStatus.RUNNING}

    @property
    def is_alarming(self) -> bool:
        """Whether it ended badly and nobody has said yet that it was seen."""
        return self.status in {JobStatus.FAILED, JobStatus.DEAD} and self.acknowledged_at is None


class Heartbeat(models.Model):
    """The last sign of life of the worker, the scheduler or a probe."""

    name = models.CharField(max_length=40, primary_key=True)
    beat_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.name} at {self.beat_at:%Y-%m-%d %H:%M:%S}"
