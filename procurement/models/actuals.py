"""Measured use: files as they came, the jobs, samples and charges in them, and what they offer as assumptions."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from procurement.models.builds import Build
from procurement.models.quotes import Provider
from procurement.models.records import MONEY, NUMBER, EditableRecord
from procurement.models.workloads import Workload

AMOUNT = {**MONEY, "null": True, "blank": True}


class UsageState(models.TextChoices):
    """Where a file of measured use stands."""

    RECEIVED = "received", "Received"
    IMPORTED = "imported", "Imported"
    REFUSED = "refused", "Refused"
    WITHDRAWN = "withdrawn", "Withdrawn"


class UsageFile(EditableRecord):
    """One file of measured use as it was received; what was read of it can be taken back, the file stays."""

    file = models.FileField(upload_to="usage/")
    file_name = models.CharField(max_length=255)
    content_sha256 = models.CharField(max_length=64)
    source = models.CharField(max_length=500, help_text="where the file comes from")
    time_zone = models.CharField(max_length=60, default="UTC", help_text="zone of times that state no offset")
    build = models.ForeignKey(
        Build, on_delete=models.PROTECT, null=True, blank=True, related_name="usage_files",
        help_text="place of rows that name none",
    )  # fmt: skip
    workload = models.ForeignKey(
        Workload, on_delete=models.PROTECT, null=True, blank=True, related_name="usage_files",
        help_text="workload of every row, whatever it names",
    )  # fmt: skip
    aliases = models.JSONField(default=dict, blank=True, help_text="names in files to codes, by place and workload")
    covers_from = models.DateTimeField(null=True, blank=True, help_text="everything since then is in the file")
    covers_until = models.DateTimeField(null=True, blank=True)
    is_window_stated = models.BooleanField(default=False, editable=False)
    format_key = models.CharField(max_length=30, blank=True)
    state = models.CharField(max_length=10, choices=UsageState, default=UsageState.RECEIVED)
    is_skipping_faulty = models.BooleanField(default=False, help_text="import the good rows of a file with faults")
    rows_read = models.PositiveIntegerField(default=0)
    rows_new = models.PositiveIntegerField(default=0)
    rows_changed = models.PositiveIntegerField(default=0)
    rows_same = models.PositiveIntegerField(default=0)
    rows_held = models.PositiveIntegerField(default=0)
    rows_faulty = models.PositiveIntegerField(default=0)
    rows_left_out = models.PositiveIntegerField(default=0)
    message = models.TextField(blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    imported_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-received_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("content_sha256",), condition=Q(state__in=("received", "imported")), name="usage_file_read_once"
            ),
        )

    def __str__(self) -> str:
        return self.file_name


class UsageRowState(models.TextChoices):
    """What became of rows that are not counted, or not counted for everything."""

    HELD = "held", "Held"
    FAULTY = "faulty", "Faulty"
    LEFT_OUT = "left_out", "Left out"


class UsageRow(models.Model):
    """A row, or rows alike, that is held, faulty or rightly left out, with the reason and what would be right."""

    file = models.ForeignKey(UsageFile, on_delete=models.CASCADE, related_name="rows")
    line = models.PositiveIntegerField(help_text="the first of them")
    count = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=10, choices=UsageRowState)
    code = models.CharField(max_length=40)
    column = models.CharField(max_length=60, blank=True)
    value = models.CharField(max_length=200, blank=True)
    message = models.CharField(max_length=500)
    release = models.CharField(max_length=500, blank=True, help_text="what would be right")

    class Meta:
        ordering = ("file", "line", "id")

    def __str__(self) -> str:
        return f"{self.file} line {self.line}"


class Fact(models.Model):
    """What a file says of a place and a workload; names that are not known yet stay as written."""

    file = models.ForeignKey(UsageFile, on_delete=models.CASCADE, related_name="%(class)ss")
    workload = models.ForeignKey(Workload, on_delete=models.PROTECT, null=True, blank=True, related_name="%(class)ss")
    workload_label = models.CharField(max_length=120, blank=True)

    class Meta:
        abstract = True


class UsageJob(Fact):
    """One job on accelerators."""

    build = models.ForeignKey(Build, on_delete=models.PROTECT, null=True, blank=True, related_name="usage_jobs")
    place_label = models.CharField(max_length=120, blank=True)
    job_id = models.CharField(max_length=60)
    line = models.PositiveIntegerField()
    outcome = models.CharField(max_length=12)
    state = models.CharField(max_length=60)
    accelerators = models.PositiveIntegerField()
    accelerator = models.CharField(max_length=60, blank=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    busy_seconds = models.PositiveIntegerField()

    class Meta:
        ordering = ("started_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("build", "job_id", "started_at"), condition=Q(build__isnull=False), name="job_once_a_build"
            ),
            models.UniqueConstraint(
                fields=("place_label", "job_id", "started_at"), condition=Q(build__isnull=True),
                name="job_once_a_name_of_a_place",
            ),
        )  # fmt: skip
        indexes = (models.Index(fields=("workload", "started_at"), name="usage_job_by_workload"),)

    def __str__(self) -> str:
        return f"job {self.job_id}"


class UsageSample(Fact):
    """How many accelerators worked in an interval."""

    build = models.ForeignKey(Build, on_delete=models.PROTECT, null=True, blank=True, related_name="usage_samples")
    place_label = models.CharField(max_length=120, blank=True)
    line = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    in_use = models.DecimalField(**NUMBER)
    accelerators = models.DecimalField(**NUMBER)
    utilisation = models.DecimalField(**NUMBER)
    step_s = models.DecimalField(**NUMBER)

    class Meta:
        ordering = ("started_at", "id")
        constraints = (
            models.UniqueConstraint(fields=("place_label", "workload_label", "started_at"), name="sample_once_a_start"),
        )

    def __str__(self) -> str:
        return f"{self.place_label} at {self.started_at}"


class UsageCharge(Fact):
    """What one kind of use cost in a month; a later bill of the same month replaces it."""

    provider = models.ForeignKey(
        Provider, on_delete=models.PROTECT, null=True, blank=True, related_name="usage_charges"
    )
    provider_label = models.CharField(max_length=120, blank=True)
    account = models.CharField(max_length=120, blank=True)
    region = models.CharField(max_length=80, blank=True)
    sku = models.CharField(max_length=160, blank=True)
    accelerator = models.CharField(max_length=60, blank=True)
    pricing_category = models.CharField(max_length=40, blank=True)
    commitment_status = models.CharField(max_length=20, blank=True)
    currency = models.CharField(max_length=3)
    month = models.DateField()
    period_start = models.DateField()
    period_end = models.DateField()
    accelerator_hours = models.DecimalField(**NUMBER)
    list_cost = models.DecimalField(**AMOUNT)
    contracted_cost = models.DecimalField(**AMOUNT)
    effective_cost = models.DecimalField(**MONEY)
    billed_cost = models.DecimalField(**AMOUNT)
    unused_commitment_cost = models.DecimalField(**MONEY, default=0)

    class Meta:
        ordering = ("month", "provider_label", "sku")
        constraints = (
            models.UniqueConstraint(
                fields=(
                    "provider_label", "account", "workload_label", "region", "sku", "pricing_category",
                    "commitment_status", "currency", "month",
                ),
                name="charge_once_a_month",
            ),
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.provider_label} {self.sku} {self.month:%Y-%m}"


class OfferState(models.TextChoices):
    """What a person said to an offered assumption."""

    OPEN = "open", "Open"
    ACCEPTED = "accepted", "Accepted"
    DECLINED = "declined", "Declined"
    SUPERSEDED = "superseded", "Superseded"


class UsageOffer(EditableRecord):
    """A measured figure that may replace a planned one; nothing changes until a person accepts it."""

    workload = models.ForeignKey(Workload, on_delete=models.PROTECT, null=True, blank=True, related_name="usage_offers")
    build = models.ForeignKey(Build, on_delete=models.PROTECT, null=True, blank=True, related_name="usage_offers")
    field = models.CharField(max_length=60)
    planned = models.JSONField(null=True, blank=True, help_text="the value on record when it was offered")
    measured = models.JSONField(help_text="the value that would be stored")
    basis = models.JSONField(default=dict, help_text="months, coverage and counts behind it")
    state = models.CharField(max_length=10, choices=OfferState, default=OfferState.OPEN, editable=False)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(workload__isnull=False, build__isnull=True) | Q(workload__isnull=True, build__isnull=False),
                name="offer_for_a_workload_or_a_build",
            ),
            models.UniqueConstraint(
                fields=("workload", "field"), condition=Q(state="open"), name="one_open_offer_a_field_of_a_workload"
            ),
            models.UniqueConstraint(
                fields=("build", "field"), condition=Q(state="open"), name="one_open_offer_a_field_of_a_build"
            ),
        )

    def __str__(self) -> str:
        return f"{self.field} of {self.workload or self.build}"
