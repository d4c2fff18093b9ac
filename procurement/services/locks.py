"""Advisory locks of the database: who asks for one waits for its holder, whose transaction ends it."""

import enum

from django.db import connection


@enum.unique
class Lock(enum.IntEnum):
    """What is done by one after the other, each by its own key."""

    AUDIT_CHAIN = 4_817_001  # the chain has one writer at a time
    DECISION_NUMBERS = 4_817_002
    REQUEST_NUMBERS = 4_817_003
    PRICE_SHEETS = 4_817_004  # sheets are put in force and taken back one after the other


def wait_for(key: int) -> None:
    """Take a lock in the caller's transaction, once nobody else holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])


def key_of(digest: bytes) -> int:
    """Return the lock of one content: whoever sends the same waits until the first has stored it."""
    return int.from_bytes(digest[:8], "big", signed=True)
