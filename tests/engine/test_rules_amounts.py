"""One number, one source: reasons, approval and options name the same cents (semantics 22, 25, 26)."""

from decimal import Decimal

import pytest

from tests.engine.cost_documents import advice, answered, build, document, option, quote, workload

PLACE = "on_prem:own"


def thirds():
    """Return three lines of 1,000.004: each rounds to 1,000.00, their exact sum 3,000.012 to 3,000.01."""
    return [
        {"component": name, "amount": "1000.004", "currency": "USD", "basis": "once"}
        for name in ("hardware", "network", "storage")
    ]


def reasons_of(answer):
    return {entry["code"]: entry for entry in advice(answer)["reasons"]}


def test_approval_and_reasons_name_the_sum_of_the_rounded_components():
    answer = answered(document(builds=[build(costs=thirds())], quotes=[quote()]))

    found, says = option(answer, PLACE), reasons_of(answer)
    dearer = option(answer, "cloud:od")
    assert found["npv"] == found["npv_mean"] == found["other_charge"] == "3000.00"
    assert advice(answer)["approval_amount"] == says["cheapest"]["npv"] == "3000.00"
    assert says["runner_up_dearer"]["npv"] == dearer["npv"] == "280320.00"
    assert says["cheaper_than_runner_up"]["difference"] == "277320.00"
    assert (advice(answer)["premium_over_cheapest"], "npv_mean" in says["cheapest"]) == ("0.00", False)


def test_the_only_feasible_option_names_the_same_cents_too():
    answer = answered(document(builds=[build(costs=thirds())]))

    assert reasons_of(answer)["only_feasible"]["npv"] == option(answer, PLACE)["npv"] == "3000.00"


@pytest.mark.parametrize(
    ("rank_by", "key", "shown"), [("mean", "npv_mean", "npv_mean"), ("quantile", "npv_quantile", "npv_p80")]
)
def test_over_draws_the_cost_at_likely_values_and_the_amount_that_ranks_are_both_named(rank_by, key, shown):
    """A price of 1, 2 or 6 has its likely value at 2 and its mean at 3."""
    uncertain = quote(price={"min": "1", "likely": "2", "max": "6"})
    answer = answered(document(quotes=[uncertain], builds=[], rank_by=rank_by, draws=2000))

    found, says = option(answer, "cloud:od"), reasons_of(answer)["only_feasible"]
    assert says["npv"] == found["npv"] == "280320.00"
    assert Decimal(says[key]) == pytest.approx(Decimal(found[shown]), rel=Decimal("0.001"))
    assert advice(answer)["approval_amount"] == found["npv_p80"]


def test_two_runs_of_one_seed_name_the_same_cents():
    asked = document(quotes=[quote(price={"min": "1", "likely": "2", "max": "6"})], builds=[build()], seed=7, draws=500)

    assert answered(asked) == answered(asked)


def test_a_workload_that_never_works_costs_nothing_in_minor_units():
    idle = workload(demand={"utilisation": 0})

    found = option(answered(document(quotes=[quote()], workloads=[idle])), "cloud:od")

    assert (found["npv"], found["nominal_cost"], found["cost_per_accelerator_hour"]) == ("0.00", "0.00", None)
