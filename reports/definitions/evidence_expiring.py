"""Evidence of builds that will soon be too old to count."""

from collections.abc import Sequence

from procurement.models import Run
from procurement.selectors.builds import evidence_expiring
from reports.base import Column, Filters, Row


class EvidenceExpiring:
    """The newest statement of each gate that ages out within the days asked for, or has, soonest first."""

    key = "evidence_expiring"
    title = "Evidence that expires"
    description = "Evidence of builds to confirm again before it no longer counts, soonest first."
    filters = ("within_days",)
    empty = "No evidence expires in this time."
    columns = (
        Column("build", "Build"),
        Column("gate", "Gate"),
        Column("tranche", "Tranche"),
        Column("grade", "Grade"),
        Column("observed_on", "Observed", "day"),
        Column("expires_on", "Counts until", "day"),
        Column("days_left", "Left", "number", "days"),
        Column("source", "Source"),
    )

    def rows(self, run: Run, filters: Filters) -> list[Row]:
        """Return one row a statement, counted from the day of the run."""
        return [
            {
                "build": entry.evidence.build.name,
                "gate": entry.evidence.gate,
                "tranche": entry.evidence.tranche,
                "grade": entry.evidence.grade,
                "observed_on": entry.evidence.observed_on,
                "expires_on": entry.expires_on,
                "days_left": entry.days_left,
                "source": entry.evidence.source or None,
            }
            for entry in evidence_expiring(filters.within_days, as_of=run.as_of)
        ]

    def headline(self, rows: Sequence[Row]) -> str:
        """Return how many gates need confirming."""
        return f"{len(rows)} {'gate needs' if len(rows) == 1 else 'gates need'} confirming"


REPORT = EvidenceExpiring()
