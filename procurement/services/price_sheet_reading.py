"""The first job of a sheet: read the file, check every row, stage what may become quotes; nothing is in force yet."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from procurement.errors import ProcurementError
from procurement.models import AcceleratorAlias, PriceSheet, SheetState
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.selectors.exchange import rates_of
from procurement.selectors.known_prices import known_medians, known_offers
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.job_runner import RunningJob
from procurement.services.jobs import job_request
from procurement.services.price_sheet_staging import rows_in_words, stage_sheet, staged_clear
from providers import (
    AmbiguousFormat,
    Fault,
    NotAPriceList,
    ProviderError,
    QuoteSheet,
    UnknownFormat,
    preview_sheet,
    read_quotes,
)
from providers.mapping import rows_as_written
from providers.mending import objects_as_written
from providers.reading import without_collector

BEFORE_JSON = b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"  # byte-order marks and blanks


def price_sheet_import(job: RunningJob, sheet: int) -> None:
    """Read and check a received sheet; then it waits for its person, or its quotes are published by the next job.

    Safe to repeat: what an earlier attempt staged is replaced, and a sheet that was read already is left as it is.
    """
    record = PriceSheet.objects.select_related("provider").get(pk=sheet)
    if record.state != SheetState.RECEIVED:
        return
    job.progress(0, None, f"reading {record.file_name}")
    content = sheet_content(record)
    try:
        read = sheet_read(record, content)
    except (UnknownFormat, AmbiguousFormat) as error:
        _ask_for_columns(record, content, error)
        return
    except ProviderError as error:
        sheet_refuse(record, str(error))
        return
    if not read.rows_read and read.realised is None:
        sheet_refuse(record, f"{record.file_name} holds a header and no rows of prices.")
        return
    raw = _bad_cells(record, content, read)
    if _is_list_of_objects(record, content):
        record.preview = {**record.preview, "may_mend": bool(raw)}
        read = replace(read, held=tuple(replace(row, raw=raw.get(row.line, row.raw)) for row in read.held))
    else:
        record.preview = {**record.preview, "may_mend": True}
    with without_collector():
        stage_sheet(record=record, read=read, raw=raw, job=job)
    _go_on(record, read)


def price_sheet_failed(*, message: str, sheet: int) -> None:
    """Note that a sheet's import failed for good; nothing of it is in force and it can be received again."""
    unfinished = (SheetState.RECEIVED, SheetState.CONFIRMED)
    PriceSheet.objects.filter(pk=sheet, state__in=unfinished).update(state=SheetState.REFUSED, message=message)


def sheet_refuse(record: PriceSheet, message: str) -> None:
    """Refuse a sheet as a whole; nothing of it is in force."""
    staged_clear(record)
    record.state = SheetState.REFUSED
    record.message = message
    record.save()
    audit_record(by=importer_of(record), action="price_sheet.refuse", record=record, changes={"why": [None, message]})


def importer_of(record: PriceSheet) -> Actor:
    """Return who gave the file, as the one who imports it."""
    return Actor(user=record.received_by, source="job", reason=f"import of {record.file_name}")


def read_request(record: PriceSheet) -> None:
    """Queue the reading and check of a sheet in the caller's transaction; asked twice before it begins is once."""
    job_request(
        kind="price_sheet_import", dedupe_key=f"price_sheet_import:{record.pk}", args={"sheet": record.pk},
        coalesce=True,
    )  # fmt: skip


def publish_request(record: PriceSheet) -> None:
    """Queue the publication of what is staged; one for each check of the sheet."""
    job_request(
        kind="price_sheet_publish", dedupe_key=f"price_sheet_publish:{record.pk}", args={"sheet": record.pk},
        coalesce=True,
    )  # fmt: skip


def sheet_content(record: PriceSheet) -> bytes:
    """Return the file as it was received."""
    try:
        with record.file.open("rb") as file:
            return bytes(file.read())
    except FileNotFoundError as error:
        message = f"The content of {record.file_name} is no longer on this server; send the file again."
        raise ProcurementError("file_missing", message) from error


