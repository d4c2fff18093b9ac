"""The rows of a portfolio: demand, supply, fabric domains, terms and policy."""

from dataclasses import dataclass

import numpy as np

from procurement.engine.periods import MONTHS_PER_YEAR, Numbers
from procurement.engine.portfolio_columns import Layout
from procurement.engine.portfolio_demand import Indices
from procurement.engine.portfolio_draft import Draft, Group
from procurement.engine.portfolio_places import BUILD, COMMITTED, METERED
from procurement.engine.tables import Policy

DEMAND, SUPPLY, NETWORK, DOMAIN, POLICY = "demand", "supply", "network", "domain", "policy"
PART = 1e-6  # of a month


def demand_rows(draft: Draft, layout: Layout) -> None:
    """Give every slice its hours in every month; a gang is asked once, since it stays whole."""
    slices, usage = layout.world.slices, layout.usage
    asked = slices.is_asked.copy()
    gangs = np.flatnonzero(slices.is_gang[slices.owner])
    first = np.argmax(asked[gangs], axis=1)
    kept = np.zeros_like(asked[gangs])
    kept[np.arange(gangs.size), first] = asked[gangs, first]
    asked[gangs] = kept
    row, month = np.nonzero(asked)
    names: list[Group] = [(DEMAND, slices.workloads[owner].id) for owner in slices.owner[row]]
    number = np.full(asked.shape, -1, dtype=np.int64)
    number[row, month] = draft.rows(1.0, 1.0, names, month.astype(np.int64))
    inside = np.flatnonzero(usage.month < asked.shape[1])
    at = number[usage.slice[inside], usage.month[inside]]
    met = inside[(at >= 0) & (usage.served[inside] > 0.0)]
    draft.put(number[usage.slice[met], usage.month[met]], usage.column[met], 1.0)


def supply_rows(draft: Draft, layout: Layout) -> None:
    """Let no place give more than it has in any month of the portfolio."""
    grid, usage = layout.world.grid, layout.usage
    month = np.minimum(grid.offset[usage.workload] + usage.month, grid.count - 1)
    for number, place in enumerate(layout.places):
        mine = np.flatnonzero((usage.place == number) & (usage.accelerators > 0.0))
        if place.kind == METERED and np.isfinite(layout.limits[number]):
            _capped(draft, usage_of(layout, mine, month), (SUPPLY, place.name), layout.limits[number])
        elif place.kind == COMMITTED:
            _term_rows(draft, layout, number, mine, month)
        elif place.kind == BUILD:
            _build_rows(draft, layout, number, mine, month)


@dataclass(frozen=True, slots=True, eq=False)
class Users:
    """Columns with the accelerators they occupy in a month of the portfolio."""

    column: Indices
    month: Indices
    accelerators: Numbers


def usage_of(layout: Layout, entries: Indices, month: Indices) -> Users:
    """Return some entries of the usage as users."""
    return Users(layout.usage.column[entries], month[entries], layout.usage.accelerators[entries])


def _capped(draft: Draft, users: Users, group: Group, limit: Numbers | float) -> dict[int, int]:
    """Lay one row for each month that has users: what they occupy is at most the limit; return rows by month."""
    months, inverse = np.unique(users.month, return_inverse=True)
    limits = np.broadcast_to(np.asarray(limit, dtype=np.float64), (int(months.max(initial=0)) + 1,))
    rows = draft.rows(-np.inf, limits[months], group, months.astype(np.int64))
    draft.put(rows[inverse], users.column, users.accelerators)
    return dict(zip(months.tolist(), rows.tolist(), strict=True))


def _term_rows(draft: Draft, layout: Layout, number: int, mine: Indices, month: Indices) -> None:
    """Fit what works at a commitment into the nodes whose terms cover as much of the month as it needs."""
    group = (SUPPLY, layout.places[number].name)
    share = _shares_of_months(layout)[mine]
    signed = [entry for entry in layout.contracts if entry[0] == number]
    is_cut = any(np.any((one.covers > PART) & (one.covers < 1.0 - PART)) for _, one, _, _ in signed)
    for least in np.unique(share) if is_cut else [PART]:
        users = usage_of(layout, mine[share >= least - PART], month)
        rows = _capped(draft, users, group, 0.0)
        months = np.array(list(rows), dtype=np.int64)
        at = np.array(list(rows.values()), dtype=np.int64)
        for _, contracts, nodes, _ in signed:
            covered, which = np.nonzero(contracts.covers[:, months] >= max(least - PART, PART))
            draft.put(at[which], nodes[covered], -contracts.size)
    for _, contracts, nodes, _ in signed:
        if np.isfinite(contracts.most):
            covered, which = np.nonzero(contracts.covers > PART)
            users = Users(nodes[covered], which, np.full(which.size, contracts.size))
            _capped(draft, users, group, contracts.most * contracts.size)


def _shares_of_months(layout: Layout) -> Numbers:
    """Return what share of its month each entry of the usage lies in the workload's window, at least a part."""
    usage = layout.usage
    lengths = np.array([float(one.window.length) for one in layout.world.slices.asked])[usage.workload]
    return np.clip(lengths - usage.month, PART, 1.0)


