"""Reads for list pages: records with the counts that stand beside them, and the search over all of them."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from procurement.models import Build, Provider, Quote, SheetRow, SheetRowState, Site, Workload

FOUND_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, the best known records first; each list is cut at FOUND_AT_MOST."""

    quotes: list[Quote]
    builds: list[Build]
    workloads: list[Workload]
    providers: list[Provider]

    @property
    def count(self) -> int:
        """How many records are listed."""
        return len(self.quotes) + len(self.builds) + len(self.workloads) + len(self.providers)


def providers_counted(*, is_archived: bool) -> QuerySet[Provider]:
    """Return providers with the number of their offers in force and of their builds."""
    in_force = Q(quotes__is_current=True, quotes__is_archived=False)
    return Provider.objects.filter(is_archived=is_archived).annotate(
        quote_count=Count("quotes", filter=in_force, distinct=True),
        build_count=Count("builds", filter=Q(builds__is_archived=False), distinct=True),
    )


def sites_counted(*, is_archived: bool) -> QuerySet[Site]:
    """Return sites with the number of their builds."""
    in_use = Q(builds__is_archived=False)
    return Site.objects.filter(is_archived=is_archived).annotate(build_count=Count("builds", filter=in_use))


def rows_held_count() -> int:
    """Return how many rows of price sheets are held."""
    return SheetRow.objects.filter(state=SheetRowState.HELD).count()


def search_records(text: str) -> Found:
    """Return records that hold every word in one of their names; archived ones are left out."""
    words = text.split()
    quotes = Quote.objects.filter(is_current=True, is_archived=False).select_related("provider")
    return Found(
        quotes=_found(quotes, words, ("code", "sku", "accelerator", "region", "provider__name")),
        builds=_found(Build.objects.filter(is_archived=False), words, ("code", "name", "accelerator", "note")),
        workloads=_found(Workload.objects.filter(is_archived=False), words, ("code", "name", "note")),
        providers=_found(Provider.objects.filter(is_archived=False), words, ("code", "name")),
    )


def _found(rows: QuerySet, words: list[str], fields: tuple[str, ...]) -> list:
    if not words:
        return []
    for word in words:
        anywhere = Q()
        for field in fields:
            anywhere |= Q(**{f"{field}__icontains": word})
        rows = rows.filter(anywhere)
    return list(rows[:FOUND_AT_MOST])
