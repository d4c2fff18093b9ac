"""Runs and what they recommend; figures of a run are shown once it is finished."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView, ListApi, PostApi, actor, found
from procurement.api.filters import Filter
from procurement.api.problems import Refusal
from procurement.api.serializers_runs import (
    AvailabilityOutput,
    EnergizationOutput,
    OptionOutput,
    RecommendationLineOutput,
    RecommendationOutput,
    RunInput,
    RunOutput,
)
from procurement.models import Answer, AvailabilityRow, EnergizationRow, OptionRow, Run, RunState
from procurement.selectors.runs import answer_of, answers_of, run_latest_finished, runs_all
from procurement.services.runs import run_request

VERDICT = Filter("verdict", "verdict", "the verdict")


class RunListApi(ListApi, PostApi):
    """Runs, and a new one; the same question again is the run that is there (200)."""

    resource = "runs"
    actions = {"POST": "run.request"}
    filters = (
        Filter("state", "state", "how far it has come", choices=lambda: RunState.choices),
        Filter("as_of", "as_of", "day of evaluation", "day"),
        Filter("assumption_set", "assumption_set_id", "id of the assumption set", "whole"),
        Filter("requested_since", "requested_at__gte", "asked at or after this instant", "instant"),
    )
    output = RunOutput
    input = RunInput

    def records(self, **kwargs: Any) -> QuerySet[Run]:
        """Return all runs."""
        return runs_all()

    def success_statuses(self) -> tuple[int, ...]:
        """Return 202 for a new run, which a worker answers, and 200 for one that is there."""
        return (200, 202)

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Freeze the question and queue its answer."""
        values, reason = self.read_body(request)
        run, is_new = run_request(by=actor(request, reason), **values)
        location = reverse("api:run", kwargs={"id": run.pk})
        return self.shown(run, status=202 if is_new else 200, headers={"Location": location})


class RunDetailApi(ApiView):
    """One run and how far it has come."""

    resource = "runs"
    output = RunOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the run."""
        return self.shown(found(runs_all(), "run", **kwargs))


class RunInputsApi(ApiView):
    """The frozen scenario document of a run, as a download."""

    resource = "runs"
    output = {"type": "object", "additionalProperties": True}

    def get(self, request: Request, **kwargs: Any) -> HttpResponse:
        """Return the document."""
        run = found(runs_all(), "run", **kwargs)
        headers = {"Content-Disposition": f'attachment; filename="run-{run.pk}-inputs.json"'}
        return HttpResponse(JSONRenderer().render(run.inputs), content_type="application/json", headers=headers)


class FinishedRunApi(ApiView):
    """What concerns the answers of a finished run: the one of the address, or the latest."""

    resource = "runs"
    may_conflict = True

    def run(self, **kwargs: Any) -> Run:
        """Return the run; refuses one that is not finished."""
        if "id" not in kwargs:
            latest = run_latest_finished()
            if latest is None:
                raise Refusal(404, "not_found", "No run is finished yet.")
            return latest
        run: Run = found(runs_all(), "run", id=kwargs["id"])
        if run.state != RunState.FINISHED:
            state = run.get_state_display().lower()
            raise Refusal(
                409, "run_not_finished", f"Run {run.pk} has no figures yet: it is {state}. {run.message}".strip()
            )
        return run

    def answer(self, **kwargs: Any) -> Answer:
        """Return the answer for the workload of the address."""
        run = self.run(**kwargs)
        answer = answer_of(run, kwargs["workload"])
        if answer is None:
            raise Refusal(404, "not_found", f"Run {run.pk} holds no workload `{kwargs['workload']}`.")
        return answer


class RunEnergizationListApi(FinishedRunApi, ListApi):
    """Readiness and forecast of every build in a finished run."""

    filters = (Filter("build", "build_code", "code of the build"), Filter("operator", "operator", "own or a provider"))
    output = EnergizationOutput

    def records(self, **kwargs: Any) -> QuerySet[EnergizationRow]:
        """Return the rows of the run."""
        return self.run(**kwargs).energization.all()


class RecommendationListApi(FinishedRunApi, ListApi):
    """Recommendations of a finished run, one line a workload."""

    filters = (Filter("workload", "workload_code", "code of the workload"), VERDICT)
    output = RecommendationLineOutput

    def records(self, **kwargs: Any) -> QuerySet[Answer]:
        """Return the answers of the run."""
        self.shown_run = self.run(**kwargs)
        return answers_of(self.shown_run).prefetch_related(None)

    def rows(self, records: Sequence[Answer]) -> Any:
        """Return the rows of a page."""
        return RecommendationLineOutput(records, many=True, context={**self.context(), "run": self.shown_run}).data


class LatestRecommendationListApi(RecommendationListApi):
    """Recommendations of the latest finished run, one line a workload."""


class RecommendationDetailApi(FinishedRunApi):
    """The recommendation for one workload with options, components and cash by month."""

    output = RecommendationOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the recommendation."""
        context = {**self.context(), "run": self.run(**kwargs)}
        return Response(RecommendationOutput(self.answer(**kwargs), context=context).data)


class LatestRecommendationDetailApi(RecommendationDetailApi):
    """The latest recommendation for one workload."""


class OptionListApi(FinishedRunApi, ListApi):
    """Options of one workload in a finished run, the recommended one first."""

    filters = (
        Filter("kind", "kind", "cloud, on_prem, hybrid, ..."),
        Filter("is_feasible", "is_feasible", "whether it can be done", "flag"),
    )
    output = OptionOutput

    def records(self, **kwargs: Any) -> QuerySet[OptionRow]:
        """Return the options."""
        return self.answer(**kwargs).options.select_related("answer").prefetch_related("components", "months")


class AvailabilityListApi(FinishedRunApi, ListApi):
    """Which quotes can serve the workload in a finished run, and why the others cannot."""

    filters = (Filter("quote", "quote_code", "code of the quote"), VERDICT)
    output = AvailabilityOutput

    def records(self, **kwargs: Any) -> QuerySet[AvailabilityRow]:
        """Return the rows."""
        return self.answer(**kwargs).availability.all()
