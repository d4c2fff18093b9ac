"""Providers, their price sheets and the quotes read from them."""

import pghistory
from django.conf import settings
from django.db import models
from django.db.models import F, Q

from procurement import choices
from procurement.models.records import MONEY, NUMBER, EditableRecord, RangedRecord, known_time_zone


@pghistory.track()
class Provider(EditableRecord):
    """Somebody who sells capacity."""

    code = models.SlugField(max_length=60, unique=True, help_text="short name used in files and the API")
    name = models.CharField(max_length=120)
    website = models.URLField(blank=True)
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class SheetState(models.TextChoices):
    """Where a price sheet stands."""

    RECEIVED = "received", "Received"
    MATCHING = "matching", "Columns to match"
    CHECKED = "checked", "Checked, to be confirmed"
    CONFIRMED = "confirmed", "Being imported"
    IMPORTED = "imported", "Imported"
    REFUSED = "refused", "Refused"
    UNDONE = "undone", "Undone"
    DISCARDED = "discarded", "Discarded"


class PriceSheet(models.Model):
    """One file of prices as it was received, and its import; the file is never edited.

    A draft waits for a person after it was checked; any other sheet is imported as soon as it may be. ``version`` rises
    with each thing that a person changes of a draft.
    """

    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, null=True, blank=True)
    file = models.FileField(upload_to="price_sheets/")
    file_name = models.CharField(max_length=255)
    content_sha256 = models.CharField(max_length=64)
    source = models.CharField(max_length=500, help_text="where the file comes from")
    observed_on = models.DateField(help_text="day the prices were true")
    currency = models.CharField(max_length=3, blank=True, help_text="for formats that state none")
    format_key = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=12, choices=SheetState, default=SheetState.RECEIVED)
    is_skipping_faulty = models.BooleanField(default=False, help_text="import the good rows of a sheet with faults")
    is_draft = models.BooleanField(default=False, help_text="checked only, until a person confirms")
    version = models.PositiveIntegerField(default=1, editable=False)
    decimal = models.CharField(max_length=1, blank=True, help_text="decimal sign; empty while nobody said")
    zone = models.CharField(max_length=60, blank=True, help_text="time zone of the days in the file, as Europe/Berlin")
    profile = models.JSONField(null=True, blank=True, help_text="matched columns of a sheet of no known format")
    preview = models.JSONField(default=dict, blank=True, help_text="headers, samples and guesses to match columns by")
    rows_read = models.PositiveIntegerField(default=0)
    rows_ready = models.PositiveIntegerField(default=0)
    rows_new = models.PositiveIntegerField(default=0)
    rows_changed = models.PositiveIntegerField(default=0)
    rows_same = models.PositiveIntegerField(default=0)
    rows_held = models.PositiveIntegerField(default=0)
    rows_faulty = models.PositiveIntegerField(default=0)
    rows_conflict = models.PositiveIntegerField(default=0, help_text="held or faulty because they contradict others")
    message = models.TextField(blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    received_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    imported_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-received_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("content_sha256", "file_name", "observed_on"), name="price_sheet_received_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.file_name} of {self.observed_on}"


class SheetRowState(models.TextChoices):
    """What became of a row that could not be priced."""

    HELD = "held", "Held"
    FAULTY = "faulty", "Faulty"
    RELEASED = "released", "Released"


class SheetRow(models.Model):
    """A row of a sheet that is held or faulty, with its raw values and the reasons."""

    sheet = models.ForeignKey(PriceSheet, on_delete=models.CASCADE, related_name="rows")
    line = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=SheetRowState)
    raw = models.JSONField(default=dict)
    values = models.JSONField(default=dict, blank=True, help_text="what was read, in quote columns")
    reasons = models.JSONField(default=list, help_text="code, column, value, message and release of each reason")
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    released_at = models.DateTimeField(null=True, blank=True)
    release_reason = models.TextField(blank=True)

    class Meta:
        ordering = ("sheet", "line", "id")

    def __str__(self) -> str:
        return f"{self.sheet} line {self.line}"


class AcceleratorAlias(EditableRecord):
    """A name that a supplier uses for an accelerator, mapped by a person."""

    alias = models.CharField(max_length=120, unique=True)
    accelerator = models.CharField(max_length=60)
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ("alias",)
        verbose_name_plural = "accelerator aliases"

    def __str__(self) -> str:
        return f"{self.alias} = {self.accelerator}"


