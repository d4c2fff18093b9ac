"""Jobs, samples and charges of a file to rows: known ones are left alone or brought up to date, names are looked up."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from django.utils.text import slugify

from procurement.models import (
    Build,
    Provider,
    UsageCharge,
    UsageFile,
    UsageJob,
    UsageRow,
    UsageRowState,
    UsageSample,
    Workload,
)
from providers.usage import Charge, Job, Sample, UsageSheet

BATCH = 1000
NAMES_TOLD = 12
KEPT_OF_JOBS = ("outcome", "state", "accelerators", "accelerator", "ended_at", "busy_seconds", "workload_id")
KEPT_OF_CHARGES = (
    "accelerator", "period_start", "period_end", "accelerator_hours", "list_cost", "contracted_cost", "effective_cost",
    "billed_cost", "unused_commitment_cost", "workload_id", "provider_id",
)  # fmt: skip
CHARGE_KEY = (
    "provider_label", "account", "workload_label", "region", "sku", "pricing_category", "commitment_status", "currency",
    "month",
)  # fmt: skip


@dataclass(slots=True)
class Names:
    """Builds, workloads and providers by every name that files may use, and what was not found."""

    file: UsageFile
    builds: dict[str, Build] = field(default_factory=dict)
    workloads: dict[str, Workload] = field(default_factory=dict)
    providers: dict[str, Provider] = field(default_factory=dict)
    missing: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))

    def build_of(self, label: str, line: int) -> Build | None:
        """Return the build of a name; else the one that the file is stated to be of."""
        found = self._known("place", label, self.builds) or self.file.build
        if found is None:
            self.missing[("place", label)].append(line)
        return found

    def workload_of(self, label: str, line: int) -> Workload | None:
        """Return the workload that the file is stated to be of; else that of the name."""
        found = self.file.workload or self._known("workload", label, self.workloads)
        if found is None:
            self.missing[("workload", label)].append(line)
        return found

    def provider_of(self, label: str, line: int) -> Provider | None:
        """Return the provider of a name."""
        found = self._known("provider", label, self.providers)
        if found is None:
            self.missing[("provider", label)].append(line)
        return found

    def _known(self, kind: str, label: str, known: Mapping[str, Any]) -> Any:
        code = (self.file.aliases.get(kind) or {}).get(label, label)
        return known.get(slugify(str(code)))

    def rows(self) -> list[UsageRow]:
        """Return one held row for each name that is not known, with those that are."""
        return [self._row(kind, label, lines) for (kind, label), lines in self.missing.items()]

    def _row(self, kind: str, label: str, lines: Sequence[int]) -> UsageRow:
        tables: dict[str, dict[str, Any]] = {
            "place": self.builds, "workload": self.workloads, "provider": self.providers,
        }  # fmt: skip
        known = tables[kind]
        codes = sorted({record.code for record in known.values()})
        near = get_close_matches(slugify(label), codes, n=1)
        hint = f"is it {near[0]}? " if near else ""
        named = f"`{label}` is no {kind} on record" if label else f"the rows name no {kind}"
        listed = ", ".join(codes[:NAMES_TOLD]) + (" ..." if len(codes) > NAMES_TOLD else "")
        return UsageRow(
            file=self.file, line=min(lines), count=len(lines), state=UsageRowState.HELD, code=f"unknown_{kind}",
            column=kind, value=label[:200], message=f"{named}; the rows count for everything else",
            release=f"{hint}say which {kind} it is; on record: {listed or 'none yet'}"[:500],
        )  # fmt: skip


def names_for(file: UsageFile) -> Names:
    """Return the names that a file's rows are looked up in."""
    builds = list(Build.objects.filter(is_archived=False))
    workloads = list(Workload.objects.filter(is_archived=False))
    return Names(
        file=file,
        builds={slugify(name): build for build in builds for name in (build.name, build.code)},
        workloads={slugify(name): workload for workload in workloads for name in (workload.name, workload.code)},
        providers={slugify(name): one for one in Provider.objects.all() for name in (one.name, one.code)},
    )


