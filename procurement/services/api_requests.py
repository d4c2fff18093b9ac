"""What the interface keeps of requests: replies by idempotency key and the count of requests a minute."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import OperationalError, connection
from django.db.models.functions import Now

from procurement.errors import ProcurementError
from procurement.models import ApiIdempotency, ApiUsage
from procurement.services.locks import key_of, wait_for

KEEP = timedelta(hours=48)
WAIT_MILLISECONDS = 3000
_LOCK_NOT_AVAILABLE = "55P03"

COUNT = """
INSERT INTO procurement_apiusage AS used (subject, started_at, requests)
VALUES (%(subject)s, clock_timestamp(), 1)
ON CONFLICT (subject) DO UPDATE SET
    requests = CASE WHEN used.started_at <= clock_timestamp() - make_interval(secs => %(window)s)
        THEN 1 ELSE used.requests + 1 END,
    started_at = CASE WHEN used.started_at <= clock_timestamp() - make_interval(secs => %(window)s)
        THEN clock_timestamp() ELSE used.started_at END
RETURNING requests, extract(epoch FROM started_at + make_interval(secs => %(window)s) - clock_timestamp())
"""


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests of a subject in its current window and the seconds until the window ends."""

    requests: int
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Who asked what: one reply is kept for each subject and key."""

    subject: str
    key: str
    path: str
    body_sha256: str


def usage_count(*, subject: str, window_seconds: int) -> Usage:
    """Count one request; one statement, so that any number of processes count right."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"subject": subject, "window": window_seconds})
        requests, seconds_left = cursor.fetchone()
    return Usage(requests=requests, seconds_left=max(float(seconds_left), 0.0))


def reply_recall(*, asked: Fingerprint) -> ApiIdempotency | None:
    """Return the kept reply to the same request, ``None`` when this is the first; the key stays locked until commit.

    Call it first in the transaction of the effect. Refuses a key that came with another request, and one whose first
    request is still being carried out after a short wait.
    """
    _lock(asked)
    kept = ApiIdempotency.objects.filter(subject=asked.subject, key=asked.key).first()
    if kept is not None and (kept.path, kept.body_sha256) != (asked.path, asked.body_sha256):
        raise ProcurementError(
            "idempotency_key_reused",
            f"Idempotency-Key `{asked.key}` came with another request before; use a new key for a new request.",
        )
    return kept


def reply_keep(*, asked: Fingerprint, status: int, headers: Mapping[str, str], body: str) -> None:
    """Keep a reply for the key, in the transaction of its effect."""
    ApiIdempotency.objects.create(
        subject=asked.subject, key=asked.key, path=asked.path, body_sha256=asked.body_sha256, status=status,
        headers=dict(headers), body=body,
    )  # fmt: skip


def replies_prune() -> int:
    """Delete replies older than 48 hours, and counts of subjects that have not asked since; return how many."""
    old = Now() - KEEP
    ApiUsage.objects.filter(started_at__lt=old).delete()
    return ApiIdempotency.objects.filter(created_at__lt=old).delete()[0]


def _lock(asked: Fingerprint) -> None:
    digest = hashlib.sha256(f"{asked.subject}\n{asked.key}".encode()).digest()
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = {WAIT_MILLISECONDS}")
            wait_for(key_of(digest))
            cursor.execute("SET LOCAL lock_timeout = DEFAULT")
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != _LOCK_NOT_AVAILABLE:
            raise
        raise ProcurementError(
            "idempotency_in_flight",
            f"The first request with Idempotency-Key `{asked.key}` is still being carried out; ask again in a moment.",
        ) from error
