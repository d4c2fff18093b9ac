"""`manage.py backup`: database, uploaded files and a manifest, while the service runs."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand
from django.utils import timezone

from procurement.management.archive import backup_write


class Command(BaseCommand):
    """Write a backup."""

    help = "Write a backup of database and uploaded files; the service may run meanwhile."

    def add_arguments(self, parser: Any) -> None:
        """Take the folder to make."""
        parser.add_argument("folder", nargs="?", help="a folder that does not exist yet (default: backups/<time>)")

    def handle(self, *args: Any, folder: str | None, **options: Any) -> None:
        """Write it and say what it holds."""
        default = settings.DATA_DIR / "backups" / f"{timezone.now():%Y-%m-%dT%H%M%SZ}"
        target = Path(folder).absolute() if folder else default
        manifest = backup_write(target)
        rows = sum(count for count, _ in manifest.tables.values())
        self.stdout.write(f"{target}: {rows} rows in {len(manifest.tables)} tables")
        self.stdout.write("Prove it with: manage.py restore --verify FOLDER")
