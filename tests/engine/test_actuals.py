"""Measured use: hours inside what is covered, outcomes, failures, cost per useful hour."""

from datetime import date

import pytest

from procurement.engine.actuals import (
    Paid,
    UseRecords,
    job_columns,
    measured_use,
    merged,
    offered_range,
    sample_columns,
    together,
)

HOUR = 3600.0
DAY = (0.0, 24 * HOUR)
NOTHING = sample_columns([])


def use(*jobs, span=DAY, covered=(DAY,), capacity=16, samples=NOTHING, paid=()):
    """Return what was measured of jobs given as begin and end [h], accelerators, outcome and busy time [h]."""
    rows = [
        (begin * HOUR, end * HOUR, (busy[0] if busy else end - begin) * HOUR, accelerators, outcome)
        for begin, end, accelerators, outcome, *busy in jobs
    ]
    return measured_use(
        date(2026, 11, 1), span, UseRecords(job_columns(rows), list(covered), samples), capacity=capacity, paid=paid
    )


def test_utilisation_is_accelerator_hours_over_capacity_and_covered_hours():
    # 8 x 12 h + 16 x 6 h = 192 of 16 x 24 = 384
    assert use((0, 12, 8, "completed"), (12, 18, 16, "failed")).utilisation == 0.5


def test_a_job_across_the_ends_of_the_window_counts_with_its_part_inside():
    # from 10 h before to 6 h after a day: 24 of its 40 hours, 8 accelerators; and it ended outside
    found = use((-10, 30, 8, "completed"))

    assert found.busy["completed"] == 8 * 24
    assert found.ended["completed"] == 0


def test_suspended_time_is_spread_over_the_job():
    # 20 hours of which 10 in use, half of it inside the day: 5 hours of 8
    assert use((14, 34, 8, "completed", 10)).busy_hours == pytest.approx(8 * 5)


def test_hours_that_no_file_covers_count_neither_above_nor_below():
    # covered 0 to 6 h only; the job from 4 to 12 h counts 2 of its hours: 16 of 16 x 6 = 96
    found = use((4, 12, 8, "completed"), covered=[(0.0, 6 * HOUR)])

    assert found.utilisation == pytest.approx(16 / 96)
    assert found.is_partial


def test_files_that_overlap_cover_an_hour_once():
    assert merged([(0, 10), (5, 20), (30, 40), (20, 21)]) == [(0, 21), (30, 40)]


def test_goodput_is_the_completed_share_of_ended_jobs_and_running_ones_are_open():
    found = use((0, 6, 8, "completed"), (6, 8, 8, "timeout"), (8, 24, 8, "running"))

    assert found.completed_share == 0.75  # 48 of 64 accelerator-hours
    assert found.useful_hours == 48
    assert found.lost_hours == 16


def test_failures_are_nodes_lost_per_thousand_days_of_eight_accelerators():
    # 64 accelerators for a day are 8 node-days; one node lost: 125 per 1,000 node-days
    found = use((0, 23, 64, "completed"), (23, 24, 64, "node_fail"))

    assert found.failures_per_1000_node_days == 125
    low, high = found.failures_interval
    # Poisson, one event: 0.0253 to 5.572 events
    assert (low, high) == (pytest.approx(3.165, abs=0.01), pytest.approx(696.4, abs=0.5))


def test_without_failures_the_interval_still_says_how_many_there_may_be():
    # no event: up to 3.689 events, over 8 node-days
    assert use((0, 24, 64, "completed")).failures_interval == (0.0, pytest.approx(461.1, abs=0.5))


def test_without_records_nothing_is_zero():
    found = use(covered=())

    assert (found.utilisation, found.useful_hours, found.completed_share) == (None, None, None)
    assert found.failures_per_1000_node_days is None
    assert use((0, 1, 8, "completed"), capacity=None).utilisation is None


def test_samples_stand_beside_jobs_and_for_them_where_there_are_none():
    samples = sample_columns([(0.0, 12 * HOUR, 8.0), (12 * HOUR, 24 * HOUR, 4.0)])  # 144 of 384

    assert use(covered=(), samples=samples).utilisation == pytest.approx(144 / 384)
    both = use((0, 24, 16, "completed"), samples=samples)
    assert (both.utilisation, both.sampled_utilisation) == (1.0, pytest.approx(144 / 384))


def test_cost_per_useful_hour_is_the_cost_over_completed_hours():
    paid = Paid(amount=960.0, hours=384.0, currency="USD")
    found = use((0, 12, 16, "completed"), (12, 24, 16, "failed"), paid=[paid])

    assert found.cost_per_hour(paid) == 2.5
    assert found.cost_per_useful_hour(paid) == 5.0  # 960 over 192 useful hours


def test_cost_per_useful_hour_is_unknown_while_job_records_miss_a_part():
    paid = Paid(amount=960.0, hours=384.0, currency="USD")

    assert use((0, 6, 16, "completed"), covered=[(0.0, 12 * HOUR)], paid=[paid]).cost_per_useful_hour(paid) is None


def test_months_together_sum_hours_counts_and_each_currency():
    one = use((0, 12, 8, "completed"), paid=[Paid(amount=10.0, hours=5.0, currency="USD")])
    other = use((0, 24, 8, "failed"), paid=[Paid(amount=4.0, hours=None, currency="EUR")])

    both = together([one, other])

    assert (both.busy_hours, both.covered_hours, both.ended["failed"]) == (288, 48, 1)
    assert {(paid.currency, paid.amount, paid.hours) for paid in both.paid} == {("USD", 10.0, 5.0), ("EUR", 4.0, None)}
    assert together([]) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], None), ([0.6], 0.6), ([0.5, 0.75], {"min": 0.5, "likely": 0.625, "max": 0.75}), ([0.5, 0.5], 0.5)],
)
def test_what_is_offered_is_the_mean_with_the_range_of_the_months(values, expected):
    assert offered_range(values, 4) == expected
