"""The portfolio of all workloads: states, supply, policy, terms, pinned allocations and the answer's shape."""

from dataclasses import replace
from datetime import date

import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from procurement.engine.bookability import bookability
from procurement.engine.pipeline import evaluate, portfolio, supply_of
from procurement.engine.portfolio import Facts, portfolio_model, unasked_reason
from procurement.engine.portfolio_solver import FAILED, OPTIMAL, TIME_LIMIT, Effort, solved
from procurement.engine.scenario import parse_scenario
from tests.engine.cost_documents import build, document, late_build, quote, reserved, workload
from tests.engine.portfolio_documents import bench_document, knotty

HOURS = 730.0


def answered(asked, **options):
    return portfolio(parse_scenario(asked), **{"gap": 0.0, **options})


def model_of(asked):
    scenario = parse_scenario(asked)
    supply = supply_of(scenario)
    offers = bookability(scenario, supply.readiness, supply.forecasts)
    return portfolio_model(Facts(scenario, supply.readiness, supply.forecasts, offers))


def cost(answer):
    return float(answer["npv"])


def in_month(answer, month=0):
    """Return accelerators by workload and place in a month."""
    rows = [one for one in answer["allocation"] if one["month"] == month]
    return {(one["workload"], one["place"]): one["accelerators"] for one in rows}


def prices(answer):
    return {one["constraint"]: float(one["price"]) for one in answer["binding"]}


def test_a_divisible_workload_takes_what_is_cheap_first_and_the_limit_has_its_price():
    cheap = quote(id="cheap", price="1.00", quantity_available=8, provider="Small")
    found = answered(document(quotes=[cheap, quote(price="2.00")], workloads=[workload(months=2)]))

    assert in_month(found) == {("w", "cheap"): 8, ("w", "od"): 8}
    assert cost(found) == pytest.approx(2 * HOURS * 8 * (1.00 + 2.00))
    assert prices(found)["supply:cheap"] == pytest.approx(2 * HOURS * 1.00)  # two months of one accelerator more


def test_the_answer_has_the_fields_of_the_document():
    found = answered(document(quotes=[quote()], workloads=[workload(months=1)]))

    names = {"state", "gap", "allocation", "built", "committed", "binding", "conflict", "npv", "seconds"}
    assert names <= set(found)
    assert set(found["seconds"]) == {"build", "solve"}
    assert found["npv"] == "23360.00"  # 16 x 730 x 2.00
    assert found["allocation"] == [
        {"workload": "w", "place": "od", "month": 0, "begins_on": "2026-12-01", "accelerators": 16, "share": 1.0}
    ]


def test_a_late_build_is_bridged_until_it_is_usable():
    asked = document(quotes=[quote(price="9.00")], builds=[late_build()], workloads=[workload(months=24)])

    found = answered(asked)

    places = {one["month"]: one["place"] for one in found["allocation"]}
    usable = date.fromisoformat(found["built"][0]["usable_on"])
    first = min(month for month, place in places.items() if place == "own")
    begins = {one["month"]: date.fromisoformat(one["begins_on"]) for one in found["allocation"]}
    assert usable > date(2027, 6, 1)  # at the quantile that decides, after the promised day
    assert begins[first] >= usable > begins[first - 1]
    assert all(places[month] == "od" for month in range(first))


def test_a_commitment_is_signed_when_it_is_needed_and_billed_to_its_end():
    # 18 months of 8 nodes: one term of 12 months at 1.20, then 6 months on demand at 2.00 rather than 12 at 1.20
    found = answered(document(quotes=[quote(price="2.00"), reserved(price="1.20")], workloads=[workload(months=18)]))

    assert [(one["nodes"], one["terms"]) for one in found["committed"]] == [(2, 1)]
    assert cost(found) == pytest.approx(16 * HOURS * (12 * 1.20 + 6 * 2.00))


def test_terms_are_whole_even_where_half_of_them_is_needed():
    found = answered(document(quotes=[reserved(price="1.20")], workloads=[workload(months=6)]))

    assert cost(found) == pytest.approx(16 * HOURS * 12 * 1.20)


