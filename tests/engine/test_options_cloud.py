"""Cloud options: billing of whole workloads, tails on demand, and ranking in factored form."""

import random
from datetime import date

import numpy as np
import pytest

from procurement.engine.cloud_ranking import cloud_costs
from procurement.engine.equal_work import asked_hours
from procurement.engine.options_cloud import cloud_incomplete, cloud_not_modelled, cloud_plan, cloud_priced, with_tail
from procurement.engine.setting import setting_of
from procurement.engine.tables import (
    Assumptions,
    CostLine,
    Demand,
    FxRate,
    PriceChange,
    Quote,
    Scenario,
    Training,
    Waiver,
    Workload,
)

START = date(2027, 1, 1)
PAIRS = 1000  # over the three ways to value them


def quote(**changes):
    stated = {"id": "q", "provider": "A", "accelerator": "H100", "accelerators_per_node": 8, "price": 2.0,
              "currency": "USD"}  # fmt: skip
    return Quote(**{**stated, **changes})


def workload(**changes):
    return Workload(**{"id": "w", "accelerators": 8, "start": START, "months": 12.0, **changes})


def setting(*quotes, **assumptions):
    return setting_of(
        Scenario(as_of=date(2026, 11, 30), assumptions=Assumptions(**{"discount_rate": 0.0, **assumptions}),
                 quotes=tuple(quotes))
    )  # fmt: skip


def cost(offer, need, given):
    plan = with_tail(cloud_plan(offer, need, given), need, given, tuple(given.quotes.values()))
    return plan, float(cloud_priced(plan, need, given).ledger.total_nominal())


def test_a_thousand_accelerators_for_a_day():
    need = workload(accelerators=1000, months=None, days=1)
    offer = quote(price=8.0, accelerators_per_instance=8.0)

    assert cost(offer, need, setting(offer))[1] == pytest.approx(192000.0)  # 1,000 x 24 x 8.00


def test_a_short_tail_is_bought_on_demand_where_that_is_cheaper():
    # 13 months: a second year at 1.00 is 8 x 730 x 12; one month on demand at 2.00 is 8 x 730 x 2
    reserved = quote(id="r", price=1.0, purchase_model="reserved", term_months=12)
    plan, total = cost(reserved, workload(months=13.0), setting(reserved, quote()))

    assert (plan.terms, plan.tail) == (1, "q")
    assert total == pytest.approx(8 * 730 * (12 * 1.0 + 1 * 2.0))


def test_a_long_tail_is_another_term():
    reserved = quote(id="r", price=1.0, purchase_model="reserved", term_months=12)
    plan, _ = cost(reserved, workload(months=20.0), setting(reserved, quote()))  # 8 x 2.00 is more than 12 x 1.00

    assert (plan.terms, plan.tail) == (2, None)


@pytest.mark.parametrize(
    ("_case", "changes"),
    [
        ("another provider", {"provider": "B"}),
        ("another accelerator", {"accelerator": "H200"}),
        ("not on demand", {"purchase_model": "spot"}),
        ("no rate for its currency", {"currency": "GBP"}),
    ],
)
def test_a_tail_needs_an_on_demand_price_of_the_same_provider(_case, changes):
    reserved = quote(id="r", price=1.0, purchase_model="reserved", term_months=12)
    plan, _ = cost(reserved, workload(months=13.0), setting(reserved, quote(**changes)))

    assert plan.tail is None


def test_a_bridge_of_nine_months_against_a_year_that_is_billed_to_its_end():
    # on demand costs 12 x reserved / on-demand months: below 1.00 / 1.45 x 12 = 8.28 months it is cheaper
    reserved = quote(id="r", price=1.0, purchase_model="reserved", term_months=12)
    on_demand = quote(price=1.45)
    given = setting(reserved, on_demand)

    def cheaper(months):
        need = workload(months=months)
        return min((reserved, on_demand), key=lambda offer: cost(offer, need, given)[1]).id

    assert (cheaper(8.2), cheaper(8.3), cheaper(9.0)) == ("q", "r", "r")


def test_another_type_needs_other_numbers_in_whole_nodes():
    need = workload(accelerators=64, accelerator_types=("H100", "H200"), kind="llm_inference")
    offer = quote(accelerator="B200")
    plan = cloud_plan(offer, need, setting(offer))

    assert plan.accelerators < 64
    assert plan.accelerators % 8 == 0


def test_no_published_rate_is_no_plan():
    need = workload(accelerator_types=("H100",))
    offer = quote(accelerator="Unheard Of 9000")

    assert cloud_plan(offer, need, setting(offer)) is None


@pytest.mark.parametrize(
    ("_case", "changes", "incomplete"),
    [
        ("compute alone", {}, ("storage", "egress", "support")),
        ("included", {"includes": ("storage", "egress")}, ("support",)),
        ("priced", {"storage_per_gb_month": 0.02, "egress_per_gb": 0.0, "support_fraction": 0.0}, ()),
        ("waived", {"waived": (Waiver(component="support", reason="not wanted"),)}, ("storage", "egress")),
        ("no price", {"price": None, "includes": ("storage", "egress", "support")}, ("compute",)),
    ],
)
def test_expected_components_are_priced_covered_or_waived(_case, changes, incomplete):
    assert cloud_incomplete(quote(**changes)) == incomplete


