"""When a subscription is due: one slot a local day through every clock change, and the week that is printed."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from procurement.errors import ProcurementError
from reports.schedule import DAYS, Period, instant_on, schedule_words, slots_between, slots_next, zone_of

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/St_Johns",
         "Pacific/Kiritimati")  # fmt: skip


@pytest.mark.parametrize("at", [time(0, 0), time(0, 30), time(2, 15), time(2, 30), time(8, 0), time(23, 59)])
@pytest.mark.parametrize("zone_name", ZONES)
def test_t10_every_local_day_of_two_years_has_exactly_one_slot(zone_name, at):
    zone = ZoneInfo(zone_name)
    start = datetime(2026, 1, 1, tzinfo=zone).astimezone(UTC) - timedelta(seconds=1)
    end = datetime(2028, 1, 1, tzinfo=zone).astimezone(UTC) - timedelta(seconds=1)

    slots = slots_between(days=DAYS, at=at, zone=zone, after=start, until=end)

    days = Counter(slot.astimezone(zone).date() for slot in slots)
    assert set(days.values()) == {1}
    assert len(days) == 730


def test_a_time_in_the_gap_becomes_the_first_instant_after_it():
    """29 Mar 2026, Berlin: 02:00 becomes 03:00, so 02:30 does not exist; the gap ends at 01:00 UTC."""
    assert instant_on(date(2026, 3, 29), time(2, 30), ZoneInfo("Europe/Berlin")) == datetime(2026, 3, 29, 1, tzinfo=UTC)


def test_a_time_that_occurs_twice_is_taken_at_its_first_pass():
    """25 Oct 2026, Berlin: 02:30 occurs at 00:30 and at 01:30 UTC."""
    assert instant_on(date(2026, 10, 25), time(2, 30), ZoneInfo("Europe/Berlin")) == datetime(
        2026, 10, 25, 0, 30, tzinfo=UTC
    )


def test_a_day_that_a_zone_skipped_has_no_slot():
    """Samoa went from 29 to 31 Dec 2011."""
    assert instant_on(date(2011, 12, 30), time(8), ZoneInfo("Pacific/Apia")) is None


def test_eight_in_the_morning_stays_eight_in_the_morning():
    zone = ZoneInfo("Europe/Berlin")
    slots = slots_between(
        days=["mon"],
        at=time(8),
        zone=zone,
        after=datetime(2026, 3, 20, tzinfo=UTC),
        until=datetime(2026, 4, 7, tzinfo=UTC),
    )

    assert [slot.hour for slot in slots] == [7, 6, 6]  # UTC: winter, then summer
    assert {slot.astimezone(zone).hour for slot in slots} == {8}


def test_slots_are_after_the_start_and_up_to_the_end():
    at = datetime(2026, 11, 30, 8, tzinfo=UTC)
    asked = {"days": ["mon"], "at": time(8), "zone": ZoneInfo("UTC")}

    assert slots_between(**asked, after=at - timedelta(seconds=1), until=at) == [at]
    assert slots_between(**asked, after=at, until=at + timedelta(days=6)) == []
    assert slots_between(**asked, after=at, until=at - timedelta(days=9)) == []


def test_the_next_slots_are_shown():
    upcoming = slots_next(
        days=["mon", "thu"], at=time(8), zone=ZoneInfo("UTC"), after=datetime(2026, 11, 30, 9, tzinfo=UTC), count=3
    )

    assert [slot.date() for slot in upcoming] == [date(2026, 12, 3), date(2026, 12, 7), date(2026, 12, 10)]


@pytest.mark.parametrize(("instant", "zone", "year", "week"), [
    (datetime(2026, 11, 30, 8, tzinfo=UTC), "Europe/Berlin", 2026, 49),
    (datetime(2027, 1, 1, 8, tzinfo=UTC), "UTC", 2026, 53),  # 2026 has 53 ISO weeks
    (datetime(2027, 1, 3, 23, 30, tzinfo=UTC), "UTC", 2026, 53),
    (datetime(2027, 1, 3, 23, 30, tzinfo=UTC), "Europe/Berlin", 2027, 1),
    (datetime(2026, 11, 29, 11, tzinfo=UTC), "Pacific/Kiritimati", 2026, 49),  # UTC+14: Monday already
    (datetime(2026, 11, 30, 11, 30, tzinfo=UTC), "Etc/GMT+12", 2026, 48),  # UTC-12: Sunday still
])  # fmt: skip
def test_the_week_is_that_of_the_recipient(instant, zone, year, week):
    period = Period.of(instant, zone)

    assert (period.year, period.week) == (year, week)
    assert period.first.weekday() == 0
    assert period.first <= instant.astimezone(ZoneInfo(zone)).date() <= period.last


def test_the_period_is_printed_with_its_zone():
    period = Period.of(datetime(2026, 11, 30, 8, tzinfo=UTC), "Europe/Berlin")

    assert period.words == "Week 49 · 30 Nov 2026 – 6 Dec 2026 (Europe/Berlin)"


@pytest.mark.parametrize(("days", "words"), [
    (["mon"], "Mondays, 08:00 UTC"), (["fri", "mon"], "Mondays and Fridays, 08:00 UTC"),
    (["mon", "wed", "fri"], "Mondays, Wednesdays and Fridays, 08:00 UTC"),
    (list(DAYS[:5]), "Monday to Friday, 08:00 UTC"), (list(DAYS), "Every day, 08:00 UTC"),
])  # fmt: skip
def test_a_schedule_reads_as_people_say_it(days, words):
    assert schedule_words(days, time(8), "UTC") == words


@pytest.mark.parametrize("name", ["Europe/Atlantis", "../../etc/passwd", ""])
def test_an_unknown_zone_is_refused_by_name(name):
    with pytest.raises(ProcurementError, match="IANA"):
        zone_of(name)
