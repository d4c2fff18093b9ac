"""Drafts: nothing is in force before a person confirms; columns, cells and conflicts in between."""

from decimal import Decimal

import pytest

from procurement.errors import PermissionRefused, ProcurementError, VersionConflict
from procurement.forms.imports import MatchForm
from procurement.models import CellCorrection, ImportProfile, Quote, StagedRow
from procurement.services.import_profiles import headers_digest
from procurement.services.price_sheets import (
    Correction,
    price_sheet_change,
    price_sheet_confirm,
    price_sheet_correct,
    price_sheet_discard,
)
from procurement.services.quotes import quote_supersede
from tests.factories import AS_OF, actor, make_assumptions
from tests.procurement.sheet_tools import (
    COLUMNS,
    FAULTY,
    GOOD,
    OTHER,
    RATE,
    SUPPLIER,
    confirmed,
    draft,
    receive,
    receive_bytes,
    work,
)

pytestmark = pytest.mark.django_db


def changed(sheet, **values):
    price_sheet_change(by=actor("analyst"), sheet=sheet, version=sheet.version, values=values)
    work()
    sheet.refresh_from_db()
    return sheet


def corrected(sheet, *corrections):
    price_sheet_correct(by=actor("analyst"), sheet=sheet, version=sheet.version, corrections=corrections)
    work()
    sheet.refresh_from_db()
    return sheet


def test_a_draft_is_checked_with_its_report_and_nothing_is_in_force():
    receive(GOOD)
    sheet = draft(GOOD.replace("24.50", "22.00"), OTHER, FAULTY, name="next.csv")

    report = sheet.reports.get()
    assert (sheet.state, sheet.rows_new, sheet.rows_changed, sheet.rows_faulty) == ("checked", 1, 1, 1)
    assert Quote.objects.get().price == 24.5
    assert (report.kind, report.is_ok) == ("validation", False)
    assert report.content["changes"][0]["values"]["price"] == ["24.5", "22"]
    fault = report.content["faults"][0]
    assert (fault["line"], fault["column"], fault["value"], fault["rule"]) == (4, "price", "cheap", "not_a_number")


def test_a_confirmed_draft_is_in_force_with_a_report_of_what_was_done():
    sheet = confirmed(draft(GOOD, OTHER))

    assert sheet.state == "imported"
    assert Quote.objects.filter(is_current=True).count() == 2
    assert [report.kind for report in sheet.reports.all()] == ["execution", "validation"]
    assert sheet.reports.first().counts["new"] == 2
    assert not StagedRow.objects.exists()


def test_faulty_rows_stop_a_strict_draft_and_are_left_out_when_that_is_chosen():
    sheet = draft(GOOD, FAULTY)
    with pytest.raises(ProcurementError, match="1 row cannot be read"):
        price_sheet_confirm(by=actor("analyst"), sheet=sheet, version=sheet.version)

    sheet = confirmed(changed(sheet, is_skipping_faulty=True))

    assert (sheet.state, Quote.objects.count()) == ("imported", 1)


def test_a_bad_cell_is_mended_in_the_draft_and_who_changed_what_is_kept():
    sheet = corrected(draft(GOOD, FAULTY), Correction(3, "price", "cheap", "20.50"))

    assert (sheet.rows_ready, sheet.rows_faulty) == (2, 0)
    kept = CellCorrection.objects.get()
    assert (kept.line, kept.column, kept.was, kept.value, kept.made_by.username) == (
        3, "price", "cheap", "20.50", "analyst",
    )  # fmt: skip
    confirmed(sheet)
    assert Quote.objects.get(sku="bad").price == 20.5


def test_two_people_on_one_draft_meet_with_both_values():
    sheet = draft(GOOD, FAULTY)
    corrected(draft(GOOD, FAULTY), Correction(3, "price", "cheap", "20.50"))

    with pytest.raises(VersionConflict) as conflict:
        price_sheet_correct(
            by=actor("administrator"), sheet=sheet, version=1, corrections=[Correction(3, "price", "cheap", "21.50")]
        )

    assert conflict.value.differences == {"line 3, price": ("20.50", "21.50")}
    assert CellCorrection.objects.count() == 1


def test_columns_of_an_unknown_sheet_are_asked_for_matched_and_kept_for_the_supplier():
    make_assumptions(fx=[RATE])
    sheet = receive_bytes(SUPPLIER.encode(), name="angebot.csv", is_draft=True)
    assert sheet.state == "matching"
    assert sheet.preview["headers"] == list(COLUMNS["columns"])
    assert sheet.preview["guess"]["Modell"] == "accelerator"

    sheet = confirmed(changed(sheet, profile=COLUMNS, zone="Europe/Berlin", decimal=","))

    assert sheet.state == "imported", sheet.message
    assert {quote.price_per_accelerator_hour for quote in Quote.objects.all()} == {
        quote.price for quote in Quote.objects.all()
    }
    kept = ImportProfile.objects.get(headers_digest=headers_digest(sheet.preview["headers"]))
    assert (kept.profile, kept.decimal, kept.zone, kept.used_by.username) == (COLUMNS, ",", "Europe/Berlin", "analyst")


