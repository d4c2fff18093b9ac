"""Pages of requests: filled and sent as in a browser, empty states, refusals beside their field, buttons by role."""

from datetime import timedelta

import pytest
from django.urls import reverse

from procurement.models import QuoteRequest, RequestBid, RequestLetter
from procurement.selectors import clock
from tests.factories import make_assumptions, make_provider, make_workload
from tests.procurement.page_tools import signed_in
from tests.procurement.requests_tools import DUE, make_bid, make_request, moved_clock, opened, opened_sample

pytestmark = pytest.mark.django_db(transaction=True)

FORM = {
    "title": "64 H100", "need": "Base model.", "accelerator_types": "H100-SXM, H200", "accelerators": "64",
    "due_on": "2026-12-04", "due_time": "12:00", "time_zone": "Europe/Berlin", "opening_people": "1",
    "accepted_power": ["firm"], "must_answer": ["site", "term_months"],
    "questions": "Which tier, and why?\nOwn images?",
}  # fmt: skip
BID = {
    "option": "main", "accelerator": "H100-SXM", "quantity_available": "64", "price": "2,35", "currency": "usd",
    "price_basis": "per_accelerator_hour", "purchase_model": "contract", "payment_option": "none",
    "quoted_on": "2026-11-30", "valid_until": "2027-01-31", "interconnect": "multi_node",
    "largest_domain_accelerators": "64", "power_status": "firm",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_bell(monkeypatch):
    """There is no broker here."""
    monkeypatch.setattr("procurement.views.base.nudge", lambda: None)


@pytest.fixture
def moved(monkeypatch):
    return moved_clock(monkeypatch)


def _address(name, quote_request, *more):
    return reverse(f"procurement:{name}", args=[quote_request.code, *more])


def test_the_first_page_says_what_a_request_is_for():
    page = signed_in("analyst").get(reverse("procurement:requests")).content.decode()

    assert "No requests yet" in page
    assert "sealed until the deadline" in page


def test_a_draft_is_typed_and_read_back(moved):
    make_workload("serve")
    browser = signed_in("analyst")

    answer = browser.post(reverse("procurement:request_new"), {**FORM, "workloads": ["serve"]})

    assert answer.status_code == 302, answer.context["form"].errors
    draft = QuoteRequest.objects.get()
    assert draft.due_at == DUE
    assert draft.accelerator_types == ["H100-SXM", "H200"]
    assert (draft.workloads, draft.must_answer) == (["serve"], ["site", "term_months"])
    assert draft.questions == ["Which tier, and why?", "Own images?"]
    form = browser.get(_address("request_edit", draft)).context["form"]
    assert (str(form.initial["due_on"]), form.initial["due_time"]) == ("2026-12-04", "12:00")
    assert form["questions"].value() == "Which tier, and why?\nOwn images?"


@pytest.mark.parametrize(
    ("day", "time", "words"),
    [("2027-03-28", "02:30", "clocks go forward"), ("2026-10-25", "02:30", "comes twice"), ("", "12:00", "required")],
)
def test_a_deadline_that_no_clock_shows_once_is_refused_beside_its_field(day, time, words):
    answer = signed_in("analyst").post(reverse("procurement:request_new"), {**FORM, "due_on": day, "due_time": time})

    assert answer.status_code == 422
    assert words in str(answer.context["form"].errors)
    assert "Base model." in answer.content.decode()


def test_two_people_who_edit_one_draft_both_see_both_values():
    draft = make_request(is_published=False)
    browser = signed_in("analyst")
    sent = {**FORM, "version": "1", "reason": "mine", "accelerators": "96", "accelerator_types": "H100-SXM"}
    QuoteRequest.objects.update(version=2, accelerators=128)

    answer = browser.post(_address("request_edit", draft), sent)

    assert answer.status_code == 409
    page = answer.content.decode()
    assert "128" in page
    assert "96" in page


def test_the_walk_from_publishing_to_award(moved):
    make_assumptions()
    draft = make_request("acme", is_published=False, least_bidders=1, questions=["Which tier?"])
    analyst, finance = signed_in("analyst"), signed_in("finance")

    analyst.post(_address("request_publish", draft), {"version": draft.version})
    invitation = draft.invitations.get()
    analyst.post(_address("request_question_new", draft), {"question": "RoCE?", "invitation": invitation.pk})
    question = draft.asked_questions.get()
    analyst.post(_address("request_question_answer", draft, question.pk), {"answer": "Yes."})
    later = {"due_on": "2026-12-05", "due_time": "12:00", "reason": "asked for", "version": "2"}
    assert analyst.post(_address("request_extend", draft), later).status_code == 302
    filed = analyst.post(_address("request_bid_new", draft, invitation.pk), {**BID, "further_0": "III"})
    assert filed.status_code == 302, filed.context["form"].errors
    receipt = analyst.get(filed["Location"]).content.decode()
    assert "Sealed" in receipt
    assert "2.35" not in receipt
    moved.now = DUE + timedelta(days=2)
    assert "Open the bids" in finance.get(_address("request", draft)).content.decode()
    finance.post(_address("request_open", draft), {"version": QuoteRequest.objects.get().version})
    comparison = analyst.get(_address("request_comparison", draft)).content.decode()
    assert "USD 2.3500" in comparison
    assert "Which tier?" in comparison
    bid = RequestBid.objects.get()
    chosen = {"bids": [bid.pk], "reason": "complies", "version": QuoteRequest.objects.get().version}
    answer = analyst.post(_address("request_award", draft), chosen)

    assert answer.status_code == 302, answer.context["form"].errors
    bid.refresh_from_db()
    assert bid.quote.provider.code == "acme"
    assert bid.quote.currency == "USD"
    history = analyst.get(_address("request_history", draft)).content.decode()
    for words in ("Request published", "Question answered", "Bid received", "Request opened", "Request awarded"):
        assert words in history


def test_a_refused_bid_keeps_what_was_typed_and_names_the_field(moved):
    quote_request = make_request()
    invitation = quote_request.invitations.first()
    address = _address("request_bid_new", quote_request, invitation.pk)

    answer = signed_in("analyst").post(address, {**BID, "price": "1,234", "site": "Hall N2"})

    assert answer.status_code == 422
    assert "can be read as 1234 or as 1.234" in str(answer.context["form"].errors["price"])
    assert "Hall N2" in answer.content.decode()
    assert not RequestBid.objects.exists()


def test_an_award_against_a_must_have_asks_why_beside_the_field(moved):
    quote_request = make_request()
    bid = make_bid(quote_request, power_status="temporary")
    make_bid(quote_request, "neptune")
    quote_request = opened(quote_request, moved)

    sent = {"bids": [bid.pk], "reason": "cheap", "version": quote_request.version}
    answer = signed_in("analyst").post(_address("request_award", quote_request), sent)

    assert answer.status_code == 422
    assert "power temporary; accepted: firm" in str(answer.context["form"].errors["deviation_reason"])


def test_a_letter_is_copied_saved_and_noted_as_sent():
    quote_request = make_request(
        title="64 H100\r\nBcc: all@example.org", due_at=clock.database_now() + timedelta(days=1)
    )
    letter = RequestLetter.objects.first()
    browser = signed_in("analyst")

    shown = browser.get(_address("request_letter", quote_request, letter.pk)).content.decode()
    mail = browser.get(_address("request_letter_file", quote_request, letter.pk))
    browser.post(_address("request_letter_sent", quote_request, letter.pk))

    assert "Text to copy" in shown
    assert b"\r\nBcc:" not in mail.content.split(b"\r\n\r\n")[0]
    assert mail["Content-Type"] == "message/rfc822"
    letter.refresh_from_db()
    assert letter.sent_by.username == "analyst"


@pytest.mark.parametrize("role", ["viewer", "facilities", "finance"])
def test_buttons_that_would_be_refused_are_not_shown(role):
    quote_request = make_request(due_at=clock.database_now() + timedelta(days=1))
    browser = signed_in(role)

    for name in ("request", "request_bids", "request_questions", "request_letters"):
        page = browser.get(_address(name, quote_request)).content.decode()
        for words in ("Amend", "Enter bid", "Record a question", "Was sent", "Cancel the request"):
            assert f"{words}<" not in page, (name, words)
    for name in ("request_edit", "request_extend", "request_cancel", "request_award", "request_invitation_new"):
        assert browser.get(_address(name, quote_request)).status_code == 403


@pytest.mark.parametrize("odd", ["\0", "é" * 3000, "1e15", "-1", "9" * 40, "<script>", "0001-01-01", "{}"])
def test_no_form_of_a_request_ends_in_a_fault_of_ours(odd):
    quote_request = make_request(due_at=clock.database_now() + timedelta(days=1))
    opened_one = opened_sample()
    question = opened_one.asked_questions.first()
    browser = signed_in("administrator")
    addresses = [
        _address("request_edit", quote_request), _address("request_extend", quote_request),
        _address("request_cancel", quote_request), _address("request_invitation_new", quote_request),
        _address("request_question_new", quote_request), _address("request_award", opened_one),
        _address("request_bid_new", quote_request, quote_request.invitations.first().pk),
        _address("request_invitation_edit", quote_request, quote_request.invitations.first().pk),
        _address("request_invitation_decline", quote_request, quote_request.invitations.first().pk),
        _address("request_bid_reject", opened_one, opened_one.bids.first().pk),
        _address("request_question_answer", opened_one, question.pk),
    ]  # fmt: skip
    found = {}

    for address in addresses:
        fields = set(browser.get(address).context["form"].fields) - {"attachment"}
        found[address] = browser.post(address, dict.fromkeys(fields, odd)).status_code

    assert set(found.values()) <= {302, 409, 422}, found


@pytest.mark.parametrize("version", ["abc", "-1", "9" * 30, "1\0"])
def test_no_button_of_a_request_ends_in_a_fault_of_ours(version):
    make_provider()
    draft = make_request(is_published=False)
    browser = signed_in("administrator")

    for name in ("request_publish", "request_open"):
        assert browser.post(_address(name, draft), {"version": version}).status_code == 302


def test_what_is_not_there_is_said_to_be_not_there():
    quote_request, other = make_request(is_published=False), make_request(is_published=False)
    browser = signed_in("administrator")
    strange = other.invitations.first().pk

    for address in (
        "/requests/nobody/", "/requests/RFQ-2026-9999/comparison/", _address("request_bid", quote_request, 99),
        _address("request_bid_new", quote_request, strange), _address("request_letter", quote_request, 10**17),
        _address("request_bid_file", quote_request, 1),
    ):  # fmt: skip
        assert browser.get(address).status_code == 404, address


def test_the_list_asks_the_database_as_often_for_many_as_for_one(django_assert_max_num_queries):
    for _ in range(4):
        make_request(is_published=False)
    browser = signed_in("viewer")

    with django_assert_max_num_queries(12):
        browser.get(reverse("procurement:requests"))
