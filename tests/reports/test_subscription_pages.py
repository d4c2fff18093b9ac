"""Pages of subscriptions: enter, change at the same time as somebody else, preview, log, resend; who may."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from procurement.errors import ProcurementError
from procurement.permissions import ROLES
from reports.base import Filters
from reports.models import MessageState, OutboxMessage, ReportSlot, ReportSubscription, SlotState
from reports.slots import trial_message
from tests.reports.factories import make_person, make_run
from tests.reports.mail_tools import SLOT, make_subscription

pytestmark = pytest.mark.django_db
FIELDS = {
    "name": "Weekly decisions", "report": "recommendations", "recipients": "cfo@example.com\ncto@example.com",
    "days": ["mon", "thu"], "time": "08:00", "time_zone": "Europe/Berlin", "if_unchanged": "short", "catch_up": "one",
    "when_uncertain": "hold", "is_active": "on", "workload": "", "within_days": "30", "version": "1",
}  # fmt: skip


@pytest.fixture
def analyst():
    client = Client()
    client.force_login(make_person("ana", "analyst"))
    return client


def test_a_subscription_is_entered_and_says_when_it_is_due(analyst):
    reply = analyst.post(reverse("reports:subscription_new"), FIELDS, follow=True)

    stored = ReportSubscription.objects.get()
    assert stored.recipients == ["cfo@example.com", "cto@example.com"]
    assert (stored.days, stored.owner.username, stored.version) == (["mon", "thu"], "ana", 1)
    assert "Mondays and Thursdays, 08:00 Europe/Berlin" in reply.content.decode()


@pytest.mark.parametrize(("field", "value", "told"), [
    ("recipients", "cfo@example", "No mail address: cfo@example. Write one as name@example.com."),
    ("recipients", "a@b.c\r\nBcc: x@y.z, evil", "No mail address: a@b.c, bcc:"),
    ("days", [], "This field is required."), ("time", "25:00", "Enter a valid time."),
    ("time_zone", "Europe/Atlantis", "Select a valid choice"), ("report", "nonsense", "Select a valid choice"),
    ("within_days", "-1", "greater than or equal to 0"), ("workload", "nothing", "`nothing` is no workload in use"),
    ("name", "", "This field is required."),
])  # fmt: skip
def test_every_fault_stands_beside_its_field_and_what_was_typed_is_kept(analyst, field, value, told):
    reply = analyst.post(reverse("reports:subscription_new"), FIELDS | {field: value})
    html = reply.content.decode()

    assert reply.status_code == 422
    assert told in html
    assert "Error:" in html
    assert not ReportSubscription.objects.exists()
    if field != "name":
        assert "Weekly decisions" in html


def test_the_second_of_two_people_sees_both_values_and_loses_nothing(analyst):
    subscription = make_subscription(owner=make_person("bo", "analyst"))
    address = reverse("reports:subscription", args=[subscription.pk])
    analyst.post(address, FIELDS | {"time": "09:00"})

    reply = analyst.post(address, FIELDS | {"time": "10:30"})
    html = reply.content.decode()

    assert reply.status_code == 409
    assert "was changed by somebody else" in html
    assert "09:00" in html
    assert 'value="10:30"' in html
    assert re.search(r'name="version" value="2"', html)
    assert ReportSubscription.objects.get().time.hour == 9

    analyst.post(address, FIELDS | {"time": "10:30", "version": "2"})
    assert ReportSubscription.objects.get().time.hour == 10


def test_archiving_can_be_undone(analyst):
    subscription = make_subscription(owner=make_person("bo", "analyst"))
    address = reverse("reports:subscription_archive", args=[subscription.pk])

    reply = analyst.post(address, follow=True)
    assert "is archived" in reply.content.decode()
    assert "Undo" in reply.content.decode()
    assert analyst.get(reverse("reports:subscription", args=[subscription.pk])).status_code == 404

    analyst.post(address)
    assert analyst.get(reverse("reports:subscription", args=[subscription.pk])).status_code == 404, "pressed twice"

    analyst.post(f"{address}?restore=1")
    assert analyst.get(reverse("reports:subscription", args=[subscription.pk])).status_code == 200


def test_a_preview_shows_subject_and_size_and_stores_nothing(analyst):
    make_run()
    subscription = make_subscription(owner=make_person("bo", "analyst"))

    html = analyst.get(reverse("reports:subscription", args=[subscription.pk])).content.decode()
    part = analyst.get(reverse("reports:subscription_preview", args=[subscription.pk, "html"]))
    text = analyst.get(reverse("reports:subscription_preview", args=[subscription.pk, "text"]))

    assert "1 hybrid, 1 to rent and 1 without an option" in html
    assert re.search(r"\d+ KB of 80 KB", html)
    assert part["Content-Security-Policy"].startswith("default-src 'none'")
    assert text["Content-Type"].startswith("text/plain")
    assert not OutboxMessage.objects.exists()
    assert not ReportSlot.objects.exists()


def test_a_preview_that_cannot_be_made_says_why(analyst):
    subscription = make_subscription(owner=make_person("bo", "analyst"))

    html = analyst.get(reverse("reports:subscription", args=[subscription.pk])).content.decode()

    assert "No run is finished yet" in html


def test_a_test_goes_to_the_person_who_asked(analyst):
    make_run()
    subscription = make_subscription(owner=make_person("bo", "analyst"), recipients=["board@example.com"])

    analyst.post(reverse("reports:subscription_test", args=[subscription.pk]))

    message = OutboxMessage.objects.get()
    assert (message.kind, message.recipient, message.slot_at) == ("test", "ana@example.com", None)


def test_the_log_shows_the_exact_copy(analyst):
    make_run()
    subscription = make_subscription(owner=make_person("bo", "analyst"))
    message = trial_message(subscription=subscription, user=subscription.owner)

    log = analyst.get(reverse("reports:deliveries")).content.decode()
    whole = analyst.get(reverse("reports:delivery_copy", args=[message.pk, "eml"]))
    html = analyst.get(reverse("reports:delivery_copy", args=[message.pk, "html"]))

    assert message.subject in log
    assert whole.content == message.frozen
    assert "Chat serving" in html.content.decode()
    assert analyst.get(reverse("reports:delivery_copy", args=[message.pk, "exe"])).status_code == 404


def test_an_uncertain_message_is_marked_and_can_be_resent(analyst):
    make_run()
    subscription = make_subscription(owner=make_person("bo", "analyst"))
    message = trial_message(subscription=subscription, user=subscription.owner)
    OutboxMessage.objects.update(state=MessageState.UNCERTAIN, last_reply="The connection broke")

    html = analyst.get(reverse("reports:deliveries")).content.decode()
    assert "Check and resend" in html
    assert "1 delivery needs a person" in re.sub(r"\s+", " ", analyst.get(reverse("reports:index")).content.decode())

    analyst.post(reverse("reports:delivery_resend", args=[message.pk]))
    assert OutboxMessage.objects.get().state == MessageState.PENDING


def test_missed_and_failed_slots_are_shown_until_seen(analyst):
    subscription = make_subscription(owner=make_person("bo", "analyst"))
    slot = ReportSlot.objects.create(
        subscription=subscription, slot_at=SLOT, state=SlotState.MISSED, message="Nobody ran"
    )

    assert "Nobody ran" in analyst.get(reverse("reports:deliveries")).content.decode()
    analyst.post(reverse("reports:slot_seen", args=[slot.pk]))
    assert "Nobody ran" not in analyst.get(reverse("reports:deliveries")).content.decode()


def test_t80_names_and_replies_are_text(analyst):
    make_run()
    subscription = make_subscription(owner=make_person("bo", "analyst"), name="<script>alert(1)</script>")
    trial_message(subscription=subscription, user=subscription.owner)
    OutboxMessage.objects.update(last_reply="<img src=x onerror=alert(1)>", state=MessageState.FAILED)

    for name, args in (("subscriptions", []), ("subscription", [subscription.pk]), ("deliveries", []), ("index", [])):
        html = analyst.get(reverse(f"reports:{name}", args=args)).content.decode()
        assert "<script>alert" not in html, name
        assert "<img src=x" not in html, name


EDITORS = {"analyst", "facilities", "finance", "administrator"}
WRITES = ("subscription", "subscription_archive", "subscription_test")


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("person", ["anonymous", "no role", *ROLES])
def test_who_may_write(person, name):
    make_run()
    subscription = make_subscription(owner=make_person("bo", "analyst"))
    client = Client()
    if person != "anonymous":
        client.force_login(make_person("p", None if person == "no role" else person))

    reply = client.post(reverse(f"reports:{name}", args=[subscription.pk]), FIELDS)

    if person in EDITORS:
        assert reply.status_code == 302
        assert "login" not in reply.url
    else:
        assert reply.status_code == (302 if person == "anonymous" else 403)
        subscription.refresh_from_db()
        assert (subscription.version, subscription.is_archived) == (1, False)
        assert not OutboxMessage.objects.exists()


def test_every_form_needs_its_token():
    subscription = make_subscription(owner=make_person("bo", "analyst"))
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_person("ana", "analyst"))

    for name in ("subscription", "subscription_archive", "subscription_test"):
        assert client.post(reverse(f"reports:{name}", args=[subscription.pk]), FIELDS).status_code == 403


def test_a_nul_in_a_reason_or_an_address_is_no_fault_of_ours(analyst):
    run = make_run()
    message = trial_message(subscription=make_subscription(owner=make_person("bo", "analyst")), user=make_person("cy"))
    OutboxMessage.objects.update(state=MessageState.UNCERTAIN)

    analyst.post(reverse("reports:delivery_resend", args=[message.pk]), {"reason": "lost\0 it"})

    assert OutboxMessage.objects.get().last_reply.endswith("lost it.")
    assert analyst.get(f"/recommendations/{run.pk}/%00/").status_code == 404


@pytest.mark.parametrize("days", ["1e3000", "-1", "NaN", "sNaN", "1e400000000"])
def test_days_beyond_all_measure_are_refused_at_once(days):
    with pytest.raises(ProcurementError, match="is no number of days"):
        Filters.read({"within_days": days})


@pytest.mark.parametrize("run", ["junk", "-1", "9" * 40])
def test_a_run_that_cannot_be_one_is_named_and_not_taken_for_the_newest(analyst, run):
    make_run()
    reply = analyst.get(reverse("reports:report", args=["recommendations"]), {"run": run})

    assert reply.status_code == 404
    assert f"`{run}` is no number of a run" in reply.content.decode()
