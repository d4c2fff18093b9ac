"""T20 and T21: senders are killed at every point; each message arrives once, or says that nobody can know."""

import os
import random
import subprocess
import sys
from collections import Counter
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from reports.failpoints import VARIABLE
from reports.models import MessageState, OutboxMessage
from reports.outbox import message_deliver, messages_recover
from reports.selectors import messages_alarming, messages_to_send
from reports.slots import slot_prepare, slots_open
from tests.chaos.harness import PROJECT, database_url
from tests.reports.factories import make_run
from tests.reports.mail_tools import SLOT, Server, Sink, make_subscription

pytestmark = [pytest.mark.chaos, pytest.mark.services, pytest.mark.django_db(transaction=True)]
POINTS = ("before_claim", "after_claim", "before_data", "after_reply", "after_commit")
RECIPIENTS = 24
KILLS = 6


@pytest.fixture
def sink(settings):
    sink = Sink()
    server = Server(sink)
    server.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = server.hostname, server.port
    sink.address = f"smtp://{server.hostname}:{server.port}"
    yield sink
    server.stop()


def make_messages(count=1):
    make_run()
    subscription = make_subscription(recipients=[f"p{number}@example.com" for number in range(count)])
    slots_open(SLOT + timedelta(seconds=20))
    return slot_prepare(subscription.slots.get().pk)


def start_sender(message, sink, point=""):
    surroundings = os.environ | {
        "DATABASE_URL": database_url(), "EMAIL_URL": sink.address, VARIABLE: point, "LOG_LEVEL": "ERROR",
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "tests.chaos.deliver_and_die", str(message)], cwd=PROJECT, env=surroundings,
        start_new_session=True,
    )  # fmt: skip


def leases_run_out():
    OutboxMessage.objects.filter(lease_until__isnull=False).update(lease_until=Now() - timedelta(seconds=1))
    messages_recover()
    OutboxMessage.objects.filter(state=MessageState.RETRY).update(next_attempt_at=Now())


def arrived(sink):
    return Counter(recipients[0] for recipients, _ in sink.letters)


@pytest.mark.parametrize("point", POINTS)
def test_t21_a_sender_killed_at_a_known_point(sink, point):
    (message,) = make_messages()
    dying = start_sender(message, sink, point)
    assert dying.wait(timeout=60) == -9

    leases_run_out()
    for _ in range(2):
        for waiting in messages_to_send():
            message_deliver(waiting)

    row = OutboxMessage.objects.get()
    assert arrived(sink) == {"p0@example.com": 1}
    if point == "after_reply":  # it arrived, but nobody here can know
        assert row.state == MessageState.UNCERTAIN
        assert list(messages_alarming()) == [row]
    else:
        assert row.state == MessageState.SENT


def test_t20_senders_killed_at_random_double_nothing_and_hide_nothing(sink):
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    messages = make_messages(RECIPIENTS)

    running = []
    for number, message in enumerate(messages[: KILLS + 2]):
        running.append(start_sender(message, sink, chance.choice(POINTS) if number < KILLS else ""))
        if len(running) == 2:
            for process in running:
                process.wait(timeout=60)
            running = []
    for process in running:
        process.wait(timeout=60)
    leases_run_out()
    for waiting in messages_to_send():
        message_deliver(waiting)

    counts = arrived(sink)
    states = Counter(OutboxMessage.objects.values_list("state", flat=True))
    sys.stdout.write(f"seed {seed}, states {dict(states)}, arrived {sum(counts.values())}\n")
    assert max(counts.values()) == 1
    assert set(states) <= {MessageState.SENT, MessageState.UNCERTAIN}
    sure = set(OutboxMessage.objects.filter(state=MessageState.SENT).values_list("recipient", flat=True))
    assert sure <= set(counts)
    assert messages_alarming().count() == states[MessageState.UNCERTAIN]


def test_the_harness_finds_the_doubles_of_a_naive_sender(sink):
    """A positive control: without the claim, a resend after a kill doubles, and this harness sees it."""
    (message,) = make_messages()
    start_sender(message, sink, "after_reply").wait(timeout=60)
    OutboxMessage.objects.update(state=MessageState.PENDING, lease_until=None, owner="")  # as a naive sender would
    message_deliver(message)

    assert arrived(sink) == {"p0@example.com": 2}
