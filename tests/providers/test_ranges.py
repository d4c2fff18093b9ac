"""Estimates in our own sheets: in one cell or in columns for the ends, and back again."""

import pytest

from providers import compare_quotes, export_csv, export_workbook
from tests.providers.hand_made import d, read_text

HEADER = "provider,sku,accelerator,accelerators_per_instance,price,price_basis,currency,purchase_model"
ROW = "Acme,box,H100 SXM,8,{},per_accelerator_hour,USD,on_demand"


def read(*rows, header=HEADER, **changes):
    return read_text("\n".join(["# quotes/1; decimal=point", header, *rows]) + "\n", "q.csv", **changes)


def test_an_estimate_in_one_cell_keeps_likely_and_its_ends():
    quote = read(ROW.format("2.00 / 2.50 / 3.10")).ready.iloc[0]

    assert (quote["price"], quote["price_per_accelerator_hour"]) == (d("2.50"), d("2.5"))
    assert quote["ranges"] == {"price": {"min": "2", "max": "3.1"}}


def test_columns_for_the_ends_say_the_same():
    header = f"{HEADER},Price_Min,price_max,lead_time_days,lead_time_days_min,lead_time_days_max"

    quote = read(f"{ROW.format('2.50')},2.00,3.10,30,20,60", header=header).ready.iloc[0]

    assert quote["lead_time_days"] == 30
    assert quote["ranges"] == {"price": {"min": "2", "max": "3.1"}, "lead_time_days": {"min": "20", "max": "60"}}


@pytest.mark.parametrize(
    ("cells", "column", "rule"),
    [
        ("3.00 / 2.50 / 3.10,,", "price", "range_out_of_order"),
        ("2.00 / 3.10,,", "price", "not_a_range"),
        ("x / 2.50 / 3.10,,", "price", "not_a_number"),
        ("2.50,2.00,", "price_max", "range_incomplete"),
        (",2.00,3.00", "price", "range_incomplete"),
        ("2.50,-1,3.00", "price_min", "not_positive"),
        ("2.50,about two,3.00", "price_min", "not_a_number"),
    ],
)
def test_an_estimate_that_cannot_be_is_a_fault_with_row_and_column(cells, column, rule):
    sheet = read(
        ROW.format(cells.split(",")[0]) + "," + ",".join(cells.split(",")[1:]), header=f"{HEADER},price_min,price_max"
    )

    found = [(fault.line, fault.column, fault.rule) for fault in sheet.faults]
    assert found == [(3, column, rule)]


def test_a_slash_without_blanks_is_no_estimate():
    assert [fault.rule for fault in read(ROW.format("2/3")).faults] == ["not_a_number"]


def test_an_estimate_of_nothing_else_than_one_value_is_that_value():
    assert read(ROW.format("2.5 / 2.5 / 2.5")).ready.iloc[0]["ranges"] is None


@pytest.mark.parametrize(("write", "name"), [(export_csv, "q.csv"), (export_workbook, "q.xlsx")])
def test_estimates_survive_the_round_trip(write, name):
    first = read(ROW.format("2.00 / 2.50 / 3.10"), ROW.format("4").replace("box", "other")).ready

    again = read_text(write(first), name).ready

    assert again["ranges"].tolist() == first["ranges"].tolist()
    assert {change.kind for change in compare_quotes(first, again)} == {"same"}


def test_another_end_is_a_change():
    one, other = read(ROW.format("2 / 2.5 / 3")).ready, read(ROW.format("2 / 2.5 / 4")).ready

    change = compare_quotes(one, other)[0]

    assert (change.kind, set(change.values)) == ("changed", {"ranges"})


def test_a_sheet_without_estimates_has_no_columns_for_them():
    assert b"price_min" not in export_csv(read(ROW.format("2.5")).ready)


def test_the_ends_of_a_matched_sheet_in_cents_are_divided_too():
    profile = {
        "columns": {"GPU": "accelerator", "Rate": "price"}, "divisor": "100", "decimal": ".",
        "constants": {
            "provider": "Acme", "currency": "USD", "price_basis": "per_accelerator_hour", "purchase_model": "on_demand",
        },
    }  # fmt: skip

    quote = read_text("GPU,Rate\nH100 SXM,200 / 250 / 310\n", "x.csv", profile=profile).ready.iloc[0]

    assert (quote["price"], quote["ranges"]) == (d("2.5"), {"price": {"min": "2", "max": "3.1"}})
