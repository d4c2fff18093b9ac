"""What a discount leaves of a price: in the price's own basis, never nothing, never in another currency."""

from decimal import Decimal

import pytest

from providers import Reason
from providers.discounts import amount_off, percent_off
from providers.rates import per_accelerator_hour


def row(**changes):
    """Return a price of 24 USD for an instance of 8 accelerators, 3 USD an accelerator-hour."""
    values = {"price": "24", "price_basis": "per_instance_hour", "currency": "USD", "upfront": "0", **changes}
    numbers = ("price", "upfront", "accelerators_per_instance", "price_hours_per_month")
    values.setdefault("accelerators_per_instance", "8")
    return {name: Decimal(value) if name in numbers and value is not None else value for name, value in values.items()}


def rate(found):
    """Return the price per accelerator-hour of a row."""
    return per_accelerator_hour(found, [])


def test_a_share_comes_off_the_price_and_off_what_is_paid_up_front():
    steps = []

    less = percent_off(row(upfront="1000"), Decimal("12.5"), steps)

    assert (less["price"], less["upfront"]) == (Decimal("21"), Decimal("875"))  # x 0.875
    assert steps == ["- 12.5 % of the price and what is paid up front"]


@pytest.mark.parametrize(
    ("price", "left"),
    [
        (row(price="3", price_basis="per_accelerator_hour"), "2.5"),
        (row(), "20"),  # 24 - 0.5 x 8
        (row(price="17520", price_basis="per_month", price_hours_per_month="730"), "14600"),  # - 0.5 x 8 x 730
        (row(price="210240", price_basis="term_total", term_months=12), "175200"),  # - 0.5 x 8 x 8,760
    ],
)
def test_an_amount_per_accelerator_hour_comes_off_in_the_basis_of_the_price(price, left):
    less = amount_off(price, Decimal("0.5"), "USD", [])

    assert less["price"] == Decimal(left)
    assert rate(less) == rate(price) - Decimal("0.5")


@pytest.mark.parametrize("percent", ["0", "-5", "100", "250"])
def test_no_share_leaves_nothing_or_more_than_the_price(percent):
    assert percent_off(row(), Decimal(percent), []).code == "discount_no_share"


@pytest.mark.parametrize("amount", ["3", "3.01", "50"])
def test_an_amount_that_leaves_no_price_is_refused(amount):
    found = amount_off(row(), Decimal(amount), "USD", [])

    assert found.code == "discount_leaves_nothing"
    assert "24 USD per instance-hour" in found.message


def test_an_amount_in_another_currency_is_refused_with_both_named():
    found = amount_off(row(), Decimal("0.5"), "EUR", [])

    assert found.code == "discount_other_currency"
    assert "EUR" in found.message
    assert "USD" in found.message


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"accelerators_per_instance": None}, "accelerators_per_instance"),
        ({"price_basis": "per_month", "price_hours_per_month": None}, "price_hours_per_month"),
        ({"price_basis": "term_total", "term_months": None}, "term_months"),
    ],
)
def test_an_amount_needs_the_hours_that_the_price_is_for(changes, column):
    assert amount_off(row(**changes), Decimal("0.5"), "USD", []).release == f"state {column}"


@pytest.mark.parametrize("price", ["0.00000001", "0.01", "3", "98.32", "10000000"])
@pytest.mark.parametrize("size", ["0.01", "0.5", "12", "99", "99.99"])
def test_whatever_is_taken_off_a_price_above_zero_stays(price, size):
    before = row(price=price)
    for less in (percent_off(before, Decimal(size), []), amount_off(before, Decimal(size), "USD", [])):
        assert isinstance(less, Reason) or 0 < less["price"] <= before["price"]
        assert before == row(price=price)
