"""How many accelerators a workload needs: by memory, by deadline, and whether one node is enough (METHOD.md, Need)."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from procurement.engine import efficiency as eff
from procurement.engine import goodput as good
from procurement.engine.demand import DemandPlan
from procurement.engine.inference import FleetSize, fleet_size, model_size_b, replica_size, whole
from procurement.engine.periods import SMALLEST_PART, Numbers
from procurement.engine.tables import Training, Workload
from providers.reference import accelerator_of, memory_gb

TRAINING_BYTES = 16.0  # bytes per parameter, mixed-precision Adam without a copy of the gradients in 32 bits
TRAINING_BYTES_COMFORTABLE = 18.0  # bytes per parameter, with that copy
INFERENCE_BYTES = 1.0  # bytes per parameter, 8-bit weights and no cache
INFERENCE_BYTES_COMFORTABLE = 2.0  # bytes per parameter, 16-bit weights
LARGEST_SIZE = 32768  # accelerators; larger jobs are not searched


@dataclass(frozen=True, slots=True)
class Need:
    """How many accelerators a workload needs, in its first accepted type; None where it cannot be said (see notes)."""

    fewest_by_memory: int | None
    fewest_by_deadline: int | None
    single_node_sufficient: bool | None
    best_n: int | None
    notes: tuple[str, ...]
    fleet: FleetSize | None = None  # of an inference service: throughput, queue, spare, whole nodes

    @property
    def is_memory_too_small(self) -> bool:
        """Whether the workload asks for fewer than can hold the model (semantics 7: infeasible)."""
        return "memory_too_small" in self.notes


def cluster_answer(workload: Workload, found: Need) -> dict[str, Any]:
    """Return whether a workload needs a cluster at all, by what, and the size that says so (method, section 0).

    Work that divides needs a network between nodes only where one of its parts is larger than a node, or where it says
    so itself. What neither memory nor deadline sizes is taken as the accelerators asked for.
    """
    kind = workload.accelerator_types[0] if workload.accelerator_types else None
    node = node_size(kind)
    memory, deadline = found.fewest_by_memory, found.fewest_by_deadline
    if workload.interconnect in ("multi_node", "cluster_scale"):
        return {"answer": "yes", "because": "stated_interconnect", "accelerators": workload.accelerators, "node": node}
    if workload.shape != "one_job":
        part = replica_size(workload, kind) if workload.inference is not None else 1
        answer = "yes" if part > node else "no"
        return {"answer": answer, "because": "parts_work_alone", "accelerators": part, "node": node}
    if found.best_n is None:
        size, because = workload.accelerators, "stated_size"
    else:
        is_deadline = deadline is not None and (memory is None or deadline > memory)
        size, because = found.best_n, "deadline" if is_deadline else "memory"
    return {"answer": "yes" if size > node else "no", "because": because, "accelerators": size, "node": node}


def need(workload: Workload, plan: DemandPlan, hours_per_month: float) -> Need:
    """Return how many accelerators a workload needs; advice, except that a model that does not fit is infeasible.

    Parameters
    ----------
    workload : Workload
        As stated.
    plan : DemandPlan
        Its demand (`demand.demand_hours`).
    hours_per_month : float
        Basis of a month [hours].
    """
    kind = workload.accelerator_types[0] if workload.accelerator_types else None
    node = node_size(kind)
    by_memory, memory_notes = _by_memory(workload, kind)
    by_deadline, deadline_notes = _by_deadline(workload, plan, hours_per_month * float(plan.window.weights.sum()))
    fleet = fleet_size(workload, kind, node) if workload.inference is not None else None
    served = None if fleet is None or fleet.total is None else fleet.total - fleet.redundant
    known = [size for size in (by_memory, by_deadline, served) if size is not None]
    working = None if not known else _in_whole_nodes(max(known), node)
    return Need(
        fewest_by_memory=by_memory,
        fewest_by_deadline=by_deadline,
        single_node_sufficient=None if working is None else working <= node,
        best_n=working if working is None or fleet is None else with_spare(working, fleet, node),
        notes=(*memory_notes, *deadline_notes),
        fleet=fleet,
    )


def is_memory_too_small(workload: Workload) -> bool:
    """Return whether a workload asks for fewer accelerators than hold its model, without the rest of its need."""
    kind = workload.accelerator_types[0] if workload.accelerator_types else None
    return "memory_too_small" in _by_memory(workload, kind)[1]


def with_spare(working: int, fleet: FleetSize, node: int) -> int:
    """Return the accelerators at work with the spare ones of a service; spare is whole nodes, so all become whole."""
    return working + fleet.redundant if not fleet.redundant else whole(working, node) + fleet.redundant


def node_size(accelerator: str | None) -> int:
    """Return the accelerators of one node of a type: as in the reference table, 8 for racks and unknown types."""
    entry = accelerator_of(accelerator) if accelerator else None
    size = entry.node_accelerators if entry else None
    return size if size is not None and size <= eff.LARGEST_NODE else eff.NODE


def _in_whole_nodes(size: int, node: int) -> int:
    return size if size <= node else whole(size, node)


def _by_memory(workload: Workload, kind: str | None) -> tuple[int | None, list[str]]:
    """Return the fewest accelerators whose memory holds the model, and what that says of the number asked for."""
    size, floor, comfortable = _model_bytes(workload)
    if size is None:
        return None, []
    known = memory_gb(kind) if kind else None
    each = known if known is not None else workload.min_memory_gb
    if each is None:
        return None, ["missing:accelerator_types" if kind is None else f"no_memory:{kind}"]
    fewest = max(1, math.ceil(size * floor / each - SMALLEST_PART))
    roomy = max(1, math.ceil(size * comfortable / each - SMALLEST_PART))
    if workload.accelerators < fewest:
        return fewest, ["memory_too_small"]
    return fewest, ["memory_tight"] if workload.accelerators < roomy else []


def _model_bytes(workload: Workload) -> tuple[float | None, float, float]:
    """Return the parameters [billions] and the bytes each takes, at least and with comfort."""
    if workload.training is not None:
        return float(workload.training.params_b), TRAINING_BYTES, TRAINING_BYTES_COMFORTABLE
    model = workload.inference.model if workload.inference else None
    return model_size_b(model) if model else None, INFERENCE_BYTES, INFERENCE_BYTES_COMFORTABLE


def _by_deadline(workload: Workload, plan: DemandPlan, window_hours: float) -> tuple[int | None, list[str]]:
    """Return the fewest accelerators that do the work inside the window, on 400 Gbit/s InfiniBand where it matters."""
    if not plan.is_all_at_once:
        return math.ceil(plan.peak - SMALLEST_PART), list(plan.notes)
    work = float(np.sum(plan.accelerator_hours))
    if window_hours <= 0.0 or work <= 0.0:
        return None, list(plan.notes)
    if workload.training is None or workload.shape != "one_job":
        if workload.shape == "one_job":
            return None, [*plan.notes, "scaling_not_stated"]
        return math.ceil(work / window_hours - SMALLEST_PART), list(plan.notes)
    sizes = np.arange(1.0, LARGEST_SIZE + 1.0)
    share = reference_share(workload, workload.training, sizes)
    if share is None:
        return None, [*plan.notes, "scaling_not_stated"]
    notes = list(plan.notes)
    asked = min(workload.accelerators, LARGEST_SIZE) - 1
    if asked >= 0 and math.isnan(share[asked]):
        notes.append("wrong_size_for_batch")
    is_enough = sizes * np.nan_to_num(share) * window_hours >= work * (1.0 - SMALLEST_PART)
    if not is_enough.any():
        return None, [*notes, "no_size_finishes_in_time"]
    fewest = int(sizes[int(np.argmax(is_enough))])
    if workload.accelerators < fewest:
        notes.append("fewer_than_deadline")
    return fewest, notes


def reference_share(workload: Workload, training: Training, sizes: Numbers) -> Numbers | None:
    """Return the useful share of a job by its size on 400 Gbit/s InfiniBand at default failure rates, shape (sizes,).

    NaN where the efficiency is below the least that makes sense; None where the job's compute is not known.
    """
    compute = _compute_by_size(workload, training, sizes)
    if compute is None:
        return None
    toll = eff.toll_seconds(float(training.params_b), sizes, 1.0, eff.REFERENCE_GBPS)
    efficiency = np.where(sizes <= eff.NODE, 1.0, compute / eff.step_seconds(compute, toll, sizes))
    mtbf_h = good.mean_time_between_failures_h(good.FAILURES_PER_1000_NODE_DAYS, sizes)
    share = efficiency * good.goodput_share(mtbf_h, good.CHECKPOINT_BLOCKING_S, good.RESTART_MINUTES)
    return np.where(efficiency < eff.LEAST_EFFICIENCY, np.nan, share)


def _compute_by_size(workload: Workload, training: Training, sizes: Numbers) -> Numbers | None:
    anchor = training.anchor
    if anchor is not None:
        run = float(anchor.accelerators)
        toll = 0.0 if run <= eff.NODE else eff.toll_seconds(float(training.params_b), run, 1.0, eff.REFERENCE_GBPS)
        compute = eff.anchored_compute_seconds(float(anchor.step_s), run, toll, sizes)
        return compute if bool(compute[0] > 0.0) else None
    entry = accelerator_of(workload.accelerator_types[0]) if workload.accelerator_types else None
    if entry is None or entry.training_tflops is None or training.tokens_per_step is None:
        return None
    active = float(training.active_params_b or training.params_b)
    rate = entry.training_tflops * float(training.mfu_node or eff.MFU_PRESET)
    return eff.compute_seconds(active, float(training.tokens_per_step), sizes, rate)
