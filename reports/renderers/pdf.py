"""PDF through typst: the templates hold the layout, the data goes beside them as JSON and is never read as markup."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import typst
from django.conf import settings

from reports.base import Column, Sheet
from reports.renderers.base import Rendered, cell_text, file_name
from reports.renderers.xlsx import column_head

TEMPLATES = Path("templates") / "reports" / "typst"


@cache
def _source(name: str) -> bytes:
    return (settings.BASE_DIR / TEMPLATES / name).read_bytes()


@cache
def _fonts() -> typst.Fonts:
    return typst.Fonts()


def typeset(template: str, data: dict[str, Any]) -> bytes:
    """Return the PDF of a template and its data; tagged for screen readers, the same bytes for the same data."""
    files = {"main": _source(template), "frame.typ": _source("frame.typ")}
    return typst.compile(  # type: ignore[call-overload, no-any-return] # its types know fewer inputs than it takes
        files,
        format="pdf",
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
        pdf_standards=["ua-1"],
        font_paths=_fonts(),
    )


def _width(column: Column, sheet: Sheet) -> int:
    """Return a column's share of the page; 0 lets it take what its content needs."""
    if column.kind != "text":
        return 0
    longest = max((len(cell_text(column, row)) for row in sheet.rows), default=0)
    return min(max(longest, 10), 48)


class PdfRenderer:
    """The table of a report on A4 landscape, with page x of y and the run on every page."""

    key = "pdf"
    name = "PDF"
    content_type = "application/pdf"

    def render(self, sheet: Sheet) -> Rendered:
        """Return the report as PDF."""
        columns = [column for column in sheet.columns if column.key != "option"]
        data = {
            "title": sheet.title,
            "description": sheet.description,
            "headline": sheet.headline,
            "empty": sheet.empty,
            "run": sheet.run_id,
            "digest": sheet.run_digest,
            "engine": sheet.engine_version,
            "as_of": sheet.as_of.isoformat(),
            "columns": [
                {"name": column_head(column, ""), "right": column.is_numeric, "width": _width(column, sheet)}
                for column in columns
            ],
            "rows": [[cell_text(column, row) for column in columns] for row in sheet.rows],
        }
        return Rendered(typeset("table.typ", data), self.content_type, file_name(sheet, "pdf"))


RENDERER = PdfRenderer()
