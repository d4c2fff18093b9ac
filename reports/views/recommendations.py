"""Pages and files of recommendations."""

import json
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from procurement.models import Run
from procurement.permissions import can
from procurement.selectors.runs import run_inputs, run_latest_asked, run_latest_finished
from procurement.views.frame import section
from reports.base import Filters
from reports.charts import cash_chart, split_chart
from reports.detail_charts import load_chart, tornado_chart
from reports.memo import memo_pdf
from reports.overview import recommendations_overview
from reports.recommendation import approval_note, recommendation_page
from reports.registry import get_report, make_sheet
from reports.renderers.base import Rendered
from reports.renderers.csv import RENDERER as CSV
from reports.selectors import run_finished
from reports.templatetags.figures import money_text
from reports.views.access import Crumb, ReaderView, download
from reports.workbook import recommendation_workbook


class RecommendationLatestView(ReaderView):
    """The newest finished run, or what to do while there is none."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the recommendations of the newest run."""
        run = run_latest_finished()
        if run is None:
            context = {"asked": run_latest_asked(), "tabs": section("runs", request.path)}
            return render(request, "reports/recommendations_empty.html", context)
        return _list(request, run, is_latest=True)


class RecommendationListView(ReaderView):
    """The recommendations of one run."""

    def get(self, request: HttpRequest, run_id: int) -> HttpResponse:
        """Show the recommendations of the run."""
        return _list(request, run_finished(run_id))


class RecommendationDetailView(ReaderView):
    """The recommendation for one workload."""

    def get(self, request: HttpRequest, run_id: int, workload: str) -> HttpResponse:
        """Show what a run recommends for a workload, and everything that rests on."""
        run = run_finished(run_id)
        page = recommendation_page(run, workload)
        latest = run_latest_finished()
        context = {
            "page": page,
            "chart": cash_chart(page),
            "split": split_chart(page),
            "tornado_chart": tornado_chart(page.details.tornado, page.currency),
            "load_chart": load_chart(page.details.load_curve),
            "approval_note": approval_note(page),
            "approval": money_text(page.answer.approval_amount, page.currency).removeprefix(f"{page.currency} "),
            "newer": latest if latest is not None and latest.pk != run.pk else None,
            "prepare_address": _prepare_address(request, page.answer.option, run.pk, workload),
            "crumbs": [
                Crumb("Recommendations", reverse("reports:recommendations")),
                Crumb(f"Run {run.pk}", reverse("reports:run_recommendations", args=[run.pk])),
            ],
        }
        return render(request, "reports/recommendation.html", context)


class RecommendationLatestDetailView(ReaderView):
    """A lasting address: what the newest run says of a workload."""

    def get(self, request: HttpRequest, workload: str) -> HttpResponse:
        """Go to the newest run's recommendation."""
        return redirect("reports:recommendation", run_finished().pk, workload)


class RecommendationMemoView(ReaderView):
    """The memo of one recommendation as PDF."""

    def get(self, request: HttpRequest, run_id: int, workload: str) -> HttpResponse:
        """Return the memo."""
        return download(memo_pdf(recommendation_page(run_finished(run_id), workload)))


class RecommendationWorkbookView(ReaderView):
    """The figures of one recommendation as XLSX."""

    def get(self, request: HttpRequest, run_id: int, workload: str) -> HttpResponse:
        """Return the workbook."""
        run = run_finished(run_id)
        return download(recommendation_workbook(recommendation_page(run, workload), run_inputs(run)))


class CashFlowCsvView(ReaderView):
    """Cash by month of one workload as CSV."""

    def get(self, request: HttpRequest, run_id: int, workload: str) -> HttpResponse:
        """Return the cash flow of every option."""
        run = run_finished(run_id)
        recommendation_page(run, workload)  # refuses a workload that the run does not hold
        return download(CSV.render(make_sheet(get_report("cash_flow"), run, Filters(workload=workload))))


class RunInputsView(ReaderView):
    """The frozen question of a run, as it can be evaluated again."""

    def get(self, request: HttpRequest, run_id: int) -> HttpResponse:
        """Return the scenario document."""
        run = run_finished(run_id)
        text = json.dumps(run_inputs(run), indent=2, ensure_ascii=False, sort_keys=True)
        name = f"inputs-run-{run.pk}-{run.as_of.isoformat()}.json"
        return download(Rendered(text.encode(), "application/json", name))


def _list(request: HttpRequest, run: Run, *, is_latest: bool = False) -> HttpResponse:
    context = {**recommendations_overview(run), "tabs": section("runs", request.path)}
    if not is_latest:
        context["crumbs"] = [Crumb("Recommendations", reverse("reports:recommendations"))]
    return render(request, "reports/recommendations.html", context)


def _prepare_address(request: HttpRequest, option: str, run_id: int, workload: str) -> str:
    if not option or not can(request.user, "decision.prepare"):
        return ""
    return f"{reverse('procurement:decision_new')}?{urlencode({'run': run_id, 'workload': workload})}"
