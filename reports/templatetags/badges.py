"""The word, icon and tone of every status; a status without a line here fails a test."""

from collections.abc import Iterable
from typing import NamedTuple

GOOD, WARN, BAD, INFO, CLAIM, NEUTRAL = "good", "warn", "bad", "info", "claim", "neutral"


class Badge(NamedTuple):
    """How one status is shown: the word says it, icon and tone help."""

    word: str
    icon: str
    tone: str


BADGES: dict[str, Badge] = {
    # gates (method 5.4)
    "verified": Badge("Verified", "check", GOOD),
    "partial": Badge("Partial", "half", WARN),
    "lost": Badge("Lost", "cross", BAD),
    "disputed": Badge("Disputed", "alert", BAD),
    "stale": Badge("Stale", "clock", WARN),
    "claimed": Badge("Claimed", "megaphone", CLAIM),
    "overdue": Badge("Overdue", "alert", BAD),
    "planned": Badge("Planned", "calendar", INFO),
    "no_date": Badge("No date", "question", NEUTRAL),
    # energization (5.6)
    "energized": Badge("Energized", "bolt", GOOD),
    "partially_energized": Badge("Partially energized", "half", WARN),
    "de_energized": Badge("De-energized", "cross", BAD),
    "scheduled": Badge("Scheduled", "calendar", INFO),
    # availability (5.6)
    "available": Badge("Available", "check", GOOD),
    "cancelled": Badge("Cancelled", "cross", BAD),
    "suspended": Badge("Suspended", "pause", BAD),
    "unverified": Badge("Unverified", "clock", WARN),
    "not_open_to_buyer": Badge("Not open to buyer", "lock", WARN),
    "awaiting_power": Badge("Awaiting power", "bolt", WARN),
    "blocked": Badge("Blocked", "alert", WARN),
    "building": Badge("Building", "building", INFO),
    "announced": Badge("Announced", "megaphone", CLAIM),
    "unknown": Badge("Unknown", "question", NEUTRAL),
    # bookability (R14)
    "usable_assured": Badge("Assured", "check", GOOD),
    "usable_if_booked": Badge("If booked", "calendar", INFO),
    "best_effort": Badge("Best effort", "half", WARN),
    "not_bookable_yet": Badge("Not bookable yet", "clock", NEUTRAL),
    "not_usable": Badge("Not usable", "cross", BAD),
    # verdicts
    "on_prem": Badge("Own", "building", GOOD),
    "cloud": Badge("Rent", "layers", INFO),
    "hybrid": Badge("Own base, rent peak", "half", GOOD),
    "bridge_then_on_prem": Badge("Rent, then own", "arrow", INFO),
    "wait": Badge("Wait", "clock", WARN),
    "stay": Badge("Stay", "pause", NEUTRAL),
    "none_feasible": Badge("None feasible", "cross", BAD),
    # jobs, runs, sheets, messages
    "queued": Badge("Queued", "clock", NEUTRAL),
    "pending": Badge("Pending", "clock", NEUTRAL),
    "running": Badge("Running", "refresh", INFO),
    "succeeded": Badge("Done", "check", GOOD),
    "done": Badge("Done", "check", GOOD),
    "complete": Badge("Complete", "check", GOOD),
    "finished": Badge("Finished", "check", GOOD),
    "dead": Badge("Given up", "alert", BAD),
    "requested": Badge("Requested", "clock", NEUTRAL),
    "energization": Badge("Energization done", "refresh", INFO),
    "availability": Badge("Availability done", "refresh", INFO),
    "failed": Badge("Failed", "alert", BAD),
    "timed_out": Badge("Timed out", "clock", BAD),
    "superseded": Badge("Superseded", "history", NEUTRAL),
    "received": Badge("Received", "download", INFO),
    "matching": Badge("Match columns", "question", WARN),
    "checked": Badge("To be confirmed", "edit", WARN),
    "confirmed": Badge("Being imported", "refresh", INFO),
    "imported": Badge("Imported", "check", GOOD),
    "undone": Badge("Undone", "undo", NEUTRAL),
    "discarded": Badge("Discarded", "archive", NEUTRAL),
    "refused": Badge("Refused", "cross", BAD),
    "ready": Badge("Ready", "check", GOOD),
    "held": Badge("Held", "pause", WARN),
    "faulty": Badge("Faulty", "alert", BAD),
    "released": Badge("Released", "check", GOOD),
    "sent": Badge("Sent", "check", GOOD),
    "unsure": Badge("Unsure", "question", WARN),
    "uncertain": Badge("Uncertain", "question", BAD),
    "sending": Badge("Sending", "arrow", INFO),
    "retry": Badge("Tries again", "refresh", WARN),
    "due": Badge("Due", "clock", INFO),
    "unchanged": Badge("Nothing changed", "minus", NEUTRAL),
    "missed": Badge("Missed", "alert", BAD),
    "skipped": Badge("Skipped", "minus", NEUTRAL),
    # portfolios
    "optimal": Badge("Optimal", "check", GOOD),
    "time_limit": Badge("Stopped by the clock", "clock", WARN),
    "stopped": Badge("Stopped by a person", "pause", WARN),
    "infeasible": Badge("Infeasible", "cross", BAD),
    # decisions
    "draft": Badge("Draft", "edit", NEUTRAL),
    "proposed": Badge("Proposed", "clock", INFO),
    "submitted": Badge("Submitted", "clock", INFO),
    "prepared": Badge("Waits for approval", "clock", INFO),
    "approved": Badge("Approved", "check", GOOD),
    "rejected": Badge("Rejected", "cross", BAD),
    "withdrawn": Badge("Withdrawn", "undo", NEUTRAL),
    # requests for quotes and bids
    "published": Badge("Open for bids", "megaphone", INFO),
    "closed": Badge("Closed, to be opened", "lock", WARN),
    "opened": Badge("Opened", "check", INFO),
    "awarded": Badge("Awarded", "flag", GOOD),
    "not_awarded": Badge("Not awarded", "minus", NEUTRAL),
    "sealed": Badge("Sealed", "lock", INFO),
    "replaced": Badge("Replaced", "history", NEUTRAL),
    "late": Badge("Late, never opened", "clock", WARN),
    "broken": Badge("Seal broken", "alert", BAD),
    "invited": Badge("Invited", "person", INFO),
    # how sure
    "high": Badge("High", "shield", GOOD),
    "medium": Badge("Medium", "half", WARN),
    "low": Badge("Low", "alert", BAD),
    # validity and use
    "valid": Badge("Valid", "check", GOOD),
    "expiring": Badge("Expires soon", "clock", WARN),
    "expired": Badge("Expired", "cross", BAD),
    "current": Badge("Current", "check", GOOD),
    "in_force": Badge("In force", "check", GOOD),
    "used": Badge("Used, locked", "lock", NEUTRAL),
    "archived": Badge("Archived", "archive", NEUTRAL),
    "active": Badge("Active", "check", GOOD),
    "revoked": Badge("Revoked", "cross", NEUTRAL),
    "incomplete": Badge("Incomplete", "question", WARN),
    "committed": Badge("Committed", "lock", INFO),
    "paid": Badge("Paid", "check", GOOD),
    "default": Badge("Default", "info", NEUTRAL),
    # measured use and what it offers
    "left_out": Badge("Left out", "minus", NEUTRAL),
    "open": Badge("Open", "clock", INFO),
    "accepted": Badge("Accepted", "check", GOOD),
    "declined": Badge("Declined", "cross", NEUTRAL),
    # a forecast, and what became of it
    "fits": Badge("Fits", "check", GOOD),
    "later": Badge("Later than said", "alert", BAD),
    "earlier": Badge("Earlier than said", "info", INFO),
    "no_outcome": Badge("No outcome yet", "clock", NEUTRAL),
    "ok": Badge("Forecast", "calendar", INFO),
    "no_forecast": Badge("No forecast", "question", WARN),
}


def badge_of(code: str) -> Badge:
    """Return how a status is shown; an unlisted one is shown in plain words, never hidden."""
    return BADGES.get(code) or Badge(code.replace("_", " ").capitalize(), "circle", NEUTRAL)


def codes_without_badge(codes: Iterable[str]) -> set[str]:
    """Return the statuses that have no line in the table."""
    return set(codes) - set(BADGES)
