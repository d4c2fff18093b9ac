"""A scenario document from a file: read, its files of hourly demand inlined, answered; needs no database."""

import json
from pathlib import Path
from typing import Any

from procurement.engine.errors import Fault, ScenarioError
from procurement.engine.pipeline import evaluate
from procurement.engine.scenario import (
    example_text,
    hourly_files,
    parse_scenario,
    read_document,
    scenario_schema,
    with_hourly_series,
)
from procurement.engine.shortlist import shortlists
from procurement.engine.tables import Scenario
from procurement.errors import ProcurementError


class ScenarioFileRefused(ProcurementError):
    """A scenario file with faults; ``lines`` holds each of them in words, with its place."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        count = f"{len(faults)} faults" if len(faults) != 1 else "1 fault"
        super().__init__("invalid", f"The scenario document has {count}; nothing was computed.")
        self.lines = [fault.message for fault in faults]


def scenario_file_answer(*, text: str, folder: Path) -> dict[str, Any]:
    """Return the whole answer to a document; refuses it with every fault. ``folder`` holds its hourly files."""
    return evaluate(_scenario(text, folder))


def scenario_file_shortlist(*, text: str, folder: Path) -> dict[str, Any]:
    """Return what is recommended for each workload of a document, without figures: for very many of them."""
    return {"shortlist": shortlists(_scenario(text, folder))}


def _scenario(text: str, folder: Path) -> Scenario:
    try:
        document = read_document(text)
        return parse_scenario(with_hourly_series(document, _hourly_series(document, folder)))
    except ScenarioError as error:
        raise ScenarioFileRefused(error.faults) from error


def scenario_file_schema() -> str:
    """Return the JSON Schema of the scenario document as text."""
    return json.dumps(scenario_schema(), indent=1)


def scenario_file_example() -> str:
    """Return a commented scenario document as text."""
    return example_text()


def _hourly_series(document: dict[str, Any], folder: Path) -> dict[str, list[float]]:
    """Return the numbers of every hourly file that can be read; every fault of them at once."""
    faults: list[Fault] = []
    series: dict[str, list[float]] = {}
    for name in hourly_files(document):
        path = folder / name
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            faults.append(_file_fault(name, type(error).__name__, "a text file with one number a line"))
            continue
        series[name] = _numbers(name, lines, faults)
    if faults:
        raise ScenarioError(tuple(faults))
    return series


def _numbers(name: str, lines: list[str], faults: list[Fault]) -> list[float]:
    numbers = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            numbers.append(float(line))
        except ValueError:
            faults.append(_file_fault(f"{name} line {number}", line.strip()[:60], "a number"))
    if not numbers and not faults:
        faults.append(_file_fault(name, "no number", "one number a line"))
    return numbers


def _file_fault(name: str, found: str, expected: str) -> Fault:
    return Fault("", found, expected, f"hourly_file {name}: found {found}; right would be {expected}")
