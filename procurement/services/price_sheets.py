"""Price sheets: received as they are; what a person decides of a draft before its prices are in force."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple
from zoneinfo import available_timezones

from django.core.files.base import ContentFile
from django.db import transaction

from procurement.errors import ProcurementError, VersionConflict
from procurement.models import CellCorrection, PriceSheet, SheetState, TypedCell
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.file_names import kept_name
from procurement.services.import_profiles import import_profile_keep
from procurement.services.locks import key_of, wait_for
from procurement.services.price_sheet_reading import corrections_of, publish_request, read_request
from procurement.services.price_sheet_staging import staged_clear
from providers import ProviderError, read_profile

MAX_SHEET_BYTES = 50 * 1024 * 1024
MAX_FILE_NAME = 200  # characters
MAX_CELL = 2_000  # characters of a corrected cell
OVER = (SheetState.REFUSED, SheetState.UNDONE, SheetState.DISCARDED)  # the same file may begin anew
OPEN = (SheetState.MATCHING, SheetState.CHECKED)  # a person may change it
SETTINGS = ("provider", "currency", "decimal", "zone", "profile", "format_key", "is_skipping_faulty")


class Correction(NamedTuple):
    """A cell that a person changes: its line, its header, what stood there and what shall stand there."""

    line: int
    column: str
    was: str
    value: str


def price_sheet_receive(
    *, by: Actor, file_name: str, content: bytes, observed_on: date, source: str, options: Mapping[str, Any]
) -> tuple[PriceSheet, bool]:
    """Store a file as it is and queue its reading, in one transaction.

    The same file of the same name and day is received once: the second time returns the first sheet and False, unless
    that one was refused, undone or discarded, or waits as a draft and is now to be imported.
    ``options`` may hold the names of SETTINGS, and is_draft: a draft is checked and then waits for its confirmation.
    """
    require(by.user, "quote.edit")
    file_name = kept_name(file_name)
    _check_file(file_name, content)
    _check_settings(options)
    digest = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        wait_for(key_of(bytes.fromhex(digest)))
        known = PriceSheet.objects.select_for_update().filter(
            content_sha256=digest, file_name=file_name, observed_on=observed_on
        )
        sheet = known.first()
        if sheet is not None and not _may_begin_anew(sheet, is_draft=bool(options.get("is_draft"))):
            return sheet, False
        sheet = sheet or PriceSheet(file_name=file_name, content_sha256=digest, observed_on=observed_on)
        if sheet.pk is None:
            sheet.file.save(f"{digest}.bin", ContentFile(content), save=False)
        else:
            staged_clear(sheet)
            sheet.version += 1
        fresh: dict[str, Any] = {
            "is_draft": False,
            "profile": None,
            "preview": {},
            "decimal": "",
            "zone": "",
            "format_key": "",
            "message": "",
        }
        for name, value in {**fresh, **options, "received_by": by.user, "source": source[:500]}.items():
            setattr(sheet, name, value)
        sheet.state = SheetState.RECEIVED
        sheet.save()
        changes = {"file": [None, f"{file_name} sha256 {digest}"]}
        audit_record(by=by, action="price_sheet.receive", record=sheet, changes=changes)
        read_request(sheet)
    return sheet, True


def price_sheet_change(*, by: Actor, sheet: PriceSheet, version: int, values: Mapping[str, Any]) -> PriceSheet:
    """Change what a person says of a draft - columns, currency, decimal sign, mode - and check all its rows anew.

    A profile is kept for the next sheet of the supplier. Refuses a sheet that is no open draft.
    """
    require(by.user, "quote.edit")
    _check_settings(values)
    with transaction.atomic():
        locked = _open_draft(sheet, version, values)
        changes = {name: [getattr(locked, name), value] for name, value in values.items()}
        for name, value in values.items():
            setattr(locked, name, value)
        if values.get("profile"):
            locked.format_key = "mapped"
            import_profile_keep(by=by, sheet=locked, profile=values["profile"])
        shown = {name: [str(was or ""), str(now or "")] for name, (was, now) in changes.items() if was != now}
        _check_anew(locked, by, "price_sheet.change", shown)
    return locked


def price_sheet_sheet(*, by: Actor, sheet: PriceSheet, version: int, name: str) -> PriceSheet:
    """Look at another sheet of a workbook whose columns are to be matched."""
    require(by.user, "quote.edit")
    with transaction.atomic():
        locked = _open_draft(sheet, version, {})
        locked.preview = {**locked.preview, "sheet": name[:200]}
        _check_anew(locked, by, "price_sheet.change", {"sheet": [sheet.preview.get("sheet"), name]})
    return locked


def price_sheet_correct(*, by: Actor, sheet: PriceSheet, version: int, corrections: Iterable[Correction]) -> PriceSheet:
    """Put other values into cells of a draft and check all its rows anew; the file and who changed what are kept.

    Raises
    ------
    VersionConflict
        When somebody changed the draft since; carries, for each cell, the value that counts now and the one asked for.
    """
    require(by.user, "quote.edit")
    sent = list(corrections)
    wanted = [one for one in sent if one.value != one.was]
    too_long = [one for one in wanted if len(one.value) > MAX_CELL or "\0" in one.value]
    if too_long:
        place = f"line {too_long[0].line}, column {too_long[0].column}"
        raise ProcurementError("invalid", f"The cell at {place} may hold at most {MAX_CELL:,} characters of text.")
    with transaction.atomic():
        locked = _open_draft(sheet, version, {f"line {one.line}, {one.column}": one.value for one in wanted})
        for one in sent:
            TypedCell.objects.filter(sheet=locked, typed_by=by.user, line=one.line, column=one.column).delete()
        if not wanted:
            return locked
        CellCorrection.objects.bulk_create([
            CellCorrection(
                sheet=locked, line=one.line, column=one.column[:300], was=one.was, value=one.value, made_by=by.user
            )
            for one in wanted
        ])  # fmt: skip
        changes = {f"line {one.line}, {one.column}"[:120]: [one.was, one.value] for one in wanted[:200]}
        _check_anew(locked, by, "price_sheet.correct", changes)
    return locked


def price_sheet_confirm(
    *, by: Actor, sheet: PriceSheet, version: int, is_skipping_faulty: bool | None = None
) -> PriceSheet:
    """Let a checked draft be imported; the worker puts its prices in force, all or nothing.

    ``is_skipping_faulty`` chooses anew what faulty rows do; without it the mode chosen before holds.
    """
    require(by.user, "quote.edit")
    with transaction.atomic():
        locked = _open_draft(sheet, version, {})
        if locked.state != SheetState.CHECKED:
            raise ProcurementError("not_checked", f"{locked} is not checked yet: match its columns first.")
        if is_skipping_faulty is not None:
            locked.is_skipping_faulty = is_skipping_faulty
        if locked.rows_faulty and not locked.is_skipping_faulty:
            count = f"{locked.rows_faulty} rows cannot" if locked.rows_faulty > 1 else "1 row cannot"
            message = f"{count} be read; mend them, or choose to import the good rows only. Nothing was imported."
            raise ProcurementError("faulty_rows", message)
        if not locked.rows_ready:
            raise ProcurementError("nothing_ready", f"No row of {locked.file_name} is ready; nothing can be imported.")
        locked.typed.all().delete()
        locked.state = SheetState.CONFIRMED
        locked.received_by = by.user
        locked.version += 1
        locked.message = ""
        locked.save()
        audit_record(by=by, action="price_sheet.confirm", record=locked, changes={"state": ["checked", "confirmed"]})
        publish_request(locked)
    return locked


def price_sheet_discard(*, by: Actor, sheet: PriceSheet, version: int) -> PriceSheet:
    """Put a draft away; nothing of it was ever in force, and its file can be received again."""
    require(by.user, "quote.edit")
    with transaction.atomic():
        locked = _open_draft(sheet, version, {})
        staged_clear(locked)
        locked.typed.all().delete()
        before, locked.state = locked.state, SheetState.DISCARDED
        locked.version += 1
        locked.save()
        audit_record(by=by, action="price_sheet.discard", record=locked, changes={"state": [before, "discarded"]})
    return locked


def _check_file(file_name: str, content: bytes) -> None:
    message = ""
    if len(file_name) > MAX_FILE_NAME:
        message = f"The name {file_name[:40]}… has {len(file_name):,} characters; at most {MAX_FILE_NAME} are kept."
    elif not content:
        message = f"{file_name} is empty."
    if message:
        raise ProcurementError("invalid", message, {"file": [message]})
    if len(content) > MAX_SHEET_BYTES:
        message = f"{file_name} has {len(content):,} bytes; at most {MAX_SHEET_BYTES:,} are read. Split the file."
        raise ProcurementError("too_large", message, {"file": [message]})


def _check_settings(values: Mapping[str, Any]) -> None:
    if values.get("zone") and values["zone"] not in available_timezones():
        message = f"`{values['zone']}` is no time zone; write it as Europe/Berlin or UTC."
        raise ProcurementError("invalid", message, {"zone": [message]})
    if values.get("decimal", "") not in ("", ".", ","):
        message = f"The decimal sign `{values['decimal']}` is neither a point nor a comma."
        raise ProcurementError("invalid", message, {"decimal": [message]})
    if values.get("profile"):
        try:
            read_profile(values["profile"])
        except ProviderError as error:
            raise ProcurementError("invalid", str(error), {"profile": [str(error)]}) from error


def _may_begin_anew(sheet: PriceSheet, *, is_draft: bool) -> bool:
    return sheet.state in OVER or (sheet.is_draft and not is_draft and sheet.state in OPEN)


def _open_draft(sheet: PriceSheet, version: int, asked: Mapping[str, Any]) -> PriceSheet:
    """Return the locked draft; refuses one that somebody changed since, with both values, or that is not open."""
    locked = PriceSheet.objects.select_for_update(of=("self",)).select_related("provider").get(pk=sheet.pk)
    if locked.version != version:
        cells = {f"line {line}, {column}": value for (line, column), value in corrections_of(locked).items()}
        now = {name: cells.get(name, getattr(locked, name, None)) for name in asked}
        raise VersionConflict(
            f"{locked} was changed by somebody else; it is now at version {locked.version}.",
            current_version=locked.version,
            differences={name: (now[name], value) for name, value in asked.items() if now[name] != value},
        )
    if not locked.is_draft or locked.state not in OPEN:
        state = locked.get_state_display().lower()
        raise ProcurementError("not_open", f"{locked} cannot be changed: it is {state}. A draft that is checked can.")
    return locked


def _check_anew(sheet: PriceSheet, by: Actor, action: str, changes: Mapping[str, Any]) -> None:
    sheet.state = SheetState.RECEIVED
    sheet.version += 1
    sheet.message = ""
    sheet.save()
    audit_record(by=by, action=action, record=sheet, changes=changes)
    read_request(sheet)
