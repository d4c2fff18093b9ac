"""The answer of a portfolio: who runs where, what is built and signed, which constraints bind or conflict."""

from collections import defaultdict
from typing import Any

import numpy as np

from procurement.engine.money import money_text, rate_text, rounded
from procurement.engine.periods import Numbers
from procurement.engine.portfolio_builds import begins_on, usable_on
from procurement.engine.portfolio_columns import Layout
from procurement.engine.portfolio_draft import LINK, NO_MONTH, Group, Problem
from procurement.engine.portfolio_pins import PINNED, pin_words
from procurement.engine.portfolio_rows import DEMAND, DOMAIN, NETWORK, POLICY, SUPPLY
from procurement.engine.portfolio_solver import Outcome

SMALLEST_SHARE = 1e-6
SMALLEST_PRICE = 5e-7  # of a constraint, half of the last place shown
UNITS = {
    DEMAND: "workload in all its months", SUPPLY: "accelerator", NETWORK: "accelerator", DOMAIN: "accelerator",
    POLICY: "unit of the limit", PINNED: "unit of the limit",
}  # fmt: skip


def solved_answer(layout: Layout, problem: Problem, outcome: Outcome, currency: str) -> dict[str, Any]:
    """Return a portfolio that was found, ready for JSON: money as text, dates in ISO form."""
    assert outcome.values is not None and outcome.objective is not None  # noqa: S101, PT018 - the caller has looked
    return {
        "state": outcome.state,
        "gap": outcome.gap,
        "allocation": allocation(layout, outcome.values),
        "built": _built(layout, outcome.values),
        "committed": _committed(layout, outcome.values),
        "binding": _binding(problem, outcome),
        "conflict": [],
        "npv": money_text(rounded(outcome.objective, currency)),
    }


def unsolved_answer(state: str, *, conflict: list[str] | None = None, reason: str | None = None) -> dict[str, Any]:
    """Return the answer where no portfolio was found, with why."""
    return {
        "state": state, "gap": None, "allocation": [], "built": [], "committed": [], "binding": [],
        "conflict": conflict or [], "npv": None, "npv_reason": reason or state,
    }  # fmt: skip


