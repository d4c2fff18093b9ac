"""Pages of builds: gates, milestones, evidence with files, promises, parts, capacity by month."""

from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from procurement.models import Build, Evidence, Promise
from tests.factories import make_assumptions, make_build, make_promise
from tests.procurement.page_tools import signed_in, typed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _day_is_fixed():
    make_assumptions()


def test_a_ready_build_shows_six_verified_gates():
    make_build("hall-1", planned=64)

    page = signed_in("viewer").get(reverse("procurement:build", args=["hall-1"]))

    assert [gate["name"] for gate in page.context["gates"]] == [
        "Installed", "Powered", "Cooled", "Networked", "Scheduled", "Accessible",
    ]  # fmt: skip
    assert {gate["status"] for gate in page.context["gates"]} == {"verified"}
    assert b"64 accelerators" in page.content


def test_a_passed_promise_is_marked_on_the_timeline():
    build = make_build("hall-1", is_ready=False)
    make_promise(build, "powered", date(2026, 10, 1))

    page = signed_in("viewer").get(reverse("procurement:build", args=["hall-1"]))

    powered = next(row for row in page.context["milestones"] if row["name"] == "Powered")
    assert {mark["kind"] for mark in powered["marks"]} == {"overdue", "forecast"}
    assert powered["first"] <= powered["last"]


def test_a_build_without_tranches_still_has_its_page():
    client = signed_in("facilities")
    form = client.get(reverse("procurement:build_new")).context["form"]
    client.post(
        reverse("procurement:build_new"),
        typed(
            form, name="Hall 9", code="hall-9", accelerator="H100-SXM", accelerators_per_node="8", cooling_liquid="8,5"
        ),
    )

    page = client.get(reverse("procurement:build", args=["hall-9"]))

    assert page.status_code == 200
    assert Build.objects.get().cooling_kw_per_node == {"liquid": 8.5}


def test_evidence_is_added_with_a_file_that_is_only_ever_saved():
    build = make_build("hall-1", is_ready=False)
    client = signed_in("facilities")
    address = reverse("procurement:evidence_new", args=["hall-1"])
    proof = SimpleUploadedFile("../../meter.html", b"<script>alert(1)</script>", content_type="text/html")

    form = client.get(address).context["form"]
    client.post(address, typed(form, gate="powered", qty="64", grade="B", observed_on="2026-11-20", attachment=proof))

    evidence = Evidence.objects.get(build=build)
    file = client.get(reverse("procurement:evidence_file", args=["hall-1", evidence.pk]))
    assert (evidence.gate, evidence.recorded_by.username) == ("powered", "facilities")
    assert file["Content-Type"] == "application/octet-stream"
    assert file["Content-Disposition"].startswith("attachment")
    assert ".." not in file["Content-Disposition"]
    file.close()


def test_evidence_without_any_proof_is_refused_and_kept_in_the_form():
    make_build("hall-1", is_ready=False)
    client = signed_in("facilities")
    address = reverse("procurement:evidence_new", args=["hall-1"])

    answer = client.post(
        address, typed(client.get(address).context["form"], gate="powered", qty="64", grade="B", source="")
    )

    assert answer.status_code == 422
    assert b"Say where the proof is" in answer.content
    assert b'value="64"' in answer.content


def test_still_true_appends_the_statement_on_a_later_day():
    build = make_build("hall-1")
    evidence = build.evidence.get(gate="powered")
    client = signed_in("facilities")

    client.post(reverse("procurement:evidence_confirm", args=["hall-1", evidence.pk]), {"observed_on": "2026-11-30"})

    confirmed = Evidence.objects.get(confirms=evidence)
    assert (confirmed.observed_on, confirmed.qty, confirmed.gate) == (date(2026, 11, 30), evidence.qty, "powered")


def test_still_true_on_an_earlier_day_is_refused():
    build = make_build("hall-1")
    evidence = build.evidence.get(gate="powered")
    client = signed_in("facilities")
    address = reverse("procurement:evidence_confirm", args=["hall-1", evidence.pk])

    answer = client.post(address, {"observed_on": "2020-01-01"})

    assert answer.status_code == 422
    assert not Evidence.objects.filter(confirms=evidence).exists()


