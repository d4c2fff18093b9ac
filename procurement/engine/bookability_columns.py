"""Workloads and quotes as columns of numbers: what the rules of booking compare (R14)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from procurement.engine.codes import FABRICS, INTERCONNECTS
from procurement.engine.equal_work import INFERENCE_KINDS
from procurement.engine.obstacles import largest_domain
from procurement.engine.pairs import Kinds, kinds_of
from procurement.engine.periods import DAYS_PER_YEAR, MONTHS_PER_YEAR, SMALLEST_PART, stated_length
from procurement.engine.quote_filter import accepts_accelerator
from procurement.engine.quote_terms import (
    INTERRUPTIBLE_MODELS,
    LIST_CAPACITY,
    capacity_class_of,
    node_size,
    quote_expiry,
)
from procurement.engine.tables import Assumptions, Build, Quote, Scenario, Workload
from providers.reference import INFERENCE_RATES, TRAINING_RATES, accelerator_accepts, memory_gb, rate_ratio

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
UNKNOWN = -1
SAME_TYPE = 1.0  # ratio of rates; keeps N as stated, without rounding to nodes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuoteColumns:
    """One entry per quote, shape (quotes,); days are ordinals, NaN is unknown, infinity is no limit."""

    quantity: Numbers
    domain: Numbers
    node: Numbers
    interconnect: Numbers  # index into INTERCONNECTS, NaN unknown
    fabric: Numbers  # index into FABRICS, NaN unknown
    memory: Numbers  # GB per accelerator
    earliest: Numbers
    available_to: Numbers
    lead: Numbers
    horizon: Numbers
    least: Numbers
    least_days: Numbers
    most_days: Numbers
    quota: Numbers
    interruption: Numbers
    expires: Numbers
    quoted: Numbers
    is_interruptible: Flags
    has_quantity: Flags
    has_accelerator: Flags
    cluster: Indices  # index into the builds, UNKNOWN without
    capacity_class: tuple[str | None, ...]
    missing: tuple[tuple[str, ...], ...]  # fields that must not be missing but are
    assumed: tuple[tuple[str, ...], ...]  # fields that a list price lacks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkloadColumns:
    """One entry per workload, shape (workloads, 1)."""

    accelerators: Numbers
    start: Numbers
    need: Numbers
    days: Numbers
    interconnect: Numbers  # index into INTERCONNECTS, NaN not stated
    memory: Numbers
    is_one_job: Flags
    is_interruptible: Flags
    accepts_best_effort: Flags


def quote_columns(scenario: Scenario) -> QuoteColumns:
    """Return the quotes of a scenario as columns; a quote that names a cluster takes what it lacks from there."""
    quotes = scenario.quotes
    builds = {build.id: index for index, build in enumerate(scenario.builds)}
    as_of = scenario.as_of.toordinal()
    filled = [_filled(quote, _cluster(quote, builds, scenario)) for quote in quotes]
    classes = tuple(capacity_class_of(quote) for quote in filled)
    is_list = tuple(one in LIST_CAPACITY for one in classes)
    gaps = [_gaps(quote, one, quote.cluster in builds) for quote, one in zip(filled, classes, strict=True)]
    memory = {name: memory_gb(name) for name in {quote.accelerator for quote in quotes if quote.accelerator}}
    may_lack = [is_one and quote.accelerator is not None for quote, is_one in zip(filled, is_list, strict=True)]

    def stated(name: str, unknown: float) -> Numbers:
        return _numbers(map(attrgetter(name), filled), unknown)

    def days(name: str, unknown: float) -> Numbers:
        return _numbers(map(_ordinal, map(attrgetter(name), filled)), unknown)

    return QuoteColumns(
        quantity=stated("quantity_available", np.inf),
        domain=_numbers(map(_domain, filled, is_list), np.inf),
        node=_numbers(map(node_size, filled), 1),
        interconnect=_numbers(map(_interconnect, filled, is_list), np.nan),
        fabric=_numbers((None if one.fabric is None else FABRICS.index(one.fabric) for one in filled), np.nan),
        memory=_numbers((memory.get(quote.accelerator or "") for quote in filled), np.nan),
        earliest=days("earliest_start", as_of),
        available_to=days("available_to", np.inf),
        lead=stated("lead_time_days", 0),
        horizon=stated("booking_horizon_days", np.inf),
        least=stated("min_accelerators", 0),
        least_days=_numbers(map(_least_days, filled), 0),
        most_days=stated("max_days", np.inf),
        quota=stated("quota_accelerators", np.inf),
        interruption=stated("monthly_interruption", np.nan),
        expires=_numbers(_expiries(filled), np.inf),
        quoted=days("quoted_on", -np.inf),
        is_interruptible=np.array([quote.purchase_model in INTERRUPTIBLE_MODELS for quote in filled], dtype=np.bool_),
        has_quantity=np.array([quote.quantity_available is not None for quote in filled], dtype=np.bool_),
        has_accelerator=np.array([quote.accelerator is not None for quote in quotes], dtype=np.bool_),
        cluster=np.array([builds.get(quote.cluster or "", UNKNOWN) for quote in quotes], dtype=np.int64),
        capacity_class=classes,
        missing=tuple(() if may else gap for gap, may in zip(gaps, may_lack, strict=True)),
        assumed=tuple(
            _assumed(quote, gap) if may else () for quote, gap, may in zip(quotes, gaps, may_lack, strict=True)
        ),
    )


def _numbers(values: Iterable[float | int | None], unknown: float) -> Numbers:
    """Return a column of numbers, ``unknown`` where there is none."""
    column = np.array(list(values), dtype=np.float64)  # None becomes NaN
    column[np.isnan(column)] = unknown
    return column


def _expiries(quotes: Iterable[Quote]) -> Iterable[int | None]:
    """Return the last day of each quote; those that state the same have the same."""
    known: dict[tuple[object, ...], int | None] = {}
    for quote in quotes:
        key = (quote.purchase_model, quote.quoted_on, quote.valid_until)
        if key not in known:
            known[key] = _ordinal(quote_expiry(quote))
        yield known[key]


def _ordinal(day: date | None) -> int | None:
    return None if day is None else day.toordinal()


def _cluster(quote: Quote, builds: Mapping[str, int], scenario: Scenario) -> Build | None:
    index = builds.get(quote.cluster or "")
    return None if index is None else scenario.builds[index]


def _filled(quote: Quote, cluster: Build | None) -> Quote:
    """Return the quote with what the record of its cluster says where the quote itself says nothing."""
    if cluster is None:
        return quote
    planned = sum(tranche.planned_accelerators for tranche in cluster.tranches)
    given: dict[str, Any] = {
        "accelerator": cluster.accelerator,
        "accelerators_per_node": cluster.accelerators_per_node,
        "quantity_available": planned,
        "largest_domain_accelerators": largest_domain(cluster),
        "interconnect": cluster.design_class,
        "fabric": cluster.fabric,
        "region": cluster.region,
    }
    missing = {name: value for name, value in given.items() if getattr(quote, name) is None}
    return _replaced(quote, missing)


def _replaced(quote: Quote, values: Mapping[str, Any]) -> Quote:
    stated = {name: getattr(quote, name) for name in Quote.__dataclass_fields__}
    return Quote(**{**stated, **values})


REQUIRED = (
    "accelerator", "interconnect", "quantity_available", "largest_domain_accelerators", "earliest_start",
)  # fmt: skip
required_of = attrgetter(*REQUIRED)


def _gaps(quote: Quote, capacity_class: str | None, has_cluster: bool) -> tuple[str, ...]:
    """Return the required fields that are missing."""
    gaps = [name for name, value in zip(REQUIRED, required_of(quote), strict=True) if value is None]
    if has_cluster and "earliest_start" in gaps:
        gaps.remove("earliest_start")  # the record of the cluster says when
    if capacity_class is None:
        gaps.append("capacity_class")
    return tuple(gaps)


def _assumed(quote: Quote, gaps: Iterable[str]) -> tuple[str, ...]:
    """Return what is assumed of a list price: one node, from today, any quantity, as firm as its purchase model."""
    more = [name for name in ("capacity_class", "quoted_on") if getattr(quote, name) is None]
    return tuple(dict.fromkeys((*gaps, *more)))


def _domain(quote: Quote, is_list: bool) -> int | None:
    if quote.largest_domain_accelerators is not None:
        return quote.largest_domain_accelerators
    return node_size(quote) if is_list else None


def _interconnect(quote: Quote, is_list: bool) -> int | None:
    if quote.interconnect is not None:
        return INTERCONNECTS.index(quote.interconnect)
    if not is_list:
        return None
    return INTERCONNECTS.index("single_node" if node_size(quote) > 1 else "single_accelerator")


def _least_days(quote: Quote) -> float | None:
    """Return the shortest time that is paid: min_days, for a commitment its term."""
    if quote.min_days is None and quote.term_months is not None:
        return quote.term_months * DAYS_PER_YEAR / MONTHS_PER_YEAR
    return quote.min_days


def workload_columns(scenario: Scenario) -> WorkloadColumns:
    """Return the workloads of a scenario as columns."""
    workloads = scenario.workloads

    def numbers(value: Callable[[Workload], float | int | None]) -> Numbers:
        found = [np.nan if (one := value(workload)) is None else one for workload in workloads]
        return np.array(found, dtype=np.float64).reshape(-1, 1)

    def flags(value: Callable[[Workload], bool]) -> Flags:
        return np.array([value(workload) for workload in workloads], dtype=np.bool_).reshape(-1, 1)

    return WorkloadColumns(
        accelerators=numbers(lambda workload: workload.accelerators),
        start=numbers(lambda workload: workload.start.toordinal()),
        need=numbers(lambda workload: need_day(workload).toordinal()),
        days=numbers(lambda workload: window_days(workload, scenario.assumptions)),
        interconnect=numbers(
            lambda workload: None if workload.interconnect is None else INTERCONNECTS.index(workload.interconnect)
        ),
        memory=numbers(lambda workload: workload.min_memory_gb),
        is_one_job=flags(lambda workload: workload.shape == "one_job"),
        is_interruptible=flags(lambda workload: workload.interruptible),
        accepts_best_effort=flags(_accepts_best_effort),
    )


def need_day(workload: Workload) -> date:
    """Return the last day on which the accelerators must be there (semantics 2)."""
    return workload.need_by or workload.start


def window_days(workload: Workload, assumptions: Assumptions) -> float:
    """Return the length of the window [days], cut at the horizon."""
    days_per_month = DAYS_PER_YEAR / MONTHS_PER_YEAR
    horizon = assumptions.horizon_months * days_per_month
    if workload.days is not None:
        return min(float(workload.days), horizon)
    return min(stated_length(workload, float(assumptions.horizon_months)) * days_per_month, horizon)


def _accepts_best_effort(workload: Workload) -> bool:
    """Tell whether a workload may run on capacity that nobody promises, whatever the node (semantics 10)."""
    policy = workload.deadline_policy or ("hard" if workload.need_by else "soft")
    return workload.shape in ("replicas", "independent_jobs") or policy in ("soft", "none")


def type_kinds(quotes: Sequence[Quote], columns: QuoteColumns) -> Kinds:
    """Return the kinds of quotes that offer the same accelerator in the same node: N is the same at all of them."""
    index = {name: number for number, name in enumerate(dict.fromkeys(quote.accelerator for quote in quotes))}
    return kinds_of(np.array([index[quote.accelerator] for quote in quotes], dtype=np.int64), columns.node)


def accelerators_needed(workloads: Sequence[Workload], quotes: Sequence[Quote]) -> Numbers:
    """Return N in each quote's own accelerator type, shape (workloads, quotes); NaN without a published rate.

    N is stated for the first accepted type; another type is scaled by its rate and rounded up to whole nodes
    (semantics 7). Each pair of types is compared once, whatever the number of workloads and quotes.
    """
    wanted = [(one.accelerator_types[:1], one.kind in INFERENCE_KINDS) for one in workloads]
    offered = [quote.accelerator for quote in quotes]
    row_of = {want: index for index, want in enumerate(dict.fromkeys(wanted))}
    column_of = {name: index for index, name in enumerate(dict.fromkeys(offered))}
    ratios = np.array([[_ratio(want, name) for name in column_of] for want in row_of]).reshape(
        len(row_of), len(column_of)
    )
    ratio = ratios[np.ix_([row_of[want] for want in wanted], [column_of[name] for name in offered])]
    stated = np.array([[float(one.accelerators)] for one in workloads]).reshape(-1, 1)
    node = np.array([float(node_size(quote)) for quote in quotes])
    scaled = np.ceil(np.ceil(stated / ratio - SMALLEST_PART) / node) * node
    return np.where(ratio == SAME_TYPE, stated, scaled)


def _ratio(want: tuple[tuple[str, ...], bool], offered: str | None) -> float:
    """Return the rate of the offered over that of the wanted type; SAME_TYPE for one type, NaN without a rate."""
    types, is_inference = want
    if not types or offered is None or accelerator_accepts(types[0], offered):
        return SAME_TYPE
    found = rate_ratio(types[0], offered, INFERENCE_RATES if is_inference else TRAINING_RATES)
    return np.nan if found is None else found.ratio


def accepted_types(workloads: Sequence[Workload], quotes: Sequence[Quote]) -> Flags:
    """Return whether each quote's accelerator is one that each workload accepts, shape (workloads, quotes)."""
    wanted = [one.accelerator_types for one in workloads]
    offered = [quote.accelerator for quote in quotes]
    row_of = {want: index for index, want in enumerate(dict.fromkeys(wanted))}
    column_of = {name: index for index, name in enumerate(dict.fromkeys(offered))}
    accepts = [[accepts_accelerator(want, name) for name in column_of] for want in row_of]
    table = np.array(accepts, dtype=np.bool_).reshape(len(row_of), len(column_of))
    return table[np.ix_([row_of[want] for want in wanted], [column_of[name] for name in offered])]
