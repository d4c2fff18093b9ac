"""Reads of decisions, with whether their inputs still hold."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from procurement.models import Answer, Decision, DecisionState, Run
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.option_names import option_parts
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


def option_obstacles(run: Run, workload_code: str, option: str) -> list[str]:
    """Return what a finished run says against an option, as its reasons in words; nothing where it may be chosen.

    A run lists the cheapest offers only, so an offer that it does not list counts as what can be had of it.
    """
    answer = Answer.objects.filter(run_answers__run=run, workload_code=workload_code).first()
    if answer is None:
        return [f"the workload `{workload_code}` is in it no more"]
    row = answer.options.filter(option=option).first()
    if row is not None:
        reasons = row.detail.get("reasons") or ["it cannot be priced"]
        return [] if row.is_feasible else _in_words(reasons)
    quote = option_parts(option).quote
    offer = answer.availability.filter(quote_code=quote).first() if quote else None
    return ["the option is in it no more"] if offer is None else _in_words(offer.reasons)


def _in_words(reasons: Iterable[Any]) -> list[str]:
    """Return `code`, `code:detail` or a record with its code as words."""
    codes = (reason["code"] if isinstance(reason, Mapping) else str(reason) for reason in reasons)
    return list(dict.fromkeys(code.replace("_", " ").replace(":", ": ") for code in codes))


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
