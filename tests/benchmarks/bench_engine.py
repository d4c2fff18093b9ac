"""How long the engine takes beside bare NumPy, and how that grows: `make bench`.

Not part of `make test`: a busy machine proves nothing. Both sides of a ratio run in turn and are timed in processor
seconds, of which the median counts.
"""

import copy
import resource
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from procurement.engine.bookability import bookability
from procurement.engine.bookability_columns import quote_columns, workload_columns
from procurement.engine.cloud_ranking import market_of
from procurement.engine.demand import demand_hours
from procurement.engine.periods import present_factors
from procurement.engine.pipeline import evaluate
from procurement.engine.scenario import example_document, parse_scenario
from procurement.engine.setting import setting_of
from procurement.engine.shortlist import shortlists
from procurement.engine.uncertainty import LinearCosts, RangeInput, cost_summary, costs_by_draw, draw_inputs
from procurement.management.demo.parts import demo_load
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.frames import scenario_document
from procurement.services.job_runner import job_work
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from tests.benchmarks.documents import large_scenario

WORKLOADS, QUOTES = 1000, 5000
DRAWS, INPUTS, DRAWN_WORKLOADS, OPTIONS = 10_000, 20, 200, 8
QUANTILES = (0.1, 0.5, 0.8, 0.9)
TURNS = 5


def told(*cells: str) -> None:
    sys.stdout.write(
        "".join(f"{cell:<58}" if number == 0 else f"{cell:>16}" for number, cell in enumerate(cells)) + "\n"
    )


def in_turn(*functions: Callable[[], object], turns: int = TURNS) -> list[float]:
    """Return the median processor seconds of each of some functions that run in turn, after one turn to warm up."""
    spent: list[list[float]] = [[] for _ in functions]
    for turn in range(turns + 1):
        for function, seconds in zip(functions, spent, strict=True):
            began = time.process_time()
            function()
            if turn:
                seconds.append(time.process_time() - began)
    return [statistics.median(seconds) for seconds in spent]


def exponent(sizes: list[int], function_at: Callable[[int], Callable[[], object]], turns: int = 3) -> str:
    """Return the slope of time over size on logarithmic scales."""
    seconds = in_turn(*(function_at(size) for size in sizes), turns=turns)
    slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    told(f"  {sizes[0]:,} to {sizes[-1]:,}", *(f"{one * 1000:,.0f} ms" for one in seconds), f"exponent {slope:.2f}")
    return f"{slope:.2f}"


