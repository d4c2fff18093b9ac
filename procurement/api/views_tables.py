"""Flat CSV tables for Excel, Power BI and pandas."""

from typing import Any

from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView
from procurement.api.conditional import is_not_modified
from procurement.api.filters import Filter, one_parameter
from procurement.api.problems import Refusal
from procurement.api.renderers import CsvRenderer
from procurement.api.tables import TABLES, CsvTable, run_of_table, table_schema, table_written

EXCEL = Filter("excel", "", "with byte order mark and formula guard, for opening in Excel", "flag")
RUN = Filter("run", "", "id of a finished run; the latest when left out", "whole")
FIELD = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("name", "type", "description")},
}
TABLE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"}, "title": {"type": "string"}, "url": {"type": "string"},
        "fields": {"type": "array", "items": FIELD},
    },
}  # fmt: skip


class TableApi(ApiView):
    """What concerns the table of the address."""

    resource = "runs"

    def check_permissions(self, request: Request) -> None:
        """Quotes need the scope of quotes, everything else that of runs."""
        if self.kwargs.get("table") == "quotes":
            self.resource = "quotes"  # type: ignore[misc]
        super().check_permissions(request)

    def table(self) -> CsvTable:
        """Return the table."""
        name = self.kwargs["table"]
        if name not in TABLES:
            raise Refusal(404, "not_found", f"There is no table `{name}`; there are {', '.join(TABLES)}.")
        return TABLES[name]


class TableListApi(ApiView):
    """The tables that there are, with their columns."""

    resource = "runs"
    output = {"type": "object", "properties": {"results": {"type": "array", "items": TABLE}}}

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the tables."""
        rows = [{**table_schema(table), "url": self._url(request, name)} for name, table in TABLES.items()]
        return Response({"results": rows})

    def _url(self, request: Request, name: str) -> str:
        return str(request.build_absolute_uri(reverse("api:table", kwargs={"table": name})))


class TableCsvApi(TableApi):
    """A whole table as CSV, with its number of rows in X-Row-Count."""

    filters = (EXCEL, RUN)
    renderer_classes = (CsvRenderer, JSONRenderer)
    output = {"type": "string"}

    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Return the table."""
        table = self.table()
        run = run_of_table(table, one_parameter(request, RUN))
        written = table_written(table, run, for_excel=bool(one_parameter(request, EXCEL)))
        tag = f'"{written.digest[:32]}"'
        if is_not_modified(request, tag):
            written.content.close()
            return HttpResponse(status=304, headers={"ETag": tag})
        headers = {"X-Row-Count": str(written.rows), "ETag": tag}
        return FileResponse(
            written.content, as_attachment=True, filename=f"{table.name}.csv", content_type="text/csv; charset=utf-8",
            headers=headers,
        )  # fmt: skip


class TableSchemaApi(TableApi):
    """The columns of a table with type and meaning."""

    output = TABLE

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the columns."""
        return Response(table_schema(self.table()))
