"""Pages of prices through time: an offer's history as chart, table and file; sources and their last good sheet."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse

from procurement.selectors.price_history import HELD, PricePeriod, history_csv, price_history
from procurement.selectors.prices import price_book
from procurement.selectors.sources import price_sources
from procurement.views.base import Page, file_answer
from procurement.views.quotes import QuotePage


class PriceHistoryView(QuotePage):
    """What an offer cost through time, with the days on which no price held."""

    template = "procurement/quote_prices.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show it, the newest period first in the table."""
        quote = self.quote()
        periods = price_history(quote.code, price_book())
        context = {"periods": periods[::-1], "charts": price_charts(periods), "gaps": [p for p in periods if p.is_gap]}
        return self.show({**self.shown(quote), **context})


class PriceHistoryFileView(QuotePage):
    """The history of an offer as a file."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return every period, oldest first."""
        quote = self.quote()
        periods = price_history(quote.code)
        return file_answer(
            f"prices-{quote.code[:80]}.csv", history_csv(periods), "text/csv; charset=utf-8", rows=len(periods)
        )


class PriceSourceListView(Page):
    """Where prices come from: what was tried last and which sheet is in force."""

    template = "procurement/price_sources.html"
    section_name = "quotes"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show failing sources first."""
        sources = price_sources()
        failing = sum(source.is_failing for source in sources)
        return self.show({"sources": sources, "failing": failing, "today": price_book().day})


def price_charts(periods: Sequence[PricePeriod]) -> list[dict[str, Any]]:
    """Return one chart a currency: amounts of different currencies are never drawn against one another."""
    held = [period for period in periods if period.state == HELD and period.list_rate is not None]
    currencies = list(dict.fromkeys(period.quote.currency for period in held))
    return [_chart(periods, currency) for currency in currencies]


def _chart(periods: Sequence[PricePeriod], currency: str) -> dict[str, Any]:
    drawn = [period for period in periods if period.state == HELD or period.is_gap]
    mine = [period if period.state == HELD and period.quote.currency == currency else None for period in drawn]
    list_rates = [_number(period.list_rate if period else None) for period in mine]
    rates = [_number(period.rate if period else None) for period in mine]
    series = [{"name": "List price", "values": [*list_rates, list_rates[-1]]}]
    if rates != list_rates:
        series.append({"name": "After discount", "values": [*rates, rates[-1]]})
    last = drawn[-1].until_on + timedelta(days=1)
    return {
        "days": [*(period.from_on for period in drawn), last], "unit": f"{currency} per accelerator-hour",
        "today": last, "series": series, "title": f"Price per accelerator-hour, in {currency}",
        "heading": f"Price in {currency}",
    }  # fmt: skip


def _number(rate: Decimal | None) -> float | None:
    return None if rate is None else float(rate)
