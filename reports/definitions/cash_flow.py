"""Cash by month of each option, nominal."""

from collections.abc import Sequence
from datetime import date

from procurement.models import MonthRow, OptionRow, Run
from procurement.selectors.runs import answers_of
from reports.base import Column, Filters, Row
from reports.months import add_months
from reports.places import places_of
from reports.selectors import run_parts


class CashFlow:
    """What each option pays in each month of the workload's window."""

    key = "cash_flow"
    title = "Cash flow by month"
    description = "What each option pays in each month: nominal amounts that add up to its total."
    filters = ("workload",)
    empty = "No option of this workload has a cash flow."
    columns = (
        Column("workload", "Workload"),
        Column("option", "Option code"),
        Column("name", "Option"),
        Column("month", "Month", "number", "0 is the month of the start"),
        Column("month_on", "Begins", "day"),
        Column("amount", "Amount", "money", "nominal"),
    )

    def rows(self, run: Run, filters: Filters) -> list[Row]:
        """Return one row an option and month."""
        wanted = answers_of(run).prefetch_related(None)
        answers = [answer for answer in wanted if filters.workload in ("", answer.workload_code)]
        options = OptionRow.objects.filter(answer__in=answers).values_list("option", flat=True)
        places = places_of(run, options)
        workloads = run_parts(run, "workloads", {answer.workload_code for answer in answers})
        months = MonthRow.objects.filter(option__answer__in=answers).select_related("option__answer")
        months = months.defer("option__detail", "option__answer__recommendation", "option__answer__throughput")
        ordered = months.order_by("option__answer__workload_name", "option__answer", "option__position", "month")
        rows = []
        for entry in ordered:
            answer = entry.option.answer
            start = date.fromisoformat(workloads[answer.workload_code]["start"])
            rows.append(
                {
                    "workload_code": answer.workload_code,
                    "workload": answer.workload_name,
                    "option": entry.option.option,
                    "name": places.option(entry.option.option),
                    "month": entry.month,
                    "month_on": add_months(start, entry.month),
                    "amount": entry.amount,
                    "currency": answer.currency,
                }
            )
        return rows

    def headline(self, rows: Sequence[Row]) -> str:
        """Return how many options and months are shown."""
        options = {(row["workload"], row["option"]) for row in rows}
        return f"{len(options)} {'option' if len(options) == 1 else 'options'}, {len(rows)} months"


REPORT = CashFlow()
