"""The outbox against a real mail server: what is retried, what is given up, what is uncertain, and never two."""

import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from procurement.errors import PermissionRefused, ProcurementError
from reports.models import MessageState, OutboxMessage
from reports.outbox import (
    MOST_ATTEMPTS,
    message_acknowledge,
    message_deliver,
    message_resend,
    messages_recover,
)
from reports.selectors import messages_alarming, messages_to_send, slots_to_prepare
from reports.slots import slot_prepare, slots_open, trial_message
from reports.tasks import deliver_report, prepare_report, send_due_reports
from tests.reports.factories import make_person, make_run
from tests.reports.mail_tools import SLOT, make_subscription

pytestmark = pytest.mark.django_db


def make_message(**changes):
    make_run()
    subscription = make_subscription(**changes)
    slots_open(SLOT + timedelta(seconds=20))
    (message,) = slot_prepare(subscription.slots.get().pk)
    return OutboxMessage.objects.get(pk=message)


def due_again(message):
    OutboxMessage.objects.filter(pk=message.pk).update(next_attempt_at=Now())


def fresh(message):
    message.refresh_from_db()
    return message


def test_a_message_arrives_as_it_was_frozen(sink):
    message = make_message()

    assert message_deliver(message.pk) == MessageState.SENT

    ((recipients, content),) = sink.letters
    assert recipients == ["cfo@example.com"]
    assert content == message.frozen
    assert sink.messages()[0]["Message-ID"] == message.message_id
    sent = fresh(message)
    assert (sent.attempts, sent.last_reply, sent.owner) == (1, "250 kept", "")
    assert sent.sent_at is not None


def test_lines_that_begin_with_a_dot_arrive_whole(sink):
    message = make_message()
    content = message.frozen.replace(b"\r\n\r\n", b"\r\n\r\n.one\r\n..two\r\n", 1)
    OutboxMessage.objects.filter(pk=message.pk).update(content=content)

    message_deliver(message.pk)

    assert sink.letters[0][1] == content


def test_a_message_that_was_sent_is_not_sent_again(sink):
    message = make_message()

    for _ in range(3):
        message_deliver(message.pk)

    assert len(sink.letters) == 1


