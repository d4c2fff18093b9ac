"""How the columns of a supplier's sheet are read: kept when it is used, offered when headers like these come again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from procurement.models import ImportProfile, PriceSheet
from procurement.services.actors import Actor
from procurement.services.audit import audit_record


def headers_digest(headers: Sequence[str]) -> str:
    """Return what tells sheets of the same headers, in any order and case."""
    names = sorted({name.strip().casefold() for name in headers if name.strip()})
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()


def import_profile_keep(*, by: Actor, sheet: PriceSheet, profile: Mapping[str, Any]) -> ImportProfile:
    """Keep how a sheet is read, for the next of its supplier and headers; works in the caller's transaction."""
    headers = list(sheet.preview.get("headers") or profile.get("columns") or ())
    known = ImportProfile.objects.select_for_update().filter(
        provider=sheet.provider, headers_digest=headers_digest(headers)
    )
    record = known.first() or ImportProfile(
        provider=sheet.provider, headers=headers, headers_digest=headers_digest(headers), created_by=by.user, version=0
    )
    before = [record.profile, record.decimal, record.zone] if record.pk else None
    record.profile, record.decimal, record.zone = dict(profile), sheet.decimal, sheet.zone
    now = [record.profile, record.decimal, record.zone]
    record.used_by = by.user
    if before != now:
        record.version += 1
    record.save()
    if before != now:
        audit_record(by=by, action="import_profile.keep", record=record, changes={"profile": [before, now]})
    return record
