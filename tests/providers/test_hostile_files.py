"""Files that break readers: each is read right, or refused with what is wrong and where; none is changed silently."""

import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers import ProviderError, read_quotes
from providers.errors import UnreadableFile
from providers.formats.own_csv import OWN_CSV
from tests.providers.bombs import lying_archive, twice_named
from tests.providers.nasty_workbooks import SHEET, changed, workbook, zipped
from tests.providers.sample_files import SAMPLES, every_input, read_sample

HEADER = "provider,sku,accelerator,accelerators_per_instance,price,price_basis,currency,purchase_model,region"
ROW = "Acme,box,H100 SXM,8,2.10,per_accelerator_hour,USD,on_demand,eu-1"
TEXT = f"{HEADER}\n{ROW}\n"


def read(content, name="q.csv", **changes):
    return read_quotes(content, file_name=name, observed_on=date(2026, 11, 30), source="test", **changes)


GOOD = {
    "utf-8": TEXT.encode(),
    "utf-8 with mark": TEXT.encode("utf-8-sig"),
    "utf-16 little": b"\xff\xfe" + TEXT.encode("utf-16-le"),
    "utf-16 big": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "utf-16 without mark": TEXT.encode("utf-16-le"),
    "windows lines": TEXT.replace("\n", "\r\n").encode(),
    "old mac lines": TEXT.replace("\n", "\r").encode(),
    "no last line end": TEXT.rstrip().encode(),
    "blank lines": TEXT.replace("\n", "\n\n\n").encode(),
    "empty rows of a spreadsheet": (TEXT + ",,,,,,,,\n" * 50).encode(),
    "semicolons": TEXT.replace(",", ";").encode(),
    "tabs": TEXT.replace(",", "\t").encode(),
    "a mark before every header": TEXT.replace("provider", "\ufeffprovider").replace("sku", "\ufeffsku").encode(),
    "spaces around headers": TEXT.replace("provider,sku", " provider , sku ").encode(),
    "capital headers": TEXT.replace(HEADER, HEADER.upper()).encode(),
    "columns in another order": "\n".join(
        ",".join(reversed(line.split(","))) for line in TEXT.strip().split("\n")
    ).encode(),
    "a title above": f"Prices of Acme\n\n{TEXT}".encode(),
}


@pytest.mark.parametrize("content", GOOD.values(), ids=GOOD.keys())
def test_an_odd_file_is_read_right(content):
    sheet = read(content)

    assert not sheet.faults
    assert sheet.ready[["provider", "price", "region"]].to_numpy().tolist() == [["Acme", Decimal("2.10"), "eu-1"]]


@pytest.mark.parametrize(
    ("cells", "column", "expected"),
    [
        (ROW.replace("box", "00042"), "sku", "00042"),
        (ROW.replace("box", "1E5"), "sku", "1E5"),
        (ROW.replace("box", "1.00E+05"), "sku", "1.00E+05"),
        (ROW.replace("eu-1", "NA"), "region", "NA"),
        (ROW.replace("eu-1", "nan"), "region", "nan"),
        (ROW.replace("box", "TRUE"), "sku", "TRUE"),
        (ROW.replace("box", "2026-11-30"), "sku", "2026-11-30"),
        (ROW.replace("box", '"a, ""b"""'), "sku", 'a, "b"'),
        (ROW.replace("box", '"two\nlines"'), "sku", "two\nlines"),
        (ROW.replace("2.10", '"$2.10"'), "price", Decimal("2.10")),
        (ROW.replace("2.10", '"1.052,5"').replace("USD", "USD"), "price", None),
        (ROW.replace("2.10", "3.5E-1"), "price", Decimal("0.35")),
        (ROW.replace("Acme", "Müller & Söhne"), "provider", "Müller & Söhne"),
    ],
)
def test_a_cell_keeps_what_it_says(cells, column, expected):
    sheet = read(f"{HEADER}\n{cells}\n".encode())

    rows = sheet.ready[column].tolist() + [held.quote[column] for held in sheet.held]
    assert rows == [expected if expected is not None else Decimal("1052.5")]


def test_windows_text_is_read_and_its_encoding_is_said():
    sheet = read(f"{HEADER}\n{ROW}\n".replace("Acme", "Müller").encode("cp1252"))

    assert sheet.ready["provider"].tolist() == ["Müller"]
    assert sheet.encoding == "cp1252"


UNREADABLE = {
    "nothing": lambda: b"",
    "blanks": lambda: b" \n \n",
    "a PDF": lambda: b"%PDF-1.7 ...",
    "gzip": lambda: b"\x1f\x8b\x08\x00",
    "a picture": lambda: b"\x89PNG\r\n",
    "an old workbook": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "NUL characters": lambda: b"a,b\n1,\x00\n",
    "two sheets of one name": twice_named,
    "more merged cells than a sheet has": lambda: changed(
        workbook(), SHEET, "</sheetData>", "</sheetData>" + '<mergeCell ref="A1:XFD1048576"/>' * 99
    ),
    "no workbook inside": lambda: zipped({"prices.csv": TEXT}),
    "a cut archive": lambda: zipped({"[Content_Types].xml": b"<x/>"})[:-30],
    "a lying directory": lying_archive,
    "broken JSON": lambda: b'{"Items": [',
    "a key twice": lambda: b'{"Items": [{"retailPrice": 1, "retailPrice": 100, "armRegionName": "eastus"}]}',
    "NaN in JSON": lambda: b'{"Items": [{"retailPrice": NaN}]}',
    "a huge number in JSON": lambda: b'{"Items": [{"retailPrice": ' + b"9" * 5_000 + b"}]}",
    "mixed encodings": lambda: TEXT.replace("Acme", "Müller").encode() + b"\xfc,b,c\n",
    "bytes of no encoding": lambda: b"a,b\n\x81\x8d,\x8f\n",
}


