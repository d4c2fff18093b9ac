"""The recommendation of very many workloads without their figures: ranked in factored form, no ledger laid down.

Where own builds, today's place, uncertain inputs or tax take part, the workload is answered in full instead.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from procurement.engine.bookability import bookability
from procurement.engine.bookability_columns import UNKNOWN
from procurement.engine.cloud_commitments import owed_sums
from procurement.engine.cloud_ranking import CloudCosts, Market, market_costs, market_of
from procurement.engine.comparisons import BASE_QUANTILE, own_builds, setting_at, unpriced_counts
from procurement.engine.money import money_text, rounded
from procurement.engine.need import is_memory_too_small
from procurement.engine.obstacles import build_reasons
from procurement.engine.options import SHOWN, Case, CloudRow
from procurement.engine.pairs import Bits, Flags, Indices
from procurement.engine.periods import Numbers
from procurement.engine.pipeline import comparisons, supply_of
from procurement.engine.recommend import TIE_SHARE, VERDICTS
from procurement.engine.tables import Scenario, Workload

LEADERS = 3  # best, runner-up, and one more to see whether the order of those two is sure
BLOCK = 64  # quotes that are compared with each other first
SURE = 1e-12  # relative; costs of other contracts that are closer than this are ordered by their ledgers


@dataclass(frozen=True, slots=True, eq=False)
class Leaders:
    """The cheapest quotes of each workload, in order, shape (leaders, workloads)."""

    quotes: Indices
    costs: Numbers  # infinite where there are no more


@dataclass(frozen=True, slots=True, eq=False)
class Shortlist:
    """What is recommended for each workload: best and runner-up."""

    quotes: Indices  # -1 for none, shape (2, workloads)
    costs: Numbers  # shape (2, workloads)
    is_tie: Flags  # shape (workloads,)
    is_open: Flags  # whether the ledgers must decide, shape (workloads,)


@dataclass(frozen=True, slots=True, eq=False)
class Offered:
    """Which quotes may be chosen for each workload, and which candidates may not."""

    allowed: Bits
    late: Bits  # candidates that end after a hard deadline
    unpriced: Bits  # candidates without a known cost


def offered_of(case: Case, found: CloudCosts) -> Offered:
    """Return what of the candidates can be chosen."""
    candidate = case.offers.candidate
    unknown = Bits(np.packbits(~np.isfinite(found.by_quote), axis=1), candidate.workloads)
    late = found.late.bits()
    return Offered(candidate.without(late | unknown), (candidate & late).without(unknown), candidate & unknown)


def is_plain(case: Case, workload: Workload) -> bool:
    """Return whether quotes at known prices are all that may serve a workload."""
    setting, assumptions = case.setting, case.setting.assumptions
    if setting.scenario.ranges or setting.terms.rate is None or assumptions.tax or assumptions.keep_options:
        return False
    if case.policy.capital_budget is not None or case.policy.yearly_budget is not None:
        return False
    if workload.current is not None or is_memory_too_small(workload):
        return False
    return all(build_reasons(facts, workload) for facts in case.builds.values())


def leaders_of(found: CloudCosts, allowed: Bits) -> Leaders:
    """Return the cheapest quotes of each workload, those of one cost in the order of the quotes.

    The least cost of each block of quotes comes first; the cheapest are in the blocks with the least of them.
    """
    flags, costs = allowed.by_quote(), found.by_quote
    count, width = costs.shape
    firsts = range(0, count, BLOCK)
    least = np.empty((len(firsts), width))
    for number, first in enumerate(firsts):  # a block stays in the processor's cache
        block = slice(first, first + BLOCK)
        np.where(flags[block], costs[block], np.inf).min(axis=0, out=least[number])
    blocks = np.sort(np.array(_smallest(least, min(LEADERS, least.shape[0]))[0]), axis=0)
    rows = (blocks[:, np.newaxis] * BLOCK + np.arange(BLOCK)[:, np.newaxis]).reshape(-1, width)
    there, across = np.minimum(rows, count - 1), np.arange(width)
    near = np.where((rows < count) & flags[there, across], costs[there, across], np.inf)
    places, values = _smallest(near, LEADERS)
    return Leaders(np.array([np.take_along_axis(rows, place[np.newaxis], axis=0)[0] for place in places]), values)


def _smallest(table: Numbers, count: int) -> tuple[list[Indices], Numbers]:
    """Return rows and values of the least entries of each column, equal ones in the order of the rows."""
    left, places, values = table.copy(), [], []
    for _ in range(count):
        place = left.argmin(axis=0)
        places.append(place)
        values.append(np.take_along_axis(left, place[np.newaxis], axis=0)[0])
        np.put_along_axis(left, place[np.newaxis], np.inf, axis=0)
    return places, np.array(values)


def shortlist_of(case: Case, market: Market, found: CloudCosts, leaders: Leaders) -> Shortlist:
    """Return best and runner-up of every workload, ties settled as the recommendation settles them (semantics 27)."""
    quotes, costs = leaders.quotes[:2].copy(), leaders.costs[:2].copy()
    threshold = np.maximum(TIE_SHARE * np.abs(costs[0]), case.setting.assumptions.materiality)
    is_tie = np.isfinite(costs[1]) & (costs[1] - np.where(np.isfinite(costs[0]), costs[0], 0.0) < threshold)
    rows = np.flatnonzero(is_tie)
    pairs = np.concatenate([rows, rows]), np.concatenate(quotes[:, rows])
    owed = np.round(owed_sums(market, np.concatenate(costs[:, rows]), *pairs), 2).reshape(2, -1)
    unproven = unproven_at(case, *pairs).reshape(2, -1)
    is_turned = (unproven[1] < unproven[0]) | ((unproven[1] == unproven[0]) & (owed[1] < owed[0]))
    turned = rows[is_turned]
    quotes[:, turned], costs[:, turned] = quotes[::-1, turned], costs[::-1, turned]
    is_open = _unsure(found, leaders)
    is_open[rows] |= np.isnan(owed).any(axis=0)
    return Shortlist(np.where(np.isfinite(costs), quotes, -1), costs, is_tie, is_open)


def unproven_at(case: Case, rows: Indices, columns: Indices) -> Flags:
    """Return whether more than one node is offered without a record of the cluster."""
    checks = case.offers.checks
    needed = checks.needed.values[rows, checks.needed.kinds.of[columns]]
    return np.asarray((checks.quotes.cluster[columns] == UNKNOWN) & (needed > checks.quotes.node[columns]))


def _unsure(found: CloudCosts, leaders: Leaders) -> Flags:
    """Return where costs of unlike contracts are so close that the last binary digits would order them."""
    groups = found.late.kinds.of[leaders.quotes]
    known = np.where(np.isfinite(leaders.costs), leaders.costs, 0.0)
    is_near = np.isfinite(leaders.costs[1:]) & (np.diff(known, axis=0) <= SURE * np.abs(known[1:]))
    return np.asarray((is_near & (groups[1:] != groups[:-1])).any(axis=0))


def shortlists(scenario: Scenario) -> dict[str, dict[str, Any]]:
    """Return verdict, option, runner-up, tie, present costs and excluded quotes of every workload.

    The same as in the whole answer, which is asked for what is not plain. Present costs are the amounts that rank,
    rounded once; the whole answer rounds each component, so that a sum of several may end on another cent.
    """
    ordered = replace(scenario, quotes=tuple(sorted(scenario.quotes, key=lambda quote: quote.id)))  # ties go by name
    case = _case(ordered)
    plain = np.array([is_plain(case, workload) for workload in scenario.workloads], dtype=np.bool_)
    if not scenario.quotes or not plain.any():
        return in_full(scenario, scenario.workloads)
    market = market_of(ordered.workloads, ordered.quotes, case.setting)
    found = market_costs(market)
    offered = offered_of(case, found)
    chosen = shortlist_of(case, market, found, leaders_of(found, offered.allowed))
    is_open = chosen.is_open | ~plain
    rest = [workload for workload, is_left in zip(scenario.workloads, is_open, strict=True) if is_left]
    answers = in_full(scenario, rest) if rest else {}
    counts = _counts(case, found, offered)
    briefs = (
        answers[workload.id] if is_open[row] else _brief(case, chosen, row, counts(row))
        for row, workload in enumerate(scenario.workloads)
    )
    return {workload.id: brief for workload, brief in zip(scenario.workloads, briefs, strict=True)}


def _case(scenario: Scenario) -> Case:
    """Return what is known of all workloads, but for their needs."""
    supply = supply_of(scenario)
    offers = bookability(scenario, supply.readiness, supply.forecasts)
    setting = setting_at(scenario, supply.forecasts, BASE_QUANTILE)
    builds = own_builds(scenario, supply.readiness, supply.forecasts)
    return Case(setting, offers, builds, {}, supply.readiness, supply.forecasts)


def _counts(case: Case, found: CloudCosts, offered: Offered) -> Callable[[int], dict[str, int]]:
    """Return how many quotes each reason removes, as a function of the workload's row."""
    by_code = {
        **case.offers.excluded,
        "late_by_days": offered.late.counts(),
        "dearer_than_shown": np.maximum(offered.allowed.counts() - SHOWN, 0),
    }
    codes, table = list(by_code), np.array(list(by_code.values()))
    unpriced = offered.unpriced.counts()

    def counts(row: int) -> dict[str, int]:
        numbers = table[:, row]
        known = {codes[index]: int(numbers[index]) for index in np.flatnonzero(numbers)}
        if unpriced[row]:
            workload = case.setting.scenario.workloads[row]
            cloud = CloudRow(found.costs[row], found.late.of_workload(row), case.offers.candidate.of_workload(row))
            for code, number in unpriced_counts(case, workload, cloud).items():
                known[code] = known.get(code, 0) + number
        return known

    return counts


