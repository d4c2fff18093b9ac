"""The recommendation of very many workloads without their figures: ranked in factored form, no ledger laid down.

Where own builds, today's place, uncertain inputs or tax take part, the workload is answered in full instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from procurement.engine.cloud_commitments import owed_sums
from procurement.engine.cloud_ranking import CloudCosts, cloud_costs
from procurement.engine.comparisons import case_of, unpriced_counts
from procurement.engine.money import money_text, rounded
from procurement.engine.obstacles import build_reasons
from procurement.engine.options import SHOWN, Case, CloudRow, need_reasons
from procurement.engine.pairs import Bits, Indices
from procurement.engine.periods import Numbers
from procurement.engine.recommend import TIE_SHARE
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
    """What is recommended for each workload, shape (workloads,); indices into the quotes, -1 for none."""

    best: Indices
    runner_up: Indices
    is_tie: NDArray[np.bool_]
    costs: Numbers  # of best and runner-up, shape (2, workloads)
    is_open: NDArray[np.bool_]  # must be answered in full


def is_plain(case: Case, workload: Workload) -> bool:
    """Return whether quotes at known prices are all that may serve a workload."""
    setting = case.setting
    if setting.scenario.ranges or setting.terms.rate is None or setting.assumptions.tax or workload.current:
        return False
    return all(build_reasons(facts, workload) for facts in case.builds.values())


def leaders_of(found: CloudCosts, allowed: Bits) -> Leaders:
    """Return the cheapest quotes of each workload, those of one cost in the order of the quotes.

    The least cost of each block of quotes comes first; the cheapest are in the blocks with the least of them.
    """
    costs = np.where(allowed.by_quote(), found.by_quote, np.inf)
    count, width = costs.shape
    least = np.fmin.reduceat(costs, np.arange(0, count, BLOCK), axis=0)
    least[np.isnan(least)] = np.inf
    blocks = np.sort(np.argsort(least, axis=0, kind="stable")[:LEADERS], axis=0)
    rows = (blocks[:, np.newaxis] * BLOCK + np.arange(BLOCK)[:, np.newaxis]).reshape(-1, width)
    near = np.where(rows < count, costs[np.minimum(rows, count - 1), np.arange(width)], np.inf)
    near[np.isnan(near)] = np.inf
    places, values = [], []
    for _ in range(LEADERS):
        place = near.argmin(axis=0)[np.newaxis]
        places.append(np.take_along_axis(rows, place, axis=0)[0])
        values.append(np.take_along_axis(near, place, axis=0)[0])
        np.put_along_axis(near, place, np.inf, axis=0)
    return Leaders(np.array(places), np.array(values))


def shortlist_of(case: Case, found: CloudCosts, allowed: Bits) -> Shortlist:
    """Return best and runner-up of every workload, ties settled as the recommendation settles them (semantics 27)."""
    leaders = leaders_of(found, allowed)
    best, second = leaders.quotes[0].copy(), leaders.quotes[1].copy()
    costs = leaders.costs[:2].copy()
    is_alone = ~np.isfinite(costs[1])
    threshold = np.maximum(TIE_SHARE * np.abs(costs[0]), case.setting.assumptions.materiality)
    difference = np.where(is_alone, np.inf, costs[1]) - np.where(np.isfinite(costs[0]), costs[0], 0.0)
    is_tie = difference < threshold
    rows = np.flatnonzero(is_tie)
    pairs = np.concatenate([rows, rows]), np.concatenate([best[rows], second[rows]])
    owed = np.round(owed_sums(case, found, *pairs), 2).reshape(2, -1)
    unproven = unproven_at(case, *pairs).reshape(2, -1)
    is_other = (unproven[1] < unproven[0]) | ((unproven[1] == unproven[0]) & (owed[1] < owed[0]))
    turned = rows[is_other]
    best[turned], second[turned] = second[turned], best[turned]
    costs[:, turned] = costs[::-1, turned]
    none = ~np.isfinite(costs)
    return Shortlist(np.where(none[0], -1, best), np.where(none[1], -1, second), is_tie, costs, _unsure(found, leaders))


def unproven_at(case: Case, rows: Indices, columns: Indices) -> NDArray[np.bool_]:
    """Return whether more than one node is offered without a record of the cluster."""
    checks = case.offers.checks
    needed = checks.needed.values[rows, checks.needed.kinds.of[columns]]
    return np.asarray((checks.quotes.cluster[columns] < 0) & (needed > checks.quotes.node[columns]))


def _unsure(found: CloudCosts, leaders: Leaders) -> NDArray[np.bool_]:
    """Return where costs of unlike contracts are so close that the last binary digits would order them."""
    groups = found.late.kinds.of[leaders.quotes]
    known = np.where(np.isfinite(leaders.costs), leaders.costs, 0.0)
    is_near = np.isfinite(leaders.costs[1:]) & (np.diff(known, axis=0) <= SURE * np.abs(known[1:]))
    return np.asarray((is_near & (groups[1:] != groups[:-1])).any(axis=0))


def shortlists(scenario: Scenario, case: Case) -> dict[str, dict[str, Any]]:
    """Return verdict, option, runner-up, tie, present costs and excluded quotes of every workload that is plain."""
    quotes = sorted(scenario.quotes, key=lambda quote: quote.id)
    found = cloud_costs(scenario.workloads, quotes, case.setting)
    return {}
