"""The engine's own checks on one record, so that a form refuses what an evaluation would refuse."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from procurement.engine.errors import ScenarioError
from procurement.engine.scenario import parse_scenario
from procurement.errors import ProcurementError
from procurement.models import AssumptionSet, Build, Quote, Workload
from procurement.selectors.frames import (
    SCHEMA,
    assumptions_document,
    build_document,
    quote_document,
    workload_document,
)

_ANY_DAY = "2026-01-01"  # which day it is does not matter to the checks of one record


def quote_check(quote: Quote) -> None:
    """Refuse a quote that the engine would refuse."""
    document = quote_document(quote)
    document.pop("cluster", None)  # a foreign key: the database keeps it true
    _refuse_faults({"quotes": [document]}, "/quotes/0/")


def build_check(build: Build) -> None:
    """Refuse a build that the engine would refuse; a build without tranches is still being entered."""
    document: dict[str, Any] = (
        build_document(build) if build.pk else {"id": build.code, "accelerator": build.accelerator}
    )
    if build.pk is None:
        document |= {"accelerators_per_node": build.accelerators_per_node}
        document["cooling_kw_per_node"] = build.cooling_kw_per_node or {}
    document["tranches"] = document.get("tranches") or [{"id": "T1", "planned_accelerators": 1}]
    _refuse_faults({"builds": [document]}, "/builds/0/")


def workload_check(workload: Workload) -> None:
    """Refuse a workload that the engine would refuse."""
    _refuse_faults({"workloads": [workload_document(workload)]}, "/workloads/0/")


def assumptions_check(assumption_set: AssumptionSet) -> None:
    """Refuse assumptions that the engine would refuse."""
    document = assumptions_document(assumption_set) if assumption_set.pk else {"currency": assumption_set.currency}
    _refuse_faults({"assumptions": document, "policy": assumption_set.policy}, "/assumptions/")


def _refuse_faults(part: Mapping[str, Any], prefix: str) -> None:
    document = {"schema": SCHEMA, "as_of": _ANY_DAY, "assumptions": {}, **part}
    try:
        parse_scenario(document)
    except ScenarioError as error:
        fields: dict[str, list[str]] = defaultdict(list)
        for fault in error.faults:
            name = fault.pointer.removeprefix(prefix).lstrip("/").split("/")[0] or "__all__"
            fields[name].append(fault.message)
        sentences = "; ".join(f"{name}: {' '.join(messages)}" for name, messages in fields.items())
        raise ProcurementError("invalid", sentences, fields) from error
