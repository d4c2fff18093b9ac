"""Runs, recommendations, decisions, jobs and evaluations through the interface."""

import json

import pytest

from procurement.models import Decision, Evaluation, Job, JobStatus, Run, RunState
from procurement.services.evaluations import document_example, evaluation_run
from procurement.services.jobs import job_request
from tests.factories import make_assumptions, make_quote, make_workload
from tests.procurement.api_tools import client_of, make_run

pytestmark = pytest.mark.django_db


class SilentJob:
    """A job that tells nobody how far it is."""

    def progress(self, done, total=None, message=""):
        pass


def test_a_run_is_asked_once_and_the_same_question_is_the_same_run():
    make_assumptions()
    make_quote()
    make_workload()
    analyst = client_of("analyst")

    first = analyst.post("runs/", {"reason": "board meeting"})
    again = analyst.post("runs/", {})

    assert (first.status_code, again.status_code) == (202, 200), first.content
    assert first.json()["id"] == again.json()["id"]
    assert (first.json()["state"], first.json()["reason"]) == ("requested", "board meeting")
    inputs = analyst.get(first["Location"] + "inputs/")
    assert inputs["Content-Disposition"].startswith("attachment")
    assert [workload["id"] for workload in inputs.json()["workloads"]] == ["serve"]


def test_no_run_without_assumptions():
    reply = client_of("analyst").post("runs/", {})

    assert (reply.status_code, reply.json()["code"]) == (409, "no_assumptions")


def test_an_unfinished_run_shows_no_figures():
    made = make_run()
    Run.objects.filter(pk=made.run.pk).update(state=RunState.AVAILABILITY)
    viewer = client_of("viewer")

    assert viewer.get(f"runs/{made.run.pk}/recommendations/").status_code == 409
    assert viewer.get("recommendations/").status_code == 404


def test_a_recommendation_shows_options_components_and_months_as_stored():
    made = make_run()
    viewer = client_of("viewer")

    line = viewer.get("recommendations/").json()["results"][0]
    shown = viewer.get(f"runs/{made.run.pk}/recommendations/serve/").json()

    assert (line["run"], line["verdict"], line["npv"], line["currency"]) == (made.run.pk, "on_prem", "919667.96", "USD")
    assert line["reasons"] == [{"code": "cheaper_owned", "saving": "4258321.57"}]
    assert line["premium_over_cheapest"] is None
    first = shown["options"][0]
    assert (first["option"], first["npv"], first["capital"]) == ("on_prem:hall-1", "919667.96", "461567.50")
    assert first["components"] == [{"component": "hardware", "amount": "461567.50"}]
    assert first["months"] == [{"month": 0, "amount": "461567.50"}, {"month": 1, "amount": "-12.60"}]
    feasible = viewer.get(f"runs/{made.run.pk}/recommendations/serve/options/?kind=cloud").json()["results"]
    assert [row["npv"] for row in feasible] == ["5177989.53"]
    offers = viewer.get(f"runs/{made.run.pk}/recommendations/serve/availability/").json()["results"]
    assert [(row["quote"], row["verdict"]) for row in offers] == [("acme-h100", "bookable")]


def test_a_decision_takes_two_people():
    make_assumptions()
    made = make_run()
    analyst, preparer, finance = client_of("analyst"), client_of("finance", "f1"), client_of("finance", "f2")
    values = {
        "run": made.run.pk, "workload": "serve", "option": "on_prem:hall-1", "amount": "461567.50",
        "valid_until": "2027-01-31",
    }  # fmt: skip

    prepared = preparer.post("decisions/", values)
    assert prepared.status_code == 201, prepared.content
    place = prepared["Location"]
    assert preparer.post(f"{place}approve/", If_Match='"1"').json()["code"] == "same_person"
    assert analyst.post(f"{place}approve/", If_Match='"1"').status_code == 403
    assert finance.post(f"{place}approve/").status_code == 428
    approved = finance.post(f"{place}approve/", {"comment": "within budget"}, If_Match='"1"')
    assert (approved.status_code, approved.json()["state"], approved["ETag"]) == (200, "approved", '"2"')
    assert approved.json()["approved_by"] == "f2"
    late = finance.post(f"{place}reject/", {"comment": "no"}, If_Match='"2"')
    assert (late.status_code, late.json()["code"]) == (409, "decision_closed")


