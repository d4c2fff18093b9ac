"""The shelf of reports: the order here is the order on the page."""

from collections.abc import Mapping

from procurement.errors import ProcurementError
from procurement.models import Run
from reports.base import Filters, Report, Sheet
from reports.definitions.cash_flow import REPORT as CASH_FLOW
from reports.definitions.energization import REPORT as ENERGIZATION
from reports.definitions.evidence_expiring import REPORT as EVIDENCE_EXPIRING
from reports.definitions.options import REPORT as OPTIONS
from reports.definitions.quotes_expiring import REPORT as QUOTES_EXPIRING
from reports.definitions.recommendations import REPORT as RECOMMENDATIONS

REPORTS: tuple[Report, ...] = (
    RECOMMENDATIONS,
    OPTIONS,
    CASH_FLOW,
    ENERGIZATION,
    QUOTES_EXPIRING,
    EVIDENCE_EXPIRING,
)
_BY_KEY: Mapping[str, Report] = {report.key: report for report in REPORTS}


def get_report(key: str) -> Report:
    """Return a report by its key; an unknown one is refused with the known ones."""
    if key not in _BY_KEY:
        message = f"There is no report `{key[:60]}`; the reports are {', '.join(_BY_KEY)}."
        raise ProcurementError("unknown_report", message, {"report": [message]})
    return _BY_KEY[key]


def make_sheet(report: Report, run: Run, filters: Filters) -> Sheet:
    """Return a report made from a finished run."""
    rows = report.rows(run, filters)
    return Sheet(
        key=report.key,
        title=report.title,
        description=report.description,
        headline=report.headline(rows),
        columns=report.columns,
        rows=rows,
        run_id=run.pk,
        run_digest=run.inputs_digest,
        engine_version=run.engine_version,
        as_of=run.as_of,
        currency=run.currency,
        empty=report.empty,
    )