def test_recommendations_of_every_pair():
    scenario = large_scenario(workloads=WORKLOADS, quotes=QUOTES)
    allowed = np.ascontiguousarray(bookability(scenario, {}, {}).is_candidate)
    price = np.array([quote.price for quote in scenario.quotes])
    hours = np.array([[demand_hours(one, scenario.assumptions).hours.sum()] for one in scenario.workloads])
    annuity = np.array([[present_factors(0.08, int(one.months or 1), "mid").mean()] for one in scenario.workloads])

    def bare():
        return np.where(allowed, price * hours * annuity, np.inf).argmin(axis=1)

    def columns():
        quote_columns(scenario), workload_columns(scenario)
        market_of(scenario.workloads, scenario.quotes, setting_of(scenario))

    plain, read, whole = in_turn(bare, columns, lambda: shortlists(scenario))
    ten = large_scenario(workloads=WORKLOADS, quotes=10 * QUOTES)
    ten_times = in_turn(lambda: shortlists(ten), turns=1)[0]

    told(f"\n{WORKLOADS:,} workloads x {QUOTES:,} quotes to recommendations", "ms", "x bare NumPy")
    told("  bare NumPy: price x hours x annuity, mask, argmin", f"{plain * 1000:,.0f}", "1.0")
    told("  from columns to recommendations", f"{(whole - read) * 1000:,.0f}", f"{(whole - read) / plain:.1f}")
    told("  records into columns", f"{read * 1000:,.0f}", f"{read / plain:.1f}")
    told("  from records to recommendations", f"{whole * 1000:,.0f}", f"{whole / plain:.1f}")
    told("  ten times the quotes", f"{ten_times * 1000:,.0f}", f"{ten_times / whole:.1f} x time")
    told("  most memory of the process", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


def test_growth_with_quotes_and_workloads():
    told("\ntime of recommendations by quotes, 1,000 workloads")
    sizes = [1250, 2500, 5000, 10_000]
    exponent(sizes, lambda size: _short(large_scenario(workloads=WORKLOADS, quotes=size)))
    told("time of recommendations by workloads, 5,000 quotes")
    exponent([250, 500, 1000, 2000], lambda size: _short(large_scenario(workloads=size, quotes=QUOTES)))


def _short(scenario):
    return lambda: shortlists(scenario)


def test_draws():
    pick = np.random.default_rng(1)
    coefficients = pick.uniform(0.5, 2.0, (DRAWN_WORKLOADS, OPTIONS, INPUTS))
    base = pick.uniform(10.0, 20.0, (DRAWN_WORKLOADS, OPTIONS))
    linear = [
        LinearCosts(one, rows, np.ones(OPTIONS, dtype=bool)) for one, rows in zip(base, coefficients, strict=True)
    ]
    inputs = tuple(RangeInput(f"input {number:02}", 0.8, 1.0, 1.3) for number in range(INPUTS))
    flat = coefficients.reshape(-1, INPUTS)

    def bare():
        values = np.random.Generator(np.random.PCG64(0)).standard_normal((DRAWS, INPUTS))
        costs = flat @ values.T
        ranks = [int(np.ceil(p * DRAWS)) - 1 for p in QUANTILES]
        return np.partition(costs, ranks, axis=1)[:, ranks], costs.reshape(-1, OPTIONS, DRAWS).argmin(axis=1)

    def engine(draws=DRAWS):
        drawn = draw_inputs(inputs, draws=draws, seed=0, correlation=0.3)
        return [cost_summary(costs_by_draw(one, drawn)) for one in linear]

    plain, whole = in_turn(bare, engine)

    told(f"\n{DRAWS:,} draws, {INPUTS} inputs, {DRAWN_WORKLOADS} workloads x {OPTIONS} options", "ms", "x bare NumPy")
    told("  bare NumPy: draw, multiply, partition, argmin", f"{plain * 1000:,.0f}", "1.0")
    told("  inputs, costs, mean, quantiles, how often cheapest", f"{whole * 1000:,.0f}", f"{whole / plain:.1f}")
    told("time by draws")
    exponent([2500, 5000, 10_000, 20_000], lambda size: lambda: engine(size))


def test_whole_answers():
    document = example_document()
    scenario = parse_scenario(document)
    builds = [copy.deepcopy(scenario.builds[0]) for _ in range(16)]

    def with_builds(count):
        named = tuple(replace(build, id=f"{build.id}-{number}") for number, build in enumerate(builds[:count]))
        changed = replace(scenario, builds=named, ranges={})
        return lambda: evaluate(changed)

    def with_months(count):
        needs = tuple(replace(one, months=float(count), days=None, end=None) for one in scenario.workloads)
        changed = replace(
            scenario, workloads=needs, ranges={}, assumptions=replace(scenario.assumptions, horizon_months=count)
        )
        return lambda: evaluate(changed)

    told(f"\nwhole answer, every ledger laid down: {len(scenario.workloads)} workloads x {len(scenario.quotes)} quotes")
    told("by own builds")
    exponent([2, 4, 8, 16], with_builds)
    told("by months")
    exponent([24, 48, 96, 192], with_months)


@pytest.mark.django_db
def test_the_demo():
    while not demo_load().is_complete:
        while job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=lambda job: nullcontext()) is not None:
            pass
    document = scenario_document(assumption_set=assumption_set_in_force(), as_of=day_of_evaluation())
    scenario = parse_scenario(document)
    seconds = in_turn(lambda: evaluate(scenario))[0]
    told(f"\nevaluate of the demo, warm: {len(scenario.workloads)} workloads x {len(scenario.quotes)} quotes", "ms")
    told("  readiness, options, draws, flip points, portfolio", f"{seconds * 1000:,.0f}")
