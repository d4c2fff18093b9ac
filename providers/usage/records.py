"""What the reading of one file of measured use gives: jobs, samples or charges, and every row that is none of them."""

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from providers.errors import Fault
from providers.sheet import Held

OUTCOMES = ("completed", "failed", "timeout", "node_fail", "cancelled", "preempted", "running", "not_started")
ENDED = ("completed", "failed", "timeout", "node_fail", "cancelled", "preempted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One allocation of accelerators to one job; steps are part of it and no jobs of their own.

    `busy_seconds` leaves out suspension, so it may be less than from start to end. `ended_at` of a running job is how
    far the export saw it.
    """

    line: int
    job_id: str
    place: str
    workload: str
    outcome: str
    state: str
    accelerators: int
    accelerator: str
    nodes: int | None
    started_at: datetime
    ended_at: datetime
    busy_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """How many accelerators of a place worked in an interval, for one workload or for all of them.

    `in_use` is None where only the share of the place's accelerators is stated.
    """

    line: int
    place: str
    workload: str
    started_at: datetime
    ended_at: datetime
    in_use: Decimal | None
    accelerators: Decimal | None
    utilisation: Decimal | None
    step_s: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What one kind of use cost in one month, by provider, account and instance type."""

    line: int
    provider: str
    account: str
    workload: str
    region: str
    sku: str
    accelerator: str
    pricing_category: str
    commitment_status: str
    currency: str
    month: date
    period_start: date
    period_end: date
    accelerator_hours: Decimal | None
    list_cost: Decimal | None
    contracted_cost: Decimal | None
    effective_cost: Decimal
    billed_cost: Decimal | None
    unused_commitment_cost: Decimal


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows that are rightly not counted, such as steps: how many, the first of them, and why."""

    code: str
    rows: int
    first_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSheet:
    """One file of measured use, read and checked: rows_read = counted + held + faulty + left out."""

    format_key: str
    file_name: str
    content_hash: str
    rows_read: int
    jobs: tuple[Job, ...] = ()
    samples: tuple[Sample, ...] = ()
    charges: tuple[Charge, ...] = ()
    held: tuple[Held, ...] = ()
    faults: tuple[Fault, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Tally:
    """Counts rows that are left out while a file is read."""

    found: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, code: str, line: int) -> None:
        """Note one row."""
        rows, first = self.found.get(code, (0, line))
        self.found[code] = (rows + 1, first)

    def rows(self) -> tuple[LeftOut, ...]:
        """Return what was left out, by reason."""
        return tuple(LeftOut(code, rows, first) for code, (rows, first) in self.found.items())
