"""What a scenario document may not say: bounds, references, days and forms that do not fit."""

import pytest

from procurement.engine.errors import ScenarioError
from procurement.engine.scenario import parse_scenario

MINIMAL = {"schema": "scenario/1", "as_of": "2026-11-30"}
LONGEST_TEXT = 2000
PROMISE = {"gate": "powered", "date": "2027-01-01", "stated_on": "2026-01-01"}


def minimal(**parts):
    return MINIMAL | parts


def build(**more):
    base = {"id": "b", "accelerator": "H100", "accelerators_per_node": 8, "tranches": [{"planned_accelerators": 64}]}
    return base | more


def workload(**more):
    return {"id": "w", "accelerators": 8, "start": "2026-12-01"} | more


def quote(**more):
    return {"id": "q"} | more


def faults(document):
    with pytest.raises(ScenarioError) as refused:
        parse_scenario(document)
    return {fault.pointer: fault for fault in refused.value.faults}


@pytest.mark.parametrize(
    ("assumptions", "pointer"),
    [
        ({"risk_quantile": 1}, "/assumptions/risk_quantile"),
        ({"risk_quantile": 0}, "/assumptions/risk_quantile"),
        ({"correlation": 1.1}, "/assumptions/correlation"),
        ({"discount_rate": -1}, "/assumptions/discount_rate"),
        ({"draws": 0}, "/assumptions/draws"),
        ({"draws": 10**9}, "/assumptions/draws"),
        ({"horizon_months": 10**9}, "/assumptions/horizon_months"),
        ({"currency": "usd"}, "/assumptions/currency"),
        ({"currency": "XYZ"}, "/assumptions/currency"),
        ({"time_zone": "Mars/Olympus"}, "/assumptions/time_zone"),
        ({"time_zone": "../etc"}, "/assumptions/time_zone"),
        ({"evidence_days": {"power": 3}}, "/assumptions/evidence_days/power"),
        ({"slip_classes": {"x": {"p10": 2, "p90": 1}}}, "/assumptions/slip_classes/x"),
        ({"slip_classes": {"x": {"p10": 0, "p90": 1}}}, "/assumptions/slip_classes/x/p10"),
        ({"tax": {"rate": 1.5}}, "/assumptions/tax/rate"),
    ],
)
def test_assumptions_out_of_bounds_are_refused(assumptions, pointer):
    assert pointer in faults(minimal(assumptions=assumptions))


def rate(**more):
    return {"base": "EUR", "counter": "USD", "rate": 1.08, "on": "2026-11-27"} | more


@pytest.mark.parametrize(
    ("rates", "pointer"),
    [
        ([rate(rate=1)], "/assumptions/fx/0/rate"),
        ([rate(rate=0)], "/assumptions/fx/0/rate"),
        ([rate(base="USD")], "/assumptions/fx/0/counter"),
        ([rate(base="EURO")], "/assumptions/fx/0/base"),
        ([rate(), rate(rate=1.09)], "/assumptions/fx/1"),
    ],
)
def test_exchange_rates_that_cannot_be_are_refused(rates, pointer):
    assert pointer in faults(minimal(assumptions={"fx": rates}))


@pytest.mark.parametrize(
    ("parts", "pointer"),
    [
        ({"quotes": [quote(), quote()]}, "/quotes/1/id"),
        ({"quotes": [quote(id="b")], "builds": [build()]}, "/builds/0/id"),
        ({"workloads": [workload(), workload()]}, "/workloads/1/id"),
        (
            {"builds": [build(tranches=[{"planned_accelerators": 8}, {"planned_accelerators": 8}])]},
            "/builds/0/tranches/1/id",
        ),
        ({"builds": [build(tranches=[{"id": "*", "planned_accelerators": 8}])]}, "/builds/0/tranches/0/id"),
        ({"quotes": [quote(id=" q")]}, "/quotes/0/id"),
        ({"quotes": [quote(id="q\nq")]}, "/quotes/0/id"),
        ({"quotes": [quote(id="q\x00")]}, "/quotes/0/id"),
        ({"quotes": [quote(id="\ud800")]}, "/quotes/0/id"),
        ({"quotes": [quote(id="q" * (LONGEST_TEXT + 1))]}, "/quotes/0/id"),
    ],
)
def test_names_are_unique_and_readable(parts, pointer):
    assert pointer in faults(minimal(**parts))


def evidence(**more):
    return build(evidence=[{"gate": "powered", "qty": 1, "grade": "A", "observed_on": "2026-11-01"} | more])


