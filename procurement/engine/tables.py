"""The records of the scenario document: one dataclass each, every column with its unit and meaning.

Model fields, API keys, CSV headers, the JSON Schema and the reference page take their names from here.
"""

import dataclasses
import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from procurement.engine import codes
from procurement.engine.columns import Range, column
from procurement.engine.measured import MeasuredMonth, MeasuredRun
from procurement.engine.tables_policy import ApprovalStep as ApprovalStep  # re-exported: every record is found here
from procurement.engine.tables_policy import Pin as Pin
from procurement.engine.tables_policy import Policy as Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One priced line of a build or of a quote's extras (semantics 13 to 18)."""

    component: str = column("what is paid for", required=True, choices=codes.COMPONENTS)
    amount: float | None = column("amount per basis; a power line may leave it out", unit="currency", ranged=True)
    currency: str = column("ISO 4217 code", required=True)
    basis: str = column("what the amount is per", default="once", choices=codes.COST_BASES)
    at_month: int = column("months after the later of month 0 and delivery", unit="months", default=0, ranged=True)
    months: int | None = column("how many months the line recurs; to the end when left out", unit="months", ranged=True)
    life_months: int | None = column("economic life of what a once line buys", unit="months", ranged=True)
    residual_fraction: float = column(
        "share of the amount left after its life", unit="fraction", default=0.0, ranged=True
    )
    status: str = column("planned, committed or paid", default="planned", choices=codes.COST_STATUSES)
    covers: tuple[str, ...] = column("other expected components that this line pays for", factory=tuple)
    kw: float | None = column("committed power that a per_kw_month line bills", unit="kW", ranged=True)
    it_kw: float | None = column("IT power of the whole build, for a power line", unit="kW", ranged=True)
    pue: float | None = column("facility over IT energy, for a power line", unit="ratio", ranged=True)
    price_per_kwh: float | None = column("energy price, for a power line", unit="currency per kWh", ranged=True)
    idle_fraction: float = column("power drawn at idle over power at work", unit="fraction", default=0.0, ranged=True)
    fte: float | None = column("full-time equivalents, for a staff line", unit="people", ranged=True)
    source: str = column("where the figure comes from", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """An expected component that is knowingly left out, with the reason (semantics 18)."""

    component: str = column("expected component", required=True)
    reason: str = column("why it costs nothing here", required=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One offer of a provider: configuration, price, term and availability."""

    id: str = column("name of the quote in the document", required=True)
    provider: str | None = column("who sells it")
    sku: str | None = column("the provider's own name of what is sold")
    accelerator: str | None = column("accelerator model, as in the reference table")
    accelerators_per_node: int | None = column("accelerators in one node", unit="accelerators")
    accelerators_per_instance: float | None = column("accelerators in one billed instance", unit="accelerators")
    price: float | None = column("amount per price basis", unit="currency", ranged=True)
    list_price: float | None = column("price before the contract discount, on the same basis", unit="currency")
    price_steps: tuple[str, ...] = column("how the price follows from the list price", factory=tuple)
    price_basis: str = column("what the price is per", default="per_accelerator_hour", choices=codes.PRICE_BASES)
    price_hours_per_month: float | None = column("hours of the month the supplier means", unit="hours", ranged=True)
    currency: str | None = column("ISO 4217 code")
    price_includes_tax: bool = column("whether tax is in the price", default=False)
    purchase_model: str = column("how it is bought", default="on_demand", choices=codes.PURCHASE_MODELS)
    term_months: int | None = column("length of one term", unit="months", ranged=True)
    upfront: float = column(
        "paid at each term's start, per price basis unit", unit="currency", default=0.0, ranged=True
    )
    payment_option: str = column("how much is paid up front", default="none", choices=codes.PAYMENT_OPTIONS)
    includes: tuple[str, ...] = column("components in the price", factory=tuple)
    excludes: tuple[str, ...] = column("components not in the price", factory=tuple)
    cluster: str | None = column("build of that provider which will serve it")
    interconnect: str | None = column("scale it is quoted for", choices=codes.INTERCONNECTS)
    fabric: str | None = column("network between nodes", choices=codes.FABRICS)
    network_gbps_per_accelerator: float | None = column("nominal network bandwidth", unit="Gbit/s", ranged=True)
    measured_allreduce_gbps: float | None = column("measured all-reduce bus bandwidth", unit="Gbit/s", ranged=True)
    toll_multiplier: float | None = column("what the place makes of the modelled toll", unit="ratio", ranged=True)
    measured_runs: tuple[MeasuredRun, ...] = column("runs timed here", factory=tuple, record="MeasuredRun")
    region: str | None = column("region of the provider")
    quantity_available: int | None = column("accelerators on offer together", unit="accelerators")
    largest_domain_accelerators: int | None = column("largest single fabric domain", unit="accelerators")
    min_accelerators: int | None = column("least that can be bought", unit="accelerators")
    min_days: int | None = column("shortest time that is billed", unit="days", ranged=True)
    max_days: int | None = column("longest time it may be held", unit="days", ranged=True)
    quoted_on: date | None = column("day the price was stated or observed")
    valid_until: date | None = column("last day the offer can be signed")
    earliest_start: date | None = column("first day the accelerators can be there")
    available_to: date | None = column("last day the accelerators can be held")
    lead_time_days: int | None = column("days from signature to start", unit="days", ranged=True)
    booking_horizon_days: int | None = column("how far ahead it can be booked", unit="days", ranged=True)
    capacity_class: str | None = column("how firm the capacity is", choices=codes.CAPACITY_CLASSES)
    quota_accelerators: int | None = column("quota this buyer holds", unit="accelerators")
    monthly_interruption: float | None = column("chance a node is interrupted in 30 days", unit="fraction", ranged=True)
    egress_per_gb: float | None = column("price of data out", unit="currency per GB", ranged=True)
    storage_per_gb_month: float | None = column("price of storage", unit="currency per GB-month", ranged=True)
    support_fraction: float | None = column("support, of other recurring rows", unit="fraction", ranged=True)
    setup_fee: float = column("paid once per contract", unit="currency", default=0.0, ranged=True)
    exit_fee: float = column("paid once at the end", unit="currency", default=0.0, ranged=True)
    costs: tuple[CostLine, ...] = column("further priced lines", factory=tuple, record="CostLine")
    waived: tuple[Waiver, ...] = column("expected components left out", factory=tuple, record="Waiver")
    failures_per_1000_node_days: float | None = column("failures", unit="per 1,000 node-days", ranged=True)
    restart_minutes: float | None = column("time to restart a failed job", unit="minutes", ranged=True)
    storage_read_gb_s: float | None = column("storage read rate, whole cluster", unit="GB/s", ranged=True)
    storage_write_gb_s: float | None = column("storage write rate, whole cluster", unit="GB/s", ranged=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tranche:
    """A part of a build that is handed over together."""

    id: str = column("name of the tranche", default="T1")
    planned_accelerators: int = column("accelerators planned", unit="accelerators", required=True, default=0)
    fabric_domain: str | None = column("fabric domain; the tranche itself when left out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One append-only statement that a gate was reached or lost (semantics 31)."""

    gate: str = column("what is proven", required=True, choices=codes.EVIDENCE_GATES)
    tranche: str = column("tranche, `*` for all of the build, `site:<name>` for a site's pool", default="T1")
    qty: float | None = column("total on that day, in unit", unit="unit")
    unit: str = column("what qty counts", default="accelerators", choices=(
        "accelerators", "nodes", "kw", "kw_it", "kw_facility", "kw_nameplate", "rdma_ports", "ports"))  # fmt: skip
    medium: str | None = column("cooling medium; all when left out", choices=("air", "liquid"))
    scope: str | None = column("network scope", choices=("rdma", "frontend"))
    basis: str | None = column("how a power figure was got", choices=("measured", "nameplate"))
    redundancy: str | None = column("redundancy of a nameplate figure", choices=("N", "N+1", "2N"))
    feeds: int | None = column("number of feeds, for N+1", unit="feeds")
    continuous_factor: float = column("usable share of nameplate", unit="fraction", default=0.8)
    pue: float | None = column("facility over IT power", unit="ratio")
    power_basis: str | None = column("where the power comes from", choices=codes.POWER_BASES)
    nodes: tuple[int, int] | None = column("first and last node number, both included")
    event: str | None = column("a loss or a reduction", choices=codes.EVENTS)
    grade: str = column("A own test to E plan", required=True, choices=codes.GRADES)
    observed_on: date = column("day it was true", required=True)
    recorded_on: date | None = column("day we learned it")
    achieved_on: date | None = column("day it was reached")
    valid_until: date | None = column("replaces the age limit")
    source: str = column("address or document hash", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A date that somebody promised for a gate, with the day it was promised."""

    gate: str = column("what is promised", required=True, choices=codes.EVIDENCE_GATES)
    tranche: str = column("tranche, `*` or `site:<name>`", default="T1")
    medium: str | None = column("cooling medium; all when left out", choices=("air", "liquid"))
    date: datetime.date = column("promised day", required=True)
    stated_on: datetime.date = column("day the promise was made", required=True)
    stated_by: str = column("who promised it", default="")
    slip_class: str | None = column("slip class, key `class` in the document", choices=codes.SLIP_CLASSES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """A cluster that is built, ours or a provider's."""

    id: str = column("name of the build in the document", required=True)
    operator: str = column("`own` or the provider", default=codes.OWN)
    site: str | None = column("site it stands at")
    accelerator: str = column("accelerator model", required=True)
    accelerators_per_node: int = column("accelerators in one node", unit="accelerators", required=True, default=0)
    it_kw_per_node: float | None = column("all-in IT power of a node", unit="kW", ranged=True)
    cooling_kw_per_node: Mapping[str, float] | None = column("heat to remove by medium", unit="kW", ranged=True)
    rdma_ports_per_node: int | None = column("fabric ports of a node", unit="ports")
    design_class: str = column("what the network is designed for", default="multi_node", choices=codes.DESIGN_CLASSES)
    fabric: str | None = column("network between nodes", choices=codes.FABRICS)
    network_gbps_per_accelerator: float | None = column("nominal network bandwidth", unit="Gbit/s", ranged=True)
    measured_allreduce_gbps: float | None = column("measured all-reduce bus bandwidth", unit="Gbit/s", ranged=True)
    toll_multiplier: float | None = column("what the place makes of the modelled toll", unit="ratio", ranged=True)
    measured_runs: tuple[MeasuredRun, ...] = column("runs timed here", factory=tuple, record="MeasuredRun")
    region: str | None = column("region it stands in")
    committed: bool = column("whether the capital is spent or committed", default=False)
    cancelled_on: date | None = column("day it was cancelled")
    node_ids_known: bool = column("whether evidence names nodes", default=False)
    bringup_days: float | None = column("planned serial bring-up after the gates", unit="days", ranged=True)
    availability: float = column("share of hours the nodes are up", unit="fraction", default=1.0, ranged=True)
    tranches: tuple[Tranche, ...] = column("parts", factory=tuple, required=True, record="Tranche")
    evidence: tuple[Evidence, ...] = column("what is proven", factory=tuple, record="Evidence")
    promises: tuple[Promise, ...] = column("what is promised", factory=tuple, record="Promise")
    costs: tuple[CostLine, ...] = column("cost lines", factory=tuple, record="CostLine")
    waived: tuple[Waiver, ...] = column("expected components left out", factory=tuple, record="Waiver")
    failures_per_1000_node_days: float | None = column("failures", unit="per 1,000 node-days", ranged=True)
    restart_minutes: float | None = column("time to restart a failed job", unit="minutes", ranged=True)
    storage_read_gb_s: float | None = column("storage read rate, whole cluster", unit="GB/s", ranged=True)
    storage_write_gb_s: float | None = column("storage write rate, whole cluster", unit="GB/s", ranged=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """When the accelerators work: exactly one of the forms (semantics 5)."""

    hours_per_month: float | None = column("hours in which all work", unit="hours per month", ranged=True)
    utilisation: float | None = column("share of the month's hours", unit="fraction", ranged=True)
    monthly: tuple[float, ...] | None = column("hours of each month", unit="hours")
    hourly: tuple[float, ...] | None = column("accelerators in use per hour, repeated", unit="accelerators")
    hourly_file: str | None = column("file with one number a line; command line only")
    base: float | None = column("least in use", unit="accelerators", ranged=True)
    peak: float | None = column("most in use", unit="accelerators", ranged=True)
    curve: str | None = column("shape between base and peak", choices=("linear", "chat", "code"))
    tokens_per_second: float | None = column("mean served", unit="tokens per second", ranged=True)
    peak_to_mean: float | None = column("peak over mean", unit="ratio", ranged=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A measured run of this job (semantics 24)."""

    accelerators: int = column("size of the run", unit="accelerators", required=True, default=0)
    step_s: float = column("seconds per step", unit="s", required=True, default=0.0, ranged=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """What one training job computes."""

    params_b: float = column("parameters", unit="billions", required=True, default=0.0, ranged=True)
    active_params_b: float | None = column("parameters active per token", unit="billions", ranged=True)
    tokens_per_step: float | None = column("tokens per optimiser step", unit="tokens", ranged=True)
    total_tokens: float | None = column("tokens of the whole job", unit="tokens", ranged=True)
    mfu_node: float | None = column("model FLOPs utilisation inside one node", unit="fraction", ranged=True)
    checkpoint_gb: float | None = column("size of a checkpoint", unit="GB", ranged=True)
    anchor: Anchor | None = column("a measured run", record="Anchor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """What one inference service serves."""

    model: str | None = column("model of the published rounds")
    slo: str | None = column("service level", choices=codes.SERVICE_LEVELS)
    tokens_per_second_per_accelerator: float | None = column("measured rate", unit="tokens per second", ranged=True)
    requests_per_second: float | None = column("arrival rate", unit="1/s", ranged=True)
    service_seconds: float | None = column("mean time of a request", unit="s", ranged=True)
    max_wait_seconds: float | None = column("wait allowed", unit="s", ranged=True)
    tail: float | None = column("share that may wait longer", unit="fraction", ranged=True)
    redundancy: str = column("spare capacity", default="none", choices=codes.REDUNDANCIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentPlace:
    """What the workload runs on today."""

    place: str = column("id of a quote or build, or free text", required=True)
    cost_per_month: float | None = column("what it costs", unit="currency of the assumptions per month", ranged=True)
    measured: tuple[MeasuredMonth, ...] = column("measured months", factory=tuple, record="MeasuredMonth")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One need for accelerators."""

    id: str = column("name of the workload in the document", required=True)
    kind: str = column("what it does", default="experimentation", choices=codes.KINDS)
    shape: str = column("how it uses accelerators", default="one_job", choices=codes.SHAPES)
    accelerators: int = column("accelerators it asks for", unit="accelerators", required=True, default=0)
    accelerator_types: tuple[str, ...] = column("accepted models; the first is the one asked in", factory=tuple)
    min_memory_gb: float | None = column("least memory per accelerator", unit="GB", ranged=True)
    interconnect: str | None = column("least scale it needs", choices=codes.INTERCONNECTS)
    fabrics: tuple[str, ...] = column("accepted fabrics; any when empty", factory=tuple)
    start: date = column("first day of the window", required=True)
    need_by: date | None = column("last day the accelerators must be there; start when left out")
    days: float | None = column("length of the window", unit="days", ranged=True)
    months: float | None = column("length of the window", unit="months", ranged=True)
    end: date | None = column("day after the window")
    deadline_policy: str | None = column("hard with need_by, else soft", choices=codes.DEADLINE_POLICIES)
    demand: Demand | None = column("when the accelerators work", record="Demand")
    growth_per_year: float = column("growth of the demand", unit="fraction per year", default=0.0, ranged=True)
    training: Training | None = column("training job", record="Training")
    inference: Inference | None = column("inference service", record="Inference")
    dataset_gb: float | None = column("size of the data set", unit="GB", ranged=True)
    egress_gb_per_month: float | None = column("data that leaves", unit="GB per month", ranged=True)
    storage_gb: float | None = column("data kept", unit="GB", ranged=True)
    feed_gb_s_per_accelerator: float | None = column("data each accelerator reads", unit="GB/s", ranged=True)
    residency: tuple[str, ...] = column("countries, EU, EEA or site:<id> that may hold it", factory=tuple)
    allowed_providers: tuple[str, ...] = column("providers that may be used; any when empty", factory=tuple)
    interruptible: bool = column("whether it survives interruption", default=False)
    current: CurrentPlace | None = column("what it runs on today", record="CurrentPlace")
    switching_cost: float | None = column("cost of leaving the current place", unit="currency", ranged=True)
    value_per_accelerator_hour: float | None = column("value of the work", unit="currency per hour", ranged=True)
    second_place_overhead_per_month: float | None = column("cost of a second place", unit="currency", ranged=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FxRate:
    """A dated exchange rate: one base costs `rate` counter."""

    base: str = column("ISO 4217 code", required=True)
    counter: str = column("ISO 4217 code", required=True)
    rate: float = column("counter per base", unit="ratio", required=True, default=0.0)
    on: date = column("day of the rate", required=True)
    source: str = column("who published it", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tax:
    """Income tax, off by default."""

    rate: float = column("tax rate", unit="fraction", required=True, default=0.0)
    depreciation: str = column("schedule", default="straight_line", choices=codes.DEPRECIATIONS)
    book_life_months: int | None = column("life for straight line", unit="months")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredGrade:
    """Grade that evidence of power must have above a spend."""

    above: float = column("spend above which the grade is asked", unit="currency", required=True, default=0.0)
    grade: str = column("least grade", required=True, choices=("A", "B", "C"), default="C")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipClass:
    """P10 and P90 of actual over promised duration, lognormal."""

    p10: float = column("10 % quantile", unit="ratio", required=True, default=1.0)
    p90: float = column("90 % quantile", unit="ratio", required=True, default=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceChange:
    """Yearly price paths."""

    cloud: float = column("metered cloud rows and renewals", unit="fraction per year", default=0.0, ranged=True)
    power: float = column("energy", unit="fraction per year", default=0.0, ranged=True)
    staff: float = column("staff", unit="fraction per year", default=0.0, ranged=True)
    colocation: float = column("colocation and space", unit="fraction per year", default=0.0, ranged=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """What every option is computed with."""

    currency: str = column("currency of the answer, ISO 4217", default="USD")
    time_zone: str = column("zone in which days end", default="UTC")
    horizon_months: int = column("longest window", unit="months", default=60)
    hours_per_month: float = column("hours in a month", unit="hours", default=730.0)
    discount_rate: float | None = column("effective nominal rate; no default", unit="fraction per year", ranged=True)
    borrowing_rate: float | None = column("rate of debt, for leases; else the discount rate", unit="fraction per year")
    discount_timing: str = column("when recurring rows fall", default="as_ledger", choices=codes.DISCOUNT_TIMINGS)
    price_change_per_year: PriceChange = column("price paths", factory=PriceChange, record="PriceChange")
    risk_quantile: float = column("quantile of dates that decides feasibility", unit="fraction", default=0.8)
    materiality: float = column("difference that matters", unit="currency", default=0.0)
    draws: int = column("number of draws", default=10000)
    seed: int = column("seed of the draws", default=0)
    correlation: float = column("common correlation of the inputs", unit="fraction", default=0.0)
    rank_by: str = column("what ranks options", default="mean", choices=codes.RANKINGS)
    tax: Tax | None = column("income tax; off when left out", record="Tax")
    powered_grade: PoweredGrade | None = column("stricter grade for power", record="PoweredGrade")
    fx: tuple[FxRate, ...] = column("exchange rates", factory=tuple, record="FxRate")
    evidence_days: Mapping[str, int] = column("age limits by gate, over the defaults", unit="days", factory=dict)
    slip_classes: Mapping[str, SlipClass] = column("slip classes, over the defaults", factory=dict, record="SlipClass")
    readings: str = column("reading of a delayed build", default="fixed_horizon", choices=codes.READINGS)
    forecast_dates: tuple[date, ...] = column("days for which by_date rows are wanted", factory=tuple)
    keep_options: tuple[str, ...] = column("options the answer must show", factory=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """The whole question, frozen: the engine's only input.

    ``ranges`` maps the JSON pointer of each {min, likely, max} of the document to its Range; the record itself
    holds the likely value.
    """

    as_of: date
    assumptions: Assumptions
    quotes: tuple[Quote, ...] = ()
    builds: tuple[Build, ...] = ()
    workloads: tuple[Workload, ...] = ()
    policy: Policy = dataclasses.field(default_factory=Policy)
    ranges: Mapping[str, Range] = dataclasses.field(default_factory=dict)
