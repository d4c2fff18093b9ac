"""People who do the same or the opposite at one moment: one of them is first, and nothing is half done."""

import threading
from collections import Counter
from datetime import date

import pytest
from django.db import connections
from django.db.models import Count

from procurement.errors import ProcurementError
from procurement.models import AuditEntry, PriceSheet, Quote, StagedRow
from procurement.services.price_sheet_undo import price_sheet_undo
from procurement.services.price_sheets import price_sheet_confirm, price_sheet_discard
from tests.chaos.test_imports_under_fire import PATIENCE, lines, prices, receive
from tests.factories import actor
from tests.procurement.sheet_tools import work

ROWS = 200

pytestmark = [pytest.mark.chaos, pytest.mark.services, pytest.mark.django_db(transaction=True)]


def at_once(*deeds):
    """Let each deed begin at the same moment in a thread of its own; return what they said, refusals by their code."""
    begin = threading.Barrier(len(deeds))
    said = []

    def do(deed):
        begin.wait(PATIENCE)
        try:
            said.append(deed() or "done")
        except ProcurementError as error:
            said.append(error.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=do, args=(deed,)) for deed in deeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return Counter(said)


def checked(price, day, name):
    sheet = receive(lines(price, ROWS), date(2026, 11, day), name=name, is_draft=True)
    work()
    sheet.refresh_from_db()
    assert sheet.state == "checked"
    return sheet


def imported(price, day, name="acme.csv"):
    sheet = receive(lines(price, ROWS), date(2026, 11, day), name=name)
    work()
    sheet.refresh_from_db()
    assert sheet.state == "imported"
    return sheet


def whole():
    """Assert that each offer has one version in force, all of one price and from one sheet."""
    current = Quote.objects.filter(is_current=True)
    assert current.count() == ROWS
    assert not current.values("code").annotate(count=Count("pk")).filter(count__gt=1).exists()
    assert not StagedRow.objects.exists()
    assert len(prices()) == 1
    return prices().pop()


def test_t50_of_four_people_who_confirm_one_draft_one_is_first_and_it_is_published_once():
    imported("3.00", 1)
    sheet = checked("2.50", 20, "next.csv")

    def confirm():
        price_sheet_confirm(by=actor("analyst"), sheet=PriceSheet(pk=sheet.pk), version=sheet.version)

    said = at_once(*[confirm] * 4)
    assert said["done"] == 1, said
    assert prices() == {3}  # until the worker publishes
    at_once(work, work)

    assert whole() == 2.5
    assert Quote.objects.count() == 2 * ROWS
    assert AuditEntry.objects.filter(action="price_sheet.import", record_id=str(sheet.pk)).count() == 1


def test_t50_a_draft_that_is_confirmed_and_discarded_at_once_is_one_of_the_two():
    imported("3.00", 1)
    sheet = checked("2.50", 20, "next.csv")

    def decide(deed, said):
        deed(by=actor("analyst"), sheet=PriceSheet(pk=sheet.pk), version=sheet.version)
        return said

    said = at_once(lambda: decide(price_sheet_confirm, "in"), lambda: decide(price_sheet_discard, "out"))
    work()

    assert (said["in"], said["out"]) in {(1, 0), (0, 1)}, said
    assert whole() == (2.5 if said["in"] else 3)


@pytest.mark.parametrize("first", ["undo", "publish"])
def test_t50_an_import_taken_back_while_another_is_published_leaves_one_of_the_two_whole(first):
    imported("3.00", 1)
    second = imported("2.75", 10, "second.csv")
    sheet = checked("2.50", 20, "third.csv")
    price_sheet_confirm(by=actor("analyst"), sheet=sheet, version=sheet.version)

    def undo():
        price_sheet_undo(by=actor("analyst", reason="wrong"), sheet=second, version=second.version)
        return "undone"

    said = at_once(*((undo, work) if first == "undo" else (work, undo)))
    work()

    sheet.refresh_from_db()
    second.refresh_from_db()
    if said["undone"]:  # it was first: the third file is shown anew before it counts
        assert (second.state, sheet.state, whole_but_staged()) == ("undone", "checked", 3)
    else:  # the third file rests on the second, which stays
        assert said["not_undoable"] == 1, said
        assert (second.state, sheet.state, whole()) == ("imported", "imported", 2.5)


def whole_but_staged():
    StagedRow.objects.all().delete()
    return whole()


def test_t52_one_file_that_comes_by_several_doors_at_once_is_one_sheet_in_force_once():
    content = lines("2.50", ROWS)

    def by_page():
        return receive(content, date(2026, 11, 20), is_draft=True).pk

    def by_program():
        return receive(content, date(2026, 11, 20)).pk

    said = at_once(by_page, by_program, by_page, by_program)
    at_once(work, work)
    work()

    assert PriceSheet.objects.count() == len(said) == 1
    sheet = PriceSheet.objects.get()
    if sheet.state == "checked":  # a person looks at it still
        price_sheet_confirm(by=actor("analyst"), sheet=sheet, version=sheet.version)
        work()
    assert whole() == 2.5
    assert Quote.objects.count() == ROWS
