"""Create, change and archive an editable record: full check, optimistic version, audit entry."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pghistory
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from procurement.errors import ProcurementError, VersionConflict
from procurement.models.records import EditableRecord
from procurement.services.actors import Actor
from procurement.services.audit import audit_record, field_changes
from procurement.services.locks import Lock, wait_for

Record = TypeVar("Record", bound=EditableRecord)
Check = Callable[[Any], None]
_CONSTRAINT = re.compile(r"Constraint “(\w+)” is violated\.")


def record_create(
    *, by: Actor, record: Record, action: str, check: Check | None = None, changes: Mapping[str, Any] | None = None
) -> Record:
    """Store a new record; refuses it whole, with every fault by field, when it is not valid.

    ``changes`` are what the audit trail keeps where the record follows another one; else every value that is set.
    """
    record.created_by = by.user
    with transaction.atomic(), _history(by):
        _validate(record, check)
        record.save(force_insert=True)
        stated = {
            field.name: [None, field.value_from_object(record)]
            for field in record._meta.concrete_fields
            if field.editable and field.value_from_object(record) not in (None, "", [], {})
        }
        changes = stated if changes is None else changes
        audit_record(by=by, action=action, record=record, changes=changes)
    return record


def record_update(
    *, by: Actor, record: Record, version: int, values: Mapping[str, Any], action: str, check: Check | None = None
) -> Record:
    """Change a record that is still at ``version``; nothing happens when no value differs.

    Raises
    ------
    VersionConflict
        When somebody changed it since; carries both values of every field that differs.
    """
    with transaction.atomic(), _history(by):
        locked = _locked(record)
        if locked.version != version:
            raise version_conflict(locked, values)
        before = {name: locked._meta.get_field(name).value_from_object(locked) for name in values}
        for name, value in values.items():
            setattr(locked, name, value)
        _validate(locked, check)
        changes = field_changes(locked, before)
        if changes:
            locked.version += 1
            locked.save()
            audit_record(by=by, action=action, record=locked, changes=changes)
    return locked


def record_archive(*, by: Actor, record: Record, version: int, action: str, is_archived: bool = True) -> Record:
    """Take a record out of use, or bring it back; nothing is deleted."""
    return record_update(by=by, record=record, version=version, values={"is_archived": is_archived}, action=action)


def validation_error(error: ValidationError) -> ProcurementError:
    """Return Django's faults in the one shape of refusals."""
    told = error.message_dict if hasattr(error, "error_dict") else {"__all__": error.messages}
    fields = {name: [_CONSTRAINT.sub(_rule, message) for message in messages] for name, messages in told.items()}
    sentences = "; ".join(f"{name}: {' '.join(messages)}" for name, messages in fields.items())
    return ProcurementError("invalid", sentences, fields)


def version_conflict(locked: EditableRecord, values: Mapping[str, Any]) -> VersionConflict:
    """Return the conflict of values asked for with a record that has moved on; it carries both values."""
    differences = {}
    for name, asked in values.items():
        stored = locked._meta.get_field(name).value_from_object(locked)
        asked_value = getattr(asked, "pk", asked)
        if stored != asked_value:
            differences[name] = (stored, asked_value)
    return VersionConflict(
        f"{locked} was changed by somebody else; it is now at version {locked.version}.",
        current_version=locked.version,
        differences=differences,
    )


def _rule(found: re.Match[str]) -> str:
    """Return a broken constraint in words; constraints are named for what must hold."""
    return f"This must hold and does not: {found[1].replace('_', ' ')}."


def _locked(record: Record) -> Record:
    manager = type(record)._default_manager
    return manager.select_for_update().get(pk=record.pk)


def _validate(record: EditableRecord, check: Check | None) -> None:
    try:
        record.full_clean()
    except ValidationError as error:
        raise validation_error(error) from error
    if check is not None:
        check(record)


def _history(by: Actor) -> Any:
    user_id = by.user.pk if by.user is not None else None
    return pghistory.context(user=user_id, source=by.source, reason=by.reason)


def next_code(records: QuerySet[Any], *, prefix: str, lock: Lock) -> str:
    """Return the next free number after a prefix, such as ``D-2026-0007``, in the caller's transaction.

    Whoever asks at the same time waits until that transaction ends.
    """
    wait_for(lock)
    codes = records.filter(code__startswith=prefix).values_list("code", flat=True)
    number = max((int(code.removeprefix(prefix)) for code in codes), default=0) + 1
    return f"{prefix}{number:04d}"