def facts_store(file: UsageFile, sheet: UsageSheet) -> Counter[str]:
    """Store what a sheet holds and return how many rows are new, changed and same; sets the window of the file."""
    names = names_for(file)
    counts: Counter[str] = Counter()
    counts += _jobs_store(file, sheet.jobs, names)
    counts += _samples_store(file, sheet.samples, names)
    counts += _charges_store(file, sheet.charges, names)
    UsageRow.objects.bulk_create(names.rows())
    _set_window(file, sheet)
    return counts


def _jobs_store(file: UsageFile, jobs: Sequence[Job], names: Names) -> Counter[str]:
    rows = [_job_row(file, job, names) for job in jobs]
    known: dict[Any, UsageJob] = {}
    for batch in _batches([row.job_id for row in rows]):
        known |= {_job_key(one): one for one in UsageJob.objects.filter(job_id__in=batch)}
    fresh, changed, same = [], [], 0
    for row in rows:
        current = known.get(_job_key(row))
        if current is None:
            fresh.append(row)
        elif _is_older(row, current) or not _take_over(current, row, KEPT_OF_JOBS):
            same += 1
        else:
            changed.append(current)
    UsageJob.objects.bulk_create(fresh, batch_size=BATCH)
    UsageJob.objects.bulk_update(changed, KEPT_OF_JOBS, batch_size=BATCH)
    return Counter(new=len(fresh), changed=len(changed), same=same)


def _job_row(file: UsageFile, job: Job, names: Names) -> UsageJob:
    build = names.build_of(job.place, job.line)
    return UsageJob(
        file=file, build=build, workload=names.workload_of(job.workload, job.line),
        place_label=(job.place or (build.code if build else ""))[:120], workload_label=job.workload[:120],
        job_id=job.job_id, line=job.line, outcome=job.outcome, state=job.state, accelerators=job.accelerators,
        accelerator=job.accelerator, started_at=job.started_at, ended_at=job.ended_at, busy_seconds=job.busy_seconds,
    )  # fmt: skip


def _is_older(row: UsageJob, current: UsageJob) -> bool:
    """Tell whether a file knows less of a job than is on record: it still ran, and not for longer."""
    return row.outcome == "running" and (current.outcome != "running" or row.ended_at <= current.ended_at)


def _job_key(job: UsageJob) -> tuple[object, str, datetime]:
    return job.build_id or job.place_label, job.job_id, job.started_at


def _samples_store(file: UsageFile, samples: Sequence[Sample], names: Names) -> Counter[str]:
    rows = [_sample_row(file, sample, names) for sample in samples]
    intervals: dict[tuple[str, str], list[UsageSample]] = defaultdict(list)
    for label in {row.place_label for row in rows}:
        for one in UsageSample.objects.filter(place_label=label).order_by("started_at"):
            intervals[(one.place_label, one.workload_label)].append(one)
    starts = {key: [one.started_at for one in known] for key, known in intervals.items()}
    fresh, changed, overlapping, same = [], [], [], 0
    for row in rows:
        key = (row.place_label, row.workload_label)
        neighbours = _neighbours(intervals.get(key, []), starts.get(key, []), row)
        current = next((one for one in neighbours if one.started_at == row.started_at), None)
        if current is None and any(
            one.ended_at > row.started_at and one.started_at < row.ended_at for one in neighbours
        ):
            overlapping.append(row.line)
        elif current is None:
            fresh.append(row)
        elif _take_over(current, row, ("ended_at", "in_use", "accelerators", "utilisation", "step_s", "workload_id")):
            changed.append(current)
        else:
            same += 1
    UsageSample.objects.bulk_create(fresh, batch_size=BATCH)
    UsageSample.objects.bulk_update(
        changed, ("ended_at", "in_use", "accelerators", "utilisation", "step_s", "workload_id"), batch_size=BATCH
    )
    if overlapping:
        UsageRow.objects.create(
            file=file, line=overlapping[0], count=len(overlapping), state=UsageRowState.HELD, code="overlaps_known",
            message="another file has other intervals of the same place and time; counted twice they would be wrong",
            release="withdraw the other file, or send rows of another time",
        )  # fmt: skip
    return Counter(new=len(fresh), changed=len(changed), same=same)


