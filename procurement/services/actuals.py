"""Measured use: files received as they are, read all or nothing, named where names are unknown, taken back if wrong."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.models import Build, Provider, UsageFile, UsageRow, UsageRowState, UsageState, Workload
from procurement.permissions import require
from procurement.services.actors import Actor, reason_required
from procurement.services.audit import audit_record
from procurement.services.file_names import kept_name
from procurement.services.job_runner import RunningJob
from procurement.services.jobs import job_request
from procurement.services.locks import key_of, wait_for
from procurement.services.records import record_update, version_conflict
from procurement.services.usage_facts import facts_store
from procurement.services.usage_offers import usage_offers_refresh
from providers import Fault, Held, ProviderError
from providers.usage import UsageSheet, read_usage
from providers.usage.instants import zone_of

MAX_USAGE_BYTES = 100 * 1024 * 1024
ROWS_KEPT = 1000  # held and faulty rows told one by one; beyond it their number
LEFT_OUT = {
    "step": "steps, whose use is that of their job",
    "never_started": "jobs that never started",
    "array_not_started": "array tasks that are still to come",
    "no_accelerator": "use without accelerators",
    "same_job_again": "the same job again",
    "same_sample_again": "the same interval again",
    "tax": "taxes",
    "credit": "credits",
    "adjustment": "adjustments",
    "commitment_purchase": "purchases of commitments, whose cost is spread over their use",
    "correction": "corrections",
}


def usage_receive(
    *, by: Actor, file_name: str, content: bytes, source: str, options: Mapping[str, Any]
) -> tuple[UsageFile, bool]:
    """Store a file as it is and queue its reading, in one transaction.

    The same content is received once: the second time returns the first file and False, unless that was refused or
    withdrawn. ``options`` may hold time_zone, build, workload, covers_from and covers_until (days of that zone, both
    included) and is_skipping_faulty.
    """
    require(by.user, "actuals.import")
    _refuse_size(file_name, content)
    values = _options(options)
    digest = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        wait_for(key_of(bytes.fromhex(digest)))
        known = UsageFile.objects.filter(
            content_sha256=digest, state__in=(UsageState.RECEIVED, UsageState.IMPORTED)
        ).first()
        if known is not None:
            return known, False
        file = UsageFile(
            file_name=kept_name(file_name)[:255], content_sha256=digest, source=source[:500],
            created_by=by.user, **values,
        )  # fmt: skip
        file.file.save(f"{digest}.bin", ContentFile(content), save=False)
        file.save()
        audit_record(by=by, action="usage.receive", record=file, changes={"file": [None, f"{file} sha256 {digest}"]})
        _queue(file)
    return file, True


def usage_import(job: RunningJob, file: int) -> None:
    """Read a received file and store what it says, all or nothing; an imported file is left as it is."""
    record = UsageFile.objects.select_for_update(of=("self",)).select_related("build", "workload").get(pk=file)
    if record.state != UsageState.RECEIVED:
        return
    job.progress(0, 2, f"reading {record.file_name}")
    record.rows.all().delete()
    try:
        with record.file.open("rb") as opened:
            sheet = read_usage(opened.read(), file_name=record.file_name, time_zone=record.time_zone)
    except ProviderError as error:
        _refuse(record, str(error))
        return
    _keep_rows(record, sheet)
    if sheet.faults and not record.is_skipping_faulty:
        message = f"{record.rows_faulty} rows cannot be read; nothing was counted. Mend them, or skip them."
        _refuse(record, message)
        return
    job.progress(1, 2, f"storing {len(sheet.jobs) + len(sheet.samples) + len(sheet.charges)} rows")
    counts = facts_store(record, sheet)
    record.rows_held = sum(record.rows.filter(state=UsageRowState.HELD).values_list("count", flat=True))
    record.state = UsageState.IMPORTED
    record.imported_at = timezone.now()
    record.message = "; ".join(sheet.notes)
    for name in ("new", "changed", "same"):
        setattr(record, f"rows_{name}", counts[name])
    record.save()
    audit_record(by=_receiver(record), action="usage.import", record=record, changes=_counted(counts))
    usage_offers_refresh(file=record)
    job.progress(2, 2, f"{counts['new']} new, {counts['changed']} changed, {counts['same']} same")


def usage_import_failed(*, message: str, file: int) -> None:
    """Note that the reading of a file failed for good; nothing of it was stored and it can be received again."""
    UsageFile.objects.filter(pk=file, state=UsageState.RECEIVED).update(state=UsageState.REFUSED, message=message)


def usage_assign(*, by: Actor, row: UsageRow, code: str) -> UsageFile:
    """Say which place, workload or provider a name in a file means; its rows count there from now on.

    Refuses a row that is held for another reason, and codes that are not on record.
    """
    require(by.user, "actuals.import")
    with transaction.atomic():
        file = UsageFile.objects.select_for_update().get(pk=row.file_id)
        if row.code not in ("unknown_place", "unknown_workload", "unknown_provider"):
            raise ProcurementError("not_a_name", f"Line {row.line} is not held for a name that is unknown.")
        kind = row.code.removeprefix("unknown_")
        record = _named(kind, code)
        changed = _assign(file, kind, row.value, record)
        names = {**(file.aliases.get(kind) or {}), row.value: record.code}
        file.aliases = {**file.aliases, kind: names}
        file.rows.filter(pk=row.pk).delete()
        file.rows_held = sum(file.rows.filter(state=UsageRowState.HELD).values_list("count", flat=True))
        file.version += 1
        file.save()
        changes = {f"{kind} {row.value or '(none named)'}": [None, record.code], "rows": [None, changed]}
        audit_record(by=by, action="usage.assign", record=file, changes=changes)
        usage_offers_refresh(file=file)
    return file


def usage_withdraw(*, by: Actor, file: UsageFile, version: int) -> UsageFile:
    """Take back all that was read of a file; the file stays, and the other files are read again.

    Others are read again because a fact that two files state belongs to the first alone.
    """
    require(by.user, "actuals.import")
    reason_required(by, "why what this file says should not count")
    with transaction.atomic():
        locked = UsageFile.objects.select_for_update().get(pk=file.pk)
        if locked.version != version:
            raise version_conflict(locked, {"state": UsageState.WITHDRAWN})
        if locked.state != UsageState.IMPORTED:
            raise ProcurementError("not_imported", f"{locked} is {locked.get_state_display().lower()}, not imported.")
        for facts in (locked.usagejobs, locked.usagesamples, locked.usagecharges):
            facts.all().delete()
        withdrawn = record_update(
            by=by, record=locked, version=version, values={"state": UsageState.WITHDRAWN}, action="usage.withdraw"
        )
        for other in UsageFile.objects.filter(state=UsageState.IMPORTED, format_key=locked.format_key):
            UsageFile.objects.filter(pk=other.pk).update(state=UsageState.RECEIVED)
            _queue(other)
    return withdrawn


def _refuse_size(file_name: str, content: bytes) -> None:
    if not content:
        raise ProcurementError("invalid", f"{file_name} is empty.", {"file": [f"{file_name} is empty."]})
    if len(content) > MAX_USAGE_BYTES:
        message = f"{file_name} has {len(content):,} bytes; at most {MAX_USAGE_BYTES:,} are read. Split the file."
        raise ProcurementError("too_large", message, {"file": [message]})


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as columns; days become the instants at which they begin and end in the zone."""
    values = {name: options[name] for name in ("build", "workload", "is_skipping_faulty") if options.get(name)}
    name = options.get("time_zone") or "UTC"
    try:
        zone = zone_of(name)
    except ProviderError as error:
        raise ProcurementError("invalid", str(error), {"time_zone": [str(error)]}) from error
    first, last = options.get("covers_from"), options.get("covers_until")
    if (first is None) != (last is None):
        message = "Say both the first and the last day that the file covers, or neither."
        raise ProcurementError("invalid", message, {"covers_until" if first else "covers_from": [message]})
    values["time_zone"] = name
    if first is not None and last is not None:
        if last < first:
            message = f"{last} is before {first}, the first day that the file covers."
            raise ProcurementError("invalid", message, {"covers_until": [message]})
        begin, end = _begins(first, zone), _begins(last + timedelta(days=1), zone)
        values |= {"covers_from": begin, "covers_until": end, "is_window_stated": True}
    return values


