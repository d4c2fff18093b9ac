"""Failures, restarts and checkpoints: golden values and limits."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procurement.engine import goodput as good
from procurement.engine.tables import Evidence


@pytest.mark.parametrize(
    ("accelerators", "expected"), [(16, 0.997), (64, 0.993), (256, 0.986), (1024, 0.968), (4096, 0.921), (16384, 0.796)]
)
def test_goodput_at_the_default_rates(accelerators, expected):
    mtbf_h = good.mean_time_between_failures_h(6.5, accelerators)

    assert float(good.goodput_share(mtbf_h, 30.0, 15.0)) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("accelerators", [16, 64, 256, 1024, 2048])
def test_the_short_form_agrees_within_half_a_point(accelerators):
    mtbf_h = good.mean_time_between_failures_h(6.5, accelerators)

    short = good.first_order_goodput(mtbf_h, 30.0, 15.0)
    assert float(short) == pytest.approx(float(good.goodput_share(mtbf_h, 30.0, 15.0)), abs=5e-3)


def test_a_job_that_never_fails_loses_nothing():
    assert float(good.goodput_share(good.mean_time_between_failures_h(0.0, 512), 30.0, 15.0)) == 1.0


def test_checkpoints_that_do_not_block_leave_only_the_restart():
    # 50 h between failures, 1 h restart: 50 / 51
    assert float(good.goodput_share(50.0, 0.0, 60.0)) == pytest.approx(50 / 51)


def test_a_part_of_a_node_fails_like_a_whole_one():
    assert float(good.mean_time_between_failures_h(6.5, 1)) == float(good.mean_time_between_failures_h(6.5, 8))


def test_the_blocking_time_is_size_over_write_rate_and_the_default_where_one_is_unknown():
    seconds = good.blocking_s(np.array([980.0, np.nan, 980.0]), np.array([49.0, 49.0, np.nan]))

    assert seconds.tolist() == [20.0, 30.0, 30.0]


@pytest.mark.parametrize(
    ("_case", "days", "grade", "expected"),
    [
        ("a year and more", (date(2025, 1, 1), date(2026, 1, 5)), "B", True),
        ("eleven months", (date(2025, 1, 1), date(2025, 12, 1)), "B", False),
        ("only press releases", (date(2025, 1, 1), date(2026, 6, 1)), "D", False),
        ("nothing", (), "A", False),
    ],
)
def test_a_year_of_job_runs_ends_the_first_year(_case, days, grade, expected):
    evidence = [Evidence(gate="job_run", grade=grade, observed_on=day) for day in days]

    assert good.is_run_in(evidence) is expected


@given(st.floats(0.01, 1e5), st.floats(0, 3600), st.floats(0, 600))
def test_goodput_is_a_fraction(mtbf_h, blocking, restart):
    share = float(good.goodput_share(mtbf_h, blocking, restart))

    assert 0.0 <= share <= 1.0


@given(st.floats(0.1, 15.0), st.integers(1, 4096))
def test_more_failures_never_raise_goodput(failures, nodes):
    few = good.goodput_share(good.mean_time_between_failures_h(failures, 8 * nodes), 30.0, 15.0)
    many = good.goodput_share(good.mean_time_between_failures_h(2 * failures, 8 * nodes), 30.0, 15.0)

    assert float(many) <= float(few) + 1e-12
