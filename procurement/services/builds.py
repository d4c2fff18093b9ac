"""Writes of builds: details, tranches, cost lines, evidence and promises."""

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import Build, CostLine, Evidence, Promise, Tranche, Waiver
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.checks import build_check
from procurement.services.file_names import kept_name
from procurement.services.records import record_archive, record_create, record_update, validation_error
from procurement.services.runs import recompute_request

BuildPart = Tranche | CostLine | Waiver
MAX_ATTACHMENT_BYTES = 20 * 1024 * 1024


def build_create(*, by: Actor, values: Mapping[str, Any]) -> Build:
    """Store a new build; its tranches, evidence and cost lines follow."""
    require(by.user, "build.edit")
    with transaction.atomic():
        build = record_create(by=by, record=Build(**values), action="build.create", check=build_check)
        recompute_request(by=by, cause=f"build {build.code} added")
    return build


def build_update(*, by: Actor, build: Build, version: int, values: Mapping[str, Any]) -> Build:
    """Change a build that is still at ``version``."""
    require(by.user, "build.edit")
    with transaction.atomic():
        build = record_update(
            by=by, record=build, version=version, values=values, action="build.update", check=build_check
        )
        recompute_request(by=by, cause=f"build {build.code} changed")
    return build


def build_archive(*, by: Actor, build: Build, version: int, is_archived: bool = True) -> Build:
    """Take a build out of every comparison, or bring it back; its records stay."""
    require(by.user, "build.edit")
    with transaction.atomic():
        build = record_archive(by=by, record=build, version=version, action="build.archive", is_archived=is_archived)
        recompute_request(by=by, cause=f"build {build.code} archived")
    return build


def build_part_create(*, by: Actor, build: Build, part: type[BuildPart], values: Mapping[str, Any]) -> BuildPart:
    """Add a tranche, a cost line or a waiver to a build."""
    require(by.user, "build.edit")
    with transaction.atomic():
        record = record_create(by=by, record=part(build=build, **values), action=f"{part._meta.model_name}.create")
        build_check(_reread(build))
        recompute_request(by=by, cause=f"build {build.code}: {record} added")
    return record


def build_part_update(*, by: Actor, record: BuildPart, version: int, values: Mapping[str, Any]) -> BuildPart:
    """Change a tranche, a cost line or a waiver that is still at ``version``."""
    require(by.user, "build.edit")
    with transaction.atomic():
        action = f"{record._meta.model_name}.update"
        changed = record_update(by=by, record=record, version=version, values=values, action=action)
        build_check(_reread(changed.build))
        recompute_request(by=by, cause=f"build {changed.build.code}: {changed} changed")
    return changed


def build_part_archive(*, by: Actor, record: BuildPart, version: int, is_archived: bool = True) -> BuildPart:
    """Take a tranche, a cost line or a waiver out of use, or bring it back."""
    return build_part_update(by=by, record=record, version=version, values={"is_archived": is_archived})


def evidence_add(
    *, by: Actor, build: Build, values: Mapping[str, Any], attachment: tuple[str, bytes] | None = None
) -> Evidence:
    """Append a statement of evidence, with its proof as a link or a file of (name, content).

    Refuses evidence with neither link nor file, for a tranche that the build has not, or that the engine refuses.
    """
    require(by.user, "evidence.add")
    evidence = Evidence(build=build, recorded_by=by.user, **values)
    if attachment is not None:
        _attach(evidence, *attachment)
    if not (evidence.source or evidence.attachment):
        message = "Say where the proof is: a link in `source`, or a file."
        raise ProcurementError("invalid", message, {"source": [message]})
    _refuse_unknown_tranche(build, evidence.tranche)
    with transaction.atomic():
        _append(by=by, record=evidence, action="evidence.add")
    return evidence


def evidence_confirm(*, by: Actor, evidence: Evidence, observed_on: date, source: str = "") -> Evidence:
    """Append the same statement as still true on a later day; the earlier one stays as it is."""
    require(by.user, "evidence.add")
    if observed_on <= evidence.observed_on:
        message = f"{observed_on} is not after {evidence.observed_on}, the day already on record."
        raise ProcurementError("invalid", message, {"observed_on": [message]})
    kept = {
        field.name: getattr(evidence, field.name)
        for field in Evidence._meta.concrete_fields
        if field.name not in {"id", "recorded_at", "recorded_by", "recorded_on", "valid_until", "confirms"}
    }
    kept |= {"observed_on": observed_on, "confirms": evidence, "source": source or evidence.source}
    confirmation = Evidence(recorded_by=by.user, **kept)
    with transaction.atomic():
        _append(by=by, record=confirmation, action="evidence.confirm")
    return confirmation


def promise_add(*, by: Actor, build: Build, values: Mapping[str, Any]) -> Promise:
    """Append a promised date; earlier promises stay, and count in the forecast."""
    require(by.user, "evidence.add")
    promise = Promise(build=build, recorded_by=by.user, **values)
    _refuse_unknown_tranche(build, promise.tranche)
    with transaction.atomic():
        _append(by=by, record=promise, action="promise.add")
    return promise


def _append(*, by: Actor, record: Evidence | Promise, action: str) -> None:
    try:
        record.full_clean()
    except ValidationError as error:
        raise validation_error(error) from error
    record.save(force_insert=True)
    build_check(_reread(record.build))
    changes = {
        field.name: [None, field.value_from_object(record)]
        for field in record._meta.concrete_fields
        if field.value_from_object(record) not in (None, "")
    }
    changes = {name: [None, str(pair[1])] for name, pair in changes.items()}
    audit_record(by=by, action=action, record=record, changes=changes)
    recompute_request(by=by, cause=f"build {record.build.code}: {record.gate} {action.split('.')[0]}")


def _attach(evidence: Evidence, name: str, content: bytes) -> None:
    if len(content) > MAX_ATTACHMENT_BYTES:
        message = f"{name} has {len(content):,} bytes; at most {MAX_ATTACHMENT_BYTES:,} are kept. Give a link instead."
        raise ProcurementError("invalid", message, {"attachment": [message]})
    digest = hashlib.sha256(content).hexdigest()
    evidence.attachment_name = kept_name(name)[:255]
    evidence.attachment_sha256 = digest
    # the stored name is ours, so that no path or type of the sender's choosing reaches the disk
    evidence.attachment.save(f"{digest}.bin", ContentFile(content), save=False)


def _refuse_unknown_tranche(build: Build, tranche: str) -> None:
    known = [part.code for part in build.tranches.filter(is_archived=False)]
    if tranche in known or tranche == "*" or tranche.startswith("site:"):
        return
    message = f"`{tranche}` is no tranche of {build.code}. It has {', '.join(known) or 'none yet'}; `*` means all."
    raise ProcurementError("invalid", message, {"tranche": [message]})


def _reread(build: Build) -> Build:
    return Build.objects.prefetch_related("tranches", "costs", "waived", "evidence", "promises").get(pk=build.pk)
