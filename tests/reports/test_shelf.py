"""Every report in every format: the registry is the files, figures are figures, text is only text."""

import csv
import io
import json
import re
from datetime import date, datetime
from decimal import Decimal
from html.parser import HTMLParser

import openpyxl
import pypdf
import pytest

from procurement.errors import ProcurementError
from procurement.models import Run
from reports.base import Filters, Sheet
from reports.registry import REPORTS, get_report, make_sheet
from reports.renderers.base import guarded
from reports.renderers.registry import RENDERERS, get_renderer
from tests.reports.factories import make_run

pytestmark = pytest.mark.django_db
PAIRS = [
    pytest.param(report, renderer, id=f"{report.key}.{renderer.key}") for report in REPORTS for renderer in RENDERERS
]


@pytest.mark.parametrize(
    ("folder", "keys"),
    [
        ("definitions", [report.key for report in REPORTS]),
        ("renderers", [renderer.key for renderer in RENDERERS]),
    ],
)
def test_the_registry_is_what_lies_in_the_folder(project_folder, folder, keys):
    files = {path.stem for path in (project_folder / "reports" / folder).glob("*.py")} - {
        "__init__",
        "base",
        "registry",
    }

    assert sorted(keys) == sorted(files)


@pytest.mark.parametrize(("report", "renderer"), PAIRS)
def test_every_report_renders_in_every_format(report, renderer):
    sheet = make_sheet(report, make_run(), Filters())

    rendered = renderer.render(sheet)

    assert rendered.content
    assert rendered.file_name == f"{report.key.replace('_', '-')}-run-{sheet.run_id}-2026-11-30.{renderer.key}"


@pytest.mark.parametrize("renderer", RENDERERS, ids=lambda renderer: renderer.key)
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.key)
def test_an_empty_report_still_renders(report, renderer):
    sheet = sheet_of(report.columns, [])

    assert renderer.render(sheet).content


def test_every_column_is_in_every_row_or_unknown():
    run = make_run()
    for report in REPORTS:
        for row in make_sheet(report, run, Filters()).rows:
            assert {column.key for column in report.columns} <= set(row), report.key


def test_csv_holds_decimals_with_a_point_and_dates_in_iso():
    sheet = make_sheet(get_report("cash_flow"), make_run(), Filters(workload="chat"))

    lines = list(csv.DictReader(io.StringIO(get_renderer("csv").render(sheet).content.decode())))

    assert lines[0]["amount"] == "1225000.0000"
    assert lines[0]["month_on"] == "2027-01-01"
    assert {line["currency"] for line in lines} == {"EUR"}


def test_cash_flow_adds_up_to_each_options_total():
    sheet = make_sheet(get_report("cash_flow"), make_run(), Filters(workload="chat"))

    totals = {}
    for row in sheet.rows:
        totals[row["option"]] = totals.get(row["option"], Decimal(0)) + row["amount"]

    assert totals == {
        "hybrid:hall-2+aurora-h100-12": Decimal(1_800_000), "cloud:aurora-h100-12": Decimal(2_400_000),
        "current": Decimal(3_000_000),
    }  # fmt: skip


@pytest.mark.parametrize(
    "payload", ['=cmd|" /C calc"!A0', "+49 30 1234", "-2+3", "@SUM(A1)", "\tx", "\r=1", "\n=1", "\uff1d1+1"]
)
def test_text_that_looks_like_a_formula_is_guarded_in_csv_and_text_in_xlsx(payload):
    column = get_report("options").columns[2]
    sheet = sheet_of((column,), [{column.key: payload}])

    cell = list(csv.reader(io.StringIO(get_renderer("csv").render(sheet).content.decode(), newline="")))[1][0]
    book = openpyxl.load_workbook(io.BytesIO(get_renderer("xlsx").render(sheet).content))

    assert cell.startswith("'")
    assert book.worksheets[0]["A2"].data_type == "s"


