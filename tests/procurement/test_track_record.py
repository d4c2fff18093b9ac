"""The track record: forecasts are kept once a day and scored; learned slips are offered, never applied."""

from contextlib import nullcontext
from datetime import date
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from procurement.errors import PermissionRefused, ProcurementError
from procurement.models import AssumptionSet, AuditEntry, EnergizationRow, ForecastScore, Job, Run, RunState
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.selectors.frames import assumptions_document
from procurement.selectors.track_record import forecast_track_records, lessons_of_promises
from procurement.services.assumptions import assumption_set_put_in_force
from procurement.services.builds import evidence_add
from procurement.services.clock import clock_tick
from procurement.services.forecast_scores import forecast_scores_update
from procurement.services.job_runner import job_work
from procurement.services.learned_slips import learned_slips_propose
from procurement.tasks import JOB_KINDS
from tests.factories import AS_OF, SYSTEM, actor, make_assumptions, make_build, make_promise, make_provider
from tests.procurement.api_tools import client_of
from tests.procurement.page_tools import signed_in

pytestmark = pytest.mark.django_db


class Quiet:
    """A job that nobody watches."""

    def progress(self, *_told: Any) -> None:
        """Tell nobody."""


def finished_run(as_of: date, p50: date, *, build="hall-1", gates=("powered",)) -> Run:
    """Return a finished run with one forecast, its P80 a month and its P90 two months after the P50."""
    run = Run.objects.create(
        inputs={}, inputs_digest=f"{Run.objects.count():064x}", engine_version="1", as_of=as_of, currency="USD",
        assumption_set=AssumptionSet.objects.first(), state=RunState.FINISHED, last_asked_at=timezone.now(),
        finished_at=timezone.now(),
    )  # fmt: skip
    days = {"p10": str(p50), "p50": str(p50), "p90": str(p50.replace(month=p50.month + 2))}
    p80 = str(p50.replace(month=p50.month + 1))
    forecast = {
        "status": "ok", **days, "p80": p80, "per_gate": dict.fromkeys(gates, days),
        "per_gate_p80": dict.fromkeys(gates, p80),
    }  # fmt: skip
    EnergizationRow.objects.create(
        run=run, build_code=build, operator="own", planned_accelerators=64, energization_status="scheduled",
        availability_status="building", usable_accelerators=0, forecast_status="ok",
        readiness={"gate_status": dict.fromkeys(gates, "planned") | {"installed": "verified"}}, forecast=forecast,
    )  # fmt: skip
    return run


def power_proven(build, day, **more):
    values = {
        "gate": "powered",
        "qty": 88,
        "unit": "kw_it",
        "grade": "A",
        "observed_on": day,
        "source": "meter",
        **more,
    }
    return evidence_add(by=SYSTEM, build=build, values=values)


def test_a_forecast_is_scored_against_the_day_on_which_the_gate_was_reached():
    make_assumptions()
    build = make_build(is_ready=False)
    finished_run(date(2026, 5, 1), date(2026, 7, 1))
    power_proven(build, date(2026, 7, 20))

    forecast_scores_update(Quiet())

    scores = {score.gate: score for score in ForecastScore.objects.all()}
    assert {gate: score.reached_on for gate, score in scores.items()} == {
        "powered": date(2026, 7, 20), "usable": date(2026, 7, 20)
    }  # fmt: skip
    record = next(row for row in forecast_track_records() if (row.gate, row.horizon) == ("powered", "all"))
    assert [(level.level, level.share) for level in record.levels] == [(0.5, 0.0), (0.8, 1.0), (0.9, 1.0)]


def test_the_same_gate_and_day_is_kept_once_and_the_first_run_counts():
    make_assumptions()
    make_build(is_ready=False)
    finished_run(date(2026, 5, 1), date(2026, 7, 1))
    finished_run(date(2026, 5, 1), date(2026, 9, 1))
    forecast_scores_update(Quiet())
    forecast_scores_update(Quiet())

    assert [str(score.p50_on) for score in ForecastScore.objects.filter(gate="powered")] == ["2026-07-01"]


def test_evidence_that_arrives_later_scores_what_was_open():
    make_assumptions()
    build = make_build(is_ready=False)
    finished_run(date(2026, 5, 1), date(2026, 7, 1))
    forecast_scores_update(Quiet())
    assert ForecastScore.objects.get(gate="powered").reached_on is None

    power_proven(build, date(2026, 11, 1), achieved_on=date(2026, 6, 30))
    forecast_scores_update(Quiet())

    assert ForecastScore.objects.get(gate="powered").reached_on == date(2026, 6, 30)


def test_a_run_that_failed_is_not_scored():
    make_assumptions()
    make_build(is_ready=False)
    Run.objects.filter(pk=finished_run(date(2026, 5, 1), date(2026, 7, 1)).pk).update(state=RunState.FAILED)

    forecast_scores_update(Quiet())

    assert not ForecastScore.objects.exists()


