"""The icons of the service, drawn on a grid of 16 by 16, and the tag that shows one."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

# path data of strokes; drawn in the colour of the text beside them
ICONS: dict[str, str] = {
    "alert": "M8 1.8 15 14H1L8 1.8zM8 6.4v3.4M8 12h.01",
    "archive": "M2 3.5h12v3H2zM3 6.5v7h10v-7M6.5 9.5h3",
    "arrow": "M3 8h10M9 4l4 4-4 4",
    "bolt": "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8l1-5.5z",
    "building": "M3 14V2.5h7V14M10 6.5h3V14M1.5 14h13M5.5 5.5h2M5.5 8.5h2M5.5 11.5h2",
    "calendar": "M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.8v3M10.5 1.8v3",
    "chart": "M2 13.5h12M4 11V7.5M8 11V3M12 11V5.5",
    "check": "M3 8.5 6.5 12 13 4.5",
    "chevron": "M6 3.5 10.5 8 6 12.5",
    "chip": (
        "M4.5 4.5h7v7h-7zM6.5 1.8v2.7M9.5 1.8v2.7M6.5 11.5v2.7M9.5 11.5v2.7M1.8 6.5h2.7"
        "M1.8 9.5h2.7M11.5 6.5h2.7M11.5 9.5h2.7"
    ),
    "circle": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z",
    "clock": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.4 1.6",
    "copy": "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
    "cross": "M4 4l8 8M12 4l-8 8",
    "document": "M4 1.8h5.5L13 5.2v9H4zM9.2 2v3.5h3.6M6.3 8.5h4.4M6.3 11h4.4",
    "dots": "M3.5 8h.01M8 8h.01M12.5 8h.01",
    "down": "M4 6.5 8 10.5l4-4",
    "download": "M8 2v8.5M4.5 7.5 8 11l3.5-3.5M2.5 14h11",
    "edit": "M10.8 2.6l2.6 2.6L5.6 13l-3.3.7.7-3.3zM9.3 4.1l2.6 2.6",
    "external": "M9 2.5h4.5V7M13.2 2.8 7.5 8.5M11.5 9.5v4h-9v-9h4",
    "flag": "M3.5 14.5V2M3.5 2.8h8.8L10.5 6l1.8 3.2H3.5",
    "half": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M8.4 5.5h4.6M8.4 8h5.4M8.4 10.5h4.6",
    "history": "M2.5 8a5.5 5.5 0 1 0 1.8-4.1L2.5 5.5M2.5 2.3v3.2h3.2M8 5.2V8l2 1.4",
    "info": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.3v3.6M8 5h.01",
    "layers": "M8 2 14.5 5.5 8 9 1.5 5.5 8 2zM2.5 8.5 8 11.5l5.5-3M2.5 11.3 8 14.3l5.5-3",
    "link": "M6.5 9.5l3-3M7 4.5l1.5-1.5a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.5 1.5A3.2 3.2 0 0 1 3 8.5L4.5 7",
    "lock": "M3.5 7.5h9v6.5h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
    "megaphone": "M2.5 6.5v3h2l6 3.5V3l-6 3.5h-2zM5 9.6V13h2v-2.3M12.8 6.3a2.5 2.5 0 0 1 0 3.4",
    "menu": "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
    "minus": "M3.5 8h9",
    "moon": "M13.5 9.8A5.8 5.8 0 0 1 6.2 2.5a5.8 5.8 0 1 0 7.3 7.3z",
    "pause": "M5.5 3.5v9M10.5 3.5v9",
    "person": "M8 2.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM2.8 14c.4-2.7 2.5-4.2 5.2-4.2s4.8 1.5 5.2 4.2",
    "plus": "M8 3v10M3 8h10",
    "question": "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.3A1.8 1.8 0 0 1 9.8 6.6c0 1.3-1.8 1.4-1.8 2.7M8 11.4h.01",
    "refresh": "M13.5 8a5.5 5.5 0 1 1-1.8-4.1l1.8 1.6M13.5 2.3v3.2h-3.2",
    "search": "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4 14 14",
    "shield": "M8 1.8l5.2 2v4c0 3.2-2.2 5.4-5.2 6.4-3-1-5.2-3.2-5.2-6.4v-4zM5.6 8l1.8 1.8 3-3.4",
    "sun": (
        "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3"
        "M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9"
    ),
    "undo": "M5.5 3 2.5 6l3 3M2.8 6H10a3.6 3.6 0 0 1 0 7.2H6",
    "up": "M4 9.5 8 5.5l4 4",
    "upload": "M8 11V2.5M4.5 5.5 8 2l3.5 3.5M2.5 14h11",
}


@register.simple_tag
def icon(name: str, css: str = "") -> SafeString:
    """Return an icon beside words; it is hidden from screen readers, so the words must say it all."""
    return format_html(
        '<svg class="icon{}" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="{}"></path></svg>',
        f" {css}" if css else "",
        ICONS[name],
    )
