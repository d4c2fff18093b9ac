"""Sealed is sealed: before the opening nothing that a bid says is found anywhere, and what was filed proves itself."""

import hashlib
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.urls import reverse

from procurement.errors import ProcurementError
from procurement.models import BidTerms, QuoteRequest, RequestBid, RequestOpening
from procurement.selectors.requests_comparison import request_comparison
from procurement.services.requests_bids import bid_attachment
from procurement.services.requests_openings import request_open
from procurement.services.sealing import BLOCK_BYTES, SealBroken, seal, unseal
from tests.factories import actor, make_assumptions, make_user
from tests.procurement.api_tools import client_of
from tests.procurement.page_tools import signed_in
from tests.procurement.requests_tools import DUE, MICROSECOND, make_bid, make_request, moved_clock, opened

pytestmark = pytest.mark.django_db

SECRETS = ("7.31415", "731415", "Halle-Geheim", "angebot-731415.pdf", "Kuendigung-nie")
SAID = {"price": "7.31415", "site": "Halle-Geheim", "termination": "Kuendigung-nie"}
FILE = ("angebot-731415.pdf", b"%PDF 7.31415 Halle-Geheim")


@pytest.fixture
def moved(monkeypatch):
    return moved_clock(monkeypatch)


def _found(text: str | bytes) -> list[str]:
    content = text if isinstance(text, bytes) else text.encode()
    return [secret for secret in SECRETS if secret.encode() in content]


