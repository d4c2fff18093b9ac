"""Portfolios through the interface: asked with pins, followed, read in pages, stopped."""

import pytest

from procurement.models import Portfolio, PortfolioState, Run
from procurement.services.portfolios import portfolio_answer
from tests.procurement.api_tools import client_of
from tests.procurement.portfolio_runs import make_finished_run, make_portfolio
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_finished_run()


def pin(run, **changes):
    quote = Run.objects.get(pk=run.pk).inputs["quotes"][0]["id"]
    return {"workload": "serve", "place": quote, **changes}


def test_a_plan_is_asked_for_with_its_job_and_read_when_it_is_there(run):
    analyst = client_of("analyst")

    reply = analyst.post("portfolios/", {"run": run.pk, "reason": "board"})
    waiting = analyst.get(reply["Location"])
    work_off()
    found = analyst.get(reply["Location"]).json()
    again = analyst.post("portfolios/", {})

    assert (reply.status_code, reply["Retry-After"], reply.json()["state"]) == (202, "2", "requested")
    assert (reply.json()["job_status"], waiting.json()["npv"]) == ("queued", None)
    assert (found["state"], found["job_status"], found["requested_by"]) == ("optimal", "done", "analyst")
    assert found["npv"] == f"{Portfolio.objects.get().npv:.2f}"
    assert (again.status_code, again.json()["id"]) == (200, found["id"])


def test_the_whole_answer_and_its_pages_hold_what_the_engine_gives(run):
    analyst = client_of("analyst")
    address = analyst.post("portfolios/", {"run": run.pk})["Location"]
    work_off()

    whole = analyst.get(f"{address}answer/").json()
    rows = analyst.get(f"{address}allocation/?workload=serve").json()["results"]

    computed = portfolio_answer(Portfolio.objects.get())
    assert {**whole, "seconds": None} == {**computed, "seconds": None}
    assert len(rows) == len(computed["allocation"]) == 12
    assert rows[0]["accelerators"] == "8"
    assert rows[0]["begins_on"] == "2026-12-01"


def test_pins_come_in_the_body_and_their_price_goes_out(run):
    analyst = client_of("analyst")

    reply = analyst.post("portfolios/", {"run": run.pk, "pins": [pin(run, share="0.5", reason="signed")]})
    work_off()
    found = analyst.get(reply["Location"]).json()

    assert found["state"] == "optimal"
    assert found["pins"] == [pin(run, share="0.5", reason="signed")]
    assert found["pin_price"]["free_portfolio"] == Portfolio.objects.get(pins=[]).pk
    assert float(found["pin_price"]["amount"]) > 0
    assert any(one["constraint"].startswith("pinned:1:") and one["words"] for one in found["binding"])


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"workload": "nobody", "place": "hall-1"}, "/pins/0/workload"),
        ({"workload": "serve", "place": "nowhere"}, "/pins/0/place"),
        ({"workload": "serve", "place": "hall-1", "share": "1.5"}, "/pins/0/share"),
        ({"workload": "serve", "place": "hall-1", "shares": "1"}, "/pins/0/shares"),
        ({"workload": "serve"}, "/pins/0/place"),
    ],
)
def test_a_wrong_pin_is_refused_at_its_place_in_the_body(run, wrong, pointer):
    reply = client_of("analyst").post("portfolios/", {"run": run.pk, "pins": [wrong]})

    assert reply.status_code == 400
    assert [error["pointer"] for error in reply.json()["errors"]] == [pointer]
    assert not Portfolio.objects.exists()


def test_without_a_finished_run_there_is_nothing_to_plan_on():
    assert client_of("analyst").post("portfolios/", {}).status_code == 404


def test_an_infeasible_plan_says_what_conflicts_and_has_no_cost(run):
    analyst = client_of("analyst")

    reply = analyst.post("portfolios/", {"run": run.pk, "pins": [pin(run, accelerators="1000")]})
    work_off()
    found = analyst.get(reply["Location"]).json()

    assert (found["state"], found["npv"], found["gap"]) == ("infeasible", None, None)
    assert found["conflict_is_irreducible"] is True
    assert any("1000 accelerators for serve" in words for words in found["conflict"])


def test_a_solve_is_stopped_and_what_has_ended_is_not(run):
    analyst = client_of("analyst")
    address = analyst.post("portfolios/", {"run": run.pk})["Location"]

    stopped = analyst.post(f"{address}stop/", {"reason": "wrong run"})
    again = analyst.post(f"{address}stop/")

    assert (stopped.status_code, stopped.json()["state"], stopped.json()["stop_asked_by"]) == (
        202,
        "stopped",
        "analyst",
    )
    assert (again.status_code, again.json()["code"]) == (409, "portfolio_ended")


@pytest.mark.parametrize("state", ["time_limit", "infeasible", "failed", "stopped", "requested"])
def test_states_stay_apart_and_lists_are_narrowed_by_them(run, state):
    make_portfolio(run, state=state)
    make_portfolio(run, state=PortfolioState.OPTIMAL, npv="1", gap="0")

    listed = client_of("viewer").get(f"portfolios/?state={state}").json()["results"]

    assert [one["state"] for one in listed] == [state]
