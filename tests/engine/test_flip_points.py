"""Flip points: what would have to be true for the other answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine.flip_points import FLIP_RANGES, FlipRange, flip_point

# the worked document: 461,567.50 once and 12.60 an hour against 142.42 an hour, 60 months of 730 hours
HOURS = 60 * 730


def owned_less_rented(utilisation):
    return 461_567.50 + (12.60 - 142.42) * HOURS * utilisation


def test_the_utilisation_at_which_owning_pays_is_found_to_a_millionth():
    found = flip_point("utilisation", owned_less_rented, 1.0, FLIP_RANGES["utilisation"])

    assert found.value == pytest.approx(0.0811745, abs=1e-6)  # 461,567.50 / (129.82 x 43,800)
    assert found.is_jump is False


def test_the_cloud_price_at_which_renting_pays_is_a_factor_of_todays():
    def difference(price):
        return 461_567.50 + (12.60 - price) * HOURS

    found = flip_point("cloud_price", difference, 142.42, FLIP_RANGES["cloud_price"])

    assert found.value == pytest.approx(461_567.50 / HOURS + 12.60, abs=1e-6)


def test_an_answer_that_never_changes_has_no_flip_point():
    found = flip_point("discount_rate", lambda rate: -1.0 - rate, 0.08, FLIP_RANGES["discount_rate"])

    assert (found.value, found.reason) == (None, "none in range")


@pytest.mark.parametrize(("today", "nearest"), [(2.5, 2.0), (5.5, 7.0), (8.5, 7.0), (0.5, 2.0), (4.0, 2.0)])
def test_of_two_roots_the_nearer_to_today_counts(today, nearest):
    found = flip_point("x", lambda x: (x - 2.0) * (x - 7.0), today, FlipRange(0.0, 10.0))

    assert found.value == pytest.approx(nearest, abs=1e-6)


def test_a_root_at_todays_value_is_the_flip_point():
    assert flip_point("x", lambda x: x - 3.0, 3.0, FlipRange(0.0, 10.0)).value == 3.0


def test_a_step_over_zero_is_told_from_a_crossing():
    found = flip_point("delay_months", lambda x: np.where(x < 11.3, -50.0, 80.0), 0.0, FLIP_RANGES["delay_months"])

    assert found.value == pytest.approx(11.3, abs=1e-5)
    assert found.is_jump is True


def test_what_is_not_known_brackets_nothing():
    found = flip_point("x", lambda x: np.where((x > 4) & (x < 6), np.nan, x - 5.0), 1.0, FlipRange(0.0, 10.0))

    assert found.value is None


def test_two_options_of_equal_cost_have_no_flip_point():
    assert flip_point("x", lambda x: 0.0 * x, 1.0, FlipRange(0.0, 10.0)).value is None


@settings(max_examples=60)
@given(st.floats(0.011, 0.99), st.floats(1, 1e6))
def test_a_crossing_inside_the_range_is_always_found(root, scale):
    found = flip_point("utilisation", lambda x: scale * (x - root), 0.5, FLIP_RANGES["utilisation"])

    assert found.value == pytest.approx(root, abs=1e-6)
    assert found.is_jump is False


def test_a_difference_that_is_but_rounding_breaks_nothing():
    """Asked for all points at once the difference changes sign at 1.5, asked for one point it does not."""

    def difference(points):
        return np.where(points < 1.5, -1e-17, 1e-17) if len(points) > 1 else np.full(1, 1e-17)

    found = flip_point("cloud_price", difference, 1.0, FlipRange(0.1, 10.0, is_factor=True))

    assert found.value == pytest.approx(1.5, rel=0.02)
