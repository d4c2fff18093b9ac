"""Offers side by side as rows of attributes: which row holds what, and where the offers differ."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from procurement.choices import column_notes
from procurement.forms.labels import label_of
from procurement.selectors.prices import PricedQuote

GROUPS = (
    (
        "What is sold",
        (
            "accelerator", "accelerators_per_node", "accelerators_per_instance", "region", "zone", "os", "licence",
            "purchase_model", "term_months", "payment_option",
        ),
    ),
    (
        "Capacity and delivery",
        (
            "capacity_class", "quantity_available", "largest_domain_accelerators", "min_accelerators", "min_days",
            "max_days", "earliest_start", "available_to", "lead_time_days", "quota_accelerators",
            "monthly_interruption",
        ),
    ),
    (
        "Network", ("interconnect", "fabric", "network_gbps_per_accelerator", "measured_allreduce_gbps", "cluster"),
    ),
    (
        "Other terms",
        (
            "price_includes_tax", "setup_fee", "exit_fee", "egress_per_gb", "storage_per_gb_month", "support_fraction",
            "includes", "excludes",
        ),
    ),
)  # fmt: skip


class Row(NamedTuple):
    """One attribute of all offers."""

    name: str
    unit: str
    cells: list[Any]
    differs: bool


class Group(NamedTuple):
    """Attributes that belong together."""

    name: str
    rows: list[Row]


def compared(columns: Sequence[PricedQuote]) -> list[Group]:
    """Return the attributes of offers in groups; what none of them states is left out."""
    notes = column_notes("Quote")
    groups = []
    for title, names in GROUPS:
        rows = [_row(name, notes[name].unit if name in notes else "", columns) for name in names]
        groups.append(Group(title, [row for row in rows if any(cell not in (None, "", []) for cell in row.cells)]))
    return [group for group in groups if group.rows]


def _row(name: str, unit: str, columns: Sequence[PricedQuote]) -> Row:
    cells = [_shown(column, name) for column in columns]
    is_money = unit.startswith("currency")
    told = [(column.quote.currency, cell) for column, cell in zip(columns, cells, strict=True)] if is_money else cells
    return Row(label_of(name), unit, cells, any(cell != told[0] for cell in told[1:]))


def _shown(column: PricedQuote, name: str) -> Any:
    words: Callable[[], str] | None = getattr(column.quote, f"get_{name}_display", None)
    value = words() if words is not None else getattr(column.quote, name)
    return str(value) if name == "cluster" and value is not None else value
