"""The calendar of the ledger: windows, present values, price paths, and hours that run on."""

from datetime import date

import numpy as np
import pytest

from procurement.engine import periods
from procurement.engine.periods import Window
from procurement.engine.tables import Assumptions, Workload
from procurement.engine.work import Work, hours_worked, unit_shares, units_for

START = date(2027, 1, 1)


def workload(**changes):
    return Workload(**{"id": "w", "accelerators": 8, "start": START, **changes})


@pytest.mark.parametrize(
    ("_case", "stated", "length"),
    [
        ("months as stated", {"months": 7.5}, 7.5),
        ("days x 12 / 365", {"days": 73}, 2.4),
        ("end less start", {"end": date(2027, 3, 15)}, 73 * 12 / 365),
        ("months before days", {"months": 3, "days": 999}, 3.0),
        ("cut at the horizon", {"months": 100}, 60.0),
        ("nothing stated is the horizon", {}, 60.0),
    ],
)
def test_a_window_is_months_else_days_else_the_end(_case, stated, length):
    assert periods.window_of(workload(**stated), Assumptions()).length == pytest.approx(length)


def test_a_day_around_the_clock_has_24_hours():
    window = periods.window_of(workload(days=1), Assumptions())

    assert 730 * window.weights.sum() == pytest.approx(24.0)  # 1 x 12 / 365 x 730


def test_a_last_month_is_a_fraction():
    assert Window(START, 2.25).weights.tolist() == pytest.approx([1.0, 1.0, 0.25])


@pytest.mark.parametrize(("timing", "offset"), [("begin", 0.0), ("mid", 0.5), ("end", 1.0)])
def test_present_values_move_by_half_a_month(timing, offset):
    factors = periods.present_factors(0.08, 3, timing)

    assert factors.tolist() == pytest.approx([1.08 ** (-(month + offset) / 12) for month in range(3)])


def test_without_interest_present_values_are_plain_sums():
    assert periods.present_factors(0.0, 60, "mid").sum() == 60.0


def test_the_switch_moves_recurring_rows_only():
    assert periods.timing_of("mid", is_recurring=True, switch="end") == "end"
    assert periods.timing_of("begin", is_recurring=False, switch="end") == "begin"
    assert periods.timing_of("mid", is_recurring=True, switch="as_ledger") == "mid"


def test_a_price_path_steps_once_a_year():
    path = periods.price_growth(-0.2, periods.whole_years(25))

    assert path[[0, 11, 12, 23, 24]].tolist() == pytest.approx([1.0, 1.0, 0.8, 0.8, 0.64])


def test_overlap_gives_each_month_its_share():
    assert periods.overlap(0.5, 2.25, 4).tolist() == pytest.approx([0.5, 1.0, 0.25, 0.0])


def test_overlap_takes_a_column_of_draws():
    found = periods.overlap(np.array([[0.0], [1.5]]), 2.0, 2)

    assert found.tolist() == [[1.0, 1.0], [0.0, 0.5]]


def test_work_that_fits_stays_in_its_month():
    hours, finish = hours_worked(np.array([100.0, 200.0]), 730.0, 0.0, Window(START, 2.0))

    assert hours.tolist() == [100.0, 200.0]
    assert finish == pytest.approx(1.0 + 200 / 730)


def test_work_beyond_a_month_runs_on():
    # 730 useful hours a month at a share of 0.8 are 912.5 occupied ones; two months need 1,825 = 2.5 x 730
    hours, finish = hours_worked(np.array([912.5, 912.5]), 730.0, 0.0, Window(START, 2.0))

    assert hours.tolist() == pytest.approx([730.0, 730.0, 365.0])
    assert finish == pytest.approx(2.5)


def test_work_waits_until_the_place_is_ready():
    hours, finish = hours_worked(np.array([300.0, 300.0]), 730.0, 1.0, Window(START, 2.0))

    assert hours.tolist() == pytest.approx([0.0, 600.0])
    assert finish == pytest.approx(1.0 + 600 / 730)


def test_each_draw_has_its_own_date():
    ready = np.array([[0.0], [0.5]])
    hours, finish = hours_worked(np.array([730.0]), 730.0, ready, Window(START, 1.0))

    assert hours.tolist() == [[730.0, 0.0], [365.0, 365.0]]
    assert finish.tolist() == [[1.0], [1.5]]


@pytest.mark.parametrize(
    ("_case", "accelerators", "size", "units"),
    [("exact", 16, 8, 2), ("rounded up", 17, 8, 3), ("a fraction of one", 1, 0.125, 8), ("none", 0, 8, 0)],
)
def test_a_need_is_rounded_up_to_whole_units(_case, accelerators, size, units):
    assert units_for(accelerators, size) == units


def test_a_unit_is_on_while_its_first_accelerator_is():
    shares = np.array([[1.0, 0.9, 0.5, 0.2, 0.1]])

    assert unit_shares(shares, 2.0).tolist() == [[1.0, 0.5, 0.1]]


def test_a_minimum_is_on_whenever_one_unit_is():
    work = Work(accelerators=4, hours=np.array([100.0]), finish=1.0, shares=np.array([[0.8, 0.4, 0.1, 0.0]]))

    assert work.unit_hours(1.0, least=3).tolist() == pytest.approx([100 * (0.8 + 0.8 + 0.8 + 0.0)])
    assert work.accelerator_hours().tolist() == pytest.approx([130.0])
    assert work.full_hours().tolist() == pytest.approx([32.5])
