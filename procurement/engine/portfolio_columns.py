"""The columns of a portfolio: slice by place and month, whole workloads by place, presence, tranches, signatures."""

from dataclasses import dataclass

import numpy as np

from procurement.engine.periods import Numbers, overlap
from procurement.engine.portfolio_builds import TrancheSupply
from procurement.engine.portfolio_contracts import Contracts
from procurement.engine.portfolio_demand import Indices
from procurement.engine.portfolio_draft import LINK, Draft, Flags
from procurement.engine.portfolio_places import BUILD, CURRENT, METERED, Place, World

ANY_DOMAIN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Usage:
    """What columns of slices use, one entry for each column, slice and month; arrays of one length."""

    column: Indices
    place: Indices
    workload: Indices
    slice: Indices
    month: Indices  # of the workload
    accelerators: Numbers  # occupied by a whole share, 0 where the work has ended or not begun
    spend: Numbers
    served: Numbers  # 1 where the demand of the month is met by a whole share, else 0
    domain: Indices  # fabric domain of the build, ANY_DOMAIN where it does not matter


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Every column of the programme by what it decides."""

    world: World
    places: tuple[Place, ...]
    limits: tuple[float, ...]  # accelerators of each place at any time, infinite where no quantity is stated
    usage: Usage
    presence: dict[tuple[int, int], int]  # place and workload: column
    tranches: tuple[tuple[int, TrancheSupply, int | None], ...]  # place, tranche, column; None: committed
    contracts: tuple[tuple[int, Contracts, Indices, Indices | None], ...]  # place, contracts, nodes, signatures


def usage_of(draft: Draft, world: World, places: tuple[Place, ...], prune: bool, limits: tuple[float, ...]) -> Usage:
    """Lay the columns of slices and of whole workloads."""
    best = _cheapest_open(world, places, limits) if prune else None
    parts = []
    for number, place in enumerate(places):
        parts.append(_monthly(draft, world, number, place, best))
        parts.append(_whole(draft, world, number, place))

    def joined(name: str) -> Numbers:
        found = [np.asarray(getattr(part, name), dtype=np.float64) for part in parts]
        return np.concatenate(found) if found else np.zeros(0)

    names = ("column", "place", "workload", "slice", "month", "domain")
    indices = {name: joined(name).astype(np.int64) for name in names}
    return Usage(**indices, accelerators=joined("accelerators"), spend=joined("spend"), served=joined("served"))


def _cheapest_open(world: World, places: tuple[Place, ...], limits: tuple[float, ...]) -> Numbers:
    """Return the least cost by slice and month of metered quotes that anybody may use without limit or fee."""
    best: Numbers = np.full_like(world.slices.hours, np.inf)
    for place, limit in zip(places, limits, strict=True):
        if place.kind == METERED and np.isinf(limit) and not place.least:
            count = min(place.cost.shape[1], best.shape[1])
            plain = ~place.is_whole & ~_is_tied(world, place)[world.slices.owner[place.rows]]
            usable = place.months[:, :count] & plain[:, None]
            costs = np.where(usable, place.cost[:, :count], np.inf)
            best[place.rows, :count] = np.minimum(best[place.rows, :count], costs)
    return best


def _is_tied(world: World, place: Place) -> Flags:
    """Return whether being at a place costs a workload something beside its months, or needs a minimum."""
    overhead = np.array([one.second_place_overhead_per_month is not None for one in world.workloads])
    return np.asarray((np.abs(place.fixed) > 0.0) | overhead | (place.least > 0.0))


def _leaving(world: World, place: Place) -> Numbers:
    """Return what leaving today's place costs each workload at ``as_of``, 0 where the place is that one."""
    costs = [
        0.0 if one.current is None or one.current.place == place.name else float(one.switching_cost or 0.0)
        for one in world.workloads
    ]
    leaves = np.array(costs) * world.factors * world.kept
    return np.zeros_like(leaves) if place.kind == CURRENT else leaves


def _monthly(draft: Draft, world: World, number: int, place: Place, best: Numbers | None) -> Usage:
    slices = world.slices
    count = slices.hours.shape[1]
    usable = place.months[:, :count] & ~place.is_whole[:, None] & slices.is_asked[place.rows]
    if best is not None and place.kind == METERED:
        usable &= place.cost[:, :count] <= best[place.rows]
    row, month = np.nonzero(usable)
    owner = slices.owner[place.rows[row]]
    leaving = _leaving(world, place) / _months_asked(world)
    columns = draft.columns(place.cost[row, month] + leaving[owner])
    return Usage(
        column=columns, place=np.full(row.size, number), workload=owner, slice=place.rows[row], month=month,
        accelerators=place.accelerators[row], spend=place.spend[row, month], served=np.ones(row.size),
        domain=np.full(row.size, ANY_DOMAIN),
    )  # fmt: skip


def _months_asked(world: World) -> Numbers:
    """Return how many slice-months each workload asks for."""
    slices = world.slices
    return np.maximum(np.bincount(slices.owner, slices.is_asked.sum(axis=1), len(world.workloads)), 1.0)


