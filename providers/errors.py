"""What the price intake raises and names: refusals of a whole file, and faults of a row and column."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One cell or row that cannot be read: where, what was found, the rule it breaks and what would be right.

    `line` is the physical line of a text file, the row of a workbook or the 1-based item of a JSON list.
    """

    line: int
    column: str
    value: str
    rule: str
    hint: str

    def __str__(self) -> str:
        rule = self.rule.replace("_", " ")
        if not self.column:  # the whole row is meant
            return f"line {self.line}: {rule} ({self.value}): {self.hint}"
        return f"line {self.line}, column {self.column}: {self.value!r} {rule}: {self.hint}"


class ProviderError(Exception):
    """A price file was refused as a whole; the message names the file, what was found and what would be right."""


class UnknownFormat(ProviderError):
    """No format of the registry recognises the file."""


class AmbiguousFormat(ProviderError):
    """More than one format recognises the file; `candidates` holds their keys."""

    def __init__(self, message: str, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class UnreadableFile(ProviderError):
    """The bytes are not the text, JSON or workbook that they seem to be."""


class UnsafeFile(ProviderError):
    """The file is larger, deeper or more compressed than the intake reads."""


class NotAPriceList(ProviderError):
    """The file is known, but states no prices that can be quoted: a bill, a map of names, a list of currencies."""


class TableError(ProviderError):
    """A table breaks its contract; `faults` names every cell."""

    def __init__(self, message: str, faults: Sequence[Fault]) -> None:
        super().__init__(message)
        self.faults = tuple(faults)


class CellError(ProviderError):
    """One cell cannot be read; the format turns it into a Fault with its line and column."""

    def __init__(self, value: str, rule: str, hint: str) -> None:
        super().__init__(f"{value!r} {rule}: {hint}")
        self.value = value
        self.rule = rule
        self.hint = hint

    def at(self, line: int, column: str) -> Fault:
        """Return the fault of this cell at its place."""
        return Fault(line, column, self.value, self.rule, self.hint)
