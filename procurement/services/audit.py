"""The audit trail: one chained entry for every change, in the transaction of the change."""

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac

from procurement.models import AuditEntry
from procurement.services.actors import Actor
from procurement.services.locks import Lock, wait_for

FIRST_DIGEST = hashlib.sha256(b"").hexdigest()


def audit_record(*, by: Actor, action: str, record: models.Model, changes: Mapping[str, Any]) -> AuditEntry:
    """Append one entry; safe against concurrent writers because the chain's end is locked until commit."""
    wait_for(Lock.AUDIT_CHAIN)
    last = AuditEntry.objects.order_by("-id").values_list("digest", flat=True).first() or FIRST_DIGEST
    entry = AuditEntry(
        at=timezone.now(),
        user=by.user,
        source=by.source,
        action=action,
        record_type=record._meta.model_name or "",
        record_id=str(record.pk),
        record_name=str(record)[:300],
        reason=by.reason[:300],
        changes=json.loads(json.dumps(changes, cls=DjangoJSONEncoder)),
        previous_digest=last,
    )
    entry.digest = entry_digest(entry)
    entry.save(force_insert=True)
    return entry


def entry_digest(entry: AuditEntry) -> str:
    """Return the keyed digest of an entry and the one before it; the key is outside the database."""
    content = json.dumps(
        [
            entry.previous_digest, entry.at.isoformat(), entry.user_id, entry.source, entry.action, entry.record_type,
            entry.record_id, entry.record_name, entry.reason, entry.changes,
        ],
        sort_keys=True,
    )  # fmt: skip
    return salted_hmac("procurement.audit", content, algorithm="sha256").hexdigest()


def audit_verify() -> AuditEntry | None:
    """Return the first entry that was edited, inserted, moved or cut out; ``None`` when the chain is whole."""
    last = FIRST_DIGEST
    for entry in AuditEntry.objects.order_by("id").iterator():
        if entry.previous_digest != last or entry.digest != entry_digest(entry):
            return entry
        last = entry.digest
    return None


def field_changes(record: models.Model, before: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return {field: [before, after]} for the fields whose value changed."""
    changes: dict[str, list[Any]] = {}
    for name, old in before.items():
        new = record._meta.get_field(name).value_from_object(record)
        if not _is_same(old, new):
            changes[name] = [old, new]
    return changes


def _is_same(old: Any, new: Any) -> bool:
    if isinstance(old, Decimal) and isinstance(new, Decimal | int):
        return old == Decimal(new)
    return bool(old == new)
