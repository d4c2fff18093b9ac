"""Imports over the interface: validate, mend, execute, undo, with a report of each."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from procurement.models import Quote
from tests.procurement.api_tools import client_of
from tests.procurement.sheet_tools import COLUMNS, FAULTY, GOOD, HEADER, OTHER, SUPPLIER, work

pytestmark = pytest.mark.django_db


def upload(client, content, name="acme.csv", **fields):
    file = SimpleUploadedFile(name, content.encode(), content_type="text/csv")
    sent = {"observed_on": "2026-11-29", "source": "mail", "is_draft": "true", "file": file, **fields}
    reply = client.upload("price-sheets/", sent)
    work()
    return reply.json()


def now(client, sheet):
    return client.get(f"price-sheets/{sheet['id']}/").json()


def act(client, sheet, action, body=None):
    tag = f'"{now(client, sheet)["version"]}"'
    reply = client.post(f"price-sheets/{sheet['id']}/{action}/", body or {}, If_Match=tag)
    work()
    return reply


def reports(client, sheet):
    return client.get(f"price-sheets/{sheet['id']}/reports/").json()["results"]


def test_a_dry_run_reports_and_its_execution_reports_apart_and_both_are_kept():
    client = client_of("analyst")
    sheet = upload(client, HEADER + GOOD + OTHER)
    assert (now(client, sheet)["state"], Quote.objects.count()) == ("checked", 0)

    assert act(client, sheet, "execute", {"reason": "as agreed"}).status_code == 200

    assert now(client, sheet)["state"] == "imported"
    assert [one["kind"] for one in reports(client, sheet)] == ["validation", "execution"]
    assert reports(client, sheet)[1]["counts"]["new"] == Quote.objects.count() == 2


def test_faults_are_named_in_the_report_mended_by_cell_and_executed():
    client = client_of("analyst")
    sheet = upload(client, HEADER + GOOD + FAULTY)
    report = client.get(f"price-sheets/{sheet['id']}/reports/{reports(client, sheet)[0]['id']}/").json()
    assert report["content"]["faults"][0]["column"] == "price"
    assert act(client, sheet, "execute").status_code == 409

    mended = act(client, sheet, "corrections", {"corrections": [{"line": 3, "column": "price", "value": "20.50"}]})

    assert (mended.status_code, mended.json()["was"], mended.json()["value"]) == (201, "cheap", "20.50")
    assert act(client, sheet, "execute").status_code == 200
    assert Quote.objects.count() == 2


def test_the_columns_of_any_sheet_are_stated_and_kept():
    client = client_of("analyst")
    sheet = upload(client, SUPPLIER.replace("EUR", "USD"), name="angebot.csv")
    assert now(client, sheet)["preview"]["headers"][0] == "Modell"
    columns = json.loads(json.dumps(COLUMNS).replace("EUR", "USD"))

    assert act(client, sheet, "validate", {"profile": columns, "zone": "Europe/Berlin"}).status_code == 200

    assert now(client, sheet)["rows_new"] == 2
    assert client.get("import-profiles/").json()["results"][0]["zone"] == "Europe/Berlin"


def test_an_import_is_undone_with_a_reason():
    client = client_of("analyst")
    sheet = upload(client, HEADER + GOOD, is_draft="false")

    assert act(client, sheet, "undo").status_code == 400
    assert act(client, sheet, "undo", {"reason": "wrong file"}).json()["state"] == "undone"
    assert not Quote.objects.filter(is_current=True).exists()


def test_who_comes_second_is_told_both_values():
    client = client_of("analyst")
    sheet = upload(client, HEADER + GOOD + FAULTY)
    body = {"corrections": [{"line": 3, "column": "price", "value": "20.50"}]}
    act(client, sheet, "corrections", body)
    body["corrections"][0]["value"] = "21.50"

    reply = client.post(f"price-sheets/{sheet['id']}/corrections/", body, If_Match='"1"')

    assert reply.status_code == 412
    assert "21.50" in reply.content.decode()


def test_a_name_of_three_thousand_characters_is_refused_beside_its_field():
    reply = upload(client_of("analyst"), HEADER + GOOD, name="x" * 2996 + ".csv")

    assert reply["status"] == 400
    assert reply["errors"][0]["pointer"] == "/file"
    assert "at most 200 characters" in reply["errors"][0]["detail"]
