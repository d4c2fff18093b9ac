"""How published training runs are put to the engine: the smallest size of a family is the anchor of the larger ones."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from procurement.engine.efficiency import step_seconds
from procurement.engine.tables import Anchor, Quote, Training, Workload
from procurement.engine.throughput import useful_share


@dataclass(frozen=True, slots=True)
class Run:
    """One published run."""

    family: str
    kind: str
    params_b: float
    fabric: str
    gbps: float | None
    node: int
    accelerators: int
    batch: float
    step_s: float


@dataclass(frozen=True, slots=True)
class Miss:
    """How far a prediction is from the published step time [fraction]."""

    run: Run
    error: float


def misses(runs: Iterable[Run]) -> list[Miss]:
    """Predict every run that is larger than the smallest of its family."""
    families: Mapping[str, list[Run]] = defaultdict(list)
    for run in runs:
        families[run.family].append(run)
    found = []
    for family in families.values():
        anchor = min(family, key=lambda run: run.accelerators)
        larger = [run for run in family if run.accelerators > anchor.accelerators]
        found += [Miss(run, abs(predicted_step_s(run, anchor) / run.step_s - 1.0)) for run in larger]
    return found


def predicted_step_s(run: Run, anchor: Run) -> float:
    """Return what the engine says of a run, given the anchor: compute scales with the batch, the toll does not."""
    job = Workload(
        id=run.family, accelerators=run.accelerators, start=date(2027, 1, 1),
        training=Training(params_b=run.params_b, anchor=Anchor(accelerators=anchor.accelerators, step_s=anchor.step_s)),
    )  # fmt: skip
    place = Quote(
        id="published", fabric=run.fabric, network_gbps_per_accelerator=run.gbps, accelerators_per_node=run.node
    )
    result = useful_share(job, place, run.accelerators)
    compute_s = result.compute_s * run.batch / anchor.batch
    is_one_node = run.accelerators <= run.node and result.toll_s == 0.0
    return compute_s if is_one_node else float(step_seconds(compute_s, result.toll_s, float(run.accelerators)))
