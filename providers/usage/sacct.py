"""Slurm accounting: the text of `sacct --parsable2` or `--parsable`, with its header line."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

from providers.errors import CellError, Fault
from providers.sheet import Held, Reason
from providers.usage.instants import is_unknown, read_duration, read_instants
from providers.usage.records import Job, Tally, UsageSheet

Value = TypeVar("Value")

KEY = "sacct"
TITLE = "Slurm accounting (sacct --parsable2)"
NEEDED = ("JobID", "State")
DELIMITERS = ("|", "\x1f", ";", ",", "\t")
STATES: Mapping[str, str] = {
    "COMPLETED": "completed", "FAILED": "failed", "OUT_OF_MEMORY": "failed", "BOOT_FAIL": "node_fail",
    "NODE_FAIL": "node_fail", "TIMEOUT": "timeout", "DEADLINE": "timeout", "CANCELLED": "cancelled",
    "REVOKED": "cancelled", "PREEMPTED": "preempted", "REQUEUED": "preempted", "RUNNING": "running",
    "COMPLETING": "running", "SUSPENDED": "running", "STOPPED": "running", "SIGNALING": "running",
    "STAGE_OUT": "running", "PENDING": "not_started", "CONFIGURING": "not_started", "REQUEUE_HOLD": "not_started",
    "REQUEUE_FED": "not_started", "SPECIAL_EXIT": "failed", "RESV_DEL_HOLD": "not_started", "RESIZING": "running",
}  # fmt: skip
FREE_TEXTS = ("JobName", "Comment", "AdminComment", "SystemComment", "WorkDir", "SubmitLine", "Reason", "Container")
ARRAY_TO_COME = re.compile(r"\d+_\[[^\]]*\]")
JOB_ID = re.compile(r"\d+(?:_\d+)?(?:\+\d+)?")
GPU = re.compile(r"gres/gpu(?::([^=,]+))?=(\d+)")
OLD_GPU = re.compile(r"gpu(?::([A-Za-z][^:(,]*))?:(\d+)")
CLOCK_SLACK = timedelta(seconds=2)  # sacct rounds start, end and elapsed on their own


@dataclass(frozen=True, slots=True)
class Line:
    """One row by header name."""

    number: int
    cells: Mapping[str, str]

    def text(self, *names: str) -> str:
        """Return the first cell that says something."""
        for name in names:
            value = self.cells.get(name.casefold(), "").strip()
            if value and not is_unknown(value):
                return value
        return ""


def header_of(text: str) -> tuple[str, list[str]] | None:
    """Return delimiter and column names of an export; None when the text is none."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    for mark in DELIMITERS:
        names = [name.strip() for name in first.split(mark)]
        folded = {name.casefold() for name in names}
        if {name.casefold() for name in NEEDED} <= folded and {"elapsed", "elapsedraw", "start", "alloctres"} & folded:
            return mark, names
    return None


def is_for_the_eye(text: str) -> bool:
    """Return whether it is sacct's table in columns of fixed width, whose cells are cut off."""
    lines = [line for line in text.splitlines() if line.strip()][:2]
    return len(lines) == 2 and "JobID" in lines[0].split() and set(lines[1].replace(" ", "")) == {"-"}


def read_sacct(text: str, *, file_name: str, content_hash: str, zone: ZoneInfo) -> UsageSheet:
    """Return the jobs of an export; times without offset are those of the zone."""
    mark, names = header_of(text) or ("|", [])
    reader = _Reader(mark, names, zone)
    rows = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not (rows == 0 and reader.is_header(line)):
            rows += 1
            reader.take(number, line.rstrip("\r"))
    return reader.sheet(file_name, content_hash, rows)


