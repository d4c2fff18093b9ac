"""The workbook of a recommendation: totals are formulas over its own cells, checked against the run beside them."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.workbook import Workbook

from reports.errors import ReportUnavailable
from reports.option_view import OptionView, component_name
from reports.recommendation import RecommendationPage
from reports.renderers.base import Rendered
from reports.renderers.xlsx import Formats, new_workbook, write_cell, write_source
from reports.templatetags.badges import badge_of

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def recommendation_workbook(page: RecommendationPage, inputs: Mapping[str, Any]) -> Rendered:
    """Return the workbook: summary, options with components, cash by month, inputs, and where it comes from."""
    if page.faults:
        raise ReportUnavailable(" ".join(page.faults))
    comment = f"run {page.run.pk}, inputs {page.run.inputs_digest}"
    buffer, book, formats = new_workbook(f"{page.answer.workload_name}: recommendation", comment)
    _summary(book, formats, page)
    _options(book, formats, page)
    _cash_flow(book, formats, page)
    _inputs(book, formats, inputs, page.answer.workload_code)
    write_source(
        book,
        [
            ("Workload", page.answer.workload_name), ("Run", str(page.run.pk)), ("As of", page.run.as_of.isoformat()),
            ("Inputs digest", page.run.inputs_digest), ("Answer digest", page.answer.digest),
            ("Engine version", page.run.engine_version), ("Currency", page.currency),
            ("Rounding", "each component is rounded once to the currency's minor unit; totals add rounded components"),
            ("Check cells", "0.00 when the formula here and the stored run agree"),
            ("Empty cells", "unknown; an unknown amount is never shown as 0"),
            ("Not in the figures", "; ".join(page.not_modelled) or "nothing is listed"),
        ],
        formats,
    )  # fmt: skip
    book.close()
    name = f"recommendation-{page.answer.workload_code}-run-{page.run.pk}-{page.run.as_of.isoformat()}.xlsx"
    return Rendered(buffer.getvalue(), CONTENT_TYPE, name)


def _summary(book: Workbook, formats: Formats, page: RecommendationPage) -> None:
    sheet = book.add_worksheet("Summary")
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, 3, 34)
    sheet.write_string(0, 0, page.answer.workload_name, formats.title)
    sure = page.answer.how_sure
    told = [
        ("Verdict", badge_of(page.answer.verdict).word), ("What", page.what), ("Why", " ".join(page.why)),
        ("How sure", " ".join([*([f"{badge_of(sure).word}."] if sure else []), *page.sure, page.age])),
        ("What would change it", " ".join(page.changes)), ("Before signature", " ".join(page.conditions)),
        ("Runner-up", " ".join([page.runner_up.name if page.runner_up else "none.", *page.lost])),
    ]  # fmt: skip
    for line, (name, words) in enumerate(told, start=1):
        sheet.write_string(line, 0, name, formats.strong)
        sheet.merge_range(line, 1, line, 3, words, formats.text)
        sheet.set_row(line, 15 * max(1, -(-len(words) // 95)))
    head = len(told) + 2
    for place, name in enumerate(("Figure", "Recommended", "Do nothing", "Difference")):
        sheet.write_string(head, place, name, formats.head)
    for line, twin in enumerate(page.twins, start=head + 1):
        for place, words in enumerate((f"{twin.name}, {twin.unit}", twin.value, twin.twin, twin.difference)):
            sheet.write_string(line, place, words, formats.text)


def _options(book: Workbook, formats: Formats, page: RecommendationPage) -> None:
    sheet = book.add_worksheet("Options")
    parts = page.components
    heads = ["Option", "Feasible", *(component_name(part) for part in parts), "Sum of parts", "Total of the run",
             "Check", "Present cost", "Capital", "Per accelerator-hour", "Per useful accelerator-hour",
             "Why not"]  # fmt: skip
    for place, head in enumerate(heads):
        is_money = 2 <= place <= len(heads) - 2
        sheet.write_string(0, place, f"{head}, {page.currency}" if is_money else head, formats.head)
    sheet.set_row(0, 45)
    sheet.set_column(0, 0, 52)
    sheet.set_column(1, 1, 10)
    sheet.set_column(2, len(heads) - 2, 16)
    sheet.set_column(len(heads) - 1, len(heads) - 1, 60)
    for line, option in enumerate(page.options, start=1):
        sheet.write_string(line, 0, option.name, formats.text)
        sheet.write_string(line, 1, "yes" if option.is_feasible else "no", formats.text)
        for place, part in enumerate(parts, start=2):
            write_cell(sheet, (line, place), option.components.get(part), "money", formats)
        if option.components:
            _sum_and_check(sheet, line, len(parts), option, formats)
        after = 2 + len(parts) + 3
        write_cell(sheet, (line, after), option.npv, "money", formats)
        write_cell(sheet, (line, after + 1), option.capital, "money", formats)
        write_cell(sheet, (line, after + 2), option.cost_per_accelerator_hour, "rate", formats)
        write_cell(sheet, (line, after + 3), option.cost_per_useful_accelerator_hour, "rate", formats)
        sheet.write_string(line, after + 4, " ".join(option.why_not), formats.text)
    sheet.freeze_panes(1, 1)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)


def _sum_and_check(sheet: Any, line: int, count: int, option: OptionView, formats: Formats) -> None:
    first, last = xl_rowcol_to_cell(line, 2), xl_rowcol_to_cell(line, 1 + count)
    total = option.nominal_cost or Decimal(0)
    parts = sum(option.components.values(), Decimal(0))
    sheet.write_formula(line, 2 + count, f"=SUM({first}:{last})", formats.total, float(parts))
    write_cell(sheet, (line, 3 + count), option.nominal_cost, "money", formats)
    summed, stored = xl_rowcol_to_cell(line, 2 + count), xl_rowcol_to_cell(line, 3 + count)
    sheet.write_formula(
        line, 4 + count, f"=ROUND({summed}-{stored},2)", formats.of("money"), float(round(parts - total, 2))
    )


def _cash_flow(book: Workbook, formats: Formats, page: RecommendationPage) -> None:
    sheet = book.add_worksheet("Cash flow")
    options = [option for option in page.options if option.months]
    sheet.write_string(0, 0, "Month", formats.head)
    sheet.write_string(0, 1, "Begins", formats.head)
    sheet.set_column(0, 1, 12)
    count = max((len(option.months) for option in options), default=0)
    for line in range(count):
        sheet.write_number(line + 1, 0, line)
        sheet.write_datetime(line + 1, 1, page.month_on(line), formats.of("day"))  # type: ignore[arg-type]
    for place, option in enumerate(options, start=2):
        sheet.set_column(place, place, 24)
        sheet.write_string(0, place, f"{option.name}, {page.currency} nominal", formats.head)
        for month, amount in option.months:
            write_cell(sheet, (month + 1, place), amount, "money", formats)
        first, last = xl_rowcol_to_cell(1, place), xl_rowcol_to_cell(count, place)
        paid = sum((amount for _, amount in option.months), Decimal(0))
        sheet.write_formula(count + 1, place, f"=SUM({first}:{last})", formats.total, float(paid))
        write_cell(sheet, (count + 2, place), option.nominal_cost, "money", formats)
        summed, stored = xl_rowcol_to_cell(count + 1, place), xl_rowcol_to_cell(count + 2, place)
        gap = float(round(paid - (option.nominal_cost or paid), 2))
        sheet.write_formula(count + 3, place, f"=ROUND({summed}-{stored},2)", formats.of("money"), gap)
    for offset, name in enumerate(("Sum", "Total of the run", "Check"), start=1):
        sheet.write_string(count + offset, 0, name, formats.strong)
    sheet.set_row(0, 60)
    sheet.freeze_panes(1, 2)


def _inputs(book: Workbook, formats: Formats, inputs: Mapping[str, Any], workload_code: str) -> None:
    sheet = book.add_worksheet("Assumptions")
    sheet.set_column(0, 0, 44)
    sheet.set_column(1, 1, 30)
    workload: dict[str, Any] = next(
        (entry for entry in inputs.get("workloads", ()) if entry["id"] == workload_code), {}
    )
    rows = [*_flat("assumptions", inputs.get("assumptions", {})), *_flat("workload", workload)]
    sheet.write_string(0, 0, "Input", formats.head)
    sheet.write_string(0, 1, "Value", formats.head)
    for line, (name, value) in enumerate(rows, start=1):
        sheet.write_string(line, 0, name, formats.text)
        if isinstance(value, bool):
            sheet.write_string(line, 1, str(value).lower(), formats.text)
        elif isinstance(value, int | float):
            sheet.write_number(line, 1, value, formats.of("number"))
        elif _is_number(value):
            sheet.write_number(line, 1, float(value), formats.of("rate"))
        elif _is_day(value):
            sheet.write_datetime(line, 1, date.fromisoformat(value), formats.of("day"))  # type: ignore[arg-type]
        else:
            sheet.write_string(line, 1, "" if value is None else str(value), formats.text)
    sheet.freeze_panes(1, 1)


def _flat(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [entry for key, part in value.items() for entry in _flat(f"{name}.{key}", part)]
    if isinstance(value, list):
        return [entry for index, part in enumerate(value) for entry in _flat(f"{name}[{index}]", part)]
    return [(name, value)]


def _is_number(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    digits = value.removeprefix("-").replace(".", "", 1)
    return digits.isdecimal() and value.isascii()


def _is_day(value: Any) -> bool:
    if not isinstance(value, str) or len(value) != 10:
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
