"""JSON with the columns, their units and meanings, and where the figures come from."""

import json
from typing import Any

from reports.base import Sheet
from reports.renderers.base import Rendered, cell_data, data_keys, file_name


def sheet_document(sheet: Sheet) -> dict[str, Any]:
    """Return a report as the API gives it: decimals as strings, ISO dates, null for unknown."""
    keys = data_keys(sheet)
    return {
        "report": sheet.key,
        "title": sheet.title,
        "headline": sheet.headline,
        "run": sheet.run_id,
        "inputs_digest": sheet.run_digest,
        "engine_version": sheet.engine_version,
        "as_of": sheet.as_of.isoformat(),
        "currency": sheet.currency,
        "columns": [
            {
                "key": column.key,
                "name": column.name,
                "kind": column.kind,
                "unit": column.unit,
                "meaning": column.meaning,
            }
            for column in sheet.columns
        ],
        "row_count": len(sheet.rows),
        "rows": [{key: cell_data(row.get(key)) for key in keys} for row in sheet.rows],
    }


class JsonRenderer:
    """The document of the API as a file."""

    key = "json"
    name = "JSON"
    content_type = "application/json"

    def render(self, sheet: Sheet) -> Rendered:
        """Return the report as JSON."""
        text = json.dumps(sheet_document(sheet), indent=2, ensure_ascii=False)
        return Rendered(text.encode(), self.content_type, file_name(sheet, "json"))


RENDERER = JsonRenderer()
