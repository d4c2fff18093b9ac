"""Undo: the versions before are in force again, nothing is lost, and nothing newer is pulled away."""

from datetime import UTC, datetime, time
from decimal import Decimal

import pytest

from procurement.errors import ProcurementError
from procurement.models import Quote
from procurement.selectors.price_history import price_history
from procurement.services.price_sheet_undo import price_sheet_undo
from procurement.services.quotes import quote_archive, quote_supersede
from tests.factories import AS_OF, actor
from tests.procurement.api_tools import make_run
from tests.procurement.sheet_tools import GOOD, OTHER, receive

pytestmark = pytest.mark.django_db
CHEAPER = GOOD.replace("24.50", "22.00")


def undone(sheet):
    price_sheet_undo(by=actor("analyst", reason="wrong file"), sheet=sheet, version=sheet.version)
    sheet.refresh_from_db()
    return sheet


def in_force():
    return {quote.sku: quote.price for quote in Quote.objects.filter(is_current=True, is_archived=False)}


def test_an_undone_import_leaves_what_was_in_force_before_and_keeps_its_versions():
    first = receive(GOOD)
    before = Quote.objects.get()
    sheet = undone(receive(CHEAPER, OTHER, name="next.csv", day=AS_OF))

    assert in_force() == {"hgx": before.price}
    restored = Quote.objects.get(is_current=True)
    assert (restored.version, restored.quoted_on, restored.sheet) == (3, before.quoted_on, first)
    assert Quote.objects.count() == 4  # version 1, the import's two, and the restored one
    assert (sheet.state, sheet.reports.first().kind) == ("undone", "undo")
    assert sheet.reports.first().counts == {"withdrawn": 2, "restored": 1}


def test_no_price_of_an_undone_import_ever_held():
    receive(GOOD)
    undone(receive(CHEAPER, OTHER, name="next.csv", day=AS_OF))
    new, changed = (Quote.objects.filter(sku=sku).first().code for sku in ("hgx-2", "hgx"))

    assert [(period.state, period.why) for period in price_history(new)] == [
        ("gap", "taken back: its import was undone")
    ]
    assert {period.quote.price for period in price_history(changed) if period.state == "held"} <= {Decimal("24.5")}


def test_the_price_of_an_offer_that_was_archived_held_until_that_day():
    receive(GOOD)
    quote = Quote.objects.get()
    archived_on = quote.quoted_on  # the first day is the only one
    quote_archive(by=actor("analyst", reason="no longer sold"), quote=quote, version=quote.version)
    Quote.objects.update(modified_at=datetime.combine(archived_on, time(12), UTC))

    history = price_history(quote.code)

    assert [period.state for period in history] == ["held", "gap"]
    assert (history[0].until_on, history[1].why) == (archived_on, f"taken out of use on {archived_on}")


def test_an_undone_file_can_be_imported_again():
    receive(GOOD)
    undone(receive(CHEAPER, OTHER, name="next.csv", day=AS_OF))

    sheet = receive(CHEAPER, OTHER, name="next.csv", day=AS_OF)

    assert (sheet.rows_new, sheet.rows_changed) == (1, 1)
    assert in_force() == {"hgx": 22, "hgx-2": 25.5}


def test_an_offer_that_said_the_same_gets_its_day_and_sheet_back():
    first = receive(GOOD)
    again = receive(GOOD, name="again.csv", day=AS_OF)
    assert Quote.objects.get().quoted_on == AS_OF

    undone(again)

    quote = Quote.objects.get()
    assert (quote.quoted_on, quote.sheet, quote.is_current) == (first.observed_on, first, True)


def test_an_import_under_a_newer_version_is_not_pulled_away():
    sheet = receive(GOOD)
    quote_supersede(by=actor("analyst"), quote=Quote.objects.get(), version=1, values={"price": 20})

    with pytest.raises(ProcurementError, match="has a newer version that rests on this import"):
        undone(sheet)

    assert in_force() == {"hgx": 20}


def test_an_import_that_a_decision_rests_on_is_not_pulled_away():
    sheet = receive(GOOD)
    code = Quote.objects.get().code
    run = make_run(quote=code)
    decision = run.run.decisions.create(
        code="D-1", workload_code="serve", option=f"cloud:{code}", amount=1, currency="USD", valid_until=AS_OF,
        inputs_digest="0" * 64, prepared_by=actor("analyst").user,
    )  # fmt: skip

    with pytest.raises(ProcurementError, match=f"the decision {decision.code} rests on it"):
        undone(sheet)


def test_an_undo_says_why_and_is_done_once():
    sheet = receive(GOOD)
    with pytest.raises(ProcurementError, match="Say why"):
        price_sheet_undo(by=actor("analyst", reason=" "), sheet=sheet, version=sheet.version)

    undone(sheet)
    undone(sheet)

    assert sheet.reports.filter(kind="undo").count() == 1
