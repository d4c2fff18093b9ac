"""The scenario document: read, checked with every fault at once, and turned into the engine's frozen input."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from procurement.engine.columns import column
from procurement.engine.errors import ScenarioError
from procurement.engine.scenario_checks import check_document
from procurement.engine.scenario_example import example_document, example_text
from procurement.engine.scenario_reader import Reader, built
from procurement.engine.scenario_schema import record_schema
from procurement.engine.scenario_text import read_document, whole_fault
from procurement.engine.tables import Assumptions, Build, Policy, Quote, Scenario, Workload

__all__ = [
    "SCHEMA",
    "example_document",
    "example_text",
    "hourly_files",
    "parse_scenario",
    "read_document",
    "scenario_digest",
    "scenario_schema",
    "with_hourly_series",
]

SCHEMA = "scenario/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The whole scenario document: one question, complete with its day and its assumptions."""

    schema: str = column("version of this contract", required=True, choices=(SCHEMA,))
    as_of: date = column("day of the evaluation; nothing later is known", required=True)
    assumptions: Assumptions = column("what every option is computed with", factory=Assumptions, record="Assumptions")
    quotes: tuple[Quote, ...] = column("offers of providers", factory=tuple, record="Quote")
    builds: tuple[Build, ...] = column("clusters that are built", factory=tuple, record="Build")
    workloads: tuple[Workload, ...] = column("needs for accelerators", factory=tuple, record="Workload")
    policy: Policy = column("rules of the organisation", factory=Policy, record="Policy")


def parse_scenario(document: Mapping[str, Any]) -> Scenario:
    """Return the frozen scenario of a document.

    Parameters
    ----------
    document
        What `json.loads` gives for a document of the form scenario/1. Numbers may be text, Decimal or float; days may
        be ISO text or dates. A demand with `hourly_file` must have been replaced by its series first
        (`with_hourly_series`): the engine reads no files.

    Raises
    ------
    ScenarioError
        With every fault of the document: pointer, what was found, what would be right.
    """
    reader = Reader()
    reader.names[("slip_class", "choices")] = _own_slip_classes(document)
    node = reader.record(document, "", Document)
    if node is not None:
        check_document(node, reader)
    if node is None or reader.faults:
        raise ScenarioError(tuple(reader.faults))
    read = built(node)
    return Scenario(
        as_of=read.as_of,
        assumptions=read.assumptions,
        quotes=read.quotes,
        builds=read.builds,
        workloads=tuple(_with_window(workload, read.assumptions.horizon_months) for workload in read.workloads),
        policy=read.policy,
        ranges=dict(reader.ranges),
    )


def _with_window(workload: Workload, horizon_months: int) -> Workload:
    """Return the workload with the horizon as its window where it states none (semantics 1, 40)."""
    if workload.days is None and workload.months is None and workload.end is None:
        return dataclasses.replace(workload, months=float(horizon_months))
    return workload


def _own_slip_classes(document: object) -> tuple[str, ...]:
    """Return the names of slip classes that the document itself defines."""
    assumptions = document.get("assumptions") if isinstance(document, Mapping) else None
    own = assumptions.get("slip_classes") if isinstance(assumptions, Mapping) else None
    return tuple(name for name in own if isinstance(name, str)) if isinstance(own, Mapping) else ()


def hourly_files(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of files that demands of the document refer to, without repetition."""
    workloads = document.get("workloads")
    demands = [entry.get("demand") for entry in _objects(workloads)]
    names = [entry.get("hourly_file") for entry in _objects(demands)]
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))


def with_hourly_series(document: Mapping[str, Any], series: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return a copy of the document in which each `hourly_file` that has a series is replaced by `hourly`.

    The copy is complete in itself, so its digest covers the figures and not the name of a file.
    """
    copied = dict(document)
    workloads = document.get("workloads")
    if isinstance(workloads, Sequence) and not isinstance(workloads, str | bytes):
        copied["workloads"] = [_with_series(entry, series) for entry in workloads]
    return copied


def _with_series(workload: Any, series: Mapping[str, Sequence[float]]) -> Any:
    demand = workload.get("demand") if isinstance(workload, Mapping) else None
    name = demand.get("hourly_file") if isinstance(demand, Mapping) else None
    if not isinstance(name, str) or name not in series or not isinstance(demand, Mapping):
        return workload
    kept = {key: value for key, value in demand.items() if key != "hourly_file"}
    return {**workload, "demand": {**kept, "hourly": list(series[name])}}


def _objects(entries: Any) -> list[Mapping[str, Any]]:
    if isinstance(entries, str | bytes) or not isinstance(entries, Sequence):
        return []
    return [entry for entry in entries if isinstance(entry, Mapping)]


def scenario_digest(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the document's canonical JSON: keys sorted, no spaces, ASCII only."""
    try:
        canonical = json.dumps(
            document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, default=_plain
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise whole_fault("something that JSON cannot hold", "objects, lists, text, finite numbers") from error
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _plain(value: object) -> str:
    if isinstance(value, date | Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be part of a scenario document")


def scenario_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the scenario document, made from the columns of the records."""
    return record_schema(Document, title=f"Scenario document {SCHEMA}")
