"""Why rows of a draft are held or faulty, reason by reason, with what releases or mends them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EXAMPLES = 3  # different messages shown of one reason


@dataclass(slots=True)
class ReasonGroup:
    """One reason: the rows that it concerns, what it says of them, and what would be right."""

    code: str
    lines: set[int] = field(default_factory=set)
    said: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """Return how many rows it concerns."""
        return len(self.lines)

    @property
    def examples(self) -> list[tuple[str, int]]:
        """Return its commonest messages, each with the number of its rows."""
        return [(message, count) for (message, _), count in self.said.most_common(EXAMPLES)]

    @property
    def further(self) -> int:
        """Return how many more messages there are."""
        return max(0, len(self.said) - EXAMPLES)

    @property
    def releases(self) -> list[str]:
        """Return what would release the rows of the examples."""
        return list(dict.fromkeys(release for (_, release), _ in self.said.most_common(EXAMPLES) if release))


def reasons_held(content: Mapping[str, Any]) -> list[ReasonGroup]:
    """Return why rows are held by a validation report, the commonest reason first; a row may have several."""
    return _grouped(
        (reason["code"], row["line"], reason["message"], reason["release"])
        for row in content.get("held", ())
        for reason in row["reasons"]
    )


def reasons_faulty(content: Mapping[str, Any]) -> list[ReasonGroup]:
    """Return why rows cannot be read by a validation report, the commonest reason first."""
    return _grouped((one["rule"], one["line"], _found(one), one["hint"]) for one in content.get("faults", ()))


def _found(fault: Mapping[str, Any]) -> str:
    place = f"{fault['column']}: " if fault["column"] else ""
    return f"{place}{fault['value'] or 'nothing'}"


def _grouped(said: Iterable[tuple[str, int, str, str]]) -> list[ReasonGroup]:
    found: dict[str, ReasonGroup] = {}
    for code, line, message, release in said:
        group = found.setdefault(code, ReasonGroup(code))
        group.lines.add(line)
        group.said[message, release] += 1
    return _ordered(list(found.values()))


def _ordered(groups: Sequence[ReasonGroup]) -> list[ReasonGroup]:
    return sorted(groups, key=lambda group: (-group.count, group.code))
