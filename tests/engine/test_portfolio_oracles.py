"""The portfolio against published and worked answers: newsvendor, three prices, elastic demand, one reservation."""

import numpy as np
import pytest

from procurement.engine.load_curve import shaped_curve
from procurement.engine.ownership import PriceLine, cheapest_mix, fixed_cost_per_hour
from procurement.engine.pipeline import portfolio
from procurement.engine.scenario import parse_scenario
from tests.engine.cost_documents import build, document, evidence, quote, reserved, workload

HOURS = 730.0


def solved(asked, **options):
    return portfolio(parse_scenario(asked), **{"gap": 0.0, **options})


def owned_by_tranche(sizes, fixed, variable, node=1):
    """Return a build whose cost is a fixed amount for each hour held and a variable one for each hour used."""
    count = sum(sizes)
    parts = [f"T{index}" for index in range(len(sizes))]
    proven = [{**one, "tranche": "*"} for one in evidence(count, count * 10)]
    return build(
        count,
        accelerators_per_node=node, it_kw_per_node=10, rdma_ports_per_node=node,
        tranches=[{"id": part, "planned_accelerators": size} for part, size in zip(parts, sizes, strict=True)],
        evidence=proven,
        costs=[
            {"component": "hardware", "amount": fixed * HOURS, "currency": "USD", "basis": "per_accelerator_month"},
            {"component": "operations", "amount": variable * count, "currency": "USD", "basis": "per_running_hour"},
        ],
    )  # fmt: skip


def single(**changes):
    """Return an on-demand list price of one accelerator."""
    return quote(**{"accelerators_per_node": 1, "accelerators_per_instance": 1, **changes})


def elastic(base, peak, **changes):
    return workload(
        shape="replicas", accelerators=peak, months=1, demand={"base": base, "peak": peak, "curve": "linear"}, **changes
    )


def owned(answer):
    return sum(one["accelerators"] for one in answer["built"])


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        ("2.50", 34),  # F / (r - v) = 1.5702 / 2.38 = 0.660: P(D > 34) = 0.66
        ("4.00", 60),  # 1.5702 / 3.88 = 0.4047: the slice from 59 to 60 works 0.405 of the hours
        ("1.50", 0),  # 1.5702 / 1.38 = 1.14: above 1, nothing
    ],
)
def test_accelerators_are_owned_while_demand_is_above_them_often_enough(price, expected):
    fixed = fixed_cost_per_hour(36_000, 0.09, 5, 4_500)
    asked = document(
        quotes=[single(price=price)], builds=[owned_by_tranche([1] * 100, fixed, 0.12)], workloads=[elastic(0, 100)]
    )

    found = solved(asked)

    assert found["state"] == "optimal"
    assert owned(found) == expected


def test_three_prices_are_bought_along_their_lower_envelope():
    asked = document(
        quotes=[
            single(price="3.00"),
            single(id="rsv", price="1.10", purchase_model="reserved", term_months=1, provider="Other"),
        ],
        builds=[owned_by_tranche([1] * 40, 0.90, 0.30)],
        workloads=[elastic(10, 50)],
    )

    found = solved(asked)

    lines = [PriceLine("own", 0.90, 0.30), PriceLine("rsv", 1.10, 0.0), PriceLine("od", 0.0, 3.00)]
    best = cheapest_mix(shaped_curve(10, 50, "linear"), lines)
    assert float(found["npv"]) == pytest.approx(best.cost_per_hour * HOURS, rel=1e-6)
    assert owned(found) == pytest.approx(best.accelerators["own"])
    assert sum(one["accelerators"] for one in found["committed"]) == pytest.approx(best.accelerators["rsv"])


