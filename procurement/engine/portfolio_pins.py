"""What a person has pinned: rows of the programme, and the words for a pin that cannot be kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from procurement.engine.periods import Numbers
from procurement.engine.portfolio_columns import Layout
from procurement.engine.portfolio_demand import Indices
from procurement.engine.portfolio_draft import NO_MONTH, Draft, Group
from procurement.engine.tables import Pin

PINNED = "pinned"
ENOUGH = 1e-9  # of a share


@dataclass(frozen=True, slots=True, eq=False)
class Pinned:
    """One pin with what it is about in a programme."""

    pin: Pin
    group: Group
    slices: Indices  # of its workload
    months: Indices  # of its workload, those that the pin names and in which something is asked for
    entries: Indices  # of the usage: that workload at that place in those months

    @property
    def words(self) -> str:
        """The pin in words, with its number and its reason."""
        return pin_words(self.group[1].partition(":")[0], self.pin)


def pinned_of(layout: Layout, pins: Sequence[Pin]) -> list[Pinned]:
    """Return the pins of a policy with the columns that they bind, in their order."""
    usage, slices = layout.usage, layout.world.slices
    owner_of = {workload.id: index for index, workload in enumerate(slices.workloads)}
    names = np.array([place.name for place in layout.places], dtype=object)[usage.place]
    found = []
    for number, pin in enumerate(pins, start=1):
        owner = owner_of[pin.workload]
        rows = slices.rows_of(owner)
        first, last = pin.first_month or 0, np.inf if pin.last_month is None else pin.last_month
        asked = np.flatnonzero(slices.is_asked[rows].any(axis=0))
        months = asked[(asked >= first) & (asked <= last)]
        mine = (usage.workload == owner) & (names == pin.place) & (usage.month >= first) & (usage.month <= last)
        group = (PINNED, f"{number}:{pin.workload}@{pin.place}")
        found.append(Pinned(pin, group, rows, months.astype(np.int64), np.flatnonzero(mine).astype(np.int64)))
    return found


def pin_rows(draft: Draft, layout: Layout, pinned: Sequence[Pinned]) -> None:
    """Lay what is pinned: exactly so many or such a share in each month, or all of it."""
    usage = layout.usage
    for one in pinned:
        if one.pin.accelerators is not None:
            _by_month(draft, layout, one, usage.accelerators[one.entries], one.pin.accelerators)
        elif one.pin.share is not None:
            _by_month(draft, layout, one, _parts_of_months(layout, one), one.pin.share)
        else:
            asked = layout.world.slices.is_asked[np.ix_(one.slices, one.months)]
            served = one.entries[(usage.served[one.entries] > 0.0) & np.isin(usage.month[one.entries], one.months)]
            row = draft.row(float(asked.sum()), np.inf, one.group, NO_MONTH)
            draft.put(row, usage.column[served], 1.0)


def _by_month(draft: Draft, layout: Layout, one: Pinned, weights: Numbers, amount: float) -> None:
    """Hold what a workload has at a place to an amount in each month that is pinned."""
    usage = layout.usage
    rows = draft.rows(amount, amount, one.group, one.months)
    at = np.searchsorted(one.months, usage.month[one.entries])
    inside = np.flatnonzero(np.isin(usage.month[one.entries], one.months) & (weights > 0.0))
    draft.put(rows[at[inside]], usage.column[one.entries[inside]], weights[inside])


def _parts_of_months(layout: Layout, one: Pinned) -> Numbers:
    """Return which share of its month's demand each entry serves when it is taken whole."""
    usage, hours = layout.usage, layout.world.slices.accelerator_hours
    month = np.minimum(usage.month[one.entries], hours.shape[1] - 1)
    total = hours[one.slices].sum(axis=0)[month]
    mine = hours[usage.slice[one.entries], month] * usage.served[one.entries]
    return np.where(total > 0.0, mine / np.maximum(total, ENOUGH), 0.0)


def impossible_pins(layout: Layout, pinned: Sequence[Pinned], reasons: Callable[[Pin], str]) -> list[str]:
    """Return in words every pin that no portfolio could keep by itself, and why.

    Parameters
    ----------
    layout
        The columns of the programme.
    pinned
        The pins with their columns.
    reasons
        What speaks against the place of a pin, in codes.
    """
    found = []
    for one in pinned:
        if not one.months.size:
            found.append(f"{one.words}; {one.pin.workload} asks for nothing in these months")
        elif _lacking(layout, one):
            why = reasons(one.pin)
            found.append(f"{one.words}; {one.pin.place} cannot serve it then{f' ({why})' if why else ''}")
    return found


def _lacking(layout: Layout, one: Pinned) -> bool:
    """Return whether a pin wants something in a month in which the workload has no column at the place."""
    if one.pin.accelerators == 0 or one.pin.share == 0:
        return False
    usage = layout.usage
    there = np.unique(usage.month[one.entries[usage.served[one.entries] > 0.0]])
    return bool(np.setdiff1d(one.months, there).size)


def pin_words(number: str, pin: Pin) -> str:
    """Return a pin in words: who, where, how much, when, why."""
    if pin.accelerators == 0 or pin.share == 0:
        much = f"nothing of {pin.workload}"
    elif pin.accelerators is not None:
        much = f"{pin.accelerators:g} accelerators for {pin.workload}"
    elif pin.share is not None:
        much = f"{pin.share:.6g} of {pin.workload}"
    else:
        much = f"all of {pin.workload}"
    return f"pin {number}: {much} at {pin.place}{_months_words(pin)}{f' ({pin.reason})' if pin.reason else ''}"


def _months_words(pin: Pin) -> str:
    if pin.first_month is None and pin.last_month is None:
        return ""
    if pin.last_month is None:
        return f" from month {pin.first_month} on"
    if pin.first_month == pin.last_month:
        return f" in month {pin.first_month}"
    return f" in months {pin.first_month or 0} to {pin.last_month}"
