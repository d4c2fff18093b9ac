"""Vantage instances.json: AWS instances with prices by region, system and reserved term, already amortised per hour."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, no_price, object_in
from providers.cells import is_missing, plain, read_number
from providers.document import Document
from providers.errors import CellError, Fault
from providers.knowledge import find_sku
from providers.sheet import Ignored

PROVIDER = "aws"
CURRENCY = "USD"
SYSTEMS = {"linux": "linux", "mswin": "windows", "rhel": "rhel", "sles": "suse", "ubuntu": "ubuntu pro"}
RESERVED = re.compile(r"yrTerm([13])(Standard|Convertible|Savings)\.(no|partial|all)Upfront")
KNOWN_OTHERS = frozenset({"dedicated", "emr"})


class Vantage:
    """One record per instance type, with all regions inside."""

    key = "vantage"
    title = "Vantage instances.json"
    reads = "on demand, average spot and reserved per hour, by region, for Linux, Windows and other systems"
    holds = "unknown sizes and regions, missing on-demand price"
    ignores = "instances without accelerator, dedicated tenancy, EMR, systems with database licences"

    def recognises(self, document: Document) -> bool:
        """Return whether records carry an instance type and prices by region."""
        record = next((found for _, found in _records(document)), None)
        return record is not None and "instance_type" in record and isinstance(record.get("pricing"), dict)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per instance type, region, system and way of buying."""
        parsed = Parsed(rows=0)
        for line, record in _records(document):
            parsed.rows += 1
            sku = str(record.get("instance_type", ""))
            known = find_sku(PROVIDER, sku)
            if known is None or known.has_none:
                parsed.ignored.append(Ignored(line, "no_accelerator", sku))
                continue
            for region, systems in _pricing(record).items():
                for system, prices in systems.items() if isinstance(systems, dict) else ():
                    _take(line, sku, region, system, prices, parsed)
        return parsed


def _records(document: Document) -> Iterator[tuple[int, dict[str, Any]]]:
    found = [document.json] if isinstance(document.json, dict) else list(document.objects())
    yield from enumerate(found, start=1)


def _pricing(record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("pricing")
    return found if isinstance(found, dict) else {}


def _take(line: int, sku: str, region: str, system: str, prices: Any, parsed: Parsed) -> None:  # noqa: PLR0913 - one place of the nested record
    if system not in SYSTEMS or not isinstance(prices, dict):
        code = "other_tenancy" if system in KNOWN_OTHERS else "software_licence"
        parsed.ignored.append(Ignored(line, code, f"{sku} {region} {system}"))
        return
    try:
        parsed.offers += _offers(line, sku, region, system, prices)
    except CellError as error:
        parsed.faults.append(Fault(line, f"pricing.{region}.{system}", error.value, error.rule, error.hint))


def _offers(line: int, sku: str, region: str, system: str, prices: dict[str, Any]) -> Iterator[Offer]:
    def offer(price: Any, model: str, **values: Any) -> Offer:
        amount = read_number(price)
        return Offer(
            line=line, raw={"instance_type": sku, "region": region, "system": system, "price": str(price)},
            price=amount,
            written=f"{'nothing' if amount is None else plain(amount)} {CURRENCY}", currency=CURRENCY,
            basis="per_instance_hour", sku=sku, table_sku=sku, provider=PROVIDER, region=region, purchase_model=model,
            values={"os": SYSTEMS[system], **values}, reasons=[] if amount is not None else [no_price()],
        )  # fmt: skip

    if "ondemand" in prices:
        yield offer(prices["ondemand"], "on_demand", capacity_class="on_demand")
    spot = prices.get("spot_avg")
    if not is_missing(spot) and read_number(spot) != Decimal(0):
        yield offer(spot, "spot", capacity_class="spot")
    for term, price in object_in(prices, "reserved").items():
        match = RESERVED.fullmatch(term)
        if match is None or is_missing(price):
            continue
        model = "savings_plan" if match[2] == "Savings" else "reserved"
        found = offer(price, model, term_months=int(match[1]) * 12, payment_option=match[3].replace("no", "none"))
        found.sku = f"{sku} (convertible)" if match[2] == "Convertible" else sku
        found.flags.append("upfront_amortised")
        found.steps.append("upfront payment already spread over 8760 hours a year by the source")
        yield found


VANTAGE = Vantage()
