"""Price sheets: published prices, invented lists with held rows, a refresh that failed, a draft that waits.

The first three are received before anything else, so that their jobs have put them in force when the rest is asked.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from procurement.management.demo.base import DATA, by, data
from procurement.models import PriceSheet, Provider, SheetRow, SheetRowState, SheetState
from procurement.services.price_sheet_releases import sheet_row_release
from procurement.services.price_sheets import price_sheet_receive


def price_sheets() -> int:
    """Receive published prices and invented lists; the worker imports them, or refuses the one that is no list."""
    return sum(_receive(entry) for entry in data("prices/sheets.json"))


def price_drafts() -> int:
    """Receive the lists that wait for a person; their differences are those to what the lists before put in force."""
    return sum(_receive(entry, is_draft=True) for entry in data("prices/drafts.json"))


def held_rows_released() -> int:
    """Release the held rows of which the supplier confirmed the price; the others stay held with their reasons."""
    released = 0
    for entry in data("prices/releases.json"):
        sheet = _sheet(entry).first()
        row = SheetRow.objects.filter(sheet=sheet, line=entry["line"], state=SheetRowState.HELD).first()
        if row is not None and row.sheet.state == SheetState.IMPORTED:
            sheet_row_release(by=by("analyst", entry["reason"]), row=row, values=entry["values"])
            released += 1
    return released


def _receive(entry: Mapping[str, str], *, is_draft: bool = False) -> int:
    """Receive a sheet once: one that a person undid or discarded since stays away."""
    if _sheet(entry).exists():
        return 0
    options: dict[str, Any] = {"provider": Provider.objects.get(code=entry["provider"]), "is_draft": is_draft}
    _, is_new = price_sheet_receive(
        by=by("analyst"),
        file_name=entry["file"],
        content=(DATA / "prices" / entry["file"]).read_bytes(),
        observed_on=date.fromisoformat(entry["observed_on"]),
        source=entry["source"],
        options=options,
    )
    return int(is_new)


def _sheet(entry: Mapping[str, str]) -> Any:
    return PriceSheet.objects.filter(file_name=entry["file"], observed_on=entry["observed_on"])
