"""What an import keeps beside the quotes: staged rows, corrected cells, reports, and how a supplier's columns read."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from procurement.models.builds import Build
from procurement.models.quotes import OfferTerms, PriceSheet, Provider, Quote
from procurement.models.records import EditableRecord


class RowOutcome(models.TextChoices):
    """What a ready row does to the offers in force."""

    NEW = "new", "New offer"
    CHANGED = "changed", "New version"
    SAME = "same", "Same as in force"
    OLDER = "older", "Older than in force"


class StagedRow(OfferTerms):
    """One checked row that waits to become a quote; nobody but the import of its sheet sees it.

    It holds every column as the quote will hold it, and no index or constraint that only a quote in force needs.
    """

    sheet = models.ForeignKey(PriceSheet, on_delete=models.CASCADE, related_name="staged")
    outcome = models.CharField(max_length=10, choices=RowOutcome)
    provider_code = models.CharField(max_length=60)
    provider_name = models.CharField(max_length=120)
    row_key = models.CharField(max_length=500)
    ranges = models.JSONField(default=dict)
    cluster = models.ForeignKey(
        Build, on_delete=models.DO_NOTHING, null=True, db_constraint=False, db_index=False, related_name="+"
    )
    offer = models.ForeignKey(
        Quote, on_delete=models.DO_NOTHING, null=True, db_constraint=False, db_index=False, related_name="+"
    )
    offer_version = models.PositiveIntegerField(null=True, help_text="of the offer in force that it was compared with")
    differences = models.JSONField(default=dict, help_text="column to value in force and value of the row")

    class Meta:
        ordering = ("sheet", "source_line", "id")
        indexes = (models.Index(fields=("sheet", "outcome", "source_line"), name="staged_row_by_outcome"),)

    def __str__(self) -> str:
        return f"{self.sheet} line {self.source_line}: {self.outcome}"


class CellCorrection(models.Model):
    """A cell of a draft that a person changed; the newest of a cell counts, and the older ones stay."""

    sheet = models.ForeignKey(PriceSheet, on_delete=models.CASCADE, related_name="corrections")
    line = models.PositiveIntegerField()
    column = models.CharField(max_length=300, help_text="header of the cell, as the file writes it")
    was = models.TextField(blank=True)
    value = models.TextField(blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("sheet", "id")

    def __str__(self) -> str:
        return f"{self.sheet} line {self.line}, {self.column}: {self.was} -> {self.value}"


class TypedCell(models.Model):
    """A cell that a person has typed in the grid of a draft and not sent; nobody else sees it, and nothing reads it."""

    sheet = models.ForeignKey(PriceSheet, on_delete=models.CASCADE, related_name="typed")
    typed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    line = models.PositiveIntegerField()
    column = models.CharField(max_length=300, help_text="header of the cell, as the file writes it")
    was = models.TextField(blank=True, help_text="what stood there when it was typed")
    value = models.TextField(blank=True)
    typed_at = models.DateTimeField()

    class Meta:
        ordering = ("line", "id")
        constraints = (
            models.UniqueConstraint(fields=("sheet", "typed_by", "line", "column"), name="cell_typed_once_by_a_person"),
        )

    def __str__(self) -> str:
        return f"{self.sheet} line {self.line}, {self.column}: {self.value}"


class ReportKind(models.TextChoices):
    """What a report is of."""

    VALIDATION = "validation", "Validation"
    EXECUTION = "execution", "Execution"
    UNDO = "undo", "Undo"


class ImportReport(models.Model):
    """What a validation found, or what an execution or undo did; never edited."""

    sheet = models.ForeignKey(PriceSheet, on_delete=models.CASCADE, related_name="reports")
    kind = models.CharField(max_length=12, choices=ReportKind)
    is_ok = models.BooleanField(help_text="a validation that may be executed, an execution that was carried out")
    counts = models.JSONField(default=dict)
    content = models.JSONField(default=dict, help_text="faults, held rows, differences and notes")
    restores = models.JSONField(default=dict, blank=True, help_text="what an undo needs to know")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.sheet}"


class ImportProfile(EditableRecord):
    """How the columns of one supplier's sheet are read; kept when it is used, offered for the next one."""

    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, null=True, blank=True, related_name="profiles")
    headers = models.JSONField(default=list, help_text="headers of the sheet that it was made for")
    headers_digest = models.CharField(max_length=64, db_index=True)
    profile = models.JSONField(help_text="columns, constants, words, decimal sign, order of dates, divisor")
    decimal = models.CharField(max_length=1, blank=True)
    zone = models.CharField(max_length=60, blank=True)
    used_at = models.DateTimeField(auto_now=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("-used_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=("provider", "headers_digest"), name="profile_once_for_supplier"),
            models.UniqueConstraint(
                fields=("headers_digest",), condition=Q(provider__isnull=True), name="profile_once_for_headers"
            ),
        )

    def __str__(self) -> str:
        return f"columns of {self.provider or 'any supplier'}"
