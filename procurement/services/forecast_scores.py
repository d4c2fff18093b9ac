"""Writes of the track record: forecasts of finished runs are kept once a day, and scored against what happened."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from procurement.engine.codes import GATES
from procurement.engine.forecast_scores import USABLE
from procurement.engine.reached import Covering, all_reached_after, build_coverings
from procurement.engine.readiness_records import records_of
from procurement.models import EnergizationRow, ForecastScore, Job, RunState
from procurement.permissions import require
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.track_record import builds_scenario, others
from procurement.services.actors import Actor
from procurement.services.job_runner import RunningJob
from procurement.services.jobs import job_request

KIND = "forecast_scores"
LOOK_BACK = timedelta(days=2)  # runs that finish out of their order are found again
Coverings = dict[str, list[list[Covering]]]


def forecast_scores_request(*, by: Actor) -> Job:
    """Ask for the scores now; changes that follow each other share one job."""
    require(by.user, "run.request")
    return job_request(kind="forecast_scores", dedupe_key=KIND, coalesce=True, user=by.user)


def forecast_scores_request_daily() -> Job:
    """Ask for the scores of a day; asked twice on one day, it is one job."""
    day = timezone.now().date()
    return job_request(kind="forecast_scores", dedupe_key=f"{KIND}:{day}")


def forecast_scores_update(job: RunningJob) -> None:
    """Keep the forecasts of newly finished runs, and score every kept one; safe to repeat.

    The first run of a day is the one that counts: what was said before anybody knew more.
    """
    job.progress(0, 2, "forecasts of finished runs")
    kept = _keep()
    job.progress(1, 2, f"{kept} forecasts kept")
    scored = _score(day_of_evaluation())
    job.progress(2, 2, f"{kept} forecasts kept, {scored} scored anew")


def _keep() -> int:
    rows = EnergizationRow.objects.filter(run__state=RunState.FINISHED).select_related("run")
    newest = ForecastScore.objects.order_by("-run__finished_at").values_list("run__finished_at", flat=True).first()
    if newest is not None:
        rows = rows.filter(run__finished_at__gte=newest - LOOK_BACK)
    before = ForecastScore.objects.count()
    for row in rows.order_by("run__finished_at", "pk").defer("run__inputs").iterator():
        ForecastScore.objects.bulk_create(_scores(row), ignore_conflicts=True)
    return ForecastScore.objects.count() - before


def _scores(row: EnergizationRow) -> list[ForecastScore]:
    forecast = row.forecast
    open_gates = [gate for gate, status in (row.readiness.get("gate_status") or {}).items() if status != "verified"]
    dates: dict[str, dict[str, Any]] = {
        gate: {**days, "p80": (forecast.get("per_gate_p80") or {}).get(gate)}
        for gate, days in (forecast.get("per_gate") or {}).items()
    }
    if forecast.get("status") == "ok":
        dates[USABLE] = {name: forecast.get(name) for name in ("p50", "p80", "p90")}
    return [
        ForecastScore(
            run=row.run, operator=row.operator, build_code=row.build_code, gate=gate, as_of=row.run.as_of,
            p50_on=_day(days.get("p50")), p80_on=_day(days.get("p80")), p90_on=_day(days.get("p90")),
            open_gates=open_gates,
        )
        for gate, days in dates.items()
    ]  # fmt: skip


def _score(today: date) -> int:
    """Set the day on which each forecast came true; a day that later evidence corrects is corrected here too."""
    scenario = builds_scenario(today)
    changed: list[ForecastScore] = []
    for build in scenario.builds:
        records = records_of(build, today, scenario.assumptions, others(build, scenario))
        coverings: Coverings = {gate: build_coverings(records, gate) for gate in GATES}
        for score in ForecastScore.objects.filter(build_code=build.id, as_of__lte=today):
            reached_on = _reached_on(score, coverings)
            if reached_on != score.reached_on:
                score.reached_on = reached_on
                score.scored_at = timezone.now()
                changed.append(score)
    ForecastScore.objects.bulk_update(changed, ["reached_on", "scored_at"], batch_size=500)
    return len(changed)


def _reached_on(score: ForecastScore, coverings: Coverings) -> date | None:
    gates: Sequence[str] = score.open_gates or GATES if score.gate == USABLE else (score.gate,)
    return all_reached_after([group for gate in gates for group in coverings[gate]], score.as_of)


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
