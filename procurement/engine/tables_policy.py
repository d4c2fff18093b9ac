"""The rules of an organisation as records of the scenario document: budgets, approvals, what a person has pinned."""

from dataclasses import dataclass

from procurement.engine.columns import column


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalStep:
    """How many days an approval takes up to an amount."""

    up_to: float | None = column("amount; above all others when left out", unit="currency")
    days: int = column("days it takes", unit="days", required=True, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What a person has fixed in the portfolio: a workload at a place, all of it where no amount is stated."""

    workload: str = column("id of the workload", required=True)
    place: str = column("id of a quote or build, or what the workload runs on today", required=True)
    first_month: int | None = column("first month of the workload, counted from 0; its first", unit="months")
    last_month: int | None = column("last month of the workload, itself included; its last", unit="months")
    accelerators: float | None = column("exactly so many of the place", unit="accelerators")
    share: float | None = column("exactly this share of each month's demand; 0: not there", unit="fraction")
    reason: str = column("why, for those who read the plan", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules of the organisation that hold across workloads."""

    max_share_per_supplier: float | None = column("largest share with one supplier", unit="fraction")
    capital_budget: float | None = column("capital that may be spent", unit="currency")
    yearly_budget: float | None = column("what may be spent in a year", unit="currency")
    approval_days: tuple[ApprovalStep, ...] = column("approval times", factory=tuple, record="ApprovalStep")
    pins: tuple[Pin, ...] = column("what is fixed in the portfolio", factory=tuple, record="Pin")
