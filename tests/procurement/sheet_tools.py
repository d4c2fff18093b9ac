"""What tests of imports share: price files, drafts, and the worker that reads them."""

from contextlib import nullcontext
from datetime import date
from typing import Any

from procurement.models import PriceSheet
from procurement.services.job_runner import job_work
from procurement.services.price_sheets import price_sheet_confirm, price_sheet_receive
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from tests.factories import actor

HEADER = (
    "provider,sku,accelerator,accelerators_per_instance,price,upfront,price_basis,currency,purchase_model,term_months\n"
)
GOOD = "Acme,hgx,H100 SXM,8,24.50,,per_instance_hour,USD,on_demand,\n"
OTHER = "Acme,hgx-2,H100 SXM,8,25.50,,per_instance_hour,USD,on_demand,\n"
FAULTY = "Acme,bad,H100 SXM,8,cheap,,per_instance_hour,USD,on_demand,\n"
SUPPLIER = "Modell;Preis je GPU-Stunde EUR;Gültig bis\nH100 SXM;2,10;31.12.2026\nH200;3,05;31.12.2026\n"
COLUMNS = {
    "columns": {"Modell": "accelerator", "Preis je GPU-Stunde EUR": "price", "Gültig bis": "valid_until"},
    "constants": {
        "provider": "Rhein", "currency": "EUR", "price_basis": "per_accelerator_hour", "purchase_model": "on_demand",
    },
    "decimal": ",", "date_order": "dmy",
}  # fmt: skip
RATE = {"base": "EUR", "counter": "USD", "rate": "1.16", "on": date(2026, 11, 20), "source": "ECB"}


def work() -> None:
    """Let a worker do what waits."""
    while job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=lambda job: nullcontext()) is not None:
        pass


def receive(*lines: str, name: str = "acme.csv", day: date = date(2026, 11, 29), **options: Any) -> PriceSheet:
    """Return the sheet of those lines below our header, read by a worker."""
    return receive_bytes((HEADER + "".join(lines)).encode(), name=name, day=day, **options)


def receive_bytes(
    content: bytes, *, name: str = "acme.csv", day: date = date(2026, 11, 29), **options: Any
) -> PriceSheet:
    """Return the sheet of a file, read by a worker."""
    sheet, _ = price_sheet_receive(
        by=actor("analyst"), file_name=name, content=content, observed_on=day, source="mail of Acme", options=options
    )
    work()
    sheet.refresh_from_db()
    return sheet


def draft(*lines: str, **options: Any) -> PriceSheet:
    """Return a checked draft of those lines."""
    return receive(*lines, is_draft=True, **options)


def confirmed(sheet: PriceSheet, **changes: Any) -> PriceSheet:
    """Return a draft after its confirmation, published by a worker."""
    price_sheet_confirm(by=actor("analyst"), sheet=sheet, version=sheet.version)
    work()
    sheet.refresh_from_db()
    return sheet
