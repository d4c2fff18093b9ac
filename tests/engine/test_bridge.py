"""Waiting for a build (R13, semantics 38), with distributions that can be summed by hand."""

from datetime import date

import numpy as np
import pytest

from procurement.engine.bridge import BridgePrices, IdleHardware, bridge_plan, expected_days_after, scenario_bridges
from tests.engine.readiness_documents import all_gates, build, document, judged, promise, proof, quote, workload

AS_OF = date(2026, 11, 30)
UNIFORM = np.clip(np.arange(101) / 100, 0, 1)  # there on one of the next 100 days, each as likely


def plan(reached=UNIFORM, need_by=AS_OF, accelerators=10, idle=None, **prices):
    stated = {"reserved": 2.0, "on_demand": 4.0, "shortage": 4.0} | prices
    return bridge_plan(
        reached, as_of=AS_OF, need_by=need_by, accelerators=accelerators, prices=BridgePrices(**stated), idle=idle
    )


def test_expected_wait_sums_the_chance_of_being_late():
    """1.00 + 0.99 + ... + 0.01 + 0 = 50.5; from day 50 on 0.50 + ... + 0.01 = 12.75."""
    assert expected_days_after(UNIFORM, AS_OF, AS_OF) == pytest.approx(50.5)
    assert expected_days_after(UNIFORM, AS_OF, date(2027, 1, 19)) == pytest.approx(12.75)


def test_the_past_cannot_be_bridged():
    assert expected_days_after(UNIFORM, AS_OF, date(2026, 1, 1)) == pytest.approx(50.5)


def test_a_bridge_on_demand_pays_every_expected_day():
    """50.5 days x 10 accelerators x 24 hours x 4.00 = 48,480."""
    assert plan().expected_bridge_cost_on_demand == pytest.approx(48_480)


def test_the_reservation_runs_until_being_late_is_less_likely_than_the_ratio_of_prices():
    """P(T > day k) = 1 - k/100 falls below 2/4 on day 51; the rest, 0.49 + ... + 0.01 = 12.25 days, is bought at 4.

    Reserved 51 x 240 h x 2 = 24,480, shortage 12.25 x 240 x 4 = 11,760; together 36,240.
    """
    found = plan()

    assert (found.reserve_days, found.reserve_until) == (51, date(2027, 1, 20))
    assert found.expected_bridge_cost == pytest.approx(36_240)


def test_no_other_reservation_is_cheaper():
    """Brute force over every length."""
    best = plan().expected_bridge_cost
    costs = [240 * (k * 2 + 4 * float(np.sum(1 - UNIFORM[k:]))) for k in range(101)]

    assert best == pytest.approx(min(costs))


@pytest.mark.parametrize(
    ("_case", "prices", "days"),
    [
        ("a reservation dearer than on demand is not worth a day", {"reserved": 5.0}, 0),
        ("a dear shortage is insured for longer: 2/20 = 0.1", {"shortage": 20.0}, 91),
        ("no reserved price", {"reserved": None}, None),
        ("no shortage price", {"shortage": None}, None),
    ],
)
def test_length_of_the_reservation(_case, prices, days):
    assert plan(**prices).reserve_days == days


def test_missing_prices_are_named_and_never_zero():
    found = plan(reserved=None, on_demand=None, shortage=None)

    assert found.expected_bridge_cost is None
    assert found.expected_bridge_cost_on_demand is None
    assert found.reasons == ("missing:on_demand_price", "missing:reserved_price")


def test_no_forecast_gives_no_figures():
    found = plan(reached=None)

    assert found.reasons == ("no_forecast",)
    assert found.answer("USD")["expected_wait_days"] is None


def test_hardware_ages_from_delivery_on():
    """From day 50: 12.75 expected days x 1,000 a day."""
    found = plan(idle=IdleHardware(delivered_on=date(2027, 1, 19), depreciation_per_day=1000.0))

    assert found.expected_idle_days == pytest.approx(12.75)
    assert found.expected_idle_depreciation == pytest.approx(12_750)


def test_what_is_usable_today_needs_no_bridge():
    found = plan(reached=np.ones(101))

    assert (found.expected_wait_days, found.reserve_days, found.expected_bridge_cost) == (0, 0, 0)


EXACT = {"slip_classes": {"exact": {"p10": 1, "p90": 1}}}


def offer(**more):
    return quote(**{"earliest_start": "2026-11-30", **more})


