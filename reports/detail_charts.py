"""The tornado and the load-duration curve as points for inline SVG; the tables beside them hold every figure."""

from decimal import Decimal
from typing import Any

from reports.detail_view import LoadCurve, Tornado
from reports.templatetags.drawings import nice_steps
from reports.templatetags.figures import money_short_text, number_text, percent_text

WIDTH = 1040
NAMES, RIGHT, TOP, FOOT = 360, 40, 16, 32
ROW, BAR = 30, 16
LONGEST_NAME = 52  # characters that fit beside the bars; the table has the whole name
CURVE_HEIGHT, CURVE_LEFT = 300, 64
MOST_ROWS = 12  # of a drawn tornado; the table holds all


def tornado_chart(tornado: Tornado | None, currency: str) -> dict[str, Any] | None:
    """Return one bar an input, from its P10 to its P90, around the line of likely values."""
    if tornado is None or tornado.base is None:
        return None
    rows = [row for row in tornado.rows if _ends(row, tornado)][:MOST_ROWS]
    values = [end for row in rows for end in _ends(row, tornado) or ()]
    if not values:
        return None
    low, high = min(*values, tornado.base), max(*values, tornado.base)
    if tornado.is_difference:
        low, high = min(low, Decimal(0)), max(high, Decimal(0))
    span = float(high - low) or 1.0
    plot = WIDTH - NAMES - RIGHT

    def across(value: Decimal) -> float:
        return round(NAMES + float(value - low) / span * plot, 1)

    bars = []
    for number, row in enumerate(rows):
        ends = sorted(_ends(row, tornado) or ())
        begin, end = across(ends[0]), across(ends[1])
        y = TOP + ROW * number
        name = row.name if len(row.name) <= LONGEST_NAME else f"{row.name[: LONGEST_NAME - 1]}…"
        bars.append({
            "name": name, "y": y + (ROW - BAR) // 2, "text_y": y + ROW // 2 + 4, "x": begin,
            "width": max(round(end - begin, 1), 1), "is_turning": row.is_turning,
        })  # fmt: skip
    height = TOP + ROW * len(rows) + FOOT
    step = nice_steps(span, 4)[1]
    first = int(float(low) // step)
    marks = [Decimal(str(step * index)) for index in range(first, first + 8) if low <= step * index <= high]
    return {
        "title": f"What each input alone does to {'the difference' if tornado.is_difference else 'the cost'}",
        "width": WIDTH, "height": height, "names_x": NAMES - 12, "bar": BAR, "top": TOP, "bottom": height - FOOT,
        "label_y": height - 10, "bars": bars, "base_x": across(tornado.base),
        "zero_x": across(Decimal(0)) if tornado.is_difference else None,
        "ticks": [{"x": across(mark), "text": money_short_text(mark, currency)} for mark in marks],
        "left_out": len(tornado.rows) - len(rows),
    }  # fmt: skip


def _ends(row: Any, tornado: Tornado) -> tuple[Decimal, Decimal] | None:
    low, high = (row.gap_low, row.gap_high) if tornado.is_difference else (row.cost_low, row.cost_high)
    return None if low is None or high is None else (low, high)


def load_chart(curve: LoadCurve | None) -> dict[str, Any] | None:
    """Return the share of hours each slice works, owned and rented slices told apart."""
    if curve is None or not curve.slices:
        return None
    plot_width, plot_height = WIDTH - CURVE_LEFT - RIGHT, CURVE_HEIGHT - TOP - FOOT
    bottom = TOP + plot_height

    def across(accelerators: Decimal | float) -> float:
        return round(CURVE_LEFT + float(accelerators) / float(curve.accelerators) * plot_width, 1)

    def up(share: Decimal | float) -> float:
        return round(bottom - float(share) * plot_height, 1)

    bars = [
        {
            "x": across(part.first), "y": up(part.share), "width": round(across(part.last) - across(part.first), 1),
            "height": round(bottom - up(part.share), 1), "is_owned": part.is_owned,
        }
        for part in curve.slices
    ]  # fmt: skip
    share = curve.critical_share
    marks = nice_steps(float(curve.accelerators), 6)
    return {
        "title": "Share of the hours in which so many accelerators work",
        "width": WIDTH, "height": CURVE_HEIGHT, "left": CURVE_LEFT, "right": WIDTH - RIGHT, "top": TOP,
        "bottom": bottom, "tick_x": CURVE_LEFT - 8, "label_y": CURVE_HEIGHT - 10, "bars": bars,
        "owned_x": across(curve.owned),
        "critical_y": up(share) if share is not None and 0 <= share <= 1 else None,
        "critical_text_y": up(share) - 6 if share is not None and 0 <= share <= 1 else None,
        "critical_text": "" if share is None else f"worth owning above {percent_text(share, 1)}",
        "ticks": [{"y": up(mark / 4), "text_y": up(mark / 4) + 4, "text": f"{mark * 25}%"} for mark in range(5)],
        "labels": [{"x": across(mark), "text": number_text(mark)} for mark in marks if mark <= curve.accelerators],
    }  # fmt: skip
