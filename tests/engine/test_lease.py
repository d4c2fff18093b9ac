"""Lease against buy: debt-like flows at one rate, rent due in advance, the same service on both sides."""

import pytest

from procurement.engine.finance import (
    after_tax,
    annuity_factor,
    buy_present_cost,
    lease_break_even,
    lease_factor,
    macrs5_deductions,
)
from tests.engine.cost_documents import answered, build, document, option, quote, workload

PRICE = 250_141.80  # the published configuration A, 8 H100


def test_the_published_configuration_may_be_leased_for_81_448_a_year():
    # 8 % less 21 % tax is 6.32 %; five years' maintenance of 12 % at each year's end, sold for a tenth of its price:
    # 250,141.80 - 44,428.85 tax saved by depreciation + 99,026.05 maintenance after tax - 14,545.83 = 290,193.16
    rate = after_tax(0.08, 0.21)
    bought = buy_present_cost(
        PRICE, rate, macrs5_deductions(PRICE), tax_rate=0.21, per_year=0.12 * PRICE, years=5, residual=0.1 * PRICE
    )

    assert bought == pytest.approx(290_193, abs=0.5)
    assert lease_break_even(bought, rate, 5, tax_rate=0.21) == pytest.approx(81_448, abs=0.5)


def test_without_tax_a_lease_is_the_annuity_due():
    assert lease_factor(0.08, 5) == annuity_factor(0.08, 5, is_due=True)
    assert lease_break_even(100.0, 0.0, 4) == 25.0


LINES = [
    {"component": "hardware", "amount": "250000", "currency": "USD", "basis": "once", "life_months": 60,
     "residual_fraction": 0.1},
    {"component": "maintenance", "amount": "12000", "currency": "USD", "basis": "per_year"},
    {"component": "staff", "amount": "90000", "currency": "USD", "basis": "per_year"},
]  # fmt: skip


def leased(**assumptions):
    asked = document(quotes=[quote()], builds=[build(costs=LINES)], workloads=[workload(months=60)], **assumptions)
    return option(answered(asked), "on_prem:own")["lease"]


def test_the_ledger_says_what_a_lease_may_cost_without_and_with_maintenance():
    # nothing discounted: 250,000 - 25,000 over 60 months; with 60,000 of maintenance in both; staff is in neither
    found = leased()

    assert (found["hardware"]["buy"], found["hardware"]["per_month"]) == ("225000.00", "3750.00")
    assert (found["with_maintenance"]["buy"], found["with_maintenance"]["per_year"]) == ("285000.00", "57000.00")


def test_debt_has_its_own_rate_and_the_rent_is_due_in_advance():
    found = leased(discount_rate=0.12, borrowing_rate=0.06)
    bought = 250000 - 25000 * 1.06**-5

    assert found["rate"] == 0.06
    assert float(found["hardware"]["buy"]) == pytest.approx(bought, abs=0.01)
    assert float(found["hardware"]["per_year"]) == pytest.approx(
        bought / annuity_factor(0.06, 5, is_due=True), abs=0.01
    )


def test_where_tax_is_paid_debt_is_discounted_after_tax():
    found = leased(discount_rate=0.08, tax={"rate": 0.21, "depreciation": "macrs5"})

    assert found["rate"] == pytest.approx(0.0632)
    # what five years leave to deduct is deducted with the sale; rent in advance, its tax saved at each month's end
    shares = (0.20, 0.32, 0.192, 0.1152, 0.1152 + 0.0576)
    saved = 0.21 * 250000 * sum(share * 1.0632 ** -(year + 1) for year, share in enumerate(shares))
    bought = 250000 - saved - 0.79 * 25000 * 1.0632**-5
    month = 1.0632 ** (1 / 12) - 1
    rent = annuity_factor(month, 60, is_due=True) - 0.21 * annuity_factor(month, 60)
    assert float(found["hardware"]["buy"]) == pytest.approx(bought, abs=0.01)
    assert float(found["hardware"]["per_month"]) == pytest.approx(bought / rent, abs=0.01)


def test_a_build_that_is_leased_already_has_no_lease_to_compare():
    lines = [{"component": "hardware", "amount": "5000", "currency": "USD", "basis": "per_month"}]
    answer = answered(document(quotes=[quote()], builds=[build(costs=lines)]))

    assert "lease" not in option(answer, "on_prem:own")