def _build_rows(draft: Draft, layout: Layout, number: int, mine: Indices, month: Indices) -> None:
    """Fit what works at a build into its tranches: all of it, what needs the network, each fabric domain."""
    name = layout.places[number].name
    usage = layout.usage
    tranches = [(one, column) for place, one, column in layout.tranches if place == number]
    _within(draft, usage_of(layout, mine, month), (SUPPLY, name), [(one.usable, column) for one, column in tranches])
    joined = mine[layout.places[number].needs_fabric[usage.workload[mine]]]
    if any(np.any(one.usable != one.usable_fabric) for one, _ in tranches):
        supply = [(one.usable_fabric, column) for one, column in tranches]
        _within(draft, usage_of(layout, joined, month), (NETWORK, name), supply)
    domains = list(dict.fromkeys(one.domain for one, _ in tranches))
    if len(domains) < 2:
        return
    for index, domain in enumerate(domains):
        users = usage_of(layout, joined[usage.domain[joined] == index], month)
        supply = [(one.usable_fabric, column) for one, column in tranches if one.domain == domain]
        _within(draft, users, (DOMAIN, f"{name}/{domain}"), supply)


def _within(draft: Draft, users: Users, group: Group, supply: list[tuple[Numbers, int | None]]) -> None:
    count = int(users.month.max(initial=-1)) + 1
    if count == 0:
        return
    limit = np.zeros(count)
    for usable, column in supply:
        limit += usable[:count] if column is None else 0.0
    rows = _capped(draft, users, group, limit)
    months = np.array(list(rows), dtype=np.int64)
    at = np.array(list(rows.values()), dtype=np.int64)
    for usable, column in supply:
        if column is not None:
            draft.put(at, np.full(at.size, column, dtype=np.int64), -usable[months])


def policy_rows(draft: Draft, layout: Layout, policy: Policy) -> None:
    """Lay the largest share with one supplier, the capital budget and the budget of each year."""
    if policy.max_share_per_supplier is not None:
        _share_rows(draft, layout, float(policy.max_share_per_supplier))
    if policy.capital_budget is not None:
        bought = [(column, one.capital) for _, one, column in layout.tranches if column is not None]
        row = draft.row(-np.inf, float(policy.capital_budget), (POLICY, "capital_budget"))
        draft.put(row, np.array([column for column, _ in bought], dtype=np.int64), np.array([c for _, c in bought]))
    if policy.yearly_budget is not None:
        _yearly_rows(draft, layout, float(policy.yearly_budget))


def _share_rows(draft: Draft, layout: Layout, share: float) -> None:
    usage, slices = layout.usage, layout.world.slices
    hours = slices.accelerator_hours
    total = max(float(hours.sum()), 1.0)
    suppliers = [place.supplier for place in layout.places]
    met = np.flatnonzero((usage.served > 0.0) & (usage.month < hours.shape[1]))
    part = hours[usage.slice[met], usage.month[met]] / total
    for supplier in dict.fromkeys(name for name in suppliers if name is not None):
        own = np.array([name == supplier for name in suppliers], dtype=np.bool_)[usage.place[met]]
        row = draft.row(-np.inf, share, (POLICY, f"max_share_per_supplier:{supplier}"))
        draft.put(row, usage.column[met[own]], part[own])


def _yearly_rows(draft: Draft, layout: Layout, budget: float) -> None:
    usage, grid = layout.usage, layout.world.grid
    years = -(-grid.count // MONTHS_PER_YEAR)
    rows = draft.rows(-np.inf, budget, (POLICY, "yearly_budget"), np.arange(years, dtype=np.int64) * MONTHS_PER_YEAR)
    month = np.minimum(grid.offset[usage.workload] + usage.month, grid.count - 1)
    draft.put(rows[month // MONTHS_PER_YEAR], usage.column, usage.spend)
    for (number, workload), column in layout.presence.items():
        spend = layout.places[number].fixed_spend[workload]
        due = np.minimum(grid.offset[workload] + np.arange(spend.size), grid.count - 1)
        draft.put(rows[due // MONTHS_PER_YEAR], np.full(spend.size, column, dtype=np.int64), spend)
    for _, tranche, bought in layout.tranches:
        if bought is not None and tranche.spend is not None:
            _spread(draft, rows, np.array([bought], dtype=np.int64), tranche.spend[None, :])
    for _, contracts, nodes, signatures in layout.contracts:
        _spread(draft, rows, nodes, contracts.spend)
        if signatures is not None:
            draft.put(rows[contracts.begin // MONTHS_PER_YEAR], signatures, contracts.fee_spend)


def _spread(draft: Draft, rows: Indices, columns: Indices, spend: Numbers) -> None:
    which, month = np.nonzero(spend)
    draft.put(rows[month // MONTHS_PER_YEAR], columns[which], spend[which, month])


def minimum_rows(draft: Draft, layout: Layout) -> None:
    """Hold a workload at a quote with a minimum to that many accelerators there in every month it asks for."""
    usage = layout.usage
    for (number, workload), column in layout.presence.items():
        place = layout.places[number]
        mine = np.flatnonzero((usage.place == number) & (usage.workload == workload) & (usage.accelerators > 0.0))
        if place.least:
            months, inverse = np.unique(usage.month[mine], return_inverse=True)
            rows = draft.rows(0.0, np.inf, (SUPPLY, place.name), months.astype(np.int64))
            draft.put(rows[inverse], usage.column[mine], usage.accelerators[mine])
            draft.put(rows, np.full(months.size, column, dtype=np.int64), -place.least)
