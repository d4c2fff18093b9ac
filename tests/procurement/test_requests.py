"""Requests for quotes: each state allows its own acts, changes go to all, bids are opened once and awarded once."""

from datetime import timedelta

import pytest

from procurement.errors import ProcurementError
from procurement.models import QuoteRequest, RequestLetter, RequestNotice
from procurement.selectors.requests import request_state
from procurement.services.requests import request_create, request_extend, request_publish, request_update
from procurement.services.requests_awards import request_award
from procurement.services.requests_bids import bid_withdraw
from procurement.services.requests_invitations import (
    invitation_archive,
    invitation_decline,
    question_answer,
    question_ask,
)
from procurement.services.requests_letters import letter_sent
from procurement.services.requests_openings import request_open
from tests.factories import actor, make_assumptions, make_workload
from tests.procurement.requests_tools import (
    DUE,
    MICROSECOND,
    make_bid,
    make_invitation,
    make_request,
    moved_clock,
    opened,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def moved(monkeypatch):
    return moved_clock(monkeypatch)


# --- before the deadline ---


def test_requests_are_numbered_by_year():
    codes = [make_request(is_published=False).code for _ in range(2)]

    assert codes == ["RFQ-2026-0001", "RFQ-2026-0002"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"due_at": None}, "no deadline"),
        ({"due_at": DUE - timedelta(days=30)}, "has passed"),
        ({"least_bidders": 3}, "2 of at least 3 suppliers"),
    ],
)
def test_a_draft_that_nobody_could_answer_is_not_published(changes, words):
    draft = make_request(is_published=False, **changes)

    with pytest.raises(ProcurementError, match=words):
        request_publish(by=actor("analyst"), quote_request=draft, version=draft.version)


def test_fewer_suppliers_than_asked_need_a_reason():
    assert make_request("acme", sole_source_reason="only they have them in the region").state == "published"


def test_what_is_not_known_is_refused_field_by_field():
    with pytest.raises(ProcurementError) as refusal:
        make_request(
            is_published=False, time_zone="Mars/Base", workloads=["nobody"], accepted_power=["solar"],
            must_answer=["colour"],
        )  # fmt: skip

    assert set(refusal.value.fields) == {"time_zone", "workloads", "accepted_power", "must_answer"}


def test_a_request_is_for_workloads_that_there_are():
    make_workload("serve")

    assert make_request(workloads=["serve"]).workloads == ["serve"]


def test_publishing_writes_a_letter_to_each_supplier():
    make_request()

    letters = RequestLetter.objects.order_by("recipient")
    assert [letter.recipient for letter in letters] == ["sales@acme.example", "sales@neptune.example"]
    assert "2026-12-04 12:00:00 Europe/Berlin (2026-12-04 11:00:00 UTC)" in letters[0].text
    assert "Measured all-reduce" in letters[0].text


def test_an_answer_goes_to_all_and_names_nobody():
    quote_request = make_request("acme", "neptune", "orion")
    invitation = quote_request.invitations.get(provider__code="neptune")
    question = question_ask(
        by=actor("analyst"), quote_request=quote_request, invitation=invitation, question="Is RoCE accepted?"
    )

    question_answer(by=actor("analyst"), question=question, answer="Yes, with measured all-reduce.")

    letters = RequestLetter.objects.filter(notice__kind="clarification")
    assert letters.count() == 3
    assert all("Is RoCE accepted?" in letter.text and "measured all-reduce" in letter.text for letter in letters)
    others = letters.exclude(invitation=invitation)
    assert not any("neptune" in letter.text.lower() for letter in others)


def test_a_question_is_answered_once():
    question = question_ask(by=actor("analyst"), quote_request=make_request(), question="When?")
    question_answer(by=actor("analyst"), question=question, answer="In March.")

    with pytest.raises(ProcurementError, match="ask it anew"):
        question_answer(by=actor("analyst"), question=question, answer="In April.")


def test_a_change_after_publishing_needs_a_reason_and_goes_to_all():
    quote_request = make_request()
    values = {"accelerators": 96}

    with pytest.raises(ProcurementError, match="Say what changes"):
        request_update(
            by=actor("analyst", reason=" "), quote_request=quote_request, version=quote_request.version, values=values
        )
    changed = request_update(
        by=actor("analyst", reason="the model grew"), quote_request=quote_request, version=quote_request.version,
        values=values,
    )  # fmt: skip

    notice = RequestNotice.objects.get(kind="amendment")
    assert changed.accelerators == 96
    assert "Accelerators: 64 becomes 96" in notice.body
    assert notice.letters.count() == 2


def test_the_deadline_is_extended_with_a_reason_and_never_drawn_nearer():
    quote_request = make_request()
    later = DUE + timedelta(days=7)
    by = actor("analyst", reason="two suppliers asked for a week")

    with pytest.raises(ProcurementError, match="extend the deadline instead"):
        request_update(by=by, quote_request=quote_request, version=quote_request.version, values={"due_at": later})
    with pytest.raises(ProcurementError, match="only ever extended"):
        request_extend(by=by, quote_request=quote_request, version=quote_request.version, due_at=DUE - MICROSECOND)
    extended = request_extend(by=by, quote_request=quote_request, version=quote_request.version, due_at=later)

    assert extended.due_at == later
    assert all("two suppliers asked" in item.text for item in RequestLetter.objects.filter(notice__kind="extension"))


