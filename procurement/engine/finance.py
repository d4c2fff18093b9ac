"""Closed forms of finance that the ledger is checked against: annuities, levelised cost, tax shields, loans, leases.

Each formula stands in METHOD.md, section Finance; the functions take plain numbers and return plain numbers.
"""

from collections.abc import Sequence

import numpy as np

from procurement.engine.periods import MONTHS_PER_YEAR

MACRS5 = (0.20, 0.32, 0.192, 0.1152, 0.1152, 0.0576)  # share of cost by year, half-year convention; IRS Pub. 946
HOURS_PER_YEAR = 8760.0


def capital_recovery_factor(rate: float, years: float) -> float:
    """Return r (1 + r)^n / ((1 + r)^n - 1), the level payment at each year's end that repays 1; 1 / n without interest.

    Parameters
    ----------
    rate
        Effective rate [fraction per year].
    years
        Number of payments [years].
    """
    if rate == 0.0:
        return 1.0 / years
    growth = (1.0 + rate) ** years
    return float(rate * growth / (growth - 1.0))


def annuity_factor(rate: float, payments: int, *, is_due: bool = False) -> float:
    """Return the present value of 1 paid in each of so many periods, at their end or, like rent, at their begin."""
    value = float(payments) if rate == 0.0 else float((1.0 - (1.0 + rate) ** -payments) / rate)
    return value * (1.0 + rate) if is_due else value


def monthly_rate(effective_rate: float) -> float:
    """Return the monthly rate of an effective yearly discount rate, (1 + r)^(1/12) - 1."""
    return float((1.0 + effective_rate) ** (1.0 / MONTHS_PER_YEAR) - 1.0)


def loan_payment(principal: float, nominal_rate: float, months: int) -> float:
    """Return the level monthly payment of a loan whose rate is nominal: the month's rate is APR / 12."""
    return principal / annuity_factor(nominal_rate / MONTHS_PER_YEAR, months)


def effective_rate(nominal_rate: float) -> float:
    """Return the effective yearly rate of a nominal one that is compounded monthly."""
    return float((1.0 + nominal_rate / MONTHS_PER_YEAR) ** MONTHS_PER_YEAR - 1.0)


def real_rate(nominal_rate: float, inflation: float) -> float:
    """Return the real rate of a nominal one, by (1 + n) = (1 + r)(1 + i)."""
    return (1.0 + nominal_rate) / (1.0 + inflation) - 1.0


def inflation_between(nominal_rate: float, real: float) -> float:
    """Return the inflation that lies between a nominal and a real rate."""
    return (1.0 + nominal_rate) / (1.0 + real) - 1.0


def levelised_cost(
    fixed_charge_rate: float, capital: float, operating_per_year: float, output_per_year: float
) -> float:
    """Return (fixed charge rate x capital + operating) / output, per unit of output.

    References
    ----------
    NREL, WISDEM plant finance: levelised cost of energy; here kWh stand for useful accelerator-hours.
    """
    return (fixed_charge_rate * capital + operating_per_year) / output_per_year


def levelised_cost_per_useful_hour(  # noqa: PLR0913 - the seven numbers of one formula
    capital: float, operating_per_hour: float, accelerators: int, years: float, rate: float, utilisation: float,
    hours_per_year: float = HOURS_PER_YEAR,
) -> float:  # fmt: skip
    """Return the levelised cost of one useful accelerator-hour of hardware that runs around the clock."""
    operating = operating_per_hour * hours_per_year
    useful = accelerators * hours_per_year * utilisation
    return levelised_cost(capital_recovery_factor(rate, years), capital, operating, useful)


def macrs5_deductions(cost: float) -> tuple[float, ...]:
    """Return the six yearly deductions of five-year property; no salvage value is subtracted."""
    return tuple(cost * share for share in MACRS5)


