"""Flat tables for spreadsheets: stable columns in a stable order, new ones only at the end."""

import csv
import hashlib
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import IO, Any

from procurement.api.fields import money, plain
from procurement.api.problems import Refusal
from procurement.models import Answer, MonthRow, OptionRow, Quote, Run, RunState
from procurement.selectors.quotes import quotes_in_force
from procurement.selectors.runs import run_latest_finished, runs_all
from providers.own_table import guarded

IN_MEMORY = 5 * 1024 * 1024
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class CsvColumn:
    """One column: its name, what kind of value it holds and what it means."""

    name: str
    kind: str
    meaning: str


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A table: its columns and the rows for a run, which quotes do not need."""

    name: str
    title: str
    columns: tuple[CsvColumn, ...]
    rows: Callable[[Run | None], Iterable[Sequence[Any]]]
    needs_run: bool = True


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table written out: its content from the start, the number of rows and the digest."""

    content: IO[bytes]
    rows: int
    digest: str


def table_written(table: CsvTable, run: Run | None, *, for_excel: bool) -> WrittenTable:
    """Write a table as CSV: commas, points, UTF-8, CRLF; with mark and formula guard where Excel reads it."""
    content = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the reply closes it
    digest = hashlib.sha256()
    count = 0
    for line in _lines(table, run, for_excel=for_excel):
        content.write(line)
        digest.update(line)
        count += 1
    content.seek(0)
    return WrittenTable(content=content, rows=count - 1, digest=digest.hexdigest())


def run_of_table(table: CsvTable, run_id: int | None) -> Run | None:
    """Return the run asked for, else the latest finished one; ``None`` where none is needed or there is none yet."""
    if not table.needs_run:
        return None
    if run_id is None:
        return run_latest_finished()
    run = runs_all().filter(pk=run_id, state=RunState.FINISHED).first()
    if run is None:
        raise Refusal(404, "not_found", f"There is no finished run `{run_id}`.")
    return run


def table_schema(table: CsvTable) -> dict[str, Any]:
    """Return the columns of a table with their meaning."""
    return {
        "name": table.name,
        "title": table.title,
        "fields": [
            {"name": column.name, "type": column.kind, "description": column.meaning} for column in table.columns
        ],
    }


def _lines(table: CsvTable, run: Run | None, *, for_excel: bool) -> Iterator[bytes]:
    header = _line([column.name for column in table.columns])
    yield ((BYTE_ORDER_MARK if for_excel else "") + header).encode()
    # number columns need no guard, so -12.5 stays a number
    is_guarded = [for_excel and column.kind == "string" for column in table.columns]
    for row in table.rows(run):
        cells = [_text(cell) for cell in row]
        yield _line([guarded(cell) if guard else cell for cell, guard in zip(cells, is_guarded, strict=True)]).encode()


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue()


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime):
        return cell.isoformat(timespec="seconds").replace("+00:00", "Z")
    if isinstance(cell, date):
        return cell.isoformat()
    return str(cell)


def _columns(*rows: tuple[str, str, str]) -> tuple[CsvColumn, ...]:
    return tuple(CsvColumn(*row) for row in rows)


