"""The recommendation page: four answers, sums, the do-nothing twin, and who may see it."""

import io
import json
import re

import openpyxl
import pypdf
import pytest
from django.test import Client
from django.urls import reverse

from procurement.models import ComponentRow, MonthRow
from procurement.permissions import ROLES
from procurement.selectors.runs import run_inputs
from reports.errors import ReportUnavailable
from reports.memo import memo_pdf
from reports.overview import verdict_changes
from reports.recommendation import recommendation_page
from reports.workbook import recommendation_workbook
from tests.reports.factories import HYBRID, make_person, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_run()


@pytest.fixture
def reader():
    client = Client()
    client.force_login(make_person("vera", "viewer"))
    return client


def page_of(reader, run, workload="chat"):
    return text_of(reader.get(reverse("reports:recommendation", args=[run.pk, workload])))


def text_of(reply):
    assert reply.status_code == 200
    plain = re.sub(r"<(style|script).*?</\1>|<[^>]+>", " ", reply.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", plain)


IN_ORDER = (
    "What we recommend",
    "Own the base at hall-2 and rent the peak",
    "Why",
    "It saves EUR 1,164,000.00 against doing nothing",
    "How sure",
    "Every expected cost is priced",
    "What would change it",
    "Use of the accelerators below 48.0%",
    "Before signature",
    "Sign by 4 Dec 2026",
    "When the money goes out",
)


def test_the_four_answers_come_first_and_in_order(reader, run):
    text = page_of(reader, run)

    places = [text.index(words) for words in IN_ORDER]
    assert places == sorted(places)


def test_every_figure_stands_beside_its_do_nothing_twin(reader, run):
    text = page_of(reader, run)

    assert "1,746,000.00 EUR Do nothing 2,910,000.00 1,164,000.00 less" in text
    assert "1,800,000.00 EUR Do nothing 3,000,000.00 1,200,000.00 less" in text
    assert "Do nothing 0.00 1,200,000.00 more" in text  # capital
    assert "2.3100 EUR each Do nothing 3.8400 1.5300 less" in text


def test_without_a_present_place_the_twin_says_so(reader, run):
    assert "no present place is stated" in page_of(reader, run, "pretraining")


def test_parts_add_up_to_the_total_that_is_shown(run):
    page = recommendation_page(run, "chat")

    for option in page.options:
        if option.components:
            assert sum(option.components.values()) == option.nominal_cost
            assert sum(option.components_npv.values()) == option.npv
            assert sum(amount for _, amount in option.months) == option.nominal_cost
    assert page.faults == []


@pytest.mark.parametrize("change", ["component", "month"])
def test_figures_that_do_not_add_up_are_said_on_the_page_and_stop_memo_and_workbook(reader, run, change):
    model = ComponentRow if change == "component" else MonthRow
    row = model.objects.filter(option__option=HYBRID).first()
    model.objects.filter(pk=row.pk).update(amount=row.amount + 1)
    page = recommendation_page(run, "chat")

    assert "do not add up to its total" in page_of(reader, run)
    with pytest.raises(ReportUnavailable, match="do not add up"):
        memo_pdf(page)
    with pytest.raises(ReportUnavailable, match="do not add up"):
        recommendation_workbook(page, run_inputs(run))


def test_nothing_feasible_is_explained_by_constraint_and_count(reader, run):
    text = page_of(reader, run, "vision")

    assert "Nothing on record fits this workload." in text
    assert "Nothing fits: 19 offers were looked at, and each fails at least one constraint." in text
    assert "Wrong accelerator 11 Starts after need 5 Residency 3" in text


def test_an_infeasible_build_says_why_with_its_dates(reader, run):
    text = page_of(reader, run)

    assert "needed by 15 Jan 2027, all of it ready on 19 Jan 2027" in text
    assert "Part of cooled is proven; the promise for the rest has passed." in text


def test_the_page_names_run_engine_digest_and_what_is_left_out(reader, run):
    text = page_of(reader, run)

    assert f"Run {run.pk}, as of 30 Nov 2026 · engine 1.0.0" in text
    assert run.inputs_digest[:16] in text
    assert "Data leaving the provider: no price is stated" in text
    assert "The oldest input is of 20 Sep 2026, 71 days before the day of evaluation." in text


def test_t80_what_people_typed_is_text_on_the_page(reader, run):
    html = reader.get(reverse("reports:recommendation", args=[run.pk, "chat"])).content.decode()

    assert "<script>alert(1)</script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_the_page_asks_the_database_a_bounded_number_of_times(reader, run, django_assert_max_num_queries):
    address = reverse("reports:recommendation", args=[run.pk, "chat"])

    with django_assert_max_num_queries(24):
        reader.get(address)


def test_lists_ask_the_database_the_same_number_of_times_however_many_workloads(
    reader, run, django_assert_max_num_queries
):
    for address in (reverse("reports:recommendations"), "/reports/options/", "/reports/cash_flow/"):
        with django_assert_max_num_queries(22):
            assert reader.get(address).status_code == 200


def test_an_older_run_stays_readable_and_points_to_the_newer_one(reader, run):
    newer = make_run()

    text = page_of(reader, run)

    assert f"See what run {newer.pk} says" in text
    lasting = reader.get(reverse("reports:recommendation_latest", args=["chat"]))
    assert lasting.url == reverse("reports:recommendation", args=[newer.pk, "chat"])


def test_what_changed_since_the_run_before_is_listed(run):
    newer = make_run()
    answer = newer.run_answers.get(workload_code="chat").answer
    answer.option, answer.npv = "cloud:aurora-h100-12", "2328000.00"
    answer.save()

    changes = verdict_changes(newer)

    assert [change["now"]["workload"] for change in changes] == ["Chat serving"]
    assert changes[0]["is_other_option"]


@pytest.mark.parametrize(
    "address",
    [
        "/recommendations/{run}/unknown/",
        "/recommendations/{run}/unknown/cash-flow.csv",
        "/recommendations/999999999999999999999/chat/",
        "/recommendations/{run}/chat/x/",
        "/reports/unknown/",
        "/reports/recommendations.docx",
        "/recommendations/0/inputs.json",
    ],
)
def test_what_does_not_exist_is_not_found(reader, run, address):
    assert reader.get(address.format(run=run.pk)).status_code == 404


def test_an_unfinished_run_shows_no_figures(reader):
    run = make_run(state="comparisons"[:10], finished_at=None)

    assert reader.get(reverse("reports:recommendation", args=[run.pk, "chat"])).status_code == 404


def test_without_any_run_the_list_says_what_to_do(reader):
    assert "No run yet" in text_of(reader.get(reverse("reports:recommendations")))


READ = ("reports:recommendations", "reports:index", "reports:subscriptions", "reports:deliveries")


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("person", ["anonymous", "no role", *ROLES])
def test_who_may_read(person, name, run):
    client = Client()
    if person != "anonymous":
        client.force_login(make_person("p", None if person == "no role" else person))

    status = client.get(reverse(name)).status_code

    assert status == {"anonymous": 302, "no role": 403}.get(person, 200)


FILES = ("recommendation_memo", "recommendation_workbook", "recommendation_cash_flow")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("person", "status"), [("anonymous", 302), ("no role", 403), ("viewer", 200)])
def test_files_are_guarded_like_pages(person, status, name, run):
    client = Client()
    if person != "anonymous":
        client.force_login(make_person("p", None if person == "no role" else person))

    assert client.get(reverse(f"reports:{name}", args=[run.pk, "chat"])).status_code == status


