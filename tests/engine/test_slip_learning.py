"""Closed promises and what they teach: ratios, shrinkage to the class, repeated promises, losses."""

import dataclasses
import math
from datetime import date

import pytest

from procurement.engine.forecast import build_forecast
from procurement.engine.readiness import build_readiness
from procurement.engine.scenario import parse_scenario
from procurement.engine.slip import DEFAULT_SLIPS, lognormal_of
from procurement.engine.slip_learning import learned_slips, promises_kept, shrunk_slip
from procurement.engine.tables import SlipClass

AS_OF = date(2026, 11, 30)


def scenario_of(promises, evidence, **assumptions):
    """Return a scenario with one H100 build of the provider acme, 64 accelerators, 10 kW a node."""
    build = {
        "id": "b", "operator": "acme", "accelerator": "H100", "accelerators_per_node": 8, "it_kw_per_node": 10,
        "tranches": [{"id": "T1", "planned_accelerators": 64}], "promises": promises, "evidence": evidence,
    }  # fmt: skip
    document = {"schema": "scenario/1", "as_of": str(AS_OF), "assumptions": assumptions, "builds": [build]}
    return parse_scenario(document)


def kept(promises, evidence):
    scenario = scenario_of(promises, evidence)
    return promises_kept(scenario.builds[0], AS_OF, scenario.assumptions)


def promise(day, stated_on, gate="installed", **more):
    return {"gate": gate, "date": day, "stated_on": stated_on, **more}


def proof(day, qty=64, gate="installed", **more):
    return {"gate": gate, "qty": qty, "grade": "A", "observed_on": day, "source": "list", **more}


def test_a_promise_closes_when_accepted_evidence_covers_what_is_planned():
    # stated 1 Jan for 11 Apr: 100 days; half of it came on 1 Mar, all of it on 31 May: 150 days, a ratio of 1.5
    found = kept([promise("2026-04-11", "2026-01-01")], [proof("2026-03-01", 32), proof("2026-05-31")])

    assert [(one.reached_on, one.ratio, one.slip_days) for one in found] == [(date(2026, 5, 31), 1.5, 50)]
    assert found[0].slip_class == "equipment_delivery"


def test_the_day_of_achievement_counts_before_the_day_of_the_observation():
    found = kept([promise("2026-04-11", "2026-01-01")], [proof("2026-05-31", achieved_on="2026-04-11")])

    assert found[0].ratio == 1.0


@pytest.mark.parametrize("grade", ["D", "E"])
def test_a_claim_closes_nothing(grade):
    found = kept([promise("2026-04-11", "2026-01-01")], [proof("2026-04-01", grade=grade)])

    assert (found[0].reached_on, found[0].ratio) == (None, None)


def test_a_gate_promised_again_and_again_is_one_case_from_its_first_promise():
    # first for 11 Apr, then two restatements; reached 20 Jul: 200 of 100 days
    promises = [
        promise("2026-04-11", "2026-01-01"), promise("2026-05-20", "2026-04-01"), promise("2026-07-18", "2026-05-20")
    ]  # fmt: skip
    found = kept(promises, [proof("2026-07-20")])

    assert [(one.times_promised, one.ratio) for one in found] == [(3, 2.0)]


def test_after_a_loss_the_next_promise_is_a_case_of_its_own():
    promises = [
        promise("2026-04-11", "2026-01-01", "powered", **{"class": "construction_power"}),
        promise("2026-09-20", "2026-08-31", "powered", **{"class": "construction_power"}),
    ]  # fmt: skip
    power = {"unit": "kw_it", "gate": "powered"}
    evidence = [
        proof("2026-04-11", 80, **power), proof("2026-08-20", 0, event="lost", **power),
        proof("2026-10-10", 80, **power),
    ]  # fmt: skip
    # lost on 20 Aug; promised on 31 Aug for 20 Sep (20 days), back on 10 Oct (40 days)
    assert [one.ratio for one in kept(promises, evidence)] == [1.0, 2.0]


def test_a_promise_for_what_had_been_reached_teaches_nothing():
    found = kept([promise("2026-04-11", "2026-03-01")], [proof("2026-03-20", achieved_on="2026-02-01")])

    assert found[0].was_before
    assert found[0].ratio is None


