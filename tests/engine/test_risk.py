"""Uncertain inputs through the front door: quantiles, paired draws, dates, what is not columns, and flip points."""

import json

import numpy as np
import pytest

from procurement.engine import columns, tables
from procurement.engine.readings import COLUMN_FIELDS, NO_COST_FIELDS, drawn, range_input, ranged_numbers
from procurement.engine.scenario import parse_scenario
from procurement.engine.uncertainty import RangeInput
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


def span(least, likely, most):
    return {"min": str(least), "likely": str(likely), "max": str(most)}


def money(found, *names):
    return [float(found[name]) for name in names]


def test_nothing_uncertain_makes_all_quantiles_the_present_cost():
    found = option(answered(document(quotes=[quote()])), "cloud:od")

    assert {found[name] for name in ("npv", "npv_mean", "npv_p10", "npv_p50", "npv_p80", "npv_p90")} == {"280320.00"}
    assert found["probability_cheapest"] is None


def test_a_ranged_price_gives_the_quantiles_of_its_triangle():
    answer = answered(document(quotes=[quote(price=span(1, 2, 4))], draws=20000))
    found = option(answer, "cloud:od")
    hours = 16 * 8760
    # triangle 1, 2, 4: mean 7/3; P10 = 1 + sqrt(.1 x 3 x 1), P80 = 4 - sqrt(.2 x 3 x 2)
    expected = [7 / 3, 1 + 0.3**0.5, 4 - 1.2**0.5]

    assert money(found, "npv_mean", "npv_p10", "npv_p80") == pytest.approx([hours * one for one in expected], rel=0.01)
    assert found["npv"] == "280320.00"  # the likely value stays the base
    assert advice(answer)["approval_amount"] == found["npv_p80"]


def test_the_mean_ranks_not_the_likely_value():
    # likely 1.00 but mean 2.00 against a firm 1.50
    answer = answered(document(quotes=[quote(price=span(0.5, 1, 4.5)), quote(id="firm", price="1.50")]))

    assert advice(answer)["option"] == "cloud:firm"


def test_the_same_draw_meets_all_options():
    # the same ranged discount rate moves both alike: the cheaper is cheaper in every draw
    answer = answered(document(quotes=[quote(), reserved()], discount_rate=span(0.02, 0.05, 0.2)))

    assert option(answer, "cloud:rsv")["probability_cheapest"] == 1.0
    assert option(answer, "cloud:od")["probability_cheapest"] == 0.0


def test_prices_that_overlap_too_much_are_a_tie():
    quotes = [quote(price=span(1, 2, 3.3)), quote(id="other", price=span(1, 2.1, 3.5))]
    found = advice(answered(document(quotes=quotes)))

    assert found["tie"]
    share = next(reason["share"] for reason in found["reasons"] if reason["code"] == "beats_in_draws")
    assert 0.4 < share < 0.7


def test_a_late_build_pays_its_own_bridge_in_each_draw():
    needs = [workload(need_by="2027-08-01", months=24)]
    asked = document(quotes=[quote()], builds=[late_build("2027-02-01")], workloads=needs)
    found = option(answered(asked), "on_prem:own")

    assert found["feasible"]
    assert float(found["npv_p90"]) > float(found["npv_p10"])
    assert float(found["npv_mean"]) > float(found["npv_p50"])  # late dates are dear, early ones save little


def test_quantiles_depend_on_the_seed_and_on_nothing_else():
    asked = document(quotes=[quote(price=span(1, 2, 4))])
    again, other = answered(asked), answered({**asked, "assumptions": {**asked["assumptions"], "seed": 1}})

    assert again == answered(asked)
    assert option(again, "cloud:od")["npv_p80"] != option(other, "cloud:od")["npv_p80"]


def test_an_input_has_its_own_stream():
    one, two = RangeInput("a", 0.0, 1.0, 2.0), RangeInput("b", 0.0, 1.0, 2.0)
    alone = drawn([two], draws=100, seed=0, correlation=0.3)
    both = drawn([one, two], draws=100, seed=0, correlation=0.3)

    assert both.column("b").tolist() == alone.column("b").tolist()
    assert abs(np.corrcoef(both.values.T)[0, 1]) > 0.05


def test_correlation_widens_the_sum():
    inputs = [RangeInput(name, 0.0, 1.0, 2.0) for name in "abcdef"]
    spread = [
        drawn(inputs, draws=4000, seed=0, correlation=correlation).values.sum(axis=1).std()
        for correlation in (0.0, 0.5, 1.0)
    ]

    assert spread[0] < spread[1] < spread[2]


def test_ranges_are_named_by_record_not_by_position():
    asked = document(quotes=[quote(id="x"), quote(price=span(1, 2, 4))])
    names = [one.name for one in ranged_numbers(parse_scenario(asked))]

    assert names == ["quotes/od/price"]
    assert range_input(ranged_numbers(parse_scenario(asked))[0]).likely == 2.0


def test_the_risk_quantile_ranks_where_it_is_asked_for():
    # mean 2.13 against 2.20, but the ninth decile of the wide one is far above
    quotes = [quote(price=span(0.5, 1.5, 4.4)), quote(id="firm", price="2.30")]
    by_mean = answered(document(quotes=quotes))
    by_quantile = answered(document(quotes=quotes, rank_by="quantile", risk_quantile=0.9))

    assert advice(by_mean)["option"] == "cloud:od"
    assert advice(by_quantile)["option"] == "cloud:firm"


# --- every number that may be ranged ----------------------------------------------------------------------------------
VALUES = {
    "price_hours_per_month": (672, 730, 744), "upfront": (50, 100, 200), "support_fraction": (0.05, 0.1, 0.2),
    "term_months": (6, 12, 24), "min_days": (10, 20, 40), "restart_minutes": (5, 15, 60), "availability": (0.8, 0.9, 1),
    "bringup_days": (10, 20, 40), "monthly_interruption": (0.05, 0.1, 0.2),
    "network_gbps_per_accelerator": (200, 400, 400),
}  # fmt: skip