def waiting(quotes, need=None, **more):
    """A build whose power comes on 2027-01-29 exactly; 60 days of waiting from 2026-11-30."""
    late = promise("powered", "2027-01-29", "2026-11-30") | {"class": "exact"}
    one = build(all_gates(without=("powered",)), [late], **more)
    need = need or workload(start="2026-11-30", shape="independent_jobs", months=12, days=None)
    known = judged(document(one, quotes=quotes, workloads=[need], assumptions=EXACT | {"currency": "USD"}))
    return scenario_bridges(known.scenario, known.forecasts, known.bookings)["w"]


def test_a_scenario_bridges_with_its_cheapest_offers():
    """60 days x 128 x 24 h: on demand at 3 = 552,960; reserved at 2 as long as it is certain to be late = 368,640."""
    offers = [
        offer(id="dear", price="5"), offer(id="on_demand", price="3"),
        offer(id="reserved", price="2", purchase_model="reserved", term_months=12),
        offer(id="wrong", price="1", accelerator="A100"),
    ]  # fmt: skip

    found = waiting(offers)["b"].answer("USD")

    assert found["expected_wait_days"] == 60
    assert found["expected_bridge_cost_on_demand"] == "552960.00"
    assert (found["reserve_days"], found["reserve_until"]) == (60, "2027-01-29")
    assert found["expected_bridge_cost"] == "368640.00"


def test_an_offer_that_is_too_small_or_expired_is_no_bridge():
    offers = [offer(id="small", price="1", quantity_available=64), offer(id="old", price="1", quoted_on="2026-01-01")]

    assert waiting(offers)["b"].reasons == ("missing:on_demand_price", "missing:reserved_price")


def test_an_offer_shorter_than_the_window_may_bridge():
    assert waiting([offer(max_days=30)])["b"].expected_bridge_cost_on_demand is not None


def test_without_offers_on_demand_a_shortage_costs_the_value_of_the_work():
    need = workload(start="2026-11-30", shape="independent_jobs", months=12, days=None, value_per_accelerator_hour="4")

    found = waiting([offer(price="2", purchase_model="reserved", term_months=12)], need)["b"]

    assert found.expected_bridge_cost_on_demand is None
    assert found.reserve_days == 60


def test_idle_hardware_of_a_build_ages_by_its_life():
    """365,000 over 60 months = 200 a day; delivered 2026-12-30, usable 2027-01-29: 30 days x 200 = 6,000."""
    costs = [
        {"component": "hardware", "amount": 365_000, "currency": "USD", "life_months": 60},
        {"component": "installation", "amount": 999_999, "currency": "USD", "life_months": 60},
        {"component": "hardware", "amount": 10, "currency": "USD", "basis": "per_month"},
    ]
    delivered = promise("delivered", "2026-12-30", "2026-11-30") | {"class": "exact"}
    late = promise("powered", "2027-01-29", "2026-11-30") | {"class": "exact"}
    missing = [*all_gates(without=("powered", "installed"))]
    installed = promise("installed", "2027-01-29", "2026-11-30") | {"class": "exact"}
    one = build(missing, [late, delivered, installed], costs=costs)
    need = workload(start="2026-11-30", shape="independent_jobs")

    known = judged(document(one, workloads=[need], assumptions=EXACT))
    found = scenario_bridges(known.scenario, known.forecasts, known.bookings)["w"]["b"]

    assert found.expected_idle_days == pytest.approx(30)
    assert found.expected_idle_depreciation == pytest.approx(6_000)


def test_builds_that_cannot_serve_are_left_out():
    assert waiting([], workload(accelerators=2048)) == {}
    assert waiting([], workload(accelerator_types=["A100"])) == {}


def test_a_build_without_forecast_says_so():
    known = judged(document(build([proof("installed")]), workloads=[workload()]))

    assert scenario_bridges(known.scenario, known.forecasts, known.bookings)["w"]["b"].reasons == ("no_forecast",)


def test_days_that_delivered_hardware_has_already_waited_count():
    """Delivered 10 days ago: these are certain, and the sum of (100 - k) / 100 for k = 0 to 100 is 50.5 more."""
    delivered = date.fromordinal(AS_OF.toordinal() - 10)

    found = plan(idle=IdleHardware(delivered_on=delivered, depreciation_per_day=100.0))

    assert found.expected_idle_days == pytest.approx(60.5)
    assert found.expected_idle_depreciation == pytest.approx(6_050)
