"""Slurm accounting: what is a job, how long it held how many accelerators, and every row that is none."""

from datetime import UTC, datetime

import pytest

from providers.errors import UnknownFormat
from providers.usage import read_usage

HEADER = "JobID|JobName|Account|Cluster|State|AllocTRES|ElapsedRaw|Elapsed|Start|End"
GPUS = "billing=64,cpu=64,gres/gpu:h100=8,gres/gpu=8,mem=512G,node=1"


def line(job="1001", *, name="train", account="serve", cluster="hall-1", state="COMPLETED", tres=GPUS, raw="3600",
         elapsed="01:00:00", start="2026-11-02T10:00:00", end="2026-11-02T11:00:00"):  # fmt: skip
    return "|".join((job, name, account, cluster, state, tres, raw, elapsed, start, end))


def read(*lines, header=HEADER, zone="UTC", tail="", before=b""):
    text = "\n".join(f"{row}{tail}" for row in (header, *lines))
    return read_usage(before + text.encode(), file_name="jobs.txt", time_zone=zone)


def whole(sheet):
    """Return how many rows were accounted for."""
    left_out = sum(one.rows for one in sheet.left_out)
    return len(sheet.jobs) + len(sheet.held) + len({fault.line for fault in sheet.faults}) + left_out


def test_a_job_is_read_with_its_accelerators_time_and_outcome():
    job = read(line()).jobs[0]

    assert (job.job_id, job.place, job.workload, job.outcome) == ("1001", "hall-1", "serve", "completed")
    assert (job.accelerators, job.accelerator, job.busy_seconds) == (8, "h100", 3600)
    assert job.started_at == datetime(2026, 11, 2, 10, tzinfo=UTC)


def test_the_older_form_with_a_delimiter_at_the_end_of_each_line_is_the_same():
    assert read(line(), tail="|").jobs == read(line()).jobs


def test_a_byte_order_mark_and_windows_line_ends_change_nothing():
    assert read(line(), tail="\r", before=b"\xef\xbb\xbf").jobs == read(line()).jobs


def test_steps_are_part_of_their_job_and_counted_once():
    sheet = read(line(), line("1001.batch"), line("1001.extern"), line("1001.0"))

    assert len(sheet.jobs) == 1
    assert [(one.code, one.rows, one.first_line) for one in sheet.left_out] == [("step", 3, 3)]
    assert whole(sheet) == sheet.rows_read == 4


def test_a_step_whose_job_is_not_in_the_file_is_held():
    sheet = read(line(), line("77.batch"))

    assert [(one.line, one.codes) for one in sheet.held] == [(3, ("step_without_job",))]


def test_array_tasks_and_parts_of_a_job_are_jobs_and_tasks_to_come_are_none():
    sheet = read(line("7_1"), line("7_2"), line("8+0"), line("7_[3-9%2]", state="PENDING", start="Unknown"))

    assert [job.job_id for job in sheet.jobs] == ["7_1", "7_2", "8+0"]
    assert [one.code for one in sheet.left_out] == ["array_not_started"]


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ("CANCELLED by 1001", "cancelled"), ("CANCELLED+", "cancelled"), ("OUT_OF_ME+", "failed"),
        ("TIMEOUT", "timeout"),
        ("NODE_FAIL", "node_fail"), ("BOOT_FAIL", "node_fail"), ("PREEMPTED", "preempted"), ("completed", "completed"),
    ],
)  # fmt: skip
def test_states_are_known_with_what_stands_behind_them(state, outcome):
    assert read(line(state=state)).jobs[0].outcome == outcome


def test_a_running_job_reaches_as_far_as_the_export_saw_it():
    job = read(line(state="RUNNING", raw="7200", end="Unknown")).jobs[0]

    assert (job.outcome, job.ended_at) == ("running", datetime(2026, 11, 2, 12, tzinfo=UTC))


def test_a_job_that_never_started_takes_nothing():
    sheet = read(line(state="CANCELLED by 0", tres="", raw="0", start="Unknown", end="2026-11-02T11:00:00"))

    assert sheet.jobs == ()
    assert [one.code for one in sheet.left_out] == ["never_started"]


def test_a_job_without_accelerators_is_left_out_with_its_reason():
    sheet = read(line(tres="billing=4,cpu=4,mem=8G,node=1"))

    assert [one.code for one in sheet.left_out] == ["no_accelerator"]


@pytest.mark.parametrize(
    ("elapsed", "seconds"), [("1-02:03:04", 93784), ("02:03:04", 7384), ("03:04", 184), ("03:04.512", 184)]
)
def test_elapsed_is_read_in_every_form(elapsed, seconds):
    assert read(line(raw="", elapsed=elapsed, end="Unknown", state="RUNNING")).jobs[0].busy_seconds == seconds


def test_a_blank_elapsed_is_taken_from_start_and_end():
    assert read(line(raw="", elapsed="")).jobs[0].busy_seconds == 3600


def test_suspended_time_is_not_used_time():
    assert read(line(raw="1800", elapsed="00:30:00")).jobs[0].busy_seconds == 1800


