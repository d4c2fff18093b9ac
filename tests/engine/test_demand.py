"""Every form of demand, its window and growth, and the load-duration curve behind a hybrid."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine.demand import deadline_months, demand_hours, late_by_days
from procurement.engine.errors import EngineError
from procurement.engine.load_curve import LoadCurve, constant_curve, mean_and_peak_curve, measured_curve, shaped_curve
from procurement.engine.periods import window_of
from procurement.engine.tables import Anchor, Assumptions, Demand, Inference, Training, Workload

ASSUMPTIONS = Assumptions(discount_rate=0.08)
WORKLOAD = Workload(id="w", accelerators=8, accelerator_types=("H100",), start=date(2027, 1, 1), months=3)


def plan_of(demand=None, **changes):
    return demand_hours(replace(WORKLOAD, demand=demand, **changes), ASSUMPTIONS)


def test_one_day_around_the_clock_is_24_hours():
    plan = plan_of(Demand(utilisation=1.0), months=None, days=1, accelerators=1000)

    assert plan.hours.tolist() == pytest.approx([24.0])  # 730 x (12 / 365)
    assert plan.accelerator_hours.sum() * 8.00 == pytest.approx(192_000.00)  # 1,000 H100 at 8.00


@pytest.mark.parametrize(
    ("_case", "demand", "expected"),
    [
        ("hours", Demand(hours_per_month=240), [240, 240, 240]),
        ("hours beyond the month", Demand(hours_per_month=900), [730, 730, 730]),
        ("utilisation", Demand(utilisation=0.5), [365, 365, 365]),
        ("monthly", Demand(monthly=(100, 0, 800, 50)), [100, 0, 730]),
        ("monthly that ends early", Demand(monthly=(100,)), [100, 0, 0]),
        ("none stated", None, [730, 730, 730]),
    ],
)
def test_hours_of_all_accelerators_by_month(_case, demand, expected):
    plan = plan_of(demand)

    assert plan.hours.tolist() == expected
    assert plan.full_hours.tolist() == expected
    assert plan.is_all_at_once


def test_a_fraction_of_the_last_month_scales_its_hours():
    plan = plan_of(Demand(utilisation=0.5), months=2.25)

    assert plan.hours.tolist() == pytest.approx([365, 365, 91.25])


def test_the_window_is_cut_at_the_horizon():
    plan = demand_hours(replace(WORKLOAD, months=100), replace(ASSUMPTIONS, horizon_months=6))

    assert plan.window.count == 6


def test_growth_steps_up_every_twelve_months_and_stops_at_the_full_month():
    plan = plan_of(Demand(hours_per_month=500), months=36, growth_per_year=0.25)

    assert plan.hours[[0, 11, 12, 23, 24, 35]].tolist() == pytest.approx([500, 500, 625, 625, 730, 730])  # 781 > 730


def test_ranges_as_columns_give_one_row_per_draw():
    plan = plan_of(Demand(utilisation=np.array([[0.5], [0.6]])))

    assert plan.full_hours.tolist() == [[365, 365, 365], [438, 438, 438]]


def test_measured_hours_are_repeated_in_their_order():
    plan = plan_of(Demand(hourly=(0, 8, 4, 8)))

    # 730 hours are 182 cycles of 20 accelerator-hours and two hours more: 0 + 8 in odd months, 4 + 8 in even ones
    assert plan.accelerator_hours.tolist() == [3648, 3652, 3648]
    assert plan.peak == 8


def test_a_year_of_measured_hours_falls_into_its_own_months():
    year = np.random.default_rng(5).integers(0, 9, 8760).astype(float)
    plan = plan_of(Demand(hourly=tuple(year)), months=24)

    expected = year.reshape(12, 730).sum(axis=1)
    assert plan.accelerator_hours == pytest.approx(np.tile(expected, 2))
    assert len(plan.curves) == 12


def test_linear_demand_has_its_mean_half_way():
    plan = plan_of(Demand(base=100, peak=500, curve="linear"), accelerators=500)

    assert plan.full_hours.tolist() == pytest.approx([438] * 3)  # 300 / 500 x 730
    assert plan.shares.shape == (1, 500)
    assert plan.shares[0, [0, 99, 300, 499]].tolist() == pytest.approx([1.0, 1.0, 0.5, 1 / 400])


@pytest.mark.parametrize(("curve", "used", "half_owned"), [("chat", 0.57, 0.58), ("code", 0.31, 0.19)])
def test_chat_and_code_follow_their_traces(curve, used, half_owned):
    shape = shaped_curve(0.0, 1.0, curve)

    assert shape.mean == pytest.approx(used, abs=0.005)
    assert float(shape.share_above(half_owned)) == pytest.approx(0.5, abs=0.02)


def test_growth_of_a_curve_raises_the_accelerators_and_says_when_they_exceed_those_asked_for():
    plan = plan_of(Demand(base=0, peak=8, curve="linear"), months=13, growth_per_year=0.5)

    assert plan.accelerator_hours[[11, 12]].tolist() == pytest.approx([4 * 730, 6 * 730])
    assert plan.notes == ("peak_above_accelerators:12",)


def test_tokens_become_accelerators_by_the_published_rate_with_head_room():
    service = Inference(model="llama2-70b", slo="server")
    plan = plan_of(Demand(tokens_per_second=10_000, peak_to_mean=1.92), inference=service)

    # 10,000 / (3,819.95 x 0.85) = 3.0798 H100 on average, 5.913 at the peak
    assert plan.accelerator_hours / 730 == pytest.approx(3.0798, abs=1e-4)
    assert plan.peak == pytest.approx(5.913, abs=1e-3)


def test_tokens_without_a_rate_let_the_stated_accelerators_carry_the_peak():
    plan = plan_of(Demand(tokens_per_second=10_000, peak_to_mean=2.0))

    assert plan.full_hours.tolist() == [365, 365, 365]
    assert plan.notes == ("no_inference_rate",)


def test_total_tokens_are_the_demand_of_a_job_that_states_no_other():
    job = Training(params_b=70, total_tokens=2e12, mfu_node=0.48)
    plan = plan_of(training=job, accelerators=512)

    # 6 x 70e9 x 2e12 / (512 x 989e12 x 0.48) / 3600 = 960.0 h on ideal nodes
    assert plan.full_hours.tolist() == pytest.approx([730, 230.0, 0], abs=0.01)
    assert plan.notes == ("hours_from_total_tokens",)


def test_total_tokens_follow_a_measured_run_where_there_is_one():
    job = Training(params_b=70, total_tokens=1e12, tokens_per_step=4_194_304, anchor=Anchor(accelerators=8, step_s=400))
    plan = plan_of(training=job, accelerators=512, months=12)

    # 400 s on 8 are 6.25 s on 512 ideal ones; 238,418.6 steps
    assert plan.full_hours.sum() == pytest.approx(6.25 * 1e12 / 4_194_304 / 3600)


@pytest.mark.parametrize(
    ("demand", "message"),
    [(Demand(), "has no form"), (Demand(hourly_file="load.csv"), "was not read"), (Demand(hourly=()), "no hourly")],
)
def test_a_demand_without_numbers_is_refused(demand, message):
    with pytest.raises(EngineError, match=message):
        plan_of(demand)


def test_the_split_of_the_elastic_example_is_exact():
    plan = plan_of(Demand(base=100, peak=500, curve="linear"), accelerators=500, months=1)
    owned, rented = plan.split(np.array([0.0, 260.0, 500.0]))

    assert owned[0].tolist() == pytest.approx([0, 228 * 730, 300 * 730])  # 100 + 160 x (1 + 0.6) / 2
    assert rented[0].tolist() == pytest.approx([300 * 730, 72 * 730, 0])  # 240 x 0.6 / 2


def test_rented_units_are_whole():
    plan = plan_of(Demand(hourly=(0, 3, 9, 17)), accelerators=24, months=48 / 730)

    # above 8 owned: 0, 0, 1 and 9 accelerators are 0, 0, 1 and 2 instances of 8
    assert plan.unit_hours_above(np.array([8.0]), 8.0).sum() == pytest.approx(12 * 3)


def test_the_load_duration_curve_counts_the_hours_of_the_window():
    levels, hours = plan_of(Demand(base=2, peak=8, curve="linear")).load_duration(5)

    assert levels.tolist() == [0, 2, 4, 6, 8]
    assert hours.tolist() == pytest.approx([2190, 2190, 1460, 730, 0])


@pytest.mark.parametrize(
    ("_case", "changes", "expected"),
    [
        ("end", {"months": None, "end": date(2027, 12, 27)}, 360 * 12 / 365),
        ("need_by before the window ends says when accelerators must be there", {"need_by": date(2027, 1, 10)}, None),
        ("need_by after it says when the work must be done", {"need_by": date(2027, 12, 27)}, 360 * 12 / 365),
        ("soft", {"need_by": date(2027, 12, 27), "deadline_policy": "soft"}, None),
        ("nothing stated", {}, None),
    ],
)
def test_the_day_by_which_work_must_be_done(_case, changes, expected):
    workload = replace(WORKLOAD, **changes)

    found = deadline_months(workload, window_of(workload, ASSUMPTIONS))

    assert found is None if expected is None else found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("finish", "deadline", "expected"), [(3.5, 3.0, 16), (3.0, 3.0, None), (9.0, None, None), (3.0 + 12 / 365, 3.0, 1)]
)
def test_lateness_is_counted_in_whole_days(finish, deadline, expected):
    assert late_by_days(finish, deadline) == expected  # half a month is 15.2 days


curves = st.one_of(
    st.builds(
        lambda base, more, shape: shaped_curve(base, base + more, shape),
        st.floats(0, 100), st.floats(0.5, 1000), st.sampled_from(["linear", "chat", "code"]),
    ),
    st.builds(lambda mean, ratio: mean_and_peak_curve(mean, mean * ratio), st.floats(0.5, 500), st.floats(1, 12)),
    st.builds(
        lambda values: measured_curve(np.array(values, dtype=float), np.ones(len(values))),
        st.lists(st.integers(0, 64), min_size=1, max_size=50),
    ),
    st.builds(constant_curve, st.floats(1, 500)),
)  # fmt: skip


@settings(max_examples=80)
@given(curves, st.floats(0, 1500))
def test_what_is_owned_and_what_is_rented_is_the_demand(curve: LoadCurve, owned):
    served, burst = float(curve.served_by(owned)), float(curve.burst_above(owned))

    assert served + burst == pytest.approx(curve.mean)
    assert -1e-9 <= served <= owned + 1e-9


@settings(max_examples=80)
@given(curves, st.floats(0, 1500), st.floats(0, 100))
def test_owning_more_never_serves_less_and_helps_less_and_less(curve: LoadCurve, owned, step):
    first, second, third = curve.served_by(np.array([owned, owned + step, owned + 2 * step]))

    assert first <= second + 1e-9
    assert third - second <= second - first + 1e-6 * max(1.0, curve.peak)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=80), st.integers(0, 40), st.integers(1, 9))
def test_a_measured_curve_counts_hours_exactly(values, owned, unit):
    series = np.array(values, dtype=float)
    curve = measured_curve(series, np.ones(series.size))

    assert float(curve.share_above(owned)) == pytest.approx(np.mean(series > owned))
    assert float(curve.served_by(owned)) == pytest.approx(np.mean(np.minimum(series, owned)))
    whole_units = np.ceil(np.maximum(series - owned, 0) / unit)
    assert float(curve.units_above(float(owned), unit)) == pytest.approx(np.mean(whole_units))


@settings(max_examples=40)
@given(st.floats(1, 1000), st.floats(1.0, 30.0))
def test_a_curve_from_mean_and_peak_has_them(mean, ratio):
    curve = mean_and_peak_curve(mean, mean * ratio)

    assert curve.mean == pytest.approx(mean, rel=1e-4)
    assert curve.peak == pytest.approx(mean * ratio)


@settings(max_examples=40)
@given(st.floats(0.05, 24.0), st.floats(0.0, 1.0))
def test_hours_are_conserved_whatever_the_length_of_the_window(months, utilisation):
    plan = plan_of(Demand(utilisation=utilisation), months=months)

    assert plan.hours.sum() == pytest.approx(months * 730 * utilisation)
    owned, rented = plan.split(np.array([0.0, 3.0, 8.0]))
    assert (owned + rented).sum(axis=0) == pytest.approx(plan.accelerator_hours.sum())