def corrections_of(record: PriceSheet) -> dict[tuple[int, str], str]:
    """Return the newest correction of each cell."""
    return {(one.line, one.column): one.value for one in record.corrections.order_by("pk")}


def sheet_read(record: PriceSheet, content: bytes) -> QuoteSheet:
    """Return the rows of a sheet as today's mappings, rates and corrections read them."""
    in_force = assumption_set_in_force()
    aliases = dict(AcceleratorAlias.objects.filter(is_archived=False).values_list("alias", "accelerator"))
    return read_quotes(
        content, file_name=record.file_name, observed_on=record.observed_on, source=record.source,
        currency=record.currency or None, provider=record.provider.code if record.provider else None,
        time_zone=record.zone or None,
        format_key=record.format_key or None, decimal=record.decimal or None, profile=record.profile, aliases=aliases,
        rates=rates_of(in_force) if in_force else (), corrections=corrections_of(record), medians=known_medians(),
        known=known_offers(without_source=record.source),
    )  # fmt: skip


def _is_list_of_objects(record: PriceSheet, content: bytes) -> bool:
    """Return whether a format reads the objects of a JSON file itself; one whose columns are matched is a table."""
    return not record.profile and content[:64].strip(BEFORE_JSON)[:1] in (b"{", b"[")


def _bad_cells(record: PriceSheet, content: bytes, read: QuoteSheet) -> Mapping[int, Mapping[str, str]]:
    """Return the faulty rows as written, so that a person can mend them; of a list of objects the held ones as well."""
    lines = {fault.line for fault in read.faults}
    if _is_list_of_objects(record, content):
        lines |= {row.line for row in read.held}
        rows, corrections = read.rows_read, corrections_of(record)
        return objects_as_written(content, record.file_name, lines, rows=rows, corrections=corrections) if lines else {}
    if not lines:
        return {}
    columns = tuple((record.profile or {}).get("columns") or ())
    return rows_as_written(content, record.file_name, lines, columns, corrections_of(record))


def _ask_for_columns(record: PriceSheet, content: bytes, error: ProviderError) -> None:
    """Let a person match the columns of a draft; any other sheet is refused."""
    if not record.is_draft or isinstance(error, NotAPriceList):
        sheet_refuse(record, str(error))
        return
    wanted = str(record.preview.get("sheet") or "") or None
    try:
        preview = preview_sheet(content, record.file_name, wanted)
    except ProviderError:
        sheet_refuse(record, str(error))
        return
    record.preview = {**_shown(asdict(preview)), "why": str(error), "candidates": list(_candidates(error))}
    record.state = SheetState.MATCHING
    record.message = ""
    record.save()


def _candidates(error: ProviderError) -> tuple[str, ...]:
    return error.candidates if isinstance(error, AmbiguousFormat) else ()


def _shown(preview: dict[str, Any]) -> dict[str, Any]:
    return {
        **preview,
        "headers": [name[:300] for name in preview["headers"]],
        "samples": [[cell[:80] for cell in cells] for cells in preview["samples"]],
    }


def _go_on(record: PriceSheet, read: QuoteSheet) -> None:
    """Decide what a checked sheet waits for: its person, mended rows, or its publication."""
    notice = record.preview.pop("notice", "") if record.is_draft else ""
    record.message = "; ".join([notice, *read.notes] if notice else read.notes)
    if record.is_draft:
        record.state = SheetState.CHECKED
        record.save()
        return
    if record.rows_faulty and not record.is_skipping_faulty:
        rows = f"{record.rows_faulty} rows cannot be read" if record.rows_faulty > 1 else "1 row cannot be read"
        first = rows_in_words(_stored_faults(record))
        sheet_refuse(record, f"{rows}; nothing was imported. Mend them, or skip them. {first}")
        return
    record.state = SheetState.CONFIRMED
    record.save()
    publish_request(record)


def _stored_faults(record: PriceSheet) -> list[Fault]:
    report = record.reports.first()
    return [Fault(**fault) for fault in report.content["faults"]] if report else []