def _begins(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.min, zone)


def _queue(file: UsageFile) -> None:
    job_request(kind="usage_import", dedupe_key=f"usage_import:{file.pk}", args={"file": file.pk}, coalesce=True)


def _keep_rows(record: UsageFile, sheet: UsageSheet) -> None:
    held = [_held_row(record, one) for one in sheet.held]
    faulty = [_faulty_row(record, fault) for fault in sheet.faults]
    left_out = [
        UsageRow(
            file=record, line=one.first_line, count=one.rows, state=UsageRowState.LEFT_OUT, code=one.code,
            message=LEFT_OUT.get(one.code, one.code.replace("_", " ")),
        )
        for one in sheet.left_out
    ]  # fmt: skip
    UsageRow.objects.bulk_create([*held[:ROWS_KEPT], *faulty[:ROWS_KEPT], *left_out])
    record.format_key = sheet.format_key
    record.rows_read = sheet.rows_read
    record.rows_held = len(held)
    record.rows_faulty = len({fault.line for fault in sheet.faults})
    record.rows_left_out = sum(one.rows for one in sheet.left_out)


def _held_row(record: UsageFile, held: Held) -> UsageRow:
    reason = held.reasons[0]
    return UsageRow(
        file=record, line=held.line, state=UsageRowState.HELD, code=reason.code, message=reason.message[:500],
        release=reason.release[:500],
    )  # fmt: skip


