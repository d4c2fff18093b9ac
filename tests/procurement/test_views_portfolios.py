"""Pages of portfolios: asked with pins typed by hand, shown in states that stay apart, stopped, downloaded."""

import csv
import io
import json

import pytest
from django.urls import reverse

from procurement.engine.pipeline import portfolio as plan
from procurement.engine.scenario import parse_scenario
from procurement.models import Portfolio, PortfolioState, Run
from procurement.views.portfolio_display import conflict_shown
from tests.procurement.page_tools import signed_in
from tests.procurement.portfolio_runs import make_finished_run, make_portfolio
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db
NEW = "procurement:portfolio_new"


@pytest.fixture
def run():
    return make_finished_run()


def quote_of(run):
    return Run.objects.get(pk=run.pk).inputs["quotes"][0]["id"]


def sent(*rows, **changes):
    """Return what a browser sends of the form with these rows of pins."""
    data = {"gap": "1", "time_limit_s": "60", "reason": "board", "pins-TOTAL_FORMS": str(len(rows)),
            "pins-INITIAL_FORMS": "0", "ask": "1", **changes}  # fmt: skip
    for number, row in enumerate(rows):
        data |= {f"pins-{number}-{name}": value for name, value in {"how": "all", **row}.items()}
    return data


def asked(client, *rows, **changes):
    answer = client.post(reverse(NEW), sent(*rows, **changes))
    assert answer.status_code == 302, answer.context["form"].errors
    work_off()
    return client.get(answer["Location"])


def test_a_plan_is_asked_for_without_script_and_shows_who_runs_where(run):
    client = signed_in("analyst")

    first = client.post(reverse(NEW), sent(), follow=True)
    work_off()
    page = client.get(reverse("procurement:portfolio", args=[Portfolio.objects.get().pk]))

    assert b"Being looked for" in first.content
    assert b">Stop<" in first.content.replace(b"</svg>Stop<", b">Stop<")
    text = page.content.decode()
    assert "Who runs where, and when" in text
    assert "hall-1" in text
    assert "Accelerators in use by month" in text
    assert [(span["first"], span["last"]) for span in page.context["spans"]] == [(0, 11)]
    assert Portfolio.objects.get().reason == "board"


def test_pins_are_typed_in_rows_kept_and_priced(run):
    row = {"workload": "serve", "place": quote_of(run), "how": "share", "amount": "50", "reason": "signed"}

    page = asked(signed_in("analyst"), row, {})

    found = page.context["portfolio"]
    assert found.pins == [{"workload": "serve", "place": quote_of(run), "share": "0.5", "reason": "signed"}]
    text = page.content.decode()
    assert "50 % of it" in text
    assert "What the pins cost" in text
    assert "plan without pins" in text


@pytest.mark.parametrize(
    ("_case", "row", "words"),
    [
        ("no such workload", {"workload": "nobody", "place": "hall-1"}, "the id of a workload of the document"),
        ("no such place", {"workload": "serve", "place": "nowhere"}, "the id of a quote or build"),
        ("no amount", {"workload": "serve", "place": "hall-1", "how": "accelerators"}, "Say how many accelerators"),
        ("too much", {"workload": "serve", "place": "hall-1", "how": "share", "amount": "120"}, "out of bounds"),
        ("no place", {"workload": "serve"}, "This field is required"),
    ],
)
def test_a_wrong_pin_is_said_beside_its_row_and_what_was_typed_stays(run, _case, row, words):
    answer = signed_in("analyst").post(reverse(NEW), sent({}, row))

    text = answer.content.decode()
    assert answer.status_code == 422
    assert text.count(words) >= 2  # above the form, and in the row
    assert "Pin 2" in text
    assert f'value="{row["workload"]}"' in text
    assert not Portfolio.objects.exists()


def test_more_rows_come_by_a_button_and_keep_what_was_typed_unjudged(run):
    row = {"workload": "serve", "how": "share", "amount": "abc"}

    answer = signed_in("analyst").post(reverse(NEW), {**sent(row, {}), "more": "1", "gap": "oops"})

    text = answer.content.decode()
    assert answer.status_code == 200
    assert 'value="abc"' in text
    assert 'value="oops"' in text
    assert "is not a number" not in text
    assert text.count("<legend") == 3
    assert not Portfolio.objects.exists()


def test_pins_of_an_earlier_plan_and_a_row_of_it_are_offered_again_and_an_emptied_row_is_gone(run):
    client = signed_in("analyst")
    row = {"workload": "serve", "place": quote_of(run), "how": "not"}
    first = asked(client, row).context["portfolio"]

    form = client.get(reverse(NEW), {"like": first.pk, "workload": "serve", "place": "hall-1"}).context["form"]

    shown = [row.initial for row in form.pins.forms if row.initial]
    assert [(row["place"], row["how"]) for row in shown] == [(quote_of(run), "not"), ("hall-1", "all")]
    emptied = sent({}, {"workload": "serve", "place": "hall-1"}) | {"pins-INITIAL_FORMS": "2"}
    assert client.post(reverse(NEW), emptied).status_code == 302
    assert Portfolio.objects.first().pins == [{"workload": "serve", "place": "hall-1"}]


