"""From one scenario to the whole answer: readiness, forecast, bookability, options, recommendation."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from procurement.engine import ENGINE_VERSION
from procurement.engine.bookability import Bookings, bookability
from procurement.engine.bookability_columns import need_day
from procurement.engine.bridge import scenario_bridges
from procurement.engine.clusters import with_cluster_figures
from procurement.engine.comparisons import case_of, comparisons_of
from procurement.engine.equal_work import accelerators_at
from procurement.engine.forecast import Forecast, build_forecast
from procurement.engine.need import cluster_answer
from procurement.engine.options import Case
from procurement.engine.portfolio import Facts, solved_portfolio, unasked_reason
from procurement.engine.portfolio_solver import never
from procurement.engine.quote_terms import quote_expiry
from procurement.engine.readiness import Readiness
from procurement.engine.readiness_sites import scenario_readiness
from procurement.engine.tables import Build, Quote, Scenario, Workload
from procurement.engine.throughput import throughput_table
from procurement.engine.workload_answers import answers_of

PORTFOLIO_SECONDS = 60.0  # method of the portfolio: the bench instance within a minute
PORTFOLIO_GAP = 0.01  # relative

PLACES_WITH_THROUGHPUT = 200  # beyond it throughput is shown for the places of shown options alone


@dataclass(frozen=True, slots=True, eq=False)
class Supply:
    """What is known of every build, before any quote or cost."""

    readiness: Mapping[str, Readiness]
    forecasts: Mapping[str, Forecast]


def evaluate(scenario: Scenario, inputs_digest: str | None = None) -> dict[str, Any]:
    """Return the whole answer document, ready for JSON: money as text, dates in ISO form, missing figures null.

    Parameters
    ----------
    scenario
        The question; quotes, builds, workloads and policy may be missing, then so is what needs them.
    inputs_digest
        Digest of the document it was read from; that of the records where it was not read from one.
    """
    supply = supply_of(scenario)
    offers = bookability(scenario, supply.readiness, supply.forecasts)
    head = {
        "engine_version": ENGINE_VERSION,
        "inputs_digest": inputs_digest or records_digest(scenario),
        "as_of": scenario.as_of.isoformat(),
        "currency": scenario.assumptions.currency,
    }
    answer = head | _energization(supply) | _availability(scenario, offers) | _comparisons(scenario, supply, offers)
    reason = unasked_reason(scenario)
    if reason is not None:
        return answer | {"portfolio_reason": reason}
    facts = Facts(with_cluster_figures(scenario), supply.readiness, supply.forecasts, offers)
    answer["portfolio"] = solved_portfolio(facts, time_limit_s=PORTFOLIO_SECONDS, gap=PORTFOLIO_GAP)
    del answer["portfolio_reason"]
    return answer


def energization(scenario: Scenario) -> dict[str, Any]:
    """Return readiness and forecast of every build."""
    return _energization(supply_of(scenario))


def availability(scenario: Scenario) -> dict[str, Any]:
    """Return the verdict on every quote for every workload."""
    supply = supply_of(scenario)
    return _availability(scenario, bookability(scenario, supply.readiness, supply.forecasts))


def comparisons(scenario: Scenario) -> dict[str, Any]:
    """Return bridge, need, throughput, options, what was left out and the recommendation of every workload."""
    supply = supply_of(scenario)
    return _comparisons(scenario, supply, bookability(scenario, supply.readiness, supply.forecasts))


def portfolio(
    scenario: Scenario,
    *,
    time_limit_s: float = PORTFOLIO_SECONDS,
    gap: float = PORTFOLIO_GAP,
    is_stopped: Callable[[], bool] = never,
) -> dict[str, Any]:
    """Return one plan for all workloads at the least present cost: the ``portfolio`` of the answer document.

    Parameters
    ----------
    scenario
        The question.
    time_limit_s
        Seconds for building and solving; then the best found is returned, as ``time_limit`` [s].
    gap
        Relative gap at which a solution counts as optimal [fraction].
    is_stopped
        Asked now and then while the solver works; once true, the best found is returned, as ``stopped``.
    """
    supply = supply_of(scenario)
    offers = bookability(scenario, supply.readiness, supply.forecasts)
    facts = Facts(with_cluster_figures(scenario), supply.readiness, supply.forecasts, offers)
    return solved_portfolio(facts, time_limit_s=time_limit_s, gap=gap, is_stopped=is_stopped)


def next_change_on(scenario: Scenario) -> date | None:
    """Return the first day after ``as_of`` on which time alone may change the answer; None where nothing is dated."""
    builds = scenario_readiness(scenario).values()
    days = [readiness.next_change_on for readiness in builds if readiness.next_change_on is not None]
    expiries = [quote_expiry(quote) for quote in scenario.quotes]
    days += [day + timedelta(days=1) for day in expiries if day is not None]
    days += [fx.on for fx in scenario.assumptions.fx]
    days += _booking_days(scenario)
    return min((day for day in days if day > scenario.as_of), default=None)


def _booking_days(scenario: Scenario) -> list[date]:
    """Return the days after which a quote is too late to book, and those from which it can be booked."""
    needs = {(workload.start, need_day(workload)) for workload in scenario.workloads}
    leads = {quote.lead_time_days or 0 for quote in scenario.quotes}
    horizons = {quote.booking_horizon_days for quote in scenario.quotes if quote.booking_horizon_days is not None}
    too_late = [need.toordinal() - lead + 1 for _, need in needs for lead in leads]
    bookable = [start.toordinal() - horizon for start, _ in needs for horizon in horizons]
    today = scenario.as_of.toordinal()
    return [date.fromordinal(day) for day in (*too_late, *bookable) if day > today]


def supply_of(scenario: Scenario) -> Supply:
    """Return readiness and forecast of every build."""
    readiness = scenario_readiness(scenario)
    forecasts = {
        build.id: build_forecast(
            build, readiness=readiness[build.id], as_of=scenario.as_of, assumptions=scenario.assumptions
        )
        for build in scenario.builds
    }
    return Supply(readiness, forecasts)


def _energization(supply: Supply) -> dict[str, Any]:
    return {
        "readiness": {name: readiness.answer() for name, readiness in supply.readiness.items()},
        "forecast": {name: forecast.answer() for name, forecast in supply.forecasts.items()},
    }


def _availability(scenario: Scenario, offers: Bookings) -> dict[str, Any]:
    quotes = [quote.id for quote in scenario.quotes]
    return {"bookability": {workload.id: offers.answer(workload.id, quotes) for workload in scenario.workloads}}


def _comparisons(scenario: Scenario, supply: Supply, offers: Bookings) -> dict[str, Any]:
    scenario = with_cluster_figures(scenario)
    case = case_of(scenario, supply.readiness, supply.forecasts, offers)
    found = comparisons_of(case)
    bridges = scenario_bridges(scenario, supply.forecasts, offers)
    currency = scenario.assumptions.currency
    answers = answers_of(case, found)
    shown = {name: _places(options) for name, options in answers["options"].items()}
    return {
        "bridge": {
            name: {build: plan.answer(currency) for build, plan in plans.items()} for name, plans in bridges.items()
        },
        "need": {name: _need_answer(case, name) for name in case.needs},
        "throughput": _throughputs(case, shown),
        **answers,
        "portfolio": None,
        "portfolio_reason": "not_solved_here",
    }


def _places(options: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(place for option in options for place in option["places"]))


def _need_answer(case: Case, workload: str) -> dict[str, Any]:
    need = case.needs[workload]
    asked = next(entry for entry in case.setting.scenario.workloads if entry.id == workload)
    return {
        "fewest_by_memory": need.fewest_by_memory,
        "fewest_by_deadline": need.fewest_by_deadline,
        "single_node_sufficient": need.single_node_sufficient,
        "best_n": need.best_n,
        "cluster": cluster_answer(asked, need),
        "fleet": None if need.fleet is None else _plain(dataclasses.asdict(need.fleet)),
        "notes": list(need.notes),
    }


def _throughputs(case: Case, shown: Mapping[str, list[str]]) -> dict[str, dict[str, Any]]:
    """Return the throughput of every workload at every build and quote, of many quotes at those that are shown."""
    scenario = case.setting.scenario
    places: list[Quote | Build] = [*scenario.quotes, *scenario.builds]
    if not scenario.workloads or not places:
        return {workload.id: {} for workload in scenario.workloads}
    if len(places) > PLACES_WITH_THROUGHPUT:
        wanted = {name for names in shown.values() for name in names}
        places = [place for place in places if place.id in wanted]
    sizes = np.array([[_size(workload, place) for place in places] for workload in scenario.workloads])
    sizes = sizes.reshape(len(scenario.workloads), len(places))
    table = throughput_table(scenario.workloads, places, sizes)
    return {
        workload.id: {
            place.id: _plain(table.at(row, column))
            for column, place in enumerate(places)
            if np.isfinite(sizes[row, column])
        }
        for row, workload in enumerate(scenario.workloads)
    }


def _size(workload: Workload, place: Quote | Build) -> float:
    needed = accelerators_at(workload, place.accelerator, place.accelerators_per_node or 1)
    return float("nan") if needed is None else float(needed)


def _plain(value: Any) -> Any:
    """Return nested records, tuples and mappings as the lists and objects of JSON."""
    if value is None or isinstance(value, (str, float, int)):
        return value
    if isinstance(value, (tuple, list)):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if dataclasses.is_dataclass(value):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


def records_digest(scenario: Scenario) -> str:
    """Return the SHA-256 of a scenario's records, for questions that were not read from a document."""
    text = json.dumps(dataclasses.asdict(scenario), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
