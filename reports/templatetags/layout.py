"""Block tags for parts that hold other parts: panels, boxes that scroll, folds."""

from django import template
from django.http import QueryDict
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from reports.templatetags.icons import icon

register = template.Library()


@register.simple_block_tag(end_name="endpanel")
def panel(content: str, title: str = "", note: str = "", flush: bool = False, id: str = "") -> SafeString:  # noqa: A002
    """Frame its content under a heading; ``flush`` lets a table or list reach the edges."""
    name = id or slugify(title)
    head = (
        format_html(
            '<div class="panel__head"><h2 id="{}">{}</h2>{}</div>',
            name, title, format_html('<span class="panel__note">{}</span>', note) if note else "",
        )
        if title
        else ""
    )  # fmt: skip
    labelled = format_html(' aria-labelledby="{}"', name) if title else ""
    plain = "" if title or flush else " panel--plain"
    body = "panel__body panel__body--flush" if flush else "panel__body"
    return format_html(
        '<section class="panel{}"{}>{}<div class="{}">{}</div></section>', plain, labelled, head, body, content
    )


@register.simple_block_tag(end_name="endscrollbox")
def scrollbox(content: str, label: str, short: bool = False) -> SafeString:
    """Let a wide or long table scroll by itself; it can be reached by keyboard and has a name."""
    return format_html(
        '<div class="scrollbox{}" role="region" tabindex="0" aria-label="Table: {}">{}</div>',
        " scrollbox--short" if short else "", label, content,
    )  # fmt: skip


@register.simple_block_tag(end_name="endfold")
def fold(content: str, title: str, note: str = "", is_open: bool = False) -> SafeString:
    """Hide what is rarely needed until it is asked for; works without script."""
    return format_html(
        '<details class="fold"{}><summary>{}<span>{}</span><span class="panel__note">{}</span></summary>'
        '<div class="fold__body">{}</div></details>',
        SafeString(" open") if is_open else "", icon("chevron", "icon--turn"), title, note, content,
    )  # fmt: skip


@register.simple_block_tag(end_name="endnotice")
def notice(content: str, tone: str = "info") -> SafeString:
    """Say something that the reader must not miss: info, good, warn or bad."""
    mark = {"info": "info", "good": "check", "warn": "alert", "bad": "alert"}[tone]
    return format_html(
        '<div class="notice notice--{}">{}<div class="notice__words">{}</div></div>', tone, icon(mark), content
    )


@register.simple_tag(takes_context=True)
def address_with(context: Context, **changes: object) -> str:
    """Return this page's query with some parts changed; an empty value takes the part out."""
    query: QueryDict = context["request"].GET.copy()
    for name, value in changes.items():
        if value in (None, ""):
            query.pop(name, None)
        else:
            query[name] = str(value)
    return f"?{query.urlencode()}" if query else "?"
