"""How long the portfolio of the method's instance takes to build and to solve, and with which gap: `make bench`."""

import sys

import pytest

from procurement.engine.bookability import bookability
from procurement.engine.pipeline import supply_of
from procurement.engine.portfolio import Facts, portfolio_model, solved_portfolio
from procurement.engine.scenario import parse_scenario
from tests.engine.portfolio_documents import bench_document


@pytest.fixture(scope="module")
def facts():
    """Return the instance after readiness, forecasts and bookability, which every evaluation computes anyway."""
    scenario = parse_scenario(bench_document())
    supply = supply_of(scenario)
    offers = bookability(scenario, supply.readiness, supply.forecasts)
    return Facts(scenario, supply.readiness, supply.forecasts, offers)


def test_the_instance_of_the_method(facts):
    problem = portfolio_model(facts).problem
    rows, columns = problem.matrix.shape

    found = solved_portfolio(facts, time_limit_s=60.0, gap=0.01)

    gap = "unknown" if found["gap"] is None else f"{found['gap']:.4%}"
    sys.stdout.write(
        f"\nportfolio of {len(facts.scenario.workloads)} workloads: {rows:,} rows, {columns:,} columns, "
        f"{int(problem.is_integer.sum()):,} of them whole\n"
        f"build {found['seconds']['build']:.2f} s, solve {found['seconds']['solve']:.2f} s, "
        f"{found['state']}, gap {gap}, npv {found['npv']}\n"
    )
    assert found["state"] in ("optimal", "time_limit")
