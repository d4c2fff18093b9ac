"""Price sheets: all or nothing, once, nothing dropped, nothing zero, held rows released by a person."""

from datetime import date
from decimal import Decimal

import pytest

from procurement.errors import ProcurementError
from procurement.models import PriceSheet, Quote, SheetRow
from procurement.selectors.quote_table import quotes_table
from procurement.services.job_runner import job_work
from procurement.services.price_sheet_releases import sheet_row_release
from procurement.services.price_sheets import price_sheet_receive
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from providers import export_csv
from tests.factories import actor, make_assumptions, make_quote
from tests.procurement.test_runs import NoPulse

pytestmark = pytest.mark.django_db

HEADER = (
    "provider,sku,accelerator,accelerators_per_instance,price,upfront,price_basis,currency,purchase_model,term_months\n"
)
GOOD = "Acme,hgx,H100 SXM,8,24.50,,per_instance_hour,USD,on_demand,\n"
EURO = "Acme,hgx-eu,H100 SXM,8,20.50,,per_instance_hour,EUR,on_demand,\n"
UPFRONT = "Acme,hgx-3y,H100 SXM,8,0,420480,per_instance_hour,USD,reserved,36\n"
UNKNOWN = "Acme,odd,Wunderchip 9000,8,24.50,,per_instance_hour,USD,on_demand,\n"
FREE = "Acme,free,H100 SXM,8,0,,per_instance_hour,USD,on_demand,\n"
FAULTY = "Acme,bad,H100 SXM,8,cheap,,per_instance_hour,USD,on_demand,\n"


def receive(*lines, name="acme.csv", day=date(2026, 11, 29), **options):
    content = (HEADER + "".join(lines)).encode()
    return price_sheet_receive(
        by=actor("analyst"), file_name=name, content=content, observed_on=day, source="mail of Acme", options=options
    )


def imported(*lines, **options):
    sheet, _ = receive(*lines, **options)
    while job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=NoPulse) is not None:
        pass
    sheet.refresh_from_db()
    return sheet


def test_rows_become_quotes_with_their_derived_price_and_their_line():
    sheet = imported(GOOD)

    quote = Quote.objects.get()
    assert sheet.state == "imported"
    assert quote.price_per_accelerator_hour == Decimal("3.0625")  # 24.50 / 8
    assert (quote.sheet, quote.source_line) == (sheet, 2)
    assert quote.derivation["steps"]


def test_a_price_in_another_currency_is_held_until_there_is_a_dated_rate():
    assert imported(EURO).rows_held == 1
    assert not Quote.objects.exists()

    rate = {"base": "EUR", "counter": "USD", "rate": "1.16", "on": date(2026, 11, 27), "source": "ECB"}
    make_assumptions(fx=[rate])
    sheet = imported(EURO, name="again.csv")

    assert (sheet.rows_new, sheet.rows_held) == (1, 0)
    assert Quote.objects.get().currency == "EUR"  # the native price stays


def test_an_all_upfront_reservation_is_a_price_though_its_hours_are_free():
    assert imported(UPFRONT).rows_new == 1

    quote = Quote.objects.get()
    assert (quote.price, quote.upfront) == (0, 420480)
    assert quote.price_per_accelerator_hour == 2  # 420,480 / 26,280 h / 8


def test_rows_that_cannot_be_trusted_are_held_with_a_reason_and_never_priced():
    sheet = imported(GOOD, UNKNOWN, FREE)

    held = {row.line: [reason["code"] for reason in row.reasons] for row in sheet.rows.all()}
    assert held == {3: ["unknown_accelerator"], 4: ["price_not_positive"]}
    assert all(reason["release"] for row in sheet.rows.all() for reason in row.reasons)
    assert Quote.objects.count() == 1


def test_one_faulty_row_stops_the_file_and_names_row_column_and_value():
    sheet = imported(GOOD, FAULTY)

    fault = sheet.rows.get(state="faulty").reasons[0]
    assert sheet.state == "refused"
    assert not Quote.objects.exists()
    assert (fault["column"], fault["value"]) == ("price", "cheap")


def test_the_good_rows_are_taken_when_that_was_asked_for():
    sheet = imported(GOOD, FAULTY, is_skipping_faulty=True)

    assert (sheet.state, sheet.rows_new, sheet.rows_faulty) == ("imported", 1, 1)


def test_the_same_file_twice_is_one_sheet_and_the_same_rows_again_are_no_versions():
    first = imported(GOOD)
    again, is_new = receive(GOOD)
    other = imported(GOOD, name="other-name.csv")

    assert (again, is_new) == (first, False)
    assert (other.rows_new, other.rows_changed, other.rows_same) == (0, 0, 1)
    assert Quote.objects.count() == 1


def test_a_new_price_supersedes_and_an_older_sheet_does_not():
    imported(GOOD)
    newer = imported(GOOD.replace("24.50", "22.00"), name="newer.csv", day=date(2026, 11, 30))
    older = imported(GOOD.replace("24.50", "19.00"), name="older.csv", day=date(2026, 11, 1))

    assert newer.rows_changed == 1
    assert older.rows_changed == 0
    assert Quote.objects.get(is_current=True).price == 22