def ranged_fields(record):
    return [name for name, metadata in columns.columns(record).items() if metadata["ranged"]]


@pytest.mark.parametrize("field", ranged_fields(tables.Quote))
def test_any_number_of_a_quote_may_be_a_range(field):
    training = {"params_b": 10, "tokens_per_step": 4194304, "checkpoint_gb": 100}
    needs = [workload(shape="one_job", training=training, demand={"hours_per_month": 300}, storage_gb=10,
                      egress_gb_per_month=10)]  # fmt: skip
    offer = {**reserved(storage_write_gb_s=10, storage_read_gb_s=10), field: span(*VALUES.get(field, (1, 2, 4)))}
    answer = answered(document(quotes=[quote(), offer], workloads=needs, draws=200))

    json.dumps(answer, allow_nan=False)
    assert advice(answer)["verdict"] == "cloud"


@pytest.mark.parametrize("field", [name for name in ranged_fields(tables.Build) if name != "cooling_kw_per_node"])
def test_any_number_of_a_build_may_be_a_range(field):
    own = {**late_build(), field: span(*VALUES.get(field, (1, 2, 4)))}
    answer = answered(document(quotes=[quote()], builds=[own], draws=200))

    json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize(
    "demand",
    [
        {"hours_per_month": span(100, 200, 300)},
        {"utilisation": span(0.2, 0.5, 0.9)},
        {"base": span(1, 2, 4), "peak": 16, "curve": "chat"},
        {"base": 1, "peak": span(8, 12, 16), "curve": "code"},
        {"tokens_per_second": span(1000, 5000, 9000), "peak_to_mean": 2},
        {"tokens_per_second": 5000, "peak_to_mean": span(1, 2, 3)},
    ],
)
def test_any_demand_may_be_a_range(demand):
    needs = [workload(kind="llm_inference", demand=demand, inference={"model": "llama2-70b", "slo": "server"})]
    found = option(answered(document(quotes=[quote()], workloads=needs, draws=300)), "cloud:od")

    assert float(found["npv_p10"]) < float(found["npv_p90"])


def test_every_ranged_number_is_a_column_or_read_on_a_grid_or_without_cost():
    records = (tables.Quote, tables.Build, tables.CostLine, tables.Workload, tables.Demand, tables.PriceChange)
    known = {name for record in records for name in ranged_fields(record)}

    assert known >= COLUMN_FIELDS - {"discount_rate", "cost_per_month"}
    assert not COLUMN_FIELDS & NO_COST_FIELDS


HARDWARE = {"component": "hardware", "currency": "USD", "basis": "once"}


# --- flip points ------------------------------------------------------------------------------------------------------
def flips(answer):
    return {entry["input"]: entry for entry in advice(answer)["flip_points"]}


def test_flip_points_say_what_would_have_to_be_true():
    running = {"component": "operations", "amount": "1.00", "currency": "USD", "basis": "per_running_hour"}
    own = build(costs=[{**HARDWARE, "amount": "100000"}, running])
    found = flips(answered(document(quotes=[quote()], builds=[own], workloads=[workload(shape="one_job")])))

    # owned 100,000 + 8,760 against 32 x 8,760 = 280,320
    assert found["cloud_price"]["value"] == pytest.approx(108760 / 280320, abs=1e-6)
    assert found["capital"]["value"] == pytest.approx((280320 - 8760) / 100000, abs=1e-6)
    assert found["utilisation"]["value"] == pytest.approx(100000 / (31 * 8760), abs=1e-6)
    assert found["horizon_months"]["value"] is None  # at 6 months owning already costs less than 32 x 4,380
    assert (found["power_price"]["value"], found["power_price"]["reason"]) == (None, "none in range")


def test_a_delay_flips_what_a_build_would_win():
    own = build(costs=[{**HARDWARE, "amount": "200000"}])
    found = flips(answered(document(quotes=[quote()], builds=[own], workloads=[workload(shape="one_job")])))

    # 23,360 rented for each month of delay: 80,320 less than the cloud is used up after 3.44 months
    assert found["delay_months"]["value"] == pytest.approx(80320 / 23360, abs=0.05)


def test_the_answer_at_cautious_dates_is_told_where_it_differs():
    # usable with 80 % by 2027-12-23 and with 90 % two months later; each month rents 14,600
    own = late_build("2027-03-01", costs=[{**HARDWARE, "amount": "320000"}])
    own["promises"] = [{**promise, "class": "power_uncommitted"} for promise in own["promises"]]
    needs = [workload(need_by="2027-12-23", months=24, shape="one_job")]
    found = advice(answered(document(quotes=[quote(price="1.25")], builds=[own], workloads=needs)))

    assert found["option"] == "on_prem:own"
    assert {"code": "flips_at_p90", "option": "cloud:od"} in found["reasons"]


def test_the_price_of_capital_is_varied_without_the_price_of_energy():
    hall = {**HARDWARE, "amount": "100000"}
    power = {"component": "power", "it_kw": 20, "pue": "1.5", "price_per_kwh": "0.10", "currency": "USD"}
    own = build(costs=[hall, power])
    found = flips(answered(document(quotes=[quote()], builds=[own], workloads=[workload(shape="one_job")])))

    # 280,320 rented less 26,280 of energy may be paid for what costs 100,000
    assert found["capital"]["value"] == pytest.approx((280320 - 26280) / 100000, abs=1e-6)
    assert found["power_price"]["value"] == pytest.approx((280320 - 100000) / 26280, abs=1e-6)
