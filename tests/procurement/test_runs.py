"""Runs: one question is one run, answers are rows, unchanged answers are taken over, figures add up."""

from datetime import date
from decimal import Decimal

import pytest

from procurement.engine.pipeline import evaluate
from procurement.engine.scenario import parse_scenario
from procurement.models import Answer, Job, Run, RunState
from procurement.selectors.runs import answers_of, recommendation_table, run_latest_finished
from procurement.services import runs
from procurement.services.job_runner import job_work
from procurement.services.quotes import quote_supersede
from procurement.services.runs import recompute_when_time_changes_it, run_request
from procurement.services.workloads import workload_update
from procurement.tasks import JOB_KINDS
from tests.factories import actor, make_assumptions, make_build, make_quote, make_workload

pytestmark = pytest.mark.django_db


class NoPulse:
    """Stands in for the lease thread, which would need a committed row."""

    def __init__(self, job):
        self.job = job

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


def work_off():
    """Work off every due job; return the kinds in order."""
    kinds = []
    while (row := job_work(kinds=JOB_KINDS, pulse=NoPulse)) is not None:
        assert row.status == "done", row.last_error
        kinds.append(row.kind)
    return kinds


@pytest.fixture
def _records():
    make_assumptions()
    make_quote()
    make_build()
    make_workload()


@pytest.mark.usefixtures("_records")
def test_a_change_is_recomputed_stage_by_stage():
    kinds = work_off()

    assert kinds == ["recompute", "recompute_energization", "recompute_availability", "recompute_comparisons"]
    assert run_latest_finished().state == RunState.FINISHED


@pytest.mark.usefixtures("_records")
def test_the_same_question_asked_twice_is_one_run():
    work_off()
    run, is_new = run_request(by=actor("analyst"))

    assert not is_new
    assert Run.objects.count() == 1
    assert run.state == RunState.FINISHED
    assert work_off() == []


@pytest.mark.usefixtures("_records")
def test_rows_hold_what_evaluate_answers_for_the_frozen_inputs():
    work_off()
    run = Run.objects.get()
    answer = answers_of(run).get()

    again = evaluate(parse_scenario(run.inputs))

    stated = again["recommendation"]["serve"]
    assert (answer.verdict, answer.option) == (stated["verdict"], stated["option"])
    options = {option["option"]: option for option in again["options"]["serve"]}
    assert {row.option for row in answer.options.all()} == set(options)
    for row in answer.options.all():
        npv = options[row.option]["npv"]
        assert row.npv == (None if npv is None else Decimal(npv))


@pytest.mark.usefixtures("_records")
def test_components_and_months_sum_to_the_total_exactly():
    work_off()

    for row in answers_of(Run.objects.get()).get().options.filter(is_feasible=True):
        assert sum(part.amount for part in row.components.all()) == row.nominal_cost
        assert sum(part.present_cost for part in row.components.all()) == row.npv
        assert sum(month.amount for month in row.months.all()) == row.nominal_cost


@pytest.mark.usefixtures("_records")
def test_an_answer_whose_inputs_did_not_change_is_taken_over():
    other = make_workload("train", accelerators=16)
    work_off()
    first = {answer.workload_code: answer.pk for answer in Answer.objects.all()}

    workload_update(by=actor("analyst"), workload=other, version=1, values={"accelerators": 24})
    work_off()

    run = run_latest_finished()
    second = {link.workload_code: link for link in run.run_answers.all()}
    assert run.answers_taken_over == 1
    assert second["serve"].is_taken_over
    assert second["serve"].answer_id == first["serve"]
    assert second["train"].answer_id != first["train"]


@pytest.mark.usefixtures("_records")
def test_a_price_of_a_type_that_nobody_can_use_recomputes_nothing():
    other = make_quote(sku="a100", accelerator="A100-SXM-80")
    work_off()

    quote_supersede(by=actor("analyst"), quote=other, version=1, values={"price": "1.10"})
    work_off()

    run = run_latest_finished()
    assert Run.objects.count() == 2
    assert run.answers_taken_over == run.workload_count == 1


@pytest.mark.usefixtures("_records")
def test_workloads_are_answered_in_parts_of_bounded_size(monkeypatch):
    monkeypatch.setattr(runs, "PAIRS_AT_A_TIME", 2)
    for number in range(4):  # with one quote: parts of two workloads
        make_workload(f"more-{number}", accelerators=8 * (number + 1))
    work_off()

    run = run_latest_finished()
    whole = evaluate(parse_scenario(run.inputs))
    assert {answer.workload_code: answer.option for answer in answers_of(run)} == {
        code: advice["option"] for code, advice in whole["recommendation"].items()
    }


@pytest.mark.usefixtures("_records")
def test_a_past_run_is_never_written_over():
    work_off()
    before = Run.objects.get()
    inputs, rows = before.inputs, list(answers_of(before).get().options.values_list("option", "npv"))

    quote = make_quote(sku="other", price="1.10")
    quote_supersede(by=actor("analyst"), quote=quote, version=1, values={"price": "0.90"})
    work_off()

    before.refresh_from_db()
    assert before.inputs == inputs
    assert list(answers_of(before).get().options.values_list("option", "npv")) == rows
    assert Run.objects.count() == 2


@pytest.mark.usefixtures("_records")
def test_the_table_of_recommendations_has_a_line_with_reasons_for_each_workload():
    work_off()
    lines = recommendation_table()

    assert [line.workload_code for line in lines] == ["serve"]
    assert lines[0].reasons
    assert lines[0].npv is not None


@pytest.mark.usefixtures("_records")
def test_time_alone_asks_for_a_new_run_on_the_day_on_which_it_changes_something(time_machine):
    work_off()
    run = Run.objects.get()
    assert run.next_change_on is not None
    Run.objects.update(assumption_set=run.assumption_set)
    type(run.assumption_set).objects.update(evaluated_on=None)
    Job.objects.all().delete()

    time_machine.move_to(date(2026, 11, 30))
    assert recompute_when_time_changes_it() is None

    time_machine.move_to(run.next_change_on)
    assert recompute_when_time_changes_it() is not None
