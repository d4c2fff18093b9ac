"""Every option that was compared, with its figures and, where it is not feasible, why."""

from collections.abc import Sequence

from procurement.models import Run
from procurement.selectors.runs import answers_of
from reports.base import Column, Filters, Row
from reports.places import places_of
from reports.reasons import reason_sentences


class Options:
    """The options of one workload, or of all."""

    key = "options"
    title = "Options"
    description = (
        "Every option of a workload side by side: totals, cost per hour, capital and running cost, or why not."
    )
    filters = ("workload",)
    empty = "The run compared no option for this workload."
    columns = (
        Column("workload", "Workload"),
        Column("position", "Rank", "number"),
        Column("name", "Option"),
        Column("is_feasible", "Feasible", "flag"),
        Column("npv", "Present cost", "money"),
        Column("nominal_cost", "Nominal cost", "money"),
        Column("capital", "Capital", "money"),
        Column("operating", "Running cost", "money"),
        Column("cost_per_accelerator_hour", "Cost", "rate", "per accelerator-hour"),
        Column("cost_per_useful_accelerator_hour", "Cost", "rate", "per useful accelerator-hour"),
        Column("why_not", "Why not"),
        Column("option", "Option code"),
    )

    def rows(self, run: Run, filters: Filters) -> list[Row]:
        """Return one row an option, the recommended one first."""
        wanted = answers_of(run).prefetch_related(None).prefetch_related("options")
        answers = [answer for answer in wanted if filters.workload in ("", answer.workload_code)]
        places = places_of(run, [option.option for answer in answers for option in answer.options.all()])
        return [
            {
                "workload_code": answer.workload_code,
                "workload": answer.workload_name,
                "position": option.position + 1,
                "name": places.option(option.option),
                "is_feasible": option.is_feasible,
                "npv": option.npv,
                "nominal_cost": option.nominal_cost,
                "capital": option.capital,
                "operating": option.operating,
                "cost_per_accelerator_hour": option.cost_per_accelerator_hour,
                "cost_per_useful_accelerator_hour": option.cost_per_useful_accelerator_hour,
                "why_not": " ".join(reason_sentences(option.detail.get("reasons"), answer.currency)) or None,
                "option": option.option,
                "currency": answer.currency,
            }
            for answer in answers
            for option in answer.options.all()
        ]

    def headline(self, rows: Sequence[Row]) -> str:
        """Return how many options there are and how many are feasible."""
        feasible = sum(bool(row["is_feasible"]) for row in rows)
        return f"{feasible} of {len(rows)} options feasible"


REPORT = Options()
