"""Cells that a person has typed in the grid of a draft and not sent yet; kept, so that leaving the page loses none."""

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from procurement.errors import ProcurementError, VersionConflict
from procurement.models import PriceSheet, SheetState, TypedCell
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.price_sheets import MAX_CELL, Correction

MOST = 2_000  # cells that one person has typed in one draft and not sent


def typed_cells_keep(*, by: Actor, sheet: PriceSheet, version: int, cells: Iterable[Correction]) -> None:
    """Keep what a person typed; a cell that says again what stood there is forgotten. Nothing is checked or changed.

    Raises
    ------
    VersionConflict
        When somebody changed the draft since; what was typed is kept all the same, beside what stood there.
    """
    require(by.user, "quote.edit")
    typed = list(cells)
    if any(len(cell.value) > MAX_CELL or "\0" in cell.value for cell in typed):
        raise ProcurementError("invalid", f"A cell may hold at most {MAX_CELL:,} characters of text.")
    with transaction.atomic():
        locked = PriceSheet.objects.select_for_update(of=("self",)).get(pk=sheet.pk)
        if not locked.is_draft or locked.state not in (SheetState.CHECKED, SheetState.RECEIVED):
            raise ProcurementError(
                "not_open", f"{locked} takes no more cells: it is {locked.get_state_display().lower()}."
            )
        mine = TypedCell.objects.filter(sheet=locked, typed_by=by.user)
        if mine.count() + len(typed) > MOST:
            raise ProcurementError("too_many", f"At most {MOST:,} cells are kept; check the rows again to send them.")
        for cell in typed:
            if cell.value == cell.was:
                mine.filter(line=cell.line, column=cell.column).delete()
        TypedCell.objects.bulk_create(
            [
                TypedCell(
                    sheet=locked, typed_by=by.user, line=cell.line, column=cell.column[:300], was=cell.was,
                    value=cell.value, typed_at=timezone.now(),
                )
                for cell in typed if cell.value != cell.was
            ],
            update_conflicts=True, unique_fields=("sheet", "typed_by", "line", "column"),
            update_fields=("was", "value", "typed_at"),
        )  # fmt: skip
    if locked.version != version:
        message = (
            f"{locked} was changed by somebody else; what you type is kept, and shown beside theirs when it is sent."
        )
        raise VersionConflict(message, current_version=locked.version, differences={})


def typed_cells_forget(*, by: Actor, sheet: PriceSheet) -> None:
    """Forget what a person typed in a draft: it was sent, or it is not wanted."""
    require(by.user, "quote.edit")
    TypedCell.objects.filter(sheet=sheet, typed_by=by.user).delete()
