"""An error of a spreadsheet in a cell is never read as nothing, whatever format reads the file."""

import csv
import io

import pytest

from providers.errors import ProviderError
from providers.reading import read_quotes
from tests.providers.sample_files import OBSERVED_ON, RATES, SAMPLES

MOST_COLUMNS = 12  # tried of each table: they hold names, counts and prices
TABLES = sorted(
    path
    for path in SAMPLES.glob("*/*.csv")
    if path.name != "expected.csv" and path.parent.name not in {"own_csv", "opencost"}
)


def with_error(path, broken=None):
    """Return a table with an error of a spreadsheet in one cell of its last row, and the line of that."""
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    if broken is not None:
        rows[-1][broken : broken + 1] = ["#N/A"]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode(), len(rows)


def read(content):
    return read_quotes(
        content, file_name="aws/prices.csv", observed_on=OBSERVED_ON, source="made", rates=RATES, currency="USD",
        provider="Acme",
    )  # fmt: skip


@pytest.mark.parametrize("path", TABLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_error_in_a_cell_never_makes_another_offer(path):
    content, last = with_error(path)
    try:
        plain = read(content)
    except ProviderError:
        pytest.skip("asks for more than a table says")
    before = {row["row_key"]: row["price_per_accelerator_hour"] for row in plain.ready.to_dict("records")}
    wrong = []

    for place in range(MOST_COLUMNS):
        try:
            sheet = read(with_error(path, place)[0])
        except ProviderError:
            continue
        for row in sheet.ready.to_dict("records"):
            if row["source_line"] != last:
                continue  # what contradicted the broken row may stand alone now
            if before.get(row["row_key"]) != row["price_per_accelerator_hour"] or "#N/A" in map(str, row.values()):
                wrong.append((place, row["row_key"], row["price_per_accelerator_hour"]))

    assert wrong == []