QUOTES = _columns(
    ("code", "string", "code of the offer"),
    ("version", "integer", "version in force"),
    ("provider", "string", "code of the provider"),
    ("sku", "string", "the provider's own name"),
    ("accelerator", "string", "accelerator model"),
    ("accelerators_per_node", "integer", "accelerators in one node"),
    ("accelerators_per_instance", "decimal", "accelerators in one billed instance"),
    ("price", "decimal", "amount per price basis, excluding tax unless price_includes_tax"),
    ("price_basis", "string", "what the price is per"),
    ("currency", "string", "ISO 4217 code of the price"),
    ("price_includes_tax", "boolean", "whether tax is in the price"),
    ("price_per_accelerator_hour", "decimal", "derived, in the currency of the price; empty when it cannot be"),
    ("purchase_model", "string", "how it is bought"),
    ("term_months", "integer", "length of one term in months"),
    ("upfront", "decimal", "paid at each term's start"),
    ("region", "string", "region of the provider"),
    ("interconnect", "string", "scale it is quoted for"),
    ("fabric", "string", "network between nodes"),
    ("capacity_class", "string", "how firm the capacity is"),
    ("quantity_available", "integer", "accelerators on offer together"),
    ("quoted_on", "date", "day the price was stated or observed"),
    ("valid_until", "date", "last day the offer can be signed, where stated"),
    ("earliest_start", "date", "first day the accelerators can be there"),
    ("cluster", "string", "build that will serve it"),
    ("source", "string", "where the price comes from"),
    ("modified_at", "datetime", "last change of the record, UTC"),
)
_QUOTE_MONEY = {"price", "upfront"}
RECOMMENDATIONS = _columns(
    ("run", "integer", "id of the run"),
    ("as_of", "date", "day of evaluation"),
    ("workload", "string", "code of the workload"),
    ("workload_name", "string", "name of the workload"),
    ("verdict", "string", "the recommendation in one word"),
    ("option", "string", "the recommended option"),
    ("runner_up", "string", "the next best option"),
    ("is_tie", "boolean", "whether the two are too close to call"),
    ("how_sure", "string", "how sure it is, in a word"),
    ("currency", "string", "ISO 4217 code of the amounts"),
    ("npv", "decimal", "present cost of the option over the window"),
    ("cost_per_accelerator_hour", "decimal", "present cost over accelerator-hours"),
    ("cost_per_useful_accelerator_hour", "decimal", "present cost over useful accelerator-hours"),
    ("approval_amount", "decimal", "amount to be approved"),
    ("premium_over_cheapest", "decimal", "over the cheapest feasible option"),
    ("oldest_input_on", "date", "day of the oldest input"),
    ("first_reason", "string", "code of the first reason"),
)
OPTIONS = _columns(
    ("run", "integer", "id of the run"),
    ("as_of", "date", "day of evaluation"),
    ("workload", "string", "code of the workload"),
    ("position", "integer", "0 is the recommended one"),
    ("option", "string", "the option"),
    ("kind", "string", "kind of option"),
    ("is_feasible", "boolean", "whether it can be done"),
    ("currency", "string", "ISO 4217 code of the amounts"),
    ("npv", "decimal", "present cost over the window"),
    ("nominal_cost", "decimal", "undiscounted cost over the window"),
    ("capital", "decimal", "present cost that is capital"),
    ("operating", "decimal", "present cost that is operating"),
    ("cost_per_accelerator_hour", "decimal", "present cost over accelerator-hours"),
    ("cost_per_useful_accelerator_hour", "decimal", "present cost over useful accelerator-hours"),
)
CASH_FLOW = _columns(
    ("run", "integer", "id of the run"),
    ("as_of", "date", "day of evaluation"),
    ("workload", "string", "code of the workload"),
    ("option", "string", "the option"),
    ("month", "integer", "months after the start, from 0"),
    ("currency", "string", "ISO 4217 code of the amount"),
    ("amount", "decimal", "nominal cash of the month, cost positive"),
)


def _quote_rows(run: Run | None) -> Iterator[Sequence[Any]]:
    names = [column.name for column in QUOTES]
    for quote in quotes_in_force().order_by("pk").iterator(chunk_size=2000):
        yield [_quote_cell(quote, name) for name in names]


def _quote_cell(quote: Quote, name: str) -> Any:
    if name == "provider":
        return quote.provider.code
    if name == "cluster":
        return quote.cluster.code if quote.cluster else ""
    value = getattr(quote, name)
    if name in _QUOTE_MONEY:
        return money(value)
    return plain(value) if type(value).__name__ == "Decimal" else value


def _recommendation_rows(run: Run | None) -> Iterator[Sequence[Any]]:
    for answer in _answers(run):
        reasons = answer.recommendation.get("reasons") or [{}]
        yield [
            run.pk if run else None, run.as_of if run else None, answer.workload_code, answer.workload_name,
            answer.verdict, answer.option, answer.runner_up, answer.is_tie, answer.how_sure, answer.currency,
            money(answer.npv), plain(answer.cost_per_accelerator_hour),
            plain(answer.cost_per_useful_accelerator_hour), money(answer.approval_amount),
            money(answer.premium_over_cheapest), answer.oldest_input_on, reasons[0].get("code", ""),
        ]  # fmt: skip


def _option_rows(run: Run | None) -> Iterator[Sequence[Any]]:
    options = OptionRow.objects.filter(answer__in=_answers(run)).select_related("answer")
    for option in options.order_by("answer__workload_code", "position").iterator(chunk_size=2000):
        yield [
            run.pk if run else None, run.as_of if run else None, option.answer.workload_code, option.position,
            option.option, option.kind, option.is_feasible, option.answer.currency, money(option.npv),
            money(option.nominal_cost), money(option.capital), money(option.operating),
            plain(option.cost_per_accelerator_hour), plain(option.cost_per_useful_accelerator_hour),
        ]  # fmt: skip


def _cash_rows(run: Run | None) -> Iterator[Sequence[Any]]:
    months = MonthRow.objects.filter(option__answer__in=_answers(run)).select_related("option__answer")
    ordered = months.order_by("option__answer__workload_code", "option__position", "month")
    for row in ordered.iterator(chunk_size=2000):
        answer = row.option.answer
        yield [
            run.pk if run else None, run.as_of if run else None, answer.workload_code, row.option.option, row.month,
            answer.currency, money(row.amount),
        ]  # fmt: skip


def _answers(run: Run | None) -> Any:
    return Answer.objects.filter(run_answers__run=run).order_by("workload_code") if run else Answer.objects.none()


TABLES: Mapping[str, CsvTable] = {
    table.name: table
    for table in (
        CsvTable("quotes", "Offers in force", QUOTES, _quote_rows, needs_run=False),
        CsvTable("recommendations", "Recommendation for each workload", RECOMMENDATIONS, _recommendation_rows),
        CsvTable("options", "Options of each workload", OPTIONS, _option_rows),
        CsvTable("cash-flow", "Nominal cash by month of each option", CASH_FLOW, _cash_rows),
    )
}