def test_a_supplier_who_joins_late_is_told_what_the_others_were():
    quote_request = make_request()
    question = question_ask(by=actor("analyst"), quote_request=quote_request, question="Is RoCE accepted?")
    question_answer(by=actor("analyst"), question=question, answer="Yes.")

    make_invitation(quote_request, "orion")

    letter = RequestLetter.objects.get(invitation__provider__code="orion")
    assert "Is RoCE accepted?" in letter.text


def test_a_supplier_is_invited_once_and_leaves_a_draft_only():
    draft = make_request(is_published=False)
    with pytest.raises(ProcurementError, match="invited already"):
        make_invitation(draft, "acme")
    invitation = draft.invitations.get(provider__code="acme")
    invitation_archive(by=actor("analyst"), invitation=invitation, version=invitation.version)

    published = make_request("acme", "neptune")
    invitation = published.invitations.get(provider__code="acme")
    with pytest.raises(ProcurementError, match="is published and cannot lose a supplier"):
        invitation_archive(by=actor("analyst"), invitation=invitation, version=invitation.version)


def test_a_no_bid_keeps_its_reason_and_ends_when_the_supplier_bids_after_all():
    quote_request = make_request()
    invitation = quote_request.invitations.get(provider__code="acme")
    declined = invitation_decline(
        by=actor("analyst", reason="no capacity before May"), invitation=invitation, version=invitation.version
    )
    assert (declined.state, declined.decline_reason) == ("declined", "no capacity before May")

    make_bid(quote_request, "acme")

    invitation.refresh_from_db()
    assert invitation.state == "invited"


def test_a_letter_is_noted_as_sent_once():
    make_request()
    letter = RequestLetter.objects.first()

    assert letter_sent(by=actor("analyst"), letter=letter).sent_by.username == "analyst"
    with pytest.raises(ProcurementError, match="was noted as sent"):
        letter_sent(by=actor("analyst"), letter=letter)


# --- the deadline ---


@pytest.mark.parametrize(
    ("offset", "state"), [(-MICROSECOND, "sealed"), (timedelta(0), "sealed"), (MICROSECOND, "late")]
)
def test_a_bid_is_late_from_the_first_microsecond_after_the_deadline(moved, offset, state):
    quote_request = make_request()
    moved.now = DUE + offset

    bid = make_bid(quote_request)

    assert (bid.state, bid.received_at) == (state, DUE + offset)


@pytest.mark.parametrize("offset", [-MICROSECOND, timedelta(0)])
def test_nothing_opens_until_the_deadline_has_passed(moved, offset):
    quote_request = make_request()
    make_bid(quote_request)
    moved.now = DUE + offset

    with pytest.raises(ProcurementError, match="is published and cannot be opened; that needs it closed"):
        request_open(by=actor("finance"), quote_request=quote_request, version=quote_request.version)
    moved.now = DUE + MICROSECOND
    request_open(by=actor("finance"), quote_request=quote_request, version=quote_request.version)

    assert QuoteRequest.objects.get().state == "opened"


def test_a_closed_request_takes_neither_change_nor_question_nor_withdrawal(moved):
    quote_request = make_request()
    bid = make_bid(quote_request)
    moved.now = DUE + MICROSECOND
    by, version = actor("analyst"), quote_request.version
    acts = (
        lambda: request_update(by=by, quote_request=quote_request, version=version, values={"accelerators": 1}),
        lambda: request_extend(by=by, quote_request=quote_request, version=version, due_at=DUE + timedelta(days=9)),
        lambda: question_ask(by=by, quote_request=quote_request, question="Why?"),
        lambda: bid_withdraw(by=by, bid=bid),
        lambda: make_invitation(quote_request, "orion"),
        lambda: request_publish(by=by, quote_request=quote_request, version=version),
        lambda: request_award(by=by, quote_request=quote_request, version=version, bids=[bid.pk]),
    )

    for act in acts:
        with pytest.raises(
            ProcurementError, match="is closed and cannot .* Now: its deadline has passed: open the bids"
        ):
            act()
    assert request_state(quote_request) == "closed"


def test_bids_are_replaced_and_withdrawn_until_the_deadline_and_all_are_kept():
    quote_request = make_request()
    first, other = make_bid(quote_request), make_bid(quote_request, option="36 months")
    second = make_bid(quote_request, price="2.20")
    bid_withdraw(by=actor("analyst", reason="the supplier wrote so"), bid=other)

    states = dict(quote_request.bids.values_list("pk", "state"))
    assert states == {first.pk: "replaced", second.pk: "sealed", other.pk: "withdrawn"}
    assert second.version == 2


def test_a_late_bid_replaces_nothing_and_is_never_opened(moved):
    quote_request = make_request()
    in_time = make_bid(quote_request)
    moved.now = DUE + timedelta(minutes=5)
    late = make_bid(quote_request, price="1.00")

    opened(quote_request, moved)

    states = dict(quote_request.bids.values_list("pk", "state"))
    assert states == {in_time.pk: "opened", late.pk: "late"}
    assert not hasattr(late, "terms")


def test_a_deadline_without_a_time_zone_is_one_of_the_assumptions(moved):
    make_assumptions(time_zone="Asia/Tokyo")
    values = {"title": "a", "need": "b", "accelerator_types": ["H100-SXM"], "accelerators": 8, "due_at": DUE}

    assert request_create(by=actor("analyst"), values=values).time_zone == "Asia/Tokyo"
