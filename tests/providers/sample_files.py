"""The hand-made sample files of every format, read as a service would read them, and written down row by row."""

import csv
import io
import json
from datetime import date
from decimal import Decimal
from pathlib import Path

from providers import QuoteSheet, Rate, read_quotes
from providers.cells import plain

SAMPLES = Path(__file__).resolve().parent / "samples"
OBSERVED_ON = date(2026, 11, 30)
RATES = (
    Rate("EUR", "USD", Decimal("1.08"), date(2026, 11, 27), "made for tests"),
    Rate("USD", "CNY", Decimal("7.20"), date(2026, 11, 27), "made for tests"),
)  # no rate for CHF: a row in it must be held
NOT_INPUT = {"expected.csv", "arguments.json"}
COLUMNS = (
    "provider", "sku", "region", "zone", "accelerator", "accelerators_per_instance", "price", "price_basis", "currency",
    "purchase_model", "term_months", "payment_option", "upfront", "os", "price_per_accelerator_hour",
)  # fmt: skip
HEADER = ("file", "line", "status", "codes", *COLUMNS)


def sample_folders() -> list[Path]:
    return sorted(path for path in SAMPLES.iterdir() if path.is_dir())


def inputs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name not in NOT_INPUT)


def every_input() -> list[Path]:
    return [path for folder in sample_folders() for path in inputs(folder)]


def read_sample(path: Path, **changes: object) -> QuoteSheet:
    arguments_file = path.parent / "arguments.json"
    arguments = (
        json.loads(arguments_file.read_text(encoding="utf-8")).get(path.name, {}) if arguments_file.is_file() else {}
    )
    given = {
        "file_name": path.name, "observed_on": OBSERVED_ON, "source": "hand-made sample", "rates": RATES,
        **arguments, **changes,
    }  # fmt: skip
    return read_quotes(path.read_bytes(), **given)


def written_down(path: Path) -> list[dict[str, str]]:
    """Return every row of a sample with where it went: the shape of expected.csv."""
    sheet = read_sample(path)
    rows = [_row(path, row["source_line"], "ready", row["flags"], row) for row in sheet.ready.to_dict("records")]
    rows += [_row(path, held.line, "held", sorted(held.codes), held.quote) for held in sheet.held]
    rows += [_row(path, fault.line, "fault", [f"{fault.column}:{fault.rule}"], {}) for fault in sheet.faults]
    rows += [_row(path, row.line, "ignored", [row.code], {"sku": row.subject}) for row in sheet.ignored]
    rows += [_row(path, row.line, "duplicate", [f"of line {row.kept_line}"], {}) for row in sheet.duplicates]
    if sheet.realised is not None:
        rows += [_realised(path, number, row) for number, row in enumerate(sheet.realised.to_dict("records"), start=1)]
    return sorted(
        rows, key=lambda row: (row["file"], int(row["line"]), row["status"], *(row[name] for name in COLUMNS))
    )


def _row(path, line, status, codes, values) -> dict[str, str]:
    cells = {name: _text(values.get(name)) for name in COLUMNS}
    return {"file": path.name, "line": str(line), "status": status, "codes": " ".join(codes), **cells}


def _realised(path, number, row) -> dict[str, str]:
    codes = [
        f"{row['pricing_category']}",
        f"list={_text(row['list_rate'])}",
        f"hours={_text(row['accelerator_hours'])}",
    ]
    codes += [f"with_unused={_text(row['effective_rate_with_unused'])}"]
    values = {**row, "price": row["effective_cost"], "price_per_accelerator_hour": row["effective_rate"]}
    return _row(path, number, "realised", codes, values)


def _text(value) -> str:
    if value is None:
        return ""
    return plain(value) if isinstance(value, Decimal) else str(value)


def as_csv(rows: list[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, HEADER, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