def test_short_promises_are_widened_to_fourteen_days():
    # promised 1 Jan for 4 Jan, which counts as 14 days; reached 29 Jan: 28 days
    assert kept([promise("2026-01-04", "2026-01-01")], [proof("2026-01-29")])[0].ratio == 2.0


def test_an_own_job_closes_the_promise_of_a_gate():
    found = kept([promise("2026-04-11", "2026-01-01")], [proof("2026-04-11", gate="job_run")])

    assert found[0].ratio == 1.0


def test_without_closed_promises_the_class_is_kept():
    assert shrunk_slip([], DEFAULT_SLIPS["bringup"]) == DEFAULT_SLIPS["bringup"]


def test_the_mean_is_shrunk_by_n_over_n_plus_five():
    # class: median 1, so mean of logs 0; five promises that took twice as long: weight 5 / 10, so half of ln 2
    mean, _ = lognormal_of(shrunk_slip([2.0] * 5, SlipClass(p10=0.5, p90=2.0)))

    assert mean == pytest.approx(math.log(2) / 2)


def test_the_variance_is_that_of_the_conjugate_prior():
    # class: mean 0, deviation s; logs +a and -a: observed mean 0, sum of squares 2 a^2; (5 s^2 + 2 a^2) / 7
    prior = SlipClass(p10=math.exp(-0.2), p90=math.exp(0.2))
    _, before = lognormal_of(prior)

    mean, after = lognormal_of(shrunk_slip([math.exp(0.3), math.exp(-0.3)], prior))

    assert mean == pytest.approx(0.0, abs=1e-12)
    assert after**2 == pytest.approx((5 * before**2 + 2 * 0.09) / 7)


def test_many_promises_leave_little_of_the_class():
    found = shrunk_slip([1.5, 1.6, 1.4, 1.55, 1.45] * 40, DEFAULT_SLIPS["bringup"])

    assert math.sqrt(found.p10 * found.p90) == pytest.approx(1.5, abs=0.01)
    assert found.p90 / found.p10 < 1.5


def test_slips_are_told_by_operator_and_class_with_what_is_overdue():
    scenario = scenario_of(
        [promise("2026-04-11", "2026-01-01"), promise("2026-10-01", "2026-01-01", "networked")], [proof("2026-05-31")]
    )
    rows = learned_slips(promises_kept(scenario.builds[0], AS_OF, scenario.assumptions), AS_OF, scenario.assumptions)

    assert [(row.operator, row.slip_class, row.closed, row.overdue_open) for row in rows] == [
        ("acme", "equipment_delivery", 1, 1)
    ]
    assert rows[0].weight == pytest.approx(1 / 6)
    assert not rows[0].is_enough


def test_a_slip_in_force_for_an_operator_is_learned_anew_from_the_class():
    stated = {"slip_classes": {"equipment_delivery@acme": {"p10": 2.0, "p90": 2.0}}}
    scenario = scenario_of([promise("2026-04-11", "2026-01-01")], [proof("2026-05-31")], **stated)

    rows = learned_slips(promises_kept(scenario.builds[0], AS_OF, scenario.assumptions), AS_OF, scenario.assumptions)

    assert rows[0].prior == DEFAULT_SLIPS["equipment_delivery"]


def test_a_slip_of_an_operator_holds_for_its_builds_alone():
    # promised on 1 Sep for 10 Dec, 100 days; acme takes exactly twice as long: 1 Sep + 200 days = 20 Mar
    stated = {"slip_classes": {"equipment_delivery@acme": {"p10": 2.0, "p90": 2.0}}}
    scenario = scenario_of([promise("2026-12-10", "2026-09-01")], [], **stated)
    others = dataclasses.replace(scenario.builds[0], operator="other")

    found = [forecast_of(build, scenario).per_gate["installed"]["p50"] for build in (scenario.builds[0], others)]

    assert found[0] == date(2027, 3, 20)
    assert found[1] < found[0]


def forecast_of(build, scenario):
    known = build_readiness(build, as_of=AS_OF, assumptions=scenario.assumptions)
    return build_forecast(build, readiness=known, as_of=AS_OF, assumptions=scenario.assumptions)
