"""Pages of price sheets: upload, faults by row, release of held rows."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from procurement.models import PriceSheet, Quote, SheetRow
from procurement.services.providers import accelerator_alias_create
from tests.factories import actor, make_assumptions
from tests.procurement.page_tools import signed_in
from tests.procurement.sheet_tools import work

pytestmark = pytest.mark.django_db(transaction=True)

HEADER = "id,provider,sku,accelerator,price,price_basis,currency,purchase_model,region"
GOOD = "q-1,Acme,h100,H100-SXM,2.50,per_accelerator_hour,USD,on_demand,us-east-1"
UNKNOWN_MODEL = "q-2,Acme,x9,Zeta-9000,2.50,per_accelerator_hour,USD,on_demand,us-east-1"
NO_NUMBER = "q-3,Acme,h100,H100-SXM,dear,per_accelerator_hour,USD,on_demand,us-east-1"


def upload(client, *lines, is_confirmed=True, **changes):
    """Send a file of those lines, let a worker check it, and confirm it."""
    content = "\n".join([HEADER, *lines]).encode()
    sent = {"observed_on": "2026-11-20", "source": "mail of 20 Nov", "mode": "strict", **changes}
    sent.setdefault("file", SimpleUploadedFile("prices.csv", content, content_type="text/csv"))
    page = client.post(reverse("procurement:price_sheet_new"), sent, follow=True)
    work()
    sheet = PriceSheet.objects.order_by("-pk").first()
    if is_confirmed and sheet is not None:
        client.post(reverse("procurement:import_confirm", args=[sheet.pk]), {"version": sheet.version})
        work()
    return page


@pytest.fixture(autouse=True)
def _day_is_fixed():
    make_assumptions()


def test_a_sheet_is_received_and_its_page_waits_for_the_outcome():
    page = upload(signed_in("analyst"), GOOD)

    assert b"Being read" in page.content
    assert b"hx-get" in page.content
    assert Quote.objects.get().price_per_accelerator_hour == 2.5


def test_a_faulty_row_stops_the_sheet_and_is_shown_in_its_cell_with_what_would_be_right():
    client = signed_in("analyst")
    upload(client, GOOD, NO_NUMBER)

    page = client.get(reverse("procurement:import_check", args=[PriceSheet.objects.get().pk])).content.decode()

    assert 'value="dear"' in page
    assert "write a number" in page
    assert "Leave it out, import 1 good row" in page
    assert not Quote.objects.exists()


def test_rows_of_a_json_list_are_mended_in_the_grid_by_the_paths_of_their_cells():
    kept = {"instance_type": {"name": "a", "gpu_description": "H100 (80 GB SXM5)", "price_cents_per_hour": "x",
                              "specs": {"gpus": 8}}, "regions_with_capacity_available": []}  # fmt: skip
    other = {**kept, "instance_type": {**kept["instance_type"], "name": "b", "price_cents_per_hour": 2392}}
    file = SimpleUploadedFile("lambda.json", json.dumps({"data": {"a": kept, "b": other}}).encode())
    client = signed_in("analyst")
    upload(client, is_confirmed=False, file=file)
    sheet = PriceSheet.objects.get()
    grid = client.get(reverse("procurement:import_check", args=[sheet.pk])).context["grid"]
    cell = next(cell for cell in grid.rows[0].cells if cell.header == "instance_type.price_cents_per_hour")

    asked = {"headers": sheet.preview["row_headers"], "was": {cell.name: cell.was}}
    sent = {"version": sheet.version, "asked": json.dumps(asked), cell.name: "1200"}
    client.post(reverse("procurement:import_check", args=[sheet.pk]), sent)
    work()

    assert [fault["code"] for fault in cell.faults] == ["not_a_number"]
    sheet.refresh_from_db()
    assert (sheet.rows_ready, sheet.rows_faulty) == (2, 0)
    assert [float(price) for price in sheet.staged.order_by("source_line").values_list("price", flat=True)] == [
        12,
        23.92,
    ]


def test_reasons_are_grouped_with_what_releases_them_and_a_draft_is_checked_again_with_a_new_mapping():
    client = signed_in("analyst")
    others = [UNKNOWN_MODEL.replace("q-2", f"q-{number}").replace("x9", f"x{number}") for number in (7, 8)]
    upload(client, GOOD, UNKNOWN_MODEL, *others, is_confirmed=False)
    sheet = PriceSheet.objects.get()
    check = reverse("procurement:import_check", args=[sheet.pk])

    group = client.get(check, {"show": "held"}).context["reasons"][0]
    accelerator_alias_create(by=actor("administrator"), values={"alias": "Zeta-9000", "accelerator": "H100-SXM"})
    client.post(reverse("procurement:import_recheck", args=[sheet.pk]), {"version": sheet.version})
    work()

    assert (group.code, group.count) == ("unknown_accelerator", 3)
    assert group.examples == [("'Zeta-9000' is no known accelerator", 3)]
    assert group.releases == ["map the name: Zeta-9000 to an accelerator"]
    sheet.refresh_from_db()
    assert (sheet.rows_ready, sheet.rows_held) == (4, 0)


def test_the_good_rows_are_imported_when_that_was_asked_for():
    upload(signed_in("analyst"), GOOD, NO_NUMBER, mode="skip_faulty")

    assert Quote.objects.count() == 1
    assert SheetRow.objects.filter(state="faulty").count() == 1


def test_rows_may_be_pasted():
    content = f"{HEADER}\n{GOOD}"

    upload(signed_in("analyst"), file="", pasted=content)

    assert Quote.objects.count() == 1


@pytest.mark.parametrize("sent", [{"file": "", "pasted": ""}, {"pasted": "a,b"}])
def test_exactly_one_of_file_and_pasted_rows_is_asked_for(sent):
    answer = upload(signed_in("analyst"), GOOD, **sent)

    assert answer.status_code == 422
    assert not PriceSheet.objects.exists()


def test_the_same_file_twice_is_one_sheet():
    client = signed_in("analyst")

    upload(client, GOOD)
    upload(client, GOOD)

    assert (PriceSheet.objects.count(), Quote.objects.count()) == (1, 1)


def test_a_held_row_is_released_with_what_was_missing_and_why():
    client = signed_in("analyst")
    upload(client, GOOD, UNKNOWN_MODEL)
    row = SheetRow.objects.get(state="held")
    address = reverse("procurement:sheet_row_release", args=[row.pk])

    silent = client.post(address, {"accelerator": "H100-SXM", "price": "2.50", "currency": "USD"})
    client.post(
        address,
        {
            "accelerator": "H100-SXM",
            "price": "2.50",
            "currency": "USD",
            "region": "us-east-1",
            "reason": "confirmed by phone",
        },
    )

    row.refresh_from_db()
    assert silent.status_code == 422
    assert (row.state, row.release_reason) == ("released", "confirmed by phone")
    assert Quote.objects.count() == 2


def test_the_original_file_is_given_back_byte_for_byte():
    client = signed_in("analyst")
    upload(client, GOOD)

    answer = client.get(reverse("procurement:price_sheet_file", args=[PriceSheet.objects.get().pk]))

    assert b"".join(answer.streaming_content) == f"{HEADER}\n{GOOD}".encode()
    answer.close()


def test_what_is_exported_is_read_back_as_the_same_offers():
    client = signed_in("analyst")
    upload(client, GOOD)
    exported = client.get(reverse("procurement:quotes_export")).content

    upload(client, file=SimpleUploadedFile("again.csv", exported, content_type="text/csv"))

    again = PriceSheet.objects.get(file_name="again.csv")
    assert again.message == ""
    assert (again.state, again.rows_same, again.rows_new, again.rows_changed) == ("imported", 1, 0, 0)
    assert Quote.objects.count() == 1
