"""Portfolios: one question is one stored answer, states stay apart, pins have a price, a solve can be stopped."""

from decimal import Decimal

import pytest

from procurement.errors import PermissionRefused, ProcurementError
from procurement.models import AuditEntry, Job, JobStatus, Portfolio, PortfolioState, Run
from procurement.selectors.portfolios import (
    constraint_words,
    pin_price,
    portfolio_document_answer,
    portfolio_latest_of,
    portfolios_all,
)
from procurement.services import portfolios
from procurement.services.portfolios import (
    StopAsked,
    portfolio_answer,
    portfolio_failed,
    portfolio_request,
    portfolio_solve,
    portfolio_stop,
)
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from tests.factories import actor
from tests.procurement.portfolio_runs import make_finished_run
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_finished_run()


def asked(run, **changes):
    """Return a portfolio that was asked for and worked off."""
    record, _ = portfolio_request(by=actor("analyst"), run=run, **changes)
    work_off()
    record.refresh_from_db()
    return record


def pin(run, **changes):
    quote = Run.objects.get(pk=run.pk).inputs["quotes"][0]["id"]
    return {"workload": "serve", "place": quote, **changes}


def test_a_plan_is_stored_as_the_engine_gives_it(run):
    found = asked(run)

    assert (found.state, found.job.status) == (PortfolioState.OPTIMAL, JobStatus.DONE)
    stored, computed = portfolio_document_answer(found), portfolio_answer(found)
    del stored["seconds"], computed["seconds"]
    assert stored == computed
    assert found.npv == Decimal(computed["npv"])
    assert {row.workload_code for row in found.allocation.all()} == {"serve"}
    assert found.gap is not None
    assert found.gap <= found.gap_asked


def test_the_same_question_is_the_same_portfolio_and_is_solved_once(run):
    first = asked(run)

    again, is_waiting = portfolio_request(by=actor("finance"), run=run)

    assert (again.pk, is_waiting, again.requested_by.username) == (first.pk, False, "analyst")
    assert Job.objects.filter(kind="portfolio_solve").count() == 1


@pytest.mark.parametrize("changes", [{"gap": Decimal("0.02")}, {"time_limit_s": 61}])
def test_another_limit_is_another_question(run, changes):
    assert asked(run).pk != asked(run, **changes).pk


def test_who_asked_and_who_stopped_is_in_the_audit_trail(run):
    record, _ = portfolio_request(by=actor("analyst", reason="for the board"), run=run)
    portfolio_stop(by=actor("finance"), portfolio=record)

    entries = AuditEntry.objects.filter(record_type="portfolio", record_id=str(record.pk)).order_by("id")
    assert [(entry.action, entry.user.username) for entry in entries] == [
        ("portfolio.request", "analyst"), ("portfolio.stop", "finance"),
    ]  # fmt: skip
    assert entries[0].reason == "for the board"


@pytest.mark.parametrize("role", ["viewer", None])
def test_who_may_not_ask_is_refused(run, role):
    with pytest.raises(PermissionRefused):
        portfolio_request(by=actor(role), run=run)


def test_a_run_that_is_not_finished_has_no_portfolio(run):
    run.state = "availability"

    with pytest.raises(ProcurementError, match="not finished"):
        portfolio_request(by=actor("analyst"), run=run)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"gap": Decimal("0.6")}, "gap"), ({"gap": Decimal("-0.01")}, "gap"), ({"time_limit_s": 1}, "time_limit_s"),
        ({"time_limit_s": 301}, "time_limit_s"),
    ],
)  # fmt: skip
def test_limits_out_of_bounds_are_refused_by_field(run, changes, field):
    with pytest.raises(ProcurementError) as refused:
        portfolio_request(by=actor("analyst"), run=run, **changes)

    assert list(refused.value.fields) == [field]
    assert not Portfolio.objects.exists()


def test_pins_that_name_nothing_are_refused_with_every_fault(run):
    with pytest.raises(ProcurementError) as refused:
        portfolio_request(by=actor("analyst"), run=run, pins=[pin(run), {"workload": "x", "place": "nowhere"}])

    assert list(refused.value.fields) == ["/pins/1/workload"]
    assert not Portfolio.objects.exists()


def test_pins_are_kept_and_their_price_is_the_difference_to_the_free_plan(run):
    found = asked(run, pins=[pin(run)])

    free = Portfolio.objects.get(pins=[])
    assert (found.state, free.state) == (PortfolioState.OPTIMAL, PortfolioState.OPTIMAL)
    assert {row.place for row in found.allocation.all()} == {pin(run)["place"]}
    price = pin_price(found)
    assert price.free == free
    assert price.amount == found.npv - free.npv
    assert price.at_least <= price.amount <= price.at_most
    assert pin_price(free) is None


def test_pins_that_cannot_be_kept_are_infeasible_in_words_that_name_them(run):
    found = asked(run, pins=[pin(run, accelerators=Decimal(1000), reason="a wish")])

    assert (found.state, found.npv, found.has_plan) == (PortfolioState.INFEASIBLE, None, False)
    assert any("pin 1: 1000 accelerators for serve" in words for words in found.answer["conflict"])
    assert pin_price(found).amount is None


