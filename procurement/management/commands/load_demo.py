"""`manage.py load_demo`: the demo's people and records, through the services that web and API use."""

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from django.core.management import BaseCommand, CommandError
from django.db import models, transaction

from procurement.choices import workload_presets
from procurement.errors import ProcurementError
from procurement.models import (
    AssumptionSet,
    Build,
    CostLine,
    Provider,
    Quote,
    Site,
    Tranche,
    Waiver,
    Workload,
)
from procurement.permissions import ADMINISTRATOR, ANALYST, FACILITIES, FINANCE, VIEWER
from procurement.services.actors import Actor
from procurement.services.assumptions import assumption_set_create, assumption_set_put_in_force
from procurement.services.builds import build_create, build_part_create, evidence_add, promise_add
from procurement.services.price_sheets import price_sheet_receive
from procurement.services.providers import provider_create, site_create
from procurement.services.quotes import quote_create
from procurement.services.workloads import workload_create
from procurement.tasks import nudge

DEMO_FOLDER = Path(__file__).resolve().parents[1] / "demo"
DEMO_PASSWORD = "demo"  # noqa: S105 - printed beside the address; the command refuses a database that is in use
DEMO_USERS: Mapping[str, str] = {
    "demo": ADMINISTRATOR,
    "analyst": ANALYST,
    "facilities": FACILITIES,
    "finance": FINANCE,
    "viewer": VIEWER,
}
REASON = "demo scenario"
BUILD_PARTS: Mapping[str, type[Tranche | CostLine | Waiver]] = {
    "tranches": Tranche, "costs": CostLine, "waived": Waiver,
}  # fmt: skip


class Command(BaseCommand):
    """Load the demo; what is there already is left as it is, edits included."""

    help = "Load the demo scenario into an empty database. Loading twice adds nothing and changes nothing."

    def add_arguments(self, parser: Any) -> None:
        """Take --into-existing."""
        parser.add_argument(
            "--into-existing", action="store_true", help="load although the database holds other people or records"
        )

    def handle(self, *args: Any, into_existing: bool = False, **options: Any) -> None:
        """Load everything in one transaction, or nothing."""
        if not into_existing:
            _require_empty_or_demo()
        try:
            with transaction.atomic():
                added = _load()
                if any(added.values()):
                    nudge()
        except ProcurementError as error:
            raise CommandError(f"The demo was not loaded, nothing was stored: {error.message}") from error
        told = ", ".join(f"{count} {name}" for name, count in added.items() if count)
        self.stdout.write(f"added {told}" if told else "the demo is loaded already; nothing was added")


def _require_empty_or_demo() -> None:
    """Refuse a database that people work with: the demo's password is known to everybody."""
    if User.objects.filter(username="demo").exists():
        return
    used = [model for model in (User, Workload, AssumptionSet) if model._default_manager.exists()]
    if used:
        names = " and ".join(str(model._meta.verbose_name_plural) for model in used)
        raise CommandError(
            f"This database already holds {names}. The demo brings people whose password everybody knows, so it "
            "belongs into an empty database: set another DATA_DIR or DATABASE_URL, or pass --into-existing."
        )


def _load() -> dict[str, int]:
    """Load what is missing, prices first so that their import is queued before the recomputation."""
    password = make_password(DEMO_PASSWORD)  # slow on purpose, so once for all of them
    return {
        "people": sum(_add_user(name, role, password) for name, role in DEMO_USERS.items()),
        "providers": _add_coded(Provider, _data("providers.json"), _create_provider),
        "price sheets": sum(_add_sheet(entry) for entry in _data("prices/sheets.json")),
        "sites": _add_coded(Site, _data("sites.json"), _create_site),
        "assumption sets": _add_assumptions(_data("assumptions.json")),
        "builds": _add_coded(Build, _builds(), _create_build),
        "example offers": _add_coded(Quote, _data("offers.json"), _create_offer),
        "workloads": _add_coded(Workload, _data("workloads.json"), _create_workload),
    }


