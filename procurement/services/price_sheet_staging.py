"""Checked rows of a sheet beside the quotes: staged in chunks, seen by nobody, with the report of the check."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import islice, repeat
from typing import Any

import pandas as pd
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models

from procurement.errors import ProcurementError
from procurement.models import ImportReport, PriceSheet, ReportKind, RowOutcome, SheetRow, SheetRowState, StagedRow
from procurement.services.job_runner import RunningJob
from procurement.services.price_sheet_offers import FIELDS, UNSTATED, Column, Columns, OfferBook, Resolved
from providers import Fault, Held, QuoteSheet
from providers.cells import plain

CHUNK = 500  # rows staged at once
CONFLICTS = frozenset({
    "conflicting_price", "id_taken", "offer_named_twice", "price_conflict", "count_price_mismatch", "count_conflict",
    "accelerator_conflict", "form_factor_conflict", "purchase_model_conflict",
})  # fmt: skip
ESCAPED = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})  # of COPY's text format
NULL = "\\N"
# rows that the planner has not counted yet may be joined one by one with all others: many minutes for a long sheet
ANALYZE = "ANALYZE procurement_stagedrow (sheet_id, outcome, offer_id, code, row_key, provider_code)"
STAGED = {column.attname: column for column in FIELDS.values()}


def stage_sheet(*, record: PriceSheet, read: QuoteSheet, raw: Mapping[int, Mapping[str, str]], job: RunningJob) -> None:
    """Replace what is staged of a sheet by what was read, and set the sheet's counts; the caller saves the sheet."""
    ready = len(read.ready)
    faults = list(read.faults)
    staged_clear(record)
    comparing = f"comparing {ready:,} rows with prices in force"
    resolved, wrong = OfferBook().resolve(_stated(read.ready), lambda done: job.progress(done, ready, comparing))
    stage_rows(record, resolved)
    with connection.cursor() as cursor:
        cursor.execute(ANALYZE)
    faults += wrong
    counts = Counter(resolved.outcomes)
    _store_rows(record, read.held, faults, raw)
    record.format_key = read.format_key
    record.rows_read = read.rows_read
    record.rows_ready = len(resolved)
    record.rows_new, record.rows_changed = counts[RowOutcome.NEW], counts[RowOutcome.CHANGED]
    record.rows_same = counts[RowOutcome.SAME] + counts[RowOutcome.OLDER]
    record.rows_held = len(read.held)
    record.rows_faulty = len({fault.line for fault in faults})
    record.rows_conflict = len(_conflicting(read.held, faults))
    _report(record, read, faults, _changes(resolved), counts[RowOutcome.OLDER])


def _stated(frame: pd.DataFrame) -> Columns:
    """Return the quote table by column, without the columns that no row states."""
    columns = {str(name): frame[name].tolist() for name in frame.columns}
    return {name: cells for name, cells in columns.items() if not _is_unstated(cells)}


def _is_unstated(cells: Sequence[Any]) -> bool:
    return any(cells.count(nothing) == len(cells) > 0 for nothing in (None, ()))


def _changes(rows: Resolved) -> list[dict[str, Any]]:
    """Return what each row changes of the offer in force, as the report of the check holds it."""
    return [
        {"line": rows.lines[place], "quote": rows.columns["code"][place], "values": rows.differences[place]}
        for place, outcome in enumerate(rows.outcomes)
        if outcome == RowOutcome.CHANGED
    ]


def staged_clear(record: PriceSheet) -> None:
    """Forget what is staged of a sheet."""
    staged = StagedRow.objects.filter(sheet=record)
    staged._raw_delete(staged.db)


def stage_rows(record: PriceSheet, rows: Resolved) -> None:
    """Write rows to the staging table, every column as the quote will hold it."""
    cells = {**_quote_cells(rows), **_row_cells(record, rows)}
    columns = ", ".join(f'"{name}"' for name in cells)
    lines = map("\t".join, zip(*cells.values(), strict=False))  # what holds for all rows has no end
    with connection.cursor() as cursor, cursor.copy(f"COPY procurement_stagedrow ({columns}) FROM STDIN") as copy:
        while block := list(islice(lines, CHUNK)):
            copy.write("\n".join(block) + "\n")


def _row_cells(record: PriceSheet, rows: Resolved) -> dict[str, Iterable[str]]:
    """Return the columns of the staging table that say what each row does."""
    return {
        "sheet_id": repeat(str(record.pk)),
        "outcome": [outcome.value for outcome in rows.outcomes],
        "provider_code": rows.provider_codes,
        "provider_name": [_text(name) for name in rows.provider_names],
        "offer_id": [NULL if offer is None else str(offer[0]) for offer in rows.offers],
        "offer_version": [NULL if offer is None else str(offer[1]) for offer in rows.offers],
        "differences": [_text(_json(one)) if one else "{}" for one in rows.differences],
    }


