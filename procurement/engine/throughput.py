"""Useful throughput: efficiency, goodput and feed of every workload at every place (METHOD.md, Throughput)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from procurement.engine import efficiency as eff
from procurement.engine import goodput as good
from procurement.engine.tables import Workload
from procurement.engine.throughput_columns import Jobs, Place, Sites, Speeds, job_columns, site_columns, speed_columns

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One line of the table that an auditor redoes on paper: a factor, its value and the numbers behind it."""

    factor: str
    value: float | None
    numbers: Mapping[str, float | str | None]


@dataclass(frozen=True, slots=True)
class Throughput:
    """What one workload gets out of an hour at one place; None where a needed figure is missing (see notes)."""

    efficiency: float | None
    goodput: float | None
    feed: float | None
    useful_share: float | None
    pessimistic_useful_share: float | None
    compute_s: float | None
    toll_s: float | None
    mtbf_h: float | None
    checkpoint_interval_min: float | None
    step_s: float | None
    notes: tuple[str, ...]
    useful_share_range: tuple[float, float] | None = None  # at the ends of the fabric's range
    audit: tuple[AuditRow, ...] = ()


@dataclass(frozen=True, slots=True)
class ThroughputTable:
    """Throughput of W workloads at P places as arrays of shape (W, P); NaN where it is not known."""

    accelerators: Numbers
    efficiency: Numbers  # NaN also where it is below the least that makes sense
    goodput: Numbers
    feed: Numbers
    useful_share: Numbers
    pessimistic_useful_share: Numbers
    range_low: Numbers  # useful share at the dear end of the fabric's range
    range_high: Numbers
    compute_s: Numbers
    toll_s: Numbers
    step_s: Numbers
    mtbf_h: Numbers
    checkpoint_interval_s: Numbers
    numbers: Mapping[str, Numbers]  # further intermediate numbers, for the audit
    flags: Mapping[str, Flags]  # note -> where it applies
    types: tuple[str, ...]  # accelerator of each place

    def notes_at(self, workload: int, place: int) -> tuple[str, ...]:
        """Return the notes of one pair, those with numbers written out."""
        notes = []
        for code, where in self.flags.items():
            if where[workload, place]:
                notes.append(self._spoken(code, workload, place))
        return tuple(notes)

    def _spoken(self, code: str, workload: int, place: int) -> str:
        if code == "fabric_range":
            low, high = self.range_low[workload, place], self.range_high[workload, place]
            return f"fabric_range:{low:.3f}-{high:.3f}"
        return f"no_rate:{self.types[place]}" if code == "no_rate" else code

    def at(self, workload: int, place: int) -> Throughput:
        """Return one pair as a record with notes and audit rows."""

        def value(array: Numbers) -> float | None:
            number = float(array[workload, place])
            return number if math.isfinite(number) else None

        version: dict[str, float | str | None] = {"parameters": eff.PARAMETERS_VERSION}
        interval = value(self.checkpoint_interval_s)
        low, high = value(self.range_low), value(self.range_high)
        return Throughput(
            efficiency=value(self.efficiency),
            goodput=value(self.goodput),
            feed=value(self.feed),
            useful_share=value(self.useful_share),
            pessimistic_useful_share=value(self.pessimistic_useful_share),
            compute_s=value(self.compute_s),
            toll_s=value(self.toll_s),
            mtbf_h=value(self.mtbf_h),
            checkpoint_interval_min=None if interval is None else interval / 60.0,
            step_s=value(self.step_s),
            notes=self.notes_at(workload, place),
            useful_share_range=None if low is None or high is None else (low, high),
            audit=tuple(
                AuditRow(factor, value(result), version | {name: value(array) for name, array in behind})
                for factor, result, behind in self._audit_columns()
            ),
        )

    def _audit_columns(self) -> tuple[tuple[str, Numbers, tuple[tuple[str, Numbers], ...]], ...]:
        more = self.numbers
        tolls = ("accelerators", "params_b", "network_gbps", "fabric_multiplier", "site_multiplier", "tax")
        failures = ("failures_per_1000_node_days", "restart_minutes", "blocking_s")
        times = (("compute_s", self.compute_s), ("toll_s", self.toll_s), ("step_s", self.step_s))
        between = (("mtbf_h", self.mtbf_h), ("checkpoint_interval_s", self.checkpoint_interval_s))
        reads = ("storage_read_gb_s", "need_gb_s_per_accelerator")
        edge = (("pessimistic_efficiency", more["pessimistic_efficiency"]),)
        return (
            ("efficiency", self.efficiency, (*times, *((name, more[name]) for name in tolls), *edge)),
            ("goodput", self.goodput, (*between, *((name, more[name]) for name in failures))),
            ("feed", self.feed, tuple((name, more[name]) for name in reads)),
            ("useful_share", self.useful_share, (("pessimistic_useful_share", self.pessimistic_useful_share),)),
        )


