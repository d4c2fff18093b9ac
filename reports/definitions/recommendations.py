"""The recommendation for each workload of a run."""

from collections import Counter
from collections.abc import Sequence

from django.urls import reverse

from procurement.models import OptionRow, Run
from procurement.selectors.runs import answers_of
from reports.answer_words import why_sentences
from reports.base import ADDRESS, Column, Filters, Row
from reports.places import places_of
from reports.sentences import listing

_SPOKEN = {
    "on_prem": "to own", "cloud": "to rent", "hybrid": "hybrid", "bridge_then_on_prem": "to rent, then own",
    "wait": "to wait", "stay": "to stay", "none_feasible": "without an option",
}  # fmt: skip


class Recommendations:
    """What each workload should do, what it costs and how sure that is."""

    key = "recommendations"
    title = "Recommendations"
    description = "For each workload: rent, own or both, at which place, at what cost, how sure, and the first reason."
    filters = ("workload",)
    empty = "The run holds no workload. Add a workload to get a recommendation."
    columns = (
        Column("workload", "Workload"),
        Column("verdict", "Verdict", "status"),
        Column("place", "Recommended option"),
        Column("npv", "Present cost", "money", meaning="present value of all costs over the window"),
        Column("current_npv", "Do nothing", "money", meaning="present cost of staying where it runs today"),
        Column("cost_per_useful_accelerator_hour", "Cost", "rate", "per useful accelerator-hour"),
        Column("approval_amount", "For approval", "money", meaning="amount to approve"),
        Column("how_sure", "How sure", "status"),
        Column("first_reason", "First reason"),
        Column("is_tie", "Too close to call", "flag"),
        Column("oldest_input_on", "Oldest input", "day"),
    )

    def rows(self, run: Run, filters: Filters) -> list[Row]:
        """Return one row a workload, in the order of names."""
        wanted = answers_of(run).prefetch_related(None)
        answers = [answer for answer in wanted if filters.workload in ("", answer.workload_code)]
        current = dict(OptionRow.objects.filter(answer__in=answers, kind="current").values_list("answer_id", "npv"))
        places = places_of(run, [answer.option for answer in answers])
        rows = []
        for answer in answers:
            reasons = why_sentences(answer, places)
            rows.append(
                {
                    "workload_code": answer.workload_code,
                    "workload": answer.workload_name,
                    "verdict": answer.verdict or None,
                    "option": answer.option or None,
                    "place": places.option(answer.option) if answer.option else None,
                    "npv": answer.npv,
                    "current_npv": current.get(answer.pk),
                    "cost_per_useful_accelerator_hour": answer.cost_per_useful_accelerator_hour,
                    "approval_amount": answer.approval_amount,
                    "how_sure": answer.how_sure or None,
                    "first_reason": reasons[0] if reasons else None,
                    "is_tie": answer.is_tie,
                    "oldest_input_on": answer.oldest_input_on,
                    "currency": answer.currency,
                    ADDRESS: reverse("reports:recommendation", args=[run.pk, answer.workload_code]),
                }
            )
        return rows

    def headline(self, rows: Sequence[Row]) -> str:
        """Return how many workloads get which verdict: `2 to rent and 1 hybrid`."""
        counts = Counter(row["verdict"] for row in rows)
        return listing([f"{count} {_SPOKEN.get(str(verdict), 'open')}" for verdict, count in counts.most_common()])


REPORT = Recommendations()
