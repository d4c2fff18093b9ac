"""What prices are today and were before: derivation, base currency, expiry, history, sources, what nights changed."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ARCHIVED, ApiView, ListApi, found
from procurement.api.filters import Filter
from procurement.api.renderers import CsvRenderer
from procurement.api.serializers_prices import (
    NightOutput,
    PricePeriodOutput,
    QuotePriceOutput,
    SourceOutput,
    VersionChangesOutput,
)
from procurement.api.views_quotes import FILTERS
from procurement.models import PriceWatch, Quote
from procurement.selectors.expiry import price_watches
from procurement.selectors.price_history import history_csv, price_history
from procurement.selectors.prices import price_book
from procurement.selectors.quotes import quote_versions, quotes_all, version_changes
from procurement.selectors.sources import price_sources


class QuotePriceListApi(ListApi):
    """What offers cost today: derivation, discount, base currency, expiry; several `code` compare them."""

    resource = "quotes"
    filters = (*FILTERS, ARCHIVED)
    output = QuotePriceOutput

    def records(self, **kwargs: Any) -> QuerySet[Quote]:
        """Return the newest version of every offer."""
        return quotes_all().filter(is_current=True)

    def rows(self, records: Sequence[Quote]) -> Any:
        """Return the offers as they stand today."""
        return QuotePriceOutput(price_book().all_priced(records), many=True).data


class QuotePriceDetailApi(ApiView):
    """What one offer costs today."""

    resource = "quotes"
    output = QuotePriceOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the newest version as it stands today."""
        quote = found(quotes_all().filter(is_current=True), "quote", **kwargs)
        return Response(QuotePriceOutput(price_book().priced(quote)).data)


class ResultsApi(ApiView):
    """A list that fits one reply."""

    def described_reply(self, schema: Any) -> dict[str, Any]:
        """Return the JSON schema of the reply."""
        return {
            "type": "object", "required": ["results"],
            "properties": {"results": {"type": "array", "items": schema}},
        }  # fmt: skip


class QuotePriceHistoryApi(ResultsApi):
    """What an offer cost through time, with the days on which no price held."""

    resource = "quotes"
    output = PricePeriodOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the periods, oldest first."""
        found(quotes_all(), "quote", **kwargs)
        rows = [period.row() for period in price_history(kwargs["code"])]
        return Response({"results": PricePeriodOutput(rows, many=True).data})


class QuotePriceHistoryFileApi(ApiView):
    """The history of an offer as CSV, with its number of rows in X-Row-Count."""

    resource = "quotes"
    renderer_classes = (CsvRenderer, JSONRenderer)
    output = {"type": "string"}

    def get(self, request: Request, **kwargs: Any) -> HttpResponse:
        """Return the periods, oldest first."""
        found(quotes_all(), "quote", **kwargs)
        periods = price_history(kwargs["code"])
        headers = {"X-Row-Count": str(len(periods))}
        return HttpResponse(history_csv(periods), content_type="text/csv; charset=utf-8", headers=headers)


class QuoteVersionChangesApi(ApiView):
    """What a version changed against the one before, field by field, who made it and why."""

    resource = "quotes"
    output = VersionChangesOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the differences; none for a first version."""
        versions = quote_versions(kwargs["code"]).select_related("created_by", "supersedes__provider")
        quote = found(versions, f"version of quote `{kwargs['code']}`", version=kwargs["number"])
        changes = [
            {"field": name, "before": _json(pair[0]), "after": _json(pair[1])}
            for name, pair in version_changes(quote).items()
        ]
        shown = {
            "code": quote.code, "version": quote.version, "created_at": quote.created_at, "reason": quote.reason,
            "created_by": quote.created_by.username if quote.created_by else None, "source": quote.source,
            "previous_version": quote.supersedes.version if quote.supersedes else None, "changes": changes,
        }  # fmt: skip
        return Response(VersionChangesOutput(shown).data)


class PriceSourceListApi(ResultsApi):
    """Where prices come from: the newest attempt of each source and the last good sheet that is in force."""

    resource = "price-sheets"
    output = SourceOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the sources, failing ones first."""
        return Response({"results": SourceOutput(price_sources(), many=True).data})


class PriceNightListApi(ListApi):
    """What each night changed in the prices in force: expired, begun, discounts, decisions that rest on them."""

    resource = "quotes"
    filters = (
        Filter("day_since", "day__gte", "nights before this day and later", "day"),
        Filter("day_before", "day__lt", "nights before an earlier day", "day"),
    )
    output = NightOutput

    def records(self, **kwargs: Any) -> QuerySet[PriceWatch]:
        """Return all nights."""
        return price_watches()


def _json(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | list | dict) else str(value)
