"""The demo scenario: loaded through the services, imported and answered by the real jobs."""

import json
from contextlib import nullcontext
from datetime import date, timedelta
from decimal import Decimal
from io import StringIO
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import override_settings

from procurement.choices import workload_presets
from procurement.management.demo.people import DEMO_PASSWORD, DEMO_USERS
from procurement.models import (
    AuditEntry,
    Build,
    Decision,
    ForecastScore,
    Job,
    Portfolio,
    PriceSheet,
    Provider,
    Quote,
    QuoteRequest,
    RequestLetter,
    Run,
    SheetRow,
    StagedRow,
    UsageFile,
    Workload,
)
from procurement.permissions import ROLES, roles_of
from procurement.selectors import clock
from procurement.selectors.actuals import build_measured, costs_of, workload_measured
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.frames import scenario_document
from procurement.selectors.jobs import jobs_alarming
from procurement.selectors.portfolios import pin_price
from procurement.selectors.quotes import quote_versions
from procurement.selectors.requests import request_state
from procurement.selectors.requests_comparison import request_comparison
from procurement.selectors.runs import run_latest_finished
from procurement.selectors.sources import price_sources_failing
from procurement.selectors.track_record import lessons_of_promises
from procurement.services.job_runner import job_work
from procurement.services.jobs import job_request
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from reports.models import ReportSubscription

PINNED = date(2026, 6, 22)
LOADED = (
    User, PriceSheet, Quote, Build, Workload, QuoteRequest, UsageFile, Portfolio, Decision, AuditEntry, Job, Run,
)  # fmt: skip
OPEN = "256 H200 in one fabric in the European Union (example)"
OPENED = "64 B200 for the flow in catalysts (example)"
published = Quote.objects.filter(sheet__isnull=False).exclude(provider__name__endswith="(example)")


class ClockAhead:
    """The database's clock, so many seconds ahead: deadlines pass without anybody waiting."""

    def __init__(self):
        self.real, self.seconds = clock.database_now, 0

    def __call__(self):
        return self.real() + timedelta(seconds=self.seconds)


def load():
    """Load the next round and return what the command says."""
    told = StringIO()
    call_command("load_demo", stdout=told)
    return told.getvalue()


def work_off():
    """Do every job that is due, as a worker would."""
    while job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=lambda job: nullcontext()) is not None:
        pass


@pytest.fixture(scope="module")
def demo(django_db_setup, django_db_blocker, tmp_path_factory):
    """Load and answer the demo once for all tests of this file, and leave nothing of it behind."""
    quick = {
        "MEDIA_ROOT": tmp_path_factory.mktemp("media"),
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
    }
    with django_db_blocker.unblock(), override_settings(**quick), transaction.atomic():
        ahead = ClockAhead()
        with mock.patch.object(clock, "database_now", ahead):
            while "nothing was added" not in load():
                work_off()
                ahead.seconds += 30
        call_command("load_demo_reports", stdout=StringIO())
        yield run_latest_finished()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def verdicts(demo):
    return {link.workload_code: link.answer.verdict for link in demo.run_answers.select_related("answer")}


def test_everything_is_imported_and_answered_without_a_fault(demo):
    assert not jobs_alarming().exists()
    states = PriceSheet.objects.exclude(state="imported").values_list("file_name", "state")
    assert dict(states) == {"alpine-2026-06-19.csv": "refused", "baltic-2026-06-20.csv": "checked"}
    assert demo is not None
    assert demo.as_of == PINNED == day_of_evaluation()


def test_the_verdicts_are_the_ones_that_the_records_speak_for(verdicts):
    assert verdicts == {
        "base-model": "cloud",  # 512 in one fabric from August: only the live part of the campus holds them
        "support-adapters": "on_prem",  # 16 that stay in the EU: the paid hall has them
        "product-films": "bridge_then_on_prem",  # needed in August, the hall's liquid cooling comes in autumn
        "shop-ranking": "none_feasible",  # 256 in one fabric in the EU: the only ones lost their power
        "crop-vision": "on_prem",  # one node of the paid hall, fed at a known rate
        "harvester-sim": "cloud",  # independent scenes on cards that nobody here owns
        "catalyst-flow": "wait",  # a quarter of delay costs less than any contract for 64
        "radiology": "on_prem",  # the images stay in Sweden
        "card-risk": "stay",  # the rent saved does not pay for moving
        "assistant": "hybrid",  # 40 of 64 are busy enough to own
        "document-batch": "cloud",  # half a day's work on a type that is only for rent
        "notebooks": "cloud",  # 80 hours a month
    }


def test_every_preset_has_a_workload_with_an_owner_and_a_reason(demo):
    assert {preset.kind for preset in workload_presets()} == set(Workload.objects.values_list("kind", flat=True))
    assert all(workload.owner and workload.note for workload in Workload.objects.select_related("owner"))


