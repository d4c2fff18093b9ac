"""Price sheets: upload, what became of the rows, release of held rows."""

from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse
from django.urls import reverse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView, DetailApi, ListApi, PostApi, actor, download, found
from procurement.api.filters import Filter
from procurement.api.parsing import BoundedMultiPartParser
from procurement.api.renderers import BinaryRenderer
from procurement.api.serializers_quotes import QuoteOutput
from procurement.api.serializers_sheets import (
    PriceSheetInput,
    PriceSheetOutput,
    ReleaseInput,
    SheetRowOutput,
    sheet_options,
)
from procurement.models import PriceSheet, SheetRow, SheetRowState, SheetState
from procurement.selectors.quotes import price_sheets_all
from procurement.services.price_sheet_releases import sheet_row_release
from procurement.services.price_sheets import price_sheet_receive


class PriceSheetListApi(ListApi, PostApi):
    """Price sheets, and a new one as a form with its file; the same file again is the sheet that is there (200)."""

    resource = "price-sheets"
    actions = {"POST": "quote.edit"}
    parser_classes = (BoundedMultiPartParser,)
    filters = (
        Filter("state", "state", "where the sheet stands", choices=lambda: SheetState.choices),
        Filter("provider", "provider__code", "code of the provider"),
        Filter("content_sha256", "content_sha256", "digest of the file"),
        Filter("received_since", "received_at__gte", "received at or after this instant", "instant"),
    )
    output = PriceSheetOutput
    input = PriceSheetInput

    def records(self, **kwargs: Any) -> QuerySet[PriceSheet]:
        """Return all sheets."""
        return price_sheets_all()

    def success_statuses(self) -> tuple[int, ...]:
        """Return 201 for a new sheet and 200 for one that is there."""
        return (200, 201)

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Store the file as it is and queue its import."""
        values, reason = self.read_body(request)
        file = values["file"]
        sheet, is_new = price_sheet_receive(
            by=actor(request, reason), file_name=file.name, content=file.read(), observed_on=values["observed_on"],
            source=values["source"], options=sheet_options(values),
        )  # fmt: skip
        location = reverse("api:price_sheet", kwargs={"id": sheet.pk})
        return self.shown(sheet, status=201 if is_new else 200, headers={"Location": location})


class PriceSheetDetailApi(DetailApi):
    """One price sheet and the counts of its rows."""

    has_not_modified = False  # a worker reads it without a new version: that is the one of its person

    resource = "price-sheets"
    output = PriceSheetOutput

    def record(self, **kwargs: Any) -> PriceSheet:
        """Return the sheet."""
        return found(price_sheets_all(), "price sheet", **kwargs)


class PriceSheetFileApi(ApiView):
    """The file of a price sheet as it was received."""

    resource = "price-sheets"
    renderer_classes = (BinaryRenderer, JSONRenderer)
    output = {"type": "string", "format": "binary"}

    def get(self, request: Request, **kwargs: Any) -> FileResponse:
        """Return the file."""
        sheet = found(price_sheets_all(), "price sheet", **kwargs)
        return download(sheet.file, sheet.file_name)


class SheetRowListApi(ListApi):
    """Held, faulty and released rows of a sheet with every reason."""

    resource = "price-sheets"
    filters = (Filter("state", "state", "what became of the row", choices=lambda: SheetRowState.choices),)
    output = SheetRowOutput

    def records(self, **kwargs: Any) -> QuerySet[SheetRow]:
        """Return the rows of the sheet."""
        return found(price_sheets_all(), "price sheet", **kwargs).rows.select_related("released_by")


class SheetRowReleaseApi(PostApi):
    """Let a held row count as a quote, with the values that a person states and why."""

    resource = "price-sheets"
    actions = {"POST": "quote.edit"}
    output = QuoteOutput
    input = ReleaseInput

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Release the row."""
        sheet = found(price_sheets_all(), "price sheet", id=kwargs["id"])
        row = found(sheet.rows.all(), "row", id=kwargs["row_id"])
        values, reason = self.read_body(request)
        quote = sheet_row_release(by=actor(request, reason), row=row, values=values)
        return self.shown(quote, status=201, headers={"Location": reverse("api:quote", kwargs={"code": quote.code})})
