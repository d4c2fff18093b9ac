"""What uncertain inputs make of each option: paired draws, quantiles, how often each is cheapest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from procurement.engine.dates import BuildDates, reached_by
from procurement.engine.equal_work import shares_at
from procurement.engine.figures import total_costs
from procurement.engine.options import Case
from procurement.engine.options_base import BridgePlan, BuildPlan, CloudPlan, HybridPlan, Option, Plan
from procurement.engine.options_cloud import cloud_plan, worth
from procurement.engine.periods import Numbers
from procurement.engine.pricing import places_with_tail, plan_priced
from procurement.engine.readings import Reader, date_input, date_name, drawn, range_input, ranged_numbers
from procurement.engine.recommend import Ranked
from procurement.engine.setting import Setting
from procurement.engine.slip import first_day
from procurement.engine.tables import Workload
from procurement.engine.uncertainty import (
    CostFunction,
    CostSummary,
    Draws,
    Input,
    cost_summary,
    costs_by_draw,
    linear_costs,
    probability_cheapest,
)

STILL = 1e-9  # relative: costs that spread less are moved by no draw
MOST_STEPS = 64  # combinations of values of inputs that change the layout of a ledger
LEAST_STEPS = 4  # values of each of them


@dataclass(frozen=True, slots=True, eq=False)
class Risk:
    """The draws of one workload's options."""

    options: tuple[Option, ...]
    draws: Draws
    costs: Numbers  # shape (options, draws)
    summary: CostSummary
    cost: CostFunction
    reader: Reader
    probability_cheapest: Mapping[str, float]  # among the feasible options that rank

    def row(self, option: Option) -> int | None:
        """Return the row of an option, None where it was not drawn."""
        names = [one.name for one in self.options]
        return names.index(option.name) if option.name in names else None

    def ranked(self, rank_by: str, quantile: float) -> list[Ranked]:
        """Return feasible options that rank, by mean present cost or by a quantile of it."""
        entries = []
        for row, option in enumerate(self.options):
            if option.is_feasible and option.ranks:
                costs = self.costs[row]
                value = float(np.mean(costs)) if rank_by == "mean" else float(np.quantile(costs, quantile))
                entries.append(Ranked(option, value, costs, float(self.summary.p80[row])))
        return sorted(entries, key=lambda entry: (entry.value, entry.option.name))


def risk_of(case: Case, workload: Workload, options: Sequence[Option]) -> Risk | None:
    """Return the draws of a workload's priced options; None where nothing about them is uncertain.

    Every option is priced at the same draws, and pays its own bridge and idle hardware in each of them. Options that
    are linear in their inputs are one matrix product, the others are priced on all draws at once.
    """
    priced = tuple(option for option in options if option.plan is not None and option.priced is not None)
    inputs = inputs_of(case, workload, priced)
    if case.setting.terms.rate is None or not inputs or not priced:
        return None
    assumptions = case.setting.assumptions
    draws = drawn(inputs, draws=assumptions.draws, seed=assumptions.seed, correlation=assumptions.correlation)
    reader = reader_of(case, workload, options)
    cost = cost_function(reader, workload, priced, inputs)
    if stepped_columns(reader, inputs):
        return risk_from(priced, draws, cost(draws.values), cost, reader)
    linear = linear_costs(cost, inputs)

    def direct(values: Numbers, rows: NDArray[np.intp]) -> Numbers:
        return np.array([costs_once(reader, workload, priced[row], inputs, values) for row in rows])

    return risk_from(priced, draws, costs_by_draw(linear, draws, direct), cost, reader)


def risk_from(priced: tuple[Option, ...], draws: Draws, costs: Numbers, cost: CostFunction, reader: Reader) -> Risk:
    """Return what the costs of all draws say."""
    costs = np.array([settled(option, row) for option, row in zip(priced, costs, strict=True)])
    ranking = [row for row, option in enumerate(priced) if option.is_feasible and option.ranks]
    won = probability_cheapest(costs[ranking]) if ranking else np.zeros(0)
    names = [priced[row].name for row in ranking]
    chances = dict(zip(names, (float(share) for share in won), strict=True))
    return Risk(priced, draws, costs, cost_summary(costs), cost, reader, chances)


def settled(option: Option, costs: Numbers) -> Numbers:
    """Return the costs of an option that no draw moves as the present cost that is shown of it, others as they are.

    Its components are rounded for themselves and then added, so a total rounded once could differ from it by a cent,
    and whether it does would depend on what else is uncertain.
    """
    is_still = bool(np.ptp(costs) <= STILL * max(1.0, abs(float(costs[0]))))
    npv = total_costs(option.priced.ledger).npv if is_still and option.priced is not None else None
    return costs if npv is None else np.full_like(costs, float(npv))


