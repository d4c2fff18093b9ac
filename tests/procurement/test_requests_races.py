"""The deadline under many hands: bids and opening pass one lock, so what was in time is opened and nothing else is."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, connections, transaction

from procurement.errors import ProcurementError, VersionConflict
from procurement.models import QuoteRequest, RequestBid, RequestInvitation, RequestOpening
from procurement.selectors import clock
from procurement.services.audit import audit_verify
from procurement.services.requests import request_locked
from procurement.services.requests_bids import bid_receive
from procurement.services.requests_openings import request_open
from tests.factories import actor
from tests.procurement.requests_tools import DUE, MICROSECOND, make_bid, make_request, moved_clock, terms

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def moved(monkeypatch):
    return moved_clock(monkeypatch)


def _at_once(*acts) -> list:
    start = Barrier(len(acts))

    def worker(act):
        start.wait()
        try:
            return act()
        except (ProcurementError, VersionConflict) as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(worker, acts))


def test_the_clock_is_the_databases_and_goes_on_within_a_transaction():
    with transaction.atomic():
        first, second = clock.database_now(), clock.database_now()
        with connection.cursor() as cursor:
            cursor.execute("SELECT now()")
            begun = cursor.fetchone()[0]

    assert begun < first < second


def test_an_opening_waits_for_a_bid_that_took_the_lock_in_time(moved):
    quote_request = make_request()
    invitation = RequestInvitation.objects.select_related("request", "provider").first()
    analyst, finance = actor("analyst"), actor("finance")
    moved.now = DUE  # the last instant in time

    def bid():
        with transaction.atomic():
            request_locked(quote_request)  # in time, and not yet committed ...
            held.wait()
            filed = bid_receive(by=analyst, invitation=invitation, values=terms())
            moved.now = DUE + MICROSECOND  # ... when the deadline passes
            return filed

    def open_it():
        held.wait()
        return request_open(by=finance, quote_request=quote_request, version=quote_request.version)

    held = Barrier(2)
    filed, opening = _at_once(bid, open_it)

    assert filed.state == "sealed"
    assert isinstance(opening, RequestOpening), opening
    assert [entry["bid"] for entry in opening.bids] == [filed.pk]
    assert RequestBid.objects.get().state == "opened"


def test_of_bids_and_openings_at_the_deadline_each_bid_is_opened_or_late(moved):
    quote_request = make_request("acme", "neptune", "orion")
    moved.now = DUE + MICROSECOND
    analyst, finance = actor("analyst"), actor("finance")
    invitations = list(RequestInvitation.objects.select_related("request", "provider"))
    bids = [lambda one=one: bid_receive(by=analyst, invitation=one, values=terms()) for one in invitations]
    openings = [
        lambda: request_open(by=finance, quote_request=quote_request, version=quote_request.version) for _ in range(3)
    ]

    outcomes = _at_once(*bids, *openings)

    assert [bid.state for bid in outcomes[:3]] == ["late"] * 3
    assert sum(isinstance(outcome, RequestOpening) for outcome in outcomes) == 1
    assert RequestOpening.objects.count() == 1
    assert QuoteRequest.objects.get().state == "opened"
    assert audit_verify() is None


def test_many_versions_of_one_bid_at_once_leave_one_standing():
    quote_request = make_request()

    filed = _at_once(*(lambda: make_bid(quote_request) for _ in range(6)))

    assert sorted(bid.version for bid in filed) == [1, 2, 3, 4, 5, 6]
    standing = RequestBid.objects.filter(state="sealed")
    assert [bid.version for bid in standing] == [6]
