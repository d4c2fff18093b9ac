"""Records through the interface: created, read, changed by version, taken out of use, brought back."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from procurement.models import AuditEntry, Build, Evidence, Job, Quote, Tranche, Waiver
from tests.factories import AS_OF, make_assumptions, make_build, make_provider, make_quote, make_workload
from tests.procurement.api_tools import client_of, make_sheet

pytestmark = pytest.mark.django_db

QUOTE = {
    "provider": "acme", "sku": "h100-8", "accelerator": "H100-SXM", "accelerators_per_node": 8, "price": "31000.50",
    "price_basis": "per_month", "currency": "EUR", "quoted_on": "2026-11-20", "valid_until": "2027-01-31",
    "source": "quotation 118",
}  # fmt: skip


def test_a_new_quote_is_answered_with_its_address_and_version():
    make_provider()
    analyst = client_of("analyst")

    reply = analyst.post("quotes/", QUOTE)

    assert reply.status_code == 201, reply.content
    assert reply["ETag"] == '"1"'
    assert reply["Location"] == f"/api/v1/quotes/{reply.json()['code']}/"
    assert analyst.get(reply["Location"]).json()["source"] == "quotation 118"


def test_decimals_are_strings_with_their_currency_beside_them():
    make_provider()

    shown = client_of("analyst").post("quotes/", {**QUOTE, "network_gbps_per_accelerator": 400}).json()

    assert (shown["price"], shown["currency"]) == ("31000.50", "EUR")
    assert shown["network_gbps_per_accelerator"] == "400"
    assert shown["setup_fee"] == "0"
    assert shown["quantity_available"] is None
    assert shown["quoted_on"] == "2026-11-20"
    assert shown["modified_at"].endswith("Z")


def test_a_number_is_stored_with_every_digit_that_was_sent():
    make_provider()
    body = json.dumps(QUOTE).replace('"31000.50"', "1234567890123.12345678")

    reply = client_of("analyst").ask("POST", "quotes/", body.encode())

    assert reply.json()["price"] == "1234567890123.12345678"


def test_more_decimals_than_can_be_stored_are_refused_not_rounded():
    make_provider()

    reply = client_of("analyst").post("quotes/", {**QUOTE, "price": "1.123456789"})

    assert reply.status_code == 400
    assert reply.json()["errors"][0]["pointer"] == "/price"


def test_every_fault_is_named_with_its_place_at_once():
    make_provider()

    body = {**QUOTE, "price": "cheap", "currancy": "EUR", "quoted_on": "20.11.2026", "ranges": {"pricee": {}}}
    problem = client_of("analyst").post("quotes/", body).json()

    faults = {fault["pointer"]: fault["detail"] for fault in problem["errors"]}
    assert set(faults) == {"/price", "/currancy", "/quoted_on", "/ranges/pricee"}
    assert "Did you mean `currency`?" in faults["/currancy"]
    assert "Did you mean `price`?" in faults["/ranges/pricee"]


def test_a_range_goes_in_and_comes_out():
    make_provider()

    reply = client_of("analyst").post("quotes/", {**QUOTE, "ranges": {"price": {"min": 30000, "max": "33000.5"}}})

    assert reply.json()["ranges"] == {"price": {"min": "30000", "max": "33000.5"}}


def test_a_change_appends_a_version_and_the_old_one_stays_readable():
    quote = make_quote(price="3.00")
    analyst = client_of("analyst")

    changed = analyst.patch(f"quotes/{quote.code}/", {"price": "2.80", "reason": "re-quoted"}, If_Match='"1"')

    assert changed.status_code == 200, changed.content
    assert (changed["ETag"], changed.json()["price"]) == ('"2"', "2.80")
    assert [row["version"] for row in analyst.get(f"quotes/{quote.code}/versions/").json()["results"]] == [1, 2]
    assert analyst.get(f"quotes/{quote.code}/versions/1/").json()["price"] == "3.00"
    assert AuditEntry.objects.filter(action="quote.supersede", source="api", reason="re-quoted").count() == 1


def test_a_change_without_its_version_is_refused():
    quote = make_quote()

    reply = client_of("analyst").patch(f"quotes/{quote.code}/", {"price": "2.80"})

    assert reply.status_code == 428
    assert reply.json()["errors"][0]["header"] == "If-Match"


def test_the_second_of_two_editors_is_shown_both_values():
    workload = make_workload()
    analyst = client_of("analyst")
    analyst.patch(f"workloads/{workload.code}/", {"accelerators": 16}, If_Match='"1"')

    late = analyst.patch(f"workloads/{workload.code}/", {"accelerators": 24}, If_Match='"1"')

    assert late.status_code == 412
    assert late["ETag"] == '"2"'
    assert late.json()["current_version"] == 2
    assert late.json()["differences"] == [{"field": "accelerators", "stored": 16, "asked": 24}]


def test_a_client_that_holds_this_version_is_sent_nothing():
    workload = make_workload()
    viewer = client_of("viewer")

    first = viewer.get(f"workloads/{workload.code}/")
    again = viewer.get(f"workloads/{workload.code}/", If_None_Match=first["ETag"])

    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["version", "is_archived", "created_by", "id", "is_current", "created_at"])
def test_what_the_service_sets_cannot_be_sent(name):
    make_provider()

    reply = client_of("administrator").post("quotes/", {**QUOTE, name: 7})

    assert reply.status_code == 400
    assert reply.json()["errors"][0]["pointer"] == f"/{name}"
    assert not Quote.objects.exists()


def test_a_record_is_taken_out_of_use_and_brought_back():
    provider = make_provider()
    analyst = client_of("analyst")

    gone = analyst.delete(f"providers/{provider.code}/?reason=closed", If_Match='"1"')

    assert (gone.status_code, gone.json()["is_archived"]) == (200, True)
    assert analyst.get("providers/").json()["results"] == []
    assert len(analyst.get("providers/?include_archived=true").json()["results"]) == 1
    back = analyst.post(f"providers/{provider.code}/restore/", If_Match='"2"')
    assert (back.status_code, back.json()["is_archived"]) == (200, False)


def test_a_change_of_a_quote_queues_a_recomputation():
    make_provider()
    Job.objects.all().delete()

    client_of("analyst").post("quotes/", QUOTE)

    assert Job.objects.filter(kind="recompute").count() == 1


def test_a_build_is_made_with_its_parts():
    facilities = client_of("facilities")
    values = {"code": "hall-2", "name": "Hall 2", "accelerator": "H100-SXM", "accelerators_per_node": 8}

    assert facilities.post("builds/", values).status_code == 201
    tranche = facilities.post("builds/hall-2/tranches/", {"code": "T1", "planned_accelerators": 64})
    assert tranche.status_code == 201, tranche.content
    line = {"component": "hardware", "amount": "461567.50", "currency": "USD", "life_months": 60}
    cost = facilities.post("builds/hall-2/costs/", line)
    assert (cost.status_code, cost.json()["amount"]) == (201, "461567.50"), cost.content
    waiver = facilities.post("builds/hall-2/waivers/", {"component": "space", "reason": "own hall"})
    assert (waiver.status_code, Waiver.objects.get().reason) == (201, "own hall"), waiver.content
    promise = {"gate": "powered", "date": "2027-06-01", "stated_on": "2026-11-01", "stated_by": "utility"}
    assert facilities.post("builds/hall-2/promises/", promise).status_code == 201
    document = facilities.get("builds/hall-2/document/").json()
    assert document["tranches"] == [{"id": "T1", "planned_accelerators": 64}]
    assert document["promises"][0]["stated_by"] == "utility"


def test_a_part_is_changed_by_its_own_version():
    build = make_build(is_ready=False)
    tranche = Tranche.objects.get(build=build)
    facilities = client_of("facilities")

    reply = facilities.patch(
        f"builds/{build.code}/tranches/{tranche.pk}/", {"planned_accelerators": 96}, If_Match='"1"'
    )

    assert (reply.status_code, reply["ETag"]) == (200, '"2"'), reply.content
    assert facilities.get(f"builds/other/tranches/{tranche.pk}/").status_code == 404


def test_evidence_comes_with_a_link_or_a_file_and_is_confirmed_later():
    build = make_build(is_ready=False)
    facilities = client_of("facilities")
    statement = {"gate": "installed", "qty": "64", "grade": "A", "observed_on": "2026-11-20"}

    refused = facilities.post(f"builds/{build.code}/evidence/", statement)
    assert refused.json()["errors"][0]["pointer"] == "/source"
    linked = facilities.post(f"builds/{build.code}/evidence/", {**statement, "source": "rack list"})
    assert linked.status_code == 201, linked.content
    from_file = facilities.upload(
        f"builds/{build.code}/evidence/", {**statement, "attachment": _file("racks.pdf", b"%PDF-1.7")}
    )
    assert from_file.status_code == 201, from_file.content
    assert from_file.json()["attachment_name"] == "racks.pdf"
    proof = facilities.get(from_file["Location"] + "attachment/")
    assert b"".join(proof.streaming_content) == b"%PDF-1.7"
    assert proof["Content-Disposition"] == 'attachment; filename="racks.pdf"'
    confirmed = facilities.post(linked["Location"] + "confirm/", {"observed_on": "2026-11-29"})
    assert (confirmed.status_code, confirmed.json()["confirms"]) == (201, linked.json()["id"])
    assert Evidence.objects.count() == 3


def test_what_the_engine_refuses_is_named_by_its_place_in_the_body():
    build = make_build(is_ready=False)
    facilities, analyst = client_of("facilities"), client_of("analyst")
    make_workload()

    statement = {"gate": "installed", "grade": "A", "observed_on": "2026-11-20", "source": "rack list"}
    no_quantity = facilities.post(f"builds/{build.code}/evidence/", statement).json()
    two_demands = analyst.patch(
        "workloads/serve/", {"demand": {"utilisation": 7, "kind": "steady"}}, If_Match='"1"'
    ).json()

    assert [fault["pointer"] for fault in no_quantity["errors"]] == ["/qty"]
    assert {fault["pointer"] for fault in two_demands["errors"]} == {"/demand/utilisation", "/demand/kind"}
    assert "/0/" not in two_demands["errors"][0]["detail"]


def test_an_assumption_set_is_made_with_its_rates_and_put_in_force():
    finance = client_of("finance")
    values = {
        "name": "Base 2027", "dated_on": "2026-11-30", "discount_rate": "0.08",
        "fx": [{"base": "EUR", "counter": "USD", "rate": "1.0812345678", "on": "2026-11-27", "source": "ECB"}],
    }  # fmt: skip

    made = finance.post("assumption-sets/", values)
    assert made.status_code == 201, made.content
    assert made.json()["fx"][0]["rate"] == "1.0812345678"
    assert finance.get("assumption-sets/in-force/").status_code == 404
    in_force = finance.post(made["Location"] + "put-in-force/")
    assert (in_force.status_code, in_force.json()["is_in_force"]) == (200, True)
    closed = finance.patch(made["Location"], {"discount_rate": "0.09"}, If_Match='"1"')
    assert (closed.status_code, closed.json()["code"]) == (409, "assumption_set_used")


def test_an_upload_is_received_once():
    analyst = client_of("analyst")
    fields = {"observed_on": AS_OF.isoformat(), "source": "portal"}

    first = analyst.upload("price-sheets/", {**fields, "file": _file("p.csv", b"id,price\n")})
    second = analyst.upload("price-sheets/", {**fields, "file": _file("p.csv", b"id,price\n")})

    assert (first.status_code, second.status_code) == (201, 200), first.content
    assert first.json()["id"] == second.json()["id"]
    assert first.json()["state"] == "received"
    back = analyst.get(first["Location"] + "file/")
    assert b"".join(back.streaming_content) == b"id,price\n"


def test_held_rows_are_shown_with_their_reasons():
    sheet = make_sheet()

    rows = client_of("viewer").get(f"price-sheets/{sheet.pk}/rows/?state=held").json()["results"]

    assert [(row["line"], row["reasons"][0]["code"]) for row in rows] == [(2, "unknown_accelerator")]


def test_a_code_with_a_slash_has_an_address():
    make_quote(code="aws/p5~48xlarge")

    reply = client_of("viewer").get("quotes/aws~1p5~048xlarge/")

    assert reply.json()["code"] == "aws/p5~48xlarge"


def test_a_missing_last_slash_is_forgiven_without_losing_the_body():
    make_provider()

    assert client_of("analyst").post("quotes", QUOTE).status_code == 201


def test_presets_are_listed():
    kinds = [row["kind"] for row in client_of("viewer").get("workload-presets/").json()["results"]]

    assert len(kinds) == 12
    assert kinds[0] == "llm_training"


def test_lists_ask_the_same_number_of_queries_for_one_row_and_for_many(django_assert_max_num_queries):
    make_assumptions()
    for number in range(8):
        make_quote(code=f"q{number}")
    viewer = client_of("viewer")

    with django_assert_max_num_queries(9):
        assert len(viewer.get("quotes/").json()["results"]) == 8


def test_the_whole_build_list_is_read_without_parts(django_assert_max_num_queries):
    make_build("hall-1", is_ready=False)
    make_build("hall-3", is_ready=False)
    viewer = client_of("viewer")

    with django_assert_max_num_queries(9):
        assert len(viewer.get("builds/").json()["results"]) == Build.objects.count()


def _file(name: str, content: bytes):
    return SimpleUploadedFile(name, content)
