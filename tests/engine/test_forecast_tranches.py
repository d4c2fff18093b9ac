"""Tranches and pools in the forecast: who comes when, what a job needs, what is expected on a day (R12)."""

from datetime import date

import pytest

from tests.engine.readiness_documents import all_gates, forecast, power, promise, proof

OPEN = all_gates(without=("powered",))
TWO = [{"id": "T1", "planned_accelerators": 512}, {"id": "T2", "planned_accelerators": 256}]


def phased(**more):
    """T1 waits for power until spring, T2 until autumn 2027; everything else is there."""
    gates = [*all_gates(512, tranche="T1", without=("powered",)), *all_gates(256, tranche="T2", without=("powered",))]
    promises = [
        promise("powered", "2027-03-31", "2026-11-30", tranche="T1"),
        promise("powered", "2027-09-30", "2026-11-30", tranche="T2"),
    ]
    return gates, promises, {"tranches": TWO, **more}


def test_tranches_come_one_after_the_other():
    gates, promises, more = phased()

    found = forecast(gates, promises, **more)

    assert found.usable_date_for(512, 0.5) == forecast(OPEN, [promises[0] | {"tranche": "T1"}]).p50
    assert found.usable_date_for(513, 0.5) == found.p50
    assert found.usable_date_for(769, 0.5) is None


def test_by_date_rows_count_what_is_expected():
    """Expected = 512 F1 + 256 F2; a quantile counts the tranches that reach it."""
    gates, promises, more = phased(assumptions={"forecast_dates": ["2027-06-30", "2027-09-30", "2026-11-29"]})

    found = forecast(gates, promises, **more)
    june, september, past = found.by_date

    f1, f2 = (float(one.reached[(date(2027, 6, 30) - date(2026, 11, 30)).days]) for one in found.tranches)
    assert june.expected_accelerators == pytest.approx(512 * f1 + 256 * f2, abs=1e-6)
    assert june.probability_all == pytest.approx(f1 * f2, abs=1e-9)
    assert (june.p50_accelerators, september.p50_accelerators, september.p90_accelerators) == (512, 512, 512)
    assert past.probability_all is None


def test_tranches_that_share_a_pool_share_its_date():
    """One feed for both: all of it is there when the feed is, not when two independent feeds are."""
    gates = [*all_gates(512, tranche="T1", without=("powered",)), *all_gates(256, tranche="T2", without=("powered",))]
    feed = promise("powered", "2027-03-31", "2026-03-31", tranche="*")

    pooled = forecast(gates, [feed], tranches=TWO)

    assert pooled.p50 == forecast(OPEN, [promise("powered", "2027-03-31", "2026-03-31")]).p50


def test_a_pool_that_is_partly_there_serves_what_it_can_and_promises_the_rest():
    gates = [*all_gates(512, tranche="T1", without=("powered",)), *all_gates(256, tranche="T2", without=("powered",))]

    found = forecast([*gates, power(793.6, tranche="*")], [promise("powered", "2027-03-31", tranche="*")], tranches=TWO)

    assert [one.usable_now for one in found.tranches] == [512, 0]
    assert found.usable_date_for(512, 0.9) == date(2026, 11, 30)
    assert found.usable_date_for(600, 0.5) == found.p50


def test_a_job_waits_for_one_domain_that_holds_it():
    gates, promises, more = phased()
    apart = forecast(gates, promises, **more)
    joined = forecast(gates, promises, tranches=[one | {"fabric_domain": "spine"} for one in TWO])

    assert apart.job_date_for(600, 0.5) is None
    assert joined.job_date_for(600, 0.5) == joined.p50
    assert apart.job_date_for(256, 0.5) == apart.usable_date_for(256, 0.5)


def test_a_late_fabric_does_not_hold_up_single_nodes():
    statements = [*all_gates(without=("networked",)), proof("networked", 1024, scope="frontend")]

    found = forecast(statements, [promise("networked", "2027-03-31")])

    assert found.single_node.status == "done"
    assert found.p50 > date(2027, 1, 1)
