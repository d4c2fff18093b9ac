"""HTML: the table of a report, as it stands in pages and as a file of its own."""

from typing import Any

from django.template.loader import render_to_string

from reports.base import ADDRESS, Sheet
from reports.renderers.base import Rendered, cell_text, file_name
from reports.templatetags.badges import badge_of


def table_of(sheet: Sheet) -> dict[str, Any]:
    """Return a report's table for a template: plain words in cells, nothing left to look up."""
    return {
        "title": sheet.title,
        "empty": sheet.empty,
        "columns": sheet.columns,
        "rows": [
            {
                "address": row.get(ADDRESS, ""),
                "cells": [
                    {
                        "text": cell_text(column, row),
                        "is_numeric": column.is_numeric,
                        "status": row.get(column.key) if column.kind == "status" else None,
                        "tone": badge_of(str(row.get(column.key))).tone if column.kind == "status" else "",
                    }
                    for column in sheet.columns
                ],
            }
            for row in sheet.rows
        ],
    }


class HtmlRenderer:
    """A plain document that can be kept or printed; the page of the service shows the same table."""

    key = "html"
    name = "HTML"
    content_type = "text/html; charset=utf-8"

    def render(self, sheet: Sheet) -> Rendered:
        """Return the report as a document."""
        text = render_to_string("reports/document.html", {"sheet": sheet, "table": table_of(sheet)})
        return Rendered(text.encode(), self.content_type, file_name(sheet, "html"))


RENDERER = HtmlRenderer()
