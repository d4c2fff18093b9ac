"""The second job of a sheet: its staged rows become the quotes in force, all of them in one short transaction.

Until that commits nobody sees anything of it and the old prices stay in force; nobody who writes other records waits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.models import ImportReport, PriceSheet, Provider, Quote, ReportKind, SheetState, StagedRow
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.job_runner import RunningJob
from procurement.services.locks import Lock, wait_for
from procurement.services.price_sheet_offers import Resolved
from procurement.services.price_sheet_reading import importer_of, read_request
from procurement.services.price_sheet_staging import mode_of, sheet_counts, stage_rows, staged_clear
from procurement.services.runs import recompute_request

CHANGED_SINCE = (
    "Nothing was imported yet: somebody changed prices that this file speaks of after it was checked, so it was "
    "checked again. Look at the differences and confirm once more."
)
INSERTED = tuple(str(column.column) for column in Quote._meta.concrete_fields if column.column != "id")
COLUMNS = ", ".join(f'"{name}"' for name in INSERTED)

STALE = """
SELECT EXISTS (
    SELECT 1 FROM procurement_stagedrow s LEFT JOIN procurement_quote q ON q.id = s.offer_id
    WHERE s.sheet_id = %(sheet)s AND s.offer_id IS NOT NULL
      AND (q.id IS NULL OR q.version <> s.offer_version OR q.is_current <> (s.outcome <> 'new'))
) OR EXISTS (
    SELECT 1 FROM procurement_stagedrow s JOIN procurement_quote q ON q.row_key = s.row_key AND q.is_current
    WHERE s.sheet_id = %(sheet)s AND s.outcome = 'new'
) OR EXISTS (
    SELECT 1 FROM procurement_stagedrow s JOIN procurement_quote q ON q.code = s.code
    WHERE s.sheet_id = %(sheet)s AND s.outcome = 'new' AND (s.offer_id IS NULL OR q.is_current)
)
"""
LOCK_OFFERS = """
SELECT q.id FROM procurement_quote q JOIN procurement_stagedrow s ON s.offer_id = q.id
WHERE s.sheet_id = %(sheet)s AND s.outcome IN ('changed', 'same') ORDER BY q.id FOR UPDATE OF q
"""
REPLACE = """
UPDATE procurement_quote q SET is_current = false, modified_at = now()
FROM procurement_stagedrow s WHERE s.sheet_id = %(sheet)s AND s.outcome = 'changed' AND s.offer_id = q.id
RETURNING q.id
"""
SET_BY_IMPORT: dict[str, str] = {
    "provider_id": "p.id", "source": "%(source)s",
    "created_by_id": "%(user)s::bigint", "created_at": "now()", "modified_at": "now()", "is_current": "true",
    "is_archived": """CASE WHEN s.outcome = 'changed'
        THEN (SELECT o.is_archived FROM procurement_quote o WHERE o.id = s.offer_id) ELSE false END""",
    "version": "COALESCE(s.offer_version, 0) + 1", "supersedes_id": "s.offer_id",
    "reason": "CASE WHEN s.offer_id IS NULL THEN '' ELSE %(reason)s END",
}  # what the row does not state itself  # fmt: skip


# no join with the quotes: planned while their table is empty, it would read all that is inserted for every row
INSERT = f"""
WITH inserted AS (
    INSERT INTO procurement_quote ({COLUMNS})
    SELECT {", ".join(SET_BY_IMPORT.get(name, f's."{name}"') for name in INSERTED)}
    FROM (
        SELECT * FROM procurement_stagedrow WHERE sheet_id = %(sheet)s AND outcome IN ('new', 'changed') ORDER BY id
    ) s
    JOIN procurement_provider p ON p.code = s.provider_code
    RETURNING id
)
SELECT min(id), max(id), count(*) FROM inserted
"""
SEEN_AGAIN = """
WITH was AS MATERIALIZED (
    SELECT q.id, q.quoted_on, q.sheet_id, q.source_line, s.quoted_on AS seen_on, s.source_line AS seen_line
    FROM procurement_stagedrow s JOIN procurement_quote q ON q.id = s.offer_id
    WHERE s.sheet_id = %(sheet)s AND s.outcome = 'same' AND q.quoted_on < s.quoted_on
)
UPDATE procurement_quote q
SET quoted_on = was.seen_on, sheet_id = %(sheet)s, source_line = was.seen_line, modified_at = now()
FROM was WHERE q.id = was.id
RETURNING q.id, was.quoted_on::text, was.sheet_id, was.source_line
"""


def price_sheet_publish(job: RunningJob, sheet: int) -> None:
    """Put the staged rows of a confirmed sheet in force, all or nothing.

    Safe to repeat: a sheet that is in force already is left as it is. When offers changed since the check, the sheet is
    checked anew; a draft then waits for its person once more, because other differences were confirmed.
    """
    record = PriceSheet.objects.get(pk=sheet)
    if record.state != SheetState.CONFIRMED:
        return
    job.progress(0, 2, f"putting {record.rows_ready:,} prices in force")
    try:
        _publish(record)
    except Overtaken:
        _check_again(record)
        job.progress(2, 2, "prices in force changed meanwhile: it is checked again")
        return
    job.progress(2, 2, f"{record.rows_new} new, {record.rows_changed} changed, {record.rows_same} same")


def publish_rows(*, record: PriceSheet, rows: Resolved, by: Actor) -> list[Quote]:
    """Put single rows of an imported sheet in force, in the caller's transaction; return the offers in force then."""
    stage_rows(record, rows)
    try:
        _put_in_force(record, by)
    except Overtaken as error:
        message = "The offer was changed by somebody else at this moment; look at it and try again."
        raise ProcurementError("conflict", message) from error
    staged_clear(record)
    return list(Quote.objects.filter(code__in=rows.columns["code"], is_current=True))


