"""The worked cases of ../shared/cases/readiness.json, as scenario documents through the front door of the engine."""

import json
from pathlib import Path
from typing import Any

import pytest

from procurement.engine.bridge import scenario_bridges
from procurement.engine.codes import GATES
from tests.engine.readiness_documents import judged

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "readiness.json"
SETS = ("flags", "reasons", "notes")  # compared as sets
PLANNED = 512

pytestmark = pytest.mark.shared


def cases(kind: str) -> list[Any]:
    if not CASES.is_file():
        return []
    examples = json.loads(CASES.read_text(encoding="utf-8"))["examples"]
    return [pytest.param(case, id=case["id"]) for case in examples if case["kind"] == kind]


def document(as_of: str, **more: Any) -> dict:
    return {"schema": "scenario/1", "as_of": as_of, **more}


def differences(expected: dict, found: dict) -> dict:
    """Return the keys that differ, with what was expected and what was found."""
    return {
        key: (value, found[key])
        for key, value in expected.items()
        if (sorted(found[key]) if key in SETS else found[key]) != (sorted(value) if key in SETS else value)
    }


def build_of(given: dict) -> dict:
    """Return a build of one tranche whose gates are verified, but for those that the case forecasts."""
    opened = {gate["gate"] for gate in given["gates"]}
    verified = [
        {"gate": gate, "qty": PLANNED, "grade": "A", "observed_on": given["as_of"]}
        for gate in GATES
        if gate not in opened
    ]
    promises = [
        {"gate": gate["gate"], "class": gate["class"], **promise}
        for gate in given["gates"]
        for promise in gate["promises"]
    ]
    tail = {"bringup_days": given["tail"]["plan_days"]} if "tail" in given else {}
    return {
        "id": "b", "accelerator": "H100", "accelerators_per_node": 8,
        "tranches": [{"id": "T1", "planned_accelerators": PLANNED}],
        "evidence": verified, "promises": promises, **tail,
    }  # fmt: skip


@pytest.mark.parametrize("case", cases("cluster"))
def test_cluster_case(case):
    given = case["input"]
    build = {"id": "b", **given["cluster"], **{key: given[key] for key in ("tranches", "evidence", "promises")}}

    found = judged(document(given["as_of"], builds=[build])).readiness["b"].answer()

    assert differences(case["expected"], found) == {}


@pytest.mark.parametrize("case", cases("forecast"))
def test_forecast_case(case):
    given, expected = case["input"], dict(case["expected"])
    days = {"forecast_dates": [given["query_date"]]} if "query_date" in given else {}
    probability = expected.pop("prob_by_query_date", None)

    forecast = judged(document(given["as_of"], builds=[build_of(given)], assumptions=days)).forecasts["b"]

    assert differences(expected, forecast.answer()) == {}
    if probability is not None:
        assert forecast.by_date[0].probability_all == pytest.approx(probability, abs=0.0005)


@pytest.mark.parametrize("case", cases("bridge"))
def test_bridge_case(case):
    given, expected = case["input"], case["expected"]
    build = build_of(given["forecast"])
    idle = given["idle"]
    as_of = given["forecast"]["as_of"]
    delivered = {"gate": "delivered", "qty": PLANNED, "grade": "C", "observed_on": as_of}
    build["evidence"].append(delivered | {"achieved_on": idle["delivered_on"]})
    hardware = {"component": "hardware", "amount": idle["capex_usd"], "currency": "USD"}
    build["costs"] = [hardware | {"life_months": idle["life_years"] * 12}]
    price = {"provider": "Example", "accelerator": "H100", "currency": "USD", "accelerators_per_node": 8}
    quotes = [
        price | {"id": "r", "purchase_model": "reserved", "price": given["reserved_usd_per_accelerator_hour"]},
        price | {"id": "o", "price": given["on_demand_usd_per_accelerator_hour"]},
    ]
    need = {
        "id": "w", "accelerators": given["accelerators"], "accelerator_types": ["H100"], "months": 36,
        "start": given["need_date"], "shape": "independent_jobs",
    }  # fmt: skip

    known = judged(document(as_of, builds=[build], quotes=quotes, workloads=[need]))
    plan = scenario_bridges(known.scenario, known.forecasts, known.bookings)["w"]["b"]

    assert plan.expected_wait_days == pytest.approx(expected["expected_wait_days"], abs=0.05)
    assert plan.expected_bridge_cost_on_demand == pytest.approx(expected["expected_bridge_usd_on_demand"], abs=1)
    assert (plan.reserve_days, str(plan.reserve_until)) == (expected["reserve_days"], expected["reserve_until"])
    assert plan.expected_bridge_cost == pytest.approx(expected["expected_bridge_usd_optimal_mix"], abs=1)
    assert plan.expected_idle_days == pytest.approx(expected["expected_idle_days"], abs=0.05)
    assert plan.expected_idle_depreciation == pytest.approx(expected["expected_idle_depreciation_usd"], abs=1)


@pytest.mark.parametrize("case", cases("quote"))
def test_quote_case(case):
    given = case["input"]
    quote = {"id": "q", "price": "1", "currency": "USD", **given["quote"]}
    known = judged(document(given["as_of"], quotes=[quote], workloads=[{"id": "w", **given["workload"]}]))

    assert differences(case["expected"], known.bookings.offer("w", "q").answer()) == {}


def test_every_case_is_tried(shared_folder):
    examples = json.loads((shared_folder / "cases" / "readiness.json").read_text(encoding="utf-8"))["examples"]

    tried = sum(len(cases(kind)) for kind in ("cluster", "forecast", "bridge", "quote"))

    assert tried == len(examples) == 34