def test_a_solve_that_waits_is_stopped_at_once_and_may_be_asked_again(run):
    record, _ = portfolio_request(by=actor("analyst"), run=run)

    stopped = portfolio_stop(by=actor("analyst"), portfolio=record)
    work_off()
    stopped.refresh_from_db()
    again = asked(run)

    assert (stopped.state, stopped.npv, stopped.message) == ("stopped", None, "It was stopped before it began.")
    assert (again.pk, again.state, again.stop_asked_at) == (record.pk, PortfolioState.OPTIMAL, None)


def test_a_running_solve_is_stopped_as_soon_as_the_solver_looks(run, monkeypatch):
    record, _ = portfolio_request(by=actor("analyst"), run=run)
    Job.objects.filter(pk=record.job_id).update(status="running", owner="w", lease_until="2030-01-01T00:00Z")
    portfolio_stop(by=actor("analyst"), portfolio=record)
    record.refresh_from_db()
    assert record.is_open  # the worker has yet to see it
    monkeypatch.setattr(portfolios, "ASKS_EVERY", 0.0)

    assert StopAsked(record.pk)()
    assert not StopAsked(record.pk + 1)()
    portfolios._store(record, portfolio_answer(record, is_stopped=lambda: True))
    assert (record.state, record.has_plan) == (PortfolioState.STOPPED, False)


def test_what_has_ended_cannot_be_stopped(run):
    found = asked(run)

    with pytest.raises(ProcurementError, match="has ended as optimal"):
        portfolio_stop(by=actor("analyst"), portfolio=found)


def test_a_failed_solve_says_why_and_may_be_asked_again(run):
    record, _ = portfolio_request(by=actor("analyst"), run=run)
    portfolio_failed(message="The worker vanished.", portfolio=record.pk)
    record.refresh_from_db()
    assert (record.state, record.message) == (PortfolioState.FAILED, "The worker vanished.")

    assert asked(run).state == PortfolioState.OPTIMAL


def test_a_failure_of_the_solver_is_stored_as_failed_with_its_message(run):
    record, _ = portfolio_request(by=actor("analyst"), run=run)
    answer = portfolio_answer(record) | {"state": "failed", "npv": None, "gap": None, "npv_reason": "solver:Unbounded"}

    portfolios._store(record, answer)

    assert (record.state, record.npv) == (PortfolioState.FAILED, None)
    assert "Unbounded" in record.message


def test_a_question_that_cannot_be_begun_is_refused_with_its_size(run, monkeypatch):
    monkeypatch.setattr("procurement.engine.portfolio.LARGEST", 10)

    with pytest.raises(ProcurementError, match="up to 10 can be planned") as refused:
        portfolio_request(by=actor("analyst"), run=run)

    assert refused.value.code == "portfolio_too_large"


def test_a_run_without_workloads_has_nothing_to_plan():
    run = make_finished_run(workloads=0)

    with pytest.raises(ProcurementError, match="nothing to plan"):
        portfolio_request(by=actor("analyst"), run=run)


def test_answering_twice_changes_nothing(run):
    found = asked(run)
    before = Portfolio.objects.values().get()

    portfolio_solve(None, portfolio=found.pk)

    assert Portfolio.objects.values().get() == before


def test_the_newest_free_plan_stands_for_the_run(run):
    assert portfolio_latest_of(run) is None
    pinned = asked(run, pins=[pin(run)])

    assert portfolio_latest_of(run) == Portfolio.objects.get(pins=[])
    assert pinned in portfolios_all()


def test_every_kind_of_job_that_solves_has_its_last_word():
    assert (JOB_KINDS["portfolio_solve"], JOB_FAREWELLS["portfolio_solve"]) == (portfolio_solve, portfolio_failed)


@pytest.mark.parametrize(
    ("constraint", "price", "words"),
    [
        ("supply:od", "1460", "One more accelerator at od, in the month where it binds, would save USD 1,460.00."),
        ("demand:w", "20", "All of w once more would cost USD 20.00."),
        ("policy:max_share_per_supplier:Cloud", "500", "One percentage point more with Cloud would save USD 5.00."),
        ("policy:yearly_budget", "0.5", "USD 1.00 more budget in each year that binds would save USD 0.5000."),
        ("pinned:1:w@od", "-7", "Pin 1 (w at od): one unit more of it would cost USD 7.00."),
    ],
)
def test_a_binding_constraint_is_a_sentence(constraint, price, words):
    binding = {"constraint": constraint, "price": price, "by_month": [{"month": 0, "price": price}]}

    assert constraint_words(binding, "USD") == words


def test_one_person_floods_no_worker_and_is_told_to_wait_or_stop(run, monkeypatch):
    monkeypatch.setattr(portfolios, "MOST_OPEN", 2)
    first, _ = portfolio_request(by=actor("analyst"), run=run)
    portfolio_request(by=actor("analyst"), run=run, gap=Decimal("0.02"))

    with pytest.raises(ProcurementError, match="2 portfolios of analyst are open; at most 2") as refused:
        portfolio_request(by=actor("analyst"), run=run, gap=Decimal("0.03"))
    assert refused.value.code == "too_many_open"
    assert Portfolio.objects.count() == 2

    portfolio_request(by=actor("analyst"), run=run)  # the same question again is no further one
    portfolio_request(by=actor("finance"), run=run, gap=Decimal("0.04"))
    portfolio_stop(by=actor("analyst"), portfolio=first)
    portfolio_request(by=actor("analyst"), run=run, gap=Decimal("0.03"))
