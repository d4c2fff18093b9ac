"""Decisions: prepared by one person, approved, rejected or withdrawn on the version in If-Match."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from procurement.api.base import CreateApi, DetailApi, ListApi, VersionedActionApi, found
from procurement.api.filters import Filter, modified_filters
from procurement.api.serializers_runs import CommentInput, DecisionInput, DecisionOutput, RejectInput
from procurement.models import Decision, DecisionState
from procurement.selectors.decisions import decisions_all
from procurement.services.actors import Actor
from procurement.services.decisions import decision_approve, decision_prepare, decision_reject, decision_withdraw


class DecisionListApi(ListApi, CreateApi):
    """Decisions, and a new one put up for approval."""

    resource = "decisions"
    actions = {"POST": "decision.prepare"}
    filters = (
        Filter("state", "state", "where it stands", choices=lambda: DecisionState.choices),
        Filter("workload", "workload_code", "code of the workload"),
        Filter("run", "run_id", "id of the run", "whole"),
        *modified_filters(),
    )
    output = DecisionOutput
    input = DecisionInput

    def records(self, **kwargs: Any) -> QuerySet[Decision]:
        """Return all decisions."""
        return decisions_all().select_related("created_by")

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Decision:
        """Put an option up for approval."""
        run, workload = values.pop("run"), values.pop("workload")
        return decision_prepare(by=by, run=run, workload_code=workload, values=values)

    def location(self, record: Decision) -> str:
        """Return its address."""
        return reverse("api:decision", kwargs={"code": record.code})


class DecisionDetailApi(DetailApi):
    """One decision."""

    resource = "decisions"
    output = DecisionOutput

    def record(self, **kwargs: Any) -> Decision:
        """Return the decision."""
        return found(decisions_all().select_related("created_by"), "decision", **kwargs)


class DecisionActionApi(VersionedActionApi):
    """An action on a proposed decision."""

    resource = "decisions"
    output = DecisionOutput
    input = CommentInput

    def record(self, **kwargs: Any) -> Decision:
        """Return the decision."""
        return found(decisions_all(), "decision", **kwargs)


class DecisionApproveApi(DecisionActionApi):
    """Approve a decision that somebody else prepared."""

    actions = {"POST": "decision.approve"}

    def carry_out(self, by: Actor, record: Decision, version: int, values: dict[str, Any]) -> Decision:
        """Approve it."""
        return decision_approve(by=by, decision=record, version=version, comment=values.get("comment", ""))


class DecisionRejectApi(DecisionActionApi):
    """Reject a decision, saying why."""

    actions = {"POST": "decision.approve"}
    input = RejectInput

    def carry_out(self, by: Actor, record: Decision, version: int, values: dict[str, Any]) -> Decision:
        """Reject it."""
        return decision_reject(by=by, decision=record, version=version, comment=values["comment"])


class DecisionWithdrawApi(DecisionActionApi):
    """Take a decision back before it is signed."""

    actions = {"POST": "decision.prepare"}

    def carry_out(self, by: Actor, record: Decision, version: int, values: dict[str, Any]) -> Decision:
        """Take it back."""
        return decision_withdraw(by=by, decision=record, version=version, comment=values.get("comment", ""))
