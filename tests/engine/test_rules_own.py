"""Costs of own builds worked by hand, 16 H100 for 12 months unless a case says otherwise (semantics 13 to 18)."""

import pytest

from tests.engine.cost_documents import build, evidence, workload
from tests.engine.rules_costs import OWN, at, case, cents, hardware, hold, line, owned, window

T2 = [{"id": "T1", "planned_accelerators": 8}, {"id": "T2", "planned_accelerators": 8}]
EACH = [dict(one, tranche=t, qty=one["qty"] / 2) for t in ("T1", "T2") for one in evidence(16, 20)]
OPS = line("operations", "1.00", "per_running_hour")
POWER = {"component": "power", "it_kw": 20, "pue": 1.5, "price_per_kwh": 0.1, "currency": "USD"}
YEAR = 1.08  # a year at 8 %

BUILDS = [
    case(
        "hardware less credit, and running hours",
        at(build()),
        OWN,
        nominal_cost="48760.00",
        feasible=True,
        rate_basis="loaded",
        charge_basis="whole",
    ),
    case("a life of 6 months is bought twice", at(owned(hardware(life_months=6))), OWN, nominal_cost="400000.00"),
    case(
        "each life gives its residual back",
        at(owned(hardware(life_months=6, residual_fraction=0.1))),
        OWN,
        nominal_cost="360000.00",
    ),
    case("the second life is half used", at(owned(hardware(life_months=8))), OWN, nominal_cost="300000.00"),
    case(
        "straight line to the residual",
        at(owned(hardware(life_months=60, residual_fraction=0.1))),
        OWN,
        nominal_cost=cents(200000 - 200000 * (0.9 * 0.8 + 0.1)),
    ),
    case("no life, no credit", at(owned(hardware())), OWN, nominal_cost="200000.00"),
    case("a life as long as the window", at(owned(hardware(life_months=12))), OWN, nominal_cost="200000.00"),
    case(
        "bought in month 6: age 6 at the end",
        at(owned(hardware(life_months=60, at_month=6))),
        OWN,
        nominal_cost="20000.00",
    ),
    case(
        "only the tranche that holds the need",
        at(owned(hardware(life_months=60), OPS, tranches=T2, evidence=EACH), workload(accelerators=8)),
        OWN,
        nominal_cost="24380.00",
        components={"idle_capacity": None},
    ),
    case(
        "power at work and idle",
        at(owned(dict(POWER, idle_fraction=0.25)), workload(demand={"utilisation": 0.5})),
        OWN,
        nominal_cost="16425.00",
    ),
    case(
        "power off at idle",
        at(owned(POWER), workload(demand={"utilisation": 0.5})),
        OWN,
        nominal_cost=cents(30 * 365 * 12 * 0.1),
    ),
    case(
        "energy dearer in year two",
        at(owned(POWER), workload(months=24), price_change_per_year={"power": 0.1}),
        OWN,
        nominal_cost=cents(3 * 8760 * 2.1),
    ),
    case(
        "half of the power",
        at(owned(POWER, committed=True), workload(accelerators=8)),
        OWN,
        nominal_cost=cents(1.5 * 8760),
    ),
    case(
        "a committed kW bills whole",
        at(owned(line("colocation", 100, "per_kw_month", kw=30))),
        OWN,
        nominal_cost="36000.00",
    ),
    case(
        "half of the committed kW",
        at(owned(line("colocation", 100, "per_kw_month", kw=30), committed=True), workload(accelerators=8)),
        OWN,
        nominal_cost="18000.00",
    ),
    case("two people", at(owned(dict(line("staff", 60000, "per_year"), fte=2))), OWN, nominal_cost="120000.00"),
    case(
        "staff dearer in year two",
        at(
            owned(dict(line("staff", 60000, "per_year"), fte=2)),
            workload(months=18),
            price_change_per_year={"staff": 0.1},
        ),
        OWN,
        nominal_cost=cents(120000 + 60000 * 1.1),
    ),
    case(
        "a tenth of the hardware a year",
        at(owned(hardware(), line("maintenance", 0.1, "fraction_of_hardware_per_year"))),
        OWN,
        nominal_cost="220000.00",
    ),
    case(
        "per accelerator and month",
        at(owned(line("licences", 10, "per_accelerator_month"))),
        OWN,
        nominal_cost="1920.00",
    ),
    case(
        "per accelerator bought",
        at(owned(line("licences", 10, "per_accelerator_month")), workload(accelerators=8)),
        OWN,
        nominal_cost="1920.00",
    ),
    case("per month", at(owned(line("space", 500, "per_month"))), OWN, nominal_cost="6000.00"),
    case(
        "six months from month 3",
        at(owned(line("space", 500, "per_month", at_month=3, months=6))),
        OWN,
        nominal_cost="3000.00",
    ),
    case(
        "a month and a half",
        at(owned(line("space", 500, "per_month")), window(days=45.625)),
        OWN,
        nominal_cost="750.00",
    ),
    case(
        "credit after a month and a half",
        at(owned(hardware(life_months=60)), window(days=45.625)),
        OWN,
        nominal_cost=cents(200000 * 1.5 / 60),
    ),
    case(
        "credit at the end, running hours mid month",
        at(build(), discount_rate=0.08),
        OWN,
        npv=200000 - 160000 / YEAR + sum(730 * YEAR ** (-(k + 0.5) / 12) for k in range(12)),
    ),
    case(
        "colocation at begin",
        at(owned(line("colocation", 500, "per_month")), discount_rate=0.08),
        OWN,
        npv=sum(500 * YEAR ** (-k / 12) for k in range(12)),
    ),
    case(
        "staff mid month",
        at(owned(line("staff", 6000, "per_year")), discount_rate=0.08),
        OWN,
        npv=sum(500 * YEAR ** (-(k + 0.5) / 12) for k in range(12)),
    ),
    case(
        "a one-off row where it falls due",
        at(owned(hardware(at_month=6)), discount_rate=0.08),
        OWN,
        npv=200000 * YEAR**-0.5,
    ),
    case(
        "the switch moves recurring rows alone",
        at(build(), discount_rate=0.08, discount_timing="end"),
        OWN,
        npv=200000 - 160000 / YEAR + sum(730 * YEAR ** (-(k + 1) / 12) for k in range(12)),
    ),
    case(
        "waived components are complete",
        at(
            build(
                waived=[
                    {"component": c, "reason": "x"}
                    for c in ("network", "storage", "installation", "power", "space", "maintenance", "staff")
                ]
            )
        ),
        OWN,
        incomplete_cost=[],
    ),
    case(
        "covered components are complete",
        at(
            owned(
                hardware(covers=["network", "storage", "installation", "power", "colocation", "maintenance", "staff"])
            )
        ),
        OWN,
        incomplete_cost=[],
    ),
    case("a build in the country asked for", at(build(region="DE"), workload(residency=["DE"])), OWN, feasible=True),
]


@pytest.mark.parametrize(("document", "place", "want"), BUILDS)
def test_a_build_costs_what_was_worked_by_hand(document, place, want):
    hold(document, place, want)
