"""T54: each nasty file is read right, or refused with row and column; a silent change would be another number here."""

from datetime import date

import pytest

from providers import QuoteSheet, read_quotes
from providers.errors import ProviderError
from tests.providers.nasty_files import SHOWN, TEXTS, Nasty
from tests.providers.nasty_json import JSON, PROFILE
from tests.providers.nasty_workbooks import WORKBOOKS


def became(sheet: QuoteSheet) -> dict[str, list]:
    return {
        "ready": [tuple(row[name] for name in SHOWN) for row in sheet.ready.to_dict("records")],
        "held": [(row.line, code) for row in sheet.held for code in row.codes],
        "faults": [(fault.line, fault.column, fault.rule) for fault in sheet.faults],
    }


def check(case: Nasty, **options) -> None:
    def read() -> QuoteSheet:
        return read_quotes(case.content, file_name=case.name, observed_on=date(2026, 11, 30), source="nasty", **options)

    if case.refused:
        with pytest.raises(ProviderError, match=case.refused):
            read()
        return
    sheet = read()
    assert became(sheet) == {"ready": list(case.ready), "held": list(case.held), "faults": list(case.faults)}
    assert all(fault.hint for fault in sheet.faults)
    if case.note:
        assert case.note in "; ".join(sheet.notes)
    else:
        assert sheet.notes == ()


@pytest.mark.parametrize("case", TEXTS.values(), ids=TEXTS.keys())
def test_a_nasty_text_is_read_right_or_refused_where_it_is_wrong(case):
    check(case)


@pytest.mark.parametrize("case", WORKBOOKS.values(), ids=WORKBOOKS.keys())
def test_a_nasty_workbook_is_read_right_or_refused_where_it_is_wrong(case):
    check(case)


@pytest.mark.parametrize("case", JSON.values(), ids=JSON.keys())
def test_a_nasty_json_is_read_right_or_refused_where_it_is_wrong(case):
    check(case, profile=PROFILE)


def test_the_corpus_is_as_large_as_promised():
    assert len(TEXTS) + len(WORKBOOKS) + len(JSON) >= 150  # thirty are asked for
