"""`manage.py load_demo`: the demo's people and records, through the services that web and API use."""

from typing import Any

from django.core.management import BaseCommand, CommandError

from procurement.errors import ProcurementError
from procurement.management.demo.parts import demo_load


class Command(BaseCommand):
    """Load the demo's next round; what is there already is left as it is, edits included."""

    help = (
        "Load the demo scenario into an empty database, a round at a time: let a worker work it off and run this again "
        "until nothing is left to add, which `manage.py demo` does. Loading twice adds nothing and changes nothing."
    )

    def add_arguments(self, parser: Any) -> None:
        """Take --into-existing."""
        parser.add_argument(
            "--into-existing", action="store_true", help="load although the database holds other people or records"
        )

    def handle(self, *args: Any, into_existing: bool = False, **options: Any) -> None:
        """Load a round in one transaction, or nothing."""
        try:
            self.stdout.write(demo_load(into_existing=into_existing).words)
        except ProcurementError as error:
            raise CommandError(f"The demo was not loaded, nothing was stored: {error.message}") from error
