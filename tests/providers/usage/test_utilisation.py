"""Utilisation as CSV: intervals, shares, zones, and what is wrong cell by cell."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from providers.errors import CellError, UnknownFormat
from providers.usage import read_usage


def read(text, zone="UTC"):
    return read_usage(text.encode(), file_name="use.csv", time_zone=zone)


def rows(*lines, header="timestamp,place,accelerators_in_use,accelerators"):
    return "\n".join((header, *lines))


def test_instants_alone_last_as_long_as_most_are_apart_and_gaps_stay_gaps():
    sheet = read(rows(*(f"2026-11-01T{hour:02d}:00,hall-1,{hour},64" for hour in (0, 1, 2, 7))))

    assert [(one.started_at.hour, one.ended_at - one.started_at) for one in sheet.samples] == [
        (hour, timedelta(hours=1)) for hour in (0, 1, 2, 7)
    ]
    assert [one.in_use for one in sheet.samples] == [0, 1, 2, 7]


def test_an_interval_may_be_stated_by_its_end_or_its_minutes():
    by_end = read(rows("2026-11-01T23:00,2026-11-01T24:00,hall-1,8", header="from,to,place,in_use")).samples[0]
    by_minutes = read(rows("2026-11-01T23:00,60,hall-1,8", header="from,minutes,place,in_use")).samples[0]

    assert by_end.ended_at == by_minutes.ended_at == datetime(2026, 11, 2, tzinfo=UTC)


@pytest.mark.parametrize(("written", "share"), [("0.65", "0.65"), ('"0,65"', "0.65"), ("65%", "0.65"), ("100 %", "1")])
def test_a_share_is_read_in_every_notation(written, share):
    sheet = read(rows(f"2026-11-01T00:00,60,hall-1,{written}", header="from,minutes,place,utilisation"))

    assert sheet.samples[0].utilisation == Decimal(share)
    assert sheet.samples[0].in_use is None


def test_a_sheet_with_semicolons_and_decimal_commas_is_read():
    sheet = read(rows("2026-11-01 00:00;60;hall-1;0,5;64", header="from;minutes;place;utilisation;accelerators"))

    assert sheet.samples[0].in_use == 32


def test_the_hour_that_clocks_repeat_is_told_by_the_order_of_rows():
    hours = ("01:00", "02:00", "02:00", "03:00")  # Berlin, 25 October 2026
    sheet = read(rows(*(f"2026-10-25T{hour},hall-1,8,64" for hour in hours)), zone="Europe/Berlin")

    assert [one.started_at.hour for one in sheet.samples] == [23, 0, 1, 2]
    assert sheet.faults == ()


def test_one_instant_alone_is_held():
    sheet = read(rows("2026-11-01T00:00,hall-1,8,64"))

    assert [(one.line, one.codes) for one in sheet.held] == [(2, ("no_interval",))]


@pytest.mark.parametrize(
    ("_case", "row", "column", "rule"),
    [
        ("more than there are", "2026-11-01T00:00,60,hall-1,65,64,", "accelerators_in_use", "more_than_there_are"),
        ("less than none", "2026-11-01T00:00,60,hall-1,-1,64,", "accelerators_in_use", "negative"),
        ("two readings of a number", '2026-11-01T00:00,60,hall-1,"1,234",,', "accelerators_in_use", "ambiguous_number"),
        ("a share above one", "2026-11-01T00:00,60,hall-1,,,65", "utilisation", "above_one"),
        ("neither figure", "2026-11-01T00:00,60,hall-1,,64,", "utilisation", "empty"),
        ("no day", "2026-13-01T00:00,60,hall-1,8,64,", "from", "not_an_instant"),
        ("no time at all", "2026-11-01T00:00,0,hall-1,8,64,", "minutes", "not_positive"),
        ("a cell too many", "2026-11-01T00:00,60,hall-1,8,64,,x", "", "ragged_row"),
    ],
)
def test_a_bad_cell_is_named(_case, row, column, rule):
    header = "from,minutes,place,accelerators_in_use,accelerators,utilisation"
    sheet = read(rows("2026-10-01T00:00,60,hall-1,8,64,", row, header=header))

    assert [(fault.line, fault.column, fault.rule) for fault in sheet.faults] == [(3, column, rule)]
    assert len(sheet.samples) == 1


def test_rows_that_overlap_are_a_fault_and_the_same_row_again_is_not():
    row = "2026-11-01T00:00,60,hall-1,8"
    sheet = read(rows(row, row, "2026-11-01T00:30,60,hall-1,9", header="from,minutes,place,in_use"))

    assert [one.code for one in sheet.left_out] == ["same_sample_again"]
    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(4, "overlaps")]


def test_a_zone_must_be_one():
    with pytest.raises(CellError, match="IANA"):
        read(rows("2026-11-01T00:00,hall-1,8,64"), zone="Mitteleuropa/Irgendwo")


def test_another_table_is_refused_with_what_can_be_read():
    with pytest.raises(UnknownFormat, match="accelerators_in_use"):
        read("name,colour\na,b\n")
