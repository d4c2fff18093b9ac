"""The first page: what needs somebody, what is recommended, what changed, what comes next; search and help."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from procurement.permissions import can
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.builds import builds_status, evidence_expiring
from procurement.selectors.decisions import decisions_awaiting_approval, decisions_drifted
from procurement.selectors.history import history_recent
from procurement.selectors.jobs import jobs_alarming, jobs_open
from procurement.selectors.lists import rows_held_count, search_records
from procurement.selectors.quotes import prices_newest_on, quotes_expiring, quotes_in_force
from procurement.selectors.runs import recommendation_table, run_latest_asked, run_latest_finished
from procurement.selectors.workloads import workloads_active
from procurement.views.base import Page
from procurement.views.history import entry_shown

SOON_DAYS = 14
ASKS_A_KIND = 4


class OverviewView(Page):
    """Home."""

    template = "procurement/overview.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show it, or the first steps while there is nothing yet."""
        today = day_of_evaluation()
        run, asked = run_latest_finished(), run_latest_asked()
        statuses = builds_status(today)
        context = {
            "today": today, "run": run, "asked": asked, "lines": recommendation_table(run) if run else [],
            "asks": needs_you(request.user), "steps": first_steps(), "jobs_open": jobs_open().count(),
            "changes": [entry_shown(entry) for entry in history_recent(8)], "quote_count": quotes_in_force().count(),
            "prices_on": prices_newest_on(), "build_count": len(statuses), "dates": next_dates(),
            "usable": sum(status.readiness["usable_accelerators"] or 0 for status in statuses.values()),
        }  # fmt: skip
        return self.show(context)


class SearchView(Page):
    """Records that hold the words."""

    template = "procurement/search.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show what was found."""
        words = self.asked("q")[:200]
        return self.show({"words": words, "found": search_records(words)})


class HelpView(Page):
    """How the service is meant to be used, and its keys."""

    template = "procurement/help.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show it."""
        return self.show({})


def needs_you(user: Any) -> list[dict[str, Any]]:
    """Return what waits for somebody with this person's rights, the most urgent first."""
    asks: list[dict[str, Any]] = []
    if can(user, "job.retry"):
        asks += [_job(job) for job in jobs_alarming()[:ASKS_A_KIND]]
    if can(user, "decision.approve"):
        waiting = decisions_awaiting_approval().exclude(prepared_by=user)[:ASKS_A_KIND]
        asks += [_decision(decision, "waits for approval", "Review") for decision in waiting]
    asks += [
        _decision(decision, "is no longer what today's inputs recommend", "Look again")
        for decision in decisions_drifted()[:ASKS_A_KIND]
    ]
    if can(user, "quote.edit"):
        held = rows_held_count()
        if held:
            words = f"{held:,} imported {'row is' if held == 1 else 'rows are'} held"
            asks.append(_ask(words, "Each says what would release it.", "procurement:price_sheets", "Look"))
        asks += _quotes_ending()
    if can(user, "evidence.add"):
        asks += [_evidence(row) for row in evidence_expiring(SOON_DAYS)][:ASKS_A_KIND]
    return asks


def first_steps() -> list[dict[str, Any]]:
    """Return the first steps with whether each is done; empty once all are."""
    steps = [
        ("Put assumptions in force", "Discount rate, horizon, rates.", "assumptions", assumption_set_in_force()),
        ("Add a workload", "What must run, how much and by when.", "workload_new", workloads_active().exists()),
        ("Import prices", "A price file or single quotes.", "price_sheet_new", quotes_in_force().exists()),
    ]  # fmt: skip
    if all(done for *_, done in steps):
        return []
    return [
        {"title": title, "note": note, "address": reverse(f"procurement:{page}"), "is_done": bool(done)}
        for title, note, page, done in steps
    ]


def next_dates() -> list[dict[str, Any]]:
    """Return what ends soon, soonest first."""
    dates: list[dict[str, Any]] = [
        {
            "on": row.expires_on,
            "words": f"{row.quote.provider}: {row.quote.code} can no longer be signed",
            "address": reverse("procurement:quote", args=[row.quote.pk]),
        }
        for row in quotes_expiring(60)
        if row.days_left >= 0 and row.is_stated
    ]
    dates += [
        {"on": row.evidence.valid_until or row.expires_on,
         "words": f"{row.evidence.build}: {gate_words(row.evidence)} evidence grows too old",
         "address": reverse("procurement:build_evidence", args=[row.evidence.build.code])}
        for row in evidence_expiring(60)
        if row.days_left >= 0
    ]  # fmt: skip
    return sorted(dates, key=lambda row: row["on"])[:8]


def gate_words(evidence: Any) -> str:
    """Return the gate and the part of the build that a statement is about."""
    part = "" if evidence.tranche in ("T1", "*") else f" {evidence.tranche}"
    return f"{evidence.get_gate_display().lower()}{part}"


def _ask(title: str, note: str, page: str, action: str, *args: Any) -> dict[str, Any]:
    return {"title": title, "note": note, "address": reverse(page, args=args), "action": action}


def _job(job: Any) -> dict[str, Any]:
    return _ask(
        f"{job.kind.replace('_', ' ').capitalize()} failed", job.last_error[:160], "procurement:job", "See why", job.pk
    )


def _decision(decision: Any, words: str, action: str) -> dict[str, Any]:
    note = f"{decision.workload_code}: {decision.option}"
    return _ask(f"{decision.code} {words}", note, "procurement:decision", action, decision.pk)


def _quotes_ending() -> list[dict[str, Any]]:
    rows = quotes_expiring(SOON_DAYS)
    asks = [_quote(row) for row in rows if row.is_stated and row.days_left >= 0][:ASKS_A_KIND]
    aged = [row for row in rows if not row.is_stated]
    if aged:
        words = f"{len(aged):,} {'price is' if len(aged) == 1 else 'prices are'} too old to count, or soon will be"
        asks.append(_ask(words, "By the age limit of how they are bought.", "procurement:expiries", "Look"))
    return asks


def _quote(row: Any) -> dict[str, Any]:
    quote = row.quote
    left = "today" if row.days_left == 0 else f"in {row.days_left} days" if row.days_left > 1 else "tomorrow"
    note = f"{quote.provider}, {quote.accelerator}"
    return _ask(f"Quote {quote.code} ends {left}", note, "procurement:quote", "Open", quote.pk)


def _evidence(row: Any) -> dict[str, Any]:
    evidence = row.evidence
    state = "is too old to count" if row.days_left < 0 else f"counts for {row.days_left} more days"
    title = f"{evidence.build}: {gate_words(evidence)} evidence {state}"
    note = f"Grade {evidence.grade}, seen {evidence.observed_on:%Y-%m-%d}"
    return _ask(title, note, "procurement:evidence_confirm", "Still true?", evidence.build.code, evidence.pk)
