"""The rate per accelerator-hour, worked by hand for every basis."""

from decimal import Decimal

import pytest

from providers.rates import per_accelerator_hour, term_hours
from providers.sheet import Reason


def _rate(**changes):
    row = {"price": Decimal(1), "price_basis": "per_instance_hour", "accelerators_per_instance": Decimal(1), **changes}
    return per_accelerator_hour(row, [])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"price": "98.32", "accelerators_per_instance": 8}, "12.29"),
        ({"price": "2.5", "price_basis": "per_accelerator_hour"}, "2.5"),
        # an eighth of an L4 for 0.2445 an hour is 1.956 for a whole one
        ({"price": "0.2445", "accelerators_per_instance": "0.125"}, "1.956"),
        # 42,066 for a year of two A100: / 8760 / 2
        (
            {"price": 42066, "price_basis": "term_total", "term_months": 12, "accelerators_per_instance": 2},
            "2.4010273973",
        ),
        # c4.large, 1 year partial upfront: 263 / 8760 + 0.03
        ({"price": "0.03", "upfront": 263, "term_months": 12}, "0.0600228311"),
        # c4.large, 3 years partial upfront: 539 / 26280 + 0.021
        ({"price": "0.021", "upfront": 539, "term_months": 36}, "0.0415098935"),
        # all upfront: only the payment counts, 630,720 / 26280 / 8
        ({"price": 0, "upfront": 630720, "term_months": 36, "accelerators_per_instance": 8}, "3"),
        ({"price": 672, "price_basis": "per_month", "price_hours_per_month": 672}, "1"),
        ({"price": 720, "price_basis": "per_month", "price_hours_per_month": 720}, "1"),
        ({"price": 730, "price_basis": "per_month", "price_hours_per_month": 730}, "1"),
        ({"price": 744, "price_basis": "per_month", "price_hours_per_month": 744}, "1"),
        (
            {"price": 12264, "price_basis": "per_month", "price_hours_per_month": 730, "accelerators_per_instance": 8},
            "2.1",
        ),
        # a slice of 3 sevenths for 0.90: x 7 / 3
        ({"price": "0.90", "price_basis": "per_slice_hour", "accelerators_per_instance": Decimal(3) / 7}, "2.1"),
    ],
)
def test_the_rate_is_derived(changes, expected):
    numbers = {name: Decimal(value) for name, value in changes.items() if name not in {"price_basis", "term_months"}}

    assert _rate(**{**changes, **numbers}) == Decimal(expected)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"price_basis": "per_month"}, "month_hours_missing"),
        ({"price_basis": "term_total"}, "term_missing"),
        ({"upfront": Decimal(5)}, "term_missing"),
        ({"accelerators_per_instance": None}, "count_missing"),
    ],
)
def test_what_is_missing_is_said(changes, code):
    found = _rate(**changes)

    assert isinstance(found, Reason)
    assert found.code == code
    assert found.release


def test_a_year_has_8760_hours():
    assert term_hours(12) == 8760
    assert term_hours(36) == 26280
    assert term_hours(1) == 730


def test_steps_lead_from_price_to_rate():
    steps = []
    per_accelerator_hour(
        {
            "price": Decimal(42066),
            "price_basis": "term_total",
            "term_months": 12,
            "accelerators_per_instance": Decimal(2),
        },
        steps,
    )

    assert steps == ["/ 8760 hours of 12 months", "/ 2 accelerators"]