@pytest.mark.django_db(transaction=True)
def test_t20_three_senders_and_two_schedulers_send_each_of_twenty_once(sink):
    make_run()
    subscription = make_subscription(recipients=[f"p{number}@example.com" for number in range(20)])

    def scheduler():
        try:
            slots_open(SLOT + timedelta(seconds=20))
            for slot in slots_to_prepare():
                slot_prepare(slot)
        finally:
            connection.close()

    def sender():
        try:
            for message in messages_to_send():
                message_deliver(message)
        finally:
            connection.close()

    for work, count in ((scheduler, 2), (sender, 3)):
        threads = [threading.Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    got = sorted(recipients[0] for recipients, _ in sink.letters)
    assert got == sorted(subscription.recipients)
    assert OutboxMessage.objects.exclude(state=MessageState.SENT).count() == 0


@pytest.mark.parametrize("phase", ["at_rcpt", "at_data"])
@pytest.mark.parametrize(("reply", "state"), [
    ("421 too busy", MessageState.RETRY), ("432 wait", MessageState.RETRY), ("452 full", MessageState.RETRY),
    ("550 nobody here", MessageState.FAILED),
])  # fmt: skip
def test_t22_replies_fall_into_their_class(sink, phase, reply, state):
    message = make_message()
    getattr(sink, phase).append(reply)

    assert message_deliver(message.pk) == state

    assert reply in fresh(message).last_reply
    assert sink.letters == []


def test_t22_a_passing_fault_is_tried_again_later_with_the_same_message_id(sink):
    message = make_message()
    sink.at_rcpt.append("452 full")
    message_deliver(message.pk)
    assert message_deliver(message.pk) == MessageState.RETRY  # not yet due
    assert fresh(message).next_attempt_at > timezone.now() + timedelta(seconds=50)

    due_again(message)

    assert message_deliver(message.pk) == MessageState.SENT
    assert sink.messages()[0]["Message-ID"] == message.message_id


def test_t22_after_six_tries_it_is_given_up_with_an_alarm(sink):
    message = make_message()
    sink.at_rcpt.extend(["452 full"] * 20)

    states = []
    for _ in range(8):
        due_again(message)
        states.append(message_deliver(message.pk))

    assert states == [MessageState.RETRY] * 5 + [MessageState.FAILED] * 3
    assert fresh(message).attempts == MOST_ATTEMPTS
    assert list(messages_alarming()) == [message]


def test_t22_a_permanent_refusal_is_never_tried_again(sink):
    message = make_message()
    sink.at_rcpt.append("550 nobody here")
    message_deliver(message.pk)
    due_again(message)

    assert message_deliver(message.pk) == MessageState.FAILED
    assert fresh(message).attempts == 1


def test_t22_one_bad_recipient_does_not_stop_the_others(sink):
    make_run()
    subscription = make_subscription(recipients=["a@example.com", "b@example.com"])
    slots_open(SLOT + timedelta(seconds=20))
    ids = slot_prepare(subscription.slots.get().pk)
    sink.at_rcpt.append("550 nobody here")

    states = [message_deliver(message) for message in ids]

    assert states == [MessageState.FAILED, MessageState.SENT]


def test_t22_a_connection_that_breaks_after_the_text_is_uncertain_with_an_alarm(sink):
    message = make_message()
    sink.drops = 1

    assert message_deliver(message.pk) == MessageState.UNCERTAIN

    due_again(message)
    assert message_deliver(message.pk) == MessageState.UNCERTAIN  # held: nobody sends it by itself
    assert list(messages_alarming()) == [message]


def test_t22_a_server_that_stalls_after_the_text_is_uncertain(sink, settings):
    settings.EMAIL_TIMEOUT = 1
    sink.stall = 3
    message = make_message()

    assert message_deliver(message.pk) == MessageState.UNCERTAIN


def test_the_other_policy_sends_an_uncertain_message_again_with_the_same_id(sink):
    message = make_message(when_uncertain="resend")
    sink.drops = 1

    assert message_deliver(message.pk) == MessageState.RETRY
    due_again(message)

    assert message_deliver(message.pk) == MessageState.SENT
    assert sink.messages()[0]["Message-ID"] == message.message_id


def test_a_server_that_is_away_is_tried_again(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 1, 2
    message = make_message()

    assert message_deliver(message.pk) == MessageState.RETRY
    assert "refused" in fresh(message).last_reply.lower()


def test_a_person_resends_an_uncertain_message_and_its_alarm_is_quiet(sink):
    message = make_message()
    sink.drops = 1
    message_deliver(message.pk)

    message_resend(message=message, user=message.subscription.owner, reason="not in the relay's log")

    assert messages_alarming().count() == 0
    assert message_deliver(message.pk) == MessageState.SENT
    with pytest.raises(ProcurementError, match="not sent twice"):
        message_resend(message=message, user=message.subscription.owner, reason="")


def test_only_who_may_edit_subscriptions_resends_or_quiets(sink):
    message = make_message()
    sink.drops = 1
    message_deliver(message.pk)
    viewer = make_person("vera", "viewer")

    with pytest.raises(PermissionRefused):
        message_resend(message=message, user=viewer, reason="")
    with pytest.raises(PermissionRefused):
        message_acknowledge(message=message, user=viewer)
    message_acknowledge(message=message, user=message.subscription.owner)
    assert messages_alarming().count() == 0


def test_a_recipient_whose_account_was_closed_gets_nothing(sink):
    message = make_message()
    person = make_person("cfo", "finance")
    assert person.email == "cfo@example.com"
    person.is_active = False
    person.save()

    assert message_deliver(message.pk) == MessageState.FAILED
    assert "account is closed" in fresh(message).last_reply
    assert sink.letters == []


def test_a_sender_that_lost_its_message_changes_nothing(sink):
    message = make_message()

    class Slow:
        def send(self, envelope, going_out):
            OutboxMessage.objects.filter(pk=message.pk).update(owner="somebody else")
            going_out()
            raise AssertionError("it went on")

    message_deliver(message.pk, Slow())

    assert fresh(message).owner == "somebody else"
    assert sink.letters == []


def test_what_a_vanished_sender_held_is_freed_by_what_is_known_of_it():
    claimed, sending = make_message(), None
    OutboxMessage.objects.filter(pk=claimed.pk).update(
        state=MessageState.CLAIMED, owner="gone", lease_until=Now() - timedelta(seconds=1)
    )
    sending = trial_message(subscription=claimed.subscription, user=claimed.subscription.owner)
    OutboxMessage.objects.filter(pk=sending.pk).update(
        state=MessageState.SENDING, owner="gone", lease_until=Now() - timedelta(seconds=1)
    )

    assert messages_recover() == 2
    assert messages_recover() == 0

    assert fresh(claimed).state == MessageState.RETRY
    assert fresh(sending).state == MessageState.UNCERTAIN
    assert claimed.pk in messages_to_send()
    assert sending.pk not in messages_to_send()


def test_a_sender_that_was_only_slow_still_reports_that_it_arrived(sink):
    message = make_message()
    original = message

    class Slow:
        def send(self, envelope, going_out):
            going_out()
            OutboxMessage.objects.filter(pk=original.pk).update(lease_until=Now() - timedelta(seconds=1))
            messages_recover()
            assert OutboxMessage.objects.get(pk=original.pk).state == MessageState.UNCERTAIN
            return "250 after all"

    assert message_deliver(message.pk, Slow()) == MessageState.SENT


def test_the_folder_holds_one_file_a_message_however_often_it_is_written(settings, tmp_path):
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = tmp_path / "mail"
    message = make_message()

    assert message_deliver(message.pk) == MessageState.SENT
    OutboxMessage.objects.filter(pk=message.pk).update(state=MessageState.PENDING)
    assert message_deliver(message.pk) == MessageState.SENT

    (file,) = (tmp_path / "mail").iterdir()
    assert file.suffix == ".eml"
    assert file.read_bytes() == message.frozen


def test_any_other_backend_of_django_takes_the_frozen_message(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    message = make_message()

    assert message_deliver(message.pk) == MessageState.SENT

    assert mail.outbox[0].message()["Message-ID"] == message.message_id


@pytest.mark.django_db(transaction=True)
def test_from_the_clock_to_the_inbox(sink, time_machine, monkeypatch):
    """The scheduler's task opens the slot, writes the message and sends it, in one process for the test."""
    for task in (prepare_report, deliver_report):
        monkeypatch.setattr(task, "apply_async", lambda values, task=task, **_: task(*values))
    make_run()
    make_subscription()
    time_machine.move_to(SLOT + timedelta(seconds=20), tick=True)

    for _ in range(2):
        send_due_reports()

    assert [message["To"] for message in sink.messages()] == ["cfo@example.com"]
