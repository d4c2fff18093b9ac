"""The whole answer: published totals through the front door, partial questions, stages, and laws that always hold."""

import copy
import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine import ENGINE_VERSION, pipeline
from procurement.engine.scenario import example_document, parse_scenario
from tests.engine.cost_documents import (
    advice,
    answered,
    build,
    document,
    late_build,
    option,
    quote,
    reserved,
    workload,
)

LP2368 = Path(__file__).resolve().parents[2] / "../shared/cases/scenario_lp2368_d.json"
OWNED, RENTED = "on_prem:own-8xb300", "cloud:aws-p6-b300"
PARTS = (
    "engine_version", "inputs_digest", "as_of", "currency", "readiness", "forecast", "bookability", "bridge", "need",
    "throughput", "options", "excluded", "recommendation", "portfolio",
)  # fmt: skip
OPTION_PARTS = {
    "option", "feasible", "reasons", "conditions", "npv", "npv_mean", "nominal_cost", "capital", "operating",
    "components", "by_month", "cost_per_accelerator_hour", "cost_per_useful_accelerator_hour", "cost_per_unit",
    "breakeven", "npv_p10", "npv_p50", "npv_p80", "npv_p90", "probability_cheapest", "rate_basis", "charge_basis",
    "other_charge", "other_reading", "incomplete_cost", "not_modelled",
}  # fmt: skip
ADVICE_PARTS = {
    "verdict", "option", "runner_up", "tie", "reasons", "conditions", "flip_points", "premium_over_cheapest",
    "approval_amount", "how_sure", "not_modelled", "oldest_input_on", "split",
}  # fmt: skip


def lp2368(**assumptions):
    asked = json.loads(LP2368.read_text(encoding="utf-8"))
    asked["assumptions"] |= assumptions
    return answered(asked)


@pytest.mark.shared
def test_the_published_server_costs_what_was_published():
    answer = lp2368()
    owned = option(answer, OWNED)

    assert owned["npv"] == owned["nominal_cost"] == "1013447.50"
    assert option(answer, RENTED)["npv"] == "6237996.00"
    assert (owned["capital"], owned["operating"]) == ("461567.50", "551880.00")
    assert owned["breakeven"]["hours"] == pytest.approx(3555.44, abs=5e-3)
    assert owned["breakeven"]["months"] == pytest.approx(4.8705, abs=5e-5)
    assert owned["breakeven"]["utilisation"] == pytest.approx(0.08117, abs=5e-6)
    assert advice(answer)["verdict"] == "on_prem"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("timing", "owned", "rented"),
    [
        ("mid", "919667.96", "5177989.53"),
        ("begin", "921139.32", "5194620.49"),
        ("end", "918201.32", "5161411.81"),
    ],
)
def test_the_published_server_discounted(timing, owned, rented):
    answer = lp2368(discount_rate=0.08, discount_timing=timing)

    assert (option(answer, OWNED)["npv"], option(answer, RENTED)["npv"]) == (owned, rented)


@pytest.mark.shared
def test_the_discounted_twins_of_the_published_server():
    twin = option(lp2368(discount_rate=0.08, discount_timing="mid"), OWNED)["breakeven"]["discounted"]

    assert twin["months"] == pytest.approx(4.9483, abs=5e-5)
    assert twin["utilisation"] == pytest.approx(0.09779, abs=5e-6)


def test_a_thousand_accelerators_for_a_day_through_the_front_door():
    offer = quote(price="8.00", excludes=["facility", "network", "storage", "operation"])
    need = workload(accelerators=1000, months=None, days=1)
    found = option(answered(document(quotes=[offer], workloads=[need])), "cloud:od")

    assert found["components"] == {"compute": "192000.00"}
    assert found["not_modelled"] == ["facility", "network", "storage", "operation"]


def test_the_answer_has_every_part():
    answer = answered(document(quotes=[quote()], builds=[build()]))

    assert [part for part in PARTS if part not in answer] == []
    assert answer["engine_version"] == ENGINE_VERSION
    assert all(set(found) >= OPTION_PARTS for found in answer["options"]["w"])
    assert set(advice(answer)) >= ADVICE_PARTS
    json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize("missing", ["quotes", "builds", "workloads", "policy", "assumptions"])