def allocation(layout: Layout, values: Numbers) -> list[dict[str, Any]]:
    """Return accelerators and share of the demand by workload, place and month of the workload."""
    usage, slices, grid = layout.usage, layout.world.slices, layout.world.grid
    used = np.flatnonzero(values[usage.column] > SMALLEST_SHARE) if usage.column.size else np.zeros(0, dtype=np.int64)
    hours = slices.accelerator_hours
    weights = np.zeros(used.size)
    inside = usage.month[used] < hours.shape[1]
    weights[inside] = hours[usage.slice[used[inside]], usage.month[used[inside]]] * usage.served[used[inside]]
    sums: dict[tuple[int, int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for entry, weight in zip(used, weights, strict=True):
        share = float(values[usage.column[entry]])
        found = sums[int(usage.workload[entry]), int(usage.month[entry]), int(usage.place[entry])]
        found[0] += share * float(usage.accelerators[entry])
        found[1] += share * float(weight)
    totals = np.zeros((len(slices.workloads), hours.shape[1]))
    np.add.at(totals, slices.owner, hours)
    rows = []
    for (owner, month, place), (accelerators, served) in sorted(sums.items()):
        if accelerators > SMALLEST_SHARE:
            whole = float(totals[owner, month]) if month < hours.shape[1] else 0.0
            rows.append(
                {
                    "workload": slices.workloads[owner].id,
                    "place": layout.places[place].name,
                    "month": month,
                    "begins_on": begins_on(grid, int(grid.offset[owner]) + month),
                    "accelerators": _count(accelerators),
                    "share": round(served / whole, 6) if whole > 0.0 else None,
                }
            )
    return rows


def _count(accelerators: float) -> int | float:
    whole = round(accelerators)
    return whole if abs(accelerators - whole) < 1e-4 else round(accelerators, 4)


def _built(layout: Layout, values: Numbers) -> list[dict[str, Any]]:
    return [
        {
            "build": layout.places[place].name,
            "tranche": supply.tranche.id,
            "accelerators": supply.tranche.planned_accelerators,
            "usable_on": usable_on(supply, layout.world.grid),
            "is_committed": column is None,
        }
        for place, supply, column in layout.tranches
        if column is None or values[column] > 0.5
    ]


def _committed(layout: Layout, values: Numbers) -> list[dict[str, Any]]:
    grid = layout.world.grid
    found = []
    for place, contracts, nodes, _ in layout.contracts:
        for index in np.flatnonzero(values[nodes] > 0.5):
            signed = round(float(values[nodes[index]]))
            found.append(
                {
                    "quote": layout.places[place].name,
                    "nodes": signed,
                    "accelerators": _count(signed * contracts.size),
                    "begins_on": begins_on(grid, int(contracts.begin[index])),
                    "month": int(contracts.begin[index]),
                    "terms": int(contracts.terms[index]),
                }
            )
    return found


def name_of(group: Group) -> str:
    """Return the name of a constraint: kind and what it is about."""
    return f"{group[0]}:{group[1]}"


def _binding(problem: Problem, outcome: Outcome) -> list[dict[str, Any]]:
    """Return every constraint that binds with what one unit more of it is worth, in sum and by month.

    The price of a limit is what one more unit of it would save; that of a demand what one more of it would cost.
    """
    if outcome.duals is None:
        return []
    sums: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for row in np.flatnonzero(np.abs(outcome.duals) > SMALLEST_PRICE):
        group = int(problem.row_group[row])
        kind = problem.groups[group][0]
        if kind != LINK:
            price = float(outcome.duals[row])
            sums[group][int(problem.row_month[row])] += price if kind == DEMAND else -price
    return [
        {
            "constraint": name_of(problem.groups[group]),
            "price": rate_text(sum(months.values())),
            "unit": UNITS[problem.groups[group][0]],
            "by_month": [
                {"month": month, "price": rate_text(price)}
                for month, price in sorted(months.items())
                if month != NO_MONTH
            ],
        }
        for group, months in sorted(sums.items())
    ]


def conflict_words(layout: Layout, group: Group) -> str:
    """Return one constraint of a conflict in words, with its numbers."""
    kind, name = group
    if kind == DEMAND:
        workload = next(one for one in layout.world.workloads if one.id == name)
        whole = "together in one place" if workload.shape == "one_job" else "in one place or several"
        return f"demand of {name}: {workload.accelerators} accelerators, {whole}"
    if kind == POLICY:
        return f"policy {name.partition(':')[0]}{_limit_words(layout, name)}"
    if kind == PINNED:
        number = name.partition(":")[0]
        return pin_words(number, layout.world.setting.scenario.policy.pins[int(number) - 1])
    what = {SUPPLY: "supply", NETWORK: "what the network joins", DOMAIN: "size of the fabric domain"}[kind]
    return f"{what} of {name}{_supply_words(layout, name)}"


def _limit_words(layout: Layout, name: str) -> str:
    policy = layout.world.setting.scenario.policy
    rule, _, supplier = name.partition(":")
    if supplier:
        return f": at most {policy.max_share_per_supplier:g} of the accelerator-hours with {supplier}"
    return f": at most {getattr(policy, rule):g} {layout.world.setting.assumptions.currency}"


def _supply_words(layout: Layout, name: str) -> str:
    for number, place in enumerate(layout.places):
        if place.name == name:
            most = [one.most * one.size for at, one, _, _ in layout.contracts if at == number]
            limit = min((*most, layout.limits[number]))
            tranches = [one for at, one, _ in layout.tranches if at == number]
            if tranches:
                limit = float(sum(one.tranche.planned_accelerators for one in tranches))
            return f": {limit:g} accelerators" if np.isfinite(limit) else ""
    return ""
