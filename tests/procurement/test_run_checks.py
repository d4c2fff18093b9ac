"""A past run is answered again from its frozen inputs, and two runs are held side by side."""

from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from procurement.models import MonthRow, OptionRow, Run
from procurement.selectors.run_differences import answer_changes, input_changes
from procurement.selectors.runs import run_latest_finished
from procurement.services.quotes import quote_supersede
from procurement.services.run_checks import run_check
from tests.factories import actor, make_assumptions, make_build, make_quote, make_user, make_workload
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def quote():
    """Return the only offer of a world whose one question is answered."""
    make_assumptions()
    offer = make_quote()
    make_build()
    make_workload()
    work_off()
    return offer


@pytest.mark.usefixtures("quote")
def test_a_past_run_agrees_with_itself_to_the_cent():
    found = run_check(run=Run.objects.get())

    assert found.differences == ()
    assert found.is_same_engine
    assert found.compared > 100


@pytest.mark.usefixtures("quote")
def test_a_stored_cent_that_was_changed_is_found_and_named():
    month = MonthRow.objects.order_by("pk").first()
    MonthRow.objects.filter(pk=month.pk).update(amount=month.amount + Decimal("0.01"))
    row = OptionRow.objects.order_by("-pk").first()
    row.detail = row.detail | {"npv": "1.00"}
    row.save(update_fields=["detail"])

    places = {difference.place for difference in run_check(run=Run.objects.get()).differences}

    assert places == {f"serve / {month.option.option} / by_month / {month.month}", f"serve / {row.option} / npv"}


@pytest.mark.usefixtures("quote")
def test_the_command_says_what_was_compared_and_fails_where_something_differs():
    told = StringIO()
    call_command("check_runs", stdout=told)
    assert "values compared, 0 differ" in told.getvalue()

    MonthRow.objects.update(amount=Decimal("0.01"))
    with pytest.raises(CommandError, match="differ") as failed:
        call_command("check_runs", str(Run.objects.get().pk), stdout=told)
    assert failed.value.returncode == 3
    assert "stored Decimal('0.0100')" in told.getvalue()


@pytest.mark.usefixtures("quote")
def test_a_run_that_does_not_exist_is_named():
    with pytest.raises(CommandError, match="No finished run 987654"):
        call_command("check_runs", "987654", stdout=StringIO())


def test_two_runs_show_which_input_moved_and_what_it_did(quote):
    before = run_latest_finished()
    quote_supersede(by=actor("analyst"), quote=quote, version=1, values={"price": "6.00"})
    make_workload("extra")
    work_off()
    after = run_latest_finished()
    first, second = Run.objects.get(pk=before.pk), Run.objects.get(pk=after.pk)

    moved = {(change.kind, change.code, change.field): (change.before, change.after)
             for change in input_changes(first.inputs, second.inputs)}  # fmt: skip
    assert moved == {("quote", quote.code, "price"): ("3", "6"), ("workload", "extra", ""): (None, "added")}

    changes = {change.workload: change for change in answer_changes(first, second)}
    assert changes["Extra"].before is None
    assert changes["Extra"].npv_change is None
    assert not changes["Serve"].is_same

    client = Client()
    client.force_login(make_user("reader", role="viewer"))
    page = client.get(reverse("procurement:run_compare", args=[second.pk])).content.decode()
    assert f"Run {first.pk}" in page
    assert quote.code in page
    assert "Extra" in page


@pytest.mark.usefixtures("quote")
@pytest.mark.parametrize("other", ["junk", "987654", "-3"])
def test_a_run_that_cannot_be_compared_with_is_named(other):
    client = Client()
    client.force_login(make_user("reader", role="viewer"))
    page = client.get(reverse("procurement:run_compare", args=[run_latest_finished().pk]), {"with": other})

    assert page.status_code == 404
    assert other in page.content.decode()
