"""AWS Savings Plans price list, JSON or CSV: the hourly rate of an instance under a plan, upfront payments included."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from providers.base import Context, Offer, Parsed, object_in, objects_in, ragged_offer
from providers.cells import plain, read_date, read_number
from providers.document import Document
from providers.errors import CellError, Fault
from providers.knowledge import find_sku, squeezed
from providers.sheet import Ignored
from providers.units import read_term, unknown_unit

PROVIDER = "aws"
SERVICE = "AmazonEC2"
CSV_NEEDED = ("DiscountedRate", "DiscountedUsageType", "PurchaseOption", "LeaseContractLength")
SHARED = re.compile(r"(?:^|-)BoxUsage:([a-z0-9-]+\.[a-z0-9-]+)$")  # region prefix, shared tenancy, instance type
SYSTEMS = {"RunInstances": "linux", "RunInstances:0002": "windows"}  # other codes carry a licence of their own
HOUR_UNITS = frozenset({"hrs", "hours", "hour"})
OPTIONS = {"noupfront": "none", "partialupfront": "partial", "allupfront": "all"}
COMPUTE = "computesavingsplans"
Row = Mapping[str, str]


class AwsSavingsPlans:
    """Rates by plan, instance type, region and system; the list of on-demand prices is a file of its own."""

    key = "aws_savings_plans"
    title = "AWS Savings Plans price list (JSON, CSV)"
    reads = "hourly rate of EC2 under Compute and EC2 Instance plans, by term and payment option; Linux and Windows"
    holds = "rates per other units, unknown sizes and regions, plans without term, ragged rows"
    ignores = "other services, dedicated tenancy, unused reservations, other licences, instances without accelerator"

    def recognises(self, document: Document) -> bool:
        """Return whether the document holds the terms of savings plans."""
        return document.table(*CSV_NEEDED) is not None or any(_plans(page) for page in document.pages)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per rate of an accelerated instance."""
        parsed = Parsed(rows=0)
        for line, row in _rows(document, parsed):
            parsed.rows += 1
            code, sku = _ignored(row)
            if code:
                parsed.ignored.append(Ignored(line, code, sku))
                continue
            try:
                parsed.offers.append(_offer(line, row, sku))
            except CellError as error:
                parsed.faults.append(Fault(line, "DiscountedRate", error.value, error.rule, error.hint))
        return parsed


def _plans(page: Any) -> list[Mapping[str, Any]]:
    terms = page.get("terms") if isinstance(page, dict) else None
    plans = terms.get("savingsPlan") if isinstance(terms, dict) else None
    return [plan for plan in plans if isinstance(plan, dict)] if isinstance(plans, list) else []


def _rows(document: Document, parsed: Parsed) -> Iterator[tuple[int, Row]]:
    """Return the rates with what holds for them, by squeezed name, as the CSV writes them."""
    table = document.table(*CSV_NEEDED)
    if table is not None:
        names = tuple(squeezed(name) for name in table.header)
        for record in table.records:
            if table.even(record):
                yield record.line, dict(zip(names, map(str, record.cells), strict=True))
                continue
            parsed.rows += 1
            width = (len(record.cells), len(table.header))
            parsed.offers.append(ragged_offer(record.line, table.raw(record), width, PROVIDER))
        return
    line = 0
    for page in document.pages:
        products = _products(page)
        for plan in _plans(page):
            try:
                shared = _shared(plan, products)
                rates = objects_in(plan, "rates")
            except CellError as error:
                parsed.faults.append(Fault(line + 1, "savingsPlan", error.value, error.rule, error.hint))
                continue
            for rate in rates:
                line += 1
                yield line, shared | _rate(rate)


def _products(page: Any) -> dict[str, Mapping[str, Any]]:
    listed = page.get("products") if isinstance(page, dict) else None
    entries = listed.values() if isinstance(listed, dict) else listed if isinstance(listed, list) else []
    return {str(entry.get("sku")): entry for entry in entries if isinstance(entry, dict)}


