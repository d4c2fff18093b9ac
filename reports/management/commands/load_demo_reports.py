"""`manage.py load_demo_reports`: the demo's weekly mail, through the service that the page uses."""

from datetime import time
from typing import Any

from django.contrib.auth.models import User
from django.core.management import BaseCommand, CommandError

from procurement.errors import ProcurementError
from reports.models import ReportSubscription
from reports.services import subscription_create

OWNER = "analyst"  # a person of the demo
SUBSCRIPTION: dict[str, Any] = {
    "name": "Weekly recommendations",
    "report": "recommendations",
    "recipients": ["board@example.org", "finance@example.org"],
    "days": ["mon"],
    "time": time(7, 0),
    "time_zone": "Europe/Stockholm",
}


class Command(BaseCommand):
    """Add the demo's subscription; one that is there is left as it is."""

    help = "Add the weekly mail of the demo. Run load_demo first; running this twice adds nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        """Add it once."""
        if ReportSubscription.objects.filter(name=SUBSCRIPTION["name"]).exists():
            self.stdout.write("the weekly mail is there already; nothing was added")
            return
        owner = User.objects.filter(username=OWNER).first()
        if owner is None:
            raise CommandError(f"There is no person `{OWNER}` to own the weekly mail; run load_demo first.")
        try:
            subscription_create(user=owner, values=SUBSCRIPTION, source="command", reason="demo scenario")
        except ProcurementError as error:
            raise CommandError(f"The weekly mail was not added: {error.message}") from error
        self.stdout.write(f"added the weekly mail to {', '.join(SUBSCRIPTION['recipients'])}")