def inputs_of(case: Case, workload: Workload, options: Sequence[Option]) -> tuple[Input, ...]:
    """Return the uncertain inputs that the options of a workload rest on, in the order of their names."""
    places = {place for option in options if option.plan is not None for place in places_with_tail(option.plan)}
    bridge = bridge_quote(case, workload, options)
    wanted = {("workloads", workload.id), *(("quotes", name) for name in (*places, bridge or ""))}
    wanted |= {("builds", name) for name in places}
    ranges = [range_input(one) for one in ranged_numbers(case.setting.scenario) if one.owner in {None, *wanted}]
    dates = [date_input(name) for name in sorted(places) if is_undecided(case, workload, name, options)]
    return (*ranges, *dates)


def is_undecided(case: Case, workload: Workload, build: str, options: Sequence[Option]) -> bool:
    """Return whether any option waits for a build whose usable date is a forecast."""
    facts = case.builds.get(build)
    if facts is None:
        return False
    for option in options:
        plan = build_part(option.plan)
        if plan is not None and plan.build == build:
            reached = reached_by(facts.forecast, facts.build, workload, plan.accelerators)
            if reached is not None and first_day(reached, 1e-9) != first_day(reached, 1.0 - 1e-9):
                return True
    return False


def build_part(plan: Plan | None) -> BuildPlan | None:
    """Return the part of a plan that runs on an own build."""
    if isinstance(plan, BuildPlan):
        return plan
    return plan.build if isinstance(plan, HybridPlan | BridgePlan) else None


def bridge_quote(case: Case, workload: Workload, options: Sequence[Option]) -> str | None:
    """Return where the hours of a late build are rented: the cheapest feasible on-demand quote, else the cheapest."""
    cloud = [option for option in options if option.kind == "cloud" and option.is_feasible and option.priced]
    ordered = sorted(cloud, key=lambda option: (worth(option.priced.ledger) if option.priced else 0.0, option.name))
    quotes = case.setting.quotes
    on_demand = [option for option in ordered if quotes[option.places[0]].purchase_model == "on_demand"]
    first = next(iter((*on_demand, *ordered)), None)
    return None if first is None else first.places[0]


def reader_of(case: Case, workload: Workload, options: Sequence[Option]) -> Reader:
    """Return what reads the scenario with other values, late builds bridged at the cheapest feasible quote."""
    bridge = bridge_quote(case, workload, options)
    scenario = case.setting.scenario
    bridges = {} if bridge is None else {workload.id: bridge}
    return Reader(scenario, case.forecasts, case.setting, ranged_numbers(scenario), bridges)


def cost_function(
    reader: Reader, workload: Workload, options: Sequence[Option], inputs: Sequence[Input], *, is_exact: bool = False
) -> CostFunction:
    """Return the present cost of options, shape (options, n), as a function of inputs of shape (n, inputs).

    Inputs that only scale rows are read all at once; those that change the layout of a ledger are read on a grid of
    their quantiles, and the draws that share its points are priced together. ``is_exact`` reads them as they are, which
    is for few rows.
    """
    names = [entry.name for entry in inputs]
    stepped = stepped_columns(reader, inputs)

    def together(values: Numbers) -> Numbers:
        setting = reader.setting({name: values[:, [column]] for column, name in enumerate(names)})
        there = workload_of(setting, workload)
        plans = [option.plan for option in options if option.plan is not None]
        if stepped:
            plans = [replanned(plan, there, setting) for plan in plans]
        totals = [plan_total(plan, there, setting) for plan in plans]
        return np.array([np.broadcast_to(total, (values.shape[0],)) for total in totals]).reshape(-1, values.shape[0])

    def cost(values: Numbers) -> Numbers:
        if not stepped:
            return together(values)
        snapped = values.copy()
        for column in () if is_exact else stepped:
            snapped[:, column] = nearest_step(inputs[column], values[:, column], steps_of(len(stepped)))
        _, groups = np.unique(snapped[:, stepped], axis=0, return_inverse=True)
        costs = np.empty((len(options), values.shape[0]))
        for group in range(int(groups.max()) + 1):
            members = np.flatnonzero(groups.reshape(-1) == group)
            costs[:, members] = together(snapped[members])
        return costs

    return cost


def costs_once(reader: Reader, workload: Workload, option: Option, inputs: Sequence[Input], values: Numbers) -> Numbers:
    """Return the cost of one option in every draw, each combination of what it rests on priced once, shape (draws,).

    A date is a day: draws that give a build the same days are the same to all that rests on that build alone.
    """
    columns = resting_columns(reader, workload, option, inputs)
    keys = [day_keys(reader, workload, option, inputs[column], values[:, column]) for column in columns]
    cost = cost_function(reader, workload, [option], inputs)
    if len(keys) != 1:  # several inputs at once hardly ever meet again
        return np.asarray(cost(values)[0])
    _, first, index = np.unique(keys[0], return_index=True, return_inverse=True)
    return np.asarray(cost(values[first])[0][index.reshape(-1)])


