"""The portfolio: one capacity ledger for all workloads, at the least present cost (METHOD.md, Portfolio)."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from procurement.engine.bookability import Bookings
from procurement.engine.codes import OWN
from procurement.engine.comparisons import need_of, setting_at
from procurement.engine.equal_work import accelerators_at
from procurement.engine.forecast import Forecast
from procurement.engine.obstacles import BuildFacts, build_reasons, date_reasons, size_reasons
from procurement.engine.portfolio_answer import conflict_words, solved_answer, unsolved_answer
from procurement.engine.portfolio_builds import Owned, owned_place
from procurement.engine.portfolio_columns import (
    Layout,
    contract_columns,
    presence_of,
    tranche_columns,
    usage_of,
)
from procurement.engine.portfolio_contracts import Contracts, contracts_of
from procurement.engine.portfolio_demand import GANG, grid_of, slices_of
from procurement.engine.portfolio_draft import LINK, Draft, Problem
from procurement.engine.portfolio_pins import impossible_pins, pin_rows, pinned_of
from procurement.engine.portfolio_places import COMMITTED, CURRENT, METERED, Place, World, current_place
from procurement.engine.portfolio_quotes import current_names, judged, quote_place
from procurement.engine.portfolio_rows import DEMAND, demand_rows, minimum_rows, policy_rows, supply_rows
from procurement.engine.portfolio_solver import FAILED, INFEASIBLE, Effort, Outcome, conflicting, never, solved
from procurement.engine.readiness import Readiness
from procurement.engine.tables import Pin, Policy, Scenario, Workload
from procurement.engine.units import instance_size, least_instances

EXPLAINING_SECONDS = 10.0  # at least, for finding what conflicts
LARGEST_HERE = 400_000  # workloads x places x months of the horizon that a whole evaluation waits for
LARGEST = 8_000_000  # of the same, beyond which no portfolio is begun: its columns would fill the memory


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What is known before any cost: readiness and forecast of every build, the verdict on every quote."""

    scenario: Scenario
    readiness: Mapping[str, Readiness]
    forecasts: Mapping[str, Forecast]
    offers: Bookings


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A portfolio as a programme, with what its columns mean."""

    layout: Layout
    problem: Problem


def unasked_reason(scenario: Scenario) -> str | None:
    """Return why a whole evaluation leaves the portfolio to its own request; None where it solves it.

    It does where a policy states a rule that binds workloads together, and the question is small enough to wait for.
    """
    if scenario.policy == Policy() or not scenario.workloads:
        return "not_solved_here"
    return "too_large_to_solve_here" if _size(scenario) > LARGEST_HERE else None


def refused_reason(scenario: Scenario) -> str | None:
    """Return why no portfolio of a scenario can be begun at all; None where it can."""
    if scenario.assumptions.discount_rate is None:
        return "missing:discount_rate"
    if not scenario.workloads:
        return "no_workloads"
    return f"too_large:{_size(scenario)}:{LARGEST}" if _size(scenario) > LARGEST else None


def _size(scenario: Scenario) -> int:
    places = len(scenario.quotes) + len(scenario.builds)
    return len(scenario.workloads) * places * int(scenario.assumptions.horizon_months)


def solved_portfolio(
    facts: Facts, *, time_limit_s: float, gap: float, is_stopped: Callable[[], bool] = never
) -> dict[str, Any]:
    """Return the portfolio of the answer document, ready for JSON.

    Parameters
    ----------
    facts
        The scenario and what its records are worth today.
    time_limit_s
        Seconds for building and solving; then the best found is returned, as ``time_limit`` [s].
    gap
        Relative gap at which a solution counts as optimal [fraction].
    is_stopped
        Asked now and then while the solver works; once true, the best found is returned, as ``stopped``.
    """
    begun = time.perf_counter()
    refused = refused_reason(facts.scenario)
    if refused is not None:
        return _timed(unsolved_answer(FAILED, reason=refused), 0.0, 0.0)
    model = portfolio_model(facts)
    built = time.perf_counter() - begun
    nowhere = _nowhere(facts, model.layout) or _impossible(facts, model.layout)
    if nowhere:
        return _timed(unsolved_answer(INFEASIBLE, conflict=nowhere) | {"conflict_is_irreducible": True}, built, 0.0)
    effort = Effort(time_limit_s, gap, is_stopped).left(built)
    outcome = solved(model.problem, effort)
    explaining = replace(effort, seconds=max(effort.seconds - outcome.seconds, EXPLAINING_SECONDS))
    return _timed(_answer(model, outcome, explaining), built, outcome.seconds)


def _answer(model: Model, outcome: Outcome, explaining: Effort) -> dict[str, Any]:
    if outcome.state == INFEASIBLE:
        found, is_irreducible = conflicting(model.problem, _by_weight(model), explaining)
        words = [conflict_words(model.layout, model.problem.groups[index]) for index in found]
        return unsolved_answer(INFEASIBLE, conflict=words) | {"conflict_is_irreducible": is_irreducible}
    if outcome.values is None:
        return unsolved_answer(outcome.state, reason=f"solver:{outcome.message}" if outcome.message else None)
    currency = model.layout.world.setting.assumptions.currency
    return solved_answer(model.layout, model.problem, outcome, currency)


def _by_weight(model: Model) -> list[int]:
    """Return the named groups, rules and places first, then demands from the largest down: few of them explain much."""
    slices = model.layout.world.slices
    hours = np.bincount(slices.owner, slices.accelerator_hours.sum(axis=1), len(slices.workloads))
    weight = {(DEMAND, one.id): float(amount) for one, amount in zip(slices.workloads, hours, strict=True)}
    groups = model.problem.groups
    named = [index for index, group in enumerate(groups) if group[0] != LINK]
    return sorted(named, key=lambda index: (groups[index] in weight, -weight.get(groups[index], 0.0), index))


def _timed(answer: dict[str, Any], build: float, solve: float) -> dict[str, Any]:
    return answer | {"seconds": {"build": round(build, 3), "solve": round(solve, 3)}}


def portfolio_model(facts: Facts) -> Model:
    """Return the programme of a scenario's portfolio."""
    world = _world(facts)
    verdicts = judged(facts.offers, world.slices.is_gang, world.is_small)
    quotes = world.setting.scenario.quotes
    found = [quote_place(world, quote, number, verdicts) for number, quote in enumerate(quotes)]
    rented = [place for place in found if place is not None]
    owned = _owned(world, facts)
    staying = current_place(world, current_names(world))
    months = _last_month(world, [*rented, *(one.place for one in owned), *staying])
    if months > world.grid.count:  # work runs on past every window
        world.grid = replace(world.grid, count=months)
        owned = _owned(world, facts)
    return _laid(world, rented, owned, staying)