def test_a_promise_is_added_and_the_earlier_one_stays():
    build = make_build("hall-1", is_ready=False)
    make_promise(build, "powered", date(2026, 10, 1))
    client = signed_in("facilities")
    address = reverse("procurement:promise_new", args=["hall-1"])

    client.post(
        address, typed(client.get(address).context["form"], gate="powered", date="2027-02-01", stated_on="2026-11-30")
    )

    assert Promise.objects.filter(build=build, gate="powered").count() == 2


def test_a_promise_not_after_the_day_it_was_made_is_refused():
    make_build("hall-1", is_ready=False)
    client = signed_in("facilities")
    address = reverse("procurement:promise_new", args=["hall-1"])

    answer = client.post(address, typed(client.get(address).context["form"], gate="powered", date="2026-11-01"))

    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        ("tranche", {"code": "T2", "planned_accelerators": "32"}),
        ("cost", {"component": "staff", "amount": "90,000.00", "currency": "EUR", "basis": "per_year", "fte": "2"}),
        ("waiver", {"component": "licences", "reason": "none needed"}),
    ],
)
def test_parts_of_a_build_are_added_changed_and_archived(part, fields):
    make_build("hall-1")
    client = signed_in("facilities")
    address = reverse("procurement:part_new", args=["hall-1", part])

    added = client.post(address, typed(client.get(address).context["form"], **fields), follow=True)
    record = {"tranche": "tranches", "cost": "costs", "waiver": "waived"}[part]
    newest = getattr(Build.objects.get(), record).order_by("pk").last()
    client.post(reverse("procurement:part_archive", args=["hall-1", part, newest.pk]))

    assert added.status_code == 200
    newest.refresh_from_db()
    assert newest.is_archived is True


@pytest.mark.parametrize("part", ["nonsense", "evidence-x"])
def test_a_build_has_no_other_parts(part):
    make_build("hall-1")

    assert signed_in("facilities").get(reverse("procurement:part_new", args=["hall-1", part])).status_code == 404


def test_an_edit_of_a_build_merges_with_somebody_elses():
    make_build("hall-1")
    first, second = signed_in("facilities", "first"), signed_in("facilities", "second")
    address = reverse("procurement:build_edit", args=["hall-1"])
    their_form, my_form = first.get(address).context["form"], second.get(address).context["form"]
    first.post(address, typed(their_form, name="Hall One"))

    conflict = second.post(address, typed(my_form, bringup_days="20 / 30 / 45"))
    second.post(address, conflict.context["form"].data.dict())

    build = Build.objects.get()
    assert conflict.status_code == 409
    assert (build.name, build.bringup_days, build.ranges["bringup_days"]) == ("Hall One", 30, {"min": 20, "max": 45})


def test_capacity_by_month_counts_all_operators():
    make_build("hall-1", planned=64)

    page = signed_in("viewer").get(reverse("procurement:capacity"))

    now = next(month for month in page.context["months"] if month.month == date(2026, 11, 30))
    assert (now.announced, now.energized, now.accessible) == (64, 64, 64)
    assert b"<svg" in page.content


def test_the_history_holds_the_parts_too():
    make_build("hall-1")

    page = signed_in("viewer").get(reverse("procurement:build_history", args=["hall-1"]))

    things = {entry["summary"].split()[0] for entry in page.context["entries"]}
    assert {"Build", "Tranche", "Evidence"} <= things


def test_builds_are_listed_with_their_readiness():
    make_build("hall-1")
    make_build("hall-2", is_ready=False)

    page = signed_in("viewer").get(reverse("procurement:builds"), {"q": "hall"})

    usable = {row["build"].code: row["status"].readiness["usable_accelerators"] for row in page.context["rows"]}
    assert usable == {"hall-1": 64, "hall-2": 0}
