"""Workload presets: the defaults a person starts from, one per kind of work.

Every preset is a starting point that its owner edits, so each value says in words why it is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Preset:
    """Defaults of one kind of workload; keys of ``values`` are Workload columns."""

    kind: str
    name: str
    note: str
    values: Mapping[str, object] = field(default_factory=dict)


def _preset(kind: str, name: str, note: str, **values: object) -> Preset:
    return Preset(kind, name, note, values)


PRESETS: tuple[Preset, ...] = (
    _preset(
        "llm_training", "LLM training",
        "One synchronized job over long periods: the fabric decides what an hour is worth.",
        shape="one_job", accelerators=512, interconnect="cluster_scale", fabrics=("infiniband", "roce"),
        interruptible=False, demand={"utilisation": 0.95},
        training={"params_b": 70, "tokens_per_step": 4194304, "mfu_node": 0.4, "checkpoint_gb": 980},
    ),
    _preset(
        "fine_tuning", "Fine-tuning",
        "Short jobs that start from a trained model; one or a few nodes are enough.",
        shape="one_job", accelerators=16, interconnect="multi_node", fabrics=("infiniband", "roce"),
        interruptible=True, demand={"hours_per_month": 240},
        training={"params_b": 8, "tokens_per_step": 262144, "mfu_node": 0.4, "checkpoint_gb": 112},
    ),
    _preset(
        "generative_media", "Generative image and video",
        "Requests that each fill one accelerator; load follows the day.",
        shape="replicas", accelerators=32, interconnect="single_accelerator", interruptible=False,
        demand={"base": 8, "peak": 32, "curve": "chat"},
    ),
    _preset(
        "recommendation_training", "Recommendation training",
        "Retrained often on large tables; data feed limits it first.",
        shape="one_job", accelerators=32, interconnect="multi_node", fabrics=("infiniband", "roce"),
        interruptible=True, demand={"hours_per_month": 400}, dataset_gb=200000, feed_gb_s_per_accelerator=0.25,
    ),
    _preset(
        "vision_training", "Computer-vision training",
        "Medium jobs that fit one node, fed with many small images.",
        shape="one_job", accelerators=8, interconnect="single_node", interruptible=True,
        demand={"hours_per_month": 300}, dataset_gb=20000, feed_gb_s_per_accelerator=0.5,
    ),
    _preset(
        "simulation_autonomous", "Autonomous-system simulation",
        "Thousands of independent scenes: no fabric is needed.",
        shape="independent_jobs", accelerators=64, interconnect="single_accelerator", interruptible=True,
        demand={"hours_per_month": 500}, deadline_policy="soft",
    ),
    _preset(
        "simulation_scientific", "Scientific simulation",
        "One job over several nodes that exchanges data every step.",
        shape="one_job", accelerators=64, interconnect="multi_node", fabrics=("infiniband", "roce"),
        interruptible=False, demand={"hours_per_month": 450}, deadline_policy="soft",
    ),
    _preset(
        "healthcare_training", "Healthcare training",
        "The data may not leave its country, so the place is fixed first.",
        shape="one_job", accelerators=16, interconnect="multi_node", fabrics=("infiniband", "roce"),
        residency=("EU",), interruptible=False, demand={"utilisation": 0.7}, dataset_gb=50000,
    ),
    _preset(
        "fraud_detection", "Fraud detection and risk",
        "A strict time limit per request: spare capacity is part of the need.",
        shape="replicas", accelerators=8, interconnect="single_accelerator", interruptible=False,
        demand={"utilisation": 1.0}, inference={"redundancy": "two_sites", "max_wait_seconds": 0.05, "tail": 0.001},
    ),
    _preset(
        "llm_inference", "LLM inference",
        "Steady base with peaks by day: own the base, rent the peak is often best.",
        shape="replicas", accelerators=64, interconnect="single_node", interruptible=False,
        demand={"base": 24, "peak": 64, "curve": "chat"}, inference={"slo": "server", "redundancy": "n_plus_1_node"},
    ),
    _preset(
        "batch_inference", "Batch inference",
        "Work that can wait for cheap hours and survives interruption.",
        shape="independent_jobs", accelerators=16, interconnect="single_node", interruptible=True,
        demand={"hours_per_month": 365}, deadline_policy="soft", inference={"slo": "offline"},
    ),
    _preset(
        "experimentation", "Experimentation",
        "Bursts of small jobs: low utilisation speaks for renting.",
        shape="independent_jobs", accelerators=8, interconnect="single_accelerator", interruptible=True,
        demand={"hours_per_month": 80}, deadline_policy="none",
    ),
)  # fmt: skip