def test_negative_figures_are_never_guarded():
    columns = [column for column in get_report("cash_flow").columns if column.key == "amount"]
    sheet = sheet_of(columns, [{"amount": Decimal("-12.5"), "currency": "EUR"}])

    assert b"\r\n-12.5," in get_renderer("csv").render(sheet).content
    assert guarded("12.5") == "12.5"


def test_xlsx_holds_numbers_dates_and_the_run():
    sheet = make_sheet(get_report("recommendations"), make_run(), Filters())

    book = openpyxl.load_workbook(io.BytesIO(get_renderer("xlsx").render(sheet).content))
    page, about = book.worksheets
    row = {page.cell(1, place).value: page.cell(2, place).value for place in range(1, page.max_column + 1)}

    assert row["Present cost, EUR"] == 1_746_000
    assert row["Oldest input"] == datetime.fromisoformat("2026-09-20")
    assert {about.cell(line, 1).value: about.cell(line, 2).value for line in range(1, about.max_row + 1)}[
        "Inputs digest"
    ] == sheet.run_digest
    assert sheet.run_digest in book.properties.description


def test_pdf_says_page_x_of_y_and_the_run():
    sheet = make_sheet(get_report("cash_flow"), make_run(), Filters())

    reader = pypdf.PdfReader(io.BytesIO(get_renderer("pdf").render(sheet).content))
    text = reader.pages[0].extract_text()

    assert f"page 1 of {len(reader.pages)}" in text
    assert f"Run {sheet.run_id}" in text
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]


def test_the_same_report_is_the_same_pdf():
    sheet = make_sheet(get_report("options"), make_run(), Filters())

    assert get_renderer("pdf").render(sheet).content == get_renderer("pdf").render(sheet).content


def test_json_gives_decimals_as_strings_and_unknown_as_null():
    run = make_run()
    sheet = make_sheet(get_report("recommendations"), run, Filters())

    document = json.loads(get_renderer("json").render(sheet).content)
    vision = next(row for row in document["rows"] if row["workload_code"] == "vision")

    assert document["run"] == run.pk
    assert document["rows"][0]["npv"] == "1746000.0000"
    assert vision["npv"] is None


def test_html_escapes_what_people_typed():
    run = make_run()
    Run.objects.get(pk=run.pk)
    column = get_report("options").columns[2]
    sheet = sheet_of((column,), [{column.key: '<script>alert("x")</script>'}])

    html = get_renderer("html").render(sheet).content.decode()

    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html


def test_html_pdf_and_xlsx_show_the_same_present_costs():
    sheet = make_sheet(get_report("recommendations"), make_run(), Filters())
    wanted = {"1,746,000.00", "5,044,000.00"}

    page = Words()
    page.feed(get_renderer("html").render(sheet).content.decode())
    pdf = "".join(
        part.extract_text() for part in pypdf.PdfReader(io.BytesIO(get_renderer("pdf").render(sheet).content)).pages
    )

    assert wanted <= set(re.findall(r"[\d,]+\.\d\d\b", page.text))
    assert wanted <= set(re.findall(r"[\d,]+\.\d\d\b", pdf))


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"within_days": "soon"}, "within_days"),
        ({"within_days": "-1"}, "within_days"),
        ({"within_days": "9" * 40}, "within_days"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused_by_name(values, field):
    with pytest.raises(ProcurementError) as refusal:
        Filters.read(values)

    assert field in refusal.value.fields


def test_an_unknown_report_or_format_names_the_known_ones():
    with pytest.raises(ProcurementError, match="recommendations, options"):
        get_report("nonsense")
    with pytest.raises(ProcurementError, match="html, csv"):
        get_renderer("docx")


class Words(HTMLParser):
    def __init__(self):
        super().__init__()
        self.text = ""

    def handle_data(self, data):
        self.text += f"{data} "


def sheet_of(columns, rows):
    return Sheet(
        key="options", title="Options", description="What", headline="news", columns=columns, rows=rows, run_id=7,
        run_digest="ab" * 32, engine_version="1", as_of=date(2026, 11, 30), currency="EUR", empty="Nothing.",
    )  # fmt: skip