def test_a_minimum_quantity_is_signed_or_nothing():
    many = reserved(price="1.20", min_accelerators=64)
    found = answered(document(quotes=[many, quote(price="2.00")], workloads=[workload()]))
    alone = answered(document(quotes=[many], workloads=[workload()]))

    assert found["committed"] == []
    assert [one["accelerators"] for one in alone["committed"]] == [64]


def test_an_expired_quote_is_never_used():
    gone = quote(id="gone", price="0.10", valid_until="2026-11-01", quoted_on="2026-10-01")
    found = answered(document(quotes=[gone, quote()], workloads=[workload(months=1)]))

    assert {one["place"] for one in found["allocation"]} == {"od"}


def test_nothing_is_used_before_its_lead_time():
    fast = quote(id="fast", price="5.00", provider="Fast")
    slow = quote(price="1.00", lead_time_days=60)  # from 2027-01-29 on
    found = answered(document(quotes=[slow, fast], workloads=[workload(months=4)]))

    assert [one["place"] for one in found["allocation"]] == ["fast", "fast", "od", "od"]


def test_residency_and_providers_hold_by_bookability():
    home = quote(id="home", price="3.00", region="europe-west4", provider="Google Cloud")
    away = quote(id="away", price="1.00", region="us-east1", provider="Google Cloud")
    found = answered(document(quotes=[home, away], workloads=[workload(months=1, residency=["EU"])]))

    assert {one["place"] for one in found["allocation"]} == {"home"}


def test_the_largest_share_with_one_supplier_sends_the_rest_elsewhere():
    two = [quote(price="1.00"), quote(id="dear", price="3.00", provider="Other")]
    free = answered(document(quotes=two, workloads=[workload(months=1)]))
    held = answered(document(quotes=two, workloads=[workload(months=1)], policy={"max_share_per_supplier": 0.75}))

    assert in_month(free) == {("w", "od"): 16}
    assert in_month(held) == {("w", "od"): 12, ("w", "dear"): 4}
    assert prices(held)["policy:max_share_per_supplier:Cloud"] == pytest.approx(16 * HOURS * 2.00)


def test_a_capital_budget_below_the_build_leaves_it_unbought():
    asked = {"quotes": [quote(price="9.00")], "builds": [build()]}
    bought = answered(document(**asked, policy={"capital_budget": 200000}))
    held = answered(document(**asked, policy={"capital_budget": 199999}))

    assert [one["build"] for one in bought["built"]] == ["own"]
    assert (held["built"], {one["place"] for one in held["allocation"]}) == ([], {"od"})


def test_a_yearly_budget_binds_every_payment_of_its_year():
    asked = {"quotes": [quote(price="2.00")], "workloads": [workload()]}  # 16 x 8,760 x 2.00 = 280,320
    enough = answered(document(**asked, policy={"yearly_budget": 280321}))
    short = answered(document(**asked, policy={"yearly_budget": 280319}))

    assert enough["state"] == "optimal"
    assert short["state"] == "infeasible"
    assert "policy yearly_budget: at most 280319 USD" in short["conflict"]


def test_a_demand_that_nothing_can_serve_says_what_removed_the_offers():
    found = answered(document(quotes=[quote()], workloads=[workload(accelerator_types=["B200"])]))

    assert found["state"] == "infeasible"
    assert found["conflict"] == [
        "demand of w: 16 accelerators, in one place or several; no place serves all of its months (wrong_accelerator 1)"
    ]


def test_a_conflict_is_irreducible():
    # the share rule alone could be kept, the pinned place alone too: together with the demand they cannot
    asked = document(
        quotes=[quote(), quote(id="b", provider="Other", price="3.00")],
        workloads=[workload(months=1)],
        policy={"max_share_per_supplier": 0.5, "capital_budget": 1000},
    )

    asked["policy"]["pins"] = [{"workload": "w", "place": "od", "reason": "signed already"}]

    found = answered(asked)

    assert found["state"] == "infeasible"
    assert found["conflict"] == [
        "policy max_share_per_supplier: at most 0.5 of the accelerator-hours with Cloud",
        "pin 1: all of w at od (signed already)",
    ]


def test_without_a_discount_rate_there_is_no_portfolio():
    asked = document(quotes=[quote()])
    del asked["assumptions"]["discount_rate"]

    found = answered(asked)

    assert (found["state"], found["npv"], found["npv_reason"]) == (FAILED, None, "missing:discount_rate")


