"""Decisions: numbered one after the other, proposed once, signed by somebody else."""

from datetime import date
from decimal import Decimal

import pytest

from procurement.errors import ProcurementError
from procurement.models import AuditEntry, Decision, Job, Workload
from procurement.selectors.runs import answers_of, run_latest_finished
from procurement.services.decisions import decision_approve, decision_prepare, decision_reject, decision_withdraw
from procurement.services.jobs import job_acknowledge, job_request, job_retry
from procurement.services.workloads import workload_update
from tests.factories import actor, make_assumptions, make_build, make_quote, make_user, make_workload
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    make_assumptions()
    make_quote()
    make_build()
    make_workload()
    work_off()
    return run_latest_finished()


def prepared(run, **changes):
    answer = answers_of(run).get()
    values = {"option": answer.option, "amount": Decimal("1000"), "valid_until": date(2026, 12, 31), **changes}
    return decision_prepare(by=actor("analyst"), run=run, workload_code="serve", values=values)


def test_decisions_are_numbered_one_after_the_other_past_9999(run):
    first = prepared(run)
    Decision.objects.filter(pk=first.pk).update(code="D-2026-9999")
    second = prepared(run, amount=Decimal("2000"))
    third = prepared(run, amount=Decimal("3000"))

    assert (first.code, second.code, third.code) == ("D-2026-0001", "D-2026-10000", "D-2026-10001")


def test_the_same_proposal_twice_is_refused_by_the_name_of_the_first(run):
    first = prepared(run)

    with pytest.raises(ProcurementError, match=first.code):
        prepared(run)

    decision_withdraw(by=actor("analyst"), decision=first, version=1)
    assert prepared(run).code == "D-2026-0002"


def test_two_people_sign_a_decision_and_it_then_no_longer_changes(run):
    decision = prepared(run)
    with pytest.raises(ProcurementError, match="needs the role"):
        decision_approve(by=actor("analyst"), decision=decision, version=1)

    approved = decision_approve(by=actor("finance"), decision=decision, version=1, comment="within budget")

    assert approved.approved_by == make_user(role="finance")
    with pytest.raises(ProcurementError, match="no longer changes"):
        decision_reject(by=actor("finance"), decision=approved, version=2, comment="second thoughts")


def test_who_prepared_a_decision_cannot_sign_it_whatever_the_role(run):
    answer = answers_of(run).get()
    values = {"option": answer.option, "amount": Decimal("5"), "valid_until": date(2026, 12, 31)}
    decision = decision_prepare(by=actor("administrator"), run=run, workload_code="serve", values=values)

    with pytest.raises(ProcurementError, match="somebody else"):
        decision_approve(by=actor("administrator"), decision=decision, version=1)


def test_an_option_that_the_newest_run_rules_out_is_neither_signed_nor_proposed(run):
    """The workload grows from 8 to more accelerators than hall or offer hold."""
    decision = prepared(run)
    workload = Workload.objects.get(code="serve")
    workload_update(by=actor("analyst"), workload=workload, version=workload.version, values={"accelerators": 100_000})
    work_off()
    newest = run_latest_finished()

    with pytest.raises(ProcurementError, match=f"was feasible in {run} and no longer is in {newest}: ") as refused:
        decision_approve(by=actor("finance"), decision=decision, version=1)
    with pytest.raises(ProcurementError, match="Prepare a decision on the newest run"):
        prepared(run, amount=Decimal("7"))

    assert refused.value.code == "option_ruled_out"
    assert Decision.objects.get().state == "proposed"


def test_an_option_that_the_newest_run_still_holds_is_signed_on_the_run_that_it_was_prepared_on(run):
    decision = prepared(run)
    make_quote(code="dearer", price="99.00")
    work_off()

    assert run_latest_finished() != run
    assert decision_approve(by=actor("finance"), decision=decision, version=1).state == "approved"


def test_a_workload_that_the_newest_run_no_longer_holds_is_named(run):
    decision = prepared(run)
    Workload.objects.update(is_archived=True)
    make_workload(code="other")
    work_off()

    with pytest.raises(ProcurementError, match="the workload `serve` is in it no more"):
        decision_approve(by=actor("finance"), decision=decision, version=1)


def test_an_option_that_the_run_does_not_hold_is_refused_with_those_that_it_does(run):
    with pytest.raises(ProcurementError, match="Feasible: "):
        prepared(run, option="cloud:nowhere")


def test_who_tries_a_job_again_or_saw_its_alarm_is_on_record():
    job = job_request(kind="recompute", dedupe_key="recompute")
    Job.objects.filter(pk=job.pk).update(status="dead")

    job_acknowledge(job_id=job.pk, user=make_user(), reason="seen")
    job_retry(job_id=job.pk, user=make_user(), reason="disk was full")

    entries = AuditEntry.objects.filter(record_type="job").order_by("id")
    assert [(entry.action, entry.reason) for entry in entries] == [
        ("job.acknowledge", "seen"), ("job.retry", "disk was full"),
    ]  # fmt: skip
