"""The rules of booking as matrices of shape (workloads, quotes): one for each reason, no loop over pairs (R14)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from procurement.engine.bookability_columns import (
    UNKNOWN,
    Flags,
    Indices,
    Numbers,
    QuoteColumns,
    WorkloadColumns,
    accelerators_needed,
    accepted_types,
    need_day,
    quote_columns,
    workload_columns,
)
from procurement.engine.codes import FABRICS, INTERCONNECTS
from procurement.engine.dates import reached_by, waits_for_renewal_alone
from procurement.engine.forecast import Forecast
from procurement.engine.obstacles import largest_domain
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
    a code to flags of shape (workloads, quotes). ``missing`` fields and ``no_rate`` are kept apart, since their codes
    name the field and the type.
    """

    quotes: QuoteColumns
    workloads: WorkloadColumns
    needed: Numbers
    unverified: Mapping[str, Flags]
    hard: Mapping[str, Flags]
    has_missing: Flags
    no_rate: Flags
    is_early: Flags
    overbuy: Numbers


def checks_of(scenario: Scenario, readiness: Mapping[str, Readiness], forecasts: Mapping[str, Forecast]) -> Checks:
    """Return all rules of booking, asked of every workload and quote at once."""
    quotes, workloads = quote_columns(scenario), workload_columns(scenario)
    accepted = accepted_types(scenario.workloads, scenario.quotes)
    scaled = accelerators_needed(scenario.workloads, scenario.quotes)
    needed = np.where(accepted, scaled, workloads.accelerators)  # a wrong type is not too few of it as well
    unverified, hard = _place_checks(scenario)
    as_of = scenario.as_of.toordinal()
    shape = needed.shape
    unverified["quote_expired"] = _all(quotes.expires < as_of, shape)
    unverified["missing:quoted_on"] = _all(quotes.quoted > as_of, shape)  # not yet quoted on that day
    unverified["missing:fabric"], hard["fabric_not_accepted"] = _fabric_checks(scenario.workloads, quotes)
    asks_memory = ~np.isnan(workloads.memory)
    unverified["missing:memory_gb"] = asks_memory & np.isnan(quotes.memory) & accepted & _has_accelerator(scenario)
    hard["memory_too_small"] = asks_memory & (quotes.memory < workloads.memory)
    hard["wrong_accelerator"] = ~accepted
    hard |= _size_checks(quotes, workloads, needed)
    hard["interconnect_too_weak"] = _is_weak(scenario, quotes, workloads, needed)
    hard |= _day_checks(quotes, workloads, as_of)
    hard["not_interruptible"] = quotes.is_interruptible & ~workloads.is_interruptible
    hard |= _cluster_checks(scenario, readiness, forecasts, quotes, needed)
    return Checks(
        quotes=quotes,
        workloads=workloads,
        needed=needed,
        unverified=unverified,
        hard=hard,
        has_missing=_all(np.array([bool(gaps) for gaps in quotes.missing], dtype=np.bool_), shape),
        no_rate=np.isnan(needed) & accepted,
        is_early=workloads.start > as_of + quotes.horizon,
        overbuy=_overbuy(quotes, workloads, needed),
    )


def _all(by_quote: Flags, shape: tuple[int, ...]) -> Flags:
    """Return flags of quotes for every workload."""
    return np.broadcast_to(by_quote, shape)


def _has_accelerator(scenario: Scenario) -> Flags:
    return np.array([quote.accelerator is not None for quote in scenario.quotes], dtype=np.bool_)


def _size_checks(quotes: QuoteColumns, workloads: WorkloadColumns, needed: Numbers) -> dict[str, Flags]:
    return {
        "quantity_too_small": quotes.quantity < needed,
        "one_domain_too_small": workloads.is_one_job & (quotes.domain < needed),
        "quota_short": quotes.quota < needed,
    }