def test_the_hour_that_clocks_repeat_is_told_by_the_elapsed_time():
    # Berlin, 25 October 2026: 02:30 comes twice. From 01:30 (CEST, 23:30 UTC) to 02:30 it is one hour or two.
    times = {"start": "2026-10-25T01:30:00", "end": "2026-10-25T02:30:00"}

    one = read(line(raw="3600", **times), zone="Europe/Berlin").jobs[0]
    two = read(line(raw="7200", **times), zone="Europe/Berlin").jobs[0]

    assert (one.ended_at.hour, two.ended_at.hour) == (0, 1)
    assert (one.busy_seconds, two.busy_seconds) == (3600, 7200)


def test_a_time_that_clocks_jumped_over_asks_for_the_right_zone():
    sheet = read(line(start="2026-03-29T02:30:00", end="2026-03-29T04:30:00"), zone="Europe/Berlin")

    assert [(fault.line, fault.column, fault.rule) for fault in sheet.faults] == [(2, "Start", "no_such_local_time")]


@pytest.mark.parametrize("written", ["2026-11-02T11:00:00+01:00", "2026-11-02T10:00:00Z", "1793613600"])
def test_a_time_that_states_its_offset_needs_no_zone(written):
    sheet = read(line(start=written, end="2026-11-02T11:00:00Z"), zone="America/New_York")

    assert sheet.jobs[0].started_at == datetime(2026, 11, 2, 10, tzinfo=UTC)


def test_a_name_with_the_delimiter_is_joined_where_one_column_holds_any_text():
    sheet = read(line(name="sweep|lr=3|seed=1"))

    assert len(sheet.jobs) == 1
    assert sheet.notes == ("1 names held the delimiter and were read as one cell",)


def test_with_two_columns_of_any_text_such_a_row_is_faulty_and_says_what_helps():
    sheet = read(f"{line(name='a|b')}|note", header=f"{HEADER}|Comment")

    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(2, "ragged_row")]
    assert "without JobName" in sheet.faults[0].hint


@pytest.mark.parametrize(
    ("_case", "changes", "column", "rule"),
    [
        ("an unknown state", {"state": "EXPLODED"}, "State", "unknown_state"),
        ("an end before its start", {"end": "2026-11-02T09:00:00"}, "End", "before_start"),
        ("more time than passed", {"raw": "9000"}, "Elapsed", "longer_than_the_job"),
        ("words for time", {"start": "yesterday"}, "Start", "not_an_instant"),
        ("seconds above 59", {"raw": "", "elapsed": "00:61:00"}, "Elapsed", "not_a_duration"),
        ("no job", {"job": ""}, "JobID", "empty"),
        ("counts that differ", {"tres": "gres/gpu=8,gres/gpu:h100=4"}, "AllocTRES", "contradicts_itself"),
        ("an end that is missing", {"end": "Unknown", "raw": "", "elapsed": ""}, "End", "end_missing"),
    ],
)
def test_a_bad_cell_is_named_with_line_column_and_rule(_case, changes, column, rule):
    sheet = read(line("1"), line(**changes))

    assert [(fault.line, fault.column, fault.rule) for fault in sheet.faults] == [(3, column, rule)]
    assert len(sheet.jobs) == 1
    assert whole(sheet) == sheet.rows_read


def test_the_same_job_again_is_counted_once_and_the_finished_state_wins():
    running = line(state="RUNNING", raw="600", end="Unknown")

    sheet = read(running, line(), line())

    assert [job.outcome for job in sheet.jobs] == ["completed"]
    assert whole(sheet) == sheet.rows_read == 3


def test_a_job_that_was_requeued_is_two_allocations():
    first = line(state="NODE_FAIL", start="2026-11-02T08:00:00", end="2026-11-02T09:00:00")

    assert [job.outcome for job in read(first, line()).jobs] == ["node_fail", "completed"]


def test_two_different_endings_of_one_job_are_a_fault():
    sheet = read(line(), line(state="FAILED"))

    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(3, "said_twice")]


def test_the_old_count_per_node_is_multiplied_by_the_nodes():
    header = "JobID|State|AllocGRES|NNodes|Elapsed|Start|End"
    row = "5|COMPLETED|gpu:tesla:2(IDX:0-1)|4|01:00:00|2026-11-02T10:00:00|2026-11-02T11:00:00"

    assert read(row, header=header).jobs[0].accelerators == 8


def test_an_export_without_a_column_of_accelerators_says_which_one_is_missing():
    header, row = "JobID|State|Elapsed|Start|End", "5|COMPLETED|01:00:00|2026-11-02T10:00:00|2026-11-02T11:00:00"

    assert read(row, header=header).faults[0].column == "AllocTRES"


def test_types_without_a_total_are_summed():
    assert read(line(tres="gres/gpu:a100=4,gres/gpu:h100=4,gres/gpumem=80G")).jobs[0].accelerators == 8


def test_the_table_for_the_eye_is_refused_with_the_option_that_is_right():
    text = (
        b"JobID           JobName      State\n------------ ---------- ----------\n1001              train  COMPLETED\n"
    )

    with pytest.raises(UnknownFormat, match="--parsable2"):
        read_usage(text, file_name="jobs.txt", time_zone="UTC")
