"""Portfolios at the edge: stopped, too large, without numbers, refused by the solver, numerically bad, expiring."""

from dataclasses import replace

import numpy as np
import pytest

from procurement.engine.pipeline import portfolio
from procurement.engine.portfolio import LARGEST, refused_reason
from procurement.engine.portfolio_solver import FAILED, INFEASIBLE, OPTIMAL, STOPPED, Effort, conflicting, solved
from procurement.engine.scenario import parse_scenario
from tests.engine.cost_documents import build, document, quote, reserved, workload
from tests.engine.portfolio_documents import bench_document, knotty
from tests.engine.test_portfolio import answered, cost, in_month, model_of


def stop_after(asked):
    """Return a question that is answered by yes once it was asked so often."""
    left = [asked]

    def is_stopped():
        left[0] -= 1
        return left[0] < 0

    return is_stopped


def test_a_solve_that_somebody_stops_says_so_and_is_never_optimal():
    scenario = parse_scenario(bench_document(workloads=40, gangs=15))

    at_once = portfolio(scenario, gap=0.0, is_stopped=lambda: True)
    later = portfolio(scenario, gap=0.0, is_stopped=stop_after(3))

    assert (at_once["state"], at_once["npv"], at_once["npv_reason"]) == (STOPPED, None, "stopped")
    assert later["state"] == STOPPED
    assert later["gap"] is None or later["gap"] > 0.0


def test_a_stop_while_a_conflict_is_looked_for_leaves_a_conflict_that_is_not_called_irreducible():
    problem = model_of(
        document(quotes=[quote(quantity_available=8, largest_domain_accelerators=8)], workloads=[workload(months=1)])
    ).problem
    groups = list(range(len(problem.groups)))

    found, is_irreducible = conflicting(problem, groups, Effort(10.0, is_stopped=lambda: True))

    assert found == groups
    assert not is_irreducible


@pytest.mark.parametrize("seed", range(2))
def test_the_same_question_gives_the_same_plan_whether_or_not_somebody_may_stop_it(seed):
    scenario = parse_scenario(knotty(seed, gangs=6, loose=4))

    first, again = portfolio(scenario), portfolio(scenario, is_stopped=lambda: False)

    del first["seconds"], again["seconds"]
    assert first == again
    assert first["state"] == OPTIMAL


@pytest.mark.parametrize(
    ("_case", "fault", "message"),
    [
        ("a cost", {"cost": np.nan}, "no number in: cost"),
        ("an endless cost", {"cost": np.inf}, "no number in: cost"),
        ("a bound", {"row_upper": np.nan}, "no number in: row bound"),
        ("nothing that holds the cost up", {"cost": -1.0, "upper": np.inf, "row_upper": np.inf}, "Unbounded"),
    ],
)
def test_what_the_solver_cannot_take_fails_with_its_message(_case, fault, message):
    problem = model_of(document(quotes=[quote()], workloads=[workload(months=1)])).problem
    spoilt = {name: np.full_like(getattr(problem, name), value) for name, value in fault.items()}

    found = solved(replace(problem, **spoilt), Effort(10.0))

    assert (found.state, found.values) == (FAILED, None)
    assert found.message == message


def test_a_programme_that_contradicts_itself_is_infeasible_and_no_failure():
    problem = model_of(document(quotes=[quote()], workloads=[workload(months=1)])).problem

    found = solved(replace(problem, upper=np.zeros_like(problem.upper)), Effort(10.0))

    assert found.state == INFEASIBLE


def test_without_workloads_there_is_nothing_to_plan():
    found = answered(document(quotes=[quote()], workloads=[], policy={"capital_budget": 1}))

    assert (found["state"], found["npv_reason"], found["allocation"]) == (FAILED, "no_workloads", [])


def test_a_question_beyond_memory_is_refused_before_it_is_begun_with_its_size():
    needs = [workload(id=f"w{number}", months=1) for number in range(4)]
    scenario = parse_scenario(document(quotes=[quote()], workloads=needs, horizon_months=600))
    huge = replace(scenario, quotes=scenario.quotes * 4000)  # 4 x 4,000 x 600 = 9,600,000

    found = portfolio(huge)

    assert refused_reason(scenario) is None
    assert (found["state"], found["npv_reason"]) == (FAILED, f"too_large:9600000:{LARGEST}")


def test_prices_and_sizes_of_very_different_magnitude_still_find_the_cheapest():
    tiny = quote(id="tiny", price="0.000001", quantity_available=1, provider="Tiny")
    huge = quote(id="huge", price="100000000", provider="Huge")
    many = workload(accelerators=100_000, months=1)

    found = answered(document(quotes=[tiny, huge, quote(price="2.00", quantity_available=99_999)], workloads=[many]))

    assert found["state"] == OPTIMAL
    assert in_month(found) == {("w", "tiny"): 1, ("w", "od"): 99_999}
    assert cost(found) == pytest.approx(730 * (99_999 * 2.00 + 0.000001))


def test_a_very_high_discount_rate_and_a_horizon_of_decades_are_no_failure():
    asked = document(quotes=[quote()], builds=[build()], workloads=[workload(months=360)], discount_rate="9")

    found = answered(asked)

    assert found["state"] == OPTIMAL
    assert cost(found) > 0.0


@pytest.mark.parametrize(
    ("_case", "changes", "place"),
    [
        ("signed today for June", {"valid_until": "2026-12-31"}, "rsv"),
        ("expired", {"valid_until": "2026-11-29"}, "od"),
        ("not to be booked before May", {"valid_until": "2026-12-31", "booking_horizon_days": 30}, "od"),
        ("not to be booked before May", {"valid_until": "2027-05-31", "booking_horizon_days": 30}, "od"),
    ],
)
def test_a_commitment_is_planned_on_only_where_it_can_be_signed_today(_case, changes, place):
    offer = reserved(price="1.00", term_months=3, **changes)
    need = workload(start="2027-06-01", need_by="2027-06-01", months=3)

    found = answered(document(quotes=[offer, quote(price="2.00")], workloads=[need]))

    assert {one["place"] for one in found["allocation"]} == {place}
