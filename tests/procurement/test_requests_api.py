"""A request from draft to award over the interface, with the refusals that the file describes."""

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from procurement.models import Quote, QuoteRequest, RequestBid
from procurement.selectors import clock
from tests.factories import make_provider
from tests.procurement.api_tools import client_of
from tests.procurement.requests_tools import make_bid, make_request, opened_sample

pytestmark = pytest.mark.django_db

DRAFT = {
    "title": "64 H100", "need": "Base model.", "accelerator_types": ["H100-SXM"], "accelerators": 64,
    "time_zone": "Europe/Berlin", "least_bidders": 1,
}  # fmt: skip


def _bid(invitation: int, **changes):
    return {
        "invitation": invitation, "accelerator": "H100-SXM", "quantity_available": 64, "price": "2.35",
        "currency": "USD", "valid_until": "2199-01-31", "power_status": "firm", **changes,
    }  # fmt: skip


def test_from_draft_to_award():
    make_provider("acme")
    analyst, finance = client_of("analyst"), client_of("finance")
    due = clock.database_now() + timedelta(hours=1)

    draft = analyst.post("requests/", {**DRAFT, "due_at": due.isoformat()})
    assert draft.status_code == 201
    code = draft.json()["code"]
    invited = analyst.post(
        f"requests/{code}/invitations/", {"provider": "acme", "contact_email": "sales@acme.example"}
    ).json()
    published = analyst.post(f"requests/{code}/publish/", {}, If_Match=draft["ETag"])
    assert published.json()["state"] == "published"
    filed = analyst.post(f"requests/{code}/bids/", _bid(invited["id"]))
    assert (filed.status_code, filed.json()["terms"], filed.json()["state"]) == (201, None, "sealed")
    early = finance.post(f"requests/{code}/open/", {}, If_Match=published["ETag"])
    assert (early.status_code, early.json()["code"]) == (409, "wrong_state")
    assert "wait for the deadline" in early.json()["detail"]

    QuoteRequest.objects.update(due_at=clock.database_now())
    assert analyst.get(f"requests/{code}/").json()["state"] == "closed"
    opening = finance.post(f"requests/{code}/open/", {}, If_Match=published["ETag"]).json()
    assert opening["bids"][0]["digest"] == filed.json()["digest"]
    compared = analyst.get(f"requests/{code}/comparison/").json()["compared"]
    assert compared["options"][0]["price_per_accelerator_hour"] == "2.35"
    body = {"bids": [filed.json()["id"]], "reason": "the only one"}
    awarded = analyst.post(f"requests/{code}/award/", body, If_Match=analyst.get(f"requests/{code}/")["ETag"])

    assert awarded.json()["state"] == "awarded"
    bid = analyst.get(f"requests/{code}/bids/{filed.json()['id']}/").json()
    assert (bid["state"], bid["terms"]["price"]) == ("awarded", "2.35")
    assert Quote.objects.get(code=bid["quote"]).is_current


def test_a_bid_is_taken_as_a_form_with_its_file():
    quote_request = make_request(due_at=clock.database_now() + timedelta(hours=1))
    invitation = quote_request.invitations.first()
    client = client_of("analyst")

    reply = client.upload(
        f"requests/{quote_request.code}/bids/",
        {**_bid(invitation.pk), "attachment": SimpleUploadedFile("offer.pdf", b"offer")},
    )

    assert reply.status_code == 201, reply.content
    assert RequestBid.objects.get().sealed_file


def test_a_bid_is_sent_without_idempotency_key_for_its_digest_would_tell_prices():
    quote_request = make_request(due_at=clock.database_now() + timedelta(hours=1))
    invitation = quote_request.invitations.first()

    reply = client_of("analyst").post(
        f"requests/{quote_request.code}/bids/", _bid(invitation.pk), Idempotency_Key="once"
    )

    assert (reply.status_code, reply.json()["code"]) == (400, "invalid_header")
    assert not RequestBid.objects.exists()


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"price": "a lot"}, "/price"),
        ({"price": 2.35e300}, "/price"),
        ({"colour": "red"}, "/colour"),
        ({"reason": "2.35"}, "/reason"),
        ({"valid_until": "soon"}, "/valid_until"),
        ({"power_status": "solar"}, "/power_status"),
        ({"option": "a/../b\u0007"}, "/option"),
        ({"further_answers": "yes"}, "/further_answers"),
    ],
)
def test_a_bid_with_faults_is_refused_with_their_places(changes, pointer):
    quote_request = make_request(due_at=clock.database_now() + timedelta(hours=1))
    invitation = quote_request.invitations.first()

    reply = client_of("analyst").post(f"requests/{quote_request.code}/bids/", _bid(invitation.pk, **changes))

    assert reply.status_code == 400, reply.content
    assert pointer in [error["pointer"] for error in reply.json()["errors"]]


def test_an_invitation_of_another_request_takes_no_bid_here():
    due = clock.database_now() + timedelta(hours=1)
    mine, other = make_request(due_at=due), make_request(due_at=due)

    reply = client_of("analyst").post(f"requests/{mine.code}/bids/", _bid(other.invitations.first().pk))

    assert reply.status_code == 404


@pytest.mark.parametrize("due_at", ["2026-12-04T12:00:00", "2026-12-04", "tomorrow", "9999-12-31T23:59:59Z", 5])
def test_a_deadline_without_zone_is_refused(due_at):
    reply = client_of("analyst").post("requests/", {**DRAFT, "due_at": due_at})

    assert reply.status_code == 400
    assert reply.json()["errors"][0]["pointer"] == "/due_at"


def test_a_change_is_meant_for_a_version():
    quote_request = make_request(is_published=False)
    client = client_of("analyst")

    assert client.patch(f"requests/{quote_request.code}/", {"accelerators": 8}).status_code == 428
    assert client.patch(f"requests/{quote_request.code}/", {"accelerators": 8}, If_Match='"9"').status_code == 412
    assert client.patch(f"requests/{quote_request.code}/", {"accelerators": 8}, If_Match='"1"').status_code == 200


def test_what_lists_give_is_paged_and_holds_no_seal():
    quote_request = opened_sample()
    make_bid(make_request(due_at=clock.database_now() + timedelta(hours=1)))
    client = client_of("viewer")

    for part in ("", "invitations/", "questions/", "notices/", "letters/", "bids/"):
        path = f"requests/{quote_request.code}/{part}" if part else "requests/"
        reply = client.get(path)
        assert reply.json()["next_cursor"] is None
        assert "sealed_file" not in json.dumps(reply.json())
