"""A verdict never flips on age alone (semantics 33): the same answer with fresh and with aged evidence."""

import pytest

from procurement.engine.pipeline import evaluate
from procurement.engine.scenario import parse_scenario
from tests.engine.readiness_documents import all_gates, build, document, power, proof, workload

OTHERS = all_gates(without=("powered",))


def answer(*statements, start="2026-12-02"):
    need = workload(start=start, shape="independent_jobs", interconnect="single_node")
    costs = [{"component": "hardware", "amount": 1000, "currency": "USD"}]
    given = document(build([*OTHERS, *statements], costs=costs), workloads=[need], assumptions={"discount_rate": 0.08})
    return evaluate(parse_scenario(given))


def on_prem(found):
    return next(option for option in found["options"]["w"] if option["option"] == "on_prem:b")


@pytest.mark.parametrize("observed_on", ["2026-10-05", "2026-08-31", "2026-01-05"])
def test_a_running_build_is_feasible_whatever_the_age_of_its_power_record(observed_on):
    assert on_prem(answer(power(1600, observed_on=observed_on)))["feasible"]


def test_the_condition_names_what_must_be_renewed():
    assert "renew:powered" in on_prem(answer(power(1600, observed_on="2026-08-01")))["conditions"]
    assert "renew:powered" not in on_prem(answer(power(1600)))["conditions"]


def test_power_that_was_never_proven_is_no_matter_of_age():
    found = on_prem(answer(proof("powered", grade="D")))

    assert not found["feasible"]
    assert "no_forecast" in found["reasons"]
