"""CSV for programs and spreadsheets: comma, point, UTF-8, CRLF, ISO dates, no thousands."""

import csv
import io
from typing import Any

from reports.base import Sheet
from reports.renderers.base import Rendered, cell_data, data_keys, file_name, guarded


class CsvRenderer:
    """Flat rows with one header line; unknown is empty, flags are true or false, text is guarded against formulas."""

    key = "csv"
    name = "CSV"
    content_type = "text/csv; charset=utf-8"

    def render(self, sheet: Sheet) -> Rendered:
        """Return the report as CSV."""
        keys = data_keys(sheet)
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(keys)
        writer.writerows([self._cell(row.get(key)) for key in keys] for row in sheet.rows)
        return Rendered(text.getvalue().encode(), self.content_type, file_name(sheet, "csv"))

    @staticmethod
    def _cell(value: Any) -> str:
        data = cell_data(value)
        if data is None:
            return ""
        if isinstance(data, bool):
            return str(data).lower()
        return guarded(data) if isinstance(value, str) else str(data)


RENDERER = CsvRenderer()
