"""Bridge, wait and current: renting until the build is there, waiting for it, staying."""

import pytest

from tests.engine.cost_documents import (
    advice,
    answered,
    build,
    document,
    evidence,
    late_build,
    option,
    quote,
    reserved,
    workload,
)

RUNNING = [{"component": "operations", "amount": "1.00", "currency": "USD", "basis": "per_running_hour"}]


def asked(needs=None, quotes=None, builds=None, **assumptions):
    return answered(
        document(quotes=quotes or [quote()], builds=builds or [late_build(costs=RUNNING)],
                 workloads=[workload(**(needs or {}))], **assumptions)
    )  # fmt: skip


def test_a_bridge_rents_until_the_usable_date_and_owns_from_then_on():
    answer = asked()
    found = option(answer, "bridge:od->own")
    reason = next(entry for entry in advice(answer)["reasons"] if entry["code"] == "bridged_until")
    rented, owned = (float(found["components"][name]) for name in ("compute", "operations"))

    # 2.00 x 16 an hour before, 1.00 an hour for the whole build after; together every hour of 12 months
    assert rented / 32 + owned == pytest.approx(8760.0)
    assert advice(answer)["verdict"] == "bridge_then_on_prem"
    assert reason["on"] > "2027-06-01"


def test_a_bridge_needs_a_quote_only_until_the_build_is_there():
    short = quote(max_days=330)  # the window is 365 days, the build is usable with 80 % after fewer
    answer = asked(quotes=[short], builds=[late_build("2027-03-01", costs=RUNNING)])

    assert option(answer, "bridge:od->own")["feasible"]
    assert answer["excluded"]["w"] == {"duration_over_max": 1}


def test_a_bridge_that_ends_before_the_build_is_there_is_none():
    answer = asked(quotes=[quote(max_days=60)])

    assert [entry for entry in answer["options"]["w"] if entry["option"].startswith("bridge")] == []
    assert advice(answer)["verdict"] == "none_feasible"


def test_a_bridge_pays_the_whole_minimum_term():
    found = option(asked(quotes=[reserved()]), "bridge:rsv->own")

    assert sum(float(found["components"][name]) for name in ("compute", "unused_commitment")) == pytest.approx(
        1.2 * 16 * 730 * 12, abs=0.02
    )


def test_waiting_moves_the_window_and_gives_up_the_value_of_the_work():
    needs = {"value_per_accelerator_hour": 0.01, "deadline_policy": "soft"}
    answer = asked(needs)
    found = option(answer, "wait:on_prem:own")

    assert found["components"]["operations"] == "8760.00"
    assert float(found["components"]["foregone_value"]) > 0
    assert advice(answer)["verdict"] == "wait"
    # given up as long as the bridge would have rented: 0.01 instead of 2.00 an accelerator-hour
    bridge = option(answer, "bridge:od->own")
    assert float(found["components"]["foregone_value"]) == pytest.approx(
        float(bridge["components"]["compute"]) / 200, abs=0.01
    )


def test_waiting_without_a_value_is_listed_and_not_ranked():
    answer = asked({"deadline_policy": "soft"})
    found = option(answer, "wait:on_prem:own")

    assert not found["ranks"]
    assert found["not_modelled"] == ["foregone_value"]
    assert advice(answer)["option"] != "wait:on_prem:own"


@pytest.mark.parametrize(
    ("_case", "needs"),
    [
        ("hard", {"deadline_policy": "hard"}),
        ("hard by default with need_by", {"need_by": "2026-12-10"}),
    ],
)
def test_a_hard_deadline_does_not_wait(_case, needs):
    answer = asked({**needs, "value_per_accelerator_hour": 0.01})

    assert [entry for entry in answer["options"]["w"] if entry["option"].startswith("wait")] == []


def test_a_build_without_a_forecast_is_neither_bridged_to_nor_waited_for():
    gates = [entry for entry in evidence(16, 20) if entry["gate"] != "powered"]
    answer = asked(builds=[build(costs=RUNNING, evidence=gates)])

    assert [entry["option"].partition(":")[0] for entry in answer["options"]["w"]] == ["cloud", "on_prem"]
    assert {"no_forecast", "missing:power_status"} & set(option(answer, "on_prem:own")["reasons"])


def test_staying_is_the_do_nothing_twin():
    answer = answered(
        document(quotes=[quote()], workloads=[workload(current={"place": "old", "cost_per_month": 1000})])
    )

    assert option(answer, "current")["nominal_cost"] == "12000.00"
    assert advice(answer)["verdict"] == "stay"


def test_leaving_costs_what_leaving_costs():
    current = {"place": "old", "cost_per_month": 25000}
    answer = answered(document(quotes=[quote()], workloads=[workload(current=current, switching_cost=50000)]))

    # 280,320 + 50,000 for leaving against 12 x 25,000
    assert option(answer, "cloud:od")["components"]["switching_cost"] == "50000.00"
    assert advice(answer)["verdict"] == "stay"


def test_what_runs_at_a_quote_today_is_priced_by_it():
    answer = answered(
        document(quotes=[quote(), reserved()], workloads=[workload(current={"place": "od"}, switching_cost=1000)])
    )

    assert option(answer, "current")["nominal_cost"] == option(answer, "cloud:od")["nominal_cost"] == "280320.00"
    assert option(answer, "cloud:rsv")["components"]["switching_cost"] == "1000.00"
    assert advice(answer)["verdict"] == "cloud"
