"""T53: of many rows every planted fault is named with its row and column, and nothing else is."""

import csv
import io

import pytest
from django.urls import reverse

from tests.procurement.page_tools import signed_in
from tests.procurement.sheet_tools import draft, receive_bytes
from tests.providers.bombs import UNSAFE
from tests.providers.test_hostile_files import GOOD, UNREADABLE

pytestmark = pytest.mark.django_db
ROWS = 10_000
COLUMNS = (
    "id", "provider", "sku", "accelerator", "accelerators_per_instance", "price", "price_basis", "currency",
    "purchase_model", "term_months", "quoted_on", "valid_until", "support_fraction", "quantity_available",
)  # fmt: skip
# kind of fault: the cell that is planted, and the rule that must name it
KINDS = (
    ("price", "cheap", "not_a_number"),
    ("price", "1.234", "ambiguous_number"),
    ("price", "€ 2,50", "other_currency"),
    ("price_basis", "per_fortnight", "not_a_choice"),
    ("purchase_model", "on_demnd", "not_a_choice"),
    ("term_months", "7.5", "not_whole"),
    ("quoted_on", "31/12/2026", "not_a_date"),
    ("valid_until", "2026-02-30", "not_a_date"),
    ("valid_until", "2026-01-01", "before_quoted_on"),
    ("support_fraction", "15", "not_a_fraction"),
    ("accelerators_per_instance", "0", "not_positive"),
    ("quantity_available", "-4", "negative"),
)


def good(number):
    return {
        "id": f"q-{number}", "provider": "Acme", "sku": f"h100-{number}", "accelerator": "H100-SXM",
        "accelerators_per_instance": "8", "price": f"{20 + number % 9}.50", "price_basis": "per_instance_hour",
        "currency": "USD", "purchase_model": "on_demand", "term_months": "", "quoted_on": "2026-11-20",
        "valid_until": "2027-01-31", "support_fraction": "0.05", "quantity_available": "64",
    }  # fmt: skip


def test_t53_thirty_seven_faults_of_twelve_kinds_are_all_named_and_no_others():
    rows = [good(number) for number in range(ROWS)]
    planted = set()
    for number in range(37):
        place, (column, value, rule) = 11 + number * 267, KINDS[number % len(KINDS)]
        rows[place][column] = value
        planted.add((place + 2, column, rule))  # line 1 holds the headings
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)

    sheet = receive_bytes(file.getvalue().encode(), is_draft=True)

    listed = signed_in("viewer").get(reverse("procurement:import_fault_list", args=[sheet.pk]))
    lines = list(csv.DictReader(io.StringIO(listed.content.decode("utf-8-sig"))))
    assert {(int(one["line"]), one["column"], one["rule"]) for one in lines} == planted
    assert all(one["value"] and one["hint"] and one["state"] == "faulty" for one in lines)
    report = sheet.reports.get().content
    assert {(fault["line"], fault["column"], fault["rule"]) for fault in report["faults"]} == planted
    assert len(report["faults"]) == 37
    assert all(fault["hint"] and fault["value"] for fault in report["faults"])
    assert (sheet.rows_ready, sheet.rows_held) == (ROWS - 37, 0)


def test_the_download_of_bad_rows_says_what_is_wrong_and_holds_nothing_that_a_spreadsheet_would_run():
    bad = "=1+1,bad,H100 SXM,8,cheap,,per_instance_hour,USD,on_demand,\n"
    sheet = draft(bad)

    answer = signed_in("viewer").get(reverse("procurement:import_faults", args=[sheet.pk]))

    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (row["line"], row["state"], row["price"], row["provider"]) == ("2", "faulty", "cheap", "'=1+1")
    assert "column price: 'cheap'" in row["what is wrong"]
    assert answer["X-Row-Count"] == "1"


def test_the_differences_can_be_downloaded():
    line = "Acme,hgx,H100 SXM,8,{},,per_instance_hour,USD,on_demand,\n"
    draft(line.format("24.50")).save()
    sheet = draft(line.format("24.50"), name="first.csv")
    signed_in("analyst").post(reverse("procurement:import_confirm", args=[sheet.pk]), {"version": sheet.version})
    sheet = draft(line.format("22.00"), name="next.csv")

    answer = signed_in("viewer").get(reverse("procurement:import_differences", args=[sheet.pk]))

    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert ("price", "24.5", "22") in {(row["column"], row["in_force"], row["new"]) for row in rows}


def test_t54_every_nasty_file_is_read_right_or_refused_with_a_reason_by_the_whole_way():
    wrong = []
    bad = {name: make() for name, make in {**UNSAFE, **UNREADABLE}.items() if name != "nothing"}
    for name, content in {**GOOD, **bad}.items():
        sheet = receive_bytes(content, name=f"{name}.csv", is_draft=True)
        if name in GOOD and (sheet.state, sheet.rows_ready) != ("checked", 1):
            wrong.append((name, sheet.state, sheet.message))
        if name in bad and (sheet.state, bool(sheet.message)) != ("refused", True):
            wrong.append((name, sheet.state, sheet.message))

    assert wrong == []
