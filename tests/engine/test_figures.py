"""Break-evens and levelised cost from ledgers, against numbers worked by hand; roots of cost differences."""

import numpy as np
import pytest

from procurement.engine.figures import cost_per_hour, crossing, first_root, grid_roots, nearest_root
from procurement.engine.ledger import Flow, Ledger, Terms
from procurement.engine.options_base import Priced


def priced(*flows, rate=0.0, hours=730.0, months=60, switch="as_ledger"):
    worked = np.full(months, hours)
    return Priced(Ledger(flows, Terms("USD", rate, switch)), worked * 8, worked, float(months))


def owned(capital=461567.5, running=12.6, months=60, **changes):
    purchase = Flow("hardware", capital, np.array([1.0]), timing="begin", is_recurring=False, is_capital=True)
    return priced(purchase, Flow("operations", running, np.full(months, 730.0)), months=months, **changes)


def rented(hourly=142.42, months=60, **changes):
    return priced(Flow("compute", hourly, np.full(months, 730.0)), months=months, **changes)


def test_months_and_hours_until_the_purchase_has_paid_off():
    found = crossing(owned(), rented(), discounted=False)

    assert found.hours == pytest.approx(461567.5 / (142.42 - 12.6))  # 3,555.44
    assert found.months == pytest.approx(461567.5 / (142.42 - 12.6) / 730)  # 4.8705


def test_the_discounted_twin_is_later():
    found = crossing(owned(rate=0.08, switch="mid"), rented(rate=0.08, switch="mid"), discounted=True)

    # months 0 to 3 save 94,768.60 x 1.08^-((m + 0.5) / 12); the rest of the capital falls into month 4
    saved = 129.82 * 730 * 1.08 ** (-(np.arange(5) + 0.5) / 12)
    assert found.months == pytest.approx(4 + (461567.5 - saved[:4].sum()) / saved[4])
    assert found.months == pytest.approx(4.9483, abs=5e-5)


def test_no_break_even_where_the_cloud_is_not_dearer_than_running():
    found = crossing(owned(running=150.0), rented(), discounted=False)

    assert (found.months, found.reason) == (None, "cloud_not_dearer_than_running")


def test_a_break_even_beyond_the_window_gives_the_figure_at_the_last_rate():
    # 250,141.80 / (11.92 - 6.37) = 45,070.6 hours = 61.74 months
    found = crossing(owned(250141.8, 6.37), rented(11.92), discounted=False)

    assert (found.months, found.reason) == (None, "beyond_window")
    assert found.months_beyond == pytest.approx(61.7405405405)
    assert found.hours_beyond == pytest.approx(45070.5945945946)


def test_a_price_that_falls_below_running_cost_never_pays_back():
    falling = Flow("compute", 20.0, 730.0 * np.repeat([1.0, 0.1], 12))

    assert crossing(owned(months=24), priced(falling, months=24), discounted=False).reason == "never"


def test_an_option_that_is_cheaper_from_the_start_breaks_even_at_once():
    assert crossing(rented(10.0), rented(20.0), discounted=False).months == 0.0


def test_cost_per_hour_discounts_cost_and_hours_alike():
    # metered alone: whatever the rate, 16 an hour on 8 accelerators is 2.00
    assert cost_per_hour(rented(16.0, rate=0.1), rented(16.0).accelerator_hours) == pytest.approx(2.0)


def test_cost_per_hour_without_interest_is_total_over_hours():
    found = owned()

    assert cost_per_hour(found, found.accelerator_hours) == pytest.approx(1013447.5 / (8 * 43800))


def test_cost_per_hour_without_a_rate_is_unknown():
    assert cost_per_hour(rented(rate=None), rented().accelerator_hours) is None


@pytest.mark.parametrize(
    ("_case", "function", "expected"),
    [
        ("linear", lambda x: 3.0 * x - 0.6, 0.2),
        ("first of two", lambda x: (x - 0.3) * (x - 0.7), 0.3),
        ("a kink", lambda x: np.maximum(x, 0.5) - 0.75, 0.75),
        ("none", lambda x: x + 1.0, None),
    ],
)
def test_the_first_root_is_found(_case, function, expected):
    found = first_root(function, 0.0, 1.0)

    assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_the_nearest_root_is_nearest_to_today():
    grid = np.linspace(0.0, 1.0, 65)

    assert nearest_root(lambda x: (x - 0.3) * (x - 0.7), 0.6, grid) == pytest.approx(0.7, abs=1e-9)
    assert len(grid_roots(lambda x: (x - 0.3) * (x - 0.7), grid)) == 2
