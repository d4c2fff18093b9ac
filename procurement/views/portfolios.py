"""Pages of portfolios: list, plan, question with pins, stop, downloads."""

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.portfolios import PortfolioForm, pin_initial
from procurement.models import Portfolio, Run, RunState
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.portfolios import (
    allocation_of,
    names_of,
    pin_price,
    portfolio_document_answer,
    portfolios_all,
)
from procurement.selectors.runs import run_latest_finished, runs_all
from procurement.services.actors import Actor
from procurement.services.portfolios import portfolio_document, portfolio_request, portfolio_stop
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page, file_answer, whole
from procurement.views.filters import PortfolioFilter
from procurement.views.frame import Entry
from procurement.views.history import history_shown
from procurement.views.portfolio_display import (
    allocation_csv,
    binding_shown,
    chart_of,
    conflict_shown,
    pins_shown,
    spans_of,
)
from procurement.views.runs import POLLING_STOPS, next_poll

MOST_SUGGESTED = 2000


class PortfolioListView(ListPage):
    """Portfolios, those asked last first."""

    template = "procurement/portfolios.html"
    filterset = PortfolioFilter
    columns = (
        Column("Portfolio"), Column("State", "state"), Column("Present cost", "npv", "", True),
        Column("Gap", "gap", "", True), Column("Pins"), Column("Run", "run_id"), Column("Asked", "last_asked_at"),
        Column("By"), Column("Why"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return them."""
        return portfolios_all()

    def more(self, page: Any) -> dict[str, Any]:
        """Return the run that a new plan would rest on."""
        return {"newest_run": run_latest_finished()}


class PortfolioPage(Page):
    """What the pages of one portfolio share."""

    def portfolio(self) -> Portfolio:
        """Return the portfolio asked for."""
        return get_object_or_404(portfolios_all(), pk=self.kwargs["pk"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Portfolio", reverse("procurement:portfolios"))]


class PortfolioDetailView(PortfolioPage):
    """One portfolio: how far it is, and its plan or why there is none."""

    template = "procurement/portfolio.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the page, or only the progress when the page asks again."""
        portfolio = self.portfolio()
        context: dict[str, Any] = {"portfolio": portfolio, "poll_seconds": next_poll(request)}
        if request.htmx:  # type: ignore[attr-defined]
            status = 200 if portfolio.is_open else POLLING_STOPS
            return self.show(context, status, "procurement/portfolio_progress.html")
        return self.show({**context, **self._plan(portfolio), "entries": history_shown(portfolio)})

    def _plan(self, portfolio: Portfolio) -> dict[str, Any]:
        rows = list(allocation_of(portfolio))
        committed = {one["quote"] for one in portfolio.answer.get("committed") or ()}
        chart = chart_of(rows, names_of(portfolio.run), committed, day_of_evaluation()) if rows else None
        return {
            "answer": portfolio.answer, "currency": portfolio.run.currency, "spans": spans_of(rows), "chart": chart,
            "binding": binding_shown(portfolio), "pins": pins_shown(portfolio.pins), "price": pin_price(portfolio),
            "conflict": conflict_shown(portfolio.answer.get("conflict") or ()),
        }  # fmt: skip


class PortfolioCreateView(FormPage):
    """Ask for the cheapest plan of all workloads of a run, with what a person has fixed."""

    action = "portfolio.request"
    heading = "Plan all workloads together"
    button = "Look for the plan"
    success = "The plan is asked for. The page shows how far it is."
    template = "procurement/portfolio_form.html"

    def run(self) -> Run:
        """Return the run of the address, else the newest finished one."""
        asked = self.asked("run")
        like = self._like()
        if like is not None and not asked:
            return like.run
        run = runs_all().filter(pk=whole(asked), state=RunState.FINISHED).first() if asked else run_latest_finished()
        if run is None:
            raise Http404("no finished run to plan on")
        return run

    def _like(self) -> Portfolio | None:
        like = whole(self.asked("like"))
        return portfolios_all().filter(pk=like).first() if like else None

    def make_form(self, *args: Any, **kwargs: Any) -> PortfolioForm:
        """Return the form, with the pins of the portfolio that it is to be like."""
        if args and args[0] is not None:
            return PortfolioForm(args[0])
        like = self._like()
        pins = list(like.pins) if like else []
        if self.asked("workload") or self.asked("place"):
            pins.append({"workload": self.asked("workload"), "place": self.asked("place")})
        initial = {"gap": like.gap_asked * 100, "time_limit_s": like.time_limit_s} if like else {}
        return PortfolioForm(rows=[pin_initial(pin) for pin in pins], initial=initial)

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        """Take what was typed, or only show more rows with it."""
        if "more" not in request.POST:
            return super().post(request, **kwargs)
        return self.show({"form": PortfolioForm.with_more_rows(request.POST), **self.more()})

    def store(self, form: PortfolioForm, by: Actor) -> Portfolio:
        """Ask for it."""
        return portfolio_request(by=by, run=self.run(), **form.asked())[0]

    def more(self) -> dict[str, Any]:
        """Return the run it rests on and the names that may be typed."""
        run = self.run()
        names = names_of(run)
        suggested = {"workloads": names.workloads[:MOST_SUGGESTED], "places": names.places[:MOST_SUGGESTED]}
        return {**super().more(), "run": run, **suggested}

    def address_after(self, record: Portfolio) -> str:
        """Return the page of the portfolio."""
        return reverse("procurement:portfolio", args=[record.pk])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Portfolio", reverse("procurement:portfolios"))]


class PortfolioStopView(ActionPage):
    """Stop a solve."""

    action = "portfolio.request"
    success = "It is asked to stop; what was found by then is kept."

    def act(self, by: Actor) -> str:
        """Ask the solver to stop."""
        portfolio_stop(by=by, portfolio=get_object_or_404(Portfolio, pk=self.kwargs["pk"]))
        return self.address_back()

    def address_back(self) -> str:
        """Return the page of the portfolio."""
        return reverse("procurement:portfolio", args=[self.kwargs["pk"]])


class PortfolioAgainView(PortfolioStopView):
    """Ask the same question again: what was stopped or failed is tried anew."""

    success = "It is asked again."

    def act(self, by: Actor) -> str:
        """Ask it."""
        record = get_object_or_404(portfolios_all(), pk=self.kwargs["pk"])
        portfolio_request(
            by=by, run=record.run, pins=record.pins, gap=record.gap_asked, time_limit_s=record.time_limit_s
        )
        return self.address_back()


class AllocationFileView(PortfolioPage):
    """Who runs where in which month, as CSV."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the file."""
        rows = list(allocation_of(self.portfolio()))
        return file_answer(f"portfolio-{pk}-allocation.csv", allocation_csv(rows), "text/csv; charset=utf-8", len(rows))


class PortfolioAnswerFileView(PortfolioPage):
    """The whole answer as the engine gave it, as JSON."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the file."""
        content = json.dumps(portfolio_document_answer(self.portfolio()), indent=2, ensure_ascii=False).encode()
        return file_answer(f"portfolio-{pk}.json", content, "application/json")


class PortfolioQuestionFileView(PortfolioPage):
    """The question as a scenario document with its pins: `manage.py evaluate` answers it anywhere."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the file."""
        portfolio = self.portfolio()
        document = portfolio_document(portfolio.run, portfolio.pins)
        content = json.dumps(document, indent=2, ensure_ascii=False).encode()
        return file_answer(f"portfolio-{pk}-question.json", content, "application/json")
