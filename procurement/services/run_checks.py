"""Whether a past run still gives its stored figures to the cent when its frozen inputs are answered again."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from procurement.engine import ENGINE_VERSION
from procurement.engine.pipeline import comparisons
from procurement.errors import ProcurementError
from procurement.models import Answer, OptionRow, Run, RunState
from procurement.services.runs import question_parts

TABLES = ("recommendation", "excluded", "need", "throughput", "bridge")


@dataclass(frozen=True, slots=True)
class Difference:
    """One stored value that a new computation does not give again."""

    place: str
    stored: Any
    computed: Any


@dataclass(frozen=True, slots=True)
class RunCheck:
    """What became of recomputing a run: how many values were compared, and which differ."""

    run: Run
    compared: int
    differences: tuple[Difference, ...]

    @property
    def is_same_engine(self) -> bool:
        """Whether the run was answered by this version of the engine."""
        return self.run.engine_version == ENGINE_VERSION


def run_check(*, run: Run) -> RunCheck:
    """Answer a finished run's frozen inputs again and compare every stored value; changes nothing.

    Raises
    ------
    ProcurementError
        When the run is not finished and so has nothing to agree with.
    """
    if run.state != RunState.FINISHED:
        raise ProcurementError("run_not_finished", f"{run} is not finished; check a finished run.")
    answers = Answer.objects.filter(run_answers__run=run).prefetch_related("options__months")
    known = {answer.workload_code: answer for answer in answers}
    pairs: list[tuple[str, Any, Any]] = []
    for part in question_parts(run, set(known)):
        computed = json.loads(json.dumps(comparisons(part)))
        pairs += [pair for workload in part.workloads for pair in _pairs(known[workload.id], computed)]
    differing = tuple(Difference(place, stored, found) for place, stored, found in pairs if stored != found)
    return RunCheck(run, len(pairs), differing)


def _pairs(answer: Answer, computed: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield every stored value of an answer with the computed one."""
    code = answer.workload_code
    for table in TABLES:
        yield from _leaves(f"{code} / {table}", getattr(answer, table), computed[table].get(code, {}))
    found = {option["option"]: _computed_option(option) for option in computed["options"].get(code, [])}
    stored = {row.option: _stored_option(row) for row in answer.options.all()}
    for name in sorted(stored.keys() | found.keys()):
        yield from _leaves(f"{code} / {name}", stored.get(name), found.get(name))


def _stored_option(row: OptionRow) -> dict[str, Any]:
    return {**row.detail, "by_month": {str(entry.month): entry.amount for entry in row.months.all()}}


def _computed_option(option: Mapping[str, Any]) -> dict[str, Any]:
    months = {str(entry["month"]): Decimal(entry["amount"]) for entry in option.get("by_month") or ()}
    return {**option, "by_month": months}


def _leaves(place: str, stored: Any, found: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the numbers and words below two values, those that only one side has included."""
    if isinstance(stored, dict) and isinstance(found, dict):
        for key in sorted(stored.keys() | found.keys()):
            yield from _leaves(f"{place} / {key}", stored.get(key), found.get(key))
    elif isinstance(stored, list) and isinstance(found, list) and len(stored) == len(found):
        for index, (one, other) in enumerate(zip(stored, found, strict=True)):
            yield from _leaves(f"{place} / {index}", one, other)
    else:
        yield place, stored, found