def test_what_removed_the_places_of_a_demand_is_counted_in_words_the_commonest_first(run):
    line = "demand of w: 16 accelerators, in one place (x); no place serves all of its months ({})"
    found, other = conflict_shown([line.format("missing:fabric 1, wrong_accelerator 12"), "pin 1: w at hall-1"])

    assert found["words"] == "demand of w: 16 accelerators, in one place (x); no place serves all of its months."
    assert found["removed"] == [
        {"words": "Wrong accelerator", "count": 12}, {"words": "Missing: fabric", "count": 1},
    ]  # fmt: skip
    assert other == {"words": "pin 1: w at hall-1", "removed": []}


def test_an_infeasible_plan_names_the_pins_in_its_conflict(run):
    row = {"workload": "serve", "place": quote_of(run), "how": "accelerators", "amount": "1000", "reason": "a wish"}

    text = asked(signed_in("analyst"), row).content.decode()

    assert "No plan can keep everything that was asked" in text
    assert "pin 1: 1000 accelerators for serve" in text
    assert "Give up or loosen this" in text
    assert "Present cost of everything" not in text


@pytest.mark.parametrize(
    ("state", "values", "words"),
    [
        ("time_limit", {"npv": "5.00", "gap": "0.07"}, "the clock stopped it"),
        ("time_limit", {}, "No plan was found in"),
        ("stopped", {"npv": "5.00", "gap": "0.07"}, "best plan found by then"),
        ("stopped", {}, "No plan had been found by then"),
        ("infeasible", {}, "No plan can keep everything"),
        ("failed", {"message": "The solver gave no answer: Unbounded."}, "it failed"),
    ],
)
def test_a_plan_that_is_not_optimal_says_so_in_words(run, state, values, words):
    found = make_portfolio(run, state=state, **values)
    client = signed_in("viewer")

    page = client.get(reverse("procurement:portfolio", args=[found.pk])).content.decode()
    listed = client.get(reverse("procurement:portfolios")).content.decode()

    assert words in page
    assert "Optimal" not in page.split("<main", 1)[1]
    assert PortfolioState(state).label in page
    assert PortfolioState(state).label in listed


def test_a_waiting_solve_is_stopped_from_its_page_and_asked_again(run):
    client = signed_in("analyst")
    client.post(reverse(NEW), sent())
    found = Portfolio.objects.get()

    stopped = client.post(reverse("procurement:portfolio_stop", args=[found.pk]), follow=True)
    again = client.post(reverse("procurement:portfolio_again", args=[found.pk]), follow=True)

    assert "Stopped by a person" in stopped.content.decode()
    assert "Ask again" in stopped.content.decode()
    assert "Being looked for" in again.content.decode()


def test_the_progress_ends_when_the_plan_is_there(run):
    found = make_portfolio(run)
    address = reverse("procurement:portfolio", args=[found.pk])
    client, htmx = signed_in("viewer"), {"HX-Request": "true"}

    before = client.get(address, headers=htmx)
    Portfolio.objects.update(state="optimal", npv="1", gap="0")
    after = client.get(address, headers=htmx)

    assert (before.status_code, after.status_code) == (200, 286)
    assert b"Show the plan" in after.content


def test_the_downloads_hold_the_plan_and_a_question_that_gives_it_again(run):
    client = signed_in("viewer")
    found = asked(signed_in("analyst")).context["portfolio"]

    content = client.get(reverse("procurement:portfolio_csv", args=[found.pk])).content.decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    answer = json.loads(client.get(reverse("procurement:portfolio_json", args=[found.pk])).content)
    question = json.loads(client.get(reverse("procurement:portfolio_question", args=[found.pk])).content)

    assert [row["begins_on"] for row in rows][:2] == ["2026-12-01", "2026-12-31"]  # a month is a twelfth of 365 days
    # a year of eight at 3.00 an hour is 210,240; buying the 64 of the hall for it would lose 430,000 unused
    assert {(row["workload"], row["place"], row["accelerators"]) for row in rows} == {("serve", quote_of(run), "8")}
    computed = plan(parse_scenario(question))
    assert {**answer, "seconds": None} == {**computed, "seconds": None}


@pytest.mark.parametrize("page", ["portfolio_new", "portfolio_stop", "portfolio_again"])
def test_who_only_reads_neither_asks_nor_stops(run, page):
    found = make_portfolio(run)
    address = reverse(f"procurement:{page}", args=[] if page == "portfolio_new" else [found.pk])

    assert signed_in("viewer").post(address).status_code == 403
    assert b"Change pins" not in signed_in("viewer").get(reverse("procurement:portfolio", args=[found.pk])).content


def test_lists_and_runs_lead_to_the_plan(run):
    client = signed_in("analyst")

    empty = client.get(reverse("procurement:portfolios")).content.decode()
    of_run = client.get(reverse("procurement:run", args=[run.pk])).content.decode()

    assert "No portfolio yet" in empty
    assert f"{reverse(NEW)}?run={run.pk}" in of_run
    assert ">Portfolio<" in of_run


def test_without_a_finished_run_there_is_nothing_to_ask():
    assert signed_in("analyst").get(reverse(NEW)).status_code == 404
    assert b"A plan rests on a finished run" in signed_in("analyst").get(reverse("procurement:portfolios")).content
