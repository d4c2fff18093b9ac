"""A portfolio in the words, spans and lines that its page shows."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any

from procurement.choices import label
from procurement.models import AllocationRow, Portfolio
from procurement.selectors.portfolios import Names, constraint_words
from providers.own_table import guarded

CSV_COLUMNS = ("workload", "place", "month", "begins_on", "accelerators", "share")
MONTH = timedelta(days=31)
NOWHERE = re.compile(
    r"(?P<words>.*; no place serves all of its months) \((?P<removed>\S+ \d+(, \S+ \d+)*)\)", re.DOTALL
)
KINDS = (("own", "Own builds"), ("committed", "Commitments"), ("rented", "Rented by the hour"), ("today", "As today"))


def spans_of(rows: Iterable[AllocationRow]) -> list[dict[str, Any]]:
    """Return the allocation with months that follow each other and are alike as one line."""
    spans: list[dict[str, Any]] = []
    ordered = sorted(rows, key=lambda row: (row.workload_code, row.place, row.month))
    for (workload, place), months in groupby(ordered, key=lambda row: (row.workload_code, row.place)):
        for row in months:
            last = spans[-1] if spans else None
            is_next = last is not None and (last["workload"], last["place"], last["last"] + 1) == (
                workload, place, row.month,
            )  # fmt: skip
            if is_next and last is not None and (last["accelerators"], last["share"]) == (row.accelerators, row.share):
                last |= {"last": row.month, "last_on": row.begins_on}
            else:
                spans.append(
                    {
                        "workload": workload, "place": place, "first": row.month, "last": row.month,
                        "first_on": row.begins_on, "last_on": row.begins_on, "accelerators": row.accelerators,
                        "share": row.share,
                    }
                )  # fmt: skip
    return sorted(spans, key=lambda span: (span["workload"], span["first"], span["place"]))


def chart_of(rows: Iterable[AllocationRow], names: Names, committed: set[str], today: date) -> dict[str, Any] | None:
    """Return accelerators in use by month and kind of place; None where nothing runs anywhere."""
    sums: dict[str, dict[date, Decimal]] = {key: defaultdict(Decimal) for key, _ in KINDS}
    for row in rows:
        sums[_kind(row.place, names, committed)][row.begins_on] += row.accelerators
    days = sorted({day for kind in sums.values() for day in kind})
    if not days:
        return None
    series = [
        {"name": words, "values": [*(float(sums[key][day]) for day in days), float(sums[key][days[-1]])]}
        for key, words in KINDS
        if any(sums[key].values())
    ]
    return {"days": [*days, days[-1] + MONTH], "unit": "accelerators", "today": today, "series": series}


def _kind(place: str, names: Names, committed: set[str]) -> str:
    if place in names.builds:
        return "own"
    if place in committed:
        return "committed"
    return "rented" if place in names.quotes else "today"


def conflict_shown(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return what cannot hold together, each with the reasons that removed its places, the commonest first."""
    return [_conflict(line) for line in lines]


def _conflict(line: str) -> dict[str, Any]:
    found = NOWHERE.fullmatch(line)
    if found is None:
        return {"words": line, "removed": []}
    removed = [one.rpartition(" ") for one in found["removed"].split(", ")]
    counted = sorted(((int(count), code) for code, _, count in removed), key=lambda one: (-one[0], one[1]))
    return {
        "words": f"{found['words']}.",
        "removed": [{"words": label(code.replace(":", ": ")), "count": count} for count, code in counted],
    }


def binding_shown(portfolio: Portfolio) -> list[dict[str, Any]]:
    """Return the constraints that bind, the dearest first, each with its sentence."""
    found = [
        {**one, "price": Decimal(str(one["price"])), "words": constraint_words(one, portfolio.run.currency)}
        for one in portfolio.answer.get("binding") or ()
    ]
    return sorted(found, key=lambda one: -abs(one["price"]))


def pins_shown(pins: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what is pinned in words, with its number."""
    return [
        {"number": number, **pin, "what": _what(pin), "when": _when(pin)} for number, pin in enumerate(pins, start=1)
    ]


def _what(pin: dict[str, Any]) -> str:
    share, count = pin.get("share"), pin.get("accelerators")
    if count is not None:
        return f"{Decimal(str(count)).normalize():f} accelerators" if Decimal(str(count)) else "nothing"
    if share is None:
        return "all of it"
    part = Decimal(str(share)) * 100
    return f"{part.normalize():f} % of it" if part else "nothing"


def _when(pin: dict[str, Any]) -> str:
    first, last = pin.get("first_month"), pin.get("last_month")
    if first is None and last is None:
        return "all months"
    if last is None:
        return f"from month {first} on"
    return f"month {last}" if first == last else f"months {first or 0} to {last}"


def allocation_csv(rows: Iterable[AllocationRow]) -> bytes:
    """Return the allocation as a file of values separated by commas, one line a month."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    for row in rows:
        share = "" if row.share is None else f"{row.share.normalize():f}"
        count = f"{row.accelerators.normalize():f}"
        writer.writerow(
            [guarded(row.workload_code), guarded(row.place), row.month, row.begins_on.isoformat(), count, share]
        )
    return text.getvalue().encode()
