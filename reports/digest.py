"""What a mail says besides its table: what needs somebody, what changed since the last one, what is coming up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.urls import reverse

from procurement.models import Run
from procurement.selectors.builds import evidence_expiring
from procurement.selectors.decisions import decisions_awaiting_approval
from procurement.selectors.quotes import ExpiringQuote, quotes_expiring
from reports.errors import ReportUnavailable
from reports.overview import verdict_changes
from reports.places import option_parts
from reports.selectors import options_that_do_not_add_up
from reports.sentences import counted
from reports.templatetags.figures import day_text, money_short_text, money_text

SOON_DAYS, AHEAD_DAYS = 7, 30
LINES_SHOWN = 8
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a block: what, how much, by when, where."""

    what: str
    amount: str = ""
    by: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Digest:
    """The blocks of a mail around its table, and the news for the subject."""

    needs: Sequence[Line]
    changes: Sequence[Line]
    coming: Sequence[Line]
    news: Sequence[str]


NOTHING = Digest((), (), (), ())


def digest_of(run: Run, before: Run | None) -> Digest:
    """Return the blocks for a run; changes are counted from the run that the last mail spoke of."""
    decisions = list(decisions_awaiting_approval())
    used = _used_quotes(run)
    quotes = quotes_expiring(AHEAD_DAYS, as_of=run.as_of)
    mine = [entry for entry in quotes if entry.quote.code in used and entry.days_left >= 0]
    soon = [entry for entry in mine if entry.days_left <= SOON_DAYS]
    later = [entry for entry in mine if entry.days_left > SOON_DAYS]
    needs = [
        Line(
            f"Approve {decision.code}: {decision.workload_code}",
            money_short_text(decision.amount, decision.currency),
            day_text(decision.valid_until),
            reverse("reports:recommendation", args=[decision.run_id, decision.workload_code]),
        )
        for decision in decisions
    ]
    needs += [_quote_line(entry) for entry in soon]
    changes = [_change_line(change) for change in verdict_changes(run, before)] if before else []
    coming = [_quote_line(entry) for entry in later]
    coming += [
        Line(f"Confirm {entry.evidence.gate} of {entry.evidence.build.name}", by=day_text(entry.expires_on))
        for entry in evidence_expiring(AHEAD_DAYS, as_of=run.as_of)
        if entry.days_left >= 0
    ]
    return Digest(
        needs=_each_once(needs),
        changes=_each_once(changes),
        coming=_each_once(coming),
        news=_news(len(decisions), soon, len(changes), run.as_of),
    )


def _each_once(lines: Sequence[Line]) -> list[Line]:
    return list(dict.fromkeys(lines))[:LINES_SHOWN]


def refuse_wrong_sums(run: Run) -> None:
    """Refuse a run with an option whose parts or months are not its totals: better no mail than a wrong figure."""
    wrong = options_that_do_not_add_up(run).first()
    if wrong is not None:
        raise ReportUnavailable(f"The parts of `{wrong.option}` in run {run.pk} do not add up to its total.")


def _used_quotes(run: Run) -> set[str]:
    answers = run.run_answers.select_related("answer").only("answer__option", "answer__runner_up")
    options = [option for link in answers for option in (link.answer.option, link.answer.runner_up) if option]
    return {option_parts(option).quote for option in options} - {""}


def _quote_line(entry: ExpiringQuote) -> Line:
    quote = entry.quote
    return Line(f"Quote {quote.code} of {quote.provider.name} expires", by=day_text(entry.expires_on))


def _change_line(change: dict[str, Any]) -> Line:
    now, was = change["now"], change["was"]
    path = now["address"]
    if change["is_other_option"]:
        return Line(f"{now['workload']}: {was['place'] or 'no option'} → {now['place'] or 'no option'}", path=path)
    costs = f"{money_text(was['npv'], was['currency'])} → {money_text(now['npv'], now['currency'])}"
    return Line(f"{now['workload']}: present cost {costs}", path=path)


def _news(decisions: int, soon: Sequence[ExpiringQuote], changes: int, as_of: date) -> list[str]:
    news = [f"{decisions} {'needs' if decisions == 1 else 'need'} approval"] if decisions else []
    if soon:
        verb = "quote expires" if len(soon) == 1 else "quotes expire"
        news.append(f"{len(soon)} {verb} {_weekday(soon[0].expires_on, as_of)}")
    if changes:
        news.append(f"{counted(changes, 'recommendation')} changed")
    return news


def _weekday(day: date, as_of: date) -> str:
    return _WEEKDAYS[day.weekday()] if day - as_of < timedelta(days=7) else day_text(day)