def resting_columns(reader: Reader, workload: Workload, option: Option, inputs: Sequence[Input]) -> list[int]:
    """Return the columns of the inputs that can change an option's cost."""
    if option.plan is None:
        return []
    places = set(places_with_tail(option.plan))
    bridge = reader.bridge_quotes.get(workload.id)
    own = build_part(option.plan)
    owners = {("workloads", workload.id), *((kind, name) for kind in ("builds", "quotes") for name in places)}
    owners |= {("quotes", bridge)} if bridge and own is not None else set()
    known = {one.name for one in reader.ranged if one.owner is None or one.owner in owners}
    dates = {date_name(name) for name in places}
    return [column for column, entry in enumerate(inputs) if entry.name in known | dates]


def day_keys(
    reader: Reader, workload: Workload, option: Option, entry: Input, values: Numbers
) -> Numbers | NDArray[np.uint16]:
    """Return what of an input matters to an option, shape (draws,): a date's days as one number, else the number.

    Probabilities that no step of a distribution parts have the same days.
    """
    own = build_part(option.plan)
    if own is None or entry.name != date_name(own.build):
        return values
    build, forecast = reader.base.builds[own.build], reader.forecasts[own.build]
    reached = reached_by(forecast, build, workload, own.accelerators)
    known = [distribution for distribution in (reached, forecast.cdf_delivered) if distribution is not None]
    steps = np.unique(np.concatenate([np.zeros(1), *known]))
    return np.searchsorted(steps, values).astype(np.uint16)  # so short a number is sorted fast


def stepped_columns(reader: Reader, inputs: Sequence[Input]) -> list[int]:
    """Return the columns of inputs that change the layout of a ledger."""
    known = {one.name: one for one in reader.ranged}
    return [column for column, entry in enumerate(inputs) if entry.name in known and not known[entry.name].is_column]


def steps_of(inputs: int) -> int:
    """Return how many values each of so many inputs is read at, so that their combinations stay few."""
    return max(LEAST_STEPS, int(round(float(MOST_STEPS ** (1.0 / inputs)))))


def nearest_step(entry: Input, values: Numbers, steps: int) -> Numbers:
    """Return values moved to the nearest of so many evenly likely values of an input."""
    points = entry.at((np.arange(steps) + 0.5) / steps)
    return np.asarray(points[np.abs(values[:, np.newaxis] - points).argmin(axis=1)])


def replanned(plan: Plan, workload: Workload, setting: Setting) -> Plan:
    """Return a plan with useful shares and terms as another reading has them; everything else stays as decided."""
    if isinstance(plan, CloudPlan):
        return replanned_quote(plan, workload, setting)
    if isinstance(plan, BuildPlan):
        share, useful = shares_at(workload, setting.builds[plan.build], plan.whole_need or plan.accelerators)
        return replace(plan, share=share, useful=useful)
    if isinstance(plan, HybridPlan | BridgePlan):
        quote, build = replanned_quote(plan.quote, workload, setting), replanned(plan.build, workload, setting)
        return replace(plan, quote=quote, build=build)  # type: ignore[arg-type]
    return plan


def replanned_quote(plan: CloudPlan, workload: Workload, setting: Setting) -> CloudPlan:
    """Return the plan of a quote with its useful share and, where it serves the whole window, its terms."""
    quote = setting.quotes[plan.quote]
    share, useful = shares_at(workload, quote, plan.whole_need or plan.accelerators)
    there = replace(plan, share=share, useful=useful)
    whole = cloud_plan(quote, workload, setting)
    if whole is None or plan.is_bridge:
        return there
    return replace(there, terms=max(1, whole.terms - (1 if plan.tail else 0)))


def workload_of(setting: Setting, workload: Workload) -> Workload:
    """Return the record of a workload in another reading."""
    found = [one for one in setting.scenario.workloads if one.id == workload.id]
    return found[0] if found else workload


def plan_total(plan: Plan, workload: Workload, setting: Setting) -> Numbers:
    """Return the present cost of a plan, a number or shape (n,)."""
    return np.asarray(plan_priced(plan, workload, setting).ledger.total_present())


def best_at_dates(
    case: Case, workload: Workload, ranked: Sequence[Ranked], dates: Mapping[str, BuildDates]
) -> str | None:
    """Return the option that is cheapest with every build at other dates, late ones bridged; None without options."""
    options = [entry.option for entry in ranked]
    bridge = bridge_quote(case, workload, options)
    bridges = {} if bridge is None else {workload.id: bridge}
    setting = replace(case.setting, dates=dates, bridge_quotes=bridges)
    costs = {
        option.name: float(plan_total(option.plan, workload, setting)) for option in options if option.plan is not None
    }
    return min(costs, key=lambda name: (costs[name], name), default=None)
