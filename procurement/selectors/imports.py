"""Reads of imports: the job at work, rows by what becomes of them, kept profiles, reports."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet

from procurement.models import (
    ImportProfile,
    ImportReport,
    Job,
    PriceSheet,
    SheetRow,
    SheetRowState,
    SheetState,
    StagedRow,
    TypedCell,
)

DRAFTS = (SheetState.RECEIVED, SheetState.MATCHING, SheetState.CHECKED, SheetState.CONFIRMED)
WAITING = (SheetState.RECEIVED, SheetState.CONFIRMED)


def import_job(sheet: PriceSheet) -> Job | None:
    """Return the newest job that reads or publishes a sheet."""
    wanted = Q()
    for kind in ("price_sheet_import", "price_sheet_publish"):
        key = f"{kind}:{sheet.pk}"
        wanted |= Q(dedupe_key=key) | Q(dedupe_key__startswith=f"{key}#")
    return Job.objects.filter(wanted).order_by("-pk").first()


def drafts_open() -> QuerySet[PriceSheet]:
    """Return drafts that wait for a person, newest first."""
    open_states = (SheetState.MATCHING, SheetState.CHECKED)
    return PriceSheet.objects.filter(is_draft=True, state__in=open_states).select_related("provider", "received_by")


def bad_rows(sheet: PriceSheet, state: str) -> QuerySet[SheetRow]:
    """Return faulty or held rows of a sheet by line."""
    return sheet.rows.filter(state=state).order_by("line", "pk")


def rows_with_cell(sheet: PriceSheet, header: str, value: str) -> list[int]:
    """Return the lines of held and faulty rows whose cell under a header holds exactly a value."""
    rows = sheet.rows.filter(state__in=(SheetRowState.FAULTY, SheetRowState.HELD), raw__contains={header: value})
    return list(rows.values_list("line", flat=True))


def typed_cells(sheet: PriceSheet, user: Any) -> list[TypedCell]:
    """Return what a person has typed in a draft and not sent."""
    return list(TypedCell.objects.filter(sheet=sheet, typed_by=user))


def cells_now(sheet: PriceSheet, lines: set[int]) -> dict[tuple[int, str], str]:
    """Return what stands in the cells of some lines now: all of a held or faulty row, of others what was mended."""
    found = {(one.line, one.column): one.value for one in sheet.corrections.filter(line__in=lines).order_by("pk")}
    states = (SheetRowState.FAULTY, SheetRowState.HELD)
    for row in sheet.rows.filter(state__in=states, line__in=lines):
        found |= {(row.line, column): str(value) for column, value in row.raw.items()}
    return found


def staged_rows(sheet: PriceSheet, outcomes: tuple[str, ...]) -> QuerySet[StagedRow]:
    """Return checked rows that would have one of the outcomes, by line."""
    return sheet.staged.filter(outcome__in=outcomes).order_by("source_line", "pk")


def profile_for(sheet: PriceSheet, digest: str) -> ImportProfile | None:
    """Return the profile that was last used for such headers, of the same supplier if there is one."""
    found = ImportProfile.objects.filter(headers_digest=digest).select_related("provider", "used_by")
    return found.filter(provider=sheet.provider).first() or found.first()


def profiles_all() -> QuerySet[ImportProfile]:
    """Return all kept profiles, those used last first."""
    return ImportProfile.objects.select_related("provider", "used_by")


def reports_of(sheet: PriceSheet) -> QuerySet[ImportReport]:
    """Return the reports of a sheet, newest first."""
    return sheet.reports.select_related("made_by")


def differences_of(sheet: PriceSheet) -> Iterator[dict[str, Any]]:
    """Yield each changed column of each row that would be, or became, another version."""
    report = sheet.reports.filter(kind="validation").first()
    for change in report.content["changes"] if report else ():
        for column, (was, now) in change["values"].items():
            yield {"line": change["line"], "quote": change["quote"], "column": column, "in_force": was, "new": now}