def test_an_evaluation_solves_the_portfolio_where_a_policy_is_stated():
    asked = {"quotes": [quote()], "workloads": [workload(months=1)]}
    plain = evaluate(parse_scenario(document(**asked)))
    ruled = evaluate(parse_scenario(document(**asked, policy={"capital_budget": 1})))

    assert (plain["portfolio"], plain["portfolio_reason"]) == (None, "not_solved_here")
    assert ruled["portfolio"]["state"] == "optimal"
    assert "portfolio_reason" not in ruled


@pytest.mark.parametrize("seed", range(5))
def test_another_interface_to_a_solver_finds_the_same_cost(seed):
    problem = model_of(knotty(seed)).problem
    ours = solved(problem, Effort(60.0))

    theirs = milp(
        problem.cost,
        integrality=problem.is_integer.astype(int),
        bounds=Bounds(problem.lower, problem.upper),
        constraints=LinearConstraint(problem.matrix, problem.row_lower, problem.row_upper),
        options={"mip_rel_gap": 0.0},
    )

    assert theirs.status == 0
    assert ours.state == OPTIMAL
    assert ours.objective == pytest.approx(theirs.fun + problem.offset, rel=1e-6)


def test_a_stopped_solve_never_reads_as_optimal():
    problem = model_of(bench_document(workloads=40, gangs=15)).problem

    stopped = solved(problem, Effort(0.001))

    assert stopped.state == TIME_LIMIT
    assert stopped.values is None or stopped.gap is None or stopped.gap > 0.0


def test_a_capacity_block_of_two_weeks_serves_a_job_of_two_weeks():
    block = quote(id="block", price="1.00", purchase_model="capacity_block", min_days=14, provider="Block")
    job = workload(shape="one_job", days=14, months=None, need_by="2026-12-01")

    short = answered(document(quotes=[block, quote(price="5.00")], workloads=[job]))
    longer = answered(document(quotes=[block, quote(price="5.00")], workloads=[{**job, "days": 20}]))

    assert {one["place"] for one in short["allocation"]} == {"block"}
    assert cost(short) == pytest.approx(16 * 14 * 24 * 1.00)
    assert [one["terms"] for one in longer["committed"]] == [2]  # 20 days take two blocks
    assert cost(longer) == pytest.approx(16 * 28 * 24 * 1.00)


def test_the_cost_of_a_second_place_keeps_a_small_gain_in_one_place():
    two = [quote(id="cheap", price="1.00", quantity_available=8, provider="Small"), quote(price="1.10")]
    gain = 8 * HOURS * 0.10

    split = answered(document(quotes=two, workloads=[workload(months=1, second_place_overhead_per_month=gain - 1)]))
    whole = answered(document(quotes=two, workloads=[workload(months=1, second_place_overhead_per_month=gain + 1)]))

    assert len(in_month(split)) == 2
    assert in_month(whole) == {("w", "od"): 16}


@pytest.mark.parametrize(("stays_at", "place"), [(20000, "today"), (24000, "od")])
def test_what_runs_today_may_stay_where_that_is_cheapest(stays_at, place):
    here = workload(months=1, current={"place": "today", "cost_per_month": stays_at}, switching_cost="500")

    found = answered(document(quotes=[quote(price="2.00")], workloads=[here]))  # 23,360 and 500 for leaving

    assert {one["place"] for one in found["allocation"]} == {place}
    assert cost(found) == pytest.approx(20000 if place == "today" else 23860)


def test_without_any_place_the_demand_is_the_conflict():
    found = answered(document(workloads=[workload()]))

    assert found["state"] == "infeasible"
    assert found["conflict"][0].startswith("demand of w: 16 accelerators")


def test_a_large_question_is_left_to_its_own_request():
    needs = [workload(id=f"w{number}", months=1) for number in range(3)]
    asked = document(quotes=[quote()], workloads=needs, policy={"capital_budget": 1}, horizon_months=600)
    scenario = parse_scenario(asked)

    assert unasked_reason(scenario) is None
    assert unasked_reason(replace(scenario, quotes=scenario.quotes * 300)) == "too_large_to_solve_here"