def _faulty_row(record: UsageFile, fault: Fault) -> UsageRow:
    return UsageRow(
        file=record, line=fault.line, state=UsageRowState.FAULTY, code=fault.rule, column=fault.column[:60],
        value=fault.value[:200], message=f"{fault.rule.replace('_', ' ')}"[:500], release=fault.hint[:500],
    )  # fmt: skip


def _refuse(record: UsageFile, message: str) -> None:
    record.state = UsageState.REFUSED
    record.message = message
    record.save()
    audit_record(by=_receiver(record), action="usage.refuse", record=record, changes={"why": [None, message]})


def _receiver(record: UsageFile) -> Actor:
    return Actor(user=record.created_by, source="job", reason=f"import of {record.file_name}")


def _counted(counts: Counter[str]) -> dict[str, list[int | None]]:
    return {f"rows_{name}": [None, counts[name]] for name in ("new", "changed", "same")}


def _named(kind: str, code: str) -> Build | Workload | Provider:
    models: dict[str, Any] = {"place": Build, "workload": Workload, "provider": Provider}
    model = models[kind]
    record = model._default_manager.filter(code=code).first()
    if record is None:
        known = ", ".join(model._default_manager.values_list("code", flat=True).order_by("code")[:40]) or "none yet"
        message = f"`{code}` is no {kind} on record. Known codes: {known}."
        raise ProcurementError("invalid", message, {"code": [message]})
    return record


def _assign(file: UsageFile, kind: str, label: str, record: Build | Workload | Provider) -> int:
    """Point the facts of a file that carry a name to its record; a job that is there already is the same job."""
    if kind == "provider":
        return file.usagecharges.filter(provider=None, provider_label=label).update(provider=record)
    if kind == "workload":
        # samples and charges without a name are of all workloads together, so only jobs are pointed without one
        named = (file.usagejobs, file.usagesamples, file.usagecharges) if label else (file.usagejobs,)
        return sum(facts.filter(workload=None, workload_label=label).update(workload=record) for facts in named)
    jobs = file.usagejobs.filter(build=None, place_label=label)
    there = set(record.usage_jobs.filter(job_id__in=jobs.values("job_id")).values_list("job_id", "started_at"))
    twice = [job.pk for job in jobs if (job.job_id, job.started_at) in there]
    file.usagejobs.filter(pk__in=twice).delete()
    moved = file.usagejobs.filter(build=None, place_label=label).update(build=record)
    return moved + file.usagesamples.filter(build=None, place_label=label).update(build=record)
