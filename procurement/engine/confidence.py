"""How sure an answer is without ranges: completeness, age, grade of evidence and margin, in words (semantics 28)."""

from dataclasses import dataclass
from datetime import date
from typing import Any

WORDS = ("low", "medium", "high")
OLD_DAYS = 90  # an input older than this takes one step off
STALE_DAYS = 30  # of a quote
WIDE_MARGIN = 0.10  # of its cost: a smaller margin takes one step off
WEAK_GRADES = ("D", "E")


@dataclass(frozen=True, slots=True)
class Confidence:
    """What is known of the inputs behind one option."""

    as_of: date
    oldest_on: date | None
    worst_grade: str | None  # of the evidence that counts; None where there is none
    incomplete: tuple[str, ...]
    unproven: tuple[str, ...]
    assumed: tuple[str, ...]
    probability_cheapest: float | None = None

    @property
    def age_days(self) -> int | None:
        """Age of the oldest input, None where no input is dated."""
        return None if self.oldest_on is None else (self.as_of - self.oldest_on).days

    def word(self, margin: float | None) -> str:
        """Return low, medium or high; a partial total is low at most (semantics 18)."""
        if self.incomplete:
            return "low"
        steps = (
            self.age_days is None or self.age_days > OLD_DAYS,
            bool(self.unproven) or bool(self.assumed),
            self.worst_grade in WEAK_GRADES,
            margin is not None and margin < WIDE_MARGIN,
        )
        return WORDS[max(0, len(WORDS) - 1 - sum(steps))]

    def answer(self, margin: float | None) -> dict[str, Any]:
        """Return the fields of the answer document; a probability stands only where something was drawn."""
        return {
            "word": self.word(margin),
            "completeness": "partial" if self.incomplete else "complete",
            "incomplete_cost": list(self.incomplete),
            "age_days": self.age_days,
            "worst_grade": self.worst_grade,
            "unproven": list(self.unproven),
            "assumed": list(self.assumed),
            "margin": margin,
            "probability_cheapest": self.probability_cheapest,
        }
