"""Income tax on a ledger, off by default: fees are deducted as paid, capital by its schedule."""

import numpy as np

from procurement.engine.finance import MACRS5
from procurement.engine.ledger import Flow, Ledger
from procurement.engine.periods import MONTHS_PER_YEAR, Numbers, to_count
from procurement.engine.tables import Tax

INCOME_TAX = "income_tax"
DEFAULT_BOOK_LIFE_MONTHS = 60  # months, straight line where no book life is stated


def taxed(ledger: Ledger, tax: Tax) -> Ledger:
    """Return a ledger with the tax that its costs save and its credits bear.

    Depreciation is never a cash row: only the tax that it saves is one. What is not yet deducted at the end of the
    ledger is deducted then, against what is credited for the hardware.
    """
    count = ledger.count
    rows = [row for flow in ledger.flows for row in _tax_rows(flow, tax, count)]
    return ledger.with_flows(rows)


def _tax_rows(flow: Flow, tax: Tax, count: int) -> tuple[Flow, ...]:
    if not flow.is_capital or flow.component == "residual":
        saved = flow.scaled(-tax.rate)
        return (saved.renamed(INCOME_TAX),)
    deducted = deductions(flow.quantity, tax, count)
    return (
        Flow(
            INCOME_TAX, flow.unit * -tax.rate, deducted, timing="end", is_recurring=False, is_capital=False,
            source=f"{tax.depreciation}: {flow.component}",
        ),
    )  # fmt: skip


def deductions(bought: Numbers, tax: Tax, count: int) -> Numbers:
    """Return what of a purchase is deducted in each month, shape (..., count); all of it by the last one."""
    schedule = depreciation_by_month(tax)
    padded = to_count(bought, count)
    found = np.zeros_like(padded)
    for after, share in enumerate(schedule[:count]):
        if share:
            found[..., after:] += padded[..., : count - after] * share
    found[..., -1] += padded.sum(axis=-1) - found.sum(axis=-1)
    return found


def depreciation_by_month(tax: Tax) -> Numbers:
    """Return the share of a purchase deducted in each month after it: at year's end by MACRS, else level."""
    if tax.depreciation == "macrs5":
        schedule = np.zeros(len(MACRS5) * MONTHS_PER_YEAR)
        schedule[MONTHS_PER_YEAR - 1 :: MONTHS_PER_YEAR] = MACRS5
        return schedule
    life = tax.book_life_months or DEFAULT_BOOK_LIFE_MONTHS
    return np.full(life, 1.0 / life)