def _quote_cells(rows: Resolved) -> dict[str, Iterable[str]]:
    """Return the columns of the quotes that the rows become."""
    cells: dict[str, Iterable[str]] = {name: repeat(_unstated(column)) for name, column in STAGED.items()}
    return cells | {name: _copied(STAGED[name], values) for name, values in rows.columns.items()}


def _unstated(column: Column) -> str:
    return _copied(column, [UNSTATED[column.attname]])[0]


def _copied(column: Column, values: Sequence[Any]) -> list[str]:
    """Return values as COPY reads them; a sheet repeats most of its values, which are written once."""
    if isinstance(column, models.JSONField):
        return [_text(_json(value)) for value in values]
    known = {value: NULL if value is None else _text(str(value)) for value in set(values)}
    return [known[value] for value in values]


def _text(value: str) -> str:
    return value if value.isprintable() and "\\" not in value else value.translate(ESCAPED)


def rows_in_words(faults: Sequence[Fault]) -> str:
    """Return the first faults as a sentence, for who sees no table of them."""
    more = f" and {len(faults) - 3} more" if len(faults) > 3 else ""
    return "; ".join(str(fault) for fault in faults[:3]) + more


class _PlainEncoder(DjangoJSONEncoder):
    """Writes decimals without the zeros that a column adds."""

    def default(self, o: Any) -> Any:
        """Return what JSON knows."""
        return plain(o) if isinstance(o, Decimal) else super().default(o)


_ENCODER = _PlainEncoder()


def _json(value: Any) -> str:
    text = _ENCODER.encode(value)
    if "\\u0000" in text:
        raise ProcurementError("invalid", "The file holds NUL characters, which cannot be stored; save it as text.")
    return text


def _plain(value: Any) -> Any:
    return json.loads(_json(value))


def _conflicting(held: Iterable[Held], faults: Iterable[Fault]) -> set[int]:
    lines = {row.line for row in held if CONFLICTS & set(row.codes)}
    return lines | {fault.line for fault in faults if fault.rule in CONFLICTS}


def _store_rows(
    record: PriceSheet, held: Iterable[Held], faults: Iterable[Fault], raw: Mapping[int, Mapping[str, str]]
) -> None:
    record.rows.all().delete()
    rows = [_held_row(record, row) for row in held]
    by_line: dict[int, SheetRow] = {}
    for fault in sorted(faults, key=lambda fault: (fault.line, fault.column)):
        row = by_line.setdefault(
            fault.line,
            SheetRow(sheet=record, line=fault.line, state=SheetRowState.FAULTY, raw=dict(raw.get(fault.line, {}))),
        )
        row.reasons.append({
            "code": fault.rule, "column": fault.column, "value": fault.value, "message": str(fault),
            "release": fault.hint,
        })  # fmt: skip
    found = [*rows, *by_line.values()]
    headers = list(dict.fromkeys(header for row in found for header in row.raw))
    record.preview = {**record.preview, "row_headers": headers}  # a stored row keeps its cells in no order
    SheetRow.objects.bulk_create(found, batch_size=CHUNK)


def _held_row(record: PriceSheet, row: Held) -> SheetRow:
    return SheetRow(
        sheet=record, line=row.line, state=SheetRowState.HELD, raw=dict(row.raw), values=_plain(dict(row.quote)),
        reasons=_reasons(row),
    )  # fmt: skip


def _reasons(row: Held) -> list[dict[str, str]]:
    return [{"code": reason.code, "message": reason.message, "release": reason.release} for reason in row.reasons]


def _report(
    record: PriceSheet, read: QuoteSheet, faults: Sequence[Fault], changes: list[dict[str, Any]], older: int
) -> None:
    ImportReport.objects.create(
        sheet=record, kind=ReportKind.VALIDATION, is_ok=not faults or record.is_skipping_faulty,
        counts={
            **sheet_counts(record), "older": older, "duplicates": len(read.duplicates), "ignored": len(read.ignored),
        },
        content=_plain({
            "format": read.format_key, "encoding": read.encoding, "mode": mode_of(record),
            "faults": [
                {"line": one.line, "column": one.column, "value": one.value, "rule": one.rule, "hint": one.hint}
                for one in faults
            ],
            "held": [{"line": row.line, "reasons": _reasons(row)} for row in read.held],
            "changes": changes,
            "duplicates": [{"line": one.line, "kept_line": one.kept_line} for one in read.duplicates],
            "ignored": read.ignored_by_reason, "unknown_columns": list(read.unknown_columns),
            "notes": list(read.notes), "corrections": record.corrections.count(),
        }),
    )  # fmt: skip


def sheet_counts(record: PriceSheet) -> dict[str, int]:
    """Return what became of the rows."""
    names = ("read", "ready", "new", "changed", "same", "held", "faulty", "conflict")
    return {name: getattr(record, f"rows_{name}") for name in names}


def mode_of(record: PriceSheet) -> str:
    """Return whether faulty rows stop the file or are left out."""
    return "skip_faulty" if record.is_skipping_faulty else "strict"