class _Reader:
    def __init__(self, mark: str, names: Sequence[str], zone: ZoneInfo) -> None:
        self.mark = mark
        self.names = [name for name in names if name]  # --parsable ends every line with the delimiter
        self.has_tail = len(names) > len(self.names)
        self.zone = zone
        self.free = [place for place, name in enumerate(self.names) if name in FREE_TEXTS]
        self.has_gpu_column = any(name.casefold() in ("alloctres", "allocgres") for name in self.names)
        self.jobs: dict[tuple[str, str, datetime], Job] = {}
        self.steps: list[tuple[int, str, Mapping[str, str]]] = []
        self.seen: set[str] = set()
        self.held: list[Held] = []
        self.faults: list[Fault] = []
        self.tally = Tally()
        self.joined = 0

    def is_header(self, line: str) -> bool:
        return [name.strip() for name in line.split(self.mark)][: len(self.names)] == self.names

    def take(self, number: int, line: str) -> None:
        """Read one row: a job, a step of one, or what is wrong with it."""
        cells = line.split(self.mark)
        if self.has_tail and cells and cells[-1] == "":
            cells.pop()
        if len(cells) > len(self.names):
            cells = self._rejoined(cells)
        if len(cells) != len(self.names):
            hint = f"the header has {len(self.names)}; export without JobName, or with another --delimiter"
            self.faults.append(Fault(number, "", f"{len(cells)} cells", "ragged_row", hint))
            return
        row = Line(number, {name.casefold(): cell for name, cell in zip(self.names, cells, strict=True)})
        try:
            self._job(row)
        except _At as fault:
            self.faults.append(fault.error.at(number, fault.column))

    def _rejoined(self, cells: list[str]) -> list[str]:
        """Put a name that holds the delimiter together again, where only one column may hold any text."""
        if len(self.free) != 1:
            return cells
        start = self.free[0]
        extra = len(cells) - len(self.names)
        self.joined += 1
        return [*cells[:start], self.mark.join(cells[start : start + extra + 1]), *cells[start + extra + 1 :]]

    def _job(self, row: Line) -> None:
        job_id = row.text("JobID")
        if not job_id:
            raise _At("JobID", CellError("", "empty", "every row of sacct names its job"))
        root = job_id.split(".")[0]
        if "." in job_id:
            self.steps.append((row.number, root, row.cells))
            return
        self.seen.add(root)
        if ARRAY_TO_COME.fullmatch(job_id):
            self.tally.add("array_not_started", row.number)
            return
        if not JOB_ID.fullmatch(job_id):
            raise _At("JobID", CellError(job_id[:40], "not_a_job", "a number, with _task of an array or +part"))
        outcome = _outcome(row.text("State"))
        accelerators, accelerator = self._accelerators(row)
        if outcome == "not_started" or not row.text("Start"):
            self.tally.add("never_started", row.number)
        elif not accelerators:
            self._without_accelerators(row)
        else:
            self._keep(row, job_id, outcome, accelerators, accelerator)

    def _without_accelerators(self, row: Line) -> None:
        if self.has_gpu_column:
            self.tally.add("no_accelerator", row.number)
            return
        hint = "export the column AllocTRES: sacct --format=JobID,State,AllocTRES,Elapsed,Start,End"
        raise _At("AllocTRES", CellError("", "column_missing", hint))

    def _accelerators(self, row: Line) -> tuple[int, str]:
        found = GPU.findall(row.text("AllocTRES"))
        total = [int(count) for kind, count in found if not kind]
        typed = [(kind, int(count)) for kind, count in found if kind]
        if total or typed:
            summed = sum(count for _, count in typed)
            if total and typed and total[0] != summed:
                hint = f"gres/gpu={total[0]}, but the types come to {summed}"
                raise _At("AllocTRES", CellError(row.text("AllocTRES")[:80], "contradicts_itself", hint))
            return (total[0] if total else summed), typed[0][0] if len(typed) == 1 else ""
        old = OLD_GPU.findall(row.text("AllocGRES"))
        if not old:
            return 0, ""
        nodes = _whole(row, "NNodes")
        if nodes is None:
            raise _At("NNodes", CellError("", "column_missing", "AllocGRES counts per node: export NNodes too"))
        return nodes * sum(int(count) for _, count in old), old[0][0] if len(old) == 1 else ""

    def _keep(self, row: Line, job_id: str, outcome: str, accelerators: int, accelerator: str) -> None:
        start, end, busy = self._times(row, outcome)
        job = Job(
            line=row.number, job_id=job_id, place=row.text("Cluster"), workload=row.text("WCKey", "Account"),
            outcome=outcome, state=row.text("State")[:60], accelerators=accelerators, accelerator=accelerator[:60],
            nodes=_whole(row, "NNodes"), started_at=start, ended_at=end, busy_seconds=busy,
        )  # fmt: skip
        key = (job.place, job_id, start)
        known = self.jobs.get(key)
        if known is None or (known.outcome == "running" and outcome != "running"):
            if known is not None:
                self.tally.add("same_job_again", known.line)
            self.jobs[key] = job
        elif outcome == "running" or _is_same(known, job):
            self.tally.add("same_job_again", row.number)
        else:
            hint = f"line {known.line} says {known.state} of the same job and start; keep one"
            raise _At("State", CellError(job.state, "said_twice", hint))

    def _times(self, row: Line, outcome: str) -> tuple[datetime, datetime, int]:
        busy = _column("ElapsedRaw", row, read_duration)
        if busy is None:
            busy = _column("Elapsed", row, read_duration)
        starts = _column("Start", row, lambda text: read_instants(text, self.zone)) or ()
        written_end = row.text("End")
        if not written_end:
            if outcome != "running" and busy is None:
                raise _At("End", CellError("Unknown", "end_missing", "a job that ended has an End or an Elapsed"))
            if busy is None:
                raise _At(
                    "Elapsed", CellError("", "elapsed_missing", "a running job needs Elapsed: how far it has come")
                )
            return starts[0], starts[0] + timedelta(seconds=busy), busy
        ends = _column("End", row, lambda text: read_instants(text, self.zone)) or ()
        start, end = _fitting(starts, ends, busy)
        if end < start:
            raise _At("End", CellError(written_end, "before_start", f"the job started at {row.text('Start')}"))
        span = int((end - start).total_seconds())
        if busy is not None and timedelta(seconds=busy) > end - start + CLOCK_SLACK:
            hint = f"from Start to End it is {span} s; is the zone {self.zone.key} that of the cluster?"
            raise _At("Elapsed", CellError(f"{busy} s", "longer_than_the_job", hint))
        return start, end, span if busy is None else min(busy, span)

    def sheet(self, file_name: str, content_hash: str, rows: int) -> UsageSheet:
        """Return what was read; a step whose job is not in the file is held, not lost."""
        for number, root, cells in self.steps:
            if root in self.seen:
                self.tally.add("step", number)
            else:
                message = f"a step of job {root}, which is not in the file"
                reason = Reason("step_without_job", message, "export with jobs: without --name or -j of steps alone")
                self.held.append(Held(number, dict(cells), (reason,), {}))
        notes = [f"{self.joined} names held the delimiter and were read as one cell"] if self.joined else []
        return UsageSheet(
            format_key=KEY, file_name=file_name, content_hash=content_hash, rows_read=rows,
            jobs=tuple(sorted(self.jobs.values(), key=lambda job: job.line)), held=tuple(self.held),
            faults=tuple(self.faults), left_out=self.tally.rows(), notes=tuple(notes),
        )  # fmt: skip


