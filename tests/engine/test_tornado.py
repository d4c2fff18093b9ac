"""The tornado: what each uncertain input alone does to the choice, all else at its likely value."""

import numpy as np
import pytest

from procurement.engine.tornado import swings
from procurement.engine.uncertainty import RangeInput
from tests.engine.cost_documents import advice, answered, document, late_build, quote, reserved, workload

HOURS = 16 * 8760


def span(least, likely, most):
    return {"min": str(least), "likely": str(likely), "max": str(most)}


def test_swings_are_ordered_and_those_that_move_both_alike_are_none():
    inputs = [RangeInput("small", 9, 10, 11), RangeInput("large", 50, 100, 200)]

    def cost(values):
        return np.array([1000 + 2 * values[:, 0] + values[:, 1], 900 + values[:, 1]])

    base, alone = swings(lambda values: cost(values)[:1], inputs)
    _, paired = swings(cost, inputs)

    assert base.tolist() == [1120.0]
    assert [swing.name for swing in alone] == ["large", "small"]
    ends = inputs[1].at(np.array([0.1, 0.9]))
    assert alone[0].size == pytest.approx(ends[1] - ends[0])
    assert {swing.name: swing.size for swing in paired}["large"] == pytest.approx(0.0)  # the same in both


def test_an_answer_names_both_ends_of_every_input():
    # triangle 1, 2, 4: P10 = 1 + sqrt(0.1 x 3 x 1) = 1.5477, P90 = 4 - sqrt(0.1 x 3 x 2) = 3.2254
    found = advice(answered(document(quotes=[quote(price=span(1, 2, 4)), quote(id="firm", price="2.50")])))["tornado"]
    (row,) = found["inputs"]

    assert found["against"] == "cloud:firm"
    assert found["npv"] == "280320.00"
    assert float(found["difference"]) == pytest.approx(-0.5 * HOURS)
    assert row["input"] == "quotes/od/price"
    assert [row["low"], row["high"]] == pytest.approx([1.547723, 3.225403], abs=1e-6)
    assert float(row["npv_low"]) == pytest.approx(1.547723 * HOURS, abs=1)
    assert float(row["difference_high"]) == pytest.approx((3.225403 - 2.5) * HOURS, abs=1)
    assert float(row["swing"]) == pytest.approx((3.225403 - 1.547723) * HOURS, abs=1)
    assert row["turns"]  # at its P90 the firm offer is the cheaper one


def test_without_ranges_the_tornado_is_empty():
    assert advice(answered(document(quotes=[quote(), reserved()])))["tornado"]["inputs"] == []


def test_the_date_of_a_build_is_shown_as_the_day_it_is_usable():
    needs = [workload(need_by="2027-08-01", months=24)]
    found = advice(answered(document(quotes=[quote()], builds=[late_build("2027-02-01")], workloads=needs)))
    row = next(entry for entry in found["tornado"]["inputs"] if entry["input"] == "dates/own")

    assert "2027-02-01" <= row["low"] < row["high"] < "2028-01-01"
    assert float(row["npv_low"]) < float(row["npv_high"])  # later power rents for longer


def test_an_input_that_changes_the_layout_of_a_ledger_is_read_at_its_own_value():
    # terms of 6, 12 and 24 months, one of them paid to its end: P10 is 8.08, so 9 months are held, P90 19.35: 20
    offer = reserved(term_months=span(6, 12, 24))
    row = advice(answered(document(quotes=[offer], draws=100)))["tornado"]["inputs"][0]

    assert row["input"] == "quotes/rsv/term_months"
    assert float(row["npv_high"]) > float(row["npv_low"])
