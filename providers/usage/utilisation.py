"""Utilisation as plain CSV: an instant or interval, a place, and the accelerators in use or the share of them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from providers.cells import plain, read_number
from providers.document import Document, Record, TableRows
from providers.errors import CellError, Fault
from providers.sheet import Held, Reason
from providers.usage.instants import read_instants
from providers.usage.records import Sample, Tally, UsageSheet

KEY = "utilisation_csv"
TITLE = "Utilisation (CSV)"
NAMES: Mapping[str, tuple[str, ...]] = {
    "start": ("timestamp", "time", "from", "start", "started_at", "interval_start"),
    "end": ("to", "until", "end", "ended_at", "interval_end"),
    "minutes": ("interval_minutes", "minutes"),
    "place": ("place", "build", "cluster", "site"),
    "workload": ("workload", "account", "project"),
    "in_use": ("accelerators_in_use", "in_use", "gpus_in_use", "used"),
    "accelerators": ("accelerators", "gpus", "total", "capacity"),
    "utilisation": ("utilisation", "utilization", "gpu_utilisation", "gpu_utilization"),
    "step_s": ("step_s", "step_seconds"),
}
PERCENT = Decimal(100)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row whose interval may still be open at its end."""

    line: int
    raw: Mapping[str, str]
    sample: Sample
    instants: tuple[datetime, ...]
    is_open: bool


def table_of(document: Document) -> TableRows | None:
    """Return the table of utilisation in a document; None when there is none."""
    for start in NAMES["start"]:
        for figure in (*NAMES["in_use"], *NAMES["utilisation"]):
            found = document.table(start, figure)
            if found is not None:
                return found
    return None


def read_utilisation(document: Document, zone: ZoneInfo) -> UsageSheet:
    """Return the samples of a file; instants without offset are those of the zone.

    A file of instants alone has the interval that most of its rows are apart; nothing is filled in across gaps.
    """
    table = table_of(document)
    reader = _Reader(table, zone)
    for record in table.records if table else ():
        reader.take(record)
    reader.close()
    rows = len(table.records) + len(document.faults) if table else 0
    return UsageSheet(
        format_key=KEY, file_name=document.file_name, content_hash=document.content_hash, rows_read=rows,
        samples=tuple(sorted(reader.samples, key=lambda sample: sample.line)), held=tuple(reader.held),
        faults=(*document.faults, *sorted(reader.faults, key=lambda fault: fault.line)),
        left_out=reader.tally.rows(),
    )  # fmt: skip


class _Reader:
    def __init__(self, table: TableRows | None, zone: ZoneInfo) -> None:
        self.table = table
        self.zone = zone
        self.rows: list[_Row] = []
        self.samples: list[Sample] = []
        self.held: list[Held] = []
        self.faults: list[Fault] = []
        self.tally = Tally()
        header = {name.casefold(): name for name in (table.header if table else ())}
        self.columns = {
            key: next((header[name] for name in names if name in header), "") for key, names in NAMES.items()
        }

    def take(self, record: Record) -> None:
        """Read one row as far as it goes alone."""
        table = self.table
        if table is None:
            return
        if not table.even(record):
            hint = f"the header has {len(table.header)} columns; quote a cell that holds the delimiter"
            self.faults.append(Fault(record.line, "", f"{len(record.cells)} cells", "ragged_row", hint))
            return
        cells = {key: table.getter(name).text(record) if name else "" for key, name in self.columns.items()}
        column = "start"
        try:
            instants = read_instants(cells["start"], self.zone)
            column = "end"
            ends = read_instants(cells["end"], self.zone) if cells["end"] else ()
            column = "minutes"
            minutes = read_number(cells["minutes"], None)
            numbers: dict[str, Decimal | None] = {}
            for column in ("in_use", "accelerators", "utilisation", "step_s"):
                numbers[column] = _share(cells[column]) if column == "utilisation" else _amount(cells[column])
            column = "in_use" if numbers["in_use"] is not None else "utilisation"
            in_use = _in_use(numbers)
            column = "end" if ends else "minutes"
            end = _end(instants, ends, minutes)
        except CellError as error:
            self.faults.append(error.at(record.line, self.columns[column] or column))
            return
        sample = Sample(
            line=record.line, place=cells["place"], workload=cells["workload"], started_at=instants[0],
            ended_at=end or instants[0], in_use=in_use, accelerators=numbers["accelerators"],
            utilisation=numbers["utilisation"], step_s=numbers["step_s"],
        )  # fmt: skip
        self.rows.append(_Row(record.line, dict(table.raw(record)), sample, instants, end is None))

    def close(self) -> None:
        """Give every row its interval, series by series, and refuse what overlaps."""
        series: dict[tuple[str, str], list[_Row]] = defaultdict(list)
        for row in self.rows:
            series[(row.sample.place, row.sample.workload)].append(row)
        for rows in series.values():
            self._series(_in_order(rows))

    def _series(self, rows: Sequence[_Row]) -> None:
        ordered = sorted(rows, key=lambda row: row.sample.started_at)
        step = _usual_step(ordered)
        last: Sample | None = None
        for row in ordered:
            sample = row.sample
            if row.is_open and step is None:
                reason = Reason("no_interval", "one instant alone says nothing of how long", "state `to` or minutes")
                self.held.append(Held(row.line, row.raw, (reason,), {}))
                continue
            if row.is_open and step is not None:
                sample = replace(sample, ended_at=sample.started_at + step)
            if last is not None and sample.started_at < last.ended_at:
                self._overlap(row, sample, last)
                continue
            self.samples.append(sample)
            last = sample

    def _overlap(self, row: _Row, sample: Sample, last: Sample) -> None:
        is_same = (sample.started_at, sample.ended_at, sample.in_use) == (last.started_at, last.ended_at, last.in_use)
        if is_same:
            self.tally.add("same_sample_again", row.line)
            return
        hint = f"line {last.line} of the same place and workload lasts until {last.ended_at:%Y-%m-%d %H:%M} UTC"
        self.faults.append(
            Fault(row.line, self.columns["start"], f"{sample.started_at:%Y-%m-%d %H:%M} UTC", "overlaps", hint)
        )


