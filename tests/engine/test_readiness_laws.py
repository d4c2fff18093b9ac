"""Laws of readiness and forecast over random records: what must hold whatever is written down."""

import random
from datetime import date, timedelta

import numpy as np
import pytest

from procurement.engine.codes import EVIDENCE_GATES, GATES
from tests.engine.readiness_documents import AS_OF, build, document, judged

TODAY = date.fromisoformat(AS_OF)
SEEDS = range(40)


def day(draw, least, most):
    return (TODAY + timedelta(days=draw.randint(least, most))).isoformat()


def some_evidence(draw):
    gate = draw.choice(EVIDENCE_GATES)
    entry = {"gate": gate, "grade": draw.choice("AABBCCCDE"), "observed_on": day(draw, -200, 3)}
    entry["tranche"] = draw.choice(["T1", "T1", "T2", "*", "site:north"])
    entry["qty"] = draw.choice([0, 64, 128, 256, 500, 512, 1024, 4000])
    if gate == "powered":
        entry["unit"] = draw.choice(["kw_it", "kw_facility", "kw_nameplate", "accelerators"])
        entry |= {"pue": 1.3, "power_basis": draw.choice([None, "utility_firm", "onsite_temporary"])}
    if gate == "cooled":
        entry |= {"unit": draw.choice(["kw", "accelerators"]), "medium": draw.choice([None, "air", "liquid"])}
    if gate in ("networked", "job_run"):
        entry["scope"] = draw.choice([None, "rdma", "frontend"])
    if draw.random() < 0.15:
        entry["event"] = draw.choice(["lost", "reduced"])
    if draw.random() < 0.2:
        entry["nodes"] = sorted(draw.randint(1, 128) for _ in range(2))
    if draw.random() < 0.2:
        entry["achieved_on"] = day(draw, -220, -1)
    if draw.random() < 0.1:
        entry["valid_until"] = day(draw, -30, 60)
    return {key: value for key, value in entry.items() if value is not None}


def some_promise(draw):
    stated = TODAY + timedelta(days=draw.randint(-400, 3))
    promised = (stated + timedelta(days=draw.randint(1, 700))).isoformat()
    tranche = draw.choice(["T1", "T2", "*", "site:north"])
    return {"gate": draw.choice(EVIDENCE_GATES), "tranche": tranche, "date": promised, "stated_on": stated.isoformat()}


def some_build(draw, name="b"):
    more = {"bringup_days": 21} if draw.random() < 0.5 else {}
    evidence = [some_evidence(draw) for _ in range(draw.randint(0, 25))]
    promises = [some_promise(draw) for _ in range(draw.randint(0, 10))]
    domain = draw.choice([None, "spine"])
    tranches = [{"id": name_, "planned_accelerators": 512} | ({"fabric_domain": domain} if domain else {})
                for name_ in ("T1", "T2")]  # fmt: skip
    return build(
        evidence, promises, id=name, site="north", tranches=tranches,
        design_class=draw.choice(["multi_node", "single_node"]),
        cooling_kw_per_node=draw.choice([None, {"air": 12.4}, {"air": 4, "liquid": 8.4}]), **more,
    )  # fmt: skip


def known(*builds, as_of=AS_OF):
    return judged(document(*builds, as_of=as_of, assumptions={"forecast_dates": ["2027-06-30"]}))


@pytest.mark.parametrize("seed", SEEDS)
def test_figures_stay_within_the_plan_and_agree_with_one_another(seed):
    found = known(some_build(random.Random(seed)))
    readiness, forecast = found.readiness["b"], found.forecasts["b"]

    assert 0 <= readiness.usable_accelerators <= readiness.last_known_usable <= 1024
    assert 0 <= readiness.largest_multi_node_job <= readiness.usable_multi_node
    assert (readiness.usable_firm or 0) <= readiness.usable_accelerators
    assert all(0 <= readiness.gate_accelerators[gate] <= readiness.gate_last_known[gate] <= 1024 for gate in GATES)
    assert (readiness.availability_status == "available") == (readiness.usable_accelerators == 1024)
    assert (forecast.status == "done") == (readiness.usable_accelerators == 1024)
    assert (forecast.status == "no_forecast") == bool(forecast.missing)
    assert (readiness.next_change_on is None) or readiness.next_change_on > TODAY


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_in_which_records_are_written_down_changes_nothing(seed):
    draw = random.Random(seed)
    one = some_build(draw)
    shuffled = one | {
        "evidence": draw.sample(one["evidence"], len(one["evidence"])),
        "promises": draw.sample(one["promises"], len(one["promises"])),
    }

    forth, back = known(one), known(shuffled)

    assert _without_places(forth.readiness["b"]) == _without_places(back.readiness["b"])
    assert forth.forecasts["b"].answer() == back.forecasts["b"].answer()


def _without_places(readiness):
    return {key: value for key, value in readiness.answer().items() if key != "newest_evidence"}


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_changes_before_the_next_change(seed):
    one = some_build(random.Random(seed))
    today = known(one).readiness["b"]
    if today.next_change_on is None:
        return

    before = known(one, as_of=(today.next_change_on - timedelta(days=1)).isoformat()).readiness["b"]

    assert _without_places(before) == _without_places(today)


@pytest.mark.parametrize("seed", SEEDS)
def test_distributions_never_fall_and_more_accelerators_never_come_sooner(seed):
    forecast = known(some_build(random.Random(seed))).forecasts["b"]
    curves = [forecast.cdf_for(count) for count in (8, 256, 512, 768, 1024)]

    for one in (curve for curve in curves if curve is not None):
        assert np.all(np.diff(one) >= -1e-12)
        assert 0 <= one[0] <= one[-1] <= 1
    dates = [forecast.usable_date_for(count, 0.8) or date.max for count in (8, 256, 512, 768, 1024)]
    assert dates == sorted(dates)


@pytest.mark.parametrize("seed", range(15))
def test_builds_of_a_site_are_judged_the_same_in_any_order(seed):
    draw = random.Random(seed)
    builds = [some_build(draw, name) for name in ("a", "b", "c")]

    forth, back = known(*builds), known(*reversed(builds))

    for name in ("a", "b", "c"):
        assert forth.readiness[name].usable_accelerators == back.readiness[name].usable_accelerators
        assert forth.readiness[name].flags == back.readiness[name].flags
