"""Questions to the engine and what people made of the answers: runs, portfolios, decisions, scores of forecasts."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from procurement.management.demo.base import by, data
from procurement.models import Answer, Decision, ForecastScore, Portfolio, Run, RunState
from procurement.selectors.assumptions import day_of_evaluation
from procurement.services.decisions import decision_approve, decision_prepare
from procurement.services.forecast_scores import forecast_scores_request
from procurement.services.portfolios import portfolio_request
from procurement.services.runs import run_request


def runs() -> int:
    """Ask the questions of earlier days once, and the question of today after them, so that it is the one shown."""
    added = 0
    for entry in data("answers/runs.json"):
        day = date.fromisoformat(entry["as_of"])
        if day < day_of_evaluation() and not Run.objects.filter(as_of=day).exists():
            added += run_request(by=by("analyst", entry["reason"]), as_of=day)[1]
    if added:
        run_request(by=by("analyst", "the question of the demo's day"))
    return added


def portfolios() -> int:
    """Ask for the plans of days on which nobody has planned yet."""
    added = 0
    planned = {day.isoformat() for day in Portfolio.objects.values_list("run__as_of", flat=True)}
    for entry in data("answers/portfolios.json"):
        run = _finished(entry["as_of"])
        if run is not None and entry["as_of"] not in planned:
            added += portfolio_request(by=by("analyst", entry["reason"]), run=run, pins=entry["pins"])[1]
    return added


def decisions() -> int:
    """Prepare decisions on the newest run, and let finance approve those that are signed."""
    added = 0
    decided = set(Decision.objects.values_list("workload_code", flat=True))
    for entry in data("answers/decisions.json"):
        run = _finished(entry["as_of"])
        if run is not None and entry["workload"] not in decided:
            added += _decide(run, entry)
    return added


def forecast_scores() -> int:
    """Ask for the scores of what was forecast, as the clock does each night."""
    if ForecastScore.objects.exists() or not Run.objects.filter(state=RunState.FINISHED).exists():
        return 0
    forecast_scores_request(by=by("analyst"))
    return 1


def _finished(day: str) -> Run | None:
    return Run.objects.filter(as_of=day, state=RunState.FINISHED).first()


def _decide(run: Run, entry: Mapping[str, Any]) -> int:
    """Propose what the run recommends at its present cost; 0 when it does not recommend that option any more."""
    answer = Answer.objects.filter(run_answers__run=run, workload_code=entry["workload"]).first()
    if answer is None or answer.option != entry["option"] or answer.npv is None:
        return 0
    values = {
        "option": answer.option, "amount": answer.npv.quantize(Decimal(1)),
        "valid_until": date.fromisoformat(entry["valid_until"]), "conditions": entry["conditions"],
        "comment": entry["comment"],
    }  # fmt: skip
    decision = decision_prepare(by=by("analyst"), run=run, workload_code=entry["workload"], values=values)
    if "approved" in entry:
        decision_approve(by=by("finance"), decision=decision, version=decision.version, comment=entry["approved"])
    return 1
