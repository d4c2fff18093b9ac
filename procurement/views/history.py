"""The history of a record as its page shows it: who, when, why, and each field before and after."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db.models import Model

from procurement.choices import ColumnNote, column_notes
from procurement.forms.labels import label_of
from procurement.models import AuditEntry
from procurement.selectors.history import history_of

TABLES = {
    "quote": "Quote", "build": "Build", "workload": "Workload", "assumptionset": "Assumptions", "tranche": "Tranche",
    "costline": "CostLine", "evidence": "Evidence", "promise": "Promise",
}  # fmt: skip
WORDS = {
    "create": "entered",
    "update": "changed",
    "supersede": "re-quoted",
    "archive": "archived or restored",
    "add": "added",
    "confirm": "confirmed as still true",
    "put_in_force": "put in force",
    "receive": "received",
    "import": "imported",
    "refuse": "refused",
    "release": "released",
    "prepare": "prepared",
    "approved": "approved",
    "rejected": "rejected",
    "withdrawn": "withdrawn",
    "revoke": "revoked",
    "watch": "watched",
    "publish": "published",
    "amend": "amended",
    "extend": "given a later deadline",
    "cancel": "cancelled",
    "begin_opening": "about to be opened",
    "open": "opened",
    "record_opening": "opened, with these bids",
    "award": "awarded",
    "not_award": "not awarded",
    "decline": "declined",
    "bid_after_all": "taken up after all",
    "notify": "written to all suppliers",
    "send": "sent",
    "ask": "asked",
    "request": "asked for",
    "stop": "told to stop",
    "answer": "answered",
    "withdraw": "withdrawn",
    "reject": "rejected",
}
THINGS = {
    "costline": "Cost line",
    "contractdiscount": "Discount",
    "pricewatch": "Night of prices",
    "assumptionset": "Assumption set",
    "pricesheet": "Price sheet",
    "sheetrow": "Row",
    "quoterequest": "Request",
    "requestinvitation": "Invitation",
    "requestbid": "Bid",
    "requestnotice": "Notice",
    "requestquestion": "Question",
    "requestletter": "Letter",
}


def history_shown(record: Model) -> list[dict[str, Any]]:
    """Return the history of a record, newest first, as the history component shows it."""
    return [entry_shown(entry) for entry in history_of(record)]


def entry_shown(entry: AuditEntry) -> dict[str, Any]:
    """Return one entry in words."""
    thing = THINGS.get(entry.record_type, entry.record_type.capitalize())
    verb = WORDS.get(entry.action.rpartition(".")[2], entry.action)
    changes = changes_shown(entry.record_type, entry.changes)
    return {
        "at": entry.at, "who": str(entry.user) if entry.user else "the service", "source": entry.source,
        "reason": entry.reason, "summary": f"{thing} {verb}", "name": entry.record_name, "changes": changes,
    }  # fmt: skip


def changes_shown(record_type: str, changes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return {field: (before, after)} of a record as the component of differences shows it."""
    table = TABLES.get(record_type)
    notes = column_notes(table) if table else {}
    return [_change(name, pair, notes) for name, pair in changes.items() if name != "id"]


def _change(name: str, pair: Sequence[Any], notes: Mapping[str, ColumnNote]) -> dict[str, Any]:
    return {
        "name": label_of(name), "unit": notes[name].unit if name in notes else "",
        "was": _value(pair[0]), "now": _value(pair[1]),
    }  # fmt: skip


def _part(part: Any) -> str:
    if isinstance(part, Mapping):
        return "; ".join(f"{label_of(name)} {value}" for name, value in sorted(part.items()))
    return str(part)


def _value(value: Any) -> str | None:
    if value in (None, "", [], {}):
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, list):
        return ", ".join(_part(part) for part in value)
    if isinstance(value, str) and value.replace(".", "", 1).lstrip("-").isdigit() and "." in value:
        return value.rstrip("0").rstrip(".")
    return str(value)
