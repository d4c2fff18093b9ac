"""What was really paid: FOCUS 1.x cost and usage, month by month, through the price format that reads its rates."""

import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from providers.document import Document, Record, TableRows
from providers.errors import CellError
from providers.formats.focus import FOCUS, NEEDED, day_of
from providers.usage.records import Charge, Tally, UsageSheet

KEY = "focus"
TITLE = FOCUS.title
TAGS = ("workload", "Workload", "project")  # of the tags of a charge, the first found names its workload


@dataclass(frozen=True, slots=True)
class Part:
    """What is summed by itself: a month, an account that is billed, and the workload of their tags."""

    month: date | None
    account: str
    workload: str


def is_bill(document: Document) -> bool:
    """Return whether the document holds the mandatory cost columns."""
    return document.table(*NEEDED) is not None


def read_bill(document: Document) -> UsageSheet:
    """Return the charges of accelerators by month, account, tag and instance type."""
    parts = FOCUS.parse_by(document, _part)
    charges: list[Charge] = []
    tally = Tally()
    for part, parsed in parts.items():
        frame = parsed.realised
        for row in frame.to_dict("records") if frame is not None else ():
            charges.append(_charge(part, {str(name): value for name, value in row.items()}))
        for ignored in parsed.ignored:
            tally.add(ignored.code, ignored.line)
    held = [one for parsed in parts.values() for one in parsed.held]
    faults = [fault for parsed in parts.values() for fault in parsed.faults]
    return UsageSheet(
        format_key=KEY, file_name=document.file_name, content_hash=document.content_hash,
        rows_read=sum(parsed.rows for parsed in parts.values()) + len(document.faults),
        charges=tuple(sorted(charges, key=lambda one: (one.month, one.provider, one.sku))),
        held=tuple(sorted(held, key=lambda one: one.line)),
        faults=(*document.faults, *sorted(faults, key=lambda fault: fault.line)), left_out=tally.rows(),
    )  # fmt: skip


def _part(table: TableRows, record: Record) -> Part:
    try:
        day = day_of(table.getter("ChargePeriodStart").text(record))
    except CellError:
        day = None  # the reader of charges names the cell
    account = table.getter("BillingAccountId").text(record)
    return Part(day.replace(day=1) if day else None, account, _tag(table.getter("Tags").text(record)))


def _tag(text: str) -> str:
    if not text.startswith("{"):
        return ""
    try:
        tags = json.loads(text)
    except (ValueError, RecursionError):
        return ""  # tags are an aid; a charge counts without them
    return next((str(tags[name]).strip() for name in TAGS if isinstance(tags, dict) and tags.get(name)), "")


def _charge(part: Part, row: dict[str, Any]) -> Charge:
    month = part.month or row["period_start"] or date.min
    return Charge(
        line=0, provider=row["provider"] or "", account=part.account, workload=part.workload,
        region=row["region"] or "", sku=row["sku"] or "", accelerator=row["accelerator"] or "",
        pricing_category=row["pricing_category"] or "", commitment_status=row["commitment_status"] or "",
        currency=row["currency"] or "", month=month.replace(day=1), period_start=row["period_start"] or month,
        period_end=row["period_end"] or row["period_start"] or month, accelerator_hours=row["accelerator_hours"],
        list_cost=row["list_cost"], contracted_cost=row["contracted_cost"],
        effective_cost=row["effective_cost"] or Decimal(0), billed_cost=row["billed_cost"],
        unused_commitment_cost=row["unused_commitment_cost"] or Decimal(0),
    )  # fmt: skip