def test_only_who_prepares_decisions_is_offered_to(run):
    addresses = {}
    for role in ("viewer", "analyst"):
        client = Client()
        client.force_login(make_person(role, role))
        addresses[role] = client.get(reverse("reports:recommendation", args=[run.pk, "chat"])).content.decode()

    assert "Prepare decision" in addresses["analyst"]
    assert "Prepare decision" not in addresses["viewer"]


def test_the_memo_has_two_pages_that_say_so_and_the_same_figures_as_the_page(reader, run):
    reply = reader.get(reverse("reports:recommendation_memo", args=[run.pk, "chat"]))
    memo = pypdf.PdfReader(io.BytesIO(reply.content))
    text = " ".join(page.extract_text() for page in memo.pages)

    assert len(memo.pages) == 2
    assert "page 1 of 2" in text
    assert "page 2 of 2" in text
    assert f"Run {run.pk}" in text
    assert memo.trailer["/Root"]["/MarkInfo"]["/Marked"]
    for figure in ("1,746,000.00", "2,910,000.00", "1,164,000.00 less", "1,800,000.00"):
        assert figure in text
        assert figure in page_of(reader, run)


@pytest.mark.parametrize("workload", ["chat", "pretraining", "vision"])
def test_every_answer_has_a_memo_and_a_workbook(run, workload):
    page = recommendation_page(run, workload)

    assert memo_pdf(page).content.startswith(b"%PDF")
    assert openpyxl.load_workbook(io.BytesIO(recommendation_workbook(page, run_inputs(run)).content)).sheetnames == [
        "Summary",
        "Options",
        "Cash flow",
        "Assumptions",
        "About",
    ]


def test_the_workbook_adds_with_formulas_whose_cached_values_are_right(run):
    rendered = recommendation_workbook(recommendation_page(run, "chat"), run_inputs(run)).content
    formulas = openpyxl.load_workbook(io.BytesIO(rendered))
    values = openpyxl.load_workbook(io.BytesIO(rendered), data_only=True)

    assert formulas["Options"]["G2"].value == "=SUM(C2:F2)"
    assert values["Options"]["G2"].value == 1_800_000
    assert values["Options"]["I2"].value == 0  # check cell
    assert formulas["Cash flow"]["C26"].value == "=SUM(C2:C25)"
    assert values["Cash flow"]["C26"].value == 1_800_000
    assert values["Cash flow"]["B2"].value.date().isoformat() == "2027-01-01"


def test_the_inputs_of_a_run_can_be_taken_away(reader, run):
    reply = reader.get(reverse("reports:run_inputs", args=[run.pk]))

    assert json.loads(reply.content) == run_inputs(run)
    assert "attachment" in reply["Content-Disposition"]


def test_cash_flow_of_one_workload_comes_as_csv(reader, run):
    lines = (
        reader.get(reverse("reports:recommendation_cash_flow", args=[run.pk, "chat"])).content.decode().split("\r\n")
    )

    assert lines[0] == "workload_code,workload,option,name,month,month_on,amount,currency"
    assert len(lines) == 1 + 3 * 24 + 1


def test_a_report_page_keeps_its_filter_in_the_address(reader, run):
    text = text_of(reader.get("/reports/options/?workload=vision"))

    assert "The run compared no option for this workload." in text
    assert reader.get("/reports/quotes_expiring/?within_days=soon").status_code == 422
    assert reader.get("/reports/quotes_expiring.csv?within_days=soon").status_code == 400
