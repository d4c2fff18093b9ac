"""The checked quote table: every column of a quote with its type, unit and meaning, and the check of a whole table."""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pandas as pd

from providers.errors import Fault, TableError

PRICE_BASES = ("per_accelerator_hour", "per_instance_hour", "per_slice_hour", "per_month", "term_total")
PURCHASE_MODELS = (
    "on_demand", "spot", "low_priority", "promo", "reserved", "savings_plan", "cud", "capacity_block", "dws",
    "market_floor", "contract",
)  # fmt: skip
COMMITTED = ("reserved", "savings_plan", "cud", "capacity_block", "contract")
INTERRUPTIBLE = ("spot", "low_priority", "market_floor", "dws", "promo")
PAYMENT_OPTIONS = ("none", "partial", "all")
INTERCONNECTS = ("single_accelerator", "single_node", "multi_node", "cluster_scale")
FABRICS = ("nvlink_rack", "infiniband", "roce", "ethernet", "tpu_ici", "none")
CAPACITY_CLASSES = ("confirmed", "reservation_offer", "on_demand", "queue", "spot", "pending")
KINDS: Mapping[str, type | tuple[type, ...]] = {
    "text": str, "decimal": Decimal, "integer": int, "boolean": bool, "date": datetime.date, "texts": tuple,
    "records": tuple, "mapping": dict,
}  # fmt: skip
CURRENCY_LENGTH = 3  # ISO 4217


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: name, kind of value, unit, meaning, allowed values, whether it must be stated."""

    name: str
    kind: str
    meaning: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A named set of columns that a DataFrame can be checked against."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the column of that name; KeyError when there is none."""
        return next(column for column in self.columns if column.name == name)

    def validate(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the table unchanged, or raise TableError with every fault by row and column.

        Parameters
        ----------
        frame : DataFrame
            One row per record; values are Python objects, missing is None.

        Raises
        ------
        TableError
            When a column is absent, or a value is missing, of another kind or not among the choices.
        """
        faults = [
            Fault(0, name, "", "missing_column", f"add the column {name}")
            for name in self.names
            if name not in frame.columns
        ]
        lines = frame["source_line"].tolist() if "source_line" in frame.columns else list(range(1, len(frame) + 1))
        for column in self.columns:
            if column.name in frame.columns:
                faults += _column_faults(column, frame[column.name].tolist(), lines)
        if faults:
            raise TableError(f"{self.name}: {len(faults)} faults, the first is {faults[0]}", faults)
        return frame


def _column_faults(column: Column, values: list[Any], lines: list[int]) -> Iterable[Fault]:
    right = KINDS[column.kind]
    kinds = set(map(type, values))
    if kinds <= {right, type(None)} and not column.choices and not (column.required and type(None) in kinds):
        return  # the common case is settled without looking at single cells
    for line, value in zip(lines, values, strict=True):
        if value is None:
            if column.required:
                yield Fault(line, column.name, "", "required", f"state the {column.meaning}")
        elif not isinstance(value, right) or (isinstance(value, bool) and column.kind != "boolean"):
            yield Fault(line, column.name, str(value), "wrong_kind", f"a value of kind {column.kind}")
        elif column.choices and value not in column.choices:
            yield Fault(line, column.name, str(value), "not_a_choice", f"one of {', '.join(column.choices)}")


QUOTES = Table(
    "quotes",
    (
        Column("id", "text", "name of the quote in the document", required=True),
        Column("provider", "text", "who sells it", required=True),
        Column("sku", "text", "the provider's own name of what is sold"),
        Column("accelerator", "text", "accelerator model, as in the reference table", required=True),
        Column("accelerators_per_node", "integer", "accelerators in one node", unit="accelerators"),
        Column("accelerators_per_instance", "decimal", "accelerators in one billed instance", unit="accelerators"),
        Column("price", "decimal", "amount per price basis", unit="currency", required=True),
        Column("price_basis", "text", "what the price is per", choices=PRICE_BASES, required=True),
        Column("price_hours_per_month", "decimal", "hours of the month the supplier means", unit="hours"),
        Column("currency", "text", "ISO 4217 code", required=True),
        Column("price_includes_tax", "boolean", "whether tax is in the price"),
        Column("purchase_model", "text", "how it is bought", choices=PURCHASE_MODELS, required=True),
        Column("term_months", "integer", "length of one term", unit="months"),
        Column("upfront", "decimal", "paid at each term's start, per price basis unit", unit="currency"),
        Column("payment_option", "text", "how much is paid up front", choices=PAYMENT_OPTIONS),
        Column("includes", "texts", "components in the price"),
        Column("excludes", "texts", "components not in the price"),
        Column("cluster", "text", "build of that provider which will serve it"),
        Column("interconnect", "text", "scale it is quoted for", choices=INTERCONNECTS),
        Column("fabric", "text", "network between nodes", choices=FABRICS),
        Column("network_gbps_per_accelerator", "decimal", "nominal network bandwidth", unit="Gbit/s"),
        Column("measured_allreduce_gbps", "decimal", "measured all-reduce bus bandwidth", unit="Gbit/s"),
        Column("toll_multiplier", "decimal", "what the place makes of the modelled toll", unit="ratio"),
        Column("measured_runs", "records", "runs timed here"),
        Column("region", "text", "region of the provider"),
        Column("quantity_available", "integer", "accelerators on offer together", unit="accelerators"),
        Column("largest_domain_accelerators", "integer", "largest single fabric domain", unit="accelerators"),
        Column("min_accelerators", "integer", "least that can be bought", unit="accelerators"),
        Column("min_days", "integer", "shortest time that is billed", unit="days"),
        Column("max_days", "integer", "longest time it may be held", unit="days"),
        Column("quoted_on", "date", "day the price was stated or observed", required=True),
        Column("valid_until", "date", "last day the offer can be signed"),
        Column("earliest_start", "date", "first day the accelerators can be there"),
        Column("available_to", "date", "last day the accelerators can be held"),
        Column("lead_time_days", "integer", "days from signature to start", unit="days"),
        Column("booking_horizon_days", "integer", "how far ahead it can be booked", unit="days"),
        Column("capacity_class", "text", "how firm the capacity is", choices=CAPACITY_CLASSES),
        Column("quota_accelerators", "integer", "quota this buyer holds", unit="accelerators"),
        Column("monthly_interruption", "decimal", "chance a node is interrupted in 30 days", unit="fraction"),
        Column("egress_per_gb", "decimal", "price of data out", unit="currency per GB"),
        Column("storage_per_gb_month", "decimal", "price of storage", unit="currency per GB-month"),
        Column("support_fraction", "decimal", "support, of other recurring rows", unit="fraction"),
        Column("setup_fee", "decimal", "paid once per contract", unit="currency"),
        Column("exit_fee", "decimal", "paid once at the end", unit="currency"),
        Column("costs", "records", "further priced lines"),
        Column("waived", "records", "expected components left out"),
        Column("failures_per_1000_node_days", "decimal", "failures", unit="per 1,000 node-days"),
        Column("restart_minutes", "decimal", "time to restart a failed job", unit="minutes"),
        Column("storage_read_gb_s", "decimal", "storage read rate, whole cluster", unit="GB/s"),
        Column("storage_write_gb_s", "decimal", "storage write rate, whole cluster", unit="GB/s"),
        Column("zone", "text", "zone inside the region"),
        Column("vram_gb", "decimal", "memory of one accelerator", unit="GB"),
        Column("form_factor", "text", "SXM, PCIe, NVL, OAM or another build of the model"),
        Column("os", "text", "operating system in the price"),
        Column("licence", "text", "licence in the price"),
        Column("valid_from", "date", "first day the price holds"),
        Column("time_zone", "text", "zone in which the last day ends; empty where that of the assumptions holds"),
        Column("source_file", "text", "name of the file it was read from", required=True),
        Column("source_line", "integer", "line, row or item of that file", required=True),
        Column("source_hash", "text", "SHA-256 of that file", required=True),
    ),
)
PROVENANCE = (
    "zone", "vram_gb", "form_factor", "os", "licence", "valid_from", "time_zone", "source_file", "source_line",
    "source_hash",
)  # fmt: skip
RANGED = (
    "price", "price_hours_per_month", "term_months", "upfront", "network_gbps_per_accelerator",
    "measured_allreduce_gbps", "toll_multiplier", "min_days", "max_days", "lead_time_days", "booking_horizon_days",
    "monthly_interruption", "egress_per_gb", "storage_per_gb_month", "support_fraction", "setup_fee", "exit_fee",
    "failures_per_1000_node_days", "restart_minutes", "storage_read_gb_s", "storage_write_gb_s",
)  # numbers that may be an estimate: min, likely and max  # fmt: skip
DERIVED = Table(
    "derived",
    (
        Column("row_key", "text", "natural key: the same offer in another file has the same key", required=True),
        Column(
            "price_per_accelerator_hour",
            "decimal",
            "derived, never stored alone",
            unit="currency per hour",
            required=True,
        ),
        Column("derivation", "mapping", "raw value, steps and result of the derived price", required=True),
        Column("flags", "texts", "what a reader should know: codes of checks that do not hold the row"),
        Column(
            "ranges", "mapping", "estimated columns with their least and greatest value; the column holds the likely"
        ),
    ),
)
KEY_COLUMNS = (
    "provider", "sku", "region", "zone", "accelerator", "purchase_model", "term_months", "payment_option", "os",
)  # fmt: skip


def row_key(values: Mapping[str, Any]) -> str:
    """Return the natural key of an offer: stable over files, rows and spellings of missing values."""
    parts = ["" if (value := values.get(name)) is None else str(value) for name in KEY_COLUMNS]
    key = "|".join(parts)
    if key.count("|") == len(parts) - 1 and "\\" not in key:
        return key
    return "|".join(part.replace("\\", "\\\\").replace("|", "\\|") for part in parts)
