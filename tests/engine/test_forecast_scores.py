"""Scores of forecasts: what counts, what is open, and that one gate is one outcome."""

from datetime import date, timedelta

import pytest

from procurement.engine.forecast_scores import StoredForecast, exact_interval, level_score, track_records

TODAY = date(2026, 11, 30)


def forecast(build="b", as_of=date(2026, 6, 1), p50=date(2026, 8, 1), reached_on=None, **more):
    """Return a forecast whose P80 and P90 lie 30 and 60 days after its P50."""
    days = {0.5: p50, 0.8: p50 + timedelta(30), 0.9: p50 + timedelta(60)}
    values = {"operator": "acme", "gate": "powered", "quantile_days": days, **more}
    return StoredForecast(build=build, as_of=as_of, reached_on=reached_on, **values)


@pytest.mark.parametrize(
    ("_case", "reached_on", "p50", "expected"),
    [
        ("on the very day", date(2026, 8, 1), date(2026, 8, 1), True),
        ("a day late", date(2026, 8, 2), date(2026, 8, 1), False),
        ("not reached, and its day has passed", None, date(2026, 8, 1), False),
        ("not reached, its day is today", None, TODAY, None),
        ("reached before its day", date(2026, 8, 1), date(2027, 8, 1), True),
    ],
)
def test_a_forecast_is_held_to_its_day(_case, reached_on, p50, expected):
    assert forecast(reached_on=reached_on, p50=p50).is_hit(0.5, TODAY) is expected


def test_a_quantile_that_was_not_stated_is_not_scored():
    assert forecast(quantile_days={0.5: None, 0.8: None, 0.9: None}).is_hit(0.8, TODAY) is None


def test_a_gate_that_was_forecast_on_many_days_is_one_outcome():
    # gate b: 99 forecasts, none held; gate c: one forecast that held. Two gates: half, not one in a hundred
    many = [forecast("b", date(2026, 3, 1) + timedelta(day), reached_on=date(2026, 10, 1)) for day in range(99)]
    score = level_score([*many, forecast("c", reached_on=date(2026, 7, 1))], 0.5, TODAY)

    assert (score.forecasts, score.outcomes, score.share) == (100, 2, 0.5)


@pytest.mark.parametrize(
    ("share", "count", "interval"),
    [(0.8, 10, (0.4439, 0.9748)), (0.0, 1, (0.0, 0.975)), (1.0, 3, (0.2924, 1.0))],  # 0.025 ** (1 / 3) = 0.2924
)
def test_the_interval_is_the_exact_one(share, count, interval):
    assert exact_interval(share, count) == pytest.approx(interval, abs=1e-4)


@pytest.mark.parametrize(("count", "verdict"), [(3, "fits"), (30, "later")])
def test_few_misses_refute_nothing_and_many_do(count, verdict):
    # none of 3 held: the interval reaches 1 - 0.025 ** (1 / 3) = 0.71, above the half that P50 promises; of 30: 0.12
    missed = [forecast(f"b{number}", reached_on=date(2026, 11, 1)) for number in range(count)]
    score = level_score(missed, 0.5, TODAY)

    assert (score.share, score.verdict, score.is_few) == (0.0, verdict, count < 20)


def test_without_an_outcome_there_is_no_share():
    score = level_score([forecast(p50=date(2027, 5, 1))], 0.5, TODAY)

    assert (score.share, score.low, score.verdict) == (None, None, "no_outcome")


def test_rows_are_by_operator_gate_and_horizon_with_the_total_first():
    rows = track_records([forecast(as_of=date(2026, 7, 20)), forecast(as_of=date(2026, 1, 1))], TODAY)

    assert [(row.operator, row.gate, row.horizon, row.forecasts) for row in rows] == [
        ("acme", "powered", "all", 2), ("acme", "powered", "up to 30 days", 1), ("acme", "powered", "over 180 days", 1)
    ]  # fmt: skip
    assert rows[0].open_forecasts == 2
