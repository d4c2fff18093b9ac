"""The portfolio's cost against the ledger: the plan it finds, priced again row by row, costs the same at as_of."""

from dataclasses import replace

import pytest

from procurement.engine.comparisons import setting_at
from procurement.engine.options_cloud import cloud_plan
from procurement.engine.options_on_prem import build_plan
from procurement.engine.periods import DAYS_PER_YEAR
from procurement.engine.pipeline import portfolio, supply_of
from procurement.engine.pricing import plan_priced
from procurement.engine.scenario import parse_scenario
from tests.engine.cost_documents import build, document, late_build, quote, reserved, workload

RICH = {
    "discount_rate": "0.08",
    "price_change_per_year": {"cloud": "-0.1", "power": "0.02", "staff": "0.03", "colocation": "0.01"},
}
LINES = [
    {"component": "hardware", "amount": "400000", "currency": "USD", "basis": "once", "life_months": 48,
     "residual_fraction": 0.1},
    {"component": "power", "it_kw": 20, "pue": 1.3, "price_per_kwh": "0.11", "currency": "USD", "idle_fraction": 0.3},
    {"component": "staff", "amount": "120000", "fte": 0.5, "currency": "USD", "basis": "per_year"},
    {"component": "colocation", "amount": "150", "kw": 25, "currency": "USD", "basis": "per_kw_month"},
    {"component": "maintenance", "amount": "0.05", "currency": "USD", "basis": "fraction_of_hardware_per_year"},
    {"component": "licences", "amount": "12", "currency": "USD", "basis": "per_accelerator_month"},
    {"component": "operations", "amount": "2.00", "currency": "USD", "basis": "per_running_hour"},
    {"component": "disposal", "amount": "5000", "currency": "USD", "basis": "once"},
]  # fmt: skip
DATA = {"storage_gb": 50000, "egress_gb_per_month": 2000}


def both(asked):
    """Return the portfolio's cost and that of the same places priced by the ledgers of each workload."""
    scenario = parse_scenario(asked)
    found = portfolio(scenario, gap=0.0)
    assert found["state"] == "optimal", found
    setting = setting_at(scenario, supply_of(scenario).forecasts, scenario.assumptions.risk_quantile)
    places = {one["workload"]: one["place"] for one in found["allocation"]}
    terms = {one["quote"]: one["terms"] for one in found["committed"]}
    total = 0.0
    for one in scenario.workloads:
        priced = plan_priced(_plan(one, places[one.id], terms, setting), one, setting)
        days = (one.start - scenario.as_of).days
        rate = scenario.assumptions.discount_rate
        total += float(priced.ledger.total_present()) * (1.0 + rate) ** (-days / DAYS_PER_YEAR)
    return float(found["npv"]), total


def _plan(one, place, terms, setting):
    if place in setting.quotes:
        plan = cloud_plan(setting.quotes[place], one, setting)
        return replace(plan, terms=terms.get(place, plan.terms))
    return build_plan(setting.builds[place], one)


JOB = {"shape": "one_job", "need_by": "2026-12-01"}


