"""The shelf of reports: what there is, each as a page and as files."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from procurement.errors import ProcurementError
from procurement.models import Run
from procurement.permissions import can
from procurement.selectors.runs import run_latest_finished
from reports.base import Filters
from reports.errors import ReportUnavailable
from reports.forms import FilterForm
from reports.registry import REPORTS, get_report, make_sheet
from reports.renderers.html import table_of
from reports.renderers.registry import RENDERERS, get_renderer
from reports.selectors import messages_alarming, run_finished, slots_alarming, subscriptions_all
from reports.views.access import Crumb, ReaderView, download


class ReportIndexView(ReaderView):
    """All reports, and who gets them by mail."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the shelf."""
        context = {
            "run": run_latest_finished(),
            "reports": REPORTS,
            "formats": RENDERERS,
            "subscriptions": subscriptions_all(),
            "alarms": messages_alarming().count() + slots_alarming().count(),
            "may_edit": can(request.user, "subscription.edit"),
        }
        return render(request, "reports/index.html", context)


class ReportView(ReaderView):
    """One report as a page."""

    def get(self, request: HttpRequest, key: str) -> HttpResponse:
        """Show the report of the newest run, or of the run named in the address."""
        report = get_report(key)
        run = _run_of(request)
        form = FilterForm(request.GET or None, heeded=report.filters, run=run)
        is_valid = not form.is_bound or form.is_valid()
        sheet = make_sheet(report, run, form.filters())
        context = {
            "report": report,
            "sheet": sheet,
            "table": table_of(sheet),
            "form": form,
            "run": run,
            "formats": [
                (
                    renderer.name,
                    f"{reverse('reports:report_file', args=[key, renderer.key])}?{_query(run, form.filters())}",
                )
                for renderer in RENDERERS
            ],
            "crumbs": [Crumb("Reports", reverse("reports:index"))],
        }
        return render(request, "reports/report.html", context, status=200 if is_valid else 422)


class ReportFileView(ReaderView):
    """One report as a file."""

    def get(self, request: HttpRequest, key: str, format_key: str) -> HttpResponse:
        """Return the report in a format; filters that make no sense are refused with what would."""
        renderer = get_renderer(format_key)
        try:
            sheet = make_sheet(get_report(key), _run_of(request), Filters.read(request.GET))
        except ProcurementError as refusal:
            if refusal.code == "invalid":
                return HttpResponse(refusal.message, status=400, content_type="text/plain; charset=utf-8")
            raise
        answer = download(renderer.render(sheet))
        answer["X-Row-Count"] = str(len(sheet.rows))
        return answer


def _run_of(request: HttpRequest) -> Run:
    asked = request.GET.get("run", "")
    if asked and not (asked.isdecimal() and len(asked) < 12):
        raise ReportUnavailable(f"`{asked[:40]}` is no number of a run; leave it out for the newest one.")
    return run_finished(int(asked) if asked else None)


def _query(run: Run, filters: Filters) -> str:
    return urlencode({"run": run.pk, **filters.stored()})
