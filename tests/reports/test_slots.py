"""Slots: opened once by any number of schedulers, caught up as asked, written once or said to have failed."""

import threading
from datetime import UTC, datetime, time, timedelta

import pytest
from django.db import connection

from procurement.errors import ProcurementError
from procurement.models import ComponentRow, Run
from reports.models import MessageKind, OutboxMessage, ReportSlot, SlotState
from reports.services import recipient_leave, subscription_archive, subscription_update
from reports.slots import slot_prepare, slots_give_up, slots_open, trial_message
from tests.reports.factories import make_person, make_run
from tests.reports.mail_tools import SLOT, make_subscription

pytestmark = pytest.mark.django_db
NOW = SLOT + timedelta(seconds=20)


def opened(now=NOW):
    slots_open(now)
    return ReportSlot.objects.order_by("slot_at")


def prepared(now=NOW):
    ids = [message for slot in opened(now).filter(state=SlotState.DUE) for message in slot_prepare(slot.pk)]
    return OutboxMessage.objects.filter(pk__in=ids).order_by("recipient")


def test_a_slot_is_opened_at_its_instant_and_not_before():
    make_subscription()

    assert slots_open(SLOT - timedelta(seconds=1)) == 0
    assert slots_open(NOW) == 1
    assert slots_open(NOW + timedelta(minutes=1)) == 0
    assert ReportSlot.objects.get().slot_at == SLOT


