"""Hybrid splits: the optimum over every number of whole nodes, checked by brute force and by published oracles."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine.dates import BuildDates
from procurement.engine.options_base import HybridPlan
from procurement.engine.options_cloud import cloud_plan, cloud_priced, worth
from procurement.engine.options_hybrid import best_split, hybrid_priced, owned_plan, owned_sizes, rented_plan
from procurement.engine.options_on_prem import build_priced, need_plan
from procurement.engine.setting import setting_of
from procurement.engine.tables import Assumptions, Build, CostLine, Demand, Quote, Scenario, Tranche, Workload
from tests.engine.cost_documents import advice, answered, build, document, option, quote, workload

TODAY = date(2026, 11, 30)


def owner(accelerators=500, node=1, committed=True, lines=(), **changes):
    return Build(
        id="b", accelerator="H100", accelerators_per_node=node, committed=committed, costs=lines,
        **{"tranches": (Tranche(planned_accelerators=accelerators),), **changes},
    )  # fmt: skip


def per_month(amount):
    return CostLine(component="hardware", amount=amount, currency="USD", basis="per_accelerator_month")


def renter(**changes):
    stated = {"id": "q", "provider": "A", "accelerator": "H100", "accelerators_per_node": 8, "price": 1.0,
              "accelerators_per_instance": 1.0, "currency": "USD"}  # fmt: skip
    return Quote(**{**stated, **changes})


def need(accelerators, demand, months=12.0):
    return Workload(
        id="w", accelerators=accelerators, shape="replicas", start=date(2027, 1, 1), months=months, demand=demand
    )


def case(own, rent, **assumptions):
    given = setting_of(
        Scenario(as_of=TODAY, assumptions=Assumptions(**{"discount_rate": 0.0, **assumptions}), quotes=(rent,),
                 builds=(own,))
    )  # fmt: skip
    return replace(given, dates={own.id: BuildDates(TODAY, -1000.0, lambda asked, accelerators: -1000.0)})


def brute_force(own, rent, asked, given):
    """Return the cost of every split from its full ledger."""
    plan, rented = need_plan(own, asked), cloud_plan(rent, asked, given)
    found = {}
    for size in owned_sizes(plan, own.accelerators_per_node, largest=plan.planned):
        held = owned_plan(plan, own, size)
        split = HybridPlan(held, rented_plan(held, plan, rented, asked, given), size)
        found[size] = worth(hybrid_priced(split, asked, given).ledger)
    return found


def optimum(own, rent, asked, given):
    plan = need_plan(own, asked)
    sizes = owned_sizes(plan, own.accelerators_per_node, largest=plan.planned)
    return best_split(plan, rent, asked, given, sizes).plan


def test_the_elastic_demand_of_armbrust_is_owned_up_to_260():
    # demand 100 to 500, mean 300; owning costs 0.6 of renting: own while P(D > k) > 0.6, k* = 500 - 0.6 x 400
    own, rent = owner(lines=(per_month(0.6 * 730),)), renter()
    asked = need(500, Demand(base=100.0, peak=500.0, curve="linear"))
    given = case(own, rent)
    best = optimum(own, rent, asked, given)

    hybrid = worth(hybrid_priced(best, asked, given).ledger)
    all_cloud = worth(cloud_priced(cloud_plan(rent, asked, given), asked, given).ledger)
    all_owned = worth(build_priced(replace(need_plan(own, asked), is_marginal=False), asked, given).ledger)
    assert best.owned == 260
    assert all_cloud == pytest.approx(all_owned)
    assert 1 - hybrid / all_cloud == pytest.approx(0.24)


@pytest.mark.parametrize(("price", "share"), [(2.50, 0.660), (4.00, 0.405), (1.50, 1.14)])
def test_the_critical_share_of_the_portfolio_oracle(price, share):
    # 36,000 at 9 % over 5 years and 4,500 a year of operations, 0.12 an hour variable
    fixed = (36000 * 0.09 * 1.09**5 / (1.09**5 - 1) + 4500) / 8760
    own = owner(lines=(per_month(fixed * 730), CostLine(
        component="operations", amount=0.12 * 500, currency="USD", basis="per_running_hour")))  # fmt: skip
    rent = renter(price=price)
    asked = need(500, Demand(base=0.0, peak=500.0, curve="linear"))
    given = case(own, rent)
    best = optimum(own, rent, asked, given)

    assert fixed / (price - 0.12) == pytest.approx(share, abs=0.005)
    assert best.owned == max(1, round(500 * (1 - fixed / (price - 0.12))))


@settings(max_examples=15, deadline=None)
@given(
    base=st.floats(0.0, 20.0), peak=st.floats(21.0, 64.0), curve=st.sampled_from(["linear", "chat", "code"]),
    price=st.floats(0.5, 4.0), capital=st.floats(1e4, 2e6), is_committed=st.booleans(),
    model=st.sampled_from(["on_demand", "reserved"]),
)  # fmt: skip
def test_the_split_equals_a_brute_force_over_full_ledgers(base, peak, curve, price, capital, is_committed, model):
    lines = (
        CostLine(component="hardware", amount=capital, currency="USD", life_months=36, residual_fraction=0.1),
        CostLine(component="power", currency="USD", it_kw=80.0, pue=1.3, price_per_kwh=0.1, idle_fraction=0.3),
        CostLine(component="operations", amount=20.0, currency="USD", basis="per_running_hour"),
    )
    parts = tuple(Tranche(id=f"T{index}", planned_accelerators=16) for index in range(4))
    own = owner(node=8, committed=is_committed, lines=lines, tranches=parts, availability=0.9)
    rent = renter(
        price=price, accelerators_per_instance=8.0, purchase_model=model, term_months=12, support_fraction=0.1
    )
    asked = need(64, Demand(base=base, peak=peak, curve=curve), months=18.0)
    given = case(own, rent, discount_rate=0.08)
    known = brute_force(own, rent, asked, given)
    best = optimum(own, rent, asked, given)

    assert worth(hybrid_priced(best, asked, given).ledger) == pytest.approx(min(known.values()), rel=1e-9)


def varied(**changes):
    return workload(accelerators=16, demand={"base": 2, "peak": 16, "curve": "linear"}, **changes)


def test_a_hybrid_names_its_split_and_its_owned_base():
    lines = [{"component": "hardware", "amount": "438", "currency": "USD", "basis": "per_accelerator_month"}]
    owned_nodes = build(16, accelerators_per_node=2, committed=True, costs=lines)
    answer = answered(
        document(quotes=[quote(price="1.00", accelerators_per_instance=2)], builds=[owned_nodes], workloads=[varied()])
    )
    found = advice(answer)

    assert found["verdict"] == "hybrid"
    assert sum(found["split"].values()) == pytest.approx(1.0)
    assert any(reason["code"] == "owned_base" for reason in found["reasons"])


def test_a_second_place_must_be_worth_its_overhead():
    lines = [{"component": "hardware", "amount": "438", "currency": "USD", "basis": "per_accelerator_month"}]
    owned_nodes = build(16, accelerators_per_node=2, committed=True, costs=lines)
    answer = answered(
        document(
            quotes=[quote(price="1.00", accelerators_per_instance=2)], builds=[owned_nodes],
            workloads=[varied(second_place_overhead_per_month=5000)],
        )
    )  # fmt: skip
    hybrid = option(answer, "hybrid:own+od")

    assert hybrid["components"]["second_place_overhead"] == "60000.00"
    assert advice(answer)["verdict"] != "hybrid"
    assert "second_place_not_worth" in [reason["code"] for reason in advice(answer)["reasons"]]


def test_one_job_is_never_split():
    answer = answered(document(quotes=[quote()], builds=[build()], workloads=[varied(shape="one_job")]))

    assert [entry["option"] for entry in answer["options"]["w"] if entry["option"].startswith("hybrid")] == []


def test_of_offers_that_cost_the_same_the_name_decides_not_the_order_of_the_document():
    owned = [{"component": "hardware", "amount": "438", "currency": "USD", "basis": "per_accelerator_month"}]
    own = build(16, accelerators_per_node=2, committed=True, costs=owned)
    need = workload(demand={"base": 2, "peak": 16, "curve": "linear"})
    offers = [quote(id=name, price="1.00", accelerators_per_instance=2) for name in "dcba"]

    def hybrids(quotes):
        answer = answered(document(quotes=quotes, builds=[own], workloads=[need]))
        return [found["option"] for found in answer["options"]["w"] if found["option"].startswith("hybrid")]

    assert hybrids(offers) == hybrids(offers[::-1]) == ["hybrid:own+a", "hybrid:own+b", "hybrid:own+c"]
