"""One suite over all formats: each knows its own files, no other does, and every row lands where expected.csv says."""

import csv

import pytest

from providers import FORMATS
from providers.document import open_document
from providers.errors import Fault
from providers.registry import get_format
from tests.providers.sample_files import (
    HEADER,
    SAMPLES,
    as_csv,
    every_input,
    inputs,
    read_sample,
    sample_folders,
    written_down,
)

ROW_BY_ROW = {  # elsewhere several lines make one offer, or one object many
    "own_csv",
    "own_xlsx",
    "skypilot",
    "skypilot_on_prem",
    "gpuhunt",
    "karpenter",
    "curated_table",
    "opencost",
}


def _name(path):
    return f"{path.parent.name}/{path.name}"


def test_every_format_has_a_folder_of_samples_with_what_is_expected():
    assert [entry.key for entry in FORMATS] == list(dict.fromkeys(entry.key for entry in FORMATS))
    assert {folder.name for folder in sample_folders()} == {entry.key for entry in FORMATS}
    for folder in sample_folders():
        assert inputs(folder), folder
        assert (folder / "expected.csv").is_file(), folder


@pytest.mark.parametrize("path", every_input(), ids=_name)
def test_a_sample_is_recognised_by_its_format_alone(path):
    document = open_document(path.read_bytes(), path.name)

    found = [entry.key for entry in FORMATS if entry.recognises(document)]

    assert found == ([] if path.parent.name == "mapped" else [path.parent.name])


@pytest.mark.parametrize("folder", sample_folders(), ids=lambda folder: folder.name)
def test_every_row_lands_where_the_sample_expects(folder):
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as lines:
        expected = list(csv.DictReader(lines))

    found = [row for path in inputs(folder) for row in written_down(path)]

    assert as_csv(found) == as_csv(expected)


@pytest.mark.parametrize("folder", sample_folders(), ids=lambda folder: folder.name)
def test_a_sample_shows_trusted_rows_and_rows_that_are_not(folder):
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        statuses = {row["status"] for row in reader}

    assert tuple(reader.fieldnames) == HEADER
    assert statuses & {"ready", "realised"}
    assert statuses & {"held", "fault", "ignored"}


@pytest.mark.parametrize("path", every_input(), ids=_name)
def test_faults_and_reasons_say_where_what_and_how_to_mend(path):
    sheet = read_sample(path)

    assert all(isinstance(fault, Fault) and fault.line >= 1 and fault.rule and fault.hint for fault in sheet.faults)
    for held in sheet.held:
        assert held.line >= 1
        assert held.raw
        assert all(reason.code and reason.message and reason.release for reason in held.reasons)


@pytest.mark.parametrize(
    "path", [path for path in every_input() if path.parent.name in ROW_BY_ROW and path.suffix != ".json"], ids=_name
)
def test_no_row_of_a_table_is_lost(path):
    document = open_document(path.read_bytes(), path.name)
    sheet = read_sample(path)

    seen = set(sheet.ready["source_line"]) | {row.line for row in (*sheet.held, *sheet.faults, *sheet.ignored)}
    seen |= {row.line for row in sheet.duplicates}

    records = [record.line for grid in document.grids if grid.name in {"", "Quotes"} for record in grid.records]
    first = min(seen)
    assert {line for line in records if line >= first} == seen


@pytest.mark.parametrize("path", every_input(), ids=_name)
def test_a_rate_never_stands_without_its_derivation(path):
    sheet = read_sample(path)

    for row in sheet.ready.to_dict("records"):
        assert row["derivation"]["raw"]
        assert row["derivation"]["steps"]
        assert row["derivation"]["result"].startswith(f"{row['price_per_accelerator_hour']:f}".rstrip("."))
        assert row["price_per_accelerator_hour"] > 0


@pytest.mark.parametrize("path", every_input(), ids=_name)
def test_reading_twice_gives_the_same_keys_and_ids(path):
    first, second = read_sample(path), read_sample(path)

    assert first.source_hash == second.source_hash
    assert first.ready["row_key"].tolist() == second.ready["row_key"].tolist()
    assert first.ready["id"].tolist() == second.ready["id"].tolist()
    assert first.ready["id"].is_unique


def test_a_format_that_is_asked_for_is_used():
    path = SAMPLES / "gpuhunt" / "vultr.csv"

    assert read_sample(path, format_key="gpuhunt").format_key == "gpuhunt"
    assert get_format("gpuhunt").key == "gpuhunt"