def test_at_least_thirty_prices_are_published_ones_with_address_and_day(demo):
    quotes = published.select_related("sheet")

    assert quotes.count() == 55
    assert all(quote.source.startswith("https://") for quote in quotes)
    assert all(quote.quoted_on == quote.sheet.observed_on for quote in quotes)
    assert not published.filter(quantity_available__isnull=False).exists()  # a list says nothing of quantity


def test_published_prices_are_within_their_age_limit_except_spot(demo):
    limits = {"on_demand": 30, "spot": 1}
    aged = {
        quote.purchase_model for quote in published if (PINNED - quote.quoted_on).days > limits[quote.purchase_model]
    }

    assert aged == {"spot"}


def test_example_offers_say_that_they_are_examples(demo):
    examples = Quote.objects.filter(provider__name__endswith="(example)")

    assert examples.filter(sheet__isnull=True, is_current=True).count() == 7
    assert examples.filter(sheet__isnull=False).count() == 9  # 5 ready and 1 released of Baltic, 3 of Alpine
    assert all(quote.source.startswith("example ") and "not" in quote.source for quote in examples)
    assert all(provider.name.endswith("(example)") for provider in Provider.objects.filter(website=""))


@pytest.mark.parametrize(
    ("build", "energized", "available"),
    [
        ("lund-1", "energized", "available"),
        ("gavle-2", "energized", "blocked"),
        ("prairie-campus", "partially_energized", "partial"),
        ("fjord-announced", "scheduled", "announced"),
        ("rhein-hall", "de_energized", "suspended"),
    ],
)
def test_builds_stand_in_telling_states(demo, build, energized, available):
    row = demo.energization.get(build_code=build)

    assert (row.energization_status, row.availability_status) == (energized, available)


def test_twenty_of_a_hundred_megawatts_are_7688_of_38440_accelerators(demo):
    # 20,000 kW / PUE 1.3 = 15,384 kW for servers; / 16 kW = 961 nodes; x 8 = 7,688 accelerators
    campus = demo.energization.get(build_code="prairie-campus")

    assert campus.readiness["gate_accelerators"]["powered"] == 7688
    assert campus.planned_accelerators == 38440


def test_loading_twice_adds_nothing_and_changes_nothing(demo):
    before = {model: list(model.objects.order_by("pk").values()) for model in LOADED}

    assert "nothing was added" in load()
    call_command("load_demo_reports", stdout=StringIO())
    assert {model: list(model.objects.order_by("pk").values()) for model in LOADED} == before
    assert ReportSubscription.objects.count() == 1


def test_nothing_is_added_while_jobs_are_open_on_which_it_rests(demo):
    job = job_request(kind="forecast_scores", dedupe_key="open")

    assert load() == "the next round waits for a worker\n"
    job.delete()


def test_held_rows_say_why_and_what_would_release_them_and_one_is_released(demo):
    held = SheetRow.objects.filter(state="held")
    released = SheetRow.objects.get(state="released")

    codes = {reason["code"] for row in held for reason in row.reasons}
    assert codes == {"unknown_accelerator", "price_not_positive", "unknown_currency"}
    assert all(reason["release"] for row in held for reason in row.reasons)
    assert released.release_reason.startswith("The supplier confirmed")
    # 1,971 USD a month / 730 hours = 2.70 USD
    assert Quote.objects.get(sku="H100 PCIe", provider__code="baltic-example").price_per_accelerator_hour == Decimal(
        "2.7"
    )


def test_a_draft_waits_with_a_faulty_cell_and_differences_to_the_prices_in_force(demo):
    draft = PriceSheet.objects.get(is_draft=True)
    outcomes = list(StagedRow.objects.filter(sheet=draft).order_by("source_line").values_list("outcome", flat=True))

    assert (draft.rows_ready, draft.rows_faulty) == (5, 1)
    assert draft.rows.get(state="faulty").reasons[0]["code"] == "not_a_number"  # 48.8O with a letter
    assert outcomes == ["changed", "same", "changed", "changed", "new"]


def test_an_offer_was_quoted_three_times(demo):
    prices = [quote.price for quote in quote_versions("example-plains-h100-12m")]

    assert prices == [Decimal("2.35"), Decimal("2.49"), Decimal("2.62")]  # the newest first


def test_a_discount_is_taken_off_the_list_prices_of_one_supplier(demo):
    document = scenario_document(assumption_set=assumption_set_in_force(), as_of=PINNED)
    paid = {quote["id"]: (quote["list_price"], quote["price"]) for quote in document["quotes"] if "list_price" in quote}

    # 12 % off: 28.80 x 0.88 = 25.344, 34.40 x 0.88 = 30.272, 1.90 x 0.88 = 1.672
    assert paid == {
        "alpine-h100": ("28.8", "25.344"), "alpine-h200": ("34.4", "30.272"), "alpine-l40s": ("1.9", "1.672"),
    }  # fmt: skip


