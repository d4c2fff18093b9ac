"""One cell at a time: what is clear is read exactly, what is unclear is refused with a hint."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.cells import plain, read_boolean, read_date, read_integer, read_number, read_text
from providers.errors import CellError


@pytest.mark.parametrize(
    ("text", "decimal", "expected"),
    [
        ("5.12", None, "5.12"),
        ("$5.12", None, "5.12"),
        ("A$5", None, "5"),
        ("1,234.50", None, "1234.50"),
        ("1.234,50", None, "1234.50"),
        ("1.234.567", None, "1234567"),
        ("1 234,50", None, "1234.50"),
        ("1'234.50", None, "1234.50"),
        ("0,123", None, "0.123"),
        ("12,5", None, "12.5"),
        ("1234.567", None, "1234.567"),
        ("3.5e-7", None, "0.00000035"),
        ("35.2E-7", ".", "0.00000352"),
        ("EUR 3,20", None, "3.20"),
        ("-12.5", None, "-12.5"),
        ("1.234", ".", "1.234"),
        ("1.234", ",", "1234"),
        ("1,234", ",", "1.234"),
        ("1,234", ".", "1234"),
        ("105.050000000000000", None, "105.05"),
    ],
)
def test_a_clear_number_is_read_exactly(text, decimal, expected):
    assert read_number(text, decimal) == Decimal(expected)


@pytest.mark.parametrize("text", ["", "-", "—", "NULL", "null", "N/A", "n.a.", "Contact sales", "NaN", "auf Anfrage"])
def test_a_missing_number_is_none_and_never_zero(text):
    assert read_number(text) is None


@pytest.mark.parametrize(
    ("text", "decimal", "rule"),
    [
        ("1.234", None, "ambiguous_number"),
        ("1,234", None, "ambiguous_number"),
        ("€ 1.234", None, "ambiguous_number"),
        ("2.99/hr", None, "not_a_number"),
        ("1_000", None, "not_a_number"),
        ("٣", None, "not_a_number"),
        ("(5)", None, "not_a_number"),
        ("=1+1", None, "not_a_number"),
        ("5%", None, "not_a_number"),
        ("1,2,3", None, "not_a_number"),
        ("1.", None, "not_a_number"),
        ("Infinity", None, "not_a_number"),
        ("9e99", None, "not_a_number"),
        ("two", None, "not_a_number"),
        ("12,50", ".", "other_decimal_sign"),
        ("12.50", ",", "other_decimal_sign"),
        ("1.234,50", ".", "other_decimal_sign"),
    ],
)
def test_an_unclear_number_is_refused_with_a_hint(text, decimal, rule):
    with pytest.raises(CellError) as caught:
        read_number(text, decimal)

    assert caught.value.rule == rule
    assert caught.value.hint


def test_a_currency_sign_must_agree_with_the_row():
    assert read_number("$5", ".", "CAD") == 5
    with pytest.raises(CellError, match="EUR"):
        read_number("€5", ".", "USD")


@given(st.decimals(min_value=0, max_value=10**9, places=6))
def test_what_we_write_is_read_back(number):
    assert read_number(plain(number), ".") == number


@given(st.text(max_size=20))
def test_any_text_is_a_number_missing_or_refused(text):
    try:
        read = read_number(text, None)
    except CellError:
        return  # refused with a rule and a hint, as every CellError is

    assert read is None or read.is_finite()


def test_texts_keep_zeros_exponents_and_regions():
    assert read_text("00042") == "00042"
    assert read_text("1E5") == "1E5"
    assert read_text("NA") == "NA"
    assert read_text(" NULL ") is None


@pytest.mark.parametrize(
    "text", ["2026-11-30", "2026-11-30T00:00:00Z", "2026-11-30 12:30:00", "2026-11-30 23:34:22 UTC"]
)
def test_iso_days_are_read(text):
    assert read_date(text) == date(2026, 11, 30)


@pytest.mark.parametrize("text", ["30.11.2026", "11/30/2026", "2026-13-01", "2026-06-31", "26-11-30"])
def test_other_days_are_refused(text):
    with pytest.raises(CellError, match="2026-11-30"):
        read_date(text)


def test_counts_are_whole_and_answers_are_clear():
    assert read_integer("8.0") == 8
    assert read_boolean("Yes") is True
    assert read_boolean("") is None
    with pytest.raises(CellError):
        read_integer("8.5")
    with pytest.raises(CellError):
        read_boolean("maybe")
