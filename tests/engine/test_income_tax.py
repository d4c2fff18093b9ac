"""Income tax, off by default: fees deducted as paid, capital by its schedule, never depreciation as a cash row."""

import numpy as np
import pytest

from procurement.engine.income_tax import deductions, depreciation_by_month, taxed
from procurement.engine.ledger import Flow, Ledger, Terms
from procurement.engine.tables import Tax

MACRS = Tax(rate=0.21, depreciation="macrs5")
LEVEL = Tax(rate=0.21, depreciation="straight_line", book_life_months=60)
BOUGHT = np.eye(1, 72)[0]


def test_macrs_deducts_at_the_end_of_each_year():
    found = deductions(BOUGHT, MACRS, 72)

    assert found[11::12].tolist() == pytest.approx([0.2, 0.32, 0.192, 0.1152, 0.1152, 0.0576])
    assert found.sum() == pytest.approx(1.0)


def test_straight_line_deducts_every_month_alike():
    assert depreciation_by_month(LEVEL).tolist() == pytest.approx([1 / 60] * 60)


def test_what_is_not_deducted_at_the_end_is_deducted_then():
    found = deductions(BOUGHT[:24], LEVEL, 24)

    assert found[:23].tolist() == pytest.approx([1 / 60] * 23)
    assert found[23] == pytest.approx(1 - 23 / 60)


def test_the_present_value_of_the_shield_is_the_published_one():
    purchase = Flow("hardware", 1.0, np.array([1.0]), timing="begin", is_recurring=False, is_capital=True)
    rest = Flow("operations", 0.0, np.ones(72))
    ledger = taxed(Ledger((purchase, rest), Terms("USD", 0.08)), MACRS)
    shield = sum(float(ledger.present(flow)) for flow in ledger.flows if flow.component == "income_tax")

    assert -shield == pytest.approx(0.1703784163)  # 21 % tax, 8 %


def test_fees_and_purchases_are_both_after_tax():
    flows = (
        Flow("compute", 100.0, np.ones(12)),
        Flow("hardware", 1200.0, np.array([1.0]), timing="begin", is_recurring=False, is_capital=True),
        Flow("residual", -200.0, np.eye(1, 12, 11)[0], timing="end", is_recurring=False, is_capital=True),
    )
    ledger = taxed(Ledger(flows, Terms("USD", 0.0)), LEVEL)

    # every unit of cost is deducted in the end, every unit of credit is taxed
    assert float(ledger.total_nominal()) == pytest.approx((1200 + 1200 - 200) * 0.79)


def test_the_rows_of_cash_stay_as_they_are():
    flows = (Flow("compute", 100.0, np.ones(12)),)
    ledger = taxed(Ledger(flows, Terms("USD", 0.0)), LEVEL)

    assert ledger.nominal_by_component()["compute"] == 1200.0
