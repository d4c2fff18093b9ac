"""Cells of our own workbook carry more than a value: how they are shown counts, and equal values stay apart."""

import io
from datetime import date
from decimal import Decimal

import pytest
from openpyxl import Workbook

from providers import read_quotes

HEADER = ("provider", "sku", "accelerator", "price", "price_basis", "currency", "purchase_model", "region")


@pytest.fixture
def read():
    def read_prices(*shown):
        book = Workbook()
        sheet = book.active
        sheet.append(HEADER)
        for number, (price, style) in enumerate(shown):
            sheet.append(["Acme", f"s{number}", "H100 SXM", price, "per_accelerator_hour", "USD", "on_demand", "r"])
            sheet.cell(number + 2, HEADER.index("price") + 1).number_format = style
        content = io.BytesIO()
        book.save(content)
        return read_quotes(
            content.getvalue(), file_name="acme.xlsx", observed_on=date(2026, 11, 30), source="a supplier"
        )

    return read_prices


def test_equal_numbers_that_are_shown_differently_are_judged_apart(read):
    sheet = read((1.5, "General"), (1.5, '"$"0.00'), (1.5, "[$€-2] 0.00"), ("1.50", "General"))
    assert sheet.ready["source_line"].tolist() == [2, 3, 5]
    assert [(fault.line, fault.column, fault.rule) for fault in sheet.faults] == [(4, "price", "other_currency")]


def test_one_and_yes_are_no_twins(read):
    sheet = read((1, "General"), (True, "General"), (1, "General"))
    assert sheet.ready["price"].tolist() == [Decimal(1), Decimal(1)]
    assert [(fault.line, fault.value, fault.rule) for fault in sheet.faults] == [(3, "True", "not_a_number")]


def test_a_price_shown_in_percent_is_refused(read):
    sheet = read((0.5, "0%"), (0.5, "General"))
    assert sheet.ready["source_line"].tolist() == [3]
    assert [(fault.line, fault.value, fault.rule) for fault in sheet.faults] == [(2, "50.0 %", "not_a_number")]