def test_a_refused_file_can_be_received_again():
    imported(GOOD, FAULTY)
    sheet = imported(GOOD, FAULTY, is_skipping_faulty=True)

    assert sheet.state == "imported"
    assert PriceSheet.objects.count() == 1


def test_a_held_row_is_released_by_a_person_with_a_reason_and_what_was_missing():
    imported(UNKNOWN)
    row = SheetRow.objects.get()

    with pytest.raises(ProcurementError, match="Say why"):
        sheet_row_release(by=actor("analyst", reason=" "), row=row, values={"accelerator": "H100-SXM"})
    with pytest.raises(ProcurementError, match="accelerator"):
        sheet_row_release(by=actor("analyst"), row=row, values={})
    quote = sheet_row_release(
        by=actor("analyst", reason="their marketing name"), row=row, values={"accelerator": "H100-SXM"}
    )

    row.refresh_from_db()
    quote.refresh_from_db()
    assert (row.state, row.release_reason) == ("released", "their marketing name")
    assert quote.price_per_accelerator_hour == Decimal("3.0625")
    with pytest.raises(ProcurementError, match="not held"):
        sheet_row_release(by=actor("analyst"), row=row, values={"accelerator": "H100-SXM"})


def test_a_row_without_a_price_cannot_be_released_as_free():
    imported(FREE)

    with pytest.raises(ProcurementError, match="no price"):
        sheet_row_release(by=actor("analyst"), row=SheetRow.objects.get(), values={})


def exported(*quotes):
    """Return the export of offers as a file that can be imported again."""
    return export_csv(quotes_table(list(quotes)))


def received(content, name):
    price_sheet_receive(
        by=actor("analyst"),
        file_name=name,
        content=content,
        observed_on=date(2026, 11, 30),
        source="export",
        options={},
    )
    while job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=NoPulse) is not None:
        pass
    return PriceSheet.objects.get(file_name=name)


def test_an_offer_entered_by_hand_comes_back_from_its_own_export_unchanged():
    quote = make_quote(region="us-east-1")

    same = received(exported(quote), "export.csv")
    changed = received(exported(quote).replace(b",3,", b",2.75,"), "edited.csv")

    assert (same.rows_new, same.rows_changed, same.rows_same) == (0, 0, 1), same.message
    assert (changed.rows_new, changed.rows_changed) == (0, 1), changed.message
    assert Quote.objects.get(code=quote.code, is_current=True).price == Decimal("2.75")


def test_an_id_of_another_provider_is_refused_and_not_superseded():
    quote = make_quote(code="Q-1")
    content = f"id,{HEADER}Q-1,Other,hgx,H100 SXM,8,24.50,,per_instance_hour,USD,on_demand,\n".encode()

    sheet = received(content, "other.csv")

    assert sheet.state == "refused"
    assert "Q-1" in sheet.message
    quote.refresh_from_db()
    assert quote.is_current


def test_an_estimate_is_kept_comes_back_from_the_export_and_its_end_is_a_change():
    imported(GOOD.replace("24.50", "20 / 24.50 / 30"))
    quote = Quote.objects.get()
    assert (quote.price, quote.ranges) == (Decimal("24.5"), {"price": {"min": "20", "max": "30"}})

    same = received(exported(quote), "export.csv")
    changed = received(exported(quote).replace(b",20,30", b",20,32"), "edited.csv")

    assert (same.rows_changed, same.rows_same) == (0, 1), same.message
    assert (changed.rows_changed, changed.rows_same) == (1, 0), changed.message
    assert Quote.objects.get(code=quote.code, is_current=True).ranges == {"price": {"min": "20", "max": "32"}}


def test_what_other_sources_say_holds_a_windows_price_and_a_rate_far_from_the_median():
    lines = "".join(f"azure,Standard_ND96isr_H100_v5,{region},98.32\n" for region in ("eastus", "westus3", "uksouth"))
    header = "provider,sku,region,price\n"
    profile = {
        "columns": {"provider": "provider", "sku": "sku", "region": "region", "price": "price"},
        "constants": {
            "currency": "USD", "price_basis": "per_instance_hour", "purchase_model": "on_demand", "os": "linux",
        },
        "decimal": ".",
    }  # fmt: skip

    def taken(text, source):
        price_sheet_receive(
            by=actor("analyst"), file_name=f"{source}.csv", content=(header + text).encode(), source=source,
            observed_on=date(2026, 11, 29), options={"profile": profile},
        )  # fmt: skip
        while job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=NoPulse) is not None:
            pass
        return PriceSheet.objects.get(file_name=f"{source}.csv")

    first = taken(
        lines + "azure,Standard_ND96isr_H100_v5,northeurope,98.32\nazure,Standard_ND96isr_H100_v5,westeurope,98.32\n",
        "retail",
    )
    other = taken(
        "azure,Standard_ND96isr_H100_v5,eastus,102.736\nazure,Standard_ND96isr_H100_v5,japaneast,800\n", "list"
    )

    assert (first.rows_ready, other.rows_held) == (5, 2), (first.message, other.message)
    codes = {reason["code"] for row in SheetRow.objects.filter(sheet=other) for reason in row.reasons}
    assert codes == {"licence_in_price", "outside_model_band"}
