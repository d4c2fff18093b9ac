"""Backups: one folder with the database, the uploaded files and a manifest that proves them."""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import connection, transaction
from django.utils import timezone

from procurement.models import AuditEntry

DATABASE_FILE = "database.dump"
MEDIA_FILE = "media.tar"
MANIFEST_FILE = "manifest.json"
READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds.

    Parameters
    ----------
    made_at
        ISO instant in UTC.
    files
        sha256 by file name.
    tables
        Row count and digest of all rows, by table, in the snapshot of the dump.
    audit_entries, audit_digest
        Length and last digest of the audit chain in that snapshot.
    """

    made_at: str
    files: dict[str, str]
    tables: dict[str, list[Any]]
    audit_entries: int
    audit_digest: str


def backup_write(folder: Path) -> Manifest:
    """Write a backup into a new folder; it gets its name only when it is complete."""
    if folder.exists():
        raise CommandError(f"{folder} exists already; name a folder that does not.")
    aside = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True, mode=0o700)
    with _snapshot() as snapshot:
        _program("pg_dump", "--format=custom", f"--snapshot={snapshot}", f"--file={aside / DATABASE_FILE}")
        tables = table_digests()
        last = AuditEntry.objects.order_by("-pk").first()
        count = AuditEntry.objects.count()
    # Uploaded files are never changed, so a copy made after the snapshot holds every one that the snapshot names.
    with tarfile.open(aside / MEDIA_FILE, "w") as archive:
        if Path(settings.MEDIA_ROOT).is_dir():
            archive.add(settings.MEDIA_ROOT, arcname=".")
    manifest = Manifest(
        made_at=timezone.now().isoformat(timespec="seconds"),
        files={name: sha256_of(aside / name) for name in (DATABASE_FILE, MEDIA_FILE)},
        tables=tables,
        audit_entries=count,
        audit_digest=last.digest if last else "",
    )
    (aside / MANIFEST_FILE).write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")
    aside.rename(folder)
    return manifest


def manifest_read(folder: Path) -> Manifest:
    """Return the manifest of a backup whose files are as they were written; refuses any other."""
    path = folder / MANIFEST_FILE
    if not path.is_file():
        raise CommandError(f"{folder} is no backup: it has no {MANIFEST_FILE}.")
    manifest = Manifest(**json.loads(path.read_text(encoding="utf-8")))
    for name, digest in manifest.files.items():
        found = sha256_of(folder / name) if (folder / name).is_file() else "missing"
        if found != digest:
            raise CommandError(f"{folder / name} is damaged: its sha256 is {found}, the manifest says {digest}.")
    return manifest


def database_restore(folder: Path, *, database: str) -> None:
    """Load the dump into an empty database, all or nothing."""
    _program(
        "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction",
        f"--dbname={database}", str(folder / DATABASE_FILE), database=database,
    )  # fmt: skip


def media_restore(folder: Path) -> None:
    """Unpack the uploaded files."""
    target = Path(settings.MEDIA_ROOT)
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(folder / MEDIA_FILE) as archive:
        archive.extractall(target, filter="data")


def table_digests() -> dict[str, list[Any]]:
    """Return row count and digest of every table of the current database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
        names = [row[0] for row in cursor.fetchall()]
        found: dict[str, list[Any]] = {}
        for name in names:
            quoted = connection.ops.quote_name(name)
            cursor.execute(
                "SELECT count(*), coalesce(md5(string_agg(digest, '' ORDER BY digest)), '') "
                f"FROM (SELECT md5(t::text) AS digest FROM {quoted} AS t) AS rows"
            )
            found[name] = list(cursor.fetchone())
    return found


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()


@contextmanager
def _snapshot() -> Iterator[str]:
    """Open a transaction that sees one moment and lend that moment to another connection."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        yield cursor.fetchone()[0]


def _program(name: str, *arguments: str, database: str | None = None) -> None:
    entry = connection.settings_dict
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {
        "PGHOST": entry["HOST"],
        "PGPORT": str(entry["PORT"] or 5432),
        "PGUSER": entry["USER"],
        "PGPASSWORD": entry["PASSWORD"] or "",
        "PGDATABASE": database or entry["NAME"],
        "PGSSLMODE": entry["OPTIONS"].get("sslmode", "prefer"),
    }
    program = str(settings.POSTGRESQL_PROGRAMS / name)
    result = subprocess.run(
        [program, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise CommandError(f"{name} ended with {result.returncode}: {result.stderr.strip()}")
