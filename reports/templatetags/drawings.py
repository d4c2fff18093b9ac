"""Drawings as inline SVG: where each point lies is worked out here, the templates only print it.

Sizes are in CSS pixels and drawings are never scaled, so that text keeps its size; a narrow screen scrolls the box.
"""

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import template

from reports.templatetags.badges import badge_of
from reports.templatetags.figures import day_text, month_text, number_text

register = template.Library()

CHART_WIDTH, CHART_HEIGHT = 1040, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 36, 16, 32
ROW_HEIGHT, NAME_WIDTH, TIMELINE_WIDTH = 34, 168, 1040
LABELS_AT_MOST = 10


def nice_steps(greatest: float, wanted: int = 4) -> list[float]:
    """Return round values from 0 that reach ``greatest``: 0, 250, 500, 750, 1,000."""
    if greatest <= 0:
        return [0.0, 1.0]
    rough = greatest / wanted
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= rough * 0.999)
    return [step * index for index in range(math.ceil(greatest / step * 0.999) + 1)]


def month_starts(first: datetime.date, last: datetime.date, at_most: int = LABELS_AT_MOST) -> list[datetime.date]:
    """Return first days of months from ``first`` to ``last``, thinned evenly so that labels do not touch."""
    begin = first.year * 12 + first.month - 1 + (first.day > 1)
    months = range(begin, last.year * 12 + last.month)
    stride = next(step for step in (1, 2, 3, 6, 12, 24, 60, 120) if len(months) / step <= at_most)
    return [datetime.date(month // 12, month % 12 + 1, 1) for month in months if month % stride == 0]


@register.inclusion_tag("components/step_chart.html")
def step_chart(chart: Mapping[str, Any], *, title: str, caption: str = "", has_table: bool = True) -> dict[str, Any]:
    """Draw quantities that change by steps.

    ``chart`` holds days, unit, today and series: ``{name, values}`` with one value per day, held until the next; the
    first one is filled unless it breaks off. None breaks a line off: nothing held.
    Leave the table out only where another one on the page holds every figure.
    """
    days: Sequence[datetime.date] = chart["days"]
    series: Sequence[Mapping[str, Any]] = chart["series"]
    today: datetime.date = chart["today"]
    plot_width, plot_height = CHART_WIDTH - LEFT - RIGHT, CHART_HEIGHT - TOP - BOTTOM
    ticks = nice_steps(max((value for line in series for value in line["values"] if value is not None), default=0))
    first, last = days[0], days[-1]
    span = max((last - first).days, 1)

    def across(day: datetime.date) -> float:
        return round(LEFT + (day - first).days / span * plot_width, 1)

    def up(value: float) -> float:
        return round(TOP + plot_height - value / ticks[-1] * plot_height, 1)

    def steps(values: Sequence[float | None]) -> str:
        points, before = [], None
        for index, value in enumerate(values):
            if value is not None:
                points.append(f"M{across(days[index])} {up(value)}" if before is None else f"V{up(value)}")
                points.append(f"H{across(days[index + 1])}" if index + 1 < len(days) else "")
            before = value
        return "".join(points)

    lines = [
        {"name": line["name"], "number": number, "path": steps(line["values"])}
        for number, line in enumerate(series, start=1)
    ]
    return {
        "title": title, "unit": chart["unit"], "caption": caption, "has_table": has_table, "lines": lines,
        "width": CHART_WIDTH, "height": CHART_HEIGHT,
        "area": f"{lines[0]['path']}V{up(0)}H{LEFT}Z" if lines and None not in series[0]["values"] else "",
        "left": LEFT, "right": CHART_WIDTH - RIGHT,
        "bottom": CHART_HEIGHT - BOTTOM, "top": TOP, "label_y": CHART_HEIGHT - 10, "tick_x": LEFT - 8,
        "ticks": [{"y": up(tick), "text_y": up(tick) + 4, "text": number_text(tick)} for tick in ticks],
        "labels": _day_labels(first, last, across),
        "today_x": across(today) if first <= today <= last else None,
        "columns": ["Month", *(line["name"] for line in series)],
        "rows": [
            {"day": day, "values": [line["values"][index] for line in series]} for index, day in enumerate(days)
        ],
    }  # fmt: skip


def _day_labels(
    first: datetime.date, last: datetime.date, across: Callable[[datetime.date], float]
) -> list[dict[str, Any]]:
    """Return labels of first days of months; a span without any names its ends."""
    starts = month_starts(first, last)
    if starts:
        return [{"x": across(day), "text": month_text(day)} for day in starts]
    return [{"x": across(day), "text": day_text(day)} for day in dict.fromkeys((first, last))]


@register.inclusion_tag("components/timeline.html")
def timeline(
    rows: Sequence[Mapping[str, Any]], *, today: datetime.date, title: str, caption: str = ""
) -> dict[str, Any]:
    """Draw milestones over time, one row each.

    A row is ``{name, status, marks: [{on, kind, words}], first, last}``; ``kind`` is proven, lost, promised, claimed,
    forecast or overdue; ``first`` to ``last`` is the likely span of the forecast.
    """
    dates = [mark["on"] for row in rows for mark in row["marks"]]
    dates += [row[key] for row in rows for key in ("first", "last") if row.get(key)]
    begin, end = min([*dates, today]), max([*dates, today])
    margin = datetime.timedelta(days=max((end - begin).days // 25, 15))
    begin, end = begin - margin, end + margin
    plot_width = TIMELINE_WIDTH - NAME_WIDTH - RIGHT

    def across(day: datetime.date) -> float:
        return round(NAME_WIDTH + (day - begin).days / (end - begin).days * plot_width, 1)

    drawn = [
        {
            "name": row["name"],
            "status": badge_of(row["status"]).word if row.get("status") else "",
            "y": TOP + ROW_HEIGHT * index + ROW_HEIGHT // 2,
            "marks": [
                {"x": across(mark["on"]), "kind": mark["kind"], "words": f"{mark['words']}, {day_text(mark['on'])}"}
                for mark in row["marks"]
            ],
            "from_x": across(row["first"]) if row.get("first") and row.get("last") else None,
            "to_x": across(row["last"]) if row.get("first") and row.get("last") else None,
        }
        for index, row in enumerate(rows)
    ]
    height = TOP + ROW_HEIGHT * len(rows) + BOTTOM
    return {
        "title": title, "caption": caption, "width": TIMELINE_WIDTH, "height": height, "rows": drawn,
        "left": NAME_WIDTH, "right": TIMELINE_WIDTH - RIGHT, "top": TOP, "bottom": height - BOTTOM,
        "label_y": height - 10, "today_x": across(today), "today": today,
        "labels": [{"x": across(day), "text": month_text(day)} for day in month_starts(begin, end, 8)],
        "table": [
            {"name": row["name"], "status": row.get("status"), "on": mark["on"], "words": mark["words"]}
            for row in rows
            for mark in row["marks"]
        ],
    }  # fmt: skip


@register.inclusion_tag("components/meter.html")
def meter(part: float | None, whole: float | None, status: str = "") -> dict[str, Any]:
    """Draw how much of a whole is reached, in the tone of a status; the figures stand beside it in words."""
    share = 0.0 if not part or not whole else min(max(part / whole, 0), 1)
    return {"width": round(share * 100, 1), "tone": badge_of(status).tone if status else ""}
