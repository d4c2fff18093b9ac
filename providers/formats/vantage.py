"""Vantage instances.json: instances with prices by region, system and reserved term, already amortised per hour."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from providers.aws_names import CHINA, CHINA_CURRENCY, has_no_accelerator, stated_accelerators, variant_name
from providers.azure_names import machine_sku
from providers.base import Context, Offer, Parsed, no_price, object_in
from providers.cells import is_missing, plain, read_number
from providers.document import Document
from providers.errors import CellError, Fault
from providers.knowledge import find_sku
from providers.sheet import Ignored, Reason

CURRENCY = "USD"
SYSTEMS = {
    "linux": "linux", "mswin": "windows", "windows": "windows", "rhel": "rhel", "sles": "suse",
    "ubuntu": "ubuntu pro",
}  # fmt: skip
RESERVED = re.compile(r"yrTerm([13])(Standard|Convertible|Savings)\.(no|partial|all)Upfront")
SPOT = {"aws": "spot_avg", "azure": "spot_min", "gcp": "spot"}  # Azure has one spot price a region, its least
KNOWN_OTHERS = frozenset({"dedicated", "emr"})
HOST_ALONE = Reason(
    "component_only",
    "prices of Google machines in this list may leave out their accelerators",
    "take the price from the Cloud Billing Catalog, or confirm that it holds the accelerators",
)


class Vantage:
    """One record per instance type, with all regions inside."""

    key = "vantage"
    title = "Vantage instances.json (AWS, Azure, Google Cloud)"
    reads = (
        "on demand, spot, low priority and reserved per hour, by region, for Linux, Windows and other systems; China "
        "in its own currency"
    )
    holds = "unknown sizes and regions, missing on-demand price, another GPU count than the size has, Google machines"
    ignores = "instances without accelerator, dedicated tenancy, EMR, hybrid benefits, systems with database licences"

    def recognises(self, document: Document) -> bool:
        """Return whether records carry an instance type and prices by region."""
        record = next((found for _, found in _records(document)), None)
        return record is not None and "instance_type" in record and isinstance(record.get("pricing"), dict)

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per instance type, region, system and way of buying."""
        parsed = Parsed(rows=0)
        for line, record in _records(document):
            parsed.rows += 1
            machine = _machine(line, record)
            if _has_none(machine):
                parsed.ignored.append(Ignored(line, "no_accelerator", machine.sku))
                continue
            for region, systems in _pricing(record).items():
                for system, prices in systems.items() if isinstance(systems, dict) else ():
                    _take(machine, region, system, prices, parsed)
        return parsed


@dataclass(frozen=True, slots=True)
class Machine:
    """One record: whose instance type it is and how many accelerators it states."""

    line: int
    provider: str
    sku: str
    count: Decimal | None


def _records(document: Document) -> Iterator[tuple[int, dict[str, Any]]]:
    found = [document.json] if isinstance(document.json, dict) else list(document.objects())
    yield from enumerate(found, start=1)


def _machine(line: int, record: Mapping[str, Any]) -> Machine:
    """Return the instance type of a record; the three clouds name theirs in shapes of their own."""
    written = str(record.get("instance_type") or "")
    count = stated_accelerators(record.get("GPU"))
    if "." in written:
        return Machine(line, "aws", written, count)
    if "-" in written and "pretty_name_azure" not in record:
        return Machine(line, "gcp", written, count)
    return Machine(line, "azure", machine_sku(str(record.get("pretty_name_azure") or written)), count)


def _has_none(machine: Machine) -> bool:
    if machine.provider == "aws":
        return has_no_accelerator(machine.sku, machine.count)
    known = find_sku(machine.provider, machine.sku)
    return machine.count is None and (known is None or known.has_none)


def _pricing(record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("pricing")
    return found if isinstance(found, dict) else {}


def _take(machine: Machine, region: str, system: str, prices: Any, parsed: Parsed) -> None:
    subject = f"{machine.sku} {region} {system}"
    if system not in SYSTEMS or not isinstance(prices, dict):
        code = "other_tenancy" if system in KNOWN_OTHERS else "software_licence"
        parsed.ignored.append(Ignored(machine.line, code, subject))
        return
    try:
        parsed.offers += _offers(machine, region, system, prices)
        for term in object_in(prices, "reserved"):
            if RESERVED.fullmatch(term) is None:
                parsed.ignored.append(Ignored(machine.line, "software_licence", f"{subject} {term}"))
    except CellError as error:
        parsed.faults.append(Fault(machine.line, f"pricing.{region}.{system}", error.value, error.rule, error.hint))


def _offers(machine: Machine, region: str, system: str, prices: dict[str, Any]) -> Iterator[Offer]:
    currency = CHINA_CURRENCY if machine.provider == "aws" and region.startswith(CHINA) else CURRENCY

    def offer(price: Any, model: str, **values: Any) -> Offer:
        amount = read_number(price)
        reasons = [] if amount is not None else [no_price()]
        return Offer(
            line=machine.line, price=amount, currency=currency, basis="per_instance_hour",
            raw={"instance_type": machine.sku, "region": region, "system": system, "price": str(price)},
            written=f"{'nothing' if amount is None else plain(amount)} {currency}",
            sku=machine.sku, table_sku=machine.sku, provider=machine.provider, region=region, count=machine.count,
            purchase_model=model, values={"os": SYSTEMS[system], **values},
            reasons=[*reasons, HOST_ALONE] if machine.provider == "gcp" else reasons,
        )  # fmt: skip

    if "ondemand" in prices:
        yield offer(prices["ondemand"], "on_demand", capacity_class="on_demand")
    for name, model in ((SPOT[machine.provider], "spot"), ("lowpriority", "low_priority")):
        price = prices.get(name)
        if not is_missing(price) and read_number(price) != Decimal(0):
            yield offer(price, model, capacity_class="spot")
    for term, price in object_in(prices, "reserved").items():
        match = RESERVED.fullmatch(term)
        if match is None or is_missing(price):
            continue
        model = "savings_plan" if match[2] == "Savings" else "reserved"
        found = offer(price, model, term_months=int(match[1]) * 12, payment_option=match[3].replace("no", "none"))
        found.sku = variant_name(machine.sku, "convertible" if match[2] == "Convertible" else "")
        found.flags.append("upfront_amortised")
        found.steps.append("upfront payment already spread over 8760 hours a year by the source")
        yield found


VANTAGE = Vantage()
