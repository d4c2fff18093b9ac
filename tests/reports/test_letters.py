"""Letters of requests for quotes by mail: frozen once, sent once over a real server, shown on their request."""

from datetime import date

import pytest
from django.urls import reverse

from procurement.errors import ProcurementError
from procurement.models import RequestLetter
from procurement.services.requests import request_cancel, request_extend
from procurement.services.requests_awards import request_award
from procurement.services.requests_invitations import invitation_update, question_answer, question_ask
from procurement.services.requests_letters import letter_mail, letter_sent
from reports.letters import letters_queue
from reports.models import MessageState, OutboxMessage
from reports.outbox import message_deliver, message_resend, messages_recover
from reports.selectors import messages_to_send
from tests.factories import actor
from tests.procurement.page_tools import signed_in
from tests.procurement.requests_tools import DUE, make_bid, make_request, moved_clock, opened

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(sink, settings, monkeypatch):
    """Return the mail server, with the settings saying that there is one, and bids due on 4 December."""
    settings.EMAIL_URL = "smtp://localhost"
    sink.clock = moved_clock(monkeypatch)
    buyer = actor("analyst").user
    buyer.email = "buyer@example.com"
    buyer.save()
    return sink


def deliver_all():
    letters_queue()
    return [message_deliver(pk) for pk in messages_to_send()]


def test_every_notice_reaches_each_supplier_once_with_answers_to_the_buyer(server):
    request = make_request()
    question_answer(by=actor("analyst"), question=_asked(request), answer="Yes.")
    request.refresh_from_db()
    later = DUE.replace(day=8)
    request = request_extend(by=actor("analyst"), quote_request=request, version=request.version, due_at=later)
    request_cancel(by=actor("analyst"), quote_request=request, version=request.version)

    assert set(deliver_all()) == {MessageState.SENT}
    assert deliver_all() == []  # asked again, nothing goes twice

    kinds = ["Request for quotes", "Answer to a question", "The deadline was extended", "The request was cancelled"]
    for supplier in ("sales@acme.example", "sales@neptune.example"):
        mine = [message for message in server.messages() if message["To"] == supplier]
        assert [str(message["Subject"]).split(": ")[1].split(" – ")[0] for message in mine] == kinds
        assert {str(message["Reply-To"]) for message in mine} == {"buyer@example.com"}
        letters = RequestLetter.objects.filter(recipient=supplier).order_by("pk")
        bodies = [message.get_content().replace("\r\n", "\n") for message in mine]
        assert bodies == [letter.text for letter in letters]


def test_the_result_goes_out_and_says_no_price(server):
    request = make_request()
    bid = make_bid(request, valid_until=date(2027, 1, 31))
    deliver_all()
    assert len(server.letters) == 2  # the invitations: a bid writes no letter
    request = opened(request, server.clock)

    request_award(
        by=actor("analyst"), quote_request=request, version=request.version, bids=[bid.pk], deviation_reason="One bid."
    )
    deliver_all()

    told = {str(message["To"]): message for message in server.messages()[2:]}
    assert set(told) == {"sales@acme.example", "sales@neptune.example"}
    assert "We award to your option main" in told["sales@acme.example"].get_content()
    assert "2.35" not in "".join(message.get_content() for message in server.messages())


def test_without_a_mail_server_nothing_is_queued_and_a_person_is_told_why(settings):
    settings.EMAIL_URL = ""
    make_request()

    assert letters_queue() == 0
    with pytest.raises(ProcurementError, match="No mail server is configured"):
        letter_mail(by=actor("analyst"), letter=RequestLetter.objects.first())


def test_a_supplier_who_is_written_to_by_hand_gets_no_mail_until_somebody_asks_for_it(server):
    request = make_request(is_published=False)
    invitation = request.invitations.get(provider__code="acme")
    invitation_update(
        by=actor("analyst"), invitation=invitation, version=invitation.version, values={"is_mailed": False}
    )
    client = signed_in("analyst")
    client.post(reverse("procurement:request_publish", args=[request.code]))
    assert [message.recipient for message in _queued()] == ["sales@neptune.example"]

    letter = RequestLetter.objects.get(recipient="sales@acme.example")
    client.post(reverse("procurement:request_letter_mail", args=[request.code, letter.pk]))

    assert deliver_all() == [MessageState.SENT] * 2
    page = client.get(reverse("procurement:request_letters", args=[request.code])).content.decode()
    assert page.count("by mail, <time") == 2
    assert "Was sent" not in page


def test_a_letter_that_a_person_has_sent_meanwhile_is_not_mailed(server):
    make_request()
    letters_queue()
    for letter in RequestLetter.objects.all():
        letter_sent(by=actor("analyst"), letter=letter)

    assert deliver_all() == [MessageState.FAILED] * 2
    assert server.letters == []
    assert "sent by hand" in OutboxMessage.objects.first().last_reply


def test_a_letter_that_may_have_arrived_is_held_until_a_person_sends_it_again(server):
    make_request("acme", least_bidders=1)
    server.drops = 1

    assert deliver_all() == [MessageState.UNCERTAIN]
    messages_recover()
    assert deliver_all() == []

    message = OutboxMessage.objects.get()
    page = signed_in("analyst").get(reverse("procurement:request_letters", args=[message.letter.notice.request.code]))
    assert "It may have arrived" in page.content.decode()
    message_resend(message=message, user=actor("analyst").user, reason="asked by telephone")
    assert deliver_all() == [MessageState.SENT]
    assert len(server.letters) == 1


def _asked(request):
    return question_ask(by=actor("analyst"), quote_request=request, question="Is RoCE accepted?")


def _queued():
    letters_queue()
    return list(OutboxMessage.objects.order_by("pk"))
