"""Reads of price sources: the newest attempt to refresh each, and the last good sheet that stays in force meanwhile."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from procurement.models import PriceSheet, Quote, SheetState
from procurement.selectors.assumptions import day_of_evaluation

UNKNOWN_FORMAT = ""
SUPPLIERS_NAMED = 3


@dataclass(frozen=True, slots=True)
class PriceSource:
    """One supplier and format: what was tried last, what is in force and how old that is."""

    supplier: str
    format_key: str
    newest: PriceSheet
    in_force: PriceSheet | None
    failures: int
    age_days: int | None

    @property
    def is_failing(self) -> bool:
        """Whether the newest attempt failed, so that an older sheet stays in force or none is."""
        return self.newest.state == SheetState.REFUSED

    @property
    def failed_at(self) -> datetime | None:
        """Return when the newest attempt failed, ``None`` when it did not."""
        return self.newest.received_at if self.is_failing else None

    @property
    def why(self) -> str:
        """Return why the newest attempt failed."""
        return self.newest.message if self.is_failing else ""

    @property
    def words(self) -> str:
        """Return the last good sheet and the failure in one sentence."""
        if self.in_force is None:
            return f"{self.supplier}: no sheet was ever read; the newest attempt failed: {self.why}"
        kept = f"the sheet of {self.in_force.observed_on} ({self.in_force.file_name}) stays in force"
        return f"{self.supplier}: {kept}, since the refresh of {self.newest.observed_on} failed: {self.why}"


def price_sources(day: date | None = None) -> list[PriceSource]:
    """Return every source, failing ones first, then by supplier; drafts and sheets taken back are no attempts."""
    day = day or day_of_evaluation()
    sheets = PriceSheet.objects.filter(state__in=(SheetState.IMPORTED, SheetState.REFUSED))
    groups = _grouped(list(sheets.select_related("provider").order_by("-received_at", "-pk")))
    sources = [_source(found, day) for found in groups]
    return sorted(sources, key=lambda source: (not source.is_failing, source.supplier.casefold(), source.format_key))


def price_sources_failing(day: date | None = None) -> list[PriceSource]:
    """Return the sources whose newest refresh failed."""
    return [source for source in price_sources(day) if source.is_failing]


def sheets_kept_in_force(sources: Sequence[PriceSource]) -> dict[int, PriceSource]:
    """Return the failing sources by the key of the sheet that stays in force for them."""
    return {source.in_force.pk: source for source in sources if source.is_failing and source.in_force is not None}


def sources_failing_of(codes: Collection[str]) -> list[PriceSource]:
    """Return the sources whose refresh failed while an older sheet of theirs holds the price of these offers."""
    kept = sheets_kept_in_force(price_sources_failing())
    sheets = Quote.objects.filter(code__in=codes, is_current=True, sheet__in=list(kept)).values_list(
        "sheet_id", flat=True
    )
    return [kept[pk] for pk in sorted({pk for pk in sheets if pk is not None})]


def _grouped(sheets: list[PriceSheet]) -> list[list[PriceSheet]]:
    """Return the sheets of each source, newest first.

    A sheet that was refused before its format was known belongs to the source of its file name, else to the supplier's
    only source.
    """
    suppliers = _suppliers(sheets)
    groups: dict[tuple[str, str], list[PriceSheet]] = {}
    for sheet in sheets:
        if sheet.format_key != UNKNOWN_FORMAT:
            groups.setdefault((suppliers[sheet.pk], sheet.format_key), []).append(sheet)
    for sheet in sheets:
        if sheet.format_key == UNKNOWN_FORMAT:
            supplier = suppliers[sheet.pk]
            key = _known_source(sheet, supplier, groups) or (supplier, UNKNOWN_FORMAT)
            groups.setdefault(key, []).append(sheet)
    return [sorted(found, key=lambda sheet: (sheet.received_at, sheet.pk), reverse=True) for found in groups.values()]


def _known_source(
    sheet: PriceSheet, supplier: str, groups: dict[tuple[str, str], list[PriceSheet]]
) -> tuple[str, str] | None:
    same_name = [key for key, found in groups.items() if any(other.file_name == sheet.file_name for other in found)]
    if len(same_name) == 1:
        return same_name[0]
    same_supplier = [key for key in groups if key[0] == supplier and key[1] != UNKNOWN_FORMAT]
    return same_supplier[0] if len(same_supplier) == 1 else None


def _suppliers(sheets: list[PriceSheet]) -> dict[int, str]:
    """Return who each sheet is of: as stated with the file, else the providers of its rows, else of its namesakes."""
    pairs = Quote.objects.order_by("provider__name").values_list("sheet_id", "provider__name").distinct()
    rows: dict[int | None, list[str]] = {}
    for sheet_id, name in pairs:
        rows.setdefault(sheet_id, []).append(name)
    found = {sheet.pk: sheet.provider.name if sheet.provider else _listed(rows.get(sheet.pk, [])) for sheet in sheets}
    by_name = {sheet.file_name: found[sheet.pk] for sheet in reversed(sheets) if found[sheet.pk]}
    return {sheet.pk: found[sheet.pk] or by_name.get(sheet.file_name, "") or sheet.file_name for sheet in sheets}


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SUPPLIERS_NAMED} more" if len(names) > SUPPLIERS_NAMED else ""
    return ", ".join(names[:SUPPLIERS_NAMED]) + more


def _source(sheets: list[PriceSheet], day: date) -> PriceSource:
    newest = sheets[0]
    in_force = next((sheet for sheet in sheets if sheet.state == SheetState.IMPORTED), None)
    failures = 0
    for sheet in sheets:
        if sheet.state == SheetState.IMPORTED:
            break
        failures += 1
    suppliers = _suppliers(sheets)
    format_key = next((sheet.format_key for sheet in sheets if sheet.format_key), UNKNOWN_FORMAT)
    age = None if in_force is None else (day - in_force.observed_on).days
    return PriceSource(suppliers[newest.pk], format_key, newest, in_force, failures, age)
