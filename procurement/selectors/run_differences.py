"""What differs between two runs: in the question, record by record, and in the answer of every workload."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from procurement.models import Answer, Run

RECORDS = {"quotes": "quote", "builds": "build", "workloads": "workload"}
SETTINGS = {"assumptions": "assumption", "policy": "policy"}
ADDED, REMOVED = "added", "removed"


@dataclass(frozen=True, slots=True)
class InputChange:
    """One value of the question that differs; a whole record that came or went has no field."""

    kind: str
    code: str
    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """The answers of two runs for one workload; ``None`` where a run holds none."""

    workload: str
    before: Answer | None
    after: Answer | None

    @property
    def is_same(self) -> bool:
        """Whether both runs share one answer."""
        return self.before is not None and self.after is not None and self.before.pk == self.after.pk

    @property
    def npv_change(self) -> Decimal | None:
        """What the recommended option costs more than before; ``None`` where either has no amount in that currency."""
        if self.before is None or self.after is None or self.before.currency != self.after.currency:
            return None
        if self.before.npv is None or self.after.npv is None:
            return None
        return self.after.npv - self.before.npv


def input_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[InputChange]:
    """Return what differs between two frozen questions, by kind, code and field."""
    found = [] if before["as_of"] == after["as_of"] else [_change("day", "", "as_of", before["as_of"], after["as_of"])]
    for key, kind in SETTINGS.items():
        found += _fields(kind, "", before.get(key) or {}, after.get(key) or {})
    for key, kind in RECORDS.items():
        found += _records(kind, before.get(key, ()), after.get(key, ()))
    return found


def answer_changes(before: Run, after: Run) -> list[AnswerChange]:
    """Return the answers of two runs side by side, those that differ first."""
    old, new = _answers(before), _answers(after)
    names = {code: answer.workload_name for code, answer in (old | new).items()}
    changes = [AnswerChange(name, old.get(code), new.get(code)) for code, name in names.items()]
    return sorted(changes, key=lambda change: (change.is_same, change.workload))


def _answers(run: Run) -> dict[str, Answer]:
    light = Answer.objects.defer("recommendation", "excluded", "need", "throughput", "bridge")
    return {answer.workload_code: answer for answer in light.filter(run_answers__run=run)}


def _records(kind: str, before: Any, after: Any) -> Iterator[InputChange]:
    old, new = ({record["id"]: record for record in records} for records in (before, after))
    for code in sorted(old.keys() | new.keys()):
        if code not in new:
            yield _change(kind, code, "", None, REMOVED)
        elif code not in old:
            yield _change(kind, code, "", None, ADDED)
        else:
            yield from _fields(kind, code, old[code], new[code])


def _fields(kind: str, code: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[InputChange]:
    for field in sorted(before.keys() | after.keys()):
        if before.get(field) != after.get(field):
            yield _change(kind, code, field, before.get(field), after.get(field))


def _change(kind: str, code: str, field: str, before: Any, after: Any) -> InputChange:
    return InputChange(kind, code, field, before, after)
