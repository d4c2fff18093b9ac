"""The rules of booking, one for each reason, asked of every workload and every kind of quote at once (R14)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from procurement.engine.bookability_columns import (
    UNKNOWN,
    Numbers,
    QuoteColumns,
    WorkloadColumns,
    accelerators_needed,
    accepted_types,
    need_day,
    quote_columns,
    type_kinds,
    workload_columns,
)
from procurement.engine.codes import FABRICS, INTERCONNECTS
from procurement.engine.dates import reached_by, waits_for_renewal_alone
from procurement.engine.forecast import Forecast
from procurement.engine.obstacles import largest_domain
from procurement.engine.pairs import Flags, Pairs, kinds_of, of_quotes
from procurement.engine.quote_filter import allows_provider
from procurement.engine.readiness import Readiness
from procurement.engine.residency import residency_reason
from procurement.engine.slip import first_day
from procurement.engine.tables import Build, Scenario, Workload

SINGLE_ACCELERATOR, SINGLE_NODE, MULTI_NODE, CLUSTER_SCALE = range(len(INTERCONNECTS))
READY, NOT_READY, NO_FORECAST = range(3)
_DAY_PART = 1e-6  # days; a window of months is a whole number of days but for binary fractions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checks:
    """Every reason and what else the rules need, by workload and quote.

    ``unverified`` holds the reasons for which nothing can be said yet, ``hard`` those that rule a quote out; both map
    a code to flags. ``missing`` fields and ``no_rate`` are kept apart, since their codes name the field and the type.
    """

    quotes: QuoteColumns
    workloads: WorkloadColumns
    needed: Pairs  # N in each quote's own type; NaN without a published rate
    unverified: Mapping[str, Pairs]
    hard: Mapping[str, Pairs]
    has_missing: Pairs
    no_rate: Pairs
    is_early: Pairs
    is_inside_node: Pairs  # whether one node holds the need

    def overbuy(self, row: int, column: int) -> float:
        """Return the accelerator-days of a pair that must be bought beyond the need."""
        needed, days = float(self.needed.at(row, column)), float(self.workloads.days[row, 0])
        quotes = self.quotes
        return float(max(needed, quotes.least[column]) * max(days, quotes.least_days[column]) - needed * days)


def checks_of(scenario: Scenario, readiness: Mapping[str, Readiness], forecasts: Mapping[str, Forecast]) -> Checks:
    """Return all rules of booking, asked of every workload and every kind of quote at once."""
    quotes, workloads = quote_columns(scenario), workload_columns(scenario)
    types = type_kinds(scenario.quotes, quotes)
    samples = [scenario.quotes[index] for index in types.sample]
    accepted = Pairs(accepted_types(scenario.workloads, samples), types)
    scaled = accelerators_needed(scenario.workloads, samples)
    # a wrong type is not too few of it as well
    needed = Pairs(np.where(accepted.values, scaled, workloads.accelerators), types)
    unverified, hard = _place_checks(scenario)
    as_of, count = scenario.as_of.toordinal(), len(scenario.workloads)
    unverified["quote_expired"] = of_quotes(quotes.expires < as_of, count)
    unverified["missing:quoted_on"] = of_quotes(quotes.quoted > as_of, count)  # not yet quoted on that day
    unverified["missing:fabric"], hard["fabric_not_accepted"] = _fabric_checks(scenario.workloads, quotes)
    unverified["missing:memory_gb"], hard["memory_too_small"] = _memory_checks(quotes, workloads, accepted)
    hard["wrong_accelerator"] = Pairs(~accepted.values, types)
    hard |= _size_checks(quotes, workloads, needed)
    hard["interconnect_too_weak"] = _weak(scenario, quotes, workloads, needed)
    hard |= _day_checks(quotes, workloads, as_of)
    risky = kinds_of(quotes.is_interruptible)
    hard["not_interruptible"] = Pairs(quotes.is_interruptible[risky.sample] & ~workloads.is_interruptible, risky)
    hard |= _cluster_checks(scenario, readiness, forecasts, quotes, needed)
    ahead = kinds_of(quotes.horizon)
    return Checks(
        quotes=quotes,
        workloads=workloads,
        needed=needed,
        unverified=unverified,
        hard=hard,
        has_missing=of_quotes(np.array([bool(gaps) for gaps in quotes.missing], dtype=np.bool_), count),
        no_rate=Pairs(np.isnan(needed.values) & accepted.values, types),
        is_early=Pairs(workloads.start > as_of + quotes.horizon[ahead.sample], ahead),
        is_inside_node=Pairs(needed.values <= quotes.node[types.sample], types),
    )


def _memory_checks(quotes: QuoteColumns, workloads: WorkloadColumns, accepted: Pairs) -> tuple[Pairs, Pairs]:
    """Return where the memory of an accepted accelerator is unknown and where it is too small."""
    asks, kinds = ~np.isnan(workloads.memory), accepted.kinds
    memory = quotes.memory[kinds.sample]
    is_unknown = np.isnan(memory) & quotes.has_accelerator[kinds.sample]
    return Pairs(asks & is_unknown & accepted.values, kinds), Pairs(asks & (memory < workloads.memory), kinds)


def _size_checks(quotes: QuoteColumns, workloads: WorkloadColumns, needed: Pairs) -> dict[str, Pairs]:
    def is_less(offered: Numbers) -> Pairs:
        kinds = needed.kinds.times(offered)
        return Pairs(offered[kinds.sample] < needed.values[:, needed.kinds.of[kinds.sample]], kinds)

    domain = is_less(quotes.domain)
    return {
        "quantity_too_small": is_less(quotes.quantity),
        "one_domain_too_small": Pairs(workloads.is_one_job & domain.values, domain.kinds),
        "quota_short": is_less(quotes.quota),
    }


def _weak(scenario: Scenario, quotes: QuoteColumns, workloads: WorkloadColumns, needed: Pairs) -> Pairs:
    """Return where the network is for a smaller scale than asked; a need that states none is inferred from its size."""
    kinds = needed.kinds.times(quotes.interconnect, quotes.cluster)
    needs = needed.values[:, needed.kinds.of[kinds.sample]]
    node, interconnect, cluster = (
        column[kinds.sample] for column in (quotes.node, quotes.interconnect, quotes.cluster)
    )
    inferred = np.where(
        workloads.is_one_job & (needs > node),
        MULTI_NODE,
        np.where(workloads.is_one_job & (needs > 1), SINGLE_NODE, SINGLE_ACCELERATOR),
    )
    asked = np.where(np.isnan(workloads.interconnect), inferred, workloads.interconnect)
    is_multi = (cluster != UNKNOWN) & (interconnect >= MULTI_NODE)
    domains = np.array([float(largest_domain(build)) for build in scenario.builds] or [0.0])
    meets_scale = is_multi & (domains[np.maximum(cluster, 0)] >= needs)  # semantics 39
    offered = np.where(meets_scale, CLUSTER_SCALE, interconnect)
    return Pairs(np.asarray(offered < asked, dtype=np.bool_), kinds)


def _day_checks(quotes: QuoteColumns, workloads: WorkloadColumns, as_of: int) -> dict[str, Pairs]:
    """Return the rules about days; where start and need differ, the day that favours the quote counts."""

    def asked(rule: Callable[..., Flags], *columns: Numbers) -> Pairs:
        kinds = kinds_of(*columns)
        return Pairs(rule(*(column[kinds.sample] for column in columns)), kinds)

    def ends_early(earliest: Numbers, available_to: Numbers) -> Flags:
        begin = np.maximum(workloads.start, earliest)
        return np.asarray(available_to < begin + np.ceil(workloads.days - _DAY_PART) - 1)

    return {
        "duration_over_max": asked(lambda most: workloads.days > most + _DAY_PART, quotes.most_days),
        "starts_after_need": asked(lambda earliest: earliest > workloads.need, quotes.earliest),
        "ends_before_done": asked(ends_early, quotes.earliest, quotes.available_to),
        "too_late_to_book": asked(lambda lead: workloads.need - lead < as_of, quotes.lead),
    }


def _fabric_checks(workloads: tuple[Workload, ...], quotes: QuoteColumns) -> tuple[Pairs, Pairs]:
    """Return where the fabric is unknown and where it is not accepted, for workloads that name fabrics."""
    accepts = np.array(
        [[not one.fabrics or name in one.fabrics for name in FABRICS] for one in workloads], dtype=np.bool_
    )
    accepts = accepts.reshape(len(workloads), len(FABRICS))
    asks = np.array([[bool(one.fabrics)] for one in workloads], dtype=np.bool_).reshape(-1, 1)
    kinds = kinds_of(quotes.fabric)
    fabric = quotes.fabric[kinds.sample]
    is_unknown = np.isnan(fabric)
    index = np.where(is_unknown, 0, fabric).astype(np.int64)
    return Pairs(asks & is_unknown, kinds), Pairs(~accepts[:, index] & ~is_unknown, kinds)


def _place_checks(scenario: Scenario) -> tuple[dict[str, Pairs], dict[str, Pairs]]:
    """Return the rules about provider and place, each combination of them judged once."""
    sites = {build.id: build.site for build in scenario.builds}
    regions = {build.id: build.region for build in scenario.builds}
    places = [
        (quote.provider, quote.region or regions.get(quote.cluster or ""), sites.get(quote.cluster or ""))
        for quote in scenario.quotes
    ]
    rules = [(one.allowed_providers, one.residency) for one in scenario.workloads]
    column_of = {place: index for index, place in enumerate(dict.fromkeys(places))}
    row_of = {rule: index for index, rule in enumerate(dict.fromkeys(rules))}
    codes = [[_place_codes(rule, place) for place in column_of] for rule in row_of]
    rows = np.array([row_of[rule] for rule in rules], dtype=np.intp)
    kinds = kinds_of(np.array([column_of[place] for place in places], dtype=np.intp))

    def flags(code: str) -> Pairs:
        table = np.array([[code in found for found in row] for row in codes], dtype=np.bool_)
        return Pairs(table.reshape(len(row_of), len(column_of))[rows], kinds)

    hard = {code: flags(code) for code in ("provider_not_allowed", "residency", "residency_unknown")}
    return {"missing:provider": flags("missing:provider")}, hard


def _place_codes(
    rule: tuple[tuple[str, ...], tuple[str, ...]], place: tuple[str | None, str | None, str | None]
) -> tuple[str, ...]:
    (allowed, residency), (provider, region, site) = rule, place
    codes = []
    if allowed and provider is None:
        codes.append("missing:provider")
    elif not allows_provider(allowed, provider):
        codes.append("provider_not_allowed")
    reason = residency_reason(residency, provider=provider, region=region, site=site)
    return (*codes, reason) if reason else tuple(codes)


def _cluster_checks(
    scenario: Scenario,
    readiness: Mapping[str, Readiness],
    forecasts: Mapping[str, Forecast],
    quotes: QuoteColumns,
    needed: Pairs,
) -> dict[str, Pairs]:
    """Return where the record of the cluster that serves a quote does not make the day (semantics 12).

    Each build is asked once for each need; quotes of one cluster share the answer.
    """
    kinds = kinds_of(quotes.cluster)
    states = np.full((len(scenario.workloads), kinds.sample.size), READY, dtype=np.int64)
    for column, first in enumerate(kinds.sample):
        if quotes.cluster[first] == UNKNOWN:
            continue
        build = scenario.builds[quotes.cluster[first]]
        for row, workload in enumerate(scenario.workloads):
            count = needed.at(row, first)
            if not np.isnan(count) and build.id in readiness and build.id in forecasts:
                states[row, column] = _state(scenario, workload, build, forecasts[build.id], int(count))
    return {"not_ready_by_need": Pairs(states == NOT_READY, kinds), "no_forecast": Pairs(states == NO_FORECAST, kinds)}


def _state(scenario: Scenario, workload: Workload, build: Build, forecast: Forecast, accelerators: int) -> int:
    """Return whether a cluster has so many accelerators usable by the need, at the quantile that decides."""
    if waits_for_renewal_alone(forecast, build, workload, accelerators):
        return READY
    reached = reached_by(forecast, build, workload, accelerators)
    if reached is None:
        return NO_FORECAST
    day = first_day(reached, scenario.assumptions.risk_quantile)
    need = max(need_day(workload), scenario.as_of)
    return READY if day is not None and scenario.as_of + timedelta(days=day) <= need else NOT_READY