def _whole(draft: Draft, world: World, number: int, place: Place) -> Usage:
    """Lay one column per workload that goes there at one share in all months, one per fabric domain for a gang."""
    slices = world.slices
    rows = np.flatnonzero(place.is_whole)
    owners, inverse = np.unique(slices.owner[place.rows[rows]], return_inverse=True)
    cost = np.bincount(inverse, place.cost[rows].sum(axis=1), owners.size) + place.once[owners]
    cost = cost + _leaving(world, place)[owners] + np.where(slices.is_gang, place.fixed, 0.0)[owners]
    pairs = [(index, domain) for index, owner in enumerate(owners) for domain in _domains(world, place, int(owner))]
    chosen = np.array([index for index, _ in pairs], dtype=np.int64)
    domains = np.array([domain for _, domain in pairs], dtype=np.int64)
    gangs = slices.is_gang[owners[chosen]] if chosen.size else np.zeros(0, dtype=np.bool_)
    columns = np.empty(chosen.size, dtype=np.int64)
    for kind in (True, False):
        columns[gangs == kind] = draft.columns(cost[chosen[gangs == kind]], integer=kind)
    months = place.cost.shape[1]
    spread = np.flatnonzero(inverse[None, :] == chosen[:, None]) if chosen.size else np.zeros(0, dtype=np.int64)
    pair, at = np.divmod(spread, max(rows.size, 1))
    pair, at, month = np.repeat(pair, months), np.repeat(rows[at], months), np.tile(np.arange(months), pair.size)
    owner = slices.owner[place.rows[at]]
    asked = np.zeros((slices.hours.shape[0], months))
    asked[:, : slices.hours.shape[1]] = slices.is_asked
    held = place.months[at, month] & (month >= place.held_from[owner])
    spend = place.spend[at, month] + np.where(month == 0, place.once_spend[owner] / _slices(world)[owner], 0.0)
    spend += np.where(slices.is_gang[owner], place.fixed_spend[owner, month], 0.0)
    return Usage(
        column=columns[pair], place=np.full(pair.size, number), workload=owner, slice=place.rows[at], month=month,
        accelerators=place.accelerators[at] * held, spend=spend, served=asked[place.rows[at], month],
        domain=domains[pair],
    )  # fmt: skip


def _slices(world: World) -> Numbers:
    return np.bincount(world.slices.owner, minlength=len(world.workloads)).astype(np.float64)


def _domains(world: World, place: Place, owner: int) -> list[int]:
    """Return the fabric domains among which a gang chooses one."""
    build = world.setting.builds.get(place.name)
    if place.kind != BUILD or build is None or not (world.slices.is_gang[owner] and place.needs_fabric[owner]):
        return [ANY_DOMAIN]
    names = dict.fromkeys(tranche.fabric_domain or tranche.id for tranche in build.tranches)
    return list(range(len(names)))


def presence_of(draft: Draft, world: World, places: tuple[Place, ...], usage: Usage) -> dict[tuple[int, int], int]:
    """Lay a column for being at a place at all, where that costs something or needs a minimum, and tie slices to it."""
    found: dict[tuple[int, int], int] = {}
    overhead = _overheads(world)
    draft.offset -= float(overhead.sum())  # the first place carries none
    for number, place in enumerate(places):
        tied = _is_tied(world, place) & ~world.slices.is_gang
        mine = np.flatnonzero(usage.place == number)
        owners = np.intersect1d(np.unique(usage.workload[mine]), np.flatnonzero(tied))
        columns = draft.columns(place.fixed[owners] + overhead[owners], integer=True)
        for owner, column in zip(owners, columns, strict=True):
            found[number, int(owner)] = int(column)
            entries = mine[(usage.workload[mine] == owner) & (usage.served[mine] > 0.0)]
            row = draft.row(-np.inf, 0.0, (LINK, "presence"))
            draft.put(row, usage.column[entries], 1.0)
            draft.put(row, np.array([column]), -float(max(entries.size, 1)))
    return found


def _overheads(world: World) -> Numbers:
    """Return what a second place costs each divisible workload over its window, at ``as_of``."""
    costs = np.zeros(len(world.workloads))
    for index, workload in enumerate(world.workloads):
        monthly = workload.second_place_overhead_per_month
        if monthly is not None and not world.slices.is_gang[index]:
            window = world.slices.asked[index].window
            held = overlap(0.0, window.length, window.count)
            costs[index] = float(monthly) * float((held * world.present(window.count, "mid")).sum())
    return costs * world.factors * world.kept


def tranche_columns(
    draft: Draft, owned: list[tuple[int, tuple[TrancheSupply, ...], bool]]
) -> tuple[tuple[int, TrancheSupply, int | None], ...]:
    """Lay a column for every tranche that may be bought; committed ones are there in any case."""
    found: list[tuple[int, TrancheSupply, int | None]] = []
    for number, tranches, is_committed in owned:
        for supply in tranches:
            column = None if is_committed else int(draft.columns(np.array([supply.cost]), integer=True)[0])
            found.append((number, supply, column))
    return tuple(found)


def contract_columns(
    draft: Draft, signed: list[tuple[int, Contracts]], most: dict[int, float]
) -> tuple[tuple[int, Contracts, Indices, Indices | None], ...]:
    """Lay the nodes of every contract, and where a signature has a fee or a minimum, a column for signing it."""
    found: list[tuple[int, Contracts, Indices, Indices | None]] = []
    for number, contracts in signed:
        limit = min(contracts.most, most[number])
        nodes = draft.columns(contracts.cost, limit, integer=True)
        signatures = None
        if contracts.least > 1 or np.any(contracts.fee):
            signatures = draft.columns(contracts.fee, integer=True)
            none = np.full(nodes.size, -1, dtype=np.int64)
            rows = draft.rows(-np.inf, 0.0, (LINK, "signature"), none)
            draft.put(rows, nodes, 1.0)
            draft.put(rows, signatures, -limit)
            if contracts.least > 1:
                rows = draft.rows(0.0, np.inf, (LINK, "signature"), none)
                draft.put(rows, nodes, 1.0)
                draft.put(rows, signatures, -float(contracts.least))
        found.append((number, contracts, nodes, signatures))
    return tuple(found)