def test_the_elastic_example_owns_260_of_500_and_saves_24_percent():
    # Armbrust et al. 2010: 100 to 500, mean 300; at 0.6 all owned costs what all rented costs, 300 an hour
    asked = document(
        quotes=[single(price="1.00")],
        builds=[owned_by_tranche([20] * 25, 0.60, 0.0, node=20)],
        workloads=[elastic(100, 500)],
    )

    found = solved(asked)

    assert owned(found) == 260
    assert float(found["npv"]) == pytest.approx(HOURS * (0.60 * 260 + 72))
    assert 1.0 - float(found["npv"]) / (HOURS * 300) == pytest.approx(0.24)


def gangs(count, size=64):
    return [
        workload(id=f"job{number}", shape="one_job", accelerators=size, months=3, need_by="2026-12-01")
        for number in range(count)
    ]


def test_one_of_two_jobs_gets_the_only_reservation():
    offer = reserved(price="1.00", term_months=3, quantity_available=64)
    found = solved(document(quotes=[quote(price="2.00"), offer], workloads=gangs(2)))

    by_place = {one["place"]: one["workload"] for one in found["allocation"]}
    assert set(by_place) == {"od", "rsv"}
    assert len(set(by_place.values())) == 2
    assert float(found["npv"]) == pytest.approx(64 * 3 * HOURS * (1.00 + 2.00))


def test_without_another_place_the_second_job_makes_the_portfolio_infeasible_in_words():
    offer = reserved(price="1.00", term_months=3, quantity_available=64)
    found = solved(document(quotes=[offer], workloads=gangs(2)))

    assert (found["state"], found["npv"], found["allocation"]) == ("infeasible", None, [])
    assert found["conflict"] == [
        "demand of job0: 64 accelerators, together in one place",
        "demand of job1: 64 accelerators, together in one place",
        "supply of rsv: 64 accelerators",
    ]


def test_a_gang_sits_in_one_fabric_domain_or_elsewhere():
    # two domains of 24 hold 48 accelerators, yet of three jobs of 16 only one each, and no job of 32
    parts = [{"id": "A", "planned_accelerators": 24}, {"id": "B", "planned_accelerators": 24}]
    proven = [{**one, "tranche": "*"} for one in evidence(48, 60)]
    place = build(48, tranches=parts, evidence=proven)
    joined = build(48, tranches=[{**part, "fabric_domain": "one"} for part in parts], evidence=proven)

    small = solved(document(quotes=[quote(price="9.00")], builds=[place], workloads=gangs(3, 16)))
    large = solved(document(quotes=[quote(price="9.00")], builds=[place], workloads=gangs(1, 32)))
    together = solved(document(quotes=[quote(price="9.00")], builds=[joined], workloads=gangs(3, 16)))

    assert sorted(one["place"] for one in small["allocation"] if one["month"] == 0) == ["od", "own", "own"]
    assert {one["place"] for one in large["allocation"]} == {"od"}
    assert {one["place"] for one in together["allocation"]} == {"own"}


@pytest.mark.parametrize("seed", range(4))
def test_every_assignment_of_gangs_tried_by_hand_is_no_cheaper(seed):
    random = np.random.default_rng(seed)
    prices = random.uniform(1.0, 3.0, 2).round(2)
    sizes = random.choice([8, 16, 24], 3)
    quotes = [
        quote(id="a", price=str(prices[0]), quantity_available=24, largest_domain_accelerators=24),
        quote(id="b", price=str(prices[1]), provider="B"),
    ]
    jobs = [
        workload(id=f"g{index}", shape="one_job", accelerators=int(size), months=2, need_by="2026-12-01")
        for index, size in enumerate(sizes)
    ]

    found = solved(document(quotes=quotes, workloads=jobs))

    costs = []
    for choice in np.ndindex(2, 2, 2):
        if sum(size for size, place in zip(sizes, choice, strict=True) if place == 0) <= 24:
            costs.append(sum(size * prices[place] for size, place in zip(sizes, choice, strict=True)) * 2 * HOURS)
    assert float(found["npv"]) == pytest.approx(min(costs))
