"""The demo's people: one of each role, all with the password that everybody knows."""

from collections.abc import Mapping

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User

from procurement.permissions import ADMINISTRATOR, ANALYST, FACILITIES, FINANCE, VIEWER

DEMO_PASSWORD = "demo"  # noqa: S105 - printed beside the address; the command refuses a database that is in use
DEMO_USERS: Mapping[str, str] = {
    "demo": ADMINISTRATOR,
    "analyst": ANALYST,
    "facilities": FACILITIES,
    "finance": FINANCE,
    "viewer": VIEWER,
}


def people() -> int:
    """Add who is missing; hashing is slow on purpose, so it is done once for all of them."""
    missing = set(DEMO_USERS) - set(User.objects.values_list("username", flat=True))
    password = make_password(DEMO_PASSWORD) if missing else ""
    for name, role in DEMO_USERS.items():
        if name in missing:
            is_administrator = role == ADMINISTRATOR
            user = User.objects.create(
                username=name, email=f"{name}@example.org", password=password, is_staff=is_administrator,
                is_superuser=is_administrator,
            )  # fmt: skip
            user.groups.add(Group.objects.get_or_create(name=role)[0])
    return len(missing)