@dataclass(frozen=True, slots=True)
class Done:
    """What a publication did, as an undo needs to know it."""

    first: int | None
    last: int | None
    count: int
    replaced: list[int]
    seen_again: list[list[Any]]
    providers: list[Provider]

    def restores(self) -> dict[str, Any]:
        """Return the quotes made, the versions they replaced, and what was known of offers that say the same."""
        return {"first": self.first, "last": self.last, "replaced": self.replaced, "seen_again": self.seen_again}


class Overtaken(Exception):
    """Offers changed between the check of a sheet and its publication."""


def _check_again(record: PriceSheet) -> None:
    PriceSheet.objects.filter(pk=record.pk).update(
        state=SheetState.RECEIVED, version=F("version") + 1, preview={**record.preview, "notice": CHANGED_SINCE}
    )
    read_request(record)


def _publish(record: PriceSheet) -> None:
    by = importer_of(record)
    with transaction.atomic():
        done = _put_in_force(record, by)
        if done.count != record.rows_new + record.rows_changed:
            message = f"{done.count} of {record.rows_new + record.rows_changed} rows would have become quotes."
            raise ProcurementError("incomplete", message)
        staged_clear(record)
        record.state = SheetState.IMPORTED
        record.imported_at = timezone.now()
        record.version += 1
        record.save()
        ImportReport.objects.create(
            sheet=record, kind=ReportKind.EXECUTION, is_ok=True, made_by=by.user, counts=sheet_counts(record),
            content={"mode": mode_of(record), "providers_added": [provider.code for provider in done.providers]},
            restores=done.restores(),
        )  # fmt: skip
        _audit(record, by, done.providers)
        if record.rows_new or record.rows_changed:
            recompute_request(by=by, cause=f"prices of {record.file_name}")


def _put_in_force(record: PriceSheet, by: Actor) -> Done:
    """Insert and replace quotes; the locks are those of the offers concerned and of other sheets' publication."""
    values = {
        "sheet": record.pk, "user": by.user.pk if by.user else None,
        "reason": f"re-quoted in {record.file_name}"[:300], "source": record.source,
    }  # fmt: skip
    wait_for(Lock.PRICE_SHEETS)
    with connection.cursor() as cursor:
        cursor.execute(LOCK_OFFERS, values)
        if _is_stale(record):
            raise Overtaken
        providers = _new_providers(record, by)
        cursor.execute(REPLACE, values)
        replaced = [row[0] for row in cursor.fetchall()]
        cursor.execute(INSERT, values)
        first, last, count = cursor.fetchone()
        cursor.execute(SEEN_AGAIN, values)
        return Done(first, last, count, replaced, [list(row) for row in cursor.fetchall()], providers)


def _is_stale(record: PriceSheet) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(STALE, {"sheet": record.pk})
        return bool(cursor.fetchone()[0])


def _new_providers(record: PriceSheet, by: Actor) -> list[Provider]:
    staged = StagedRow.objects.filter(sheet=record).order_by()  # an order would make every row distinct
    named = dict(staged.values_list("provider_code", "provider_name").distinct())
    known = set(Provider.objects.filter(code__in=named).values_list("code", flat=True))
    missing = [Provider(code=code, name=named[code], created_by=by.user) for code in sorted(set(named) - known)]
    return Provider.objects.bulk_create(missing)


def _audit(record: PriceSheet, by: Actor, providers: Sequence[Provider]) -> None:
    """Write to the audit trail last: whoever writes to it makes all others wait until the commit."""
    for provider in providers:
        audit_record(by=by, action="provider.create", record=provider, changes={"name": [None, provider.name]})
    changes = {f"rows_{name}": [None, count] for name, count in sheet_counts(record).items()}
    audit_record(by=by, action="price_sheet.import", record=record, changes=changes)
