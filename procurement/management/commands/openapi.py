"""Write the OpenAPI file of the interface anew, or check that it is as the views say."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from procurement.api.openapi import OPENAPI_FILE, openapi_text


class Command(BaseCommand):
    """``manage.py openapi`` writes the file; ``--check`` only says whether it is up to date."""

    help = "Write procurement/api/openapi-v1.yaml from the views, or check it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the one option."""
        parser.add_argument("--check", action="store_true", help="change nothing; fail when the file is out of date")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write or check."""
        text = openapi_text()
        if not options["check"]:
            OPENAPI_FILE.write_text(text, encoding="utf-8")
            self.stdout.write(f"wrote {OPENAPI_FILE.name}")
        elif not OPENAPI_FILE.is_file() or OPENAPI_FILE.read_text(encoding="utf-8") != text:
            raise CommandError(f"{OPENAPI_FILE.name} is out of date; run `python manage.py openapi`.")
