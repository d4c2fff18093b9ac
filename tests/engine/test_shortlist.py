"""The short answer for very many workloads: the same recommendations as the whole answer, without its ledgers."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from procurement.engine.pipeline import evaluate
from procurement.engine.scenario import example_document, parse_scenario
from procurement.engine.shortlist import shortlists
from procurement.engine.tables import CurrentPlace, Policy, Quote, Workload
from tests.benchmarks.documents import large_scenario

SAME = ("verdict", "option", "runner_up", "tie")
CENTS = Decimal("0.02")  # compute and unused commitment are rounded each


def differences(scenario):
    """Return where the short answer says something else than the whole one."""
    whole, short = evaluate(scenario), shortlists(scenario)
    found = []
    for name, advice in whole["recommendation"].items():
        npv = {option["option"]: option["npv"] for option in whole["options"][name]}
        brief = short[name]
        found += [(name, key, brief[key], advice[key]) for key in SAME if brief[key] != advice[key]]
        if brief["excluded"] != whole["excluded"][name]:
            found.append((name, brief["excluded"], whole["excluded"][name]))
        for key, option in (("npv", advice["option"]), ("runner_up_npv", advice["runner_up"])):
            if option is not None and abs(Decimal(brief[key]) - Decimal(npv[option])) > CENTS:
                found.append((name, key, brief[key], npv[option]))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_random_market_is_answered_as_the_whole_answer_does(seed):
    scenario = large_scenario(workloads=8, quotes=250, seed=seed)

    assert differences(scenario) == []


def test_ties_are_settled_alike_under_price_paths_and_materiality():
    scenario = large_scenario(workloads=8, quotes=250, seed=9)
    assumptions = replace(
        scenario.assumptions, materiality=400_000.0,
        price_change_per_year=replace(scenario.assumptions.price_change_per_year, cloud=-0.2),
    )  # fmt: skip
    scenario = replace(scenario, assumptions=assumptions)

    assert differences(scenario) == []
    assert sum(brief["tie"] for brief in shortlists(scenario).values()) >= 2


def test_a_tie_goes_to_the_smaller_commitment():
    """A year reserved at 1.99 or on demand at 2.00: less than 2 % apart, and on demand owes nothing after month 1."""
    scenario = large_scenario(workloads=0, quotes=0)
    offer = Quote(
        id="hourly", provider="A", accelerator="H100", accelerators_per_node=8, price=2.0, currency="USD",
        quoted_on=scenario.as_of,
    )  # fmt: skip
    year = replace(offer, id="year", price=1.99, purchase_model="reserved", term_months=12)
    need = Workload(id="w", shape="replicas", accelerators=8, start=date(2027, 1, 1), months=12.0)
    scenario = replace(scenario, quotes=(offer, year), workloads=(need,))

    brief = shortlists(scenario)["w"]

    assert (brief["option"], brief["runner_up"], brief["tie"]) == ("cloud:hourly", "cloud:year", True)
    assert differences(scenario) == []


def test_prices_that_are_equal_go_by_name():
    scenario = large_scenario(workloads=6, quotes=120, seed=3)
    twins = tuple(replace(quote, id=f"a{quote.id}") for quote in scenario.quotes)

    assert differences(replace(scenario, quotes=(*scenario.quotes, *twins))) == []


def test_what_own_builds_or_todays_place_may_serve_is_answered_in_full():
    scenario = parse_scenario(example_document())
    today = CurrentPlace(place="a hall", cost_per_month=1000.0)
    moved = replace(scenario, workloads=tuple(replace(one, current=today) for one in scenario.workloads))

    assert differences(scenario) == []
    assert differences(moved) == []


def test_a_yearly_budget_is_kept_by_the_short_answer_too():
    scenario = large_scenario(workloads=4, quotes=120, seed=5)

    assert differences(replace(scenario, policy=Policy(yearly_budget=500_000.0))) == []


def test_no_quotes_and_no_workloads_are_answered_too():
    scenario = large_scenario(workloads=2, quotes=1)

    assert [brief["verdict"] for brief in shortlists(replace(scenario, quotes=())).values()] == ["none_feasible"] * 2
    assert shortlists(replace(scenario, workloads=())) == {}