def _data(name: str) -> Any:
    return json.loads((DEMO_FOLDER / name).read_text(encoding="utf-8"))


def _builds() -> list[dict[str, Any]]:
    return [_data(f"builds/{path.name}") for path in sorted((DEMO_FOLDER / "builds").glob("*.json"))]


def _by(name: str) -> Actor:
    """Return one of the demo's people at the door of the command; the services check the role."""
    return Actor(user=User.objects.get(username=name), source="command", reason=REASON)


def _add_user(name: str, role: str, password: str) -> int:
    is_administrator = role == ADMINISTRATOR
    defaults = {
        "email": f"{name}@example.org", "password": password, "is_staff": is_administrator,
        "is_superuser": is_administrator,
    }  # fmt: skip
    user, is_new = User.objects.get_or_create(username=name, defaults=defaults)
    if is_new:
        user.groups.add(Group.objects.get_or_create(name=role)[0])
    return int(is_new)


def _add_coded(model: type[models.Model], entries: Iterable[dict[str, Any]], create: Any) -> int:
    """Create the entries whose code is not there yet; return how many."""
    known = set(model._default_manager.values_list("code", flat=True))
    missing = [entry for entry in entries if entry["code"] not in known]
    for entry in missing:
        create(entry)
    return len(missing)


def _add_sheet(entry: Mapping[str, str]) -> int:
    """Receive one sheet of published prices; the worker imports it."""
    _, is_new = price_sheet_receive(
        by=_by("analyst"),
        file_name=entry["file"],
        content=(DEMO_FOLDER / "prices" / entry["file"]).read_bytes(),
        observed_on=date.fromisoformat(entry["observed_on"]),
        source=entry["source"],
        options={"provider": Provider.objects.get(code=entry["provider"])},
    )
    return int(is_new)


def _add_assumptions(entry: Mapping[str, Any]) -> int:
    """Create the set and put it in force once; a set that finance put in force since stays in force."""
    if AssumptionSet.objects.filter(name=entry["values"]["name"]).exists():
        return 0
    by = _by("finance")
    assumption_set = assumption_set_create(by=by, values=entry["values"], fx=entry["fx"])
    assumption_set_put_in_force(by=by, assumption_set=assumption_set)
    return 1


def _create_provider(entry: Mapping[str, Any]) -> None:
    provider_create(by=_by("analyst"), values=entry)


def _create_site(entry: Mapping[str, Any]) -> None:
    site_create(by=_by("facilities"), values=entry)


def _create_build(entry: Mapping[str, Any]) -> None:
    by = _by("facilities")
    lists = {*BUILD_PARTS, "evidence", "promises"}
    values = {name: value for name, value in entry.items() if name not in lists}
    values["site"] = Site.objects.get(code=entry["site"])
    values["owner"] = by.user
    if "operator" in values:
        values["operator"] = Provider.objects.get(code=values["operator"])
    build = build_create(by=by, values=values)
    for name, part in BUILD_PARTS.items():
        for line in entry[name]:
            build_part_create(by=by, build=build, part=part, values=line)
    for statement in entry["evidence"]:
        evidence_add(by=by, build=build, values=statement)
    for promise in entry["promises"]:
        promise_add(by=by, build=build, values=promise)


def _create_offer(entry: Mapping[str, Any]) -> None:
    values = {**entry, "provider": Provider.objects.get(code=entry["provider"])}
    if "cluster" in values:
        values["cluster"] = Build.objects.get(code=values["cluster"])
    quote_create(by=_by("analyst"), values=values)


def _create_workload(entry: Mapping[str, Any]) -> None:
    """Start from a preset, as the form does, and change what the owner changed."""
    by = _by("analyst")
    preset = next(preset for preset in workload_presets() if preset.kind == entry["preset"])
    defaults = {name: list(value) if isinstance(value, tuple) else value for name, value in preset.values.items()}
    described = {name: entry[name] for name in ("code", "name", "note")}
    workload_create(by=by, values={"kind": preset.kind, "owner": by.user, **defaults, **entry["values"], **described})