def _shared(plan: Mapping[str, Any], products: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    product = products.get(str(plan.get("sku")), {})
    attributes = object_in(product, "attributes")
    length = object_in(plan, "leaseContractLength")
    term = (
        f"{length['duration']} {length.get('unit', 'year')}" if "duration" in length else attributes.get("purchaseTerm")
    )
    said = re.match(r".*?(no|partial|all) upfront", str(plan.get("description") or ""), re.IGNORECASE)
    return {
        "PRODUCTFAMILY": str(product.get("productFamily") or ""),
        "PURCHASEOPTION": str(attributes.get("purchaseOption") or (f"{said[1]} Upfront" if said else "")),
        "LEASECONTRACTLENGTH": str(term or ""),
        "EFFECTIVEDATE": str(plan.get("effectiveDate") or ""),
        "DESCRIPTION": str(plan.get("description") or ""),
    }


def _rate(rate: Mapping[str, Any]) -> dict[str, str]:
    found = {squeezed(name): str(value) for name, value in rate.items() if not isinstance(value, dict)}
    amount = rate.get("discountedRate")
    price: Mapping[str, Any] = amount if isinstance(amount, dict) else {}
    return found | {"DISCOUNTEDRATE": str(price.get("price") or ""), "CURRENCY": str(price.get("currency") or "")}


def _ignored(row: Row) -> tuple[str, str]:
    """Return the code under which a rate is left out, empty when it is one of accelerators, and its instance type."""
    usage = SHARED.search(row.get("DISCOUNTEDUSAGETYPE", ""))
    sku = row.get("DISCOUNTEDINSTANCETYPE") or (usage[1] if usage else row.get("DISCOUNTEDUSAGETYPE", ""))
    if row.get("DISCOUNTEDSERVICECODE", SERVICE) != SERVICE:
        return "other_service", sku
    if usage is None:
        return "other_tenancy", sku
    known = find_sku(PROVIDER, sku)
    if known is None or known.has_none:
        return "no_accelerator", sku
    return ("" if row.get("DISCOUNTEDOPERATION", "") in SYSTEMS else "software_licence"), sku


def _offer(line: int, row: Row, sku: str) -> Offer:
    price, currency = read_number(row.get("DISCOUNTEDRATE")), row.get("CURRENCY") or None
    length = f"{row.get('LEASECONTRACTLENGTH', '')} {row.get('LEASECONTRACTLENGTHUNIT', '')}".strip()
    family = squeezed(row.get("PRODUCTFAMILY") or row.get("SERVICECODE") or row.get("DESCRIPTION", "")).lower()
    is_compute = COMPUTE in family or "compute" in row.get("DESCRIPTION", "").lower()
    unit = row.get("UNIT", "")
    option = OPTIONS.get(squeezed(row.get("PURCHASEOPTION", "")).lower(), "none")
    return Offer(
        line=line,
        raw=dict(row),
        price=price,
        written=f"{'nothing' if price is None else plain(price)} {currency} per hour under a plan, {option} upfront",
        currency=currency,
        basis="per_instance_hour",
        sku=f"{sku} (compute plan)" if is_compute else f"{sku} (instance plan)",
        table_sku=sku,
        provider=PROVIDER,
        region=row.get("DISCOUNTEDREGIONCODE") or row.get("LOCATION", ""),
        purchase_model="savings_plan",
        values={
            "os": SYSTEMS[row["DISCOUNTEDOPERATION"]], "term_months": read_term(length), "payment_option": option,
            "valid_from": read_date(row.get("EFFECTIVEDATE")),
        },
        flags=["upfront_amortised"] if option != "none" else [],
        reasons=[] if unit.lower() in HOUR_UNITS else [unknown_unit(unit)],
    )  # fmt: skip


AWS_SAVINGS_PLANS = AwsSavingsPlans()
