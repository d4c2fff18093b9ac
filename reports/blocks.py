"""Blocks of reports that other pages may show."""

from typing import Any

from django import template

from procurement.selectors.runs import run_latest_finished
from reports.overview import recommendations_overview
from reports.selectors import messages_alarming, slots_alarming

register = template.Library()
ALARMS_SHOWN = 5


@register.inclusion_tag("reports/blocks/recommendations.html")
def recommendations_block() -> dict[str, Any]:
    """Show what the newest finished run recommends; while there is none, say what to do."""
    run = run_latest_finished()
    return {"run": None} if run is None else recommendations_overview(run)


@register.inclusion_tag("reports/blocks/mail_alarms.html")
def mail_alarms_block() -> dict[str, Any]:
    """Show messages that failed or may not have arrived, and slots that were missed; nothing when all is well."""
    return {"messages": messages_alarming()[:ALARMS_SHOWN], "slots": slots_alarming()[:ALARMS_SHOWN]}
