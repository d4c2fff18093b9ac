"""`manage.py restore`: a backup into an empty place, or only the proof that it could be restored."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import BaseCommand, CommandError
from django.db import connection

from procurement.management.archive import Manifest, database_restore, manifest_read, media_restore, table_digests

NOT_SENT_YET = ("pending", "claimed", "sending", "retry")
HELD = "uncertain"
HELD_BECAUSE = "The service was restored from a backup: this message may have been sent since. Check, then resend."


class Command(BaseCommand):
    """Restore a backup, or prove it."""

    help = "Restore a backup into an empty database, or with --verify into a passing one that is compared and dropped."

    def add_arguments(self, parser: Any) -> None:
        """Take the folder and --verify."""
        parser.add_argument("folder")
        parser.add_argument("--verify", action="store_true", help="restore beside the data, compare, drop")

    def handle(self, *args: Any, folder: str, verify: bool, **options: Any) -> None:
        """Check the files first; nothing is touched when they are damaged."""
        source = Path(folder).absolute()
        manifest = manifest_read(source)
        if verify:
            self._verify(source, manifest)
        else:
            self._restore(source, manifest)

    def _verify(self, source: Path, manifest: Manifest) -> None:
        with _passing_database() as name:
            database_restore(source, database=name)
            with _connected_to(name):
                _compare(manifest)
        self.stdout.write(f"{source} can be restored: {len(manifest.tables)} tables are equal row by row.")

    def _restore(self, source: Path, manifest: Manifest) -> None:
        held = [name for name, (count, _) in table_digests().items() if count]
        if held:
            raise CommandError(
                f"The database is not empty ({', '.join(held[:5])} ...). Restore into a new one: "
                "DATA_DIR=/an/empty/folder manage.py restore, or a DATABASE_URL without tables."
            )
        database_restore(source, database=connection.settings_dict["NAME"])
        _compare(manifest)
        media_restore(source)
        count = _hold_mail()
        self.stdout.write(f"Restored the state of {manifest.made_at}; {count} unsent messages wait for a person.")


def _compare(manifest: Manifest) -> None:
    found = table_digests()
    different = sorted(name for name in manifest.tables if list(found.get(name, [])) != manifest.tables[name])
    if different:
        raise CommandError(f"The restored tables differ from the backup: {', '.join(different)}.")


def _hold_mail() -> int:
    """Hand what was not sent yet to a person: it may have been sent after the backup was made."""
    outbox = apps.get_model("reports", "OutboxMessage")
    return outbox.objects.filter(state__in=NOT_SENT_YET).update(
        state=HELD, last_reply=HELD_BECAUSE, owner="", lease_until=None
    )


@contextmanager
def _passing_database() -> Iterator[str]:
    name = f"restore_check_{secrets.token_hex(6)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    try:
        yield name
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def _connected_to(name: str) -> Iterator[None]:
    """Point Django's connection at another database of the same server for a while."""
    entry = connection.settings_dict
    before = entry["NAME"]
    connection.close()
    entry["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        entry["NAME"] = before