def test_a_decision_on_an_option_that_is_not_there_lists_those_that_are():
    made = make_run()
    values = {
        "run": made.run.pk, "workload": "serve", "option": "cloud:dream", "amount": "1", "valid_until": "2027-01-31",
    }  # fmt: skip

    reply = client_of("analyst").post("decisions/", values)

    assert reply.status_code == 400
    assert "on_prem:hall-1" in reply.json()["errors"][0]["detail"]
    assert not Decision.objects.exists()


def test_a_failed_job_is_shown_and_tried_again():
    job = job_request(kind="recompute", dedupe_key="recompute")
    Job.objects.filter(pk=job.pk).update(status=JobStatus.FAILED, last_error="out of luck", progress_done=2)
    administrator = client_of("administrator")

    shown = administrator.get(f"jobs/{job.pk}/").json()
    again = administrator.post(f"jobs/{job.pk}/retry/", {"reason": "luck is back"})

    assert (shown["last_error"], shown["progress"]["done"]) == ("out of luck", 2)
    assert (again.status_code, again.json()["status"]) == (200, "queued")
    assert administrator.post(f"jobs/{job.pk}/retry/").status_code == 409


def test_a_small_document_is_answered_at_once():
    analyst = client_of("analyst")
    document = analyst.get("evaluate/example/").json()

    reply = analyst.post("evaluate/", document)

    assert reply.status_code == 200, reply.content[:2000]
    assert reply.json()["as_of"] == document["as_of"]
    assert "engine_version" in reply.json()
    assert not Evaluation.objects.exists()


def test_a_document_with_faults_names_each_with_its_place():
    document = {**document_example(), "as_of": "soon", "quots": []}

    problem = client_of("analyst").post("evaluate/", document).json()

    faults = {fault["pointer"]: fault for fault in problem["errors"]}
    assert problem["status"] == 400
    assert {"/as_of", "/quots"} <= set(faults)
    assert "soon" in faults["/as_of"]["found"]
    assert faults["/as_of"]["expected"]


def test_a_file_cannot_be_named_from_afar():
    document = document_example()
    document["workloads"][0]["demand"] = {"hourly_file": "../secret"}

    problem = client_of("analyst").post("evaluate/", document).json()

    assert problem["errors"][0]["pointer"] == "/workloads/0/demand/hourly_file"


@pytest.mark.parametrize("body", [b"[]", b"null", b"1", b"{}", b'{"schema": "scenario/1"}', b'{"quotes": {}}'])
def test_what_is_no_document_is_refused(body):
    assert client_of("analyst").ask("POST", "evaluate/", body).status_code == 400


def test_a_large_document_is_answered_by_a_worker():
    document = document_example()
    template = document["workloads"][0]
    quotes = max(len(document["quotes"]), 1)
    document["workloads"] = [{**template, "id": f"w{n}"} for n in range(200 // quotes + 1)]
    analyst = client_of("analyst")

    accepted = analyst.post("evaluate/", document)
    assert accepted.status_code == 202, accepted.content[:2000]
    waiting = analyst.get(accepted["Location"]).json()
    assert (waiting["status"], waiting["answer"]) == ("queued", None)
    job = Job.objects.get(kind="evaluation")
    evaluation_run(SilentJob(), **job.args)
    evaluation_run(SilentJob(), **job.args)

    done = analyst.get(accepted["Location"]).json()
    assert done["status"] == "done"
    assert set(done["answer"]["recommendation"]) == {workload["id"] for workload in document["workloads"]}


@pytest.mark.shared
def test_the_published_server_case_gives_its_figures(shared_folder):
    document = json.loads((shared_folder / "cases" / "scenario_lp2368_d.json").read_text())

    answer = client_of("analyst").post("evaluate/", document).json()

    options = next(iter(answer["options"].values()))
    nominal = {option["option"].split(":")[0]: option["nominal_cost"] for option in options}
    assert nominal["on_prem"] == "1013447.50"
    assert nominal["cloud"] == "6237996.00"
