"""A new mapping let loose on what is held: rows that it settles become quotes, the others say what still holds them."""

from collections import defaultdict
from collections.abc import Mapping

from django.utils import timezone

from procurement.models import AcceleratorAlias, PriceSheet, SheetRow, SheetRowState, SheetState
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.job_runner import RunningJob
from procurement.services.price_sheet_offers import OfferBook
from procurement.services.price_sheet_publish import publish_rows
from procurement.services.price_sheet_reading import sheet_content, sheet_read
from procurement.services.runs import recompute_request
from providers import Held, QuoteSheet

# what a mapping may settle: a name that was not known, or what followed from not knowing it
MAPPED = frozenset({
    "unknown_accelerator", "unknown_region", "unknown_unit", "unknown_sku", "provider_missing", "count_missing",
    "fraction_unknown", "memory_differs",
})  # fmt: skip


def held_rows_reapply(job: RunningJob, mapping: int) -> None:
    """Read sheets with held rows anew with today's mappings; safe to repeat, since a released row is not held."""
    made = AcceleratorAlias.objects.select_related("created_by").get(pk=mapping)
    by = Actor(user=made.created_by, source="job", reason=f"mapping {made.alias} = {made.accelerator}")
    held = SheetRow.objects.filter(state=SheetRowState.HELD, sheet__state=SheetState.IMPORTED)
    waiting = sorted({row.sheet_id for row in held if MAPPED & {str(one.get("code")) for one in row.reasons}})
    released = 0
    for done, pk in enumerate(waiting):
        job.progress(done, len(waiting), f"{released} rows released")
        released += _reapplied(PriceSheet.objects.select_related("provider").get(pk=pk), by)
    if released:
        recompute_request(by=by, cause=f"{by.reason} released {released} rows")
    job.progress(len(waiting), len(waiting), f"{released} rows released of {len(waiting)} sheets")


def _reapplied(record: PriceSheet, by: Actor) -> int:
    read = sheet_read(record, sheet_content(record))
    held: dict[int, list[SheetRow]] = defaultdict(list)
    for row in record.rows.filter(state=SheetRowState.HELD).select_for_update().order_by("pk"):
        held[row.line].append(row)
    still = _still_held(held, read)
    lines = read.ready["source_line"]
    settled = read.ready[lines.isin(held.keys()) & ~lines.isin(still)]
    resolved, faults = OfferBook().resolve({str(name): settled[name].tolist() for name in settled.columns})
    contradicted = {fault.line for fault in faults}
    good = resolved.only([place for place, line in enumerate(resolved.lines) if line not in contradicted])
    if good:
        publish_rows(record=record, rows=good, by=by)
    return _released([row for line in sorted(set(good.lines)) for row in held[line]], by)


def _still_held(held: Mapping[int, list[SheetRow]], read: QuoteSheet) -> set[int]:
    """Note what holds each row now, where a mapping settled a part of it; return the lines that stay held."""
    found: dict[int, list[Held]] = defaultdict(list)
    for row in read.held:
        if row.line in held:
            found[row.line].append(row)
    for line, now in found.items():
        for stored, row in zip(held[line], now, strict=False):
            reasons = [{"code": one.code, "message": one.message, "release": one.release} for one in row.reasons]
            if reasons != stored.reasons:
                stored.reasons = reasons
                stored.save(update_fields=["reasons"])
    return set(found)


def _released(rows: list[SheetRow], by: Actor) -> int:
    for row in rows:
        row.state, row.released_by, row.released_at = SheetRowState.RELEASED, by.user, timezone.now()
        row.release_reason = by.reason
        row.save()
        audit_record(by=by, action="sheet_row.release", record=row, changes={"state": ["held", "released"]})
    return len(rows)
