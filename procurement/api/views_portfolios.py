"""Portfolios: ask for a plan of all workloads, follow it, read it, stop it."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView, ListApi, PostApi, actor, found
from procurement.api.filters import Filter
from procurement.api.problems import Refusal
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_portfolios import (
    AllocationOutput,
    PortfolioInput,
    PortfolioLineOutput,
    PortfolioOutput,
)
from procurement.models import AllocationRow, Portfolio, PortfolioState
from procurement.selectors.portfolios import allocation_of, portfolio_document_answer, portfolios_all
from procurement.selectors.runs import run_latest_finished
from procurement.services.portfolios import portfolio_request, portfolio_stop


class PortfolioListApi(ListApi, PostApi):
    """Portfolios, and a new one (202); a question that has its answer is the portfolio that is there (200)."""

    resource = "portfolios"
    actions = {"POST": "portfolio.request"}
    filters = (
        Filter("run", "run_id", "id of the run", "whole"),
        Filter("state", "state", "how it ended", choices=lambda: PortfolioState.choices),
    )
    output = PortfolioLineOutput
    input = PortfolioInput
    may_conflict = True

    def records(self, **kwargs: Any) -> QuerySet[Portfolio]:
        """Return all portfolios."""
        return portfolios_all()

    def success_statuses(self) -> tuple[int, ...]:
        """Return 202 for what a worker has yet to answer, and 200 for what has its answer."""
        return (200, 202)

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Queue the question."""
        values, reason = self.read_body(request)
        run = values.pop("run", None) or run_latest_finished()
        if run is None:
            raise Refusal(404, "not_found", "No run is finished yet.")
        portfolio, is_waiting = portfolio_request(by=actor(request, reason), run=run, **values)
        location = reverse("api:portfolio", kwargs={"id": portfolio.pk})
        headers = {"Location": location} | ({"Retry-After": "2"} if is_waiting else {})
        return self.shown(portfolio, status=202 if is_waiting else 200, headers=headers)


class PortfolioApi(ApiView):
    """What concerns one portfolio."""

    resource = "portfolios"

    def portfolio(self, **kwargs: Any) -> Portfolio:
        """Return the portfolio of the address."""
        record: Portfolio = found(portfolios_all(), "portfolio", **kwargs)
        return record


class PortfolioDetailApi(PortfolioApi):
    """One portfolio: its state, and its plan once there is one."""

    output = PortfolioOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the portfolio."""
        return self.shown(self.portfolio(**kwargs))


class PortfolioAnswerApi(PortfolioApi):
    """The whole answer of a portfolio as in the answer document; empty while it is open."""

    output = {"type": "object", "additionalProperties": True}

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the answer."""
        return Response(portfolio_document_answer(self.portfolio(**kwargs)))


class AllocationListApi(PortfolioApi, ListApi):
    """Who runs where in which month, page by page."""

    filters = (
        Filter("workload", "workload_code", "code of the workload"),
        Filter("place", "place", "a quote or a build"),
    )
    output = AllocationOutput

    def records(self, **kwargs: Any) -> QuerySet[AllocationRow]:
        """Return the rows of the portfolio."""
        return allocation_of(self.portfolio(**kwargs))


class PortfolioStopApi(PortfolioApi, PostApi):
    """Stop a solve; the best found so far is kept, and its state says that it was stopped."""

    actions = {"POST": "portfolio.request"}
    success_status = 202
    output = PortfolioLineOutput
    input = ReasonInput
    may_conflict = True

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Ask to stop it."""
        _, reason = self.read_body(request)
        return self.shown(portfolio_stop(by=actor(request, reason), portfolio=self.portfolio(**kwargs)), status=202)
