"""Every rule of a policy holds the portfolio back: without its rows, or without the rule, the plan is cheaper."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csc_array

from procurement.engine.portfolio_solver import INFEASIBLE, OPTIMAL, Effort, solved
from tests.engine.cost_documents import build, document, quote, workload
from tests.engine.test_portfolio import answered, cost, model_of

HOURS = 730.0
CHEAP_AND_DEAR = [quote(price="1.00"), quote(id="dear", price="3.00", provider="Other")]


def cost_without(asked, name):
    """Return the cost of a portfolio from whose programme the rows of one constraint were taken out."""
    problem = model_of(asked).problem
    gone = [index for index, group in enumerate(problem.groups) if f"{group[0]}:{group[1]}".startswith(name)]
    assert gone, problem.groups
    kept = np.flatnonzero(~np.isin(problem.row_group, gone))
    found = solved(
        replace(
            problem, matrix=csc_array(problem.matrix[kept]), row_lower=problem.row_lower[kept],
            row_upper=problem.row_upper[kept], row_group=problem.row_group[kept], row_month=problem.row_month[kept],
        ),
        Effort(30.0),
    )  # fmt: skip
    assert found.state == OPTIMAL
    return found.objective


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        (
            "policy:max_share_per_supplier:Cloud",
            {"quotes": CHEAP_AND_DEAR, "workloads": [workload(months=1)], "policy": {"max_share_per_supplier": 0.5}},
        ),
        (
            "policy:capital_budget",  # the build costs 200,000 once, renting its 16 for a year 16 x 8,760 x 9.00
            {"quotes": [quote(price="9.00")], "builds": [build()], "policy": {"capital_budget": 199_999}},
        ),
        (
            # paying for the build in its first year is cheaper in sum, but 200,000 is more than a year's budget
            "policy:yearly_budget",
            {"quotes": [quote(price="1.40")], "builds": [build()], "workloads": [workload(months=24)],
             "policy": {"yearly_budget": 198_000}},
        ),
        ("supply:od", {"quotes": [quote(price="1.00", quantity_available=8), CHEAP_AND_DEAR[1]]}),
        ("demand:w", {"quotes": CHEAP_AND_DEAR}),
        (
            "pinned:1:w@dear",
            {"quotes": CHEAP_AND_DEAR, "policy": {"pins": [{"workload": "w", "place": "dear", "share": 0.5}]}},
        ),
    ],
)  # fmt: skip
def test_without_its_rows_a_constraint_would_not_hold(name, asked):
    found = answered(document(**asked))

    assert found["state"] == OPTIMAL
    assert cost_without(document(**asked), name) < cost(found) - 1.0


@pytest.mark.parametrize(
    ("_case", "rule"),
    [
        ("residency", {"residency": ["EU"]}),
        ("a country", {"residency": ["NL"]}),
        ("allowed providers", {"allowed_providers": ["Home"]}),
    ],
)
def test_where_a_workload_may_run_holds_in_the_portfolio(_case, rule):
    home = quote(id="home", price="3.00", region="europe-west4", provider="Home")
    away = quote(id="away", price="1.00", region="us-east1", provider="Away")

    free = answered(document(quotes=[home, away], workloads=[workload(months=1)]))
    held = answered(document(quotes=[home, away], workloads=[workload(months=1, **rule)]))

    assert {one["place"] for one in free["allocation"]} == {"away"}
    assert {one["place"] for one in held["allocation"]} == {"home"}
    assert cost(held) == pytest.approx(16 * HOURS * 3.00)


@pytest.mark.parametrize("rule", [{"residency": ["EU"]}, {"allowed_providers": ["Home"]}])
def test_nothing_is_planned_where_it_may_not_run_even_if_there_is_no_other_place(rule):
    away = quote(id="away", price="1.00", region="us-east1", provider="Away")

    found = answered(document(quotes=[away], workloads=[workload(months=1, **rule)]))

    assert found["state"] == INFEASIBLE


def test_the_budget_of_a_year_counts_all_that_is_paid_in_it():
    # 24 months at 1.40 are 196,224 a year: one dollar less than the first year needs is a conflict, one more is not
    asked = {"quotes": [quote(price="1.40")], "workloads": [workload(months=24)]}

    assert answered(document(**asked, policy={"yearly_budget": 196_225}))["state"] == OPTIMAL
    short = answered(document(**asked, policy={"yearly_budget": 196_223}))

    assert (short["state"], short["npv"]) == (INFEASIBLE, None)
