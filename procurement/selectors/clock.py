"""The one clock that every process shares: the database's."""

from datetime import datetime

from django.db import connection


def database_now() -> datetime:
    """Return the instant at which the database is asked, whatever transaction is open."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row: tuple[datetime] = cursor.fetchone()
    return row[0]
