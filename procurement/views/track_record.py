"""Pages that look back on forecasts: the track record, and what closed promises teach."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from procurement.choices import label
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.quotes import providers_active
from procurement.selectors.track_record import (
    forecast_scores_all,
    forecast_scores_newest_on,
    forecast_track_records,
    lessons_of_promises,
    slip_name,
)
from procurement.services.actors import Actor
from procurement.services.forecast_scores import forecast_scores_request
from procurement.services.learned_slips import learned_slips_propose
from procurement.views.base import ActionPage, Page

PROMISES_SHOWN = 500


class TrackRecordView(Page):
    """How often what was forecast came true in time, beside how often it should have."""

    template = "procurement/track_record.html"
    section_name = "look_back"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the table, one row by operator, gate and horizon."""
        records = forecast_track_records()
        names = operator_names(record.operator for record in records)
        rows = [
            {"record": record, "operator": names[record.operator], "gate": label(record.gate)} for record in records
        ]
        context = {
            "rows": rows, "stored": forecast_scores_all().count(), "newest_on": forecast_scores_newest_on(),
            "today": day_of_evaluation(),
        }  # fmt: skip
        return self.show(context)


class ScoreNowView(ActionPage):
    """Score the stored forecasts now, not only at night."""

    action = "run.request"
    success = "The forecasts are being scored."

    def act(self, by: Actor) -> str:
        """Ask for the job."""
        forecast_scores_request(by=by)
        return self.address_back()

    def address_back(self) -> str:
        """Return the track record."""
        return reverse("procurement:track_record")


class LearnedSlipsView(ActionPage):
    """What closed promises teach of each operator, and the button that puts it into a draft."""

    template = "procurement/learned_slips.html"
    section_name = "look_back"
    success = "The draft was saved. It changes nothing until finance puts it in force."

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the learned slips with the promises behind them."""
        lessons = lessons_of_promises()
        names = operator_names(one.operator for one in lessons.promises)
        in_force = assumption_set_in_force()
        stated = in_force.slip_classes if in_force else {}
        rows = [
            {
                "slip": slip, "operator": names[slip.operator], "name": label(slip.slip_class),
                "key": slip_name(slip), "stated": stated.get(slip_name(slip)),
            }
            for slip in lessons.slips
        ]  # fmt: skip
        promises = [
            {"kept": one, "operator": names[one.operator], "gate": label(one.gate), "name": label(one.slip_class)}
            for one in lessons.promises[:PROMISES_SHOWN]
        ]
        return self.show({"rows": rows, "promises": promises, "as_of": lessons.as_of, "in_force": in_force})

    def act(self, by: Actor) -> str:
        """Store the draft with the chosen slips."""
        keys = [key.replace("\0", "") for key in self.request.POST.getlist("key")]
        draft = learned_slips_propose(by=by, keys=keys)
        return reverse("procurement:assumption_set", args=[draft.pk])

    def address_back(self) -> str:
        """Return the learned slips."""
        return reverse("procurement:learned_slips")


def operator_names(codes: Iterable[str]) -> dict[str, Any]:
    """Return the names of operators by code; our own builds have no provider."""
    known = {provider.code: provider.name for provider in providers_active()}
    return {code: "Our own" if code == "own" else known.get(code, code) for code in codes}
