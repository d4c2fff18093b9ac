"""Reads of measured use: files, what became of their rows, and planned beside measured for workloads and builds."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from django.db.models import Q, QuerySet, Sum

from procurement.engine.actuals import (
    Interval,
    MeasuredUse,
    Paid,
    UseRecords,
    job_columns,
    measured_use,
    merged,
    sample_columns,
    together,
)
from procurement.models import (
    Build,
    UsageCharge,
    UsageFile,
    UsageJob,
    UsageOffer,
    UsageRow,
    UsageRowState,
    UsageSample,
    UsageState,
    Workload,
)
from procurement.selectors.assumptions import zone_of_evaluation
from procurement.selectors.planned_use import PlannedUse, planned_of_build, planned_of_workload

MONTHS_SHOWN = 24
UNUSED = "unused"


@dataclass(frozen=True, slots=True)
class Measured:
    """One workload or build: what was measured by month and together, beside what is planned."""

    record: Workload | Build
    months: list[MeasuredUse]
    total: MeasuredUse | None
    planned: PlannedUse
    capacity: float
    first_at: datetime | None
    last_at: datetime | None
    step_s: float | None  # median of the measured seconds per step
    step_accelerators: int | None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was measured."""
        return self.total is None

    @property
    def whole_months(self) -> list[MeasuredUse]:
        """The months that are on record from their first to their last hour."""
        return [month for month in self.months if not month.is_partial]


def usage_files_all() -> QuerySet[UsageFile]:
    """Return files of measured use, newest first."""
    return UsageFile.objects.select_related("build", "workload", "created_by")


def usage_rows_of(file: UsageFile) -> list[UsageRow]:
    """Return what is held, faulty or left out of a file, what asks for a person first."""
    order = {UsageRowState.FAULTY: 0, UsageRowState.HELD: 1, UsageRowState.LEFT_OUT: 2}
    return sorted(file.rows.all(), key=lambda row: (order[UsageRowState(row.state)], row.line, row.pk))


def usage_rows_held_count() -> int:
    """Return how many rows wait for a name or a better file."""
    held = UsageRow.objects.filter(state=UsageRowState.HELD, file__state=UsageState.IMPORTED)
    return held.aggregate(rows=Sum("count"))["rows"] or 0


def usage_offers_all() -> QuerySet[UsageOffer]:
    """Return offers of measured figures, newest first."""
    return UsageOffer.objects.select_related("workload", "build", "decided_by")


def workloads_measured() -> list[Measured]:
    """Return every workload of which something was measured, by name."""
    wanted = Q(usagejobs__isnull=False) | Q(usagesamples__isnull=False) | Q(usagecharges__isnull=False)
    return [workload_measured(workload) for workload in Workload.objects.filter(wanted).distinct()]


def builds_measured() -> list[Measured]:
    """Return every build of which something was measured, by name."""
    wanted = Q(usage_jobs__isnull=False) | Q(usage_samples__isnull=False)
    builds = Build.objects.filter(wanted).distinct().prefetch_related("tranches")
    return [build_measured(build) for build in builds]


def workload_measured(workload: Workload) -> Measured:
    """Return planned and measured use of a workload, its capacity being the accelerators that it asks for."""
    jobs = UsageJob.objects.filter(workload=workload)
    samples = UsageSample.objects.filter(workload=workload)
    charges = UsageCharge.objects.filter(workload=workload).exclude(commitment_status=UNUSED)
    builds = list(jobs.exclude(build=None).values_list("build", flat=True).distinct())
    files = UsageFile.objects.filter(Q(usagejobs__workload=workload) | Q(usagejobs__build__in=builds, workload=None))
    return _measured(
        workload, jobs=jobs, samples=samples, charges=charges, files=files, capacity=float(workload.accelerators),
        planned=planned_of_workload(workload, _main_place(jobs)),
    )  # fmt: skip


