"""FOCUS 1.x cost and usage: rates that were really paid, kept apart from quotes."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar

import pandas as pd

from providers.base import Context, Parsed, ragged
from providers.cells import plain, read_date, read_number, read_text
from providers.charge_names import charged_sku, columns_of, names_component
from providers.currency import is_currency
from providers.document import Document, Getter, Record, TableRows
from providers.errors import CellError
from providers.knowledge import PROVIDERS, find_sku, squeezed
from providers.names import read_name
from providers.rates import rounded
from providers.sheet import Held, Ignored, Reason
from providers.units import read_unit

NEEDED = ("BilledCost", "EffectiveCost", "ChargeCategory", "ChargePeriodStart")
COSTS = ("ListCost", "ContractedCost", "EffectiveCost", "BilledCost")
NEVER_FREE = frozenset({"ListCost", "ContractedCost"})  # of a machine that somebody used
SIDE_COSTS = ("ListCost", "ContractedCost", "BilledCost")  # a sum without one of them is not known
SKIPPED = {"tax": "tax", "credit": "credit", "adjustment": "adjustment", "purchase": "commitment_purchase"}
DATE_SHORT = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2}|\d{4})")
BLOCK_SIZE = "x_PricingBlockSize"
IDENTITY_TOLERANCE = Decimal("0.01")  # of the list cost
REALISED = (
    "provider", "region", "sku", "accelerator", "accelerators_per_instance", "pricing_category", "commitment_status",
    "currency", "period_start", "period_end", "rows", "instance_hours", "accelerator_hours", "list_cost",
    "contracted_cost", "effective_cost", "billed_cost", "list_rate", "contracted_rate", "effective_rate",
    "unused_commitment_cost", "effective_rate_with_unused",
)  # fmt: skip


@dataclass(slots=True)
class Sum:
    """What one kind of use cost over the file."""

    hours: Decimal = Decimal(0)
    effective: Decimal = Decimal(0)
    costs: dict[str, Decimal | None] = field(default_factory=lambda: dict.fromkeys(SIDE_COSTS, Decimal(0)))
    rows: int = 0
    start: date | None = None
    end: date | None = None


Group = TypeVar("Group", bound=Hashable)
Key = tuple[str, str, str, str, str, str]  # provider, region, sku, category, status, currency


class Focus:
    """Charges of a provider in the FinOps open specification."""

    key = "focus"
    title = "FOCUS 1.x cost and usage (CSV)"
    reads = "realised list, contracted and effective rate per accelerator-hour, unused commitment beside it; no quotes"
    holds = (
        "virtual currencies, rows whose list price times quantity is not the list cost, rows without effective cost or "
        "quantity, units that are no hours, accelerators that Google bills apart from their machine, ragged rows"
    )
    ignores = "taxes, credits, adjustments, corrections, purchases; charges of no accelerator"

    def recognises(self, document: Document) -> bool:
        """Return whether the header holds the mandatory cost columns."""
        return document.table(*NEEDED) is not None

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return realised rates by provider, region, instance type and way of paying."""
        table = document.table(*NEEDED)
        return Parsed(rows=0) if table is None else _read(table, table.records)

    def parse_by(self, document: Document, group: Callable[[TableRows, Record], Group]) -> dict[Group, Parsed]:
        """Return realised rates apart for each group of charges, such as those of one month."""
        table = document.table(*NEEDED)
        groups: dict[Group, list[Record]] = defaultdict(list)
        for record in table.records if table else ():
            groups[group(table, record)].append(record)  # type: ignore[arg-type]
        return {name: _read(table, records) for name, records in groups.items()}  # type: ignore[arg-type]


def _read(table: TableRows, records: Sequence[Record]) -> Parsed:
    reader = _Reader(table, len(records))
    for record in records:
        if table.even(record):
            reader.take(record)
        else:
            reader.hold(record, ragged(len(record.cells), len(table.header)))
    reader.parsed.realised = reader.frame()
    return reader.parsed


class Cells(Mapping[str, str]):
    """The cells of one charge as texts by column name, in any case; read when somebody asks."""

    def __init__(self, getters: Mapping[str, Getter], record: Record) -> None:
        self._getters = getters
        self._record = record

    def __getitem__(self, name: str) -> str:
        return self._getters[name.casefold()].text(self._record)

    def __iter__(self) -> Iterator[str]:
        return iter(self._getters)

    def __len__(self) -> int:
        return len(self._getters)


