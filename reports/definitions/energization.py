"""What each build has energized and what is accessible, with the forecast of the rest."""

from collections.abc import Sequence

from procurement.models import EnergizationRow, Run
from reports.base import Column, Filters, Row
from reports.places import places_of
from reports.reasons import reason_sentences
from reports.sentences import words


class Energization:
    """Announced, energized and accessible capacity of every build."""

    key = "energization"
    title = "Energization of builds"
    description = (
        "Announced against energized against accessible accelerators of every build, and when the rest is ready."
    )
    filters = ()
    empty = "The run holds no build."
    columns = (
        Column("name", "Build"),
        Column("operator", "Operator"),
        Column("availability_status", "Availability", "status"),
        Column("energization_status", "Energization", "status"),
        Column("planned_accelerators", "Announced", "number", "accelerators"),
        Column("energized_accelerators", "Energized", "number", "accelerators"),
        Column("accessible_accelerators", "Accessible", "number", "accelerators"),
        Column("usable_accelerators", "Usable today", "number", "accelerators"),
        Column("binding", "Held back by"),
        Column("p50_on", "All ready, 5 in 10", "day"),
        Column("p80_on", "All ready, 8 in 10", "day"),
        Column("p90_on", "All ready, 9 in 10", "day"),
        Column("flags", "To look at"),
    )

    def rows(self, run: Run, filters: Filters) -> list[Row]:
        """Return one row a build."""
        builds = list(EnergizationRow.objects.filter(run=run).order_by("build_code"))
        places = places_of(run, (), [build.build_code for build in builds])
        return [
            {
                "build": build.build_code,
                "name": places.build(build.build_code),
                "operator": build.operator,
                "availability_status": build.availability_status,
                "energization_status": build.energization_status,
                "planned_accelerators": build.planned_accelerators,
                "energized_accelerators": build.energized_accelerators,
                "accessible_accelerators": build.accessible_accelerators,
                "usable_accelerators": build.usable_accelerators,
                "binding": words(build.readiness.get("binding_gates") or []) or None,
                "p50_on": build.p50_on,
                "p80_on": build.p80_on,
                "p90_on": build.p90_on,
                "flags": " ".join(reason_sentences(build.readiness.get("flags"))) or None,
            }
            for build in builds
        ]

    def headline(self, rows: Sequence[Row]) -> str:
        """Return how much of what was announced can be used."""
        usable = sum(row["usable_accelerators"] for row in rows)
        planned = sum(row["planned_accelerators"] for row in rows)
        return f"{usable:,} of {planned:,} announced accelerators usable"


REPORT = Energization()
