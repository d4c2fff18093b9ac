"""Reads of held rows: what waits for a mapping or a person, what was released, by whom and why."""

from django.db.models import QuerySet

from procurement.models import AcceleratorAlias, SheetRow, SheetRowState, SheetState


def held_rows_all(state: str = SheetRowState.HELD) -> QuerySet[SheetRow]:
    """Return rows of imported sheets that are held, or were released, newest sheet first."""
    rows = SheetRow.objects.filter(state=state, sheet__state=SheetState.IMPORTED)
    rows = rows.select_related("sheet", "sheet__provider", "released_by")
    order = "-released_at" if state == SheetRowState.RELEASED else "-sheet__received_at"
    return rows.order_by(order, "line", "pk")


def mappings_all() -> QuerySet[AcceleratorAlias]:
    """Return the names that people mapped, newest first."""
    return (
        AcceleratorAlias.objects.filter(is_archived=False).select_related("created_by").order_by("-created_at", "-pk")
    )
