"""Reads of runs and their answers; unfinished runs are shown as progress only, never as figures."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Prefetch, QuerySet

from procurement.models import Answer, OptionRow, Run, RunState


@dataclass(frozen=True, slots=True)
class RecommendationLine:
    """One line of the table of recommendations."""

    workload_code: str
    workload: str
    verdict: str
    place: str
    npv: Decimal | None
    cost_per_useful_accelerator_hour: Decimal | None
    currency: str
    how_sure: str
    is_tie: bool
    reasons: list[dict[str, Any]]
    answer_id: int


def runs_all() -> QuerySet[Run]:
    """Return all runs without their frozen inputs, newest question first."""
    return Run.objects.select_related("assumption_set", "requested_by").defer("inputs")


def runs_finished() -> QuerySet[Run]:
    """Return the runs that may be shown as answers, newest question first."""
    return runs_all().filter(state=RunState.FINISHED)


def run_inputs(run: Run) -> dict[str, Any]:
    """Return the whole frozen question of a run."""
    return dict(Run.objects.values_list("inputs", flat=True).get(pk=run.pk))


def run_latest_finished() -> Run | None:
    """Return the run that pages show: the finished one that was asked last."""
    return runs_finished().first()


def run_latest_asked() -> Run | None:
    """Return the run asked last, finished or not."""
    return runs_all().first()


def answers_of(run: Run) -> QuerySet[Answer]:
    """Return the answers of a run with their options, in the order of workload names."""
    options = Prefetch("options", OptionRow.objects.prefetch_related("components").order_by("position"))
    return Answer.objects.filter(run_answers__run=run).prefetch_related(options).order_by("workload_name", "id")


def answer_of(run: Run, workload_code: str) -> Answer | None:
    """Return the answer of a run for one workload, with options, components, months and availability."""
    options = Prefetch("options", OptionRow.objects.prefetch_related("components", "months").order_by("position"))
    answers = Answer.objects.filter(run_answers__run=run, workload_code=workload_code)
    return answers.prefetch_related(options, "availability").first()


def recommendation_table(run: Run | None = None) -> list[RecommendationLine]:
    """Return one line a workload of a finished run, by default the newest; empty when there is none."""
    run = run or run_latest_finished()
    if run is None:
        return []
    answers = Answer.objects.filter(run_answers__run=run).order_by("workload_name", "id")
    return [
        RecommendationLine(
            workload_code=answer.workload_code,
            workload=answer.workload_name,
            verdict=answer.verdict,
            place=answer.option,
            npv=answer.npv,
            cost_per_useful_accelerator_hour=answer.cost_per_useful_accelerator_hour,
            currency=answer.currency,
            how_sure=answer.how_sure,
            is_tie=answer.is_tie,
            reasons=answer.recommendation.get("reasons", []),
            answer_id=answer.pk,
        )
        for answer in answers
    ]
