"""Price sheets, their rows, reports and column profiles as the interface takes and shows them."""

import json
from typing import Any

from rest_framework import serializers

from procurement.api.fields import Choice, Code, Day, DecimalText, Document, Documents, Flag, Text, Whole
from procurement.api.serializers_base import RecordOutput, StrictSerializer
from procurement.models import CellCorrection, ImportProfile, ImportReport, PriceSheet, Provider, Quote, SheetRow
from procurement.services.price_sheets import MAX_FILE_NAME

MODES = (("strict", "one faulty row stops the file"), ("skip_faulty", "faulty rows are left out"))
DECIMALS = ((".", "point"), (",", "comma"))
SHEET_SHOWN = (
    "id", "version", "provider", "file_name", "content_sha256", "source", "observed_on", "currency", "format_key",
    "state", "is_draft", "is_skipping_faulty", "decimal", "zone", "profile", "preview", "rows_read", "rows_ready",
    "rows_new", "rows_changed", "rows_same", "rows_held", "rows_faulty", "rows_conflict", "message", "received_at",
    "received_by", "imported_at",
)  # fmt: skip


class JsonText(Text):
    """A JSON object as text, for forms, which hold texts only."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the object."""
        try:
            found = json.loads(super().to_internal_value(data))
        except ValueError as error:
            raise serializers.ValidationError(f"Should be a JSON object as text: {error}.") from error
        if not isinstance(found, dict):
            raise serializers.ValidationError("Should be a JSON object as text.")
        return found


class PriceSheetInput(StrictSerializer):
    """A file of prices with what the file does not say itself."""

    file = serializers.FileField(
        allow_empty_file=True, max_length=MAX_FILE_NAME, help_text="the price file as it was received"
    )
    observed_on = Day(help_text="day the prices were true")
    source = Text(max_length=500, help_text="where the file comes from, with its address")
    provider = Code(queryset=Provider.objects.all(), required=False, help_text="for formats that name none")
    currency = Text(max_length=3, required=False, help_text="ISO 4217 code for formats that state none")
    format_key = Text(max_length=60, required=False, help_text="the format, where it cannot be told from the file")
    decimal = Choice(choices=DECIMALS, required=False, help_text="decimal sign, where a number could mean two")
    zone = Text(max_length=60, required=False, help_text="time zone of the days in the file, as Europe/Berlin")
    profile = JsonText(max_length=20_000, required=False, help_text="what the columns of a sheet mean, as JSON")
    is_draft = Flag(default=False, help_text="validate only: nothing is in force until it is executed")
    is_skipping_faulty = Flag(default=False, help_text="import the good rows of a sheet with faults")
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class PriceSheetOutput(RecordOutput):
    """A price sheet and what became of its rows."""

    provider = serializers.CharField(source="provider.code", default=None, allow_null=True)
    received_by = serializers.CharField(source="received_by.username", default=None, allow_null=True)
    profile = Document(allow_null=True)
    preview = Document()

    class Meta:
        model = PriceSheet
        fields = SHEET_SHOWN


class ValidateInput(StrictSerializer):
    """What a person says of a draft anew; all its rows are then checked again."""

    currency = Text(max_length=3, required=False, help_text="ISO 4217 code for rows that state none")
    format_key = Text(max_length=60, required=False, help_text="the format")
    decimal = Choice(choices=DECIMALS, required=False, help_text="decimal sign")
    zone = Text(max_length=60, required=False, help_text="time zone of the days, as Europe/Berlin")
    profile = Document(required=False, help_text="what the columns mean; kept for the next sheet of the supplier")
    is_skipping_faulty = Flag(required=False, help_text="leave faulty rows out")
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class ExecuteInput(StrictSerializer):
    """Confirms a draft."""

    mode = Choice(choices=MODES, required=False, help_text="what faulty rows do; as chosen before when left out")
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class UndoInput(StrictSerializer):
    """Takes an import back."""

    reason = Text(max_length=300, help_text="why it is taken back")


class CellInput(StrictSerializer):
    """One cell that is mended."""

    line = Whole(min_value=1, max_value=2_147_483_647, help_text="line of the file, row of a workbook")
    column = Text(max_length=300, help_text="header of the cell, as the file writes it")
    value = Text(max_length=2_000, allow_blank=True, help_text="what shall stand there")


class CorrectionsInput(StrictSerializer):
    """Cells that are mended together."""

    corrections = CellInput(many=True, allow_empty=False)
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class CorrectionOutput(RecordOutput):
    """A cell that somebody mended."""

    made_by = serializers.CharField(source="made_by.username", default=None, allow_null=True)

    class Meta:
        model = CellCorrection
        fields = ("id", "line", "column", "was", "value", "made_by", "made_at")


class ReportLineOutput(RecordOutput):
    """A report of a validation, execution or undo, without its content."""

    made_by = serializers.CharField(source="made_by.username", default=None, allow_null=True)
    counts = Document()

    class Meta:
        model = ImportReport
        fields = ("id", "kind", "is_ok", "counts", "made_by", "made_at")


class ReportOutput(ReportLineOutput):
    """A report with every fault, held row and difference."""

    content = Document()

    class Meta:
        model = ImportReport
        fields = (*ReportLineOutput.Meta.fields, "content")


class ProfileOutput(RecordOutput):
    """How the columns of a supplier's sheet are read."""

    provider = serializers.CharField(source="provider.code", default=None, allow_null=True)
    used_by = serializers.CharField(source="used_by.username", default=None, allow_null=True)
    headers = serializers.ListField(child=serializers.CharField())
    profile = Document()

    class Meta:
        model = ImportProfile
        fields = ("id", "version", "provider", "headers", "profile", "decimal", "zone", "used_at", "used_by")


class SheetRowOutput(RecordOutput):
    """A held, faulty or released row of a sheet, with its raw values and every reason."""

    raw = Document()
    values = Document()
    reasons = Documents()
    released_by = serializers.CharField(source="released_by.username", default=None, allow_null=True)

    class Meta:
        model = SheetRow
        fields = (
            "id", "line", "state", "raw", "values", "reasons", "released_by", "released_at", "release_reason",
        )  # fmt: skip


class ReleaseInput(StrictSerializer):
    """What a person states so that a held row counts as a quote."""

    reason = Text(max_length=300, help_text="why the row may be trusted")
    accelerator = Text(max_length=60, required=False)
    accelerators_per_node = serializers.IntegerField(required=False, min_value=1, max_value=100_000)
    accelerators_per_instance = DecimalText(max_digits=24, decimal_places=8, required=False)
    price = DecimalText(max_digits=24, decimal_places=8, required=False)
    price_basis = serializers.ChoiceField(choices=Quote._meta.get_field("price_basis").choices or (), required=False)
    currency = Text(max_length=3, required=False)
    purchase_model = serializers.ChoiceField(
        choices=Quote._meta.get_field("purchase_model").choices or (), required=False
    )
    term_months = serializers.IntegerField(required=False, min_value=1, max_value=1200)
    region = Text(max_length=80, required=False)
    provider = Text(max_length=60, required=False)
    quoted_on = Day(required=False)


def sheet_options(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options of price_sheet_receive that the values hold."""
    names = (
        "provider", "currency", "format_key", "is_skipping_faulty", "decimal", "zone", "profile", "is_draft",
    )  # fmt: skip
    return {name: values[name] for name in names if values.get(name) not in (None, "")}