@pytest.mark.parametrize("make", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_is_no_price_file_is_refused_with_its_name(make):
    with pytest.raises(UnreadableFile, match="prices"):
        read(make(), "prices.xlsx")


def test_a_row_with_broken_quotes_is_a_fault_and_the_rest_is_read():
    rows = [ROW, ROW.replace("box", '"bo"x'), ROW.replace("box", "c")]

    sheet = read("\n".join([HEADER, *rows]).encode())

    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(3, "broken_quotes")]
    assert sheet.ready["sku"].tolist() == ["box", "c"]


def test_a_quote_that_is_never_closed_swallows_nothing():
    rows = [ROW, ROW.replace("box", '"open'), ROW.replace("box", "c"), ROW.replace("box", "d")]

    sheet = read("\n".join([HEADER, *rows]).encode())

    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(3, "broken_quotes")]
    assert sheet.ready["sku"].tolist() == ["box", "c", "d"]


def test_a_ragged_row_is_a_fault_with_its_line():
    sheet = read("\n".join([HEADER, ROW + ",extra", ROW.removesuffix(",eu-1"), ROW]).encode())

    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(2, "ragged_row"), (3, "ragged_row")]
    assert len(sheet.ready) == 1


def test_a_decimal_comma_that_splits_a_cell_is_no_price():
    sheet = read("\n".join([HEADER, ROW.replace("2.10", "2,10")]).encode())

    assert sheet.ready.empty
    assert [fault.rule for fault in sheet.faults] == ["ragged_row"]


@pytest.mark.parametrize(("decimal", "expected"), [(".", Decimal("1.234")), (",", Decimal(1234))])
def test_an_ambiguous_number_asks_and_is_read_once_it_is_answered(decimal, expected):
    content = "\n".join([HEADER, ROW.replace("2.10", "1.234")]).encode()
    asked = read(content)
    assert [(fault.line, fault.column, fault.rule) for fault in asked.faults] == [(2, "price", "ambiguous_number")]

    sheet = read(content, decimal=decimal)

    found = sheet.ready["price"].tolist() + [held.quote["price"] for held in sheet.held]
    assert found == [expected]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.csv", "C:\\prices\\q.csv", "q.html", "a" * 300 + ".csv", "\u202ecsv.exe"]
)
def test_the_name_of_a_file_decides_nothing(name):
    assert len(read(TEXT.encode(), name).ready) == 1


def test_markup_in_cells_stays_text():
    sheet = read(TEXT.replace("box", "<script>alert(1)</script>").encode())

    assert sheet.ready["sku"].tolist() == ["<script>alert(1)</script>"]


def test_thirty_seven_planted_faults_of_twelve_kinds_are_all_named():
    kinds = [
        ("price", "x"), ("price", "1.234.5"), ("price", "2.99/h"), ("price_basis", "per_gpu"), ("currency", ""),
        ("purchase_model", "rented"), ("accelerators_per_instance", "0"), ("accelerators_per_instance", "-8"),
        ("provider", ""), ("valid_until", "31.12.2026"), ("valid_until", "2020-01-01"), ("min_accelerators", "1.5"),
    ]  # fmt: skip
    header = [*HEADER.split(","), "quoted_on", "valid_until", "min_accelerators"]
    good = dict(zip(header, [*ROW.split(","), "2026-11-20", "2027-01-31", "8"], strict=True))
    planted = {}
    lines = [",".join(header)]
    for number in range(10_000):
        row = {**good, "sku": f"box-{number}"}
        if number % 270 == 5 and len(planted) < 37:
            column, value = kinds[len(planted) % len(kinds)]
            row[column] = value
            planted[number + 2] = column
        lines.append(",".join(row.values()))

    sheet = read("\n".join(lines).encode())

    assert {fault.line: fault.column for fault in sheet.faults} == planted
    assert len(planted) == 37
    assert len(sheet.ready) == 10_000 - 37


@given(content=st.binary(max_size=400))
@settings(max_examples=150)
def test_any_bytes_are_read_or_refused(content):
    try:
        sheet = read(content)
    except ProviderError:
        return

    assert sheet.counts["rows"] >= 0


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_damaged_sample_is_read_or_refused(data):
    path = data.draw(st.sampled_from(every_input()))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))

    try:
        sheet = read(bytes(content), path.name, provider="Acme")
    except ProviderError:
        return

    assert (sheet.ready["price_per_accelerator_hour"] > 0).all()


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
                        ["Items", "skus", "items", "nodes", "plans", "data", "pricing", "products", "terms", "category",
                         "retailPrice", "armRegionName", "instance_type", "gpu", "prices", "PriceList", "OCPU", "GPU"]),
                        inner, max_size=4), max_leaves=12))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_any_json_is_read_or_refused(value):
    try:
        read(json.dumps(value).encode(), "page.json")
    except ProviderError:
        return


def test_the_own_format_never_recognises_a_workbook():
    assert OWN_CSV.key == "own_csv"
    assert read_sample(SAMPLES / "own_xlsx" / "quotes.xlsx").format_key == "own_xlsx"
