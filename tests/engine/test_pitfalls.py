"""The pitfalls of published cost models (method/tco.md, section 7): what the naive version says, and what we say."""

import pytest

from procurement.engine.finance import capital_recovery_factor, effective_rate, monthly_rate
from procurement.engine.units import price_per_accelerator_hour
from tests.engine.cost_documents import advice, answered, build, document, evidence, late_build, option, quote, reserved
from tests.engine.cost_documents import workload as need
from tests.engine.test_options_cloud import quote as offer

HOURS = 8760
HARDWARE = {"component": "hardware", "amount": "100000", "currency": "USD", "basis": "once"}


def owned(*lines, needs=None, **changes):
    answer = answered(
        document(quotes=[quote()], builds=[build(costs=list(lines), **changes)], workloads=[need(**(needs or {}))])
    )
    return option(answer, "on_prem:own")


def power(**changes):
    return {"component": "power", "it_kw": 20, "pue": "1.5", "price_per_kwh": "0.10", "currency": "USD", **changes}


def test_the_comparator_is_the_cheapest_on_demand_offer_not_a_chosen_one():
    quotes = [quote(id="list", price="6.00"), quote(id="sale", price="1.90"), reserved()]
    found = option(answered(document(quotes=quotes, builds=[build()])), "on_prem:own")

    assert found["breakeven"]["against"] == "cloud:sale"


def test_a_list_price_does_not_hide_the_sale_price():
    quotes = [quote(id="list", price="6.00"), quote(id="sale", price="1.90")]

    assert advice(answered(document(quotes=quotes)))["option"] == "cloud:sale"


def test_cooling_is_in_pue_once_and_no_multiple_above_it():
    naive = 20 * 1.5 * HOURS * (0.10 + 0.18)  # energy plus a price of cooling for each kWh

    assert float(owned(power())["components"]["power"]) == pytest.approx(20 * 1.5 * HOURS * 0.10) != naive


def test_kilowatts_are_no_kilowatt_hours():
    line = {"component": "colocation", "amount": "150", "kw": 20, "basis": "per_kw_month", "currency": "USD"}
    naive = 150 * 20 * HOURS

    assert float(owned(line)["components"]["colocation"]) == 150 * 20 * 12 != naive


def test_committed_kilowatts_do_not_fall_with_use():
    line = {"component": "colocation", "amount": "150", "kw": 20, "basis": "per_kw_month", "currency": "USD"}
    naive = 150 * 20 * 12 * 0.1

    assert float(owned(line, needs={"demand": {"utilisation": 0.1}})["components"]["colocation"]) == 36000 != naive


def test_power_at_idle_is_not_zero():
    found = float(owned(power(idle_fraction="0.3"), needs={"demand": {"utilisation": 0.5}})["components"]["power"])
    naive = 20 * 1.5 * HOURS * 0.5 * 0.10

    assert naive < found == pytest.approx(20 * 1.5 * HOURS * (0.5 + 0.3 * 0.5) * 0.10)


def test_utilisation_enters_once():
    found = owned(power(), needs={"demand": {"utilisation": 0.5}})
    once = 20 * 1.5 * HOURS * 0.5 * 0.10
    naive_rate = once * 0.5 / (16 * HOURS * 0.5)  # cost scaled again, hours too

    assert float(found["components"]["power"]) == pytest.approx(once)
    assert float(found["cost_per_accelerator_hour"]) == pytest.approx(once / (16 * HOURS * 0.5), abs=1e-6) != naive_rate


def test_a_reserved_price_is_not_multiplied_by_used_hours():
    found = option(answered(document(quotes=[reserved()], workloads=[need(demand={"utilisation": 0.25})])), "cloud:rsv")
    naive = 1.2 * 16 * HOURS * 0.25

    assert float(found["nominal_cost"]) == 1.2 * 16 * HOURS != naive


def test_goodput_divides_hours_and_is_no_charge_on_all_spend():
    training = {"params_b": 70, "tokens_per_step": 4194304, "mfu_node": 0.48}
    needs = need(shape="one_job", accelerators=512, training=training, demand={"hours_per_month": 300})
    priced = quote(storage_per_gb_month="1.00")
    answer = answered(document(quotes=[priced], workloads=[{**needs, "storage_gb": 1000}]))
    found = option(answer, "cloud:od")["components"]
    share = answer["throughput"]["w"]["od"]["useful_share"]

    assert float(found["compute"]) == pytest.approx(2.0 * 512 * 300 * 12 / share, rel=1e-6)
    assert float(found["storage"]) == 12000.0  # the data are kept no dearer because jobs restart