def build_measured(build: Build) -> Measured:
    """Return planned and measured use of a build, its capacity being all that it plans.

    Files of one workload alone do not cover a build; samples of all workloads come before those of single ones.
    """
    samples = UsageSample.objects.filter(build=build)
    if samples.filter(workload_label="").exists():
        samples = samples.filter(workload_label="")
    planned = sum(tranche.planned_accelerators for tranche in build.tranches.all() if not tranche.is_archived)
    files = UsageFile.objects.filter(Q(usagejobs__build=build) | Q(build=build), workload=None)
    return _measured(
        build, jobs=UsageJob.objects.filter(build=build), samples=samples, charges=UsageCharge.objects.none(),
        files=files, capacity=float(planned), planned=planned_of_build(build),
    )  # fmt: skip


def days_measured(measured: Measured) -> tuple[date, date] | None:
    """Return the first and the last day that was measured, in the zone of the assumptions."""
    if measured.first_at is None or measured.last_at is None:
        return None
    zone = ZoneInfo(zone_of_evaluation())
    last_at = max(measured.last_at - timedelta(seconds=1), measured.first_at)  # the end itself is not in it
    return measured.first_at.astimezone(zone).date(), last_at.astimezone(zone).date()


def _main_place(jobs: QuerySet[UsageJob]) -> str | None:
    """Return the code of the build on which most accelerator-seconds of some jobs were."""
    by_build: dict[str, int] = defaultdict(int)
    for code, accelerators, seconds in jobs.exclude(build=None).values_list(
        "build__code", "accelerators", "busy_seconds"
    ):
        by_build[code] += accelerators * seconds
    return max(by_build, key=lambda code: by_build[code], default=None)


def _measured(  # noqa: PLR0913 - one argument for each source
    record: Workload | Build, *, jobs: QuerySet[UsageJob], samples: QuerySet[UsageSample],
    charges: QuerySet[UsageCharge], files: QuerySet[UsageFile], capacity: float, planned: PlannedUse,
) -> Measured:  # fmt: skip
    job_rows = [
        (started.timestamp(), ended.timestamp(), float(busy), float(accelerators), outcome)
        for started, ended, busy, accelerators, outcome in jobs.values_list(
            "started_at", "ended_at", "busy_seconds", "accelerators", "outcome"
        ).iterator()
    ]
    sample_rows = [row for row in (_sample(sample, capacity) for sample in samples.iterator()) if row is not None]
    imported = files.filter(state=UsageState.IMPORTED).exclude(covers_from=None).distinct()
    windows = imported.values_list("covers_from", "covers_until")
    covered = merged((begin.timestamp(), end.timestamp()) for begin, end in windows if begin and end)
    records = UseRecords(job_columns(job_rows), covered, sample_columns(sample_rows))
    paid = _paid(charges)
    spans = [*covered, *((begin, end) for begin, end, _ in sample_rows)]
    months = [
        measured_use(month, span, records, capacity=capacity or None, paid=paid.get(month, ()))
        for month, span in _months(spans, paid)
    ]
    known = [one for one in months if one.covered_hours or one.sampled_hours or one.paid]
    step_s, step_accelerators = _steps(samples)
    return Measured(
        record=record, months=known, total=together(known), planned=planned, capacity=capacity,
        first_at=_instant(min((begin for begin, _ in spans), default=None)),
        last_at=_instant(max((end for _, end in spans), default=None)), step_s=step_s,
        step_accelerators=step_accelerators,
    )  # fmt: skip


def _sample(sample: UsageSample, capacity: float) -> tuple[float, float, float] | None:
    """Return a sample as times and accelerators in use; a share alone is one of what the place has."""
    in_use = sample.in_use
    if in_use is None:
        there = sample.accelerators if sample.accelerators is not None else Decimal(str(capacity))
        in_use = (sample.utilisation or Decimal(0)) * there
    return sample.started_at.timestamp(), sample.ended_at.timestamp(), float(in_use)