def useful_share(workload: Workload, place: Place, accelerators: float) -> Throughput:
    """Return what one workload gets out of an hour on so many accelerators at one place.

    The same computation as `throughput_table`, for one pair.
    """
    return throughput_table([workload], [place], accelerators).at(0, 0)


def useful_shares(workloads: Sequence[Workload], places: Sequence[Place], accelerators: eff.Values) -> Numbers:
    """Return the useful share alone of every workload at every place, shape (W, P), as `throughput_table` does."""
    return _factors(workloads, places, accelerators).useful_share


def throughput_table(
    workloads: Sequence[Workload], places: Sequence[Place], accelerators: eff.Values
) -> ThroughputTable:
    """Return the throughput of every workload at every place, one broadcast over all pairs.

    Parameters
    ----------
    workloads : sequence of Workload
        W workloads.
    places : sequence of Quote or Build
        P places.
    accelerators : float or Numbers
        Accelerators that work on a workload at a place, broadcast to shape (W, P); NaN where there is no rate.

    Returns
    -------
    ThroughputTable
        Arrays of shape (W, P).
    """
    found = _factors(workloads, places, accelerators)
    jobs, sites, speeds, size, steps = found.jobs, found.sites, found.speeds, found.size, found.steps
    share, feed = found.goodput, found.feed
    pessimistic = np.where(found.is_sensible, eff.pessimistic_efficiency(steps.efficiency), np.nan)
    return ThroughputTable(
        accelerators=size,
        efficiency=found.efficiency,
        goodput=share,
        feed=feed,
        useful_share=found.useful_share,
        pessimistic_useful_share=pessimistic * share * feed,
        range_low=steps.efficiency_low * share * feed,
        range_high=steps.efficiency_high * share * feed,
        compute_s=steps.compute_s,
        toll_s=steps.toll_s,
        step_s=steps.step_s,
        mtbf_h=found.mtbf_h,
        checkpoint_interval_s=good.checkpoint_interval_s(found.blocking, found.mtbf_h),
        numbers=_numbers_behind(jobs, sites, steps, found.blocking, size) | {"pessimistic_efficiency": pessimistic},
        flags=_flags(jobs, sites, speeds, steps, feed) | {"wrong_size_for_batch": ~found.is_sensible},
        types=tuple(place.accelerator or "" for place in places),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Factors:
    """The factors of the useful share and what they are made of, shape (W, P)."""

    jobs: Jobs
    sites: Sites
    speeds: Speeds
    size: Numbers
    steps: "_Steps"
    mtbf_h: Numbers
    blocking: Numbers
    goodput: Numbers
    feed: Numbers

    @property
    def is_sensible(self) -> Flags:
        """Where the efficiency is not below the least that makes sense."""
        return ~(self.steps.efficiency < eff.LEAST_EFFICIENCY)

    @property
    def efficiency(self) -> Numbers:
        """Return the efficiency; NaN where it makes no sense."""
        return np.where(self.is_sensible, self.steps.efficiency, np.nan)

    @property
    def useful_share(self) -> Numbers:
        """Return what of an hour counts as work."""
        return self.efficiency * self.goodput * self.feed


def _factors(workloads: Sequence[Workload], places: Sequence[Place], accelerators: eff.Values) -> _Factors:
    size = np.broadcast_to(np.asarray(accelerators, dtype=np.float64), (len(workloads), len(places)))
    jobs, sites = job_columns(workloads), site_columns(places)
    speeds = speed_columns(workloads, places)
    steps = _steps(jobs, sites, speeds, size)
    mtbf_h = np.where(jobs.is_training_job, good.mean_time_between_failures_h(sites.failures, size), np.nan)
    blocking = good.blocking_s(jobs.checkpoint_gb, sites.write_gb_s)
    share = np.where(jobs.is_training_job, good.goodput_share(mtbf_h, blocking, sites.restart_minutes), 1.0)
    feed = np.where(np.isnan(jobs.need_gb_s), 1.0, good.feed_share(sites.read_gb_s, size, jobs.need_gb_s))
    return _Factors(jobs, sites, speeds, size, steps, mtbf_h, blocking, share, feed)


@dataclass(frozen=True, slots=True)
class _Steps:
    """The seconds of a step, shape (W, P)."""

    is_one_node: Flags
    multiplier: Numbers
    compute_s: Numbers
    toll_s: Numbers
    step_s: Numbers
    efficiency: Numbers
    efficiency_low: Numbers
    efficiency_high: Numbers
    is_anchor_elsewhere: Flags  # the anchor is faster than this place's toll allows: it ran on another fabric


def _steps(jobs: Jobs, sites: Sites, speeds: Speeds, size: Numbers) -> _Steps:
    is_one_node = size <= sites.node
    is_in_rack = ~is_one_node & (size <= sites.rack)
    rack = eff.FABRICS["nvlink_rack"]
    multiplier = np.where(is_in_rack, rack.multiplier, sites.multiplier)
    gbps = np.where(is_in_rack & np.isnan(sites.network_gbps), eff.REFERENCE_GBPS, sites.network_gbps)

    def toll(times: Numbers) -> Numbers:
        seconds = eff.toll_seconds(jobs.params_b, size, times * sites.site_multiplier, gbps)
        return np.where(is_one_node, np.where(jobs.is_training_job, 0.0, np.nan), seconds)

    compute_s, is_anchor_elsewhere = _compute(jobs, sites, speeds, size)
    toll_s = toll(multiplier)

    def efficiency(toll_seconds: Numbers) -> Numbers:
        share = compute_s / eff.step_seconds(compute_s, toll_seconds, size)
        return np.where(is_one_node | ~jobs.is_training_job, 1.0, share)

    return _Steps(
        is_one_node=is_one_node,
        multiplier=np.where(is_one_node, np.nan, multiplier),
        compute_s=compute_s,
        toll_s=toll_s,
        step_s=np.where(is_one_node, compute_s, eff.step_seconds(compute_s, toll_s, size)),
        efficiency=efficiency(toll_s),
        efficiency_low=efficiency(toll(np.where(is_in_rack, rack.high, sites.high))),
        efficiency_high=efficiency(toll(np.where(is_in_rack, rack.low, sites.low))),
        is_anchor_elsewhere=is_anchor_elsewhere & ~is_one_node,
    )


def _compute(jobs: Jobs, sites: Sites, speeds: Speeds, size: Numbers) -> tuple[Numbers, Flags]:
    """Return the computing seconds, from the anchor where there is one, and where the anchor ran on another fabric."""
    rate = speeds.peak_tflops * jobs.mfu_node
    cold = eff.compute_seconds(jobs.active_params_b, jobs.tokens_per_step, size, rate)
    run = jobs.anchor_accelerators
    is_in_rack = (run > sites.node) & (run <= sites.rack)
    times = np.where(is_in_rack, eff.FABRICS["nvlink_rack"].multiplier, sites.multiplier) * sites.site_multiplier
    gbps = np.where(is_in_rack & np.isnan(sites.network_gbps), eff.REFERENCE_GBPS, sites.network_gbps)
    here = np.where(run <= sites.node, 0.0, eff.toll_seconds(jobs.params_b, run, times, gbps))
    is_elsewhere = jobs.is_anchored & ~(here < jobs.anchor_step_s)
    reference = eff.toll_seconds(jobs.params_b, run, 1.0, eff.REFERENCE_GBPS)
    at_run = np.where(is_elsewhere, np.minimum(reference, jobs.anchor_step_s), here)
    anchored = eff.anchored_compute_seconds(jobs.anchor_step_s, run, at_run, size) / speeds.ratio
    seconds = np.where(jobs.is_anchored, np.where(anchored > 0.0, anchored, np.nan), cold)
    return np.where(jobs.is_training_job, seconds, np.nan), is_elsewhere


def _numbers_behind(jobs: Jobs, sites: Sites, steps: _Steps, blocking: Numbers, size: Numbers) -> dict[str, Numbers]:
    arrays = {
        "accelerators": size,
        "site_multiplier": sites.site_multiplier,
        "params_b": jobs.params_b,
        "network_gbps": sites.network_gbps,
        "fabric_multiplier": steps.multiplier,
        "tax": eff.tax_factor(size),
        "failures_per_1000_node_days": sites.failures,
        "restart_minutes": sites.restart_minutes,
        "blocking_s": blocking,
        "storage_read_gb_s": sites.read_gb_s,
        "need_gb_s_per_accelerator": jobs.need_gb_s,
    }
    return {name: np.broadcast_to(array, size.shape) for name, array in arrays.items()}


def _flags(jobs: Jobs, sites: Sites, speeds: Speeds, steps: _Steps, feed: Numbers) -> dict[str, Flags]:
    """Return where each note applies; a figure that would change nothing is not asked for."""
    is_spread = jobs.is_training_job & ~steps.is_one_node
    is_cold = is_spread & ~jobs.is_anchored
    is_tolled = is_spread & np.isfinite(steps.multiplier)
    has_rate = np.where(jobs.is_anchored, np.isfinite(speeds.ratio), np.isfinite(speeds.peak_tflops))
    found = {
        "communication_bound": is_spread & (steps.toll_s > steps.compute_s),
        "fabric_range": is_tolled & sites.is_ethernet & np.isfinite(steps.efficiency_low),
        "measure_allreduce": is_tolled & sites.is_ethernet & np.isnan(sites.measured_gbps),
        "measured_above_nominal": is_tolled & (sites.measured_gbps > sites.nominal_gbps),
        "toll_calibrated": is_tolled & (sites.site_multiplier != 1.0),
        "anchor_on_other_fabric": is_spread & steps.is_anchor_elsewhere,
        "mfu_preset": is_cold & jobs.is_mfu_preset,
        "missing:tokens_per_step": is_cold & np.isnan(jobs.tokens_per_step),
        "no_rate": is_spread & ~has_rate,
        "missing:fabric": is_spread & sites.is_fabric_missing & np.isnan(steps.multiplier),
        "no_fabric": is_spread & sites.is_without_fabric & np.isnan(steps.multiplier),
        "missing:network_gbps_per_accelerator": is_tolled & np.isnan(steps.toll_s),
        "efficiency_not_modelled": jobs.is_one_job & ~jobs.is_training_job & ~steps.is_one_node,
        "feed_not_stated": np.isnan(jobs.need_gb_s),
        "missing:storage_read_gb_s": np.isnan(feed),
    }
    return {code: np.broadcast_to(where, steps.is_one_node.shape) for code, where in found.items()}
