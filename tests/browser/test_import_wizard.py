"""The import wizard as people meet it: keyboard, no script, resumed later, no axe violation at any step."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from procurement.models import CellCorrection, PriceSheet, Quote, TypedCell
from procurement.services.price_sheets import Correction, price_sheet_correct
from tests.browser.test_pages import MODES, RULES
from tests.factories import actor, make_assumptions
from tests.procurement.sheet_tools import (
    FAULTY,
    GOOD,
    OTHER,
    RATE,
    SUPPLIER,
    draft,
    receive,
    receive_bytes,
    work,
)

pytestmark = pytest.mark.django_db(transaction=True)
UNKNOWN = "Acme,odd,Wunderchip 9000,8,24.50,,per_instance_hour,USD,on_demand,\n"


def sheets():
    """Return the addresses of a sheet at every step."""
    make_assumptions(fx=[RATE])
    done = receive(GOOD)
    matching = receive_bytes(SUPPLIER.encode(), name="angebot.csv", is_draft=True)
    checked = draft(
        GOOD.replace("24.50", "22.00"), OTHER, FAULTY, FAULTY.replace("bad", "bad-2"), UNKNOWN, name="n.csv"
    )
    base = f"/price-sheets/{checked.pk}"
    return (
        f"/price-sheets/{matching.pk}/match/",
        *(f"{base}/check/?show={name}" for name in ("faulty", "held", "changed")),
        f"/price-sheets/{done.pk}/", "/price-sheets/new/", "/price-sheets/",
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_no_step_has_an_axe_violation_or_scrolls_sideways(live_server, open_context, sign_in, mode):
    pages = sheets()
    page = sign_in(open_context(is_checked=True, **MODES[mode]), "analyst")
    faults = []

    for address in pages:
        page.goto(live_server.url + address)
        found = Axe().run(page, options={"runOnly": RULES}).response["violations"]
        faults += [f"{address}: {fault['id']} {fault['nodes'][0]['html'][:160]}" for fault in found]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            faults.append(f"{address}: wider than the window")

    assert faults == []


def test_bad_cells_are_mended_with_the_keyboard_alone(live_server, open_context, sign_in):
    sheet = draft(GOOD, FAULTY, FAULTY.replace("bad", "bad-2").replace("cheap", "dear"))
    page = sign_in(open_context(), "analyst")
    page.goto(f"{live_server.url}/price-sheets/{sheet.pk}/check/")

    assert page.evaluate("document.activeElement.value") == "cheap"
    page.keyboard.press("Control+A")
    page.keyboard.type("21.50")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.value") == "dear"
    page.keyboard.press("Control+A")
    page.keyboard.type("99")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.value") == "dear"
    page.keyboard.press("Control+A")
    page.keyboard.type("22.50")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/price-sheets/{sheet.pk}/")
    work()
    page.wait_for_url("**/check/")

    assert [(one.line, one.value) for one in CellCorrection.objects.all()] == [(3, "21.50"), (4, "22.50")]
    page.click("text=Confirm and import")
    work()
    page.wait_for_selector("text=Undo this import")
    assert Quote.objects.count() == 3


def test_the_whole_wizard_works_without_script_and_is_resumed_where_it_was_left(live_server, open_context, sign_in):
    make_assumptions(fx=[RATE])
    page = sign_in(open_context(has_script=False), "analyst")
    page.goto(f"{live_server.url}/price-sheets/new/")
    page.fill("[name=pasted]", SUPPLIER)
    page.fill("[name=observed_on]", "2026-11-29")
    page.fill("[name=source]", "mail of Rhein")
    page.click("text=Check the file")
    work()

    page.goto(f"{live_server.url}/price-sheets/new/")
    page.click("a:has-text('Go on')")
    assert page.input_value("[name=constant_price_basis]") == "per_accelerator_hour"
    page.select_option("[name=constant_purchase_model]", "on_demand")
    page.fill("[name=constant_provider]", "Rhein")
    assert page.input_value("[name=constant_currency]") == "EUR"
    assert page.input_value("[name=date_order]") == "dmy"
    page.click("text=Check all rows >> nth=-1")
    work()
    page.click("text=Look again")
    page.click("text=Confirm and import")
    work()
    page.click("text=Look again")

    assert PriceSheet.objects.get().state == "imported", page.content()
    assert {quote.price for quote in Quote.objects.all()} == {
        quote.price for quote in Quote.objects.all() if quote.price < 4
    }
    assert page.locator("h1").inner_text() == "pasted.csv"


def test_what_two_people_typed_into_one_draft_is_shown_side_by_side(live_server, open_context, sign_in):
    sheet = draft(GOOD, FAULTY)
    mine = sign_in(open_context(), "analyst")
    mine.goto(f"{live_server.url}/price-sheets/{sheet.pk}/check/")
    theirs = sign_in(open_context(), "administrator")
    theirs.goto(f"{live_server.url}/price-sheets/{sheet.pk}/check/")
    theirs.fill("[aria-invalid=true]", "20.50")
    theirs.click("text=Save cells and check again")
    theirs.wait_for_url(f"**/price-sheets/{sheet.pk}/")
    work()

    mine.fill("[aria-invalid=true]", "21.50")
    mine.click("text=Save cells and check again")

    assert "administrator changed this draft" in mine.content()
    assert mine.locator(".diff tbody td").all_inner_texts()[:2] == ["price", "20.50"]
    assert mine.input_value(".diff input") == "21.50"
    mine.click("text=Put mine in and check again")
    mine.wait_for_url(f"**/price-sheets/{sheet.pk}/")
    work()
    assert [one.value for one in CellCorrection.objects.order_by("pk")] == ["20.50", "21.50"]


def test_typed_cells_are_there_again_after_the_page_was_left(live_server, open_context, sign_in):
    sheet = draft(GOOD, FAULTY)
    page = sign_in(open_context(), "analyst")
    address = f"{live_server.url}/price-sheets/{sheet.pk}/check/"
    page.goto(address)
    page.fill("[aria-invalid=true]", "21.50")

    page.goto(f"{live_server.url}/quotes/")  # at once: no warning stops it, the cell is kept while the page goes
    page.goto(address)

    assert page.input_value("[aria-invalid=true]") == "21.50"
    assert "1 cell that you typed is not sent yet" in page.inner_text("main")
    page.click("text=Save cells and check again")
    page.wait_for_url(f"**/price-sheets/{sheet.pk}/")
    work()
    assert [one.value for one in CellCorrection.objects.all()] == ["21.50"]
    assert not TypedCell.objects.exists()


def test_typed_cells_never_cover_what_somebody_else_put_there(live_server, open_context, sign_in):
    sheet = draft(GOOD, FAULTY, FAULTY.replace("bad", "bad-2"))
    address = f"{live_server.url}/price-sheets/{sheet.pk}/check/"
    mine = sign_in(open_context(), "analyst")
    mine.goto(address)
    mine.fill("[aria-invalid=true] >> nth=0", "21.50")
    mine.wait_for_selector("text=Kept, not sent yet.")
    corrected = [Correction(3, "price", "cheap", "20.50")]
    price_sheet_correct(by=actor("administrator"), sheet=sheet, version=sheet.version, corrections=corrected)
    work()

    mine.fill("[aria-invalid=true] >> nth=1", "22.50")
    mine.wait_for_selector("text=was changed by somebody else")
    mine.goto(address)

    assert mine.locator(".diff tbody td").all_inner_texts()[:2] == ["price", "20.50"]
    assert mine.input_value(".diff input") == "21.50"
    assert mine.input_value("[aria-invalid=true]") == "22.50"  # of the line that nobody else touched
    mine.click("text=Drop mine, keep theirs")
    assert not TypedCell.objects.exists()