@pytest.mark.parametrize(
    ("_case", "places", "need"),
    [
        ("on demand, growing demand", {"quotes": [quote()]}, {"months": 30, "growth_per_year": 0.1,
                                                              "demand": {"utilisation": 0.6}}),
        ("on demand, a job", {"quotes": [quote()]}, {**JOB, "months": 18.5, "start": "2027-04-10",
                                                     "need_by": "2027-04-10"}),
        ("data, support and fees", {"quotes": [quote(storage_per_gb_month="0.02", egress_per_gb="0.05",
                                                     support_fraction="0.1", setup_fee="900", exit_fee="700")]},
         {**DATA, "months": 14}),
        ("data of a job", {"quotes": [quote(storage_per_gb_month="0.02", egress_per_gb="0.05", exit_fee="700")]},
         {**JOB, **DATA, "months": 14}),
        ("shortest time", {"quotes": [quote(min_days=90)]}, {"months": 1}),
        ("minimum quantity", {"quotes": [quote(min_accelerators=64)]}, {**JOB, "months": 6}),
        ("further lines", {"quotes": [quote(costs=[
            {"component": "licences", "amount": "30", "currency": "USD", "basis": "per_accelerator_month"},
            {"component": "operations", "amount": "3", "currency": "USD", "basis": "per_running_hour"},
            {"component": "installation", "amount": "5000", "currency": "USD", "basis": "once"}])]}, {"months": 9}),
        ("term renewed along the path", {"quotes": [reserved(booking_horizon_days=60)]}, {"months": 30}),
        ("prepaid, with a setup fee", {"quotes": [reserved(payment_option="all", setup_fee="2500")]}, {"months": 24}),
        ("upfront and support", {"quotes": [reserved(upfront="900", support_fraction="0.05")]}, {**JOB, "months": 12}),
        ("own build, bought", {"builds": [build(costs=LINES)]}, {"months": 36, "demand": {"utilisation": 0.7}}),
        ("own build, a job", {"builds": [build(costs=LINES)]}, {**JOB, "months": 60}),
        ("own build, committed", {"builds": [build(32, costs=LINES, committed=True)]},
         {"months": 36, "demand": {"utilisation": 0.7}}),
        ("own build, later", {"builds": [late_build("2027-01-20", costs=LINES)]},
         {**JOB, "months": 24, "start": "2027-03-01", "need_by": "2027-12-01"}),
        ("load that varies", {"quotes": [quote()]}, {"shape": "replicas", "months": 12, "accelerators": 64,
                                                    "demand": {"base": 10, "peak": 64, "curve": "chat"}}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tax", [None, {"rate": 0.21, "depreciation": "macrs5"}])
def test_a_plan_costs_what_its_ledger_costs(_case, places, need, tax):
    ours, ledger = both(document(**places, workloads=[workload(**need)], tax=tax, **RICH))

    assert ours == pytest.approx(ledger, rel=1e-9, abs=0.01)


def test_workloads_of_several_starts_add_up_at_as_of():
    needs = [
        workload(id="a", months=6, start="2027-01-01", need_by="2027-01-01", shape="one_job"),
        workload(id="b", months=12, start="2027-07-15"),
        workload(id="c", months=3, start="2026-12-01", accelerators=8),
    ]

    ours, ledger = both(document(quotes=[quote()], workloads=needs, **RICH))

    assert ours == pytest.approx(ledger, rel=1e-9, abs=0.01)


def test_useful_hours_weigh_a_place_by_its_efficiency():
    training = {"params_b": 70, "tokens_per_step": 4194304, "total_tokens": 1e11}
    job = workload(**JOB, accelerators=512, months=6, demand=None, training=training)

    ours, ledger = both(document(quotes=[quote(price="3.20")], workloads=[job], **RICH))

    assert ours == pytest.approx(ledger, rel=1e-9, abs=0.01)


def test_prices_of_another_currency_come_in_at_its_rate():
    euro = [{"base": "EUR", "counter": "USD", "rate": "1.10", "on": "2026-11-01"}]

    ours, ledger = both(document(quotes=[quote(currency="EUR")], workloads=[workload(months=2)], fx=euro, **RICH))

    assert ours == pytest.approx(ledger, rel=1e-9, abs=0.01)


def test_a_part_of_an_instance_is_charged_as_a_part_and_so_at_most_one_instance_less():
    # 16 of 24 from a quote that has 12: the ledger rents 2 whole instances of 8 there, the portfolio 1.5
    short = quote(id="short", price="1.00", quantity_available=12)
    found = portfolio(
        parse_scenario(document(quotes=[short, quote(price="2.00")], workloads=[workload(months=1, accelerators=24)])),
        gap=0.0,
    )

    whole = 730.0 * (16 * 1.00 + 12 * 2.00)
    assert float(found["npv"]) == pytest.approx(730.0 * (12 * 1.00 + 12 * 2.00))
    assert 0.0 <= whole - float(found["npv"]) <= 730.0 * 8 * 2.00


def test_power_of_a_tranche_that_is_used_in_part_follows_use_where_the_ledger_takes_all_of_it():
    # 16 of 32 for 730 h: 40 kW; the portfolio draws 20 at work and 20 idle at 0.3, the ledger 40 at work
    line = {"component": "power", "it_kw": 40, "pue": 1, "price_per_kwh": "1", "currency": "USD", "idle_fraction": 0.3}

    ours, ledger = both(document(builds=[build(32, costs=[line])], workloads=[workload(months=1)]))

    assert ledger == pytest.approx(730 * 40)
    assert ours == pytest.approx(730 * (20 + 20 * 0.3))
