"""Reads of what forecasts were worth and of what closed promises teach."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Max, QuerySet

from procurement.engine.forecast_scores import StoredForecast, TrackRecord, track_records
from procurement.engine.scenario import parse_scenario
from procurement.engine.slip import slip_key
from procurement.engine.slip_learning import LearnedSlip, PromiseKept, learned_slips, promises_kept
from procurement.engine.tables import Build, Scenario
from procurement.models import ForecastScore
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.builds import builds_all
from procurement.selectors.frames import SCHEMA, assumptions_document, build_document


@dataclass(frozen=True, slots=True)
class Lessons:
    """What the promises on record teach on a day: the slips by operator and class, and each promise behind them."""

    as_of: date
    slips: list[LearnedSlip]
    promises: list[PromiseKept]


def forecast_scores_all() -> QuerySet[ForecastScore]:
    """Return every stored forecast of a gate, newest day first."""
    return ForecastScore.objects.select_related("run").order_by("-as_of", "operator", "build_code", "gate", "pk")


def forecast_scores_newest_on() -> date | None:
    """Return the newest day whose forecasts are stored for scoring."""
    return ForecastScore.objects.aggregate(newest=Max("as_of"))["newest"]


def forecast_track_records(today: date | None = None) -> list[TrackRecord]:
    """Return how forecasts held, by operator, gate and horizon."""
    rows = ForecastScore.objects.order_by("pk").iterator()
    return track_records((_stored(row) for row in rows), today or day_of_evaluation())


def lessons_of_promises(as_of: date | None = None) -> Lessons:
    """Return the learned slips of all builds, archived ones included; builds without tranches teach nothing."""
    day = as_of or day_of_evaluation()
    scenario = builds_scenario(day)
    kept = [
        one
        for build in scenario.builds
        for one in promises_kept(build, day, scenario.assumptions, others(build, scenario))
    ]
    slips = learned_slips(kept, day, scenario.assumptions)
    return Lessons(day, slips, sorted(kept, key=lambda one: (one.operator, one.slip_class, one.stated_on)))


def slip_name(slip: LearnedSlip) -> str:
    """Return the name under which assumption sets keep a learned slip: `bringup@acme`."""
    return slip_key(slip.slip_class, slip.operator)


def builds_scenario(as_of: date) -> Scenario:
    """Return every build with its records and the assumptions in force, for looking back."""
    assumption_set = assumption_set_in_force()
    builds = [build_document(build) for build in builds_all()]
    return parse_scenario(
        {
            "schema": SCHEMA,
            "as_of": as_of.isoformat(),
            "assumptions": assumptions_document(assumption_set) if assumption_set else {},
            "builds": [document for document in builds if document["tranches"]],
        }
    )


def others(build: Build, scenario: Scenario) -> list[Build]:
    """Return the builds whose records may speak of this build's site."""
    return [other for other in scenario.builds if other.site == build.site and build.site is not None]


def _stored(row: ForecastScore) -> StoredForecast:
    days = {0.5: row.p50_on, 0.8: row.p80_on, 0.9: row.p90_on}
    return StoredForecast(
        operator=row.operator, build=row.build_code, gate=row.gate, as_of=row.as_of, quantile_days=days,
        reached_on=row.reached_on,
    )  # fmt: skip
