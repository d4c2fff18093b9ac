"""How long portfolios take to build and to solve, with which gap, and how that compares with PyPSA: `make bench`."""

import logging
import sys
import time
import warnings

import pytest

from procurement.engine.bookability import bookability
from procurement.engine.pipeline import portfolio, supply_of
from procurement.engine.portfolio import Facts, portfolio_model, solved_portfolio
from procurement.engine.scenario import parse_scenario
from tests.engine.portfolio_documents import bench_document
from tests.engine.pypsa_model import made, network_of, optimum_of, scenario_of

WANTED_GAP, WANTED_SECONDS, WANTED_BUILD_SECONDS, WANTED_RATIO = 0.01, 60.0, 3.0, 5.0


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

    found = solved_portfolio(facts, time_limit_s=WANTED_SECONDS, gap=WANTED_GAP)

    gap = "unknown" if found["gap"] is None else f"{found['gap']:.4%}"
    build, solve = found["seconds"]["build"], found["seconds"]["solve"]
    sys.stdout.write(
        f"\nportfolio of {len(facts.scenario.workloads)} workloads, {len(facts.scenario.quotes)} quotes, "
        f"{len(facts.scenario.builds)} builds, 36 months: {rows:,} rows, {columns:,} columns, "
        f"{int(problem.is_integer.sum()):,} of them whole\n"
        f"  state {found['state']}, npv {found['npv']}\n"
        f"  gap    {gap:>9} (wanted {WANTED_GAP:.0%} within {WANTED_SECONDS:.0f} s)\n"
        f"  build  {build:7.2f} s (wanted below {WANTED_BUILD_SECONDS:.0f} s)\n"
        f"  solve  {solve:7.2f} s\n"
    )
    assert found["state"] in ("optimal", "time_limit")


def test_the_instance_that_pypsa_can_express():
    instance = made(0, workloads=100, quotes=24, months=36)
    document = scenario_of(instance)
    for name in ("linopy", "pypsa"):
        logging.getLogger(name).setLevel(logging.ERROR)

    began = time.perf_counter()
    found = portfolio(parse_scenario(document), gap=1e-6)
    ours = time.perf_counter() - began
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        cost = optimum_of(network_of(instance))
        theirs = time.perf_counter() - began

    sys.stdout.write(
        f"\nthe same divisible instance, 100 workloads, 29 places, 36 months, building and reading included\n"
        f"  portfolio {ours:7.2f} s, {found['state']}, npv {found['npv']}\n"
        f"  PyPSA     {theirs:7.2f} s, npv {cost:.2f}, difference {float(found['npv']) / cost - 1.0:.2e}\n"
        f"  ratio     {theirs / ours:7.1f} (wanted at least {WANTED_RATIO:.0f})\n"
    )
    assert float(found["npv"]) == pytest.approx(cost, rel=1e-3)
