"""Money at the border: rounding once, exact splits, dated exchange rates."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from procurement.engine.money import exchange_rate, money_text, rate_text, rounded, split_exactly
from procurement.engine.tables import FxRate

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("_case", "amount", "currency", "expected"),
    [
        ("half up", 2.675, "USD", "2.68"),  # the float is 2.67499999...: six places first, then half up
        ("away from zero", -2.675, "USD", "-2.68"),
        ("no minor unit", 1234.5, "JPY", "1235"),
        ("three digits", 1.2345, "KWD", "1.235"),
        ("binary noise", 0.1 + 0.2, "USD", "0.30"),
    ],
)
def test_an_amount_is_rounded_half_up_to_its_minor_unit(_case, amount, currency, expected):
    assert rounded(amount, currency) == Decimal(expected)


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=40))
def test_a_split_adds_up_exactly(weights):
    total = rounded(sum(weights), "USD")
    parts = split_exactly(total, weights, "USD")

    assert sum(parts) == total
    assert all(abs(float(part) - weight) <= 0.0201 for part, weight in zip(parts, weights, strict=True))


def test_the_largest_remainder_gets_the_cent():
    # 0.333... + 0.333... + 0.334 of 1.00: floors are 33, 33, 33 and the last has the largest remainder
    assert split_exactly(Decimal("1.00"), [1 / 3, 1 / 3, 0.334], "USD") == [Decimal("0.33")] * 2 + [Decimal("0.34")]


def rates(*entries):
    return [FxRate(base=base, counter=counter, rate=rate, on=on) for base, counter, rate, on in entries]


@pytest.mark.parametrize(
    ("_case", "known", "expected"),
    [
        ("as stated", [("EUR", "USD", 1.10, TODAY)], 1.10),
        ("inverse", [("USD", "EUR", 0.80, TODAY)], 1.25),
        ("latest", [("EUR", "USD", 1.10, date(2026, 1, 1)), ("EUR", "USD", 1.20, date(2026, 6, 1))], 1.20),
        ("not after today", [("EUR", "USD", 1.10, date(2026, 1, 1)), ("EUR", "USD", 9.9, date(2027, 1, 1))], 1.10),
        ("no chains", [("EUR", "GBP", 0.9, TODAY), ("GBP", "USD", 1.3, TODAY)], None),
        ("none", [], None),
    ],
)
def test_a_rate_is_dated_and_never_chained(_case, known, expected):
    found = exchange_rate("EUR", "USD", rates(*known), TODAY)

    assert found == (None if expected is None else pytest.approx(expected))


def test_a_rate_per_hour_keeps_six_places():
    assert rate_text(2.8922588470) == "2.892259"
    assert rate_text(None) is None
    assert rate_text(float("nan")) is None


def test_a_credit_too_small_to_show_has_no_sign():
    assert money_text(rounded(-0.001, "USD")) == "0.00"
    assert money_text(rounded(-0.01, "USD")) == "-0.01"