@pytest.mark.parametrize(
    ("parts", "pointer"),
    [
        ({"quotes": [quote(cluster="x", provider="P")]}, "/quotes/0/cluster"),
        ({"quotes": [quote(cluster="b", provider="P")], "builds": [build()]}, "/quotes/0/cluster"),
        ({"quotes": [quote(cluster="b", provider="P")], "builds": [build(operator="R")]}, "/quotes/0/cluster"),
        ({"builds": [evidence(tranche="T9")]}, "/builds/0/evidence/0/tranche"),
        ({"builds": [evidence(tranche="site:south") | {"site": "north"}]}, "/builds/0/evidence/0/tranche"),
        ({"builds": [evidence(unit="ports")]}, "/builds/0/evidence/0/unit"),
        ({"builds": [evidence(gate="installed", unit="kw")]}, "/builds/0/evidence/0/unit"),
        ({"builds": [evidence(qty=None)]}, "/builds/0/evidence/0/qty"),
        ({"builds": [evidence(nodes=[5, 4])]}, "/builds/0/evidence/0/nodes"),
        ({"builds": [evidence(nodes=[1])]}, "/builds/0/evidence/0/nodes"),
        ({"builds": [evidence(grade="F")]}, "/builds/0/evidence/0/grade"),
        ({"builds": [evidence(pue=0.9)]}, "/builds/0/evidence/0/pue"),
        ({"builds": [build(cooling_kw_per_node={"water": 3})]}, "/builds/0/cooling_kw_per_node/water"),
        ({"builds": [build(promises=[{"gate": "powered", "date": "2027-01-01", "stated_on": "2027-01-01"}])]},
         "/builds/0/promises/0/date"),
        ({"builds": [build(promises=[PROMISE | {"class": "x"}])]},
         "/builds/0/promises/0/class"),
        ({"quotes": [quote(quoted_on="2026-11-20", valid_until="2026-11-19")]}, "/quotes/0/valid_until"),
        ({"quotes": [quote(earliest_start="2027-01-02", available_to="2027-01-01")]}, "/quotes/0/available_to"),
        ({"quotes": [quote(min_days=30, max_days=7)]}, "/quotes/0/max_days"),
        ({"workloads": [workload(end="2026-12-01")]}, "/workloads/0/end"),
        ({"workloads": [workload(days=0)]}, "/workloads/0/days"),
        ({"workloads": [workload(residency=["Germany"])]}, "/workloads/0/residency/0"),
        ({"workloads": [workload(fabrics=["infinband"])]}, "/workloads/0/fabrics/0"),
    ],
)  # fmt: skip
def test_records_that_do_not_fit_are_refused(parts, pointer):
    assert pointer in faults(minimal(**parts))


def line(**more):
    return build(costs=[{"component": "hardware", "amount": 1, "currency": "USD"} | more])


@pytest.mark.parametrize(
    ("record", "pointer"),
    [
        (line(amount=-1), "/builds/0/costs/0/amount"),
        (line(amount=None), "/builds/0/costs/0/amount"),
        (line(currency="EURO"), "/builds/0/costs/0/currency"),
        (line(component="hardwear"), "/builds/0/costs/0/component"),
        (line(covers=["everything"]), "/builds/0/costs/0/covers/0"),
        (line(basis="per_kw_month"), "/builds/0/costs/0/kw"),
        (line(component="power", amount=None, it_kw=3), "/builds/0/costs/0/price_per_kwh"),
        (line(residual_fraction=1.2), "/builds/0/costs/0/residual_fraction"),
        (build(waived=[{"component": "luck", "reason": "r"}]), "/builds/0/waived/0/component"),
        (build(waived=[{"component": "staff"}]), "/builds/0/waived/0/reason"),
    ],
)
def test_cost_lines_that_say_too_little_or_too_much_are_refused(record, pointer):
    assert pointer in faults(minimal(builds=[record]))


def test_a_credit_is_a_cost_line_of_a_component_that_has_credits():
    assert parse_scenario(minimal(builds=[line(component="disposal", amount=-5)])).builds[0].costs[0].amount == -5


@pytest.mark.parametrize(
    ("demand", "pointer"),
    [
        ({}, "/workloads/0/demand"),
        ({"utilisation": 0.5, "hours_per_month": 100}, "/workloads/0/demand"),
        ({"base": 1, "peak": 4}, "/workloads/0/demand/curve"),
        ({"base": 5, "peak": 4, "curve": "linear"}, "/workloads/0/demand/peak"),
        ({"utilisation": 1.2}, "/workloads/0/demand/utilisation"),
        ({"monthly": []}, "/workloads/0/demand/monthly"),
        ({"monthly": [1, "x"]}, "/workloads/0/demand/monthly/1"),
        ({"hourly": "file.csv"}, "/workloads/0/demand/hourly"),
        ({"hourly_file": "file.csv"}, "/workloads/0/demand/hourly_file"),
        ({"peak_to_mean": 2}, "/workloads/0/demand/tokens_per_second"),
    ],
)
def test_demand_has_exactly_one_form(demand, pointer):
    assert pointer in faults(minimal(workloads=[workload(demand=demand)]))
