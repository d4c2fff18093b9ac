"""When a subscription is due: wall time in a named zone to instants, and the week a report speaks of.

Rule for clock changes: a time that does not exist that day becomes the first instant after the gap; a time that occurs
twice is taken at its first pass. Every local day that a subscription names has exactly one slot.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from procurement.errors import ProcurementError
from reports.templatetags.figures import day_text

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_NAMES = {
    "mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday", "sat": "Saturday",
    "sun": "Sunday",
}  # fmt: skip
ONE_DAY = timedelta(days=1)


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone by its IANA name; an unknown one is refused with its field."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        message = f"`{name}` is no time zone; write an IANA name such as Europe/Berlin or UTC."
        raise ProcurementError("invalid", message, {"time_zone": [message]}) from error


def zone_names() -> list[str]:
    """Return the names of zones that people live in, sorted, UTC first."""
    regions = (
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
    )
    return ["UTC", *sorted(name for name in available_timezones() if name.split("/")[0] in regions)]


def instant_on(day: date, at: time, zone: ZoneInfo) -> datetime | None:
    """Return the instant in UTC of a wall time on a local day; None for a day that the zone skipped as a whole."""
    wall = datetime.combine(day, at)
    first_pass = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if first_pass.astimezone(zone).replace(tzinfo=None) == wall:
        return first_pass
    noon = datetime.combine(day, time(12))
    if noon.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) != noon:
        return None
    return _end_of_gap(wall, zone)


def _end_of_gap(wall: datetime, zone: ZoneInfo) -> datetime:
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    after = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    offset = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=int((after - before).total_seconds()) // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after


def slots_between(
    *, days: Collection[str], at: time, zone: ZoneInfo, after: datetime, until: datetime
) -> list[datetime]:
    """Return every slot later than ``after`` and not later than ``until``, in UTC, oldest first."""
    if after >= until:
        return []
    return [slot for slot in _slots(days, at, zone, after, until - after + ONE_DAY) if slot <= until]


def slots_next(*, days: Collection[str], at: time, zone: ZoneInfo, after: datetime, count: int) -> list[datetime]:
    """Return the next slots after an instant."""
    if not days:
        return []
    slots = _slots(days, at, zone, after, timedelta(days=7 * (count + 2)))
    return list(slots)[:count]


def _slots(days: Collection[str], at: time, zone: ZoneInfo, after: datetime, horizon: timedelta) -> Iterator[datetime]:
    day = after.astimezone(zone).date() - ONE_DAY
    last = (after + horizon).astimezone(zone).date()
    while day <= last:
        if DAYS[day.weekday()] in days:
            slot = instant_on(day, at, zone)
            if slot is not None and slot > after:
                yield slot
        day += ONE_DAY


def schedule_words(days: Collection[str], at: time, zone_name: str) -> str:
    """Return `Mondays and Fridays, 08:00 Europe/Berlin`."""
    chosen = [day for day in DAYS if day in days]
    if len(chosen) == len(DAYS):
        spoken = "Every day"
    elif chosen == list(DAYS[:5]):
        spoken = "Monday to Friday"
    else:
        names = [f"{DAY_NAMES[day]}s" for day in chosen]
        spoken = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
    return f"{spoken or 'Never'}, {at:%H:%M} {zone_name}"


@dataclass(frozen=True, slots=True)
class Period:
    """The ISO week of a slot in the recipient's zone: what is printed is what was computed."""

    year: int
    week: int
    first: date
    last: date
    zone_name: str

    @classmethod
    def of(cls, instant: datetime, zone_name: str) -> "Period":
        """Return the week in which an instant lies for somebody in the zone."""
        local = instant.astimezone(zone_of(zone_name)).date()
        year, week, weekday = local.isocalendar()
        first = local - timedelta(days=weekday - 1)
        return cls(year, week, first, first + timedelta(days=6), zone_name)

    @property
    def words(self) -> str:
        """`Week 49 · 30 Nov 2026 – 6 Dec 2026 (Europe/Berlin)`."""
        return f"Week {self.week} · {day_text(self.first)} – {day_text(self.last)} ({self.zone_name})"
