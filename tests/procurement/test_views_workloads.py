"""Pages of workloads and assumptions: presets, nested blocks, copies of used sets."""

from datetime import date
from decimal import Decimal

import pytest
from django.urls import reverse

from procurement.choices import workload_presets
from procurement.models import AssumptionSet, Workload
from tests.factories import make_assumptions, make_workload
from tests.procurement.page_tools import signed_in, typed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _day_is_fixed():
    make_assumptions(
        name="Base", fx=({"base": "EUR", "counter": "USD", "rate": "1.16", "on": date(2026, 11, 27), "source": "ECB"},)
    )


@pytest.mark.parametrize("kind", [preset.kind for preset in workload_presets()])
def test_every_preset_can_be_saved_as_it_is(kind):
    client = signed_in("analyst")
    address = reverse("procurement:workload_new")

    form = client.get(address, {"preset": kind}).context["form"]
    answer = client.post(address, typed(form, months="24"))

    assert answer.status_code == 302, answer.context["form"].errors
    assert Workload.objects.get().kind == kind


def test_a_preset_brings_its_training_block():
    client = signed_in("analyst")
    form = client.get(reverse("procurement:workload_new"), {"preset": "llm_training"}).context["form"]

    client.post(reverse("procurement:workload_new"), typed(form, months="12"))

    workload = Workload.objects.get()
    assert workload.training["params_b"] == 70
    assert workload.demand == {"utilisation": 0.95}
    assert workload.fabrics == ["infiniband", "roce"]


def test_demand_given_in_two_ways_is_refused_with_the_reason():
    client = signed_in("analyst")
    form = client.get(reverse("procurement:workload_new"), {"preset": "experimentation"}).context["form"]

    answer = client.post(reverse("procurement:workload_new"), typed(form, months="12", demand_utilisation="0.5"))

    assert answer.status_code == 422
    assert not Workload.objects.exists()


def test_a_range_inside_demand_is_kept_through_an_edit():
    make_workload("serve", demand={"utilisation": {"min": 0.4, "likely": 0.6, "max": 0.9}})
    client = signed_in("analyst")
    address = reverse("procurement:workload_edit", args=["serve"])

    form = client.get(address).context["form"]
    client.post(address, typed(form, name="Serving"))

    workload = Workload.objects.get()
    assert (workload.name, workload.demand) == ("Serving", {"utilisation": {"min": 0.4, "likely": 0.6, "max": 0.9}})


def test_what_the_form_has_no_field_for_is_not_lost():
    make_workload(
        "serve", demand={"utilisation": 0.5}, training={"params_b": 8, "anchor": {"accelerators": 8, "step_s": 1.5}}
    )
    client = signed_in("analyst")
    address = reverse("procurement:workload_edit", args=["serve"])

    client.post(address, typed(client.get(address).context["form"], name="Serving"))

    assert Workload.objects.get().training == {"params_b": 8, "anchor": {"accelerators": 8, "step_s": 1.5}}


def test_a_workload_shows_every_stated_fact_with_its_unit():
    make_workload("serve", dataset_gb="20000", residency=["EU"])

    page = signed_in("viewer").get(reverse("procurement:workload", args=["serve"])).content.decode()

    assert "20,000 GB" in page
    assert "EU" in page
    assert "No finished run holds this workload yet" in page


def test_a_new_set_is_a_copy_and_the_used_one_is_refused():
    client = signed_in("finance")
    used = AssumptionSet.objects.get(name="Base")
    form = client.get(reverse("procurement:assumption_set_new"), {"copy": used.pk}).context["form"]

    client.post(
        reverse("procurement:assumption_set_new"),
        typed(
            form,
            name="Base, dearer money",
            discount_rate="0.06 / 0.09 / 0.12",
            days_powered="60",
            approval_days="100000 5\n* 20",
        ),
    )
    refused = client.post(
        reverse("procurement:assumption_set_edit", args=[used.pk]),
        typed(
            client.get(reverse("procurement:assumption_set_edit", args=[used.pk])).context["form"], discount_rate="0.5"
        ),
    )

    copy = AssumptionSet.objects.get(name="Base, dearer money")
    assert (copy.discount_rate, copy.ranges["discount_rate"]) == (Decimal("0.09"), {"min": 0.06, "max": 0.12})
    assert copy.evidence_days == {"powered": 60}
    assert copy.policy["approval_days"] == [{"up_to": 100000, "days": 5}, {"days": 20}]
    assert [(rate.base, rate.counter, rate.rate) for rate in copy.fx.all()] == [("EUR", "USD", Decimal("1.16"))]
    assert refused.status_code == 422
    assert b"can no longer change" in refused.content


@pytest.mark.parametrize(
    ("_case", "line"),
    [
        ("too few words", "EUR USD 1.16"),
        ("no day", "EUR USD 1.16 yesterday ECB"),
        ("rate of one", "EUR USD 1 2026-11-27 ECB"),
    ],
)
def test_a_faulty_exchange_rate_is_named_by_its_line(_case, line):
    client = signed_in("finance")
    form = client.get(reverse("procurement:assumption_set_new")).context["form"]

    answer = client.post(
        reverse("procurement:assumption_set_new"), typed(form, name="New", discount_rate="0.08", rates=line)
    )

    assert answer.status_code == 422
    assert AssumptionSet.objects.count() == 1


def test_putting_a_set_in_force_leaves_the_one_before_for_its_runs():
    new = make_assumptions(name="Next", is_in_force=False)

    signed_in("finance").post(reverse("procurement:assumption_set_put_in_force", args=[new.pk]))

    assert list(AssumptionSet.objects.filter(is_in_force=True)) == [new]
