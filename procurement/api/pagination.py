"""Pages by cursor: a signed key of the last row, so that rows that come or go in between move nothing."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core import signing
from django.db import connection
from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from procurement.api.filters import Filter, one_parameter
from procurement.api.problems import Refusal

DEFAULT_LIMIT, LARGEST_LIMIT = 100, 5000
LONGEST_CURSOR = 300
ORDERS = ("id", "-id")
LIMIT = Filter("limit", "", f"rows on a page, at most {LARGEST_LIMIT:,}; {DEFAULT_LIMIT} when left out", "whole")
PAGE_PARAMETERS = ("cursor", "limit", "order")
_signer = signing.Signer(salt="procurement.api.cursor")

# every change that was committed before the oldest open writer began is in the reply
AS_OF = """
SELECT least(now(), min(xact_start)) FROM pg_stat_activity
WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()
"""


def page(request: Request, records: QuerySet[Any], rows_of: Any) -> dict[str, Any]:
    """Return one page of records in the unique order of their ids.

    A row that was there before the first page comes exactly once, whatever is inserted or deleted meanwhile.
    """
    limit = page_limit(request)
    order = _order(request)
    start = _last_seen(request, order)
    is_descending = order.startswith("-")
    as_of = snapshot_at()
    if start is not None:
        records = records.filter(**{"pk__lt" if is_descending else "pk__gt": start})
    found = list(records.order_by("-pk" if is_descending else "pk")[: limit + 1])
    more = len(found) > limit
    cursor = _sealed(order, found[limit - 1].pk) if more else None
    return {
        "results": rows_of(found[:limit]),
        "next": replace_query_param(request.build_absolute_uri(), "cursor", cursor) if cursor else None,
        "next_cursor": cursor,
        "as_of": as_of,
    }


def page_limit(request: Request) -> int:
    """Return how many rows the page may hold."""
    limit = one_parameter(request, LIMIT)
    if limit is None:
        return DEFAULT_LIMIT
    if not 1 <= limit <= LARGEST_LIMIT:
        raise _refused("limit", f"`limit` is {limit}; it should be from 1 to {LARGEST_LIMIT:,}.")
    return int(limit)


def snapshot_at() -> datetime:
    """Return the instant up to which every change is in what is read next; ask with `modified_since` from there."""
    with connection.cursor() as cursor:
        cursor.execute(AS_OF)
        row: tuple[datetime] = cursor.fetchone()
    return row[0]


def page_schema(rows: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a page of rows."""
    return {
        "type": "object",
        "required": ["results", "next", "next_cursor", "as_of"],
        "properties": {
            "results": {"type": "array", "items": dict(rows)},
            "next": {"type": "string", "format": "uri", "nullable": True},
            "next_cursor": {"type": "string", "nullable": True, "description": "the bare cursor of the next page"},
            "as_of": {"type": "string", "format": "date-time", "description": "every change before it is included"},
        },
    }


def page_parameters() -> dict[str, dict[str, Any]]:
    """Return the query parameters of every paged list, by their names in the OpenAPI file."""
    limit = {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT, "default": DEFAULT_LIMIT}
    return {
        "Cursor": {"name": "cursor", "in": "query", "description": "`next_cursor` of the page before",
                   "schema": {"type": "string", "maxLength": LONGEST_CURSOR}},
        "Limit": {"name": "limit", "in": "query", "description": LIMIT.meaning, "schema": limit},
        "Order": {"name": "order", "in": "query", "description": "oldest first, or newest first with -id",
                  "schema": {"type": "string", "enum": list(ORDERS), "default": "id"}},
    }  # fmt: skip


def _order(request: Request) -> str:
    orders = request.query_params.getlist("order")
    if len(orders) > 1 or (orders and orders[0] not in ORDERS):
        raise _refused("order", f"`order` should be one of {', '.join(ORDERS)}, given once.")
    return orders[0] if orders else "id"


def _sealed(order: str, key: Any) -> str:
    return _signer.sign_object([order, str(key)])


def _last_seen(request: Request, order: str) -> str | None:
    cursors = request.query_params.getlist("cursor")
    if not cursors:
        return None
    if len(cursors) > 1 or len(cursors[0]) > LONGEST_CURSOR:
        raise _refused("cursor", "`cursor` should be the `next_cursor` of a page, given once.")
    try:
        sealed_order, key = _signer.unsign_object(cursors[0])
    except (signing.BadSignature, ValueError) as error:
        raise _refused("cursor", "`cursor` is not one that a page gave; start again without it.") from error
    if sealed_order != order:
        raise _refused("cursor", f"`cursor` belongs to the order {sealed_order}; keep the order of the first page.")
    return str(key)


def _refused(name: str, detail: str) -> Refusal:
    return Refusal(400, "invalid_parameter", detail, errors=[{"parameter": name, "detail": detail}])