def straight_line_deductions(cost: float, years: int, *, is_half_year: bool = False) -> tuple[float, ...]:
    """Return level yearly deductions; by the half-year convention the first and a further last year hold half each."""
    share = cost / years
    return (share / 2, *(share,) * (years - 1), share / 2) if is_half_year else (share,) * years


def tax_shield(tax_rate: float, deductions: Sequence[float], rate: float) -> float:
    """Return the present value of the tax that deductions at the end of each year save."""
    years = np.arange(1, len(deductions) + 1)
    return float(tax_rate * np.sum(np.asarray(deductions) / (1.0 + rate) ** years))


def reserved_effective_rate(upfront: float, term_hours: float, recurring_per_hour: float) -> float:
    """Return what an hour of a commitment costs, the upfront payment spread over the hours of its term."""
    return upfront / term_hours + recurring_per_hour


def commitment_break_even(reserved_per_hour: float, on_demand_per_hour: float) -> float:
    """Return the utilisation below which the unused hours of a commitment cost more than on demand."""
    return reserved_per_hour / on_demand_per_hour


def prepay_discount(rate: float, months: int, *, is_due: bool) -> float:
    """Return by what share an all-upfront price must be lower than monthly payments to be worth the same today."""
    return 1.0 - annuity_factor(monthly_rate(rate), months, is_due=is_due) / months


def break_even_hours(capital: float, cloud_per_hour: float, running_per_hour: float) -> float | None:
    """Return the hours of use that pay the capital back; None where the cloud is not dearer than running."""
    saved = cloud_per_hour - running_per_hour
    return capital / saved if saved > 0.0 else None


def minimum_term_switch(on_demand_per_month: float, reserved_per_month: float, term_months: float) -> float:
    """Return for how many months on demand is cheaper than one whole term that is billed to its end."""
    return reserved_per_month * term_months / on_demand_per_month


def after_tax(rate: float, tax_rate: float) -> float:
    """Return the rate of borrowing once its interest is deducted."""
    return rate * (1.0 - tax_rate)


def buy_present_cost(  # noqa: PLR0913 - the seven numbers of one formula
    price: float, rate: float, deductions: Sequence[float], *, tax_rate: float = 0.0, per_year: float = 0.0,
    years: int = 0, residual: float = 0.0,
) -> float:  # fmt: skip
    """Return what buying costs today: price, less tax saved, plus what a lease would include, less what is left.

    Parameters
    ----------
    price
        Paid today [currency].
    rate
        Rate of borrowing after tax: all of these are flows as sure as debt [fraction per year].
    deductions
        Depreciation at each year's end [currency].
    tax_rate
        0 for an organisation that pays no income tax [fraction].
    per_year
        Maintenance and whatever else the lease includes, at each year's end, deducted as paid [currency].
    years
        How long it is held [years].
    residual
        What it is sold for then, taxed in full [currency].
    """
    service = (1.0 - tax_rate) * per_year * annuity_factor(rate, years) if years else 0.0
    sold = (1.0 - tax_rate) * residual * (1.0 + rate) ** -years
    return price - tax_shield(tax_rate, deductions, rate) + service - sold


def lease_factor(rate: float, payments: int, tax_rate: float = 0.0) -> float:
    """Return the present cost of a lease of 1 due at each period's begin, its tax saved at the period's end."""
    return annuity_factor(rate, payments, is_due=True) - tax_rate * annuity_factor(rate, payments)


def lease_break_even(cost_to_buy: float, rate: float, payments: int, tax_rate: float = 0.0) -> float:
    """Return the yearly lease, due at each year's begin, that costs as much as buying.

    Payments as sure as debt are discounted at the rate of borrowing, after tax where tax is paid; maintenance must be
    in both or in neither.
    """
    return cost_to_buy / lease_factor(rate, payments, tax_rate)


def own_or_rent_unit(share_of_hours_above: float, owned_to_rented_ratio: float) -> bool:
    """Return whether a unit is worth owning: it works a larger share of hours than owning costs of renting."""
    return share_of_hours_above > owned_to_rented_ratio