def test_the_last_good_sheet_of_a_source_stays_in_force_when_its_refresh_fails(demo):
    (source,) = price_sources_failing()

    assert (source.supplier, source.in_force.file_name) == ("Alpine GPU (example)", "alpine-2026-06-12.csv")


def test_a_request_is_open_with_sealed_bids_a_no_bid_and_an_answer_to_all(demo):
    request = QuoteRequest.objects.get(title=OPEN)
    answers = RequestLetter.objects.filter(notice__request=request, notice__kind="clarification")

    assert request_state(request) == "published"
    assert set(request.bids.values_list("state", flat=True)) == {"sealed"}
    assert request.invitations.filter(state="declined").count() == 1
    assert answers.count() == request.invitations.count()


def test_the_bids_of_a_request_are_opened_and_those_that_cannot_win_stand_apart(demo):
    request = QuoteRequest.objects.get(title=OPENED)
    comparison = request_comparison(request)

    assert request.state == "opened"
    assert len(comparison.compared.options) == 3
    apart = {option.bid.invitation.provider.code: option.reasons for option in comparison.apart.options}
    assert apart["plains-example"][0].startswith("expired")
    assert "offers 48 accelerators; 64 are needed together" in apart["rhein-example"]
    assert request.bids.get(invitation__provider__code="baltic-example").state == "late"


def test_a_request_whose_deadline_has_passed_is_asked_anew_and_its_bids_stay(demo):
    ahead = ClockAhead()
    ahead.seconds = timedelta(days=40).total_seconds()

    with transaction.atomic(), mock.patch.object(clock, "database_now", ahead):
        assert load() == "added 1 open requests for quotes\n"
        newer, older = QuoteRequest.objects.filter(title=OPEN)
        assert [request_state(newer), request_state(older)] == ["published", "closed"]
        assert newer.due_at - ahead() > timedelta(days=20)
        work_off()
        assert "nothing was added" in load()
        transaction.set_rollback(True)


def test_three_months_are_measured_beside_the_plan(demo):
    hall = build_measured(Build.objects.get(code="lund-1"))
    rented = workload_measured(Workload.objects.get(code="notebooks"))

    assert [month.is_partial for month in hall.months] == [False, False, False]
    assert 0.3 < hall.total.utilisation < 0.8
    assert [cost.per_useful_hour is not None for cost in costs_of(rented.total)] == [True]
    assert rented.planned.cost_per_useful_hour is not None


def test_promises_were_kept_and_missed_and_teach_slips(demo):
    lessons = lessons_of_promises()
    slips = [promise.slip_days for promise in lessons.promises if promise.slip_days is not None]

    assert min(slips) < 0 < max(slips)
    assert {slip.operator for slip in lessons.slips if slip.closed} == {"own", "prairie-example", "rhein-example"}


def test_forecasts_of_an_earlier_day_are_scored(demo):
    scored = ForecastScore.objects.exclude(reached_on=None)

    assert set(scored.values_list("as_of", flat=True)) == {date(2026, 4, 13)}
    assert scored.count() >= 5


def test_a_plan_of_all_workloads_and_why_there_is_none_today(demo):
    before, pinned, today = Portfolio.objects.order_by("pk")

    assert (before.state, pinned.state, today.state) == ("optimal", "optimal", "infeasible")
    assert pin_price(pinned).amount == pinned.npv - before.npv > 0
    assert [text.partition(":")[0] for text in today.answer["conflict"]] == ["demand of shop-ranking"]


def test_one_decision_is_approved_and_one_waits(demo):
    states = dict(Decision.objects.values_list("workload_code", "state"))

    assert states == {"crop-vision": "approved", "support-adapters": "proposed"}


def test_each_role_has_a_person_who_can_sign_in(demo):
    people = {user.username: user for user in User.objects.filter(username__in=DEMO_USERS)}

    assert {name: roles_of(user) for name, user in people.items()} == {
        name: frozenset({role}) for name, role in DEMO_USERS.items()
    }
    assert set(DEMO_USERS.values()) == set(ROLES)
    assert all(user.check_password(DEMO_PASSWORD) for user in people.values())


def test_the_demo_as_a_document_gives_the_same_verdicts_on_the_command_line(demo, verdicts, tmp_path):
    document = scenario_document(assumption_set=assumption_set_in_force(), as_of=PINNED)
    file = tmp_path / "demo.json"
    file.write_text(json.dumps(document), encoding="utf-8")

    answered = StringIO()
    call_command("evaluate", str(file), stdout=answered)

    answer = json.loads(answered.getvalue())
    assert {name: entry["verdict"] for name, entry in answer["recommendation"].items()} == verdicts


@pytest.mark.django_db
def test_a_database_in_use_is_refused():
    User.objects.create_user("somebody")

    with pytest.raises(CommandError, match=r"already holds users.*--into-existing"):
        call_command("load_demo")

    assert not Workload.objects.exists()
