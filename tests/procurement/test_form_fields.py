"""What people type is read as they meant it, or refused with what would be right."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from procurement.forms.fields import Estimate, EstimateField, ListField, NumbersField, WholeField, plain, read_number


@pytest.mark.parametrize(
    ("_case", "typed", "meant"),
    [
        ("plain", "31000.5", "31000.5"),
        ("english groups", "31,000.50", "31000.50"),
        ("german groups", "31.000,50", "31000.50"),
        ("swiss groups", "31'000.50", "31000.50"),
        ("spaces", "31 000,50", "31000.50"),
        ("decimal comma", "2,39", "2.39"),
        ("many groups", "1,234,567", "1234567"),
        ("many points", "1.234.567", "1234567"),
        ("sign", "-0.12", "-0.12"),
        ("exponent", "1e6", "1000000"),
        ("four after the comma", "2,3900", "2.3900"),
    ],
)
def test_a_number_is_read_in_any_notation(_case, typed, meant):
    assert read_number(typed) == Decimal(meant)


@pytest.mark.parametrize("typed", ["1,234", "-1,234", "12,345"])
def test_a_number_that_could_be_two_is_asked_about(typed):
    with pytest.raises(ValidationError, match="can be read as"):
        read_number(typed)


@pytest.mark.parametrize("typed", ["abc", "1.2.3", "12,34,567", "1,23.4", "--1", "NaN", "inf", "1e400", "٣", "1" * 40])
def test_what_is_no_number_is_refused_with_what_would_be_right(typed):
    with pytest.raises(ValidationError):
        read_number(typed)


def test_an_estimate_is_typed_as_low_likely_high():
    assert EstimateField().clean("2 / 2.4 / 3") == Estimate(Decimal(2), Decimal("2.4"), Decimal(3))


@pytest.mark.parametrize("typed", ["3 / 2 / 1", "1 / 2", "1 / 2 / 3 / 4"])
def test_an_estimate_out_of_order_is_refused(typed):
    with pytest.raises(ValidationError):
        EstimateField().clean(typed)


def test_nothing_typed_is_unknown_and_never_zero():
    assert EstimateField(required=False).clean("") is None


@pytest.mark.parametrize("typed", ["1.5", "-1", "99999999999"])
def test_a_count_is_a_whole_number(typed):
    with pytest.raises(ValidationError, match="whole number"):
        WholeField().clean(typed)


def test_a_list_names_the_word_that_is_not_known():
    assert ListField(allowed=("roce", "infiniband")).clean("roce; infiniband") == ["roce", "infiniband"]
    with pytest.raises(ValidationError, match="etherweb"):
        ListField(allowed=("roce",)).clean("roce, etherweb")


def test_numbers_are_pasted_from_a_sheet():
    assert NumbersField().clean("730\n0\t365,5") == [730.0, 0.0, 365.5]


def test_a_stored_number_is_shown_without_needless_zeros():
    assert plain(Decimal("2.39000000")) == "2.39"
    assert plain(Decimal("1E+3")) == "1000"