def test_a_question_may_lack_any_part(missing):
    asked = document(quotes=[quote()], builds=[build()])
    asked.pop(missing, None)
    answer = answered(asked)

    json.dumps(answer, allow_nan=False)
    if missing == "workloads":
        assert answer["options"] == answer["recommendation"] == {}
    if missing == "quotes":
        assert advice(answer)["verdict"] == "on_prem"
    if missing == "assumptions":
        assert advice(answer)["reasons"] == [{"code": "missing:discount_rate"}]


def test_the_example_is_answered():
    json.dumps(answered(example_document()), allow_nan=False)


def test_the_stages_are_the_parts_of_the_whole():
    scenario = parse_scenario(document(quotes=[quote()], builds=[build()]))
    whole = pipeline.evaluate(scenario)

    for stage in (pipeline.energization, pipeline.availability, pipeline.comparisons):
        assert {key: whole[key] for key in stage(scenario)} == stage(scenario)


def test_the_same_question_is_the_same_answer():
    asked = document(quotes=[quote(price={"min": "1.8", "likely": "2", "max": "2.6"})], builds=[late_build()])

    assert answered(asked) == answered(copy.deepcopy(asked))


def test_time_changes_the_answer_on_the_day_after_a_quote_expires():
    later = workload(start="2027-03-01")
    scenario = parse_scenario(document(quotes=[quote(valid_until="2026-12-03")], workloads=[later]))

    assert pipeline.next_change_on(scenario) == date(2026, 12, 4)
    assert pipeline.next_change_on(parse_scenario(document())) is None


def test_time_changes_the_answer_on_the_day_after_the_last_day_to_book():
    offer = quote(valid_until="2027-12-31", lead_time_days=30, booking_horizon_days=60)
    scenario = parse_scenario(document(quotes=[offer], workloads=[workload(start="2027-03-01")]))

    # bookable from 2027-03-01 - 60 days = 2026-12-31, for the last time on 2027-03-01 - 30 days = 2027-01-30
    assert pipeline.next_change_on(scenario) == date(2026, 12, 31)
    assert pipeline.next_change_on(replace(scenario, as_of=date(2026, 12, 31))) == date(2027, 1, 31)


def test_the_twenty_cheapest_are_shown_and_the_rest_counted():
    quotes = [quote(id=f"q{index:02}", price=f"{2 + index / 10:.1f}") for index in range(30)]
    answer = answered(document(quotes=quotes, keep_options=["cloud:q29"]))

    assert [entry["option"] for entry in answer["options"]["w"]][:2] == ["cloud:q00", "cloud:q01"]
    assert [entry["option"] for entry in answer["options"]["w"]][20:] == ["cloud:q29"]
    assert answer["excluded"]["w"] == {"dearer_than_shown": 9}


def test_cost_per_million_tokens():
    # 32.00 an hour serve 10,000 tokens a second: 36 million an hour
    need = workload(kind="llm_inference", demand={"tokens_per_second": 10000, "peak_to_mean": 1})
    found = option(answered(document(quotes=[quote()], workloads=[need])), "cloud:od")

    assert found["unit"] == "million_tokens"
    assert float(found["cost_per_unit"]) == pytest.approx(float(found["npv"]) / (36 * 8760), abs=1e-6)


def test_useful_hours_are_dearer_where_the_fabric_wastes_them():
    training = {"params_b": 70, "tokens_per_step": 4194304, "mfu_node": 0.48}
    need = workload(shape="one_job", accelerators=512, training=training, demand={"hours_per_month": 300})
    offers = [quote(price="3.20"), quote(id="roce", price="2.90", fabric="roce")]
    answer = answered(document(quotes=offers, workloads=[need]))
    found = option(answer, "cloud:od")

    # useful share 0.913819 of the worked example: 300 useful hours are 328.3 occupied ones
    assert float(found["cost_per_useful_accelerator_hour"]) == pytest.approx(3.20 / 0.913819, abs=1e-4)
    assert float(found["nominal_cost"]) == pytest.approx(3.20 * 512 * 300 * 12 / 0.913819, rel=1e-5)


def test_a_model_that_does_not_fit_is_infeasible():
    training = {"params_b": 405, "tokens_per_step": 4194304}
    needs = [workload(shape="one_job", training=training)]
    answer = answered(document(quotes=[quote()], builds=[build()], workloads=needs))

    assert answer["excluded"]["w"]["memory_too_small"] == 1
    assert "memory_too_small" in option(answer, "on_prem:own")["reasons"]
    assert advice(answer)["verdict"] == "none_feasible"


# --- laws -------------------------------------------------------------------------------------------------------------
prices = st.floats(0.1, 20.0).map(lambda value: f"{value:.4f}")
factors = st.floats(0.2, 5.0)


