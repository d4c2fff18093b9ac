"""Takes an import back: the versions in force before are in force again, and what the import made stays readable."""

from typing import Any

from django.db import connection, transaction

from procurement.errors import ProcurementError
from procurement.models import Decision, DecisionState, ImportReport, PriceSheet, Quote, ReportKind, SheetState
from procurement.permissions import require
from procurement.selectors.option_names import option_parts
from procurement.services.actors import Actor, reason_required
from procurement.services.audit import audit_record
from procurement.services.locks import Lock, wait_for
from procurement.services.price_sheet_publish import COLUMNS, INSERTED
from procurement.services.runs import recompute_request

NAMED = 5  # offers named in a refusal
OURS = "sheet_id = %(sheet)s AND id BETWEEN %(first)s AND %(last)s"
WITHDRAW = f"UPDATE procurement_quote SET is_current = false, modified_at = now() WHERE {OURS}"
SET_ANEW: dict[str | None, str] = {
    "version": "ours.version + 1", "supersedes_id": "ours.id", "is_current": "true", "is_archived": "ours.is_archived",
    "created_at": "now()", "modified_at": "now()", "created_by_id": "%(user)s::bigint", "reason": "%(reason)s",
}  # fmt: skip
RESTORE = f"""
INSERT INTO procurement_quote ({COLUMNS})
SELECT {", ".join(SET_ANEW.get(name, f'old."{name}"') for name in INSERTED)}
FROM procurement_quote ours JOIN procurement_quote old ON old.id = ours.supersedes_id
WHERE ours.sheet_id = %(sheet)s AND ours.id BETWEEN %(first)s AND %(last)s AND old.id = ANY(%(replaced)s)
"""


def price_sheet_undo(*, by: Actor, sheet: PriceSheet, version: int) -> PriceSheet:
    """Take an import back, all or nothing; repeating it changes nothing.

    New offers go out of force; of changed ones the version before is put in force again, as a version of its own. The
    rows of the import and their history stay. Refuses when something newer rests on one of its prices.
    """
    require(by.user, "quote.edit")
    reason_required(by, "why the import is taken back")
    with transaction.atomic():
        wait_for(Lock.PRICE_SHEETS)
        locked = PriceSheet.objects.select_for_update().get(pk=sheet.pk)
        if locked.state == SheetState.UNDONE:
            return locked
        report = locked.reports.filter(kind=ReportKind.EXECUTION).first()
        if locked.state != SheetState.IMPORTED or report is None:
            message = f"{locked} cannot be undone: it is {locked.get_state_display().lower()}."
            raise ProcurementError("not_undoable", message)
        quotes = _quotes_of(locked, report)
        _refuse_what_rests_on_it(locked, report, quotes)
        restored = _take_back(locked, report, quotes, by)
        locked.state = SheetState.UNDONE
        locked.version = max(locked.version, version) + 1
        locked.save()
        _note(locked, by, {"withdrawn": len(quotes), "restored": restored})
    return locked


def _quotes_of(sheet: PriceSheet, report: ImportReport) -> list[Quote]:
    first, last = report.restores.get("first"), report.restores.get("last")
    if first is None:
        return []
    return list(Quote.objects.select_for_update().filter(sheet=sheet, pk__range=(first, last)).order_by("pk"))


def _refuse_what_rests_on_it(sheet: PriceSheet, report: ImportReport, quotes: list[Quote]) -> None:
    newer = [quote.code for quote in quotes if not quote.is_current]
    if newer:
        raise _refusal(sheet, f"{_some(newer)} has a newer version that rests on this import", "withdraw those first")
    again = {row[0] for row in report.restores.get("seen_again", ())}
    moved = Quote.objects.filter(pk__in=again).exclude(sheet=sheet, is_current=True)
    codes = sorted(set(moved.values_list("code", flat=True)))
    if codes:
        raise _refusal(sheet, f"{_some(codes)} was quoted again since", "undo the newer import first")
    decided = _decided_on({quote.code for quote in quotes})
    if decided:
        raise _refusal(sheet, f"the decision {decided} rests on it", "withdraw the decision first")


def _refusal(sheet: PriceSheet, why: str, way_out: str) -> ProcurementError:
    return ProcurementError("not_undoable", f"The import of {sheet} cannot be undone: {why}; {way_out}.")


def _some(codes: list[str]) -> str:
    more = f" and {len(codes) - NAMED} more" if len(codes) > NAMED else ""
    return f"`{'`, `'.join(codes[:NAMED])}`{more}"


def _decided_on(codes: set[str]) -> str:
    """Return the first open or approved decision whose option names one of the offers."""
    open_states = (DecisionState.PROPOSED, DecisionState.APPROVED)
    for decision in Decision.objects.filter(state__in=open_states).only("code", "option"):
        if option_parts(decision.option).quote in codes:
            return decision.code
    return ""


def _take_back(sheet: PriceSheet, report: ImportReport, quotes: list[Quote], by: Actor) -> int:
    values: dict[str, Any] = {
        "sheet": sheet.pk, "first": report.restores.get("first"), "last": report.restores.get("last"),
        "user": by.user.pk if by.user else None, "reason": f"import of {sheet.file_name} undone"[:300],
    }  # fmt: skip
    restored = 0
    with connection.cursor() as cursor:
        if quotes:
            cursor.execute(WITHDRAW, values)
            cursor.execute(RESTORE, values | {"replaced": report.restores.get("replaced", [])})
            restored = cursor.rowcount
        for pk, quoted_on, sheet_id, line in report.restores.get("seen_again", ()):
            cursor.execute(
                "UPDATE procurement_quote SET quoted_on = %s, sheet_id = %s, source_line = %s WHERE id = %s",
                [quoted_on, sheet_id, line, pk],
            )
    return restored


def _note(sheet: PriceSheet, by: Actor, counts: dict[str, int]) -> None:
    ImportReport.objects.create(
        sheet=sheet, kind=ReportKind.UNDO, is_ok=True, counts=counts, content={"reason": by.reason}, made_by=by.user
    )
    changes = {name: [None, count] for name, count in counts.items()}
    audit_record(by=by, action="price_sheet.undo", record=sheet, changes=changes)
    if counts["withdrawn"]:
        recompute_request(by=by, cause=f"import of {sheet.file_name} undone")
