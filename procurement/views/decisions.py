"""Pages of decisions: list, decision, prepare, approve by a second person."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.decisions import ApprovalForm, DecisionForm
from procurement.models import Answer, Decision, Run
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.decisions import decision_answer_today, decision_is_current, decisions_all
from procurement.selectors.runs import answer_of, run_latest_finished, runs_all
from procurement.services.actors import Actor
from procurement.services.decisions import (
    decision_approve,
    decision_prepare,
    decision_reject,
    decision_withdraw,
)
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page, whole
from procurement.views.filters import DecisionFilter
from procurement.views.frame import Entry
from procurement.views.history import history_shown

CLOSINGS: dict[str, Callable[..., Decision]] = {
    "approve": decision_approve,
    "reject": decision_reject,
    "withdraw": decision_withdraw,
}


class DecisionListView(ListPage):
    """Decisions, newest first."""

    template = "procurement/decisions.html"
    filterset = DecisionFilter
    columns = (
        Column("Decision", "code"), Column("Workload", "workload_code"), Column("Option"), Column("State", "state"),
        Column("Amount", "amount", "", True), Column("Valid until", "valid_until"), Column("Prepared by"),
        Column("Approved by"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return them."""
        return decisions_all()

    def more(self, page: Any) -> dict[str, Any]:
        """Return the day against which validity counts."""
        return {"today": day_of_evaluation()}


class DecisionDetailView(Page):
    """One decision: what was put up, on which run, who signed, whether today's inputs still say so."""

    template = "procurement/decision.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show it."""
        decision = get_object_or_404(decisions_all(), pk=pk)
        now = decision_answer_today(decision)
        is_open = decision.state == "proposed"
        is_mine = decision.prepared_by_id == request.user.pk
        context: dict[str, Any] = {
            "decision": decision,
            "now": now,
            "is_current": decision_is_current(decision),
            "is_open": is_open,
        }
        form = ApprovalForm(initial={"version": decision.version})
        context |= {"is_mine": is_mine, "form": form, "today": day_of_evaluation()}
        return self.show({**context, "entries": history_shown(decision)})

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Decisions", reverse("procurement:decisions"))]


class DecisionCreateView(FormPage):
    """Put one option of a finished run up for approval."""

    action = "decision.prepare"
    heading = "Prepare decision"
    button = "Submit for approval"
    success = "{record} waits for a second person."
    template = "procurement/decision_form.html"

    def answered(self) -> tuple[Run, Answer]:
        """Return the run and its answer for the workload."""
        asked = self.asked("run")
        run = runs_all().filter(pk=whole(asked)).first() if asked else run_latest_finished()
        answer = answer_of(run, self.asked("workload")) if run else None
        if run is None or answer is None:
            raise Http404("no finished run holds this workload")
        return run, answer

    def make_form(self, *args: Any, **kwargs: Any) -> DecisionForm:
        """Return the form with what the run recommends."""
        answer = self.answered()[1]
        stated = answer.recommendation.get("conditions") or []
        conditions = [str(part.get("code", part) if isinstance(part, dict) else part) for part in stated]
        initial = {
            "option": self.asked("option") or answer.option, "amount": answer.approval_amount or answer.npv,
            "conditions": "\n".join(conditions),
        }  # fmt: skip
        return DecisionForm(args[0] if args else None, answer=answer, initial=initial)

    def store(self, form: DecisionForm, by: Actor) -> Decision:
        """Propose it."""
        run, answer = self.answered()
        return decision_prepare(by=by, run=run, workload_code=answer.workload_code, values=form.values())

    def more(self) -> dict[str, Any]:
        """Return the run and the answer it rests on."""
        run, answer = self.answered()
        return {**super().more(), "run": run, "answer": answer}

    def address_after(self, record: Decision) -> str:
        """Return the page of the decision."""
        return reverse("procurement:decision", args=[record.pk])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Decisions", reverse("procurement:decisions"))]


class DecisionCloseView(ActionPage):
    """Approve, reject or withdraw."""

    success = "Done; it is in the history."

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Ask for the right that the closing needs."""
        self.action = "decision.prepare" if kwargs.get("closing") == "withdraw" else "decision.approve"
        return super().dispatch(request, *args, **kwargs)

    def act(self, by: Actor) -> str:
        """Close it; one that somebody closed meanwhile is refused."""
        decision = get_object_or_404(Decision, pk=self.kwargs["pk"])
        close = CLOSINGS[self.kwargs["closing"]]
        close(
            by=by, decision=decision, version=self.version_sent(decision.version), comment=self.sent("comment")[:2000]
        )
        return self.address_back()

    def address_back(self) -> str:
        """Return the page of the decision."""
        return reverse("procurement:decision", args=[self.kwargs["pk"]])
