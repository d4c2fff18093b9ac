"""Pages of runs, jobs, decisions and tokens: progress that ends, two people to a decision, secrets shown once."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from procurement.models import ApiToken, Decision, DecisionState, Job, JobStatus, Run
from procurement.selectors.decisions import decisions_awaiting_approval
from procurement.services.decisions import decision_prepare
from procurement.services.job_runner import job_work
from procurement.services.records import validation_error
from procurement.services.runs import run_request
from procurement.tasks import JOB_KINDS
from tests.factories import actor, make_assumptions, make_build, make_quote, make_workload
from tests.procurement.page_tools import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def finished_run():
    make_assumptions()
    make_build("hall-1", planned=64)
    make_quote()
    make_workload("serve")
    run, _ = run_request(by=actor("analyst"))
    while job_work(kinds=JOB_KINDS) is not None:
        pass
    run.refresh_from_db()
    assert run.state == "finished", run.message
    return run


def test_todays_question_is_asked_and_its_page_shows_how_far_it_is():
    make_assumptions()
    make_workload("serve")
    client = signed_in("analyst")

    page = client.post(reverse("procurement:run_request"), follow=True)

    assert b"Being computed" in page.content
    assert b"hx-get" in page.content
    assert Run.objects.count() == 1


def test_the_progress_asks_ever_more_slowly_and_stops_when_there_is_nothing_more(finished_run):
    open_run = Run.objects.get()
    Run.objects.filter(pk=open_run.pk).update(state="energization")
    client = signed_in("viewer")
    address = reverse("procurement:run", args=[open_run.pk])
    htmx = {"HX-Request": "true"}

    first = client.get(address, {"after": "2"}, headers=htmx)
    later = client.get(address, {"after": "10"}, headers=htmx)
    Run.objects.filter(pk=open_run.pk).update(state="finished")
    last = client.get(address, headers=htmx)

    assert (first.status_code, later.status_code, last.status_code) == (200, 200, 286)
    assert b"load delay:4s" in first.content
    assert b"load delay:10s" in later.content
    assert b"hx-get" not in last.content


def test_a_finished_run_lists_its_recommendations_and_gives_its_inputs(finished_run):
    client = signed_in("viewer")

    page = client.get(reverse("procurement:run", args=[finished_run.pk]))
    inputs = client.get(reverse("procurement:run_inputs", args=[finished_run.pk]))

    assert [line.workload_code for line in page.context["lines"]] == ["serve"]
    assert inputs.json()["schema"] == "scenario/1"


def test_a_failed_run_says_why_and_keeps_its_inputs(finished_run):
    Run.objects.update(state="failed", message="quote Q-7: price is missing")

    page = signed_in("viewer").get(reverse("procurement:run", args=[finished_run.pk]))

    assert b"quote Q-7: price is missing" in page.content
    assert page.context["lines"] == []


def test_a_dead_job_is_tried_again_by_an_administrator_alone():
    job = Job.objects.create(kind="recompute", dedupe_key="x", status=JobStatus.DEAD, last_error="broker away")
    address = reverse("procurement:job_retry", args=[job.pk])

    refused = signed_in("analyst").post(address)
    page = signed_in("administrator").get(reverse("procurement:job", args=[job.pk]))
    signed_in("administrator").post(address)

    job.refresh_from_db()
    assert refused.status_code == 403
    assert b"broker away" in page.content
    assert job.status == JobStatus.QUEUED


def test_a_decision_is_prepared_by_one_person_and_approved_by_another(finished_run):
    analyst, finance = signed_in("analyst"), signed_in("finance")
    address = f"{reverse('procurement:decision_new')}?run={finished_run.pk}&workload=serve"
    form = analyst.get(address).context["form"]
    sent = {
        "option": form.initial["option"], "amount": "1.000.000,00", "valid_until": "2026-12-31",
        "conditions": "Signed by Friday\nPower proven", "comment": "base case",
    }  # fmt: skip
    analyst.post(address, sent)
    decision = Decision.objects.get()
    page = reverse("procurement:decision", args=[decision.pk])
    close = reverse("procurement:decision_close", args=[decision.pk, "approve"])

    assert decision.conditions == ["Signed by Friday", "Power proven"]
    assert b"somebody else signs" in analyst.get(page).content
    assert analyst.post(close, {"version": decision.version}).status_code == 403
    assert b"Approve" in finance.get(page).content
    finance.post(close, {"version": decision.version, "comment": "agreed"})
    decision.refresh_from_db()
    assert (decision.state, decision.approved_by.username) == (DecisionState.APPROVED, "finance")


def test_nobody_approves_what_they_prepared(finished_run):
    answer = finished_run.run_answers.get().answer
    values = {"option": answer.option, "amount": "10", "valid_until": "2026-12-31"}
    decision = decision_prepare(by=actor("finance"), run=finished_run, workload_code="serve", values=values)

    address = reverse("procurement:decision_close", args=[decision.pk, "approve"])
    page = signed_in("finance").post(address, {"version": decision.version}, follow=True)

    decision.refresh_from_db()
    assert decision.state == DecisionState.PROPOSED
    assert b"somebody else must approve it" in page.content


def test_a_rejection_says_why(finished_run):
    answer = finished_run.run_answers.get().answer
    values = {"option": answer.option, "amount": "10", "valid_until": "2026-12-31"}
    decision = decision_prepare(by=actor("analyst"), run=finished_run, workload_code="serve", values=values)
    address = reverse("procurement:decision_close", args=[decision.pk, "reject"])
    client = signed_in("finance")

    silent = client.post(address, {"version": decision.version}, follow=True)
    client.post(address, {"version": decision.version, "comment": "too dear"})

    decision.refresh_from_db()
    assert b"Say why it is rejected" in silent.content
    assert (decision.state, decision.approval_comment) == (DecisionState.REJECTED, "too dear")


@pytest.mark.parametrize(("field", "value", "told"), [
    ("valid_until", "2001-01-01", b"2001-01-01 has passed, so nobody could sign it"),
    ("amount", "-5", b"The amount -5 is below 0"),
])  # fmt: skip
def test_terms_that_nobody_could_sign_are_refused_beside_their_field(finished_run, field, value, told):
    client = signed_in("analyst")
    address = f"{reverse('procurement:decision_new')}?run={finished_run.pk}&workload=serve"
    option = client.get(address).context["form"].initial["option"]

    answer = client.post(address, {"option": option, "amount": "10", "valid_until": "2026-12-31", field: value})

    assert answer.status_code == 422
    assert told in answer.content
    assert field in answer.context["form"].errors


def test_an_expired_proposal_no_longer_waits_for_a_signature(finished_run):
    answer = finished_run.run_answers.get().answer
    values = {"option": answer.option, "amount": "10", "valid_until": "2026-12-31"}
    decision = decision_prepare(by=actor("analyst"), run=finished_run, workload_code="serve", values=values)
    assert list(decisions_awaiting_approval()) == [decision]

    Decision.objects.update(valid_until="2001-01-01")

    assert not decisions_awaiting_approval().exists()


def test_a_version_or_a_run_of_thousands_of_digits_is_no_fault_of_ours(finished_run):
    answer = finished_run.run_answers.get().answer
    values = {"option": answer.option, "amount": "10", "valid_until": "2026-12-31"}
    decision = decision_prepare(by=actor("analyst"), run=finished_run, workload_code="serve", values=values)
    client, digits = signed_in("finance"), "9" * 5000

    close = reverse("procurement:decision_close", args=[decision.pk, "approve"])
    page = client.post(close, {"version": digits}, follow=True)

    assert b"was changed by somebody else" in page.content
    decision.refresh_from_db()
    assert decision.state == DecisionState.PROPOSED
    assert client.get(f"{reverse('procurement:decision_new')}?run={digits}&workload=serve").status_code == 404
    assert client.get(f"{reverse('procurement:assumption_set_new')}?copy={digits}").status_code == 404


def test_an_amount_that_is_no_number_is_refused_and_kept(finished_run):
    client = signed_in("analyst")
    address = f"{reverse('procurement:decision_new')}?run={finished_run.pk}&workload=serve"

    answer = client.post(address, {"option": "nonsense", "amount": "a lot", "valid_until": "2026-12-31"})

    assert answer.status_code == 422
    assert b'value="a lot"' in answer.content
    assert not Decision.objects.exists()


def test_a_secret_is_shown_once_and_stored_as_a_digest():
    client = signed_in("viewer")

    made = client.post(reverse("procurement:token_new"), {"name": "workbook", "scopes": ["quotes:read"]})

    token = ApiToken.objects.get()
    secret = made.context["secret"]
    assert secret.encode() in made.content
    assert made["Cache-Control"] == "no-store"
    assert secret not in str(token.__dict__)
    shown = re.search(r'id="token">([^<]+)<', made.content.decode()).group(1)  # what the page says to send as Bearer
    assert Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {shown}"}).status_code == 200
    assert secret.encode() not in client.get(reverse("procurement:tokens")).content


def test_a_token_is_revoked_by_its_owner_and_not_seen_by_others():
    owner = signed_in("viewer", "owner")
    owner.post(reverse("procurement:token_new"), {"name": "script", "scopes": ["quotes:read"]})
    token = ApiToken.objects.get()
    address = reverse("procurement:token_revoke", args=[token.pk])

    assert signed_in("analyst", "other").post(address).status_code == 404
    assert list(signed_in("analyst", "other").get(reverse("procurement:tokens")).context["tokens"]) == []
    owner.post(address)
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_a_decision_whose_inputs_moved_says_so(finished_run):
    answer = finished_run.run_answers.get().answer
    values = {"option": answer.option, "amount": "10", "valid_until": "2026-12-31"}
    decision = decision_prepare(by=actor("analyst"), run=finished_run, workload_code="serve", values=values)
    make_quote(sku="cheaper", price="0.10")
    run_request(by=actor("analyst"))
    while job_work(kinds=JOB_KINDS) is not None:
        pass

    page = signed_in("finance").get(reverse("procurement:decision", args=[decision.pk]))

    assert b"Its inputs have changed since" in page.content


def test_a_broken_constraint_is_told_in_words():
    error = ValidationError({"__all__": ["Constraint “promise_after_the_day_it_was_made” is violated."]})

    refusal = validation_error(error)

    assert refusal.fields["__all__"] == ["This must hold and does not: promise after the day it was made."]