class _At(Exception):
    """A cell that cannot be read, with its column."""

    def __init__(self, column: str, error: CellError) -> None:
        super().__init__(str(error))
        self.column = column
        self.error = error


def _column(name: str, row: Line, read: Callable[[str], Value]) -> Value | None:
    text = row.text(name)
    if not text:
        return None
    try:
        return read(text)
    except CellError as error:
        raise _At(name, error) from error


def _whole(row: Line, name: str) -> int | None:
    text = row.text(name)
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _outcome(written: str) -> str:
    """Return what became of a job: `CANCELLED by 1001` was cancelled, `OUT_OF_ME+` is cut off."""
    word = written.split()[0].upper() if written else ""
    cut = word.removesuffix("+")
    found = {STATES[name] for name in STATES if name == word or (word.endswith("+") and name.startswith(cut))}
    if len(found) != 1:
        raise _At("State", CellError(written[:40], "unknown_state", f"one of {', '.join(sorted(STATES))}"))
    return found.pop()


def _fitting(starts: Sequence[datetime], ends: Sequence[datetime], busy: int | None) -> tuple[datetime, datetime]:
    """Return start and end: where clocks were set back, those whose distance fits the elapsed time best."""
    pairs = [(start, end) for start in starts for end in ends]
    if busy is None:
        return pairs[0]
    return min(pairs, key=lambda pair: abs((pair[1] - pair[0]).total_seconds() - busy))


def _is_same(one: Job, other: Job) -> bool:
    return (one.outcome, one.ended_at, one.accelerators) == (other.outcome, other.ended_at, other.accelerators)
