"""Choices of model fields, read from the engine's vocabularies.

Migrations refer to these functions by name, so the names are permanent and a new code needs no migration.
"""

import types
import typing
from dataclasses import dataclass

from procurement.engine import codes, tables
from procurement.engine.columns import columns
from procurement.engine.presets import PRESETS, Preset

Choices = list[tuple[str, str]]

_ACRONYMS = {
    "llm": "LLM", "roce": "RoCE", "tpu": "TPU", "ici": "ICI", "nvlink": "NVLink", "infiniband": "InfiniBand",
    "cud": "CUD", "dws": "DWS",
}  # fmt: skip


def label(code: str) -> str:
    """Return the words of a code: ``llm_training`` reads `LLM training`."""
    words = [_ACRONYMS.get(word, word) for word in code.split("_")]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])


def _choices(values: tuple[str, ...]) -> Choices:
    return [(value, label(value)) for value in values]


def price_basis_choices() -> Choices:
    """Return what a price may be per."""
    return _choices(codes.PRICE_BASES)


def purchase_model_choices() -> Choices:
    """Return how a quote may be bought."""
    return _choices(codes.PURCHASE_MODELS)


def payment_option_choices() -> Choices:
    """Return how much is paid up front."""
    return _choices(codes.PAYMENT_OPTIONS)


def interconnect_choices() -> Choices:
    """Return interconnect scales, weakest first."""
    return _choices(codes.INTERCONNECTS)


def fabric_choices() -> Choices:
    """Return fabric classes."""
    return _choices(codes.FABRICS)


def capacity_class_choices() -> Choices:
    """Return how firm capacity may be."""
    return _choices(codes.CAPACITY_CLASSES)


def design_class_choices() -> Choices:
    """Return what a network is designed for."""
    return _choices(codes.DESIGN_CLASSES)


def component_choices() -> Choices:
    """Return cost components of a build."""
    return _choices(codes.COMPONENTS)


def cost_basis_choices() -> Choices:
    """Return what a cost line's amount may be per."""
    return _choices(codes.COST_BASES)


def cost_status_choices() -> Choices:
    """Return whether a cost line is planned, committed or paid."""
    return _choices(codes.COST_STATUSES)


def gate_choices() -> Choices:
    """Return every gate and milestone that evidence may prove."""
    return _choices(codes.EVIDENCE_GATES)


def grade_choices() -> Choices:
    """Return evidence grades with what they mean."""
    return [
        ("A", "A – our own test or telemetry"),
        ("B", "B – independent signed record"),
        ("C", "C – provider's signed or contractual record"),
        ("D", "D – provider statement, press, satellite inference"),
        ("E", "E – plan or announcement"),
    ]


def event_choices() -> Choices:
    """Return what may happen to a gate."""
    return _choices(codes.EVENTS)


def slip_class_choices() -> Choices:
    """Return slip classes of a promise."""
    return _choices(codes.SLIP_CLASSES)


def power_basis_choices() -> Choices:
    """Return where power may come from."""
    return _choices(codes.POWER_BASES)


def kind_choices() -> Choices:
    """Return workload kinds."""
    return _choices(codes.KINDS)


def shape_choices() -> Choices:
    """Return how a workload uses accelerators."""
    return _choices(codes.SHAPES)


def deadline_policy_choices() -> Choices:
    """Return deadline policies."""
    return _choices(codes.DEADLINE_POLICIES)


def discount_timing_choices() -> Choices:
    """Return discounting conventions."""
    return _choices(codes.DISCOUNT_TIMINGS)


def ranking_choices() -> Choices:
    """Return what may rank options."""
    return _choices(codes.RANKINGS)


def reading_choices() -> Choices:
    """Return readings of a delayed build."""
    return _choices(codes.READINGS)


def power_status_choices() -> Choices:
    """Return how firm the power of an offer is."""
    return [("firm", "Firm"), ("curtailable", "Curtailable"), ("temporary", "Temporary")]


def cooling_status_choices() -> Choices:
    """Return how far the cooling of an offer is."""
    return [("in_service", "In service"), ("installed", "Installed, not tested"), ("planned", "Planned")]


def asked_item_choices() -> Choices:
    """Return what every request asks, by the column of a bid that answers it."""
    return [
        ("interconnect", "Scale: one node, several nodes or a cluster"),
        ("largest_domain_accelerators", "Largest fabric domain: accelerators that one fabric joins"),
        ("fabric", "Fabric: which one, such as InfiniBand or RoCE"),
        ("measured_allreduce_gbps", "Measured all-reduce: Gbit/s, measured, not computed"),
        ("site", "Site: hall or campus where it stands"),
        ("power_status", "Power: firm, curtailable or temporary"),
        ("cooling_status", "Cooling: in service, installed but not tested, or planned"),
        ("earliest_start", "Day of delivery: first day on which all of it can be used"),
        ("delivery_said_by", "Who says so: name and office of who states that day"),
        ("access_terms", "Access: scheduler, quota, own launch"),
        ("term_months", "Term: length of the contract in months"),
        ("ramp", "Ramp: how many by when, where not all at once"),
        ("min_accelerators", "Least that can be bought: accelerators"),
        ("termination", "Termination: how either side gets out, and what it costs"),
        ("renewal", "Renewal: whether and at what price it goes on"),
        ("storage_per_gb_month", "Storage: price per GB and month"),
        ("egress_per_gb", "Data out: price per GB"),
    ]


def workload_presets() -> tuple[Preset, ...]:
    """Return the presets a workload may start from."""
    return PRESETS


@dataclass(frozen=True, slots=True)
class ColumnNote:
    """What a form says of a column of the scenario document."""

    name: str
    meaning: str
    unit: str
    choices: tuple[str, ...]
    is_ranged: bool
    is_required: bool
    type: type


def column_notes(record: str) -> dict[str, ColumnNote]:
    """Return the columns of a record of the scenario document by name, such as ``Quote`` or ``Training``."""
    table = getattr(tables, record)
    hints = typing.get_type_hints(table)
    return {
        name: ColumnNote(
            name,
            note["meaning"],
            note["unit"],
            note["choices"],
            note["ranged"],
            note["required"],
            _plain_type(hints[name]),
        )
        for name, note in columns(table).items()
    }


def _plain_type(hint: object) -> type:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    return typing.get_origin(hint) or hint  # type: ignore[return-value]