def _owned(world: World, facts: Facts) -> list[Owned]:
    builds = [build for build in facts.scenario.builds if build.operator == OWN]
    known = [BuildFacts(build, facts.readiness[build.id], facts.forecasts[build.id]) for build in builds]
    found = [owned_place(world, one) for one in known]
    return [one for one in found if one is not None]


def _world(facts: Facts) -> World:
    """Return the demand of a scenario, with builds at the quantile of their dates that decides feasibility."""
    scenario = facts.scenario
    setting = setting_at(scenario, facts.forecasts, scenario.assumptions.risk_quantile)
    sizes = [float(build.accelerators_per_node or 1) for build in scenario.builds]
    sizes += [instance_size(quote) for quote in scenario.quotes]
    slices = slices_of(scenario.workloads, setting, int(np.ceil(max(sizes, default=1.0))))
    counts = np.array([one.window.count for one in slices.asked], dtype=np.int64)
    grid = grid_of(scenario.workloads, setting, counts)
    return World(
        setting=setting,
        slices=slices,
        grid=grid,
        factors=np.array([grid.factor(workload.start) for workload in scenario.workloads]),
        is_small=np.array([need_of(one, setting).is_memory_too_small for one in scenario.workloads], dtype=np.bool_),
    )


def _last_month(world: World, places: Sequence[Place]) -> int:
    """Return how many months the portfolio has, what runs on included."""
    last = world.grid.count
    for place in places:
        rows, months = np.nonzero(place.months & np.bool_(place.kind != CURRENT))
        starts = world.grid.offset[world.slices.owner[place.rows[rows]]]
        last = max(last, int(np.max(starts + months + 1, initial=0)))
    return last


