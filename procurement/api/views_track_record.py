"""Looking back: stored forecasts with what happened, the track record, and what closed promises teach."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView, ListApi, PostApi, actor
from procurement.api.filters import Filter
from procurement.api.serializers_track_record import (
    ForecastScoreOutput,
    LearnedSlipsOutput,
    SlipProposalInput,
    TrackRecordsOutput,
)
from procurement.api.serializers_workloads import AssumptionSetOutput
from procurement.models import ForecastScore
from procurement.selectors.assumptions import day_of_evaluation
from procurement.selectors.track_record import forecast_scores_all, forecast_track_records, lessons_of_promises
from procurement.services.learned_slips import learned_slips_propose


class ForecastScoreListApi(ListApi):
    """Stored forecasts of gates, the first of each day, with the day on which each came true."""

    resource = "runs"
    filters = (
        Filter("operator", "operator", "`own` or the code of the provider"),
        Filter("build", "build_code", "code of the build"),
        Filter("gate", "gate", "one of the six gates, or usable"),
        Filter("as_of", "as_of", "day of the forecast", "day"),
    )
    output = ForecastScoreOutput

    def records(self, **kwargs: Any) -> QuerySet[ForecastScore]:
        """Return all of them."""
        return forecast_scores_all()


class TrackRecordApi(ApiView):
    """Share of gates reached by P50, P80 and P90, by operator, gate and distance ahead, with 95 % intervals."""

    resource = "runs"
    output = TrackRecordsOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the track record."""
        return self.shown({"as_of": day_of_evaluation(), "results": forecast_track_records()})


class LearnedSlipListApi(ApiView):
    """The slip of each operator and class, shrunk to the class; none of it is in force by itself."""

    resource = "assumption-sets"
    output = LearnedSlipsOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return what the promises on record teach today."""
        lessons = lessons_of_promises()
        return self.shown({"as_of": lessons.as_of, "results": lessons.slips})


class LearnedSlipProposeApi(PostApi):
    """Put learned slips into a draft assumption set, which changes nothing until it is put in force."""

    resource = "assumption-sets"
    actions = {"POST": "assumptions.edit"}
    output = AssumptionSetOutput
    input = SlipProposalInput

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Store the draft."""
        values, reason = self.read_body(request)
        draft = learned_slips_propose(by=actor(request, reason), keys=values["keys"])
        return self.shown(
            draft, status=201, headers={"Location": reverse("api:assumption_set", kwargs={"id": draft.pk})}
        )