class OfferTerms(models.Model):
    """What one line of an offer states: the columns that a price sheet fills of a quote."""

    code = models.CharField(max_length=160, help_text="name of the offer; its versions share it")
    sku = models.CharField(max_length=160, blank=True)
    accelerator = models.CharField(max_length=60)
    accelerators_per_node = models.PositiveIntegerField(null=True, blank=True)
    accelerators_per_instance = models.DecimalField(**NUMBER)
    price = models.DecimalField(**MONEY)
    price_basis = models.CharField(max_length=30, choices=choices.price_basis_choices, default="per_accelerator_hour")
    price_hours_per_month = models.DecimalField(**NUMBER)
    currency = models.CharField(max_length=3)
    price_includes_tax = models.BooleanField(default=False)
    purchase_model = models.CharField(max_length=20, choices=choices.purchase_model_choices, default="on_demand")
    term_months = models.PositiveIntegerField(null=True, blank=True)
    upfront = models.DecimalField(max_digits=24, decimal_places=8, default=0)
    payment_option = models.CharField(max_length=10, choices=choices.payment_option_choices, default="none")
    includes = models.JSONField(default=list, blank=True)
    excludes = models.JSONField(default=list, blank=True)
    cluster = models.ForeignKey("procurement.Build", on_delete=models.PROTECT, null=True, blank=True)
    interconnect = models.CharField(max_length=20, choices=choices.interconnect_choices, blank=True)
    fabric = models.CharField(max_length=20, choices=choices.fabric_choices, blank=True)
    network_gbps_per_accelerator = models.DecimalField(**NUMBER)
    measured_allreduce_gbps = models.DecimalField(**NUMBER)
    toll_multiplier = models.DecimalField(**NUMBER)
    measured_runs = models.JSONField(default=list, blank=True)
    region = models.CharField(max_length=80, blank=True)
    quantity_available = models.PositiveIntegerField(null=True, blank=True)
    largest_domain_accelerators = models.PositiveIntegerField(null=True, blank=True)
    min_accelerators = models.PositiveIntegerField(null=True, blank=True)
    min_days = models.PositiveIntegerField(null=True, blank=True)
    max_days = models.PositiveIntegerField(null=True, blank=True)
    quoted_on = models.DateField()
    valid_until = models.DateField(null=True, blank=True)
    earliest_start = models.DateField(null=True, blank=True)
    available_to = models.DateField(null=True, blank=True)
    lead_time_days = models.PositiveIntegerField(null=True, blank=True)
    booking_horizon_days = models.PositiveIntegerField(null=True, blank=True)
    capacity_class = models.CharField(max_length=20, choices=choices.capacity_class_choices, blank=True)
    quota_accelerators = models.PositiveIntegerField(null=True, blank=True)
    monthly_interruption = models.DecimalField(**NUMBER)
    egress_per_gb = models.DecimalField(**NUMBER)
    storage_per_gb_month = models.DecimalField(**NUMBER)
    support_fraction = models.DecimalField(**NUMBER)
    setup_fee = models.DecimalField(max_digits=24, decimal_places=8, default=0)
    exit_fee = models.DecimalField(max_digits=24, decimal_places=8, default=0)
    costs = models.JSONField(default=list, blank=True)
    waived = models.JSONField(default=list, blank=True)
    failures_per_1000_node_days = models.DecimalField(**NUMBER)
    restart_minutes = models.DecimalField(**NUMBER)
    storage_read_gb_s = models.DecimalField(**NUMBER)
    storage_write_gb_s = models.DecimalField(**NUMBER)
    # where it comes from
    zone = models.CharField(max_length=80, blank=True)
    vram_gb = models.DecimalField(**NUMBER)
    form_factor = models.CharField(max_length=30, blank=True)
    os = models.CharField(max_length=60, blank=True)
    licence = models.CharField(max_length=120, blank=True)
    valid_from = models.DateField(null=True, blank=True)
    time_zone = models.CharField(
        max_length=60,
        blank=True,
        validators=[known_time_zone],
        help_text="zone in which the last day ends; empty where that of the assumptions holds",
    )
    source_line = models.PositiveIntegerField(null=True, blank=True)
    flags = models.JSONField(default=list, blank=True, help_text="what a reader should know of the price")
    derivation = models.JSONField(default=dict, blank=True, help_text="raw value, steps and result of the hourly price")
    price_per_accelerator_hour = models.DecimalField(
        **NUMBER, editable=False, help_text="derived from price and basis; empty when it cannot be"
    )

    class Meta:
        abstract = True


class Quote(OfferTerms, RangedRecord):
    """One version of an offer. Versions are appended; the newest that is not superseded is in force."""

    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="quotes")
    sheet = models.ForeignKey(PriceSheet, on_delete=models.PROTECT, null=True, blank=True, related_name="quotes")
    source = models.CharField(max_length=500, help_text="document, page or person it comes from, with its address")
    row_key = models.CharField(
        max_length=500, blank=True, db_index=True, editable=False, help_text="the same offer in another file has it too"
    )
    reason = models.CharField(max_length=300, blank=True, help_text="why this version was made")
    is_current = models.BooleanField(default=True, editable=False, help_text="the version in force")
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by", editable=False
    )

    class Meta:
        ordering = ("provider__name", "accelerator", "code", "-version")
        constraints = (
            models.UniqueConstraint(fields=("code", "version"), name="quote_version_unique"),
            models.UniqueConstraint(fields=("code",), condition=Q(is_current=True), name="quote_one_version_in_force"),
            models.CheckConstraint(
                condition=Q(price__gt=0) | Q(price=0, upfront__gt=0), name="quote_price_or_upfront_positive"
            ),
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gte=F("quoted_on")),
                name="quote_valid_from_quoted_on",
            ),
        )
        indexes = (models.Index(fields=("accelerator", "purchase_model"), name="quote_by_accelerator"),)

    def __str__(self) -> str:
        return f"{self.code} (version {self.version})"
