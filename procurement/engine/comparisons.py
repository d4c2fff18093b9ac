"""All options of every workload, gathered: what is priced, what must be listed, what was left out and why."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from procurement.engine.bookability import Bookings, bookability
from procurement.engine.budgets import BUDGET_REASONS
from procurement.engine.cloud_ranking import throughput_key
from procurement.engine.codes import OWN
from procurement.engine.dates import dates_at
from procurement.engine.demand import demand_hours
from procurement.engine.equal_work import accelerators_at, unknown_share_reasons
from procurement.engine.forecast import Forecast
from procurement.engine.need import Need, need
from procurement.engine.obstacles import BuildFacts
from procurement.engine.options import (
    SHOWN,
    Case,
    CloudRow,
    cloud_option,
    cloud_rows,
    need_reasons,
    on_prem_options,
)
from procurement.engine.options_base import Option
from procurement.engine.options_cloud import price_reasons
from procurement.engine.options_two_places import (
    bridge_name,
    bridge_options,
    bridge_workload,
    current_options,
    hybrid_options,
    late_plan,
    wait_options,
)
from procurement.engine.readiness import Readiness
from procurement.engine.setting import Setting, setting_of
from procurement.engine.tables import Quote, Scenario, Workload

MOST_TRIED = 500  # quotes that are priced in search of some that keep to the yearly budget
BASE_QUANTILE = 0.5  # of dates in base figures


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """All options of one workload, before they are shown."""

    workload: Workload
    options: tuple[Option, ...]  # every one that is priced or must be listed
    excluded: Mapping[str, int]
    offers: int  # quotes that were looked at


@dataclass(frozen=True, slots=True, eq=False)
class Bridges:
    """The quotes judged for the time until a late build is there."""

    case: Case
    rows: Mapping[str, CloudRow]


def case_of(
    scenario: Scenario, readiness: Mapping[str, Readiness], forecasts: Mapping[str, Forecast], offers: Bookings
) -> Case:
    """Return what the options of all workloads need, with builds at their P50 dates."""
    setting = setting_at(scenario, forecasts, BASE_QUANTILE)
    builds = own_builds(scenario, readiness, forecasts)
    needs = {workload.id: need_of(workload, setting) for workload in scenario.workloads}
    return Case(setting, offers, builds, needs, readiness, forecasts)


def own_builds(
    scenario: Scenario, readiness: Mapping[str, Readiness], forecasts: Mapping[str, Forecast]
) -> dict[str, BuildFacts]:
    """Return what is known of the own builds."""
    return {
        build.id: BuildFacts(build, readiness[build.id], forecasts[build.id])
        for build in scenario.builds
        if build.operator == OWN
    }


def setting_at(scenario: Scenario, forecasts: Mapping[str, Forecast], quantile: float) -> Setting:
    """Return how a scenario values money, with every build at one quantile of its dates."""
    setting = setting_of(scenario)
    return replace(setting, dates=dates_at(setting.builds, forecasts, scenario.as_of, quantile))


def need_of(workload: Workload, setting: Setting) -> Need:
    """Return how many accelerators a workload needs."""
    return need(workload, demand_hours(workload, setting.assumptions), setting.hours_per_month)


def comparisons_of(case: Case) -> list[Comparison]:
    """Return the options of every workload, in the order of the document."""
    workloads = case.setting.scenario.workloads
    rows = cloud_rows(workloads, case.offers, case.setting)
    bridges = _bridges(case)
    return [_comparison(case, workload, rows[workload.id], bridges) for workload in workloads]


def _bridges(case: Case) -> Bridges:
    """Return verdict and cost of every quote for every bridge, from one computation over all of them."""
    cuts = []
    for workload in case.setting.scenario.workloads:
        for facts in case.builds.values():
            plan = late_plan(case, workload, facts)
            cut = None if plan is None else bridge_workload(case, workload, facts, plan)
            cuts += [] if cut is None else [cut]
    scenario = replace(case.setting.scenario, workloads=tuple(cuts))
    offers = bookability(scenario, case.readiness, case.forecasts)
    return Bridges(replace(case, offers=offers), cloud_rows(cuts, offers, case.setting))


def _comparison(case: Case, workload: Workload, row: CloudRow, bridges: Bridges) -> Comparison:
    quotes = case.setting.scenario.quotes
    if need_reasons(case, workload):  # whatever the offer: too few accelerators are asked for
        row = replace(row, is_candidate=np.zeros_like(row.is_candidate))
    owned: list[Option] = []
    for facts in case.builds.values():
        owned += on_prem_options(case, workload, facts)
        owned += hybrid_options(case, workload, facts, row)
        bridge = bridges.rows.get(bridge_name(workload.id, facts.build.id))
        owned += [] if bridge is None else bridge_options(bridges.case, workload, facts, bridge)
        owned += wait_options(case, workload, facts)
    priced = listed_options(case, workload, row)
    listed = [case.setting.quotes[option.places[0]] for option in priced]
    counts = excluded_counts(case, workload, row, listed)
    counts |= Counter(code for option in priced for code in option.reasons if code in BUDGET_REASONS)
    return Comparison(workload, (*priced, *owned, *current_options(case, workload)), counts, len(quotes))


def listed_options(case: Case, workload: Workload, row: CloudRow) -> list[Option]:
    """Return the priced options of the quotes that are listed; those that break a budget hide none that keeps to it."""
    priced = [cloud_option(case, workload, quote) for quote in listed_quotes(case, row)]
    if case.policy.yearly_budget is None:
        return priced
    quotes, left = case.setting.scenario.quotes, row.ranked()[SHOWN:MOST_TRIED]
    kept = sum(option.is_feasible for option in priced)
    known = {option.places[0] for option in priced}
    for index in left:
        if kept >= SHOWN:
            break
        if quotes[index].id not in known:
            priced.append(cloud_option(case, workload, quotes[index]))
            kept += priced[-1].is_feasible
    return priced


def listed_quotes(case: Case, row: CloudRow) -> list[Quote]:
    """Return the cheapest candidates, and the quotes that the assumptions want to see."""
    quotes = case.setting.scenario.quotes
    kept = set(case.setting.assumptions.keep_options)
    indices = row.ranked()[:SHOWN]
    wanted = [index for index, quote in enumerate(quotes) if f"cloud:{quote.id}" in kept and index not in indices]
    return [quotes[index] for index in (*indices, *wanted)]


def excluded_counts(case: Case, workload: Workload, row: CloudRow, listed: Sequence[Quote]) -> dict[str, int]:
    """Return how many quotes each constraint removes; a quote may count for several."""
    counts = dict(case.offers.counts(workload.id))
    counts |= dict.fromkeys(need_reasons(case, workload), row.costs.size) if row.costs.size else {}
    late = int(np.sum(row.is_candidate & row.is_late & np.isfinite(row.costs)))
    counts |= {"late_by_days": late} if late else {}
    for code, number in unpriced_counts(case, workload, row).items():
        counts[code] = counts.get(code, 0) + number
    dearer = len(row.ranked()) - sum(1 for quote in listed if row_holds(case, row, quote))
    return counts | ({"dearer_than_shown": dearer} if dearer > 0 else {})


def unpriced_counts(case: Case, workload: Workload, row: CloudRow) -> Counter[str]:
    """Return why quotes that may be candidates cannot be priced; quotes alike in what they state are asked once."""
    quotes = case.setting.scenario.quotes
    counts: Counter[str] = Counter()
    known: dict[tuple[object, ...], tuple[str, ...]] = {}
    for index in np.flatnonzero(row.is_candidate & ~np.isfinite(row.costs)):
        quote = quotes[index]
        reasons = price_reasons(quote, case.setting)
        if not reasons:
            key = throughput_key(quote)
            if key not in known:
                needed = accelerators_at(workload, quote.accelerator, quote.accelerators_per_node or 1)
                known[key] = unknown_share_reasons(workload, quote, needed or workload.accelerators)
            reasons = known[key]
        counts.update(reasons)
    return counts


def row_holds(case: Case, row: CloudRow, quote: Quote) -> bool:
    """Return whether a quote is among those that may be chosen."""
    index = case.setting.scenario.quotes.index(quote)
    return bool(row.is_candidate[index] and not row.is_late[index] and np.isfinite(row.costs[index]))
