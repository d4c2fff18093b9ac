"""The ledger: rows, sums, present values, rounding; every figure is a sum over its rows."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procurement.engine.figures import total_costs
from procurement.engine.ledger import ROW_COLUMNS, Flow, Ledger, Terms


def terms(rate=0.0, switch="as_ledger", **paths):
    return Terms("USD", rate, switch, paths)


def ledger(*flows, **changes):
    return Ledger(flows, terms(**changes))


PURCHASE = Flow("hardware", 1000.0, np.array([1.0]), timing="begin", is_recurring=False, is_capital=True, source="po")
HOURS = Flow("compute", 2.0, np.array([100.0, 100.0, 50.0]), path="cloud", source="q")
CREDIT = Flow("residual", -300.0, np.array([0.0, 0.0, 1.0]), timing="end", is_recurring=False, is_capital=True)


def test_rows_are_dated_and_name_their_source():
    rows = ledger(PURCHASE, HOURS).rows()

    assert tuple(rows.columns) == ROW_COLUMNS
    assert rows["month"].tolist() == [0, 0, 1, 2]
    assert rows["amount"].tolist() == [1000.0, 200.0, 200.0, 100.0]
    assert rows["timing"].tolist() == ["begin", "mid", "mid", "mid"]
    assert rows["source"].tolist() == ["po", "q", "q", "q"]


def test_the_rows_sum_to_every_total():
    whole = ledger(PURCHASE, HOURS, CREDIT, rate=0.1)
    rows = whole.rows()

    assert rows["amount"].sum() == pytest.approx(float(whole.total_nominal()))
    assert rows.groupby("month")["amount"].sum().tolist() == pytest.approx(whole.by_month().tolist())


def test_present_value_uses_the_timing_of_each_row():
    # 1,000 now + 200 at 0.5/12, 200 at 1.5/12, 100 at 2.5/12 - 300 at 3/12 years, all at 10 %
    expected = 1000 + 200 * 1.1 ** (-0.5 / 12) + 200 * 1.1 ** (-1.5 / 12) + 100 * 1.1 ** (-2.5 / 12)
    expected -= 300 * 1.1 ** (-3 / 12)

    assert float(ledger(PURCHASE, HOURS, CREDIT, rate=0.1).total_present()) == pytest.approx(expected)


def test_the_switch_leaves_one_off_rows_where_they_are():
    late = ledger(PURCHASE, HOURS, rate=0.1, switch="end")

    assert float(late.present(PURCHASE)) == 1000.0
    assert float(late.present(HOURS)) < float(ledger(PURCHASE, HOURS, rate=0.1).present(HOURS))


def test_without_interest_present_and_nominal_are_the_same():
    whole = ledger(PURCHASE, HOURS, CREDIT)

    assert float(whole.total_present()) == float(whole.total_nominal())


def test_without_a_rate_there_is_no_present_value():
    totals = total_costs(ledger(PURCHASE, HOURS, rate=None))

    assert totals.npv is None
    assert totals.components_npv is None
    assert totals.nominal_cost == Decimal("1500.00")


def test_a_price_path_steps_by_the_year_and_fixed_prices_do_not():
    metered = Flow("compute", 1.0, np.ones(24), path="cloud")
    fixed = Flow("compute", 1.0, np.ones(24), path="cloud", price_years=np.zeros(24))

    assert float(ledger(metered, cloud=-0.5).total_nominal()) == pytest.approx(12 + 12 * 0.5)
    assert float(ledger(fixed, cloud=-0.5).total_nominal()) == pytest.approx(24.0)


def test_flat_rows_ignore_price_paths():
    assert float(ledger(Flow("maintenance", 1.0, np.ones(24)), cloud=-0.5).total_nominal()) == 24.0


def test_capital_and_operating_are_the_whole():
    totals = total_costs(ledger(PURCHASE, HOURS, CREDIT))

    assert totals.capital == Decimal("700.00")
    assert totals.operating == Decimal("500.00")
    assert totals.capital + totals.operating == totals.nominal_cost


@given(
    st.lists(st.floats(-1e5, 1e5, allow_nan=False), min_size=1, max_size=6),
    st.floats(0.0, 0.3),
)
def test_components_sum_to_totals_to_the_cent(amounts, rate):
    flows = [Flow(f"c{index}", amount, np.array([0.3, 0.7, 1.1])) for index, amount in enumerate(amounts)]
    totals = total_costs(ledger(*flows, rate=rate))

    assert sum(totals.components.values()) == totals.nominal_cost
    assert sum(totals.components_npv.values()) == totals.npv
    assert sum(totals.by_month) == totals.nominal_cost


@given(st.floats(0.1, 10.0))
def test_scaling_every_amount_scales_every_sum(factor):
    whole = ledger(PURCHASE, HOURS, CREDIT, rate=0.08)
    scaled = Ledger(tuple(flow.scaled(factor) for flow in whole.flows), whole.terms)

    assert float(scaled.total_present()) == pytest.approx(factor * float(whole.total_present()))


def test_a_column_of_draws_gives_a_column_of_sums():
    drawn = Flow("compute", np.array([[1.0], [2.0]]), np.array([10.0, 10.0]))
    slower = Flow("power", 1.0, np.array([[1.0, 0.0], [0.0, 1.0]]))

    assert ledger(drawn, slower).total_nominal().tolist() == [21.0, 41.0]