def _is_weak(scenario: Scenario, quotes: QuoteColumns, workloads: WorkloadColumns, needed: Numbers) -> Flags:
    """Return where the network is for a smaller scale than asked; a need that states none is inferred from its size."""
    inferred = np.where(
        workloads.is_one_job & (needed > quotes.node),
        MULTI_NODE,
        np.where(workloads.is_one_job & (needed > 1), SINGLE_NODE, SINGLE_ACCELERATOR),
    )
    asked = np.where(np.isnan(workloads.interconnect), inferred, workloads.interconnect)
    is_multi = (quotes.cluster != UNKNOWN) & (quotes.interconnect >= MULTI_NODE)
    domains = np.array([float(largest_domain(build)) for build in scenario.builds] or [0.0])
    meets_scale = is_multi & (domains[np.maximum(quotes.cluster, 0)] >= needed)  # semantics 39
    offered = np.where(meets_scale, CLUSTER_SCALE, quotes.interconnect)
    return np.asarray(offered < asked, dtype=np.bool_)


def _day_checks(quotes: QuoteColumns, workloads: WorkloadColumns, as_of: int) -> dict[str, Flags]:
    """Return the rules about days; where start and need differ, the day that favours the quote counts."""
    begin = np.maximum(workloads.start, quotes.earliest)
    last_day = begin + np.ceil(workloads.days - _DAY_PART) - 1
    return {
        "duration_over_max": workloads.days > quotes.most_days + _DAY_PART,
        "starts_after_need": quotes.earliest > workloads.need,
        "ends_before_done": quotes.available_to < last_day,
        "too_late_to_book": workloads.need - quotes.lead < as_of,
    }


def _overbuy(quotes: QuoteColumns, workloads: WorkloadColumns, needed: Numbers) -> Numbers:
    """Return accelerator-days that must be bought beyond the need."""
    bought = np.maximum(needed, quotes.least) * np.maximum(workloads.days, quotes.least_days)
    return np.asarray(bought - needed * workloads.days)


def _fabric_checks(workloads: tuple[Workload, ...], quotes: QuoteColumns) -> tuple[Flags, Flags]:
    """Return where the fabric is unknown and where it is not accepted, for workloads that name fabrics."""
    accepts = np.array(
        [[not one.fabrics or name in one.fabrics for name in FABRICS] for one in workloads], dtype=np.bool_
    )
    accepts = accepts.reshape(len(workloads), len(FABRICS))
    asks = np.array([[bool(one.fabrics)] for one in workloads], dtype=np.bool_).reshape(-1, 1)
    is_unknown = np.isnan(quotes.fabric)
    index = np.where(is_unknown, 0, quotes.fabric).astype(np.int64)
    return asks & is_unknown, ~accepts[:, index] & ~is_unknown


def _place_checks(scenario: Scenario) -> tuple[dict[str, Flags], dict[str, Flags]]:
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
    pick = np.ix_([row_of[rule] for rule in rules], [column_of[place] for place in places])

    def flags(code: str) -> Flags:
        table = np.array([[code in found for found in row] for row in codes], dtype=np.bool_)
        return table.reshape(len(row_of), len(column_of))[pick]

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
    needed: Numbers,
) -> dict[str, Flags]:
    """Return where the record of the cluster that serves a quote does not make the day (semantics 12).

    Each build is asked once for each need; quotes of one cluster share the answer.
    """
    served = sorted({int(index) for index in quotes.cluster if index != UNKNOWN})
    states = np.full((len(scenario.workloads), len(scenario.builds) + 1), READY, dtype=np.int64)
    for index in served:
        build = scenario.builds[index]
        first: Indices = np.flatnonzero(quotes.cluster == index)[:1]
        for row, workload in enumerate(scenario.workloads):
            count = needed[row, first[0]]
            if not np.isnan(count) and build.id in readiness and build.id in forecasts:
                states[row, index] = _state(scenario, workload, build, forecasts[build.id], int(count))
    by_quote = states[:, quotes.cluster]  # UNKNOWN reads the last column, which is ready
    return {"not_ready_by_need": by_quote == NOT_READY, "no_forecast": by_quote == NO_FORECAST}


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