def _brief(case: Case, chosen: Shortlist, row: int, excluded: Mapping[str, int]) -> dict[str, Any]:
    """Return the short answer of one workload."""
    quotes, currency = case.setting.scenario.quotes, case.setting.assumptions.currency
    names = [None if index < 0 else f"cloud:{quotes[index].id}" for index in chosen.quotes[:, row]]
    npv = [
        None if name is None else money_text(rounded(float(cost), currency))
        for name, cost in zip(names, chosen.costs[:, row], strict=True)
    ]
    return {
        "verdict": "none_feasible" if names[0] is None else VERDICTS["cloud"],
        "option": names[0],
        "runner_up": names[1],
        "tie": bool(chosen.is_tie[row]),
        "npv": npv[0],
        "runner_up_npv": npv[1],
        "excluded": dict(excluded),
    }


def in_full(scenario: Scenario, workloads: Sequence[Workload]) -> dict[str, dict[str, Any]]:
    """Return the short answer of some workloads from the whole one."""
    answer = comparisons(replace(scenario, workloads=tuple(workloads)))
    found = {}
    for name, advice in answer["recommendation"].items():
        costs = {option["option"]: option["npv"] for option in answer["options"][name]}
        found[name] = {
            **{key: advice[key] for key in ("verdict", "option", "runner_up", "tie")},
            "npv": costs.get(advice["option"]),
            "runner_up_npv": costs.get(advice["runner_up"]),
            "excluded": answer["excluded"][name],
        }
    return found
