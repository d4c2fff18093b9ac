"""How much to own, against brute force and worked examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine.load_curve import constant_curve, measured_curve, shaped_curve
from procurement.engine.ownership import (
    PriceLine,
    cheapest_mix,
    critical_share,
    fixed_cost_per_hour,
    hybrid_cost_per_hour,
    owned_at,
)


def year_of_demand(seed=0):
    """Return 8,760 hours of whole accelerators with a day, a week and noise in them."""
    generator = np.random.default_rng(seed)
    hours = np.arange(8760)
    day = 45 * np.sin(2 * np.pi * (hours % 24 - 9) / 24)
    week = np.where((hours // 24) % 7 < 5, 20, -25)
    return np.clip(np.round(110 + day + week + generator.gamma(2.0, 12.0, 8760)), 0, None)


@pytest.mark.parametrize(
    ("fixed", "variable", "price"), [(1.6, 0.25, 3.5), (1.6, 0.25, 2.2), (0.9, 0.1, 4.0), (2.0, 0.5, 3.0)]
)
def test_the_critical_share_finds_what_brute_force_finds(fixed, variable, price):
    demand = year_of_demand()
    curve = measured_curve(demand, np.ones(8760))

    tried = np.arange(demand.max() + 1)
    served = np.minimum(demand[:, None], tried).mean(axis=0)
    costs = fixed * tried + variable * served + price * (demand.mean() - served)

    assert owned_at(curve, critical_share(fixed, variable, price)) == tried[np.argmin(costs)]
    found = hybrid_cost_per_hour(curve, tried, fixed=fixed, variable=variable, cloud_price=price)
    assert found == pytest.approx(costs)


def test_a_hybrid_beats_owning_all_and_renting_all():
    curve = measured_curve(year_of_demand(), np.ones(8760))
    best = owned_at(curve, critical_share(1.6, 0.25, 3.5))

    rented, hybrid, owned = hybrid_cost_per_hour(
        curve, np.array([0.0, best, curve.peak]), fixed=1.6, variable=0.25, cloud_price=3.5
    )

    assert hybrid < min(owned, rented)


def test_the_elastic_example_owns_260_of_500_and_saves_24_percent():
    curve = shaped_curve(100, 500, "linear")  # Armbrust et al. 2010: 100 to 500, mean 300

    owned = owned_at(curve, critical_share(0.6, 0.0, 1.0))  # 0.6: all owned costs what all rented costs
    hybrid, all_rented, all_owned = hybrid_cost_per_hour(
        curve, np.array([owned, 0.0, 500.0]), fixed=0.6, variable=0.0, cloud_price=1.0
    ) * 24  # fmt: skip

    assert owned == pytest.approx(260)
    assert (hybrid, all_rented, all_owned) == (pytest.approx(5472), pytest.approx(7200), pytest.approx(7200))
    assert 1 - hybrid / all_rented == pytest.approx(0.24)


@pytest.mark.parametrize(("price", "share"), [(2.50, 0.660), (4.00, 0.405), (1.50, 1.14)])
def test_capital_of_36000_at_nine_percent_has_the_known_critical_utilisation(price, share):
    fixed = fixed_cost_per_hour(36_000, 0.09, 5, 4_500)  # (36,000 x 0.25709 + 4,500) / 8,760 = 1.5702

    assert fixed == pytest.approx(1.5702, abs=5e-5)
    assert critical_share(fixed, 0.12, price) == pytest.approx(share, abs=0.0025)


@pytest.mark.parametrize(
    ("_case", "share", "expected"), [("dearer than cloud", 1.14, 0), ("never dearer", None, 0), ("free", 0.0, 500)]
)
def test_the_ends_of_owning(_case, share, expected):
    assert owned_at(shaped_curve(100, 500, "linear"), share) == pytest.approx(expected)


def test_cloud_below_the_running_cost_has_no_critical_share():
    assert critical_share(1.0, 0.5, 0.5) is None


def test_a_fixed_cost_without_interest_is_an_even_share():
    assert fixed_cost_per_hour(43_800, 0.0, 5, 8_760) == pytest.approx(2.0)  # 8,760 a year and as much operations


@pytest.mark.parametrize(("trace", "share_of_peak"), [("chat", 0.58), ("code", 0.19)])
def test_half_the_price_owns_most_of_a_chat_peak_and_little_of_a_code_peak(trace, share_of_peak):
    assert owned_at(shaped_curve(0, 1, trace), 0.5) == pytest.approx(share_of_peak, abs=0.005)


def test_three_prices_split_the_load_at_the_two_break_points():
    lines = [PriceLine("owned", 1.6, 0.2), PriceLine("reserved", 0.8, 1.2), PriceLine("on_demand", 0.0, 3.2)]
    demand = year_of_demand()
    curve = measured_curve(demand, np.ones(8760))

    mix = cheapest_mix(curve, lines)

    # own while P(D > k) > (1.6 - 0.8) / (1.2 - 0.2) = 0.8, reserve while it is > 0.8 / (3.2 - 1.2) = 0.4
    owned, reserved = owned_at(curve, 0.8), owned_at(curve, 0.4)
    assert mix.accelerators == {
        "owned": owned, "reserved": reserved - owned, "on_demand": curve.peak - reserved,
    }  # fmt: skip


def test_a_reservation_that_is_always_paid_is_judged_slice_by_slice():
    lines = [PriceLine("owned", 1.6, 0.2), PriceLine("reserved", 1.7, 0.0), PriceLine("on_demand", 0.0, 3.2)]

    mix = cheapest_mix(constant_curve(10), lines)

    assert mix.accelerators == {"owned": 0.0, "reserved": 10.0, "on_demand": 0.0}  # 1.7 < 1.6 + 0.2 x 1
    assert mix.cost_per_hour == pytest.approx(17.0)


def test_the_envelope_equals_brute_force_over_both_break_points():
    demand = np.clip(year_of_demand(3)[:400] // 8, 0, None)
    curve = measured_curve(demand, np.ones(400))
    lines = [PriceLine("owned", 1.5, 0.3), PriceLine("reserved", 0.9, 1.0), PriceLine("on_demand", 0.0, 3.0)]

    def cost(first, second):
        served = np.minimum(demand, first).mean()
        middle = np.minimum(demand, second).mean() - served
        rest = demand.mean() - served - middle
        return 1.5 * first + 0.3 * served + 0.9 * (second - first) + 1.0 * middle + 3.0 * rest

    best = min(cost(i, j) for j in range(int(demand.max()) + 1) for i in range(j + 1))
    assert cheapest_mix(curve, lines).cost_per_hour == pytest.approx(best)


@settings(max_examples=50)
@given(st.floats(0.1, 3), st.floats(0, 1), st.floats(0.2, 6), st.floats(0.01, 2))
def test_dearer_cloud_never_owns_less(fixed, variable, price, more):
    curve = shaped_curve(0, 100, "chat")
    below = owned_at(curve, critical_share(fixed, variable, price))

    assert owned_at(curve, critical_share(fixed, variable, price + more)) >= below - 1e-9
