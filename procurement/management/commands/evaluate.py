"""`manage.py evaluate`: a scenario document in, the whole answer out; no database needed."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from procurement.services.scenario_files import (
    ScenarioFileRefused,
    scenario_file_answer,
    scenario_file_example,
    scenario_file_schema,
    scenario_file_shortlist,
)

REFUSED = 2  # exit status of a document with faults: nothing was computed


class Command(BaseCommand):
    """Answer a scenario document."""

    help = "Answer a scenario document (JSON, lines that begin with // are comments). Exit status 2: it has faults."
    requires_system_checks: list[str] = []  # noqa: RUF012 - declared so by Django

    def add_arguments(self, parser: Any) -> None:
        """Take a file and how much is wanted of its answer, or ask for the schema or an example."""
        parser.add_argument("file", nargs="?", help="the document; - reads standard input")
        parser.add_argument(
            "--short", action="store_true", help="only what is recommended for each workload, without its figures"
        )
        parser.add_argument("--schema", action="store_true", help="print the JSON Schema of the document")
        parser.add_argument("--example", action="store_true", help="print a commented document")

    def handle(self, *args: Any, file: str | None, schema: bool, example: bool, **options: Any) -> None:
        """Print what was asked for."""
        if schema or example:
            self.stdout.write(scenario_file_schema() if schema else scenario_file_example())
            return
        if file is None:
            raise CommandError("Name a scenario file, or - for standard input.", returncode=REFUSED)
        text, folder = self._read(file)
        answered = scenario_file_shortlist if options["short"] else scenario_file_answer
        try:
            answer = answered(text=text, folder=folder)
        except ScenarioFileRefused as refused:
            self.stderr.write("\n".join((str(refused), *refused.lines)))
            raise CommandError("Nothing was computed.", returncode=REFUSED) from refused
        self.stdout.write(json.dumps(answer, indent=1, allow_nan=False))

    def _read(self, file: str) -> tuple[str, Path]:
        """Return the text and the folder that its hourly files stand in."""
        if file == "-":
            return sys.stdin.read(), Path()
        path = Path(file)
        try:
            return path.read_text(encoding="utf-8"), path.parent
        except (OSError, UnicodeDecodeError) as error:
            message = f"{file} cannot be read ({error}); a UTF-8 text file would be right."
            raise CommandError(message, returncode=REFUSED) from error