def _database_text() -> str:
    """Return every row of every table as text, as a dump would hold it."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT t::text FROM "{table}" t')
            found += [row[0] for row in cursor.fetchall()]
    return "\n".join(found)


def _administrator_pages(bid: RequestBid) -> list[str]:
    code = bid.request.code
    names = ("request", "request_bids", "request_questions", "request_letters", "request_comparison", "request_history",
             "request_comparison_csv", "request_comparison_xlsx", "request_edit", "request_award")  # fmt: skip
    pages = [reverse(f"procurement:{name}", args=[code]) for name in names]
    pages += [reverse("procurement:request_bid", args=[code, bid.pk])]
    pages += [reverse("procurement:request_bid_file", args=[code, bid.pk])]
    pages += [reverse("procurement:request_bid_new", args=[code, bid.invitation_id])]
    pages += ["/", "/requests/", "/quotes/", "/quotes/export.csv", "/reports/", "/runs/", "/jobs/", "/decisions/"]
    pages += [f"/search/?q={secret}" for secret in ("Halle-Geheim", "Kuendigung")]
    pages += [f"/requests/?q={secret}" for secret in ("Halle-Geheim", "Kuendigung")]
    for model in ("requestbid", "bidterms", "quoterequest", "requestopening", "auditentry", "quote"):
        pages.append(f"/admin/procurement/{model}/")
    pages.append(f"/admin/procurement/requestbid/{bid.pk}/change/")
    return pages


def _api_addresses(bid: RequestBid) -> list[str]:
    code = bid.request.code
    parts = ("", "invitations/", "questions/", "notices/", "letters/", "bids/", f"bids/{bid.pk}/", "comparison/",
             f"bids/{bid.pk}/attachment/", "comparison.csv", "comparison.xlsx", "opening/")  # fmt: skip
    rest = ["history/", "quotes/", "tables/quotes.csv", "jobs/", "requests/"]
    return [*(f"requests/{code}/{part}" for part in parts), *rest]


def test_nothing_that_a_bid_says_is_found_before_the_opening(moved, capfd, caplog):
    make_assumptions()
    quote_request = make_request()
    root = make_user("root")
    root.is_superuser = root.is_staff = True
    root.save()
    by = actor("analyst", reason="they wrote 7.31415")
    bid = make_bid(quote_request, by=by, attachment=FILE, **SAID)
    make_bid(quote_request, "neptune", **SAID)
    make_bid(quote_request, "neptune", **SAID)  # replaces the one before
    moved.now = DUE + MICROSECOND
    make_bid(quote_request, "neptune", **SAID)  # late
    browser, client = signed_in(None, "root"), client_of("administrator")

    places = {"database": _database_text()}
    for path in Path(settings.MEDIA_ROOT).rglob("*"):
        if path.is_file():
            places[str(path)] = path.read_bytes()
            places[f"name of {path}"] = path.name
    for address in _administrator_pages(bid):
        reply = browser.get(address)
        assert reply.status_code in (200, 404), address
        places[address] = reply.content.replace(address.encode(), b"")
    for address in _api_addresses(bid):
        reply = client.get(address)
        assert reply.status_code in (200, 404, 409), address
        places[address] = b"".join(reply.streaming_content) if reply.streaming else reply.content
    places["logs"] = caplog.text + "".join(capfd.readouterr())

    searched = {address: _found(content) for address, content in places.items() if "?q=" not in address}
    assert {address for address, found in searched.items() if found} == set()
    assert b"Bid of" not in places["/search/?q=Halle-Geheim"]
    assert RequestBid.objects.count() == 4
    assert not BidTerms.objects.exists()
    # the search above does find what is not sealed
    request_open(by=actor("finance"), quote_request=quote_request, version=quote_request.version)
    assert set(_found(_database_text())) == set(SECRETS)


@pytest.mark.parametrize("role", ["viewer", "finance", "administrator"])
def test_the_interface_gives_receipts_without_terms_before_the_opening(moved, role):
    bid = make_bid(make_request(), attachment=FILE)

    reply = client_of(role).get(f"requests/{bid.request.code}/bids/{bid.pk}/").json()

    assert (reply["terms"], reply["digest"], reply["state"]) == (None, bid.digest, "sealed")
    refused = client_of(role).get(f"requests/{bid.request.code}/bids/{bid.pk}/attachment/")
    assert (refused.status_code, refused.json()["code"]) == (409, "sealed")


def test_a_refused_bid_leaves_no_trace_of_itself(moved):
    quote_request = make_request()
    before = _database_text()

    with pytest.raises(ProcurementError):
        make_bid(quote_request, **{**SAID, "currency": "dollars"})

    assert _database_text() == before


def test_equal_bids_have_unequal_digests_and_seals_so_that_no_guess_can_be_tried(moved):
    quote_request = make_request()
    first, second = make_bid(quote_request, "acme"), make_bid(quote_request, "neptune")

    assert first.digest != second.digest
    assert bytes(first.sealed) != bytes(second.sealed)
    assert len(first.sealed) == len(second.sealed)


def test_a_dearer_bid_is_not_longer_under_its_seal():
    lengths = {len(seal(content, purpose="bid")) for content in (b"1", b"1" * 2000, b"1" * (BLOCK_BYTES - 8))}

    assert len(lengths) == 1


def test_a_seal_opens_for_its_purpose_and_with_its_secret_alone(settings):
    sealed = seal(b"2.35 USD", purpose="bid:1")

    assert unseal(sealed, purpose="bid:1") == b"2.35 USD"
    with pytest.raises(SealBroken):
        unseal(sealed, purpose="bid:2")
    earlier, settings.SECRET_KEY = settings.SECRET_KEY, "another secret"
    with pytest.raises(SealBroken):
        unseal(sealed, purpose="bid:1")
    settings.SECRET_KEY_FALLBACKS = [earlier]
    assert unseal(sealed, purpose="bid:1") == b"2.35 USD"


@pytest.mark.parametrize("place", [0, 5, 40, 69, -1])
def test_a_seal_in_which_one_bit_was_turned_does_not_open(place):
    sealed = bytearray(seal(b"2.35 USD", purpose="bid"))
    sealed[place] ^= 1

    with pytest.raises(SealBroken):
        unseal(bytes(sealed), purpose="bid")


@pytest.mark.parametrize("content", [b"", b"seal1", b"x" * 100])
def test_what_is_no_seal_does_not_open(content):
    with pytest.raises(SealBroken):
        unseal(content, purpose="bid")


def test_anybody_can_take_the_digest_again_once_the_bid_is_open(moved):
    quote_request = make_request()
    bid = make_bid(quote_request, attachment=FILE)
    opened(quote_request, moved)

    shown = client_of("viewer").get(f"requests/{bid.request.code}/bids/{bid.pk}/").json()
    assert shown["terms"]["price"] == "2.35"
    stated = BidTerms.objects.get(bid=bid)
    attachment = {"name": FILE[0], "sha256": hashlib.sha256(FILE[1]).hexdigest()}
    said = {"terms": _terms_as_sealed(stated), "attachment": attachment}
    content = f"{stated.salt}\n{json.dumps(said, sort_keys=True, separators=(',', ':'))}"

    assert hashlib.sha256(content.encode()).hexdigest() == bid.digest == shown["digest"]
    assert bid_attachment(by=actor("viewer"), bid=bid) == FILE


def _terms_as_sealed(stated: BidTerms) -> dict:
    """Return the terms as README says that they are sealed: numbers plain, days in ISO, in any order."""
    names = [field.name for field in stated._meta.concrete_fields]
    left_out = {"id", "bid", "salt", "attachment_name", "attachment_sha256"}
    found = {name: getattr(stated, name) for name in names if name not in left_out}
    decimals = {name: f"{value.normalize():f}" for name, value in found.items() if type(value).__name__ == "Decimal"}
    days = {name: value.isoformat() for name, value in found.items() if hasattr(value, "isoformat")}
    return {**found, **decimals, **days}


def test_the_database_refuses_to_change_or_delete_what_was_filed(moved):
    bid = make_bid(make_request())

    for change in ({"sealed": b"other"}, {"digest": "0" * 64}, {"received_at": DUE}):
        with pytest.raises(DatabaseError), transaction.atomic():
            RequestBid.objects.filter(pk=bid.pk).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        RequestBid.objects.filter(pk=bid.pk).delete()


def test_a_bid_that_was_exchanged_behind_our_back_is_set_aside_and_the_others_are_opened(moved):
    quote_request = make_request()
    bid, other = make_bid(quote_request, attachment=FILE), make_bid(quote_request, "neptune")
    path = Path(settings.MEDIA_ROOT) / bid.sealed_file.name
    path.write_bytes(path.read_bytes()[:-1] + b"x")

    opened(quote_request, moved)

    bid.refresh_from_db()
    other.refresh_from_db()
    assert (bid.state, other.state) == ("broken", "opened")
    assert [entry["is_intact"] for entry in RequestOpening.objects.get().bids] == [False, True]
    assert [item.pk for item in request_comparison(quote_request).unopened] == [bid.pk]


def test_with_another_secret_nothing_is_opened_and_nothing_is_lost(moved, settings):
    quote_request = make_request()
    make_bid(quote_request)
    moved.now = DUE + timedelta(hours=1)
    act = {"by": actor("finance"), "quote_request": quote_request, "version": quote_request.version}
    secret, settings.SECRET_KEY = settings.SECRET_KEY, "a new one"

    with pytest.raises(ProcurementError, match="SECRET_KEY_FALLBACKS"), transaction.atomic():
        request_open(**act)
    assert (QuoteRequest.objects.get().state, RequestOpening.objects.count()) == ("published", 0)
    settings.SECRET_KEY_FALLBACKS = [secret]
    request_open(**act)

    assert QuoteRequest.objects.get().state == "opened"


# --- what is refused at receipt, for nobody can ask about it later ---


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"price": "0"}, "price"),
        ({"price": "-1"}, "price"),
        ({"price": "NaN"}, "price"),
        ({"price": "1e400"}, "price"),
        ({"currency": "usd"}, "currency"),
        ({"currency": "dollars"}, "currency"),
        ({"price_basis": "per_month"}, "price_basis"),
        ({"price_basis": "per_week"}, "price_basis"),
        ({"quantity_available": 0}, "quantity_available"),
        ({"valid_until": "2026-01-01"}, "valid_until"),
        ({"upfront": "-5"}, "upfront"),
        ({"further_answers": [1]}, "further_answers"),
        ({"further_answers": ["x" * 5000]}, "further_answers"),
        ({"option": "a\nb"}, "option"),
        ({"option": "<script>"}, "option"),
        ({"option": ""}, "option"),
        ({"attachment": ("big.bin", b"0" * (20 * 1024 * 1024 + 1))}, "attachment"),
    ],
)
def test_a_bid_that_could_not_be_judged_is_refused_at_receipt(moved, changes, field):
    quote_request = make_request()

    with pytest.raises(ProcurementError) as refusal:
        make_bid(quote_request, **changes)

    assert field in refusal.value.fields
    assert RequestBid.objects.count() == 0


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "C:\\offers\\a.pdf", "a\r\nSet-Cookie: x.pdf", "é" * 300 + ".pdf"]
)
def test_the_name_of_a_file_leads_nowhere(moved, name):
    quote_request = make_request()
    bid = make_bid(quote_request, attachment=(name, b"content"))
    opened(quote_request, moved)

    reply = signed_in("viewer").get(reverse("procurement:request_bid_file", args=[quote_request.code, bid.pk]))

    assert reply.content == b"content"
    assert "attachment" in reply["Content-Disposition"]
    assert "\n" not in reply["Content-Disposition"]
    assert not {"passwd", ".."} & set(bid.sealed_file.name.split("/"))
    assert "/" not in BidTerms.objects.get(bid=bid).attachment_name


def test_formulas_in_a_bid_are_text_in_the_files(moved):
    make_assumptions()
    quote_request = make_request()
    make_bid(quote_request, site='=HYPERLINK("http://evil.example")', note="@SUM(A1)")
    opened(quote_request, moved)

    reply = signed_in("viewer").get(reverse("procurement:request_comparison_csv", args=[quote_request.code]))

    text = reply.content.decode("utf-8-sig")
    assert "'=HYPERLINK" in text
    assert "'@SUM" in text
