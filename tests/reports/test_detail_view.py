"""Tornado, load curve, signing, lease and improving on the page: a real answer of the engine, stored and shown."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from procurement.engine.pipeline import availability, comparisons, energization
from procurement.engine.scenario import parse_scenario
from procurement.models import Answer, Run
from procurement.services.results import availability_store, comparisons_store, energization_store
from reports.detail_charts import load_chart, tornado_chart
from reports.detail_view import details_of, fractile_sentences, input_name, path_text, tornado_view
from reports.places import Places
from reports.recommendation import recommendation_page
from reports.supply_view import cluster_sentence
from tests.engine.cost_documents import build, document, quote, reserved, workload
from tests.reports.factories import make_person, make_run

PLACES = Places(
    quotes={"od": {"provider": "Cloud", "sku": "h100"}}, builds={"own": {}}, provider_names={},
    build_names={"own": "North hall"},
)  # fmt: skip
LINES = [
    {"component": "hardware", "amount": "200000", "currency": "USD", "basis": "once", "life_months": 60},
    {"component": "operations", "amount": "1.00", "currency": "USD", "basis": "per_running_hour"},
]
MEASURED = [
    {"month": "2026-09-01", "utilisation": 0.8, "efficiency": 0.9, "goodput": 0.9, "feed": 1.0},
    {"month": "2026-10-01", "utilisation": 0.4, "efficiency": 0.9, "goodput": 0.9, "feed": 1.0},
]


def asked():
    need = workload(
        demand={"base": 4, "peak": 16, "curve": "linear"}, months=24,
        current={"place": "old hall", "cost_per_month": 60000, "measured": MEASURED},
    )  # fmt: skip
    own = build(16, accelerators_per_node=2, it_kw_per_node=2, cooling_kw_per_node={"air": 2}, rdma_ports_per_node=2,
                costs=LINES,
                tranches=[{"id": f"T{index}", "planned_accelerators": 2} for index in range(8)])  # fmt: skip
    own["evidence"] = [{**entry, "tranche": "*"} for entry in own["evidence"]]
    price = {"min": "1.5", "likely": "2.00", "max": "3"}
    offers = [quote(price=price, accelerators_per_instance=2), reserved(accelerators_per_instance=2, term_months=24)]
    return document(quotes=offers, builds=[own], workloads=[need], draws=200, discount_rate="0.08")


@pytest.fixture
def run(db):
    """Return a finished run that holds the engine's answer to the document."""
    made = make_run()
    made.inputs, made.currency = asked(), "USD"
    made.save()
    made.run_answers.all().delete()
    scenario = parse_scenario(made.inputs)
    energization_store(run=made, stage=energization(scenario))
    digests = {"w": "d" * 64}
    availability_store(run=made, digests=digests, stage=availability(scenario), workload_codes=["w"])
    comparisons_store(run=made, stage=comparisons(scenario), workload_codes=["w"])
    return Run.objects.get(pk=made.pk)


def shown(run):
    client = Client()
    client.force_login(make_person("vera", "viewer"))
    reply = client.get(reverse("reports:recommendation", args=[run.pk, "w"]))
    assert reply.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reply.content.decode()))


def test_the_page_shows_every_detail_that_the_answer_holds(run):
    text = shown(run)

    for words in (
        "What moves the choice", "How much to own", "worth owning while it works more than",
        "Before anything is bought", "Commit now, later or shorter", "Only the quote binds", "Lease or buy",
        "Does it need a cluster?",
    ):  # fmt: skip
        assert words in text


def test_the_money_lost_adds_up_on_the_page(run):
    found = recommendation_page(run, "w").details.improvement

    assert sum(amount for _, amount in found.losses) + found.useful == found.cost
    assert "64.8%" in found.lead  # 0.8 x 0.9 x 0.9


def test_the_owned_slices_are_those_left_of_the_split(run):
    curve = recommendation_page(run, "w").details.load_curve
    chart = load_chart(curve)

    assert [part.is_owned for part in curve.slices].count(True) * 2 == curve.owned
    assert sum(bar["is_owned"] for bar in chart["bars"]) * 2 == curve.owned
    assert min(cost for _, cost in curve.costs) == dict(curve.costs)[int(curve.owned)]


def test_every_bar_of_the_tornado_lies_inside_its_drawing(run):
    page = recommendation_page(run, "w")
    chart = tornado_chart(page.details.tornado, page.currency)

    assert all(bar["x"] >= 360 and bar["x"] + bar["width"] <= chart["width"] for bar in chart["bars"])


def test_an_answer_without_details_shows_none(db):
    answer = Answer(recommendation={})

    found = details_of(answer, [], PLACES)
    assert (found.tornado, found.load_curve, found.improvement, list(found.commitments)) == (None, None, None, [])
    assert tornado_view({"inputs": []}, PLACES) is None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("quotes/od/price", "Price, Cloud h100, on demand"),
        ("builds/own/costs/0/amount", "Costs amount, North hall"),
        ("dates/own", "Day North hall is usable"),
        ("assumptions/discount_rate", "Discount rate"),
        ("workloads/w/demand/utilisation", "Demand utilisation"),
    ],
)
def test_inputs_are_named_by_their_record(name, told):
    assert input_name(name, PLACES) == told


def test_a_share_above_all_hours_says_that_nothing_is_worth_owning():
    told = fractile_sentences({"critical_share": 1.14, "critical_fractile": None})

    assert "nothing is worth owning" in told[1]
    assert "never dearer" in fractile_sentences({"critical_share": None})[0]


def test_price_paths_carry_their_sign():
    assert [path_text(value) for value in (None, 0.0, -0.25, 0.1)] == [
        "none in range", "0% a year", "-25.0% a year", "+10.0% a year",
    ]  # fmt: skip


def test_whether_a_cluster_is_needed_is_said_with_its_reason():
    found = {"cluster": {"answer": "yes", "because": "memory", "accelerators": 48, "node": 8}}

    assert cluster_sentence(found) == "yes: the model needs 48 accelerators to fit in memory; a node holds 8"
