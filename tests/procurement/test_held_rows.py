"""A new mapping re-applies to held rows; released rows remember who and why; the others say what still holds them."""

import pytest
from django.urls import reverse

from procurement.models import AuditEntry, PriceSheet, Quote, SheetRow, SheetRowState
from procurement.services.price_sheets import price_sheet_receive
from tests.factories import AS_OF, actor, make_assumptions
from tests.procurement.api_tools import client_of
from tests.procurement.page_tools import signed_in
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db
HEADER = "id,provider,sku,accelerator,price,price_basis,currency,purchase_model,region,quoted_on"
KNOWN = "q1,acme,a-1,H100-SXM,3.00,per_accelerator_hour,USD,on_demand,eu-1,2026-11-20"
UNKNOWN = "q2,acme,a-2,Hopper Mega Nine,3.20,per_accelerator_hour,USD,on_demand,eu-1,2026-11-20"
REGION = "q3,aws,a-3,H100-SXM,3.30,per_accelerator_hour,USD,on_demand,Frankfurt West,2026-11-20"
CHEAP = "q4,acme,a-4,Hopper Mega Nine,900,per_accelerator_hour,USD,on_demand,eu-1,2026-11-20"


@pytest.fixture(autouse=True)
def _sheet():
    make_assumptions()
    content = "\n".join([HEADER, KNOWN, UNKNOWN, REGION, CHEAP]).encode()
    price_sheet_receive(
        by=actor("analyst"), file_name="acme.csv", content=content, observed_on=AS_OF, source="mail", options={}
    )
    work_off()
    assert Quote.objects.count() == 1
    assert SheetRow.objects.filter(state=SheetRowState.HELD).count() == 3


def held_lines():
    return list(SheetRow.objects.filter(state=SheetRowState.HELD).order_by("line").values_list("line", flat=True))


def test_a_mapping_made_over_the_interface_releases_the_rows_it_settles_and_keeps_who_and_why():
    made = client_of("administrator").post(
        "accelerator-aliases/", {"alias": "Hopper Mega Nine", "accelerator": "H200-SXM", "reason": "supplier says so"}
    )
    assert made.status_code == 201
    work_off()

    assert Quote.objects.get(code="q2").accelerator.startswith("H200-SXM")
    assert held_lines() == [4, 5]
    row = SheetRow.objects.get(line=3)
    assert (row.state, row.released_by.username) == ("released", "administrator")
    assert row.release_reason == "mapping Hopper Mega Nine = H200-SXM"
    assert AuditEntry.objects.filter(action="sheet_row.release").count() == 1
    # the price of 900 is settled in name and still held for what it is
    assert [reason["code"] for reason in SheetRow.objects.get(line=5).reasons] == ["outside_absolute_band"]


def test_a_region_mapped_on_the_page_releases_its_rows():
    page = signed_in("administrator").post(
        reverse("procurement:mapping_new"),
        {"kind": "region:", "name": "Frankfurt West", "target": "eu-central-1", "reason": "their portal"},
        follow=True,
    )
    work_off()

    assert "read anew" in page.content.decode()
    assert Quote.objects.get(code="q3").region == "eu-central-1"
    assert held_lines() == [3, 5]


def test_a_mapping_that_is_applied_twice_releases_once():
    client = client_of("administrator")
    client.post("accelerator-aliases/", {"alias": "Hopper Mega Nine", "accelerator": "H200-SXM"})
    work_off()
    client.post("accelerator-aliases/", {"alias": "hopper-mega-nine", "accelerator": "H200-SXM"})
    work_off()

    assert Quote.objects.filter(code="q2").count() == 1
    assert PriceSheet.objects.get().rows.filter(state=SheetRowState.RELEASED).count() == 1


def test_the_page_says_of_each_row_why_it_is_held_and_what_would_release_it_and_who_released_one():
    held = signed_in("viewer").get(reverse("procurement:held_rows")).content.decode()
    assert "Hopper Mega Nine" in held
    assert "acme.csv" in held
    client_of("administrator").post("accelerator-aliases/", {"alias": "Hopper Mega Nine", "accelerator": "H200-SXM"})
    work_off()

    released = signed_in("viewer").get(f"{reverse('procurement:held_rows')}?state=released").content.decode()

    assert "administrator" in released
    assert "mapping Hopper Mega Nine = H200-SXM" in released
