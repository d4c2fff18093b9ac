"""What workloads and places state about throughput, as columns that broadcast over all pairs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from procurement.engine import efficiency as eff
from procurement.engine import goodput as good
from procurement.engine.goodput import or_nan
from procurement.engine.tables import Build, Quote, Workload
from providers.reference import accelerator_of, rate_ratio

Place = Quote | Build
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Jobs:
    """Columns of shape (W, 1), one row per workload; NaN where a figure or the training block is missing."""

    params_b: Numbers
    active_params_b: Numbers
    tokens_per_step: Numbers
    mfu_node: Numbers
    is_mfu_preset: Flags
    checkpoint_gb: Numbers
    anchor_accelerators: Numbers
    anchor_step_s: Numbers
    need_gb_s: Numbers
    is_one_job: Flags
    is_training_job: Flags  # one job with a training block: only this has an efficiency and a goodput

    @property
    def is_anchored(self) -> Flags:
        """Whether a measured run of the job is known."""
        return np.isfinite(self.anchor_step_s)


@dataclass(frozen=True, slots=True)
class Sites:
    """Rows of shape (1, P), one column per place; NaN where a figure is missing."""

    node: Numbers  # accelerators inside which a job pays no toll
    rack: Numbers  # accelerators of one scale-up rack; 0 where there is none
    multiplier: Numbers  # of the fabric between nodes, or between racks
    low: Numbers
    high: Numbers
    network_gbps: Numbers
    nominal_gbps: Numbers
    measured_gbps: Numbers
    site_multiplier: Numbers
    is_ethernet: Flags
    is_without_fabric: Flags
    is_fabric_missing: Flags
    read_gb_s: Numbers
    write_gb_s: Numbers
    failures: Numbers
    restart_minutes: Numbers


@dataclass(frozen=True, slots=True)
class Speeds:
    """How fast the accelerator of each place is for each workload."""

    peak_tflops: Numbers  # (1, P) dense 16-bit
    ratio: Numbers  # (W, P) of the place's type over the type that the workload is stated in


def job_columns(workloads: Sequence[Workload]) -> Jobs:
    """Return what the workloads state about training and feed."""
    blocks = [workload.training for workload in workloads]
    anchors = [None if block is None else block.anchor for block in blocks]

    def of(name: str) -> Numbers:
        return _column([or_nan(None if block is None else getattr(block, name)) for block in blocks])

    total, active, mfu = of("params_b"), of("active_params_b"), of("mfu_node")
    one_job = _column([float(workload.shape == "one_job") for workload in workloads]) > 0.0
    trains = _column([float(block is not None) for block in blocks]) > 0.0
    return Jobs(
        params_b=total,
        active_params_b=np.where(np.isnan(active), total, active),
        tokens_per_step=of("tokens_per_step"),
        mfu_node=np.where(np.isnan(mfu), eff.MFU_PRESET, mfu),
        is_mfu_preset=np.isnan(mfu),
        checkpoint_gb=of("checkpoint_gb"),
        anchor_accelerators=_column([math.nan if anchor is None else anchor.accelerators for anchor in anchors]),
        anchor_step_s=_column([math.nan if anchor is None else anchor.step_s for anchor in anchors]),
        need_gb_s=_column([or_nan(workload.feed_gb_s_per_accelerator) for workload in workloads]),
        is_one_job=one_job,
        is_training_job=one_job & trains,
    )


def site_columns(places: Sequence[Place]) -> Sites:
    """Return what the places state about network, storage and failures."""
    fabrics = [eff.FABRICS.get(place.fabric or "") for place in places]
    nodes = _row([float(place.accelerators_per_node or eff.NODE) for place in places])
    in_racks = _row([float(place.fabric == "nvlink_rack") for place in places]) > 0.0
    is_rack_node = nodes > eff.LARGEST_NODE
    measured = _row([or_nan(place.measured_allreduce_gbps) for place in places])
    nominal = _row([or_nan(place.network_gbps_per_accelerator) for place in places])
    is_ici = _row([float(place.fabric == "tpu_ici") for place in places]) > 0.0
    outside = [eff.FABRICS["infiniband"] if place.fabric == "nvlink_rack" else found
               for place, found in zip(places, fabrics, strict=True)]  # fmt: skip
    return Sites(
        node=np.where(in_racks | is_rack_node, np.minimum(nodes, eff.NODE), nodes),
        rack=np.where(is_rack_node, nodes, np.where(in_racks, float(eff.RACK), 0.0)),
        multiplier=_row([math.nan if found is None else found.multiplier for found in outside]),
        low=_row([math.nan if found is None else found.low for found in outside]),
        high=_row([math.nan if found is None else found.high for found in outside]),
        network_gbps=np.where(np.isfinite(measured), measured, np.where(is_ici, eff.REFERENCE_GBPS, nominal)),
        nominal_gbps=nominal,
        measured_gbps=measured,
        site_multiplier=_row([site_multiplier_of(place) for place in places]),
        is_ethernet=_row([float(place.fabric == "ethernet") for place in places]) > 0.0,
        is_without_fabric=_row([float(place.fabric == "none") for place in places]) > 0.0,
        is_fabric_missing=_row([float(place.fabric is None) for place in places]) > 0.0,
        read_gb_s=_row([or_nan(place.storage_read_gb_s) for place in places]),
        write_gb_s=_row([or_nan(place.storage_write_gb_s) for place in places]),
        failures=_row([good.failures_of(place) for place in places]),
        restart_minutes=_row([good.restart_minutes_of(place) for place in places]),
    )


def site_multiplier_of(place: Place) -> float:
    """Return what a place makes of the modelled toll: as stated, else fitted to its own timed runs, else 1."""
    if place.toll_multiplier is not None:
        return float(place.toll_multiplier)
    fabric = eff.FABRICS.get(place.fabric or "")
    gbps = eff.REFERENCE_GBPS if place.fabric == "tpu_ici" else place.network_gbps_per_accelerator
    gbps = gbps if place.measured_allreduce_gbps is None else place.measured_allreduce_gbps
    runs = [run for run in place.measured_runs if run.accelerators > (place.accelerators_per_node or eff.NODE)]
    if not runs or fabric is None or gbps is None:
        return 1.0
    sizes = np.array([float(run.accelerators) for run in runs])
    tolls = eff.toll_seconds(np.array([run.params_b for run in runs]), sizes, fabric.multiplier, gbps)
    steps, computes = (np.array([getattr(run, name) for run in runs]) for name in ("step_s", "compute_s"))
    return eff.fit_site_multiplier(steps, computes, tolls, sizes)


def speed_columns(workloads: Sequence[Workload], places: Sequence[Place]) -> Speeds:
    """Return peak rates and the ratios of types; each pair of names is looked up once."""
    offered = [place.accelerator or "" for place in places]
    wanted = [workload.accelerator_types[0] if workload.accelerator_types else "" for workload in workloads]
    offered_names, offered_at = np.unique(np.array(offered, dtype=object).astype(str), return_inverse=True)
    wanted_names, wanted_at = np.unique(np.array(wanted, dtype=object).astype(str), return_inverse=True)
    ratios = np.array([[_ratio(one, other) for other in offered_names] for one in wanted_names], dtype=np.float64)
    ratios = ratios.reshape(len(wanted_names), len(offered_names))
    peaks = np.array([_peak(str(name)) for name in offered_names], dtype=np.float64)
    return Speeds(peak_tflops=peaks[offered_at].reshape(1, -1), ratio=ratios[np.ix_(wanted_at, offered_at)])


def _ratio(wanted: str, offered: str) -> float:
    if not wanted:
        return 1.0
    found = rate_ratio(str(wanted), str(offered))
    return math.nan if found is None else found.ratio


def _peak(name: str) -> float:
    entry = accelerator_of(name)
    return or_nan(None if entry is None else entry.training_tflops)


def _column(values: Sequence[float]) -> Numbers:
    return np.asarray(values, dtype=np.float64).reshape(-1, 1)


def _row(values: Sequence[float]) -> Numbers:
    return np.asarray(values, dtype=np.float64).reshape(1, -1)
