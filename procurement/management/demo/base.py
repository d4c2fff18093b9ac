"""What every part of the demo uses: its records, its people, its reason."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import models

from procurement.services.actors import Actor

DATA = Path(__file__).resolve().parent / "data"
REASON = "demo scenario"


def data(name: str) -> Any:
    """Return the records of a file under `data/`."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def by(name: str, reason: str = REASON) -> Actor:
    """Return one of the demo's people at the door of the command; the services check the role."""
    return Actor(user=User.objects.get(username=name), source="command", reason=reason)


def add_coded(
    model: type[models.Model], entries: Iterable[dict[str, Any]], create: Callable[[dict[str, Any]], object]
) -> int:
    """Create the entries whose code is not there yet; return how many."""
    known = set(model._default_manager.values_list("code", flat=True))
    missing = [entry for entry in entries if entry["code"] not in known]
    for entry in missing:
        create(entry)
    return len(missing)
