"""Flat tables: golden content, stable columns, counted rows, nothing that a spreadsheet would run."""

import csv
import io

import pytest

from procurement.api.tables import TABLES
from procurement.models import MonthRow, Quote
from tests.factories import make_quote
from tests.procurement.api_tools import client_of, make_run

pytestmark = pytest.mark.django_db

# columns are only ever added at the end, since workbooks refer to them
COLUMNS = {
    "quotes": (
        "code,version,provider,sku,accelerator,accelerators_per_node,accelerators_per_instance,price,price_basis,"
        "currency,price_includes_tax,price_per_accelerator_hour,purchase_model,term_months,upfront,region,interconnect,"
        "fabric,capacity_class,quantity_available,quoted_on,valid_until,earliest_start,cluster,source,modified_at"
    ),
    "recommendations": (
        "run,as_of,workload,workload_name,verdict,option,runner_up,is_tie,how_sure,currency,npv,"
        "cost_per_accelerator_hour,cost_per_useful_accelerator_hour,approval_amount,premium_over_cheapest,"
        "oldest_input_on,first_reason"
    ),
    "options": (
        "run,as_of,workload,position,option,kind,is_feasible,currency,npv,nominal_cost,capital,operating,"
        "cost_per_accelerator_hour,cost_per_useful_accelerator_hour"
    ),
    "cash-flow": "run,as_of,workload,option,month,currency,amount",
}


def _table(path: str, role: str = "viewer", **headers):
    reply = client_of(role).get(f"tables/{path}", **headers)
    content = b"".join(reply.streaming_content) if reply.streaming else reply.content
    return reply, content.decode()


@pytest.mark.parametrize("name", list(TABLES))
def test_columns_begin_as_they_always_did_even_when_there_is_no_row(name):
    reply, text = _table(f"{name}.csv")

    assert reply["Content-Type"] == "text/csv; charset=utf-8"
    assert text.startswith(COLUMNS[name])
    assert text.endswith("\r\n")
    assert reply["X-Row-Count"] == "0"
    described = client_of("viewer").get(f"tables/{name}/schema/").json()["fields"]
    assert [field["name"] for field in described] == text.strip().split(",")


def test_the_cash_flow_is_as_stored():
    made = make_run()

    reply, text = _table("cash-flow.csv")

    run = made.run.pk
    assert text.split("\r\n")[1:3] == [
        f"{run},2026-11-30,serve,on_prem:hall-1,0,USD,461567.50",
        f"{run},2026-11-30,serve,on_prem:hall-1,1,USD,-12.60",
    ]
    assert reply["X-Row-Count"] == str(MonthRow.objects.count())


def test_recommendations_and_options_of_a_run_are_as_stored():
    made = make_run()

    _, lines = _table(f"recommendations.csv?run={made.run.pk}")
    _, options = _table("options.csv")

    row = next(csv.DictReader(io.StringIO(lines)))
    assert (row["npv"], row["is_tie"], row["premium_over_cheapest"]) == ("919667.96", "false", "")
    assert [row["npv"] for row in csv.DictReader(io.StringIO(options))] == ["919667.96", "5177989.53"]
    assert client_of("viewer").get("tables/options.csv?run=999999").status_code == 404


def test_quotes_are_those_in_force():
    make_quote(code="a", price="3.00", source='quotation "118", page 2')
    make_quote(code="b")
    Quote.objects.filter(code="b").update(is_archived=True)

    reply, text = _table("quotes.csv")

    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["code"], row["price"], row["source"]) for row in rows] == [("a", "3.00", 'quotation "118", page 2')]
    assert rows[0]["price_per_accelerator_hour"] == "3"
    assert reply["X-Row-Count"] == "1"


@pytest.mark.parametrize(
    "text", ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "+49 30 1234", "\uff1d1+1"]
)
def test_t56_no_text_is_a_formula_in_excel_and_numbers_stay_numbers(text):
    make_quote(source=text)
    make_run()

    _, plain = _table("quotes.csv")
    _, guarded = _table("quotes.csv?excel=1")
    _, cash = _table("cash-flow.csv?excel=1")

    assert next(csv.DictReader(io.StringIO(plain, newline="")))["source"] == text
    assert guarded.startswith("\ufeffcode,")
    assert next(csv.DictReader(io.StringIO(guarded, newline="")))["source"] == f"'{text}"
    assert ",-12.60\r\n" in cash


def test_a_client_that_holds_the_table_is_sent_nothing():
    make_quote()
    first, _ = _table("quotes.csv")

    again, content = _table("quotes.csv", If_None_Match=first["ETag"])
    make_quote(code="another")
    changed, _ = _table("quotes.csv", If_None_Match=first["ETag"])

    assert (again.status_code, content, changed.status_code) == (304, "", 200)


def test_a_table_that_is_not_there_names_those_that_are():
    reply = client_of("viewer").get("tables/secrets.csv")

    assert reply.status_code == 404
    assert "cash-flow" in reply.json()["detail"]
