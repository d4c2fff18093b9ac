"""Charts of a recommendation as points for inline SVG; every figure stands in the table beside the drawing.

Sizes are in CSS pixels, drawn at their slot's width and never scaled, so that text keeps its size.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from reports.option_view import OptionView
from reports.recommendation import RecommendationPage
from reports.templatetags.drawings import month_starts, nice_steps
from reports.templatetags.figures import money_short_text, month_text

WIDTH, HEIGHT = 1040, 300
LEFT, RIGHT, TOP, BOTTOM = 88, 24, 16, 32


def cash_chart(page: RecommendationPage) -> dict[str, Any] | None:
    """Return cash paid up to each month of the options compared, as lines that step month by month."""
    options = page.compared
    if not options:
        return None
    paid = [_running(option) for option in options]
    count = max(len(values) for values in paid)
    ticks = nice_steps(float(max(max(values) for values in paid)))
    plot_width, plot_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    low = float(min(0, *(min(values) for values in paid)))

    def across(month: int) -> float:
        return round(LEFT + month / max(count, 1) * plot_width, 1)

    def up(value: float | Decimal) -> float:
        return round(TOP + plot_height - (float(value) - low) / (ticks[-1] - low) * plot_height, 1)

    def steps(values: Sequence[Decimal]) -> str:
        points = [f"M{across(0)} {up(0)}"]
        points += [f"V{up(value)}H{across(month + 1)}" for month, value in enumerate(values)]
        return "".join(points)

    first, last = page.month_on(0), page.month_on(count)
    months = {page.month_on(month).replace(day=1): month for month in range(count + 1)}
    return {
        "title": f"Cash paid month by month, added up, in {page.currency}",
        "width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT, "bottom": up(0), "tick_x": LEFT - 8,
        "label_y": HEIGHT - 10,
        "lines": [
            {"number": number, "name": option.name, "path": steps(values)}
            for number, (option, values) in enumerate(zip(options, paid, strict=True), start=1)
        ],
        "ticks": [
            {"y": up(tick), "text_y": up(tick) + 4, "text": money_short_text(tick, page.currency)} for tick in ticks
        ],
        "labels": [
            {"x": across(months[day]), "text": month_text(day)} for day in month_starts(first, last, 9) if day in months
        ],
        "rows": [
            {
                "month": month,
                "on": page.month_on(month),
                "cells": [
                    {"amount": option.months[month][1], "paid": values[month]} if month < len(values) else None
                    for option, values in zip(options, paid, strict=True)
                ],
            }
            for month in range(count)
        ],
        "options": options,
    }  # fmt: skip


def _running(option: OptionView) -> list[Decimal]:
    paid, values = Decimal(0), []
    for _, amount in option.months:
        paid += amount
        values.append(paid)
    return values


def split_chart(page: RecommendationPage) -> dict[str, Any] | None:
    """Return how the work divides between places, as one bar with a part a place."""
    if not page.split:
        return None
    whole = sum((share for _, share in page.split), Decimal(0)) or Decimal(1)
    parts, at = [], Decimal(0)
    for number, (name, share) in enumerate(page.split, start=1):
        width = round(share / whole * 100, 2)
        parts.append({"number": number, "name": name, "share": share / whole, "x": at, "width": width})
        at += width
    return {"title": "Where the work runs", "parts": parts}