def test_further_prices_of_an_unknown_sheet_are_proposed_and_become_offers_of_their_own():
    make_assumptions(fx=[RATE])
    wide = "SKU,Model,On-demand (€/GPU/hr),1 year reserved (€/GPU/hr),List note\na,1x L4,0.60,0.40,new\n"
    sheet = receive_bytes(wide.encode(), name="wide.csv", is_draft=True)
    proposed = MatchForm(None, sheet=sheet, profile=None)
    sent = {name: proposed[name].initial for name in proposed.fields}
    sent |= {"version": sheet.version, "constant_provider": "Acme"}
    form = MatchForm(sent, sheet=sheet, profile=None)
    assert sent["column_3"] == "further"
    assert form.is_valid(), form.errors

    sheet = changed(sheet, **form.settings())
    assert not sheet.rows_faulty, [row.reasons for row in sheet.rows.all()]
    confirmed(sheet)

    assert set(Quote.objects.values_list("purchase_model", "term_months", "price")) == {
        ("on_demand", None, Decimal("0.60")), ("reserved", 12, Decimal("0.40")),
    }  # fmt: skip
    again = MatchForm(None, sheet=sheet, profile=ImportProfile.objects.get().profile)
    assert again["column_3"].initial == "further"
    refused = MatchForm(sent | {"column_4": "further"}, sheet=sheet, profile=None)
    assert list(refused.errors) == ["column_4"]


def test_an_unknown_sheet_that_is_no_draft_is_refused():
    assert receive_bytes(SUPPLIER.encode(), name="angebot.csv").state == "refused"


def test_an_ambiguous_number_is_a_fault_until_somebody_says_which_sign_it_is():
    sheet = draft(GOOD.replace("24.50", "21.234"))
    assert sheet.rows.get().reasons[0]["code"] == "ambiguous_number"

    sheet = changed(sheet, decimal=".")

    assert (sheet.rows_ready, sheet.rows_faulty) == (1, 0)


def test_a_draft_whose_offers_were_changed_since_its_check_is_checked_again_and_says_so():
    receive(GOOD)
    sheet = draft(GOOD.replace("24.50", "22.00"), name="next.csv")
    offer = Quote.objects.get()
    quote_supersede(by=actor("analyst"), quote=offer, version=1, values={"price": 23, "quoted_on": AS_OF})
    sheet.refresh_from_db()

    sheet = confirmed(sheet)

    assert sheet.state == "checked"
    assert "confirm once more" in sheet.message
    assert Quote.objects.get(is_current=True).price == 23


def test_a_discarded_draft_can_be_received_again():
    sheet = draft(GOOD)
    price_sheet_discard(by=actor("analyst"), sheet=sheet, version=sheet.version)

    again = draft(GOOD)

    assert (again.pk, again.state) == (sheet.pk, "checked")


def test_a_viewer_may_neither_change_nor_confirm_a_draft():
    sheet = draft(GOOD)

    with pytest.raises(PermissionRefused):
        price_sheet_confirm(by=actor("viewer"), sheet=sheet, version=sheet.version)
    with pytest.raises(PermissionRefused):
        price_sheet_change(by=actor("viewer"), sheet=sheet, version=sheet.version, values={"decimal": "."})


def test_what_a_quote_cannot_hold_is_a_fault_of_its_row_and_no_crash():
    sheet = draft(GOOD, GOOD.replace("hgx", "x" * 161))

    fault = sheet.rows.get().reasons[0]
    assert (sheet.rows_ready, fault["code"], fault["column"]) == (1, "too_large", "sku")
    assert "at most 160 characters" in fault["message"]


def test_two_rows_that_name_one_offer_are_a_conflict_of_the_second():
    content = "id,provider,sku,accelerator,price,price_basis,currency,purchase_model\n" + "".join(
        f"q-1,Acme,{sku},H100-SXM,2.50,per_accelerator_hour,USD,on_demand\n" for sku in ("a", "b")
    )
    sheet = receive_bytes(content.encode(), is_draft=True)

    assert (sheet.rows_ready, sheet.rows_faulty, sheet.rows_conflict) == (1, 1, 1)
    assert sheet.rows.get().reasons[0]["code"] == "offer_named_twice"


def test_a_name_of_three_thousand_characters_is_refused_beside_the_field():
    with pytest.raises(ProcurementError, match="3,000 characters; at most 200") as refusal:
        receive(GOOD, name="x" * 2996 + ".csv")

    assert "file" in refusal.value.fields