class _Reader:
    def __init__(self, table: TableRows, rows: int) -> None:
        self.table = table
        self.getters = {name.casefold(): table.getter(name) for name in table.header}
        self.columns = columns_of(table.header)
        self.parsed = Parsed(rows=rows)
        self.sums: dict[Key, Sum] = defaultdict(Sum)
        self.unused: dict[tuple[str, str], Decimal] = defaultdict(Decimal)

    def text(self, record: Record, name: str) -> str:
        getter = self.getters.get(name.casefold())
        return getter.text(record) if getter else ""

    def take(self, record: Record) -> None:
        """Add one charge to the sums, or say why it is left out."""
        code = self._skipped(record)
        if code:
            self.parsed.ignored.append(Ignored(record.line, code, self.text(record, "ChargeDescription")[:80]))
            return
        column = ""
        try:
            numbers: dict[str, Decimal | None] = {}
            for column in (*COSTS, "ListUnitPrice", "PricingQuantity", "ConsumedQuantity", BLOCK_SIZE):
                getter = self.getters.get(column.casefold())
                numbers[column] = read_number(getter(record)) if getter else None
            column = "ChargePeriodStart"
            start = day_of(self.text(record, column))
            column = "ChargePeriodEnd"
            end = day_of(self.text(record, column))
        except CellError as error:
            self.parsed.faults.append(error.at(record.line, column))
            return
        reason = self._doubt(record, numbers)
        if reason is not None:
            self.hold(record, reason)
        else:
            self._add(record, numbers, start, end)

    def _skipped(self, record: Record) -> str:
        category = self.text(record, "ChargeCategory").lower()
        if self.text(record, "ChargeClass").lower() == "correction":
            return "correction"
        if category in SKIPPED:
            return SKIPPED[category]
        is_unused = self.text(record, "CommitmentDiscountStatus").lower() == "unused"
        if is_unused or self._sku(record):
            return ""
        is_part = names_component(self._provider(record), Cells(self.getters, record), self.columns)
        return "" if is_part else "no_accelerator"

    def _provider(self, record: Record) -> str:
        name = self.text(record, "ProviderName") or self.text(record, "ServiceProviderName")
        return PROVIDERS.get(squeezed(name), name)

    def _sku(self, record: Record) -> str:
        return charged_sku(self._provider(record), Cells(self.getters, record), self.columns)

    def _doubt(self, record: Record, numbers: Mapping[str, Decimal | None]) -> Reason | None:
        currency = self.text(record, "BillingCurrency") or self.text(record, "CommitmentDiscountUnit")
        pricing = self.text(record, "PricingCurrency")
        if not is_currency(currency) or (pricing and not is_currency(pricing)):
            message = (
                f"billed in {currency or 'nothing'}, priced in {pricing or currency or 'nothing'}: no currency in use"
            )
            return Reason("virtual_currency", message, "state the rate of the virtual currency")
        is_unused = self.text(record, "CommitmentDiscountStatus").lower() == "unused"
        needed = ("EffectiveCost",) if is_unused else ("EffectiveCost", "PricingQuantity")
        missing = [name for name in needed if numbers[name] is None]
        if missing:
            message = f"the charge states no {' and no '.join(missing)}: counted as zero it would change the rate"
            return Reason("charge_incomplete", message, "ask the provider for the missing number")
        listed, price, quantity = numbers["ListCost"], numbers["ListUnitPrice"], numbers["PricingQuantity"]
        if listed is None or price is None or quantity is None:
            return None
        if abs(price * quantity - listed) > IDENTITY_TOLERANCE * abs(listed):
            message = f"list price {plain(price)} x quantity {plain(quantity)} is not the list cost {plain(listed)}"
            return Reason("cost_identity_broken", message, "ask the provider which of the three is wrong")
        return None

    def _add(self, record: Record, numbers: Mapping[str, Decimal | None], start: date | None, end: date | None) -> None:
        provider, sku = self._provider(record), self._sku(record)
        currency = self.text(record, "BillingCurrency") or self.text(record, "CommitmentDiscountUnit")
        status = self.text(record, "CommitmentDiscountStatus").lower()
        if status == "unused":
            self.unused[(provider, currency)] += numbers["EffectiveCost"] or Decimal(0)
            return
        hours = self._hours(record, sku, numbers)
        if isinstance(hours, Reason):
            self.hold(record, hours)
            return
        category = self.text(record, "PricingCategory").lower() or "standard"
        total = self.sums[(provider, self.text(record, "RegionId"), sku, category, status, currency)]
        total.hours += hours
        total.effective += numbers["EffectiveCost"] or Decimal(0)
        for name in SIDE_COSTS:
            summed, cost = total.costs[name], numbers[name]
            if name in NEVER_FREE and cost == 0 and hours:
                cost = None  # providers write 0 where they have no price
            total.costs[name] = None if summed is None or cost is None else summed + cost
        total.rows += 1
        total.start = min(filter(None, (total.start, start)), default=None)
        total.end = max(filter(None, (total.end, end)), default=None)

    def _hours(self, record: Record, sku: str, numbers: Mapping[str, Decimal | None]) -> Decimal | Reason:
        """Return the hours of a machine that a charge is for, or why its quantity does not tell them."""
        if not sku:
            message = "a charge for accelerators whose core and memory are charges of their own"
            return Reason("component_only", message, "add the charges of the machine up")
        written, quantity = self.text(record, "PricingUnit"), numbers["PricingQuantity"] or Decimal(0)
        found = read_unit(written)
        known = find_sku(self._provider(record), sku)
        is_one = known is not None and known.accelerators == 1
        if found is None or not (found[1] == "hour" or (found[1] == "accelerator_hour" and is_one)):
            message = f"{written!r} is no hour of an instance"
            return Reason("unknown_unit", message, "map the unit", {"unit": written})
        block = numbers[BLOCK_SIZE] or Decimal(1)
        if found[0] != 1 or block == 1:
            return quantity * found[0]
        consumed = numbers["ConsumedQuantity"]
        if consumed is None or _alike(consumed, quantity * block):
            return quantity * block  # the unit leaves out that the quantity counts blocks
        if _alike(consumed, quantity):
            return quantity
        message = f"{plain(quantity)} blocks of {plain(block)} hours, but {plain(consumed)} were consumed"
        return Reason("quantity_conflict", message, "ask the provider which of the two is wrong")

    def hold(self, record: Record, reason: Reason) -> None:
        """Keep a charge that is not trusted, with its reason."""
        known = {"provider": self._provider(record), "sku": self._sku(record) or None}
        self.parsed.held.append(Held(record.line, self.table.raw(record), (reason,), known))

    def frame(self) -> pd.DataFrame:
        """Return one row per kind of use with its rates per accelerator-hour."""
        rows = [self._row(key, total) for key, total in self.sums.items()]
        rows += [self._unused_row(*key, cost) for key, cost in self.unused.items()]
        cells = {name: pd.Series([row[name] for row in rows], dtype=object) for name in REALISED}
        return pd.DataFrame(cells, columns=list(REALISED))

    def _row(self, key: Key, total: Sum) -> dict[str, Any]:
        provider, region, sku, category, status, currency = key
        known = find_sku(provider, sku)
        name = read_name(known.accelerator) if known and known.accelerator else None
        count = known.accelerators if known else None
        hours = total.hours * count if count else None
        unused = self._share_of_unused(key)
        effective = total.effective
        return {
            "provider": provider, "region": region or None, "sku": sku,
            "accelerator": name.accelerator if name else None,
            "accelerators_per_instance": count, "pricing_category": category, "commitment_status": status or None,
            "currency": currency, "period_start": total.start, "period_end": total.end, "rows": total.rows,
            "instance_hours": total.hours, "accelerator_hours": hours, "list_cost": total.costs["ListCost"],
            "contracted_cost": total.costs["ContractedCost"], "effective_cost": effective,
            "billed_cost": total.costs["BilledCost"], "list_rate": _rate(total.costs["ListCost"], hours),
            "contracted_rate": _rate(total.costs["ContractedCost"], hours), "effective_rate": _rate(effective, hours),
            "unused_commitment_cost": unused,
            "effective_rate_with_unused": _rate(effective + unused, hours) if unused is not None else None,
        }  # fmt: skip

    def _unused_row(self, provider: str, currency: str, cost: Decimal) -> dict[str, Any]:
        """Return the commitment that nobody used: it has a cost, but no hours and no rate."""
        known = {"provider": provider or None, "pricing_category": "committed", "commitment_status": "unused"}
        row: dict[str, Any] = dict.fromkeys(REALISED)
        return row | known | {"currency": currency, "effective_cost": cost, "unused_commitment_cost": cost}

    def _share_of_unused(self, key: Key) -> Decimal | None:
        """Return the unused commitment of the provider that falls on this use, by its share of covered cost."""
        provider, _, _, _, status, currency = key
        if status != "used":
            return None
        covered = {
            other: total.effective
            for other, total in self.sums.items()
            if (other[0], other[5], other[4]) == (provider, currency, "used")
        }
        whole = sum(covered.values(), Decimal(0))
        return self.unused[(provider, currency)] * covered[key] / whole if whole else None


def _alike(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= IDENTITY_TOLERANCE * abs(other)


def _rate(cost: Decimal | None, hours: Decimal | None) -> Decimal | None:
    return rounded(cost / hours) if hours and cost is not None else None


def day_of(text: str) -> date | None:
    """Return the day of a period; the worked examples of the specification write month first."""
    match = DATE_SHORT.fullmatch(text)
    if match:
        year = int(match[3]) + (2000 if len(match[3]) == 2 else 0)
        try:
            return date(year, int(match[1]), int(match[2]))
        except ValueError as error:
            raise CellError(text, "not_a_date", "write the day as 2026-11-30") from error
    return read_date(read_text(text))


FOCUS = Focus()