def priced(od="2.00", rsv="1.20", capital="200000", **changes):
    lines = [
        {"component": "hardware", "amount": capital, "currency": "USD", "basis": "once", "life_months": 48},
        {"component": "operations", "amount": "1.00", "currency": "USD", "basis": "per_running_hour"},
    ]
    return document(
        quotes=[quote(price=od), reserved(price=rsv)], builds=[build(costs=lines)], discount_rate="0.08", **changes
    )


@settings(max_examples=12, deadline=None)
@given(prices, prices, st.floats(1e3, 2e6).map(lambda value: f"{value:.2f}"))
def test_components_sum_to_totals(od, rsv, capital):
    for found in answered(priced(od, rsv, capital))["options"]["w"]:
        assert sum(map(Decimal, found["components"].values())) == Decimal(found["nominal_cost"])
        assert sum(map(Decimal, found["components_npv"].values())) == Decimal(found["npv"])
        assert sum(Decimal(row["amount"]) for row in found["by_month"]) == Decimal(found["nominal_cost"])
        assert Decimal(found["capital"]) + Decimal(found["operating"]) == Decimal(found["nominal_cost"])


@settings(max_examples=8, deadline=None)
@given(factors)
def test_scaling_every_price_scales_every_cost(factor):
    plain = answered(priced())
    asked = priced(f"{2 * factor:.10f}", f"{1.2 * factor:.10f}", f"{200000 * factor:.6f}")
    asked["builds"][0]["costs"][1]["amount"] = f"{factor:.10f}"
    scaled = answered(asked)

    for found in plain["options"]["w"]:
        other = option(scaled, found["option"])
        assert float(other["npv"]) == pytest.approx(factor * float(found["npv"]), rel=1e-6, abs=0.05)


def is_cloud(answer):
    return advice(answer)["verdict"] == "cloud"


@settings(max_examples=10, deadline=None)
@given(prices, st.floats(1.0, 5.0), st.floats(1e4, 5e5).map(lambda value: f"{value:.2f}"))
def test_dearer_cloud_never_moves_a_choice_towards_cloud(price, dearer, capital):
    cheap = answered(priced(price, price, capital))
    dear = answered(priced(f"{float(price) * dearer:.4f}", f"{float(price) * dearer:.4f}", capital))

    assert is_cloud(cheap) or not is_cloud(dear)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 12), st.integers(0, 12))
def test_later_energization_never_moves_a_choice_towards_on_prem(one, other):
    def share_owned(months):
        promised = date(2027 + (months // 12), months % 12 + 1, 15).isoformat()
        needs = [workload(need_by="2029-06-01", months=24)]
        answer = answered(document(quotes=[quote(price="0.90")], builds=[late_build(promised)], workloads=needs))
        return sum(share for place, share in advice(answer)["split"].items() if place == "own")

    early, late = sorted((one, other))
    assert share_owned(late) <= share_owned(early) + 1e-9


def test_an_option_that_is_worse_in_every_way_changes_nothing_of_the_others():
    ranged = {"min": "1.8", "likely": "2", "max": "2.6"}
    plain = answered(document(quotes=[quote(price=ranged), reserved()], builds=[late_build()]))
    worse = quote(id="aaa", price={"min": "5", "likely": "9", "max": "12"})
    more = answered(document(quotes=[worse, quote(price=ranged), reserved()], builds=[late_build()]))

    for found in plain["options"]["w"]:
        assert option(more, found["option"]) == found
    assert advice(more) == advice(plain)


def test_another_currency_of_the_same_worth_changes_nothing():
    fx = [{"base": "EUR", "counter": "USD", "rate": "1.25", "on": "2026-11-01", "source": "test"}]
    plain = answered(priced())
    asked = priced(fx=fx)
    asked["quotes"][0] |= {"price": "1.60", "currency": "EUR"}  # 1.60 x 1.25 = 2.00
    other = answered(asked)

    assert option(other, "cloud:od")["npv"] == option(plain, "cloud:od")["npv"]
    assert advice(other)["option"] == advice(plain)["option"]


def test_hours_a_month_are_the_basis_that_is_stated():
    need = [workload(demand={"utilisation": 1.0})]
    found = option(answered(document(quotes=[quote()], workloads=need, hours_per_month=720)), "cloud:od")

    assert found["nominal_cost"] == "276480.00"  # 2.00 x 16 x 720 x 12, 1.4 % less than at 730
