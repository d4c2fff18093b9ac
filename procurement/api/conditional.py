"""Versions as ETags: If-Match guards changes, If-None-Match saves transfers."""

import re
from typing import Any

from rest_framework.request import Request

from procurement.api.problems import Refusal

_TAG = re.compile(r'(?:W/)?"(\d{1,9})"', re.ASCII)


def etag(record: Any) -> str | None:
    """Return the ETag of a record, its version in quotes; ``None`` for records without one."""
    version = getattr(record, "version", None)
    return None if version is None else f'"{version}"'


def version_asked(request: Request, record: Any) -> int:
    """Return the version that the change is meant for; refuses a change that does not say which."""
    header = request.headers.get("If-Match")
    current = f"read it first and send its ETag, now {etag(record)}"
    if header is None or header.strip() == "*":
        detail = f"A change says which version it is meant for: {current}, in the header If-Match."
        raise Refusal(428, "precondition_required", detail, errors=[{"header": "If-Match", "detail": detail}])
    versions = [int(version) for version in _TAG.findall(header)]
    if not versions:
        detail = f"If-Match is not the ETag of this record: {current}."
        raise Refusal(412, "version_conflict", detail, errors=[{"header": "If-Match", "detail": detail}])
    return record.version if record.version in versions else versions[0]


def is_not_modified(request: Request, tag: str | None) -> bool:
    """Return whether the client already holds what would be sent."""
    header = request.headers.get("If-None-Match")
    if header is None or tag is None:
        return False
    held = [entry.strip().removeprefix("W/") for entry in header.split(",")]
    return tag in held or "*" in held
