"""Writes of invitations and questions: who is asked, who will not bid, what was asked and what all were told."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import (
    BidState,
    InvitationState,
    NoticeKind,
    QuoteRequest,
    RequestInvitation,
    RequestQuestion,
    RequestState,
)
from procurement.permissions import require
from procurement.selectors import clock
from procurement.services.actors import Actor, reason_required
from procurement.services.audit import audit_record
from procurement.services.records import record_archive, record_create, record_update, validation_error
from procurement.services.requests import request_locked, state_required
from procurement.services.requests_letters import invitation_letter, notice_send

WHILE_ASKING = (RequestState.DRAFT, RequestState.PUBLISHED)


def invitation_create(*, by: Actor, quote_request: QuoteRequest, values: Mapping[str, Any]) -> RequestInvitation:
    """Ask a supplier; one who joins after publishing gets everything that the others were told."""
    require(by.user, "request.edit")
    with transaction.atomic():
        locked = request_locked(quote_request)
        state = state_required(locked, WHILE_ASKING, "take another supplier")
        known = locked.invitations.filter(provider=values.get("provider")).first()
        if known is not None:
            message = f"{known.provider} is invited already; change that invitation."
            raise ProcurementError("invalid", message, {"provider": [message]})
        record = RequestInvitation(request=locked, **values)
        invitation = record_create(by=by, record=record, action="request_invitation.create")
        if state == RequestState.PUBLISHED:
            invitation_letter(by=by, quote_request=locked, invitation=invitation)
    return invitation


def invitation_update(
    *, by: Actor, invitation: RequestInvitation, version: int, values: Mapping[str, Any]
) -> RequestInvitation:
    """Change where the mail of a supplier goes."""
    require(by.user, "request.edit")
    return record_update(by=by, record=invitation, version=version, values=values, action="request_invitation.update")


def invitation_archive(
    *, by: Actor, invitation: RequestInvitation, version: int, is_archived: bool = True
) -> RequestInvitation:
    """Take a supplier off a draft, or put it back; after publishing a supplier declines instead."""
    require(by.user, "request.edit")
    with transaction.atomic():
        state_required(request_locked(invitation.request), (RequestState.DRAFT,), "lose a supplier")
        return record_archive(
            by=by, record=invitation, version=version, action="request_invitation.archive", is_archived=is_archived
        )


def invitation_decline(*, by: Actor, invitation: RequestInvitation, version: int) -> RequestInvitation:
    """Note that a supplier will not bid, with the reason given; refuses while a bid of theirs lies sealed."""
    require(by.user, "request.edit")
    reason_required(by, "which reason the supplier gives for not bidding")
    with transaction.atomic():
        locked = request_locked(invitation.request)
        state_required(locked, (RequestState.PUBLISHED, RequestState.CLOSED), "take a refusal to bid")
        if invitation.state == InvitationState.DECLINED:
            raise ProcurementError("wrong_state", f"{invitation} has said already that it will not bid.")
        if invitation.bids.filter(state=BidState.SEALED).exists():
            raise ProcurementError(
                "bid_on_file", f"A bid of {invitation.provider} is on file; withdraw that bid first."
            )
        values = {
            "state": InvitationState.DECLINED, "decline_reason": by.reason[:300], "declined_at": clock.database_now(),
        }  # fmt: skip
        return record_update(
            by=by, record=invitation, version=version, values=values, action="request_invitation.decline"
        )


def question_ask(
    *, by: Actor, quote_request: QuoteRequest, question: str, invitation: RequestInvitation | None = None
) -> RequestQuestion:
    """Record a question; without invitation it is one of our own, which needs telling everybody all the same."""
    require(by.user, "request.edit")
    with transaction.atomic():
        locked = request_locked(quote_request)
        state_required(locked, (RequestState.PUBLISHED,), "take a question")
        record = RequestQuestion(request=locked, invitation=invitation, question=question.strip(), recorded_by=by.user)
        try:
            record.full_clean()
        except ValidationError as error:
            raise validation_error(error) from error
        record.save(force_insert=True)
        audit_record(by=by, action="request_question.ask", record=record, changes={"question": [None, record.question]})
    return record


def question_answer(*, by: Actor, question: RequestQuestion, answer: str) -> RequestQuestion:
    """Answer a question once; the answer goes to all suppliers, and who asked stands in none of the letters."""
    require(by.user, "request.edit")
    if not answer.strip():
        message = "Write the answer; all invited suppliers read it."
        raise ProcurementError("invalid", message, {"answer": [message]})
    with transaction.atomic():
        locked = request_locked(question.request)
        state_required(locked, (RequestState.PUBLISHED,), "answer questions")
        record = RequestQuestion.objects.select_for_update(of=("self",)).get(pk=question.pk)
        if record.answered_at is not None:
            raise ProcurementError(
                "already_answered", f"{record} was answered and all were told; ask it anew to say more."
            )
        record.answer, record.answered_at, record.answered_by = answer.strip(), clock.database_now(), by.user
        record.save(update_fields=["answer", "answered_at", "answered_by"])
        body = f"Question:\n{record.question}\n\nAnswer:\n{record.answer}"
        notice_send(by=by, quote_request=locked, kind=NoticeKind.CLARIFICATION, body=body)
        audit_record(by=by, action="request_question.answer", record=record, changes={"answer": [None, record.answer]})
    return record
