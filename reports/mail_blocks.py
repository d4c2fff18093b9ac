"""Words of mails for templates."""

from django import template

from reports.digest import Digest

register = template.Library()


@register.filter
def preheader(digest: Digest, headline: str) -> str:
    """Return the line that mail programs show beside the subject: the first thing asked for, else the news."""
    first = next(iter(digest.needs), None)
    if first is None:
        return headline
    return " · ".join(part for part in (first.what, first.amount, first.by) if part)
