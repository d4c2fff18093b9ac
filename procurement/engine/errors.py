"""What the engine raises: nothing else is raised on purpose."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a document: where, what was found and what would be right."""

    pointer: str
    found: str
    expected: str
    message: str


class EngineError(Exception):
    """The engine cannot answer; the message names the thing, the value and what would be right."""


class ScenarioError(EngineError):
    """A scenario document has faults; ``faults`` holds every one of them, in document order."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        count = f"{len(faults)} faults" if len(faults) != 1 else "1 fault"
        lines = "\n".join(fault.message for fault in faults)
        super().__init__(f"The scenario document has {count}:\n{lines}")