def _in_order(rows: Sequence[_Row]) -> list[_Row]:
    """Choose between the two instants of an hour that clocks repeat: the one that comes after the row before."""
    chosen = []
    last: datetime | None = None
    for row in rows:
        started_at = row.sample.started_at
        if len(row.instants) == 2 and last is not None and started_at <= last < row.instants[1]:
            started_at = row.instants[1]
            length = row.sample.ended_at - row.sample.started_at
            row = replace(row, sample=replace(row.sample, started_at=started_at, ended_at=started_at + length))
        last = started_at
        chosen.append(row)
    return chosen


def _usual_step(ordered: Sequence[_Row]) -> timedelta | None:
    """Return the distance that most neighbours have, the shorter of two that are as frequent."""
    steps = Counter(
        later.sample.started_at - earlier.sample.started_at
        for earlier, later in zip(ordered, ordered[1:], strict=False)
        if later.sample.started_at > earlier.sample.started_at
    )
    return min(steps, key=lambda step: (-steps[step], step), default=None)


def _end(instants: Sequence[datetime], ends: Sequence[datetime], minutes: Decimal | None) -> datetime | None:
    if ends:
        after = [end for end in ends if end > instants[0]]
        if not after:
            raise CellError(f"{ends[0]:%Y-%m-%d %H:%M} UTC", "before_start", f"after {instants[0]:%Y-%m-%d %H:%M} UTC")
        return after[0]
    if minutes is None:
        return None
    if minutes <= 0:
        raise CellError(plain(minutes), "not_positive", "minutes above 0")
    return instants[0] + timedelta(seconds=float(minutes) * 60)


def _amount(text: str) -> Decimal | None:
    number = read_number(text, None)
    if number is not None and number < 0:
        raise CellError(text, "negative", "0 or more")
    return number


def _share(text: str) -> Decimal | None:
    """Return a share of 1: `0.65`, `0,65` and `65 %` alike."""
    is_percent = text.endswith("%")
    number = _amount(text.removesuffix("%").strip())
    if number is None:
        return None
    share = number / PERCENT if is_percent else number
    if share > 1:
        raise CellError(text, "above_one", "a share from 0 to 1, or a percentage with its sign: 0.65 or 65 %")
    return share


def _in_use(numbers: Mapping[str, Decimal | None]) -> Decimal | None:
    """Return the accelerators in use: as stated, else share x accelerators; None where the place must tell how many."""
    in_use, accelerators, share = numbers["in_use"], numbers["accelerators"], numbers["utilisation"]
    if in_use is None and share is None:
        raise CellError("", "empty", "state accelerators_in_use or utilisation")
    if in_use is not None and accelerators is not None and in_use > accelerators:
        raise CellError(plain(in_use), "more_than_there_are", f"at most the {plain(accelerators)} accelerators")
    if in_use is None and share is not None and accelerators is not None:
        return share * accelerators
    return in_use