def _steps(samples: QuerySet[UsageSample]) -> tuple[float | None, int | None]:
    """Return the median measured step at the size that was measured most."""
    rows = list(samples.exclude(step_s=None).exclude(in_use=None).values_list("step_s", "in_use"))
    if not rows:
        return None, None
    sizes = [int(in_use) for _, in_use in rows]
    size = max(set(sizes), key=lambda one: (sizes.count(one), one))
    return float(np.median([float(step) for step, in_use in rows if int(in_use) == size])), size


def _paid(charges: Iterable[UsageCharge]) -> dict[date, list[Paid]]:
    """Return what was paid by month and currency: effective cost, and what falls on it of unused commitments."""
    sums: dict[tuple[date, str], list[UsageCharge]] = defaultdict(list)
    for charge in charges:
        sums[(charge.month, charge.currency)].append(charge)
    paid: dict[date, list[Paid]] = defaultdict(list)
    for (month, currency), rows in sums.items():
        amount = sum((row.effective_cost + row.unused_commitment_cost for row in rows), Decimal(0))
        hours = [row.accelerator_hours for row in rows if row.accelerator_hours is not None]
        total = float(sum(hours, Decimal(0))) if hours else None
        paid[month].append(Paid(amount=float(amount), hours=total, currency=currency))
    return paid


def _months(spans: Sequence[Interval], paid: Iterable[date]) -> list[tuple[date, Interval]]:
    """Return the months about which there is something, with begin and end in the zone of the assumptions."""
    zone = ZoneInfo(zone_of_evaluation())
    days = [datetime.fromtimestamp(edge, zone).date() for begin, end in spans for edge in (begin, max(end - 1, begin))]
    days += list(paid)
    if not days:
        return []
    month, last, found = min(days).replace(day=1), max(days), []
    while month <= last:
        after = (month.replace(day=28) + timedelta(days=4)).replace(day=1)
        found.append((month, (_begin(month, zone), _begin(after, zone))))
        month = after
    return found


def _begin(day: date, zone: ZoneInfo) -> float:
    return datetime.combine(day, time.min, zone).timestamp()


def _instant(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def measured_figures(measured: Measured) -> list[dict[str, Any]]:
    """Return planned beside measured, one entry a figure, for pages and the interface."""
    total, planned = measured.total, measured.planned
    if total is None:
        return []
    figures = [
        {"name": "utilisation", "planned": planned.utilisation, "measured": total.utilisation, "unit": "share",
         "reason": planned.reason_utilisation},
        {"name": "completed_share", "planned": planned.goodput, "measured": total.completed_share, "unit": "share",
         "reason": planned.reason_throughput},
        {"name": "failures_per_1000_node_days", "planned": planned.failures_per_1000_node_days,
         "measured": total.failures_per_1000_node_days, "unit": "per 1,000 node-days", "reason": ""},
    ]  # fmt: skip
    if measured.step_s is not None:
        figures.append({"name": "step_s", "planned": planned.step_s, "measured": measured.step_s, "unit": "s",
                        "reason": planned.reason_throughput})  # fmt: skip
    return figures


@dataclass(frozen=True, slots=True)
class Cost:
    """What the accelerators cost in one currency; what is unknown is None with the reason."""

    currency: str
    amount: float
    per_hour: float | None
    per_useful_hour: float | None
    reason: str


def costs_of(use: MeasuredUse) -> list[Cost]:
    """Return what was paid in a month or together, by currency."""
    return [
        Cost(paid.currency, paid.amount, use.cost_per_hour(paid), use.cost_per_useful_hour(paid), _why_unknown(use))
        for paid in use.paid
    ]


def _why_unknown(use: MeasuredUse) -> str:
    if not use.has_jobs:
        return "no job records say which hours were useful"
    if use.is_partial:
        return f"job records cover {use.covered_hours:,.0f} of {use.hours:,.0f} hours"
    return "" if use.useful_hours else "no job completed"
