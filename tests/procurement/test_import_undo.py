"""Undo: the versions before are in force again, nothing is lost, and nothing newer is pulled away."""

import pytest

from procurement.errors import ProcurementError
from procurement.models import Quote
from procurement.services.price_sheet_undo import price_sheet_undo
from procurement.services.quotes import quote_supersede
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