def _laid(world: World, rented: Sequence[Place], owned: Sequence[Owned], staying: Sequence[Place]) -> Model:
    """Return the programme, columns first."""
    places = (*rented, *(one.place for one in owned), *staying)
    limits = tuple(_limit(world, place) for place in places)
    policy = world.setting.scenario.policy
    draft = Draft()
    usage = usage_of(draft, world, places, policy.max_share_per_supplier is None and not policy.pins, limits)
    first = len(rented)
    bought = [
        (first + at, one.tranches, world.setting.builds[one.place.name].committed) for at, one in enumerate(owned)
    ]
    layout = Layout(
        world=world,
        places=places,
        limits=limits,
        usage=usage,
        presence=presence_of(draft, world, places, usage),
        tranches=tranche_columns(draft, bought),
        contracts=contract_columns(draft, _contracts(world, places), _most_nodes(world, places)),
    )
    demand_rows(draft, layout)
    supply_rows(draft, layout)
    minimum_rows(draft, layout)
    policy_rows(draft, layout, policy)
    pin_rows(draft, layout, pinned_of(layout, policy.pins))
    return Model(layout, draft.problem())


def _limit(world: World, place: Place) -> float:
    """Return the accelerators that a metered quote gives at any time."""
    quote = world.setting.quotes.get(place.name)
    if place.kind != METERED or quote is None:
        return float("inf")
    stated = [limit for limit in (quote.quantity_available, quote.quota_accelerators) if limit is not None]
    return float(min(stated, default=float("inf")))


def _contracts(world: World, places: Sequence[Place]) -> list[tuple[int, Contracts]]:
    found = []
    for number, place in enumerate(places):
        if place.kind == COMMITTED:
            contracts = contracts_of(world, world.setting.quotes[place.name], place)
            found += [] if contracts is None else [(number, contracts)]
    return found


def _most_nodes(world: World, places: Sequence[Place]) -> dict[int, float]:
    """Return the nodes of each commitment beyond which nobody could use one."""
    found = {}
    for number, place in enumerate(places):
        if place.kind == COMMITTED:
            quote = world.setting.quotes[place.name]
            used = float(np.ceil(place.accelerators.sum() / instance_size(quote) - 1e-9))
            found[number] = max(used, float(least_instances(quote)))
    return found


def _nowhere(facts: Facts, layout: Layout) -> list[str]:
    """Return in words every demand that no place may serve, with what each constraint removed."""
    slices, usage = layout.world.slices, layout.usage
    can = np.zeros_like(slices.is_asked)
    inside = np.flatnonzero((usage.month < can.shape[1]) & (usage.served > 0.0))
    can[usage.slice[inside], usage.month[inside]] = True
    lacking = np.unique(slices.owner[np.any(slices.is_asked & ~can, axis=1)])
    return [_nowhere_words(facts, layout, int(owner)) for owner in lacking]


def _nowhere_words(facts: Facts, layout: Layout, owner: int) -> str:
    workload = layout.world.workloads[owner]
    counts = dict(facts.offers.counts(workload.id))
    for build in (one for one in facts.scenario.builds if one.operator == OWN):
        known = BuildFacts(build, facts.readiness[build.id], facts.forecasts[build.id])
        for code in _build_codes(facts, known, workload):
            counts[code] = counts.get(code, 0) + 1
    removed = ", ".join(f"{code} {number}" for code, number in sorted(counts.items())) or "no quote and no build"
    return f"{conflict_words(layout, (DEMAND, workload.id))}; no place serves all of its months ({removed})"


def _build_codes(facts: Facts, known: BuildFacts, workload: Workload) -> list[str]:
    """Return what speaks against an own build for a workload, in codes."""
    build = known.build
    needed = accelerators_at(workload, build.accelerator, build.accelerators_per_node or 1)
    reasons = [*build_reasons(known, workload)]
    if workload.shape == GANG and needed is not None:
        quantile = facts.scenario.assumptions.risk_quantile
        reasons += size_reasons(build, needed)
        reasons += date_reasons(known, workload, needed, facts.scenario.as_of, quantile)
    return list(dict.fromkeys(reasons))


def _impossible(facts: Facts, layout: Layout) -> list[str]:
    """Return in words every pin that its place cannot keep, whatever the others do."""
    workloads = {workload.id: workload for workload in facts.scenario.workloads}
    builds = {build.id: build for build in facts.scenario.builds}

    def reasons(pin: Pin) -> str:
        if pin.place in facts.offers.column_of:
            return ", ".join(facts.offers.offer(pin.workload, pin.place).reasons)
        build = builds.get(pin.place)
        if build is None:
            return ""
        if build.operator != OWN:
            return "not an own build; its capacity is bought by a quote"
        known = BuildFacts(build, facts.readiness[build.id], facts.forecasts[build.id])
        return ", ".join(_build_codes(facts, known, workloads[pin.workload]))

    return impossible_pins(layout, pinned_of(layout, facts.scenario.policy.pins), reasons)
