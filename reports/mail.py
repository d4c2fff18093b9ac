"""The letter of a subscription: text and HTML made from one sheet, so that both say the same as the page."""

import hashlib
import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from procurement.models import Run
from reports.base import ADDRESS, Column, Filters, Row, Sheet
from reports.digest import NOTHING, Digest, digest_of, refuse_wrong_sums
from reports.message import Letter, inlined, one_line
from reports.models import ReportSubscription
from reports.registry import get_report, make_sheet
from reports.renderers.base import cell_text
from reports.renderers.json import sheet_document
from reports.schedule import Period, schedule_words
from reports.templatetags.badges import badge_of
from reports.templatetags.figures import day_text, known

WIDTH = 72
ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue of a report for one slot: what is said, made once for all recipients."""

    sheet: Sheet
    digest: Digest
    period: Period
    content_digest: str


def make_issue(subscription: ReportSubscription, run: Run, slot_at: datetime, before: Run | None) -> Issue:
    """Return the issue of a slot; refuses figures that do not add up."""
    refuse_wrong_sums(run)
    sheet = make_sheet(get_report(subscription.report), run, Filters.read(subscription.filters))
    digest = digest_of(run, before) if subscription.report == "recommendations" else NOTHING
    return Issue(sheet, digest, Period.of(slot_at, subscription.time_zone), content_digest(sheet, digest))


def content_digest(sheet: Sheet, digest: Digest) -> str:
    """Return a digest of what the reader would see, whichever run it comes from."""
    document = sheet_document(sheet)
    said = [
        [{key: value for key, value in row.items() if key != "days_left"} for row in document["rows"]],
        [[line.what, line.amount, line.by] for line in digest.needs],
    ]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def report_letter(subscription: ReportSubscription, issue: Issue, *, is_test: bool = False) -> Letter:
    """Return the whole report as a letter."""
    return _letter(subscription, issue, "report", is_test=is_test)


def unchanged_letter(subscription: ReportSubscription, issue: Issue) -> Letter:
    """Return the short letter that says that nothing changed."""
    return _letter(subscription, issue, "unchanged")


def subject_of(issue: Issue, *, is_test: bool = False, is_unchanged: bool = False) -> str:
    """Return the subject: the week and the news."""
    name = "Decisions" if issue.sheet.key == "recommendations" else issue.sheet.title
    news = "nothing changed" if is_unchanged else ", ".join(issue.digest.news) or issue.sheet.headline
    return one_line(f"{'Test: ' if is_test else ''}{name} wk {issue.period.week}: {news}")


def _letter(subscription: ReportSubscription, issue: Issue, template: str, *, is_test: bool = False) -> Letter:
    subject = subject_of(issue, is_test=is_test, is_unchanged=template == "unchanged")
    context = _context(subscription, issue) | {"subject": subject, "is_test": is_test}
    text = render_to_string(f"email/{template}.txt", context)
    html = inlined(render_to_string(f"email/{template}.html", context))
    return Letter(subject, _tidied(text), html)


def _context(subscription: ReportSubscription, issue: Issue) -> dict[str, Any]:
    sheet = issue.sheet
    columns = _columns(sheet)
    shown = sheet.rows[:ROWS_SHOWN]
    return {
        "subscription": subscription,
        "schedule": schedule_words(subscription.days, subscription.time, subscription.time_zone),
        "base": settings.PUBLIC_URL,
        "address": f"{settings.PUBLIC_URL}{_page(sheet)}",
        "manage_address": f"{settings.PUBLIC_URL}{reverse('reports:subscription', args=[subscription.pk])}"
        if subscription.pk
        else settings.PUBLIC_URL,
        "period": issue.period.words,
        "sheet": sheet,
        "as_of": day_text(sheet.as_of),
        "digest": issue.digest,
        "columns": columns,
        "rows": [_row(columns, row) for row in shown],
        "left_out": len(sheet.rows) - len(shown),
        "text_rows": [_text_row(columns, row) for row in shown],
        "text_blocks": _text_blocks(issue.digest),
    }


def _columns(sheet: Sheet) -> list[Column]:
    wanted = MAIL_COLUMNS.get(sheet.key)
    return [column for column in sheet.columns if wanted is None or column.key in wanted]


MAIL_COLUMNS: dict[str, tuple[str, ...]] = {
    "recommendations": (
        "workload", "verdict", "place", "npv", "current_npv", "cost_per_useful_accelerator_hour", "how_sure",
        "first_reason",
    ),
    "options": ("workload", "name", "npv", "nominal_cost", "cost_per_useful_accelerator_hour", "why_not"),
    "cash_flow": ("workload", "name", "month_on", "amount"),
    "energization": ("name", "availability_status", "planned_accelerators", "energized_accelerators",
                     "usable_accelerators", "p80_on"),
    "quotes_expiring": ("code", "provider", "accelerator", "price_per_accelerator_hour", "expires_on", "days_left"),
    "evidence_expiring": ("build", "gate", "grade", "observed_on", "expires_on", "days_left"),
}  # fmt: skip


def _page(sheet: Sheet) -> str:
    if sheet.key == "recommendations":
        return reverse("reports:run_recommendations", args=[sheet.run_id])
    return f"{reverse('reports:report', args=[sheet.key])}?run={sheet.run_id}"


def _row(columns: Sequence[Column], row: Row) -> dict[str, Any]:
    cells = [
        {
            "name": column.name,
            "unit": column.unit if known(row.get(column.key)) else "",
            "text": cell_text(column, row),
            "is_numeric": column.is_numeric,
            "tone": badge_of(str(row[column.key])).tone if column.kind == "status" and row.get(column.key) else "",
        }
        for column in _told(columns, row)
    ]
    address = row.get(ADDRESS, "")
    return {
        "title": cells[0]["text"],
        "address": f"{settings.PUBLIC_URL}{address}" if address else "",
        "cells": cells[1:],
        "status": next((cell for cell in cells if cell["tone"]), None),
    }


def _told(columns: Sequence[Column], row: Row) -> list[Column]:
    """Return the columns a row has something to say in: where nothing is feasible, figures are left out."""
    is_empty = row.get("verdict") == "none_feasible"
    return [column for column in columns if not is_empty or known(row.get(column.key))]


def _text_row(columns: Sequence[Column], row: Row) -> str:
    title = cell_text(columns[0], row)
    told = []
    for column in _told(columns, row)[1:]:
        unit = f" {column.unit}" if column.unit and column.is_numeric and known(row.get(column.key)) else ""
        told += _wrapped(f"{column.name}: {cell_text(column, row)}{unit}", "  ")
    return "\n".join([*_wrapped(title, ""), *told])


def _text_blocks(digest: Digest) -> list[dict[str, Any]]:
    named = (
        ("Needs you", digest.needs), ("Changed since the last mail", digest.changes), ("Coming up", digest.coming),
    )  # fmt: skip
    return [
        {
            "title": title,
            "lines": "\n".join(
                "\n".join(_wrapped(" · ".join(part for part in (line.what, line.amount, line.by) if part), "- ", "  "))
                for line in lines
            ),
        }
        for title, lines in named
        if lines
    ]


def _wrapped(text: str, first: str, then: str | None = None) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=first + "  " if then is None else then,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _tidied(text: str) -> str:
    """Return text without trailing blanks and with one empty line at most between blocks."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    kept = [line for index, line in enumerate(lines) if line or (index and lines[index - 1])]
    return "\n".join(kept) + "\n"
