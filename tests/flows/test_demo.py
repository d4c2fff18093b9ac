"""The demo scenario: loaded through the services, imported and answered by the real jobs."""

import json
from contextlib import nullcontext
from datetime import date
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import override_settings

from procurement.choices import workload_presets
from procurement.management.commands.load_demo import DEMO_PASSWORD, DEMO_USERS
from procurement.models import AuditEntry, Build, Job, PriceSheet, Quote, Run, Workload
from procurement.permissions import ROLES, roles_of
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.frames import scenario_document
from procurement.selectors.jobs import jobs_alarming
from procurement.selectors.runs import run_latest_finished
from procurement.services.job_runner import job_work
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from reports.models import ReportSubscription

PINNED = date(2026, 6, 22)
LOADED = (User, PriceSheet, Quote, Build, Workload, AuditEntry, Job, Run)


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
        call_command("load_demo", stdout=StringIO())
        call_command("load_demo_reports", stdout=StringIO())
        work_off()
        yield run_latest_finished()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def verdicts(demo):
    return {link.workload_code: link.answer.verdict for link in demo.run_answers.select_related("answer")}


def test_everything_is_imported_and_answered_without_a_fault(demo):
    assert not jobs_alarming().exists()
    assert set(PriceSheet.objects.values_list("state", flat=True)) == {"imported"}
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
    published = Quote.objects.filter(sheet__isnull=False).select_related("sheet")

    assert published.count() >= 30
    assert all(quote.source.startswith("https://") for quote in published)
    assert all(quote.quoted_on == quote.sheet.observed_on for quote in published)
    assert not published.filter(quantity_available__isnull=False).exists()  # a list says nothing of quantity


def test_published_prices_are_within_their_age_limit_except_spot(demo):
    limits = {"on_demand": 30, "spot": 1}
    aged = {
        quote.purchase_model
        for quote in Quote.objects.filter(sheet__isnull=False)
        if (PINNED - quote.quoted_on).days > limits[quote.purchase_model]
    }

    assert aged == {"spot"}


def test_example_offers_say_that_they_are_examples(demo):
    examples = Quote.objects.filter(sheet__isnull=True).select_related("provider")

    assert 6 <= examples.count() <= 8
    assert all(quote.source.startswith("example offer, not a published price") for quote in examples)
    assert all(quote.provider.name.endswith("(example)") for quote in examples)


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

    told = StringIO()
    call_command("load_demo", stdout=told)
    call_command("load_demo_reports", stdout=told)

    assert "nothing was added" in told.getvalue()
    assert {model: list(model.objects.order_by("pk").values()) for model in LOADED} == before
    assert ReportSubscription.objects.count() == 1


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