def test_exclusions_and_unpriced_needs_are_listed():
    offer = quote(excludes=("facility", "network"), price_includes_tax=True)
    need = workload(storage_gb=10.0, egress_gb_per_month=5.0)

    assert cloud_not_modelled(offer, need) == ("facility", "network", "storage", "egress", "tax_in_price")


# --- the factored form ------------------------------------------------------------------------------------------------
def random_quote(pick, index):
    model = pick.choice(["on_demand", "reserved", "capacity_block", "spot", "contract", "cud"])
    is_committed = model in ("reserved", "capacity_block", "contract", "cud")
    bases = ["per_accelerator_hour", "per_instance_hour", *(["per_month", "term_total"] if is_committed else [])]
    lines = (
        CostLine(component="operations", amount=3.0, currency="USD", basis="per_running_hour"),
        CostLine(
            component="colocation", amount=7.0, currency="EUR", basis="per_accelerator_month", at_month=2, months=5
        ),
    )
    return quote(
        id=f"q{index}", provider=pick.choice("AB"), accelerator=pick.choice(["H100", "H200"]),
        accelerators_per_instance=pick.choice([None, 1.0, 8.0, 0.5]), price=pick.uniform(1, 60),
        currency=pick.choice(["USD", "EUR"]), price_basis=pick.choice(bases), purchase_model=model,
        term_months=pick.choice([1, 6, 12, 36]) if is_committed and model != "capacity_block" else None,
        min_days=28 if model == "capacity_block" else pick.choice([None, 14, 100]), upfront=pick.choice([0.0, 500.0]),
        payment_option=pick.choice(["none", "all", "partial"]), setup_fee=pick.choice([0.0, 100.0]),
        exit_fee=pick.choice([0.0, 50.0]), storage_per_gb_month=pick.choice([None, 0.02]),
        egress_per_gb=pick.choice([None, 0.05]), support_fraction=pick.choice([None, 0.1]),
        min_accelerators=pick.choice([None, 16]), costs=lines if pick.random() < 0.2 else (),
        fabric="infiniband", network_gbps_per_accelerator=400.0,
    )  # fmt: skip


def random_workload(pick, index):
    demand = pick.choice(
        [Demand(utilisation=pick.random()), Demand(hours_per_month=300.0), Demand(monthly=(100.0, 200.0, 30.0)),
         Demand(base=2.0, peak=13.0, curve="linear"), Demand(hourly=(1.0, 5.0, 13.0, 2.0, 2.0)), None]
    )  # fmt: skip
    return workload(
        id=f"w{index}", accelerators=pick.choice([3, 8, 13, 64]), months=pick.choice([None, 1.0, 7.5, 12.0, 30.0]),
        accelerator_types=pick.choice([(), ("H100",), ("H200",)]), growth_per_year=pick.choice([0.0, 0.2]),
        demand=demand, storage_gb=pick.choice([None, 100.0]), egress_gb_per_month=pick.choice([None, 10.0]),
        training=pick.choice([None, None, Training(params_b=7.0, tokens_per_step=4e6)]),
    )  # fmt: skip


@pytest.mark.parametrize(("rate", "switch"), [(None, "as_ledger"), (0.08, "as_ledger"), (0.1, "end")])
def test_the_factored_form_and_the_full_ledger_are_the_same_to_the_cent(rate, switch):
    pick = random.Random(8)  # noqa: S311 - chosen for the test, nothing is secret
    quotes = [random_quote(pick, index) for index in range(80)]
    workloads = [random_workload(pick, index) for index in range(40)]
    given = setting(
        *quotes, discount_rate=rate, discount_timing=switch,
        price_change_per_year=PriceChange(cloud=-0.2, colocation=0.05),
        fx=(FxRate(base="EUR", counter="USD", rate=1.1, on=date(2026, 1, 1)),),
    )  # fmt: skip
    costs = cloud_costs(workloads, quotes, given).costs
    partners = tuple(entry for entry in quotes if entry.purchase_model == "on_demand")
    pairs = [(pick.randrange(len(workloads)), pick.randrange(len(quotes))) for _ in range(PAIRS // 3 + 1)]
    asked = [asked_hours(need, given.assumptions) for need in workloads]

    for row, column in pairs:
        need, offer = workloads[row], quotes[column]
        plan = cloud_plan(offer, need, given, asked[row])
        if plan is None or not plan.share > 0.0:
            assert np.isnan(costs[row, column])
            continue
        plan = with_tail(plan, need, given, partners, asked[row])
        ledger = cloud_priced(plan, need, given, asked[row]).ledger
        full = float(ledger.total_nominal() if rate is None else ledger.total_present())
        assert costs[row, column] == pytest.approx(full, rel=1e-12, abs=1e-7), (need, offer)


def test_ten_times_the_quotes_are_the_same_factors():
    offers = [quote(id=f"q{index}", price=1.0 + index / 100) for index in range(50)]
    found = cloud_costs([workload()], offers, setting(*offers)).costs[0]

    assert found.tolist() == pytest.approx([8 * 730 * 12 * offer.price for offer in offers])
