"""Writes of decisions: prepared by one person, approved by another, with the digest of its inputs."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.models import Answer, Decision, DecisionState, Run, RunState
from procurement.permissions import require
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.decisions import option_obstacles
from procurement.selectors.runs import run_latest_finished
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.expiry import refuse_expired_quotes
from procurement.services.locks import Lock
from procurement.services.records import next_code, record_update, validation_error


def decision_prepare(*, by: Actor, run: Run, workload_code: str, values: Mapping[str, Any]) -> Decision:
    """Propose one option of a finished run for approval; freezes amount, conditions and the inputs' digest.

    Refuses an unfinished run, an option that the run does not hold or that is not feasible, and the same proposal
    again while the first one is open.
    """
    require(by.user, "decision.prepare")
    if run.state != RunState.FINISHED:
        raise ProcurementError("run_not_finished", f"{run} is not finished; decide on a finished run.")
    answer = Answer.objects.filter(run_answers__run=run, workload_code=workload_code).first()
    if answer is None:
        message = f"{run} holds no workload `{workload_code}`."
        raise ProcurementError("invalid", message, {"workload_code": [message]})
    option = answer.options.filter(option=values.get("option")).first()
    if option is None or not option.is_feasible:
        feasible = ", ".join(answer.options.filter(is_feasible=True).values_list("option", flat=True)) or "none"
        message = f"`{values.get('option')}` is not a feasible option for {workload_code}. Feasible: {feasible}."
        raise ProcurementError("invalid", message, {"option": [message]})
    _refuse_terms(values)
    refuse_expired_quotes(run=run, option=option.option)
    _refuse_ruled_out(run, workload_code, option.option)
    decision = Decision(
        run=run, workload_code=workload_code, currency=run.currency, inputs_digest=answer.digest,
        prepared_by=by.user, created_by=by.user, **values,
    )  # fmt: skip
    with transaction.atomic():
        prefix = f"D-{day_of_evaluation().year}-"
        decision.code = next_code(Decision.objects.all(), prefix=prefix, lock=Lock.DECISION_NUMBERS)
        _refuse_same_proposal(decision)
        try:
            decision.full_clean()
        except ValidationError as error:
            raise validation_error(error) from error
        decision.save(force_insert=True)
        changes = {"option": [None, decision.option], "amount": [None, f"{decision.amount} {decision.currency}"]}
        audit_record(by=by, action="decision.prepare", record=decision, changes=changes)
    return decision


def _refuse_terms(values: Mapping[str, Any]) -> None:
    """Refuse an amount below zero and a day that nobody can sign on any more."""
    faults: dict[str, list[str]] = {}
    amount, last_day = values.get("amount"), values.get("valid_until")
    if isinstance(amount, Decimal) and amount < 0:
        faults["amount"] = [f"The amount {amount} is below 0; state what is to be approved."]
    if isinstance(last_day, date) and last_day < (today := day_of_evaluation()):
        faults["valid_until"] = [f"{last_day} has passed, so nobody could sign it; state {today} or a later day."]
    if faults:
        raise ProcurementError("invalid", " ".join(text for texts in faults.values() for text in texts), faults)


def decision_approve(*, by: Actor, decision: Decision, version: int, comment: str = "") -> Decision:
    """Approve a proposed decision.

    Refuses its preparer, one whose validity or quote has passed, and one whose option the newest finished run
    rules out.
    """
    require(by.user, "decision.approve")
    if by.user is not None and decision.prepared_by_id == by.user.pk:
        raise ProcurementError(
            "same_person", f"{decision.code} was prepared by {by.user}; somebody else must approve it."
        )
    if decision.valid_until < day_of_evaluation():
        raise ProcurementError(
            "decision_expired",
            f"{decision.code} was valid until {decision.valid_until}; prepare it again on today's run.",
        )
    refuse_expired_quotes(run=decision.run, option=decision.option)
    if decision.state == DecisionState.PROPOSED:
        _refuse_ruled_out(decision.run, decision.workload_code, decision.option)
    return _close(by=by, decision=decision, version=version, state=DecisionState.APPROVED, comment=comment)


def decision_reject(*, by: Actor, decision: Decision, version: int, comment: str) -> Decision:
    """Reject a proposed decision with the reason."""
    require(by.user, "decision.approve")
    if not comment.strip():
        message = "Say why it is rejected, so that its preparer knows what to change."
        raise ProcurementError("invalid", message, {"comment": [message]})
    return _close(by=by, decision=decision, version=version, state=DecisionState.REJECTED, comment=comment)


def decision_withdraw(*, by: Actor, decision: Decision, version: int, comment: str = "") -> Decision:
    """Take a proposed decision back."""
    require(by.user, "decision.prepare")
    return _close(by=by, decision=decision, version=version, state=DecisionState.WITHDRAWN, comment=comment)


def _close(*, by: Actor, decision: Decision, version: int, state: DecisionState, comment: str) -> Decision:
    if decision.state != DecisionState.PROPOSED:
        raise ProcurementError(
            "decision_closed", f"{decision.code} is {decision.get_state_display().lower()} and no longer changes."
        )
    values: dict[str, Any] = {"state": state, "approval_comment": comment}
    if state in (DecisionState.APPROVED, DecisionState.REJECTED):
        values |= {"approved_by": by.user, "approved_at": timezone.now()}
    return record_update(by=by, record=decision, version=version, values=values, action=f"decision.{state.value}")


def _refuse_ruled_out(run: Run, workload_code: str, option: str) -> None:
    """Refuse an option of a past run that is no longer feasible in the newest finished one, with what changed."""
    newest = run_latest_finished()
    if newest is None or newest.pk == run.pk:
        return
    obstacles = option_obstacles(newest, workload_code, option)
    if obstacles:
        message = f"`{option}` was feasible in {run} and no longer is in {newest}: {', '.join(obstacles)}."
        raise ProcurementError(
            "option_ruled_out", f"{message} Prepare a decision on the newest run.", {"option": [message]}
        )


def _refuse_same_proposal(decision: Decision) -> None:
    """Refuse what a second press of the button sends: the same person, run, option and amount, still open."""
    same = Decision.objects.filter(
        run=decision.run, workload_code=decision.workload_code, option=decision.option, amount=decision.amount,
        prepared_by=decision.prepared_by, state=DecisionState.PROPOSED,
    ).first()  # fmt: skip
    if same is not None:
        raise ProcurementError(
            "already_proposed",
            f"You proposed this already as {same.code}; it waits for a signature. Withdraw it first.",
        )
