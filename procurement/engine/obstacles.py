"""Why an own build cannot serve a workload: the constraints that quotes meet, asked of a build."""

from dataclasses import dataclass
from datetime import date, timedelta

from procurement.engine.codes import INTERCONNECTS
from procurement.engine.dates import days_at, reached_by, waits_for_renewal_alone
from procurement.engine.equal_work import accelerators_at
from procurement.engine.forecast import Forecast
from procurement.engine.options_on_prem import planned_accelerators
from procurement.engine.readiness import Readiness
from procurement.engine.residency import residency_reason
from procurement.engine.tables import Build, Workload
from providers.reference import accelerator_accepts, memory_gb

SINGLE_NODE = INTERCONNECTS.index("single_node")
CLUSTER_SCALE = INTERCONNECTS.index("cluster_scale")


@dataclass(frozen=True, slots=True, eq=False)
class BuildFacts:
    """What is known of one own build."""

    build: Build
    readiness: Readiness
    forecast: Forecast


def build_reasons(facts: BuildFacts, workload: Workload) -> tuple[str, ...]:
    """Return what speaks against a build whatever its dates: type, size, network, memory, place, missing facts."""
    build = facts.build
    residency = residency_reason(workload.residency, provider=None, region=build.region, site=build.site)
    checks = (
        (build.cancelled_on is not None, "cancelled"),
        (not is_accepted(build, workload), "wrong_accelerator"),
        (is_memory_small(build, workload), "memory_too_small"),
        (is_domain_small(build, workload), "one_domain_too_small"),
        (is_network_weak(build, workload), "interconnect_too_weak"),
        (bool(workload.fabrics) and build.fabric not in workload.fabrics, "fabric_not_accepted"),
    )
    found = tuple(code for is_so, code in checks if is_so)
    missing = tuple(f"missing:{fact}" for fact in facts.readiness.missing_facts)
    return (*found, *((residency,) if residency else ()), *missing)


def is_accepted(build: Build, workload: Workload) -> bool:
    """Return whether the build's accelerator is among those the workload accepts."""
    types = workload.accelerator_types
    return not types or any(accelerator_accepts(wanted, build.accelerator) for wanted in types)


def is_memory_small(build: Build, workload: Workload) -> bool:
    """Return whether one accelerator is known to hold less than the workload needs."""
    held = memory_gb(build.accelerator)
    return workload.min_memory_gb is not None and held is not None and held < workload.min_memory_gb


def largest_domain(build: Build) -> int:
    """Return the accelerators of the largest planned fabric domain."""
    domains: dict[str, int] = {}
    for tranche in build.tranches:
        name = tranche.fabric_domain or tranche.id
        domains[name] = domains.get(name, 0) + tranche.planned_accelerators
    return max(domains.values(), default=0)


def largest_job(build: Build) -> int:
    """Return the accelerators that one job can use together: a node, or the largest domain of a multi-node design."""
    return largest_domain(build) if build.design_class == "multi_node" else build.accelerators_per_node


def is_domain_small(build: Build, workload: Workload) -> bool:
    """Return whether one job of several nodes finds no fabric domain that holds it."""
    needed = needed_at(build, workload)
    return workload.shape == "one_job" and needed > build.accelerators_per_node and needed > largest_domain(build)


def needed_at(build: Build, workload: Workload) -> int:
    """Return N in the build's own type; as stated where the type is not accepted or no rate is known."""
    scaled = accelerators_at(workload, build.accelerator, build.accelerators_per_node or 1)
    return workload.accelerators if scaled is None or not is_accepted(build, workload) else scaled


def is_network_weak(build: Build, workload: Workload) -> bool:
    """Return whether the build's design is for a smaller scale than the workload needs (semantics 39)."""
    if workload.interconnect is None:
        return False
    needed = INTERCONNECTS.index(workload.interconnect)
    if needed <= SINGLE_NODE:
        return False
    if build.design_class != "multi_node":
        return True
    return needed == CLUSTER_SCALE and largest_domain(build) < needed_at(build, workload)


def date_reasons(
    facts: BuildFacts, workload: Workload, accelerators: int, as_of: date, quantile: float
) -> tuple[str, ...]:
    """Return ``no_forecast`` or ``not_ready_by_need`` where the usable date is unknown or too late (semantics 13).

    Evidence that only aged speaks against nothing: a verdict never flips on age alone (semantics 33).
    """
    if waits_for_renewal_alone(facts.forecast, facts.build, workload, accelerators):
        return ()
    days = days_at(reached_by(facts.forecast, facts.build, workload, accelerators), quantile)
    if days is None:
        return ("no_forecast",)
    need_by = max(workload.need_by or workload.start, as_of)
    return ("not_ready_by_need",) if as_of + timedelta(days=max(days, 0.0)) > need_by else ()


def size_reasons(build: Build, accelerators: int | None) -> tuple[str, ...]:
    """Return whether the build holds the need at all, in its own type."""
    if accelerators is None:
        return (f"no_rate:{build.accelerator}",)
    return ("quantity_too_small",) if accelerators > planned_accelerators(build) else ()