def _neighbours(known: list[UsageSample], starts: list[datetime], row: UsageSample) -> list[UsageSample]:
    place = bisect_left(starts, row.started_at)
    last = bisect_left(starts, row.ended_at)
    return known[max(place - 1, 0) : max(last, place + 1)]


def _sample_row(file: UsageFile, sample: Sample, names: Names) -> UsageSample:
    build = names.build_of(sample.place, sample.line)
    workload = names.workload_of(sample.workload, sample.line) if sample.workload or file.workload else None
    return UsageSample(  # type: ignore[misc] # the columns may be empty
        file=file, build=build, workload=workload, place_label=(sample.place or (build.code if build else ""))[:120],
        workload_label=(sample.workload or (file.workload.code if file.workload else ""))[:120], line=sample.line,
        started_at=sample.started_at, ended_at=sample.ended_at, in_use=sample.in_use, accelerators=sample.accelerators,
        utilisation=sample.utilisation, step_s=sample.step_s,
    )  # fmt: skip


def _charges_store(file: UsageFile, charges: Sequence[Charge], names: Names) -> Counter[str]:
    rows = [_charge_row(file, charge, names) for charge in charges]
    months = {row.month for row in rows}
    known = {_charge_key(one): one for one in UsageCharge.objects.filter(month__in=months)}
    fresh, changed, same = [], [], 0
    for row in rows:
        current = known.get(_charge_key(row))
        if current is None:
            fresh.append(row)
        elif _take_over(current, row, KEPT_OF_CHARGES):
            changed.append(current)
        else:
            same += 1
    UsageCharge.objects.bulk_create(fresh, batch_size=BATCH)
    UsageCharge.objects.bulk_update(changed, KEPT_OF_CHARGES, batch_size=BATCH)
    return Counter(new=len(fresh), changed=len(changed), same=same)


def _charge_row(file: UsageFile, charge: Charge, names: Names) -> UsageCharge:
    is_named = bool(charge.workload or file.workload)
    return UsageCharge(  # type: ignore[misc] # the columns may be empty
        file=file, provider=names.provider_of(charge.provider, charge.line), provider_label=charge.provider[:120],
        workload=names.workload_of(charge.workload, charge.line) if is_named else None,
        workload_label=(charge.workload or (file.workload.code if file.workload else ""))[:120],
        account=charge.account[:120], region=charge.region[:80], sku=charge.sku[:160],
        accelerator=charge.accelerator[:60], pricing_category=charge.pricing_category[:40],
        commitment_status=charge.commitment_status[:20], currency=charge.currency, month=charge.month,
        period_start=charge.period_start, period_end=charge.period_end, accelerator_hours=charge.accelerator_hours,
        list_cost=charge.list_cost, contracted_cost=charge.contracted_cost, effective_cost=charge.effective_cost,
        billed_cost=charge.billed_cost, unused_commitment_cost=charge.unused_commitment_cost,
    )  # fmt: skip


def _charge_key(charge: UsageCharge) -> tuple[Any, ...]:
    return tuple(getattr(charge, name) for name in CHARGE_KEY)


def _take_over(current: Any, row: Any, fields: Iterable[str]) -> bool:
    """Bring a known fact up to date; tell whether anything differed. A workload that a person named is kept."""
    is_changed = False
    for name in fields:
        value = getattr(row, name)
        if name in ("workload_id", "provider_id") and value is None:
            continue
        if getattr(current, name) != value:
            setattr(current, name, value)
            is_changed = True
    return is_changed


def _batches(values: Sequence[str]) -> Iterable[Sequence[str]]:
    return (values[start : start + BATCH] for start in range(0, len(values), BATCH))


def _set_window(file: UsageFile, sheet: UsageSheet) -> None:
    """Set what the file covers: as stated, else from its first start to its last end."""
    if file.is_window_stated or not sheet.jobs:
        return
    file.covers_from = min(job.started_at for job in sheet.jobs)
    file.covers_until = max(job.ended_at for job in sheet.jobs)
