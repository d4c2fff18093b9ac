"""Measured use: what the scheduler and the bill say of three months."""

from datetime import date

from procurement.management.demo.base import DATA, by, data
from procurement.models import UsageFile
from procurement.services.actuals import usage_receive


def usage_files() -> int:
    """Receive what was never received; the worker reads it, and a file that a person withdrew stays away."""
    added = 0
    for entry in data("measured/files.json"):
        if UsageFile.objects.filter(file_name=entry["file"]).exists():
            continue
        usage_receive(
            by=by(entry["by"]),
            file_name=entry["file"],
            content=(DATA / "measured" / entry["file"]).read_bytes(),
            source=entry["source"],
            options={
                "time_zone": entry["time_zone"],
                "covers_from": date.fromisoformat(entry["covers_from"]),
                "covers_until": date.fromisoformat(entry["covers_until"]),
            },
        )
        added += 1
    return added
