"""Reads of decisions, with whether their inputs still hold."""

from django.db.models import QuerySet

from procurement.models import Answer, Decision, DecisionState
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.runs import run_latest_finished


def decisions_all() -> QuerySet[Decision]:
    """Return all decisions, newest first."""
    return Decision.objects.select_related("run", "prepared_by", "approved_by").defer("run__inputs")


def decisions_awaiting_approval() -> QuerySet[Decision]:
    """Return what waits for a signature and can still get one."""
    return decisions_all().filter(state=DecisionState.PROPOSED, valid_until__gte=day_of_evaluation())


def decision_answer_today(decision: Decision) -> Answer | None:
    """Return what the newest finished run says for the decision's workload, ``None`` when it says nothing."""
    run = run_latest_finished()
    if run is None:
        return None
    return Answer.objects.filter(run_answers__run=run, workload_code=decision.workload_code).first()


def decision_is_current(decision: Decision) -> bool:
    """Return whether the newest run rests on the same inputs as the decision did."""
    answer = decision_answer_today(decision)
    return answer is not None and answer.digest == decision.inputs_digest


def decisions_drifted() -> list[Decision]:
    """Return signed decisions that the newest run would no longer recommend."""
    run = run_latest_finished()
    if run is None:
        return []
    options = dict(Answer.objects.filter(run_answers__run=run).values_list("workload_code", "option"))
    signed = decisions_all().filter(state=DecisionState.APPROVED)
    return [decision for decision in signed if options.get(decision.workload_code) != decision.option]