def test_a_real_run_leaves_the_p80_of_every_open_gate():
    make_assumptions()
    build = make_build(is_ready=False)
    make_promise(build, "powered", date(2027, 3, 1))
    while job_work(kinds=JOB_KINDS, pulse=lambda job: nullcontext()) is not None:
        pass

    forecast_scores_update(Quiet())

    score = ForecastScore.objects.get(gate="powered", as_of=AS_OF)
    assert score.p50_on < score.p80_on < score.p90_on


def test_the_clock_asks_for_scores_once_a_day():
    clock_tick(Quiet(), slot="2026-11-30T10:15Z")
    clock_tick(Quiet(), slot="2026-11-30T10:16Z")

    assert Job.objects.filter(kind="forecast_scores").count() == 1


def closed_promise():
    """Leave one promise of acme that took 150 instead of 100 days."""
    make_assumptions()
    build = make_build("acme-1", is_ready=False, operator=make_provider())
    make_promise(build, "installed", date(2026, 4, 11), stated_on=date(2026, 1, 1))
    values = {"gate": "installed", "qty": 64, "grade": "B", "observed_on": date(2026, 5, 31), "source": "list"}
    evidence_add(by=SYSTEM, build=build, values=values)


def test_what_was_learned_is_offered_in_a_draft_and_changes_nothing_by_itself():
    closed_promise()
    before = assumption_set_in_force()

    draft = learned_slips_propose(by=actor("finance", reason="six builds closed"), keys=["equipment_delivery@acme"])

    assert assumption_set_in_force() == before
    assert before.slip_classes == {}
    learned = lessons_of_promises().slips[0].result
    assert draft.slip_classes == {
        "equipment_delivery@acme": {"p10": round(learned.p10, 4), "p90": round(learned.p90, 4)}
    }
    assert "1 closed promises, median 1.50, weight 0.17" in draft.source
    assert AuditEntry.objects.filter(action="assumption_set.create", reason="six builds closed").exists()


def test_a_draft_that_is_put_in_force_reaches_the_scenario():
    closed_promise()
    draft = learned_slips_propose(by=actor("finance"), keys=["equipment_delivery@acme"])

    assumption_set_put_in_force(by=actor("finance"), assumption_set=draft)

    assert "equipment_delivery@acme" in assumptions_document(assumption_set_in_force())["slip_classes"]


@pytest.mark.parametrize("keys", [[], ["bringup@acme"], ["equipment_delivery@own"]])
def test_what_was_not_learned_cannot_be_proposed(keys):
    closed_promise()

    with pytest.raises(ProcurementError, match="equipment_delivery@acme"):
        learned_slips_propose(by=actor("finance"), keys=keys)


def test_only_finance_proposes():
    closed_promise()

    with pytest.raises(PermissionRefused):
        learned_slips_propose(by=actor("analyst"), keys=["equipment_delivery@acme"])


def test_the_page_shows_prior_observed_weight_and_result_and_makes_the_draft():
    closed_promise()
    client = signed_in("finance")

    page = client.get(reverse("procurement:learned_slips")).content.decode()
    answer = client.post(reverse("procurement:learned_slips"), {"key": "equipment_delivery@acme", "reason": "closed"})

    assert "Acme" in page
    assert "1.00</span> to" in page
    assert answer["Location"] == reverse("procurement:assumption_set", args=[AssumptionSet.objects.latest("pk").pk])
    assert "Propose" not in signed_in("viewer").get(reverse("procurement:learned_slips")).content.decode()
    assert signed_in("viewer").post(reverse("procurement:learned_slips"), {"key": "x"}).status_code == 403


def test_the_pages_say_what_is_missing_when_there_is_nothing():
    client = signed_in("viewer")

    assert "No forecast has been stored yet" in client.get(reverse("procurement:track_record")).content.decode()
    assert "No promise is closed" in client.get(reverse("procurement:learned_slips")).content.decode()


def test_the_track_record_page_shows_shares_beside_what_they_should_be():
    make_assumptions()
    power_proven(make_build(is_ready=False), date(2026, 7, 20))
    finished_run(date(2026, 5, 1), date(2026, 7, 1))
    forecast_scores_update(Quiet())

    page = signed_in("viewer").get(reverse("procurement:track_record")).content.decode()

    assert "should be 80%" in page
    assert "100%" in page
    assert ", few" in page


def test_a_copy_of_a_set_keeps_the_slips_of_its_operators():
    closed_promise()
    draft = learned_slips_propose(by=actor("finance"), keys=["equipment_delivery@acme"])

    page = signed_in("finance").get(f"{reverse('procurement:assumption_set_new')}?copy={draft.pk}").content.decode()

    assert "equipment_delivery acme" in page


def test_the_interface_offers_the_same():
    closed_promise()
    client = client_of("finance")

    slips = client.get("learned-slips/").json()["results"]
    made = client.post("learned-slips/propose/", {"keys": [slips[0]["key"]], "reason": "closed"})
    refused = client.post("learned-slips/propose/", {"keys": ["bringup@nobody"]})

    assert (slips[0]["closed"], slips[0]["prior"]) == (1, {"p10": 1.0, "p90": 1.54})
    assert made.status_code == 201
    assert made.json()["is_in_force"] is False
    assert refused.status_code == 400
    assert client.get("forecast-track-record/").json()["results"] == []
