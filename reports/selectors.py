"""Reads for reports: parts of a run's frozen inputs, subscriptions, slots and messages."""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Count, F, Model, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Now

from procurement.models import ComponentRow, MonthRow, OptionRow, RequestLetter, Run, RunState
from procurement.selectors.runs import run_latest_finished, runs_all
from reports.errors import ReportUnavailable
from reports.models import (
    ALARMING,
    MessageState,
    OptOut,
    OutboxMessage,
    ReportSlot,
    ReportSubscription,
    SlotState,
)

LETTERS_AT_ONCE = 200
_PARTS_OF_RUN = """
SELECT part FROM procurement_run, jsonb_array_elements(inputs -> %s) AS part
WHERE procurement_run.id = %s AND part ->> 'id' = ANY(%s)
"""


def run_finished(run_id: int | None = None) -> Run:
    """Return a finished run, the newest without an id; refuses when there is none to show."""
    if run_id is None:
        run = run_latest_finished()
        if run is None:
            raise ReportUnavailable("No run is finished yet; reports read finished runs only.")
        return run
    run = runs_all().filter(pk=run_id).first()
    if run is None or run.state != RunState.FINISHED:
        raise ReportUnavailable(f"Run {run_id} is not finished or does not exist; reports read finished runs only.")
    return run


def run_assumptions(run: Run) -> dict[str, Any]:
    """Return the frozen assumptions of a run."""
    return Run.objects.values_list("inputs__assumptions", flat=True).get(pk=run.pk) or {}


def run_parts(run: Run, kind: str, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the frozen quotes, builds or workloads of a run that are named, by id; the rest stays in the database."""
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_PARTS_OF_RUN, [kind, run.pk, sorted(ids)])
        parts = [json.loads(row[0]) if isinstance(row[0], str) else row[0] for row in cursor.fetchall()]
    return {part["id"]: part for part in parts}


def options_that_do_not_add_up(run: Run) -> QuerySet[OptionRow]:
    """Return options of a run whose parts or months are not the totals stored beside them, to the cent."""
    return (
        OptionRow.objects.filter(answer__run_answers__run=run)
        .annotate(
            parts=_sum_of(ComponentRow, "amount"),
            present_parts=_sum_of(ComponentRow, "present_cost"),
            paid=_sum_of(MonthRow, "amount"),
        )
        .filter(
            (Q(parts__isnull=False) & ~Q(parts=F("nominal_cost")))
            | (Q(present_parts__isnull=False) & ~Q(present_parts=F("npv")))
            | (Q(paid__isnull=False) & ~Q(paid=F("nominal_cost")))
        )
        .defer("detail")
    )


def _sum_of(model: type[Model], column: str) -> Subquery:
    rows = model._default_manager.filter(option=OuterRef("pk")).order_by().values("option")
    return Subquery(rows.annotate(total=Sum(column)).values("total"))


def run_before(run: Run) -> Run | None:
    """Return the finished run that was asked before this one."""
    return (
        runs_all()
        .filter(state=RunState.FINISHED, last_asked_at__lt=run.last_asked_at)
        .order_by("-last_asked_at")
        .first()
    )


def subscriptions_all() -> QuerySet[ReportSubscription]:
    """Return subscriptions in use, with how many of their messages wait for a person."""
    alarming = Q(messages__state__in=ALARMING, messages__acknowledged_at=None)
    return (
        ReportSubscription.objects.filter(is_archived=False)
        .select_related("owner")
        .annotate(alarms=Count("messages", filter=alarming))
    )


def subscriptions_sending() -> QuerySet[ReportSubscription]:
    """Return subscriptions that have slots to come."""
    return ReportSubscription.objects.filter(is_archived=False, is_active=True)


def recipients_of(subscription: ReportSubscription) -> list[str]:
    """Return who still wants the mail, in the stored order."""
    left = set(OptOut.objects.filter(subscription=subscription).values_list("recipient", flat=True))
    return [recipient for recipient in dict.fromkeys(subscription.recipients) if recipient not in left]


def slots_to_prepare() -> list[int]:
    """Return slots whose messages are still to be written."""
    due = ReportSlot.objects.filter(state=SlotState.DUE, next_attempt_at__lte=Now())
    return list(due.order_by("slot_at", "id").values_list("pk", flat=True))


def slot_last_prepared(subscription: ReportSubscription, before: datetime) -> ReportSlot | None:
    """Return the newest slot whose report went out before an instant."""
    return (
        ReportSlot.objects.filter(subscription=subscription, slot_at__lt=before)
        .filter(state__in=(SlotState.PREPARED, SlotState.UNCHANGED))
        .select_related("run")
        .defer("run__inputs")
        .order_by("-slot_at")
        .first()
    )


def letters_to_mail() -> list[RequestLetter]:
    """Return letters that are to go by mail, were not noted as sent by hand, and have no message yet; oldest first."""
    waiting = RequestLetter.objects.filter(is_mailed=True, sent_at=None)
    queued = OutboxMessage.objects.filter(letter__isnull=False).values("letter")
    return list(waiting.exclude(pk__in=queued).select_related("notice__created_by").order_by("pk")[:LETTERS_AT_ONCE])


def messages_to_send() -> list[int]:
    """Return messages that a sender could claim now, oldest first."""
    waiting = Q(state__in=(MessageState.PENDING, MessageState.RETRY), next_attempt_at__lte=Now())
    return list(OutboxMessage.objects.filter(waiting).order_by("id").values_list("pk", flat=True)[:500])


def messages_log(subscription: ReportSubscription | None = None) -> QuerySet[OutboxMessage]:
    """Return messages without their text, newest first."""
    messages = OutboxMessage.objects.defer("content").select_related("subscription", "letter__notice__request")
    return messages if subscription is None else messages.filter(subscription=subscription)


def messages_alarming() -> QuerySet[OutboxMessage]:
    """Return messages that failed or may not have arrived, which nobody has looked at."""
    return messages_log().filter(state__in=ALARMING, acknowledged_at=None)


def slots_alarming() -> QuerySet[ReportSlot]:
    """Return slots that could not be written or were missed, which nobody has looked at."""
    alarming = (SlotState.FAILED, SlotState.MISSED)
    return ReportSlot.objects.filter(state__in=alarming, acknowledged_at=None).select_related("subscription")


def slots_of(subscription: ReportSubscription) -> QuerySet[ReportSlot]:
    """Return the slots of a subscription, newest first."""
    return ReportSlot.objects.filter(subscription=subscription)
