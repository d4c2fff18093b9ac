"""The opening of bids and the award: once, recorded, by those who may."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from procurement.errors import PermissionRefused, ProcurementError, VersionConflict
from procurement.models import AuditEntry, BidState, QuoteRequest, RequestLetter, RequestOpening
from procurement.services.audit import audit_verify
from procurement.services.requests import request_cancel
from procurement.services.requests_awards import request_award
from procurement.services.requests_bids import bid_receive, bid_reject
from procurement.services.requests_openings import request_open
from tests.factories import actor
from tests.procurement.requests_tools import (
    DUE,
    MICROSECOND,
    make_bid,
    make_request,
    moved_clock,
    opened,
    terms,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def moved(monkeypatch):
    return moved_clock(monkeypatch)


def _award(quote_request, *bids, **changes):
    return request_award(
        by=actor("analyst", reason="cheapest that complies"), quote_request=quote_request,
        version=changes.pop("version", quote_request.version), bids=[bid.pk for bid in bids], **changes,
    )  # fmt: skip


# --- the opening ---


def test_the_opening_records_who_when_and_every_digest(moved):
    quote_request = make_request()
    bid = make_bid(quote_request, "acme")
    make_bid(quote_request, "neptune")

    opened(quote_request, moved)

    opening = RequestOpening.objects.get()
    assert (opening.opened_by.username, opening.opened_at) == ("finance", DUE + timedelta(hours=1))
    assert [entry["supplier"] for entry in opening.bids] == ["acme", "neptune"]
    assert opening.bids[0]["digest"] == bid.digest
    assert all(entry["is_intact"] for entry in opening.bids)
    entry = AuditEntry.objects.get(action="request.record_opening")
    assert bid.digest in str(entry.changes)
    assert audit_verify() is None


def test_two_people_open_where_the_request_says_so(moved):
    quote_request = make_request(opening_people=2)
    make_bid(quote_request)
    moved.now = DUE + timedelta(hours=1)
    act = {"quote_request": quote_request, "version": quote_request.version}

    request_open(by=actor("finance"), **act)
    assert QuoteRequest.objects.get().state == "published"
    with pytest.raises(ProcurementError, match="a second person must open it"):
        request_open(by=actor("finance"), **act)
    request_open(by=actor("administrator"), **act)

    opening = RequestOpening.objects.get()
    assert (opening.begun_by.username, opening.opened_by.username) == ("finance", "administrator")
    assert QuoteRequest.objects.get().state == "opened"


def test_an_opening_without_bids_is_an_opening():
    quote_request = make_request()

    with pytest.MonkeyPatch.context() as patch:
        moved = moved_clock(patch)
        assert opened(quote_request, moved).state == "opened"


# --- the award ---


def test_the_chosen_bid_becomes_a_quote_in_force_and_the_others_are_told(moved):
    quote_request = make_request()
    cheap, dear = make_bid(quote_request, "acme"), make_bid(quote_request, "neptune", price="2.60")
    quote_request = opened(quote_request, moved)

    awarded = _award(quote_request, cheap)

    cheap.refresh_from_db()
    dear.refresh_from_db()
    assert (awarded.state, cheap.state, dear.state) == ("awarded", "awarded", "not_awarded")
    quote = cheap.quote
    assert (quote.provider.code, quote.price, quote.price_per_accelerator_hour) == (
        "acme",
        Decimal("2.35"),
        Decimal("2.35"),
    )
    assert quote.is_current
    assert cheap.digest in quote.source
    letters = {letter.recipient: letter.text for letter in RequestLetter.objects.filter(notice__kind="result")}
    assert "We award to your option main" in letters["sales@acme.example"]
    assert "awarded to another bid" in letters["sales@neptune.example"]
    assert not any("2.35" in text or "acme" in text.lower() for text in [letters["sales@neptune.example"]])


def test_an_expired_bid_is_not_awarded_not_even_with_a_reason(moved):
    quote_request = make_request()
    bid = make_bid(quote_request, valid_until=date(2026, 12, 4))
    make_bid(quote_request, "neptune")
    quote_request = opened(quote_request, moved)
    moved.now = DUE + timedelta(hours=12)  # 00:00 of 5 December in Berlin, still 4 December in UTC

    with pytest.raises(ProcurementError, match="could be signed until 2026-12-04, and today is 2026-12-05"):
        _award(quote_request, bid, deviation_reason="we want it")
    moved.now -= MICROSECOND
    assert _award(quote_request, bid).state == "awarded"


def test_a_bid_that_breaks_a_must_have_needs_a_word_why(moved):
    quote_request = make_request()
    bid = make_bid(quote_request, power_status="curtailable")
    make_bid(quote_request, "neptune")
    quote_request = opened(quote_request, moved)

    with pytest.raises(ProcurementError, match="Acme power curtailable; accepted: firm"):
        _award(quote_request, bid)
    awarded = _award(quote_request, bid, deviation_reason="checkpoints bridge the cuts")

    assert "checkpoints bridge the cuts" in awarded.closing_reason


def test_too_few_bidders_need_a_word_why(moved):
    quote_request = make_request()
    bid = make_bid(quote_request)
    quote_request = opened(quote_request, moved)

    with pytest.raises(ProcurementError, match="1 of at least 2 suppliers bid"):
        _award(quote_request, bid)


def test_a_rejected_bid_stays_on_file_and_cannot_be_awarded(moved):
    quote_request = make_request()
    bid = make_bid(quote_request)
    quote_request = opened(quote_request, moved)

    bid_reject(by=actor("analyst", reason="the site is not theirs"), bid=bid)

    bid.refresh_from_db()
    assert (bid.state, bid.state_reason, bid.terms.price) == ("rejected", "the site is not theirs", Decimal("2.35"))
    with pytest.raises(ProcurementError, match="is rejected; only an opened bid"):
        _award(quote_request, bid)


def test_of_two_awards_the_second_is_refused(moved):
    quote_request = make_request()
    bid = make_bid(quote_request)
    make_bid(quote_request, "neptune")
    quote_request = opened(quote_request, moved)
    _award(quote_request, bid)

    with pytest.raises(ProcurementError, match="is awarded and cannot be awarded"):
        _award(quote_request, bid)


def test_an_award_on_what_somebody_else_changed_is_refused_whole(moved):
    quote_request = make_request()
    bid = make_bid(quote_request)
    make_bid(quote_request, "neptune")
    quote_request = opened(quote_request, moved)

    with pytest.raises(VersionConflict):
        _award(quote_request, bid, version=1)
    bid.refresh_from_db()
    assert (bid.state, bid.quote) == (BidState.OPENED, None)


def test_a_cancelled_request_tells_all_and_leaves_its_bids_sealed(moved):
    quote_request = make_request()
    bid = make_bid(quote_request)
    by = actor("analyst", reason="the budget was cut")

    request_cancel(by=by, quote_request=quote_request, version=quote_request.version)

    bid.refresh_from_db()
    assert bid.state == "sealed"
    assert RequestLetter.objects.filter(notice__kind="cancellation").count() == 2
    with pytest.raises(ProcurementError, match="is cancelled and cannot take a bid"):
        make_bid(quote_request)


# --- who may ---


@pytest.mark.parametrize("role", ["viewer", "facilities", "finance"])
def test_only_analysts_write_requests_and_bids(role):
    quote_request = make_request()
    invitation = quote_request.invitations.first()

    with pytest.raises(PermissionRefused):
        bid_receive(by=actor(role), invitation=invitation, values=terms())
    with pytest.raises(PermissionRefused):
        request_cancel(by=actor(role), quote_request=quote_request, version=quote_request.version)


@pytest.mark.parametrize("role", ["viewer", "facilities", "analyst"])
def test_only_finance_opens(moved, role):
    quote_request = make_request()
    moved.now = DUE + MICROSECOND

    with pytest.raises(PermissionRefused):
        request_open(by=actor(role), quote_request=quote_request, version=quote_request.version)