def test_depreciation_is_no_cash_row():
    found = owned({**HARDWARE, "life_months": 60})

    assert float(found["nominal_cost"]) == 100000 - 80000  # paid, less what is left: not paid plus 20,000 worn off
    assert [row["amount"] for row in found["by_month"] if row["amount"] != "0.00"] == ["100000.00", "-80000.00"]


def test_the_hall_does_not_live_as_long_as_the_servers():
    hall = {"component": "installation", "amount": "100000", "currency": "USD", "basis": "once", "life_months": 180}
    found = owned({**HARDWARE, "life_months": 60}, hall, needs={"months": 60})
    naive = 200000.0  # both written off in five years

    assert float(found["nominal_cost"]) == pytest.approx(100000 + 100000 / 3, abs=0.01) != naive
    assert capital_recovery_factor(0.07, 15) < capital_recovery_factor(0.07, 5)


def test_an_upfront_payment_is_in_the_effective_rate():
    bought = offer(purchase_model="reserved", term_months=12, upfront=HOURS, price=0.5)

    assert price_per_accelerator_hour(bought, 730.0) == pytest.approx(1.5) != 0.5


def test_a_one_year_price_is_not_held_flat_for_five():
    path = {"cloud": -0.2}
    found = option(
        answered(document(quotes=[reserved()], workloads=[need(months=60)], price_change_per_year=path)), "cloud:rsv"
    )
    year = 1.2 * 16 * HOURS
    naive = 5 * year

    assert naive > float(found["nominal_cost"]) == pytest.approx(sum(year * 0.8**n for n in range(5)), abs=0.02)


def test_tokens_are_counted_at_the_mean_not_at_the_peak():
    needs = need(kind="llm_inference", demand={"tokens_per_second": 1000, "peak_to_mean": 4})
    found = option(answered(document(quotes=[quote()], workloads=[needs])), "cloud:od")
    naive = float(found["npv"]) / (4000 * 3600 * HOURS / 1e6)

    assert float(found["cost_per_unit"]) == pytest.approx(float(found["npv"]) / (1000 * 3600 * HOURS / 1e6), abs=1e-6)
    assert float(found["cost_per_unit"]) != pytest.approx(naive)


def test_tax_that_is_booked_is_in_the_cash_flow():
    tax = {"rate": "0.21", "depreciation": "straight_line"}
    answer = answered(document(quotes=[quote()], tax=tax))
    found = option(answer, "cloud:od")

    assert found["components"]["income_tax"] == "-58867.20"  # 21 % of 280,320 is not paid
    assert sum(float(row["amount"]) for row in found["by_month"]) == pytest.approx(float(found["nominal_cost"]))


def test_an_instance_price_is_not_the_price_of_an_accelerator():
    found = option(answered(document(quotes=[quote(price="16.00", price_basis="per_instance_hour")])), "cloud:od")
    naive = 16.0 * 16 * HOURS  # eight times too much

    assert float(found["nominal_cost"]) == 16.0 * 2 * HOURS != naive


def test_a_nominal_loan_rate_is_not_an_effective_one():
    assert effective_rate(0.08) == pytest.approx(0.0830, abs=5e-5)
    assert monthly_rate(0.08) < 0.08 / 12


def test_nothing_is_rounded_inside_the_chain():
    # a third of a cent an hour: 0.003333 x 16 x 8,760 = 467.15, and 0.00 where the price is rounded first
    found = option(answered(document(quotes=[quote(price="0.003333")])), "cloud:od")

    assert found["nominal_cost"] == "467.15"


def test_waiting_hardware_is_paid_from_delivery_not_from_power():
    own = late_build(costs=[HARDWARE])
    own["evidence"] = [entry for entry in evidence(16, 20) if entry["gate"] not in ("powered", "scheduled")]
    found = option(answered(document(quotes=[quote()], builds=[own])), "on_prem:own")

    assert found["by_month"][0]["amount"] == "100000.00"


def test_tokens_that_nobody_can_serve_are_not_divided_by():
    """8 accelerators serve 8 x 2,000 x 0.85 = 13,600 of 60,000 tokens/s: 16.00 x 1e6 / (3,600 x 13,600) = 0.326797."""
    needs = need(
        kind="llm_inference", shape="replicas", accelerators=8, demand={"tokens_per_second": 60000, "peak_to_mean": 1},
        inference={"model": "own-model", "slo": "offline", "tokens_per_second_per_accelerator": 2000},
    )  # fmt: skip
    found = option(answered(document(quotes=[quote()], workloads=[needs])), "cloud:od")
    naive = float(found["npv"]) / (60000 * 3600 * HOURS / 1e6)

    assert float(found["cost_per_unit"]) == pytest.approx(0.326797, abs=1e-6) != naive
