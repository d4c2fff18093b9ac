"""The memo of a recommendation: two pages to sign, the same words and figures as the page."""

from typing import Any

from django.template.loader import render_to_string

from reports.charts import cash_chart
from reports.errors import ReportUnavailable
from reports.option_view import OptionView, component_name
from reports.places import option_parts
from reports.recommendation import RecommendationPage, approval_note
from reports.renderers.base import Rendered
from reports.renderers.pdf import typeset
from reports.templatetags.badges import badge_of
from reports.templatetags.figures import day_text, money_text, number_text, percent_text, rate_text

OPTIONS_SHOWN = 4
LINES_SHOWN, EXCLUDED_SHOWN = 4, 8  # of other tables, so that the memo keeps to two pages


def memo_pdf(page: RecommendationPage) -> Rendered:
    """Return the memo as PDF; refuses figures that do not add up."""
    if page.faults:
        raise ReportUnavailable(" ".join(page.faults))
    name = f"memo-{page.answer.workload_code}-run-{page.run.pk}-{page.run.as_of.isoformat()}.pdf"
    return Rendered(typeset("memo.typ", memo_data(page)), "application/pdf", name)


def memo_data(page: RecommendationPage) -> dict[str, Any]:
    """Return everything the memo prints, as text."""
    answer = page.answer
    shown = [option for option in page.options if option.is_feasible][:OPTIONS_SHOWN]
    left_out = [option for option in page.options if not option.is_feasible and "#" not in option.code]
    used = {option_parts(option.code).build for option in (page.recommended, page.runner_up) if option is not None}
    components = [part for part in page.components if any(part in option.components for option in shown)]
    return {
        "title": f"{answer.workload_name}: {badge_of(answer.verdict).word.lower()}",
        "workload": answer.workload_name,
        "run": page.run.pk,
        "digest": page.run.inputs_digest,
        "engine": page.run.engine_version,
        "as_of": page.run.as_of.isoformat(),
        "verdict": badge_of(answer.verdict).word,
        "what": page.what,
        "why": list(page.why),
        "sure_word": badge_of(answer.how_sure).word if answer.how_sure else "Not judged",
        "sure": [*page.sure, page.age] if page.recommended else ["No option is recommended."],
        "changes": _changes(page),
        "conditions": list(page.conditions),
        "lost": list(page.lost),
        "runner_up": page.runner_up.name if page.runner_up else "",
        "premium": page.premium,
        "breakeven": list(page.breakeven),
        "approval_note": approval_note(page),
        "approval": money_text(answer.approval_amount, answer.currency) if page.recommended else "",
        "is_tie": answer.is_tie,
        "twins": [[f"{twin.name}, {twin.unit}", twin.value, twin.twin, twin.difference] for twin in page.twins],
        "chart": _chart(page),
        "options": {
            "heads": ["Part", *(option.name for option in shown)],
            "rows": _component_rows(components, shown, page.currency) if shown else [],
        },
        "not_feasible": [[option.name, " ".join(option.why_not)] for option in left_out[:LINES_SHOWN]],
        "excluded": [[name, number_text(count)] for name, count in page.excluded[:EXCLUDED_SHOWN]],
        "builds": [
            [
                build.name,
                badge_of(build.availability_status).word,
                f"{number_text(build.usable)} of {number_text(build.planned)}",
                f"{day_text(build.p50_on)} / {day_text(build.p80_on)} / {day_text(build.p90_on)}",
                " ".join(build.flags),
            ]
            for build in page.builds
            if build.code in used or not used
        ],
        "throughput": [
            [
                row.name,
                *(number_text(value, 3) for value in (row.efficiency, row.goodput, row.feed)),
                percent_text(row.useful_share, 1),
            ]
            for row in page.throughput
        ],
        "split": [[name, percent_text(share, 0)] for name, share in page.split],
        "facts": [[fact["name"], fact["value"]] for fact in page.facts],
        "assumptions": [[fact["name"], fact["value"]] for fact in page.assumption_facts],
        "not_modelled": list(page.not_modelled),
    }


def _changes(page: RecommendationPage) -> list[str]:
    if page.changes:
        return [*([page.changes_lead] if page.changes_lead else []), *page.changes]
    if page.recommended is None:
        return ["An offer or a build that passes the constraints below."]
    return ["The figures at which another option wins were not worked out in this run."]


def _chart(page: RecommendationPage) -> dict[str, Any] | None:
    chart = cash_chart(page)
    if chart is None:
        return None
    names = [str(line["name"]) for line in chart["lines"]]
    return {
        "svg": render_to_string("reports/typst/cash.svg", {"chart": chart}),
        "alt": f"{chart['title']}: {', '.join(names)}. The workbook holds every figure.",
        "names": names,
        "dashes": ["solid", "dashed", "dotted"][: len(names)],
    }


def _component_rows(components: list[str], options: list[OptionView], currency: str) -> list[list[str]]:
    rows = [
        [component_name(part), *(money_text(option.components.get(part), currency) for option in options)]
        for part in components
    ]
    rows.append(
        ["Per useful accelerator-hour", *(_rate(option, currency) for option in options)],
    )
    rows.append(["Capital", *(money_text(option.capital, currency) for option in options)])
    total = ["Total of the parts", *(money_text(option.nominal_cost, currency) for option in options)]
    present = ["Present cost", *(money_text(option.npv, currency) for option in options)]
    return [*rows[: len(components)], total, *rows[len(components) :], present]


def _rate(option: OptionView, currency: str) -> str:
    return rate_text(option.cost_per_useful_accelerator_hour, currency, "h")
