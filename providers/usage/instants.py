"""Instants and durations as files of measured use write them; a local time without its zone is never guessed."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from providers.errors import CellError

UNKNOWN = frozenset({"", "unknown", "none", "n/a", "null"})
INSTANT = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?", re.ASCII
)
EPOCH = re.compile(r"\d{9,11}", re.ASCII)
DURATION = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d{1,2}):(\d{2})(?:\.\d+)?", re.ASCII)
RAW_SECONDS = re.compile(r"\d+", re.ASCII)


def is_unknown(text: str) -> bool:
    """Return whether a cell says that there is no such instant or duration."""
    return text.strip().lower() in UNKNOWN


def read_instants(text: str, zone: ZoneInfo) -> tuple[datetime, ...]:
    """Return the instants that a cell may mean, in UTC: one, or two where clocks were set back.

    Parameters
    ----------
    text
        `2026-11-30T14:00:00`, with or without an offset or `Z`; `24:00` is the midnight after; or seconds since 1970.
    zone
        Zone of what states no offset.

    Raises
    ------
    CellError
        For what is no instant, and for local times that clocks jumped over in that zone.
    """
    written = text.strip()
    if EPOCH.fullmatch(written):
        return (datetime.fromtimestamp(int(written), UTC),)
    match = INSTANT.fullmatch(written)
    if match is None:
        raise CellError(
            written[:40], "not_an_instant", "write it as 2026-11-30T14:00:00, with an offset or the zone stated"
        )
    local = _local(match, written)
    if match[7]:
        return (local.replace(tzinfo=_offset(match[7])).astimezone(UTC),)
    early, late = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if early.astimezone(zone).replace(tzinfo=None) != local:
        hint = f"clocks in {zone.key} jumped over it; is the zone of the file another one?"
        raise CellError(written, "no_such_local_time", hint)
    return (early,) if early == late else tuple(sorted((early, late)))


def _local(match: re.Match[str], written: str) -> datetime:
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    is_midnight_after = (hour, minute, second) == (24, 0, 0)
    try:
        found = datetime(year, month, day, 0 if is_midnight_after else hour, minute, second)  # noqa: DTZ001
    except ValueError as error:
        raise CellError(written, "not_an_instant", "there is no such day or time") from error
    return found + timedelta(days=1) if is_midnight_after else found


def _offset(text: str) -> ZoneInfo:
    if text in ("Z", "UTC"):
        return UTC  # type: ignore[return-value]
    return datetime.strptime(text, "%z").tzinfo  # type: ignore[return-value]


def read_duration(text: str) -> int | None:
    """Return the seconds of a Slurm duration `[days-]hours:minutes:seconds` or `minutes:seconds`, None if unknown."""
    written = text.strip()
    if is_unknown(written):
        return None
    if RAW_SECONDS.fullmatch(written):
        return int(written)
    match = DURATION.fullmatch(written)
    if match is None or int(match[3]) > 59 or int(match[4]) > 59:
        raise CellError(written[:40], "not_a_duration", "write it as 1-02:03:04, which is days-hours:minutes:seconds")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def zone_of(name: str) -> ZoneInfo:
    """Return a zone by its IANA name."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise CellError(name[:40], "no_zone", "name an IANA time zone such as UTC or Europe/Berlin") from error