@pytest.mark.django_db(transaction=True)
def test_t8_three_schedulers_open_each_of_sixty_slots_once():
    make_subscription(days=["mon", "tue", "wed", "thu", "fri", "sat", "sun"], catch_up="all")
    instants = [SLOT + timedelta(days=day, seconds=5) for day in range(60)]

    def scheduler():
        try:
            for now in instants:
                slots_open(now)
        finally:
            connection.close()

    threads = [threading.Thread(target=scheduler) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ReportSlot.objects.count() == 61  # Sunday before the first Monday too
    assert ReportSlot.objects.values("slot_at").distinct().count() == 61


@pytest.mark.parametrize(("rule", "due", "missed"), [("one", 1, 2), ("none", 0, 3), ("all", 3, 0)])
def test_t9_after_a_standstill_over_three_slots_the_rule_decides(rule, due, missed):
    make_subscription(catch_up=rule)

    slots = opened(SLOT + timedelta(days=14, hours=5))

    assert slots.filter(state=SlotState.DUE).count() == due
    assert slots.filter(state=SlotState.MISSED).count() == missed
    if rule == "one":
        assert slots.get(state=SlotState.DUE).slot_at == SLOT + timedelta(days=14)
    assert all("No scheduler ran" in slot.message for slot in slots.filter(state=SlotState.MISSED))


def test_t9_a_slot_that_is_on_time_is_sent_whatever_the_rule():
    make_subscription(catch_up="none")

    slots = opened(SLOT + timedelta(days=7, minutes=2))

    assert [slot.state for slot in slots] == [SlotState.MISSED, SlotState.DUE]


def test_t9_a_scheduler_that_restarts_often_starves_no_weekly_schedule():
    make_subscription()
    for second in range(0, 120, 5):
        slots_open(SLOT - timedelta(seconds=60) + timedelta(seconds=second))

    assert ReportSlot.objects.count() == 1


def test_t9_editing_just_before_the_slot_makes_no_second_one_and_no_slot_in_the_past(time_machine):
    subscription = make_subscription()
    time_machine.move_to(SLOT - timedelta(seconds=1), tick=False)
    user = subscription.owner
    changed = subscription_update(
        user=user, subscription=subscription, version=1, values={"time": time(8, 0)}, source="web"
    )
    assert changed.version == 1  # nothing differs

    subscription_update(user=user, subscription=subscription, version=1, values={"time": time(7, 0)}, source="web")

    assert slots_open(NOW) == 0  # 07:00 has passed: the next one is Monday next week
    assert slots_open(SLOT + timedelta(days=7)) == 1


def test_a_paused_or_archived_subscription_is_never_due_and_sends_nothing_of_the_pause():
    subscription = make_subscription(is_active=False)
    assert slots_open(NOW) == 0

    subscription_archive(user=subscription.owner, subscription=subscription, version=1, source="web")
    subscription_archive(user=subscription.owner, subscription=subscription, version=2, source="web", is_archived=False)
    subscription.refresh_from_db()
    subscription.is_active = True
    subscription.save()

    assert slots_open(NOW - timedelta(minutes=1)) == 0


def test_each_recipient_gets_one_message_of_one_run():
    run = make_run()
    make_subscription(recipients=["cfo@example.com", "cto@example.com"])

    messages = prepared()

    assert [message.recipient for message in messages] == ["cfo@example.com", "cto@example.com"]
    assert {message.run_id for message in messages} == {run.pk}
    assert len({message.message_id for message in messages}) == 2
    assert {message.slot_at for message in messages} == {SLOT}


def test_a_slot_is_written_once():
    make_run()
    make_subscription()
    first = prepared()
    slot = ReportSlot.objects.get()

    ReportSlot.objects.update(next_attempt_at=SLOT - timedelta(days=1))

    assert slot_prepare(slot.pk) == []
    assert first.count() == OutboxMessage.objects.count() == 1


def test_who_left_gets_nothing_more():
    make_run()
    subscription = make_subscription(recipients=["cfo@example.com", "cto@example.com"])
    recipient_leave(subscription_id=subscription.pk, recipient="cfo@example.com")

    assert [message.recipient for message in prepared()] == ["cto@example.com"]


@pytest.mark.parametrize(("setting", "subjects"), [
    ("skip", []), ("short", ["Decisions wk 50: nothing changed"]),
    ("full", ["Decisions wk 50: 1 hybrid, 1 to rent and 1 without an option"]),
])  # fmt: skip
def test_when_nothing_changed_the_setting_decides(setting, subjects):
    make_run()
    make_subscription(if_unchanged=setting)
    prepared()
    make_run()  # another run that says the same

    messages = prepared(NOW + timedelta(days=7))

    assert [message.subject for message in messages] == subjects
    last = ReportSlot.objects.order_by("-slot_at").first()
    assert last.state == (SlotState.UNCHANGED if setting == "skip" else SlotState.PREPARED)


def test_a_change_is_told_with_both_values_and_sent_whole():
    make_run()
    make_subscription(if_unchanged="skip")
    prepared()
    run = make_run()
    answer = run.run_answers.get(workload_code="chat").answer
    answer.npv = "1800000.00"
    answer.save()

    message = prepared(NOW + timedelta(days=7)).get()

    assert message.subject == "Decisions wk 50: 1 recommendation changed"
    assert b"EUR 1,746,000.00 =E2=86=92 EUR 1,800,000.00" in message.frozen.replace(b"=\r\n", b"").replace(
        b"\r\n  ", b" "
    )


def test_without_a_finished_run_nothing_is_sent_and_the_owner_is_told():
    make_subscription()

    assert not prepared().exists()

    slot = ReportSlot.objects.get()
    assert (slot.state, slot.message) == (SlotState.FAILED, "No run is finished yet; reports read finished runs only.")
    alarm = OutboxMessage.objects.get()
    assert (alarm.kind, alarm.recipient) == (MessageKind.ALARM, "ana@example.com")


def test_figures_that_do_not_add_up_stop_the_mail():
    run = make_run()
    make_subscription()
    row = ComponentRow.objects.filter(option__answer__run_answers__run=run).first()
    ComponentRow.objects.filter(pk=row.pk).update(amount=row.amount + 1)

    assert not prepared().filter(kind=MessageKind.REPORT).exists()

    assert "do not add up" in ReportSlot.objects.get().message


def test_an_owner_without_the_role_sends_nothing():
    make_run()
    subscription = make_subscription()
    subscription.owner.groups.clear()

    prepared()

    assert "may no longer send reports" in ReportSlot.objects.get().message


def test_a_writer_that_stops_three_times_ends_as_failed():
    make_subscription()
    slot = opened().get()
    ReportSlot.objects.update(attempts=3, next_attempt_at=SLOT - timedelta(days=1))

    assert slot_prepare(slot.pk) == []
    assert slots_give_up() == 1
    assert slots_give_up() == 0

    slot.refresh_from_db()
    assert slot.state == SlotState.FAILED


def test_t23_a_preview_and_a_test_never_touch_the_slot():
    make_run()
    subscription = make_subscription(recipients=["ana@example.com"])

    test = trial_message(subscription=subscription, user=subscription.owner)
    real = prepared().get()

    assert test.slot_at is None
    assert test.subject == "Test: Decisions wk 49: 1 hybrid, 1 to rent and 1 without an option"[: len(test.subject)]
    assert real.recipient == test.recipient
    assert real.message_id != test.message_id


def test_somebody_without_an_address_cannot_send_a_test():
    make_run()
    person = make_person(
        "bo",
        "analyst",
    )
    person.email = ""
    person.save()

    with pytest.raises(ProcurementError, match="no mail address"):
        trial_message(subscription=make_subscription(), user=person)


def test_t24_text_and_html_are_of_one_snapshot_even_if_the_run_changes_in_between():
    run = make_run()
    make_subscription()
    message = prepared().get()
    before = message.frozen

    Run.objects.filter(pk=run.pk).update(engine_version="9.9.9")
    make_run()

    message.refresh_from_db()
    assert message.frozen == before
    assert b"engine 1.0.0" in message.frozen


def test_slots_are_in_utc_and_follow_the_clock_change():
    make_subscription(counted_to=datetime(2026, 3, 22, tzinfo=UTC), catch_up="all")

    slots = opened(datetime(2026, 3, 31, tzinfo=UTC))

    assert [slot.slot_at.hour for slot in slots] == [7, 6]  # 08:00 in Berlin, winter and summer
