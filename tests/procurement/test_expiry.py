"""Validity by the day: noted each night, enforced at approval; later prices wait; days end in a stated zone."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.models import AssumptionSet, AuditEntry, Job, PriceWatch
from procurement.selectors.quotes import quotes_in_force_on, quotes_valid_on
from procurement.selectors.runs import answers_of, run_latest_finished
from procurement.services.clock import clock_tick
from procurement.services.decisions import decision_approve, decision_prepare
from procurement.services.expiry import price_watch_request
from procurement.services.quotes import quote_supersede
from procurement.services.runs import run_request
from tests.factories import AS_OF, SYSTEM, actor, make_assumptions, make_discount, make_quote, make_workload
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db


def on(day):
    """Let every evaluation be of that day."""
    AssumptionSet.objects.filter(is_in_force=True).update(evaluated_on=day)


def watch(day):
    """Work off the watch of a day and return what it noted."""
    on(day)
    price_watch_request()
    work_off()
    return PriceWatch.objects.get(day=day)


def proposed(run):
    answer = answers_of(run).get()
    values = {"option": answer.option, "amount": Decimal("1000"), "valid_until": date(2027, 12, 31)}
    return decision_prepare(by=actor("analyst"), run=run, workload_code="serve", values=values)


def test_a_night_notes_what_expired_and_asks_for_recommendations_anew():
    make_assumptions()
    ending = make_quote(valid_until=AS_OF)
    make_quote(sku="other")

    watch(AS_OF)
    noted = watch(AS_OF + timedelta(days=1))

    assert (noted.expired, noted.started, noted.is_recomputing) == ([ending.code], [], True)
    assert AuditEntry.objects.filter(action="price.watch").exists()
    assert run_latest_finished().as_of == AS_OF + timedelta(days=1)


def test_a_night_that_changes_nothing_says_so_and_asks_nothing():
    make_assumptions()
    make_quote()
    watch(AS_OF)
    work_off()
    jobs = Job.objects.filter(kind="recompute").count()

    noted = watch(AS_OF + timedelta(days=1))

    assert not noted.is_recomputing
    assert Job.objects.filter(kind="recompute").count() == jobs


def test_a_service_that_stood_still_misses_no_expiry():
    make_assumptions()
    quote = make_quote(valid_until=AS_OF + timedelta(days=2))
    watch(AS_OF)

    assert watch(AS_OF + timedelta(days=9)).expired == [quote.code]
    assert watch(AS_OF + timedelta(days=10)).expired == []


def test_an_age_limit_ends_a_price_that_states_no_end():
    make_assumptions()
    spot = make_quote(sku="spot", purchase_model="spot", quoted_on=AS_OF, valid_until=None, capacity_class="spot")
    watch(AS_OF)

    assert watch(AS_OF + timedelta(days=1)).expired == []  # 1 day
    assert watch(AS_OF + timedelta(days=2)).expired == [spot.code]


def test_the_minute_tick_asks_for_one_watch_a_day_in_the_zone_of_the_assumptions(monkeypatch):
    make_assumptions(evaluated_on=None, time_zone="Asia/Tokyo")

    class Tick:
        def progress(self, *told):
            """Tell nobody."""

    half_past_midnight_in_tokyo = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: half_past_midnight_in_tokyo)
    clock_tick(Tick(), "slot")
    clock_tick(Tick(), "slot")

    assert list(Job.objects.filter(kind="price_watch").values_list("args", flat=True)) == [{"day": "2026-12-01"}]


def test_a_price_of_a_later_day_waits_and_the_one_before_holds_until_then():
    make_assumptions()
    first = make_quote(price="3.00")
    day = date(2027, 1, 1)
    second = quote_supersede(by=SYSTEM, quote=first, version=1, values={"price": "2.50", "valid_from": day})

    assert [quote.version for quote in quotes_in_force_on(AS_OF)] == [1]
    assert [quote.version for quote in quotes_valid_on(day - timedelta(days=1))] == [1]
    assert [quote.pk for quote in quotes_in_force_on(day)] == [second.pk]

    run, _ = run_request(by=SYSTEM)
    assert run.inputs["quotes"][0]["price"] == "3"
    watch(AS_OF)
    assert watch(day).started == [first.code]
    assert run_latest_finished().inputs["quotes"][0]["price"] == "2.5"


def test_an_offer_whose_first_day_has_not_come_is_in_no_run():
    make_assumptions()
    make_quote(valid_from=AS_OF + timedelta(days=1))

    assert run_request(by=SYSTEM)[0].inputs["quotes"] == []


def test_a_discount_that_begins_or_ends_is_noted():
    make_assumptions()
    make_quote()
    make_discount(valid_from=date(2026, 12, 2), valid_until=date(2026, 12, 3))
    watch(date(2026, 12, 1))

    assert watch(date(2026, 12, 2)).discounts_started == ["acme-frame"]
    assert run_latest_finished().inputs["quotes"][0]["price"] == "2.7"
    assert watch(date(2026, 12, 4)).discounts_ended == ["acme-frame"]
    assert run_latest_finished().inputs["quotes"][0]["price"] == "3"


def test_an_expired_quote_cannot_be_approved_and_the_refusal_names_day_and_zone():
    make_assumptions(time_zone="Europe/Berlin")
    quote = make_quote(valid_until=date(2026, 12, 5))
    make_workload()
    work_off()
    decision = proposed(run_latest_finished())
    assert quote.code in decision.option
    on(date(2026, 12, 5))  # its last day
    assert decision_approve(by=actor("finance"), decision=decision, version=1).state == "approved"

    decision = proposed(decision.run)
    on(date(2026, 12, 6))
    with pytest.raises(ProcurementError, match=r"until the end of 2026-12-05 \(Europe/Berlin\), as stated") as refusal:
        decision_approve(by=actor("finance"), decision=decision, version=1)
    assert refusal.value.code == "quote_expired"
    with pytest.raises(ProcurementError, match="2026-12-05"):
        proposed(decision.run)
    assert watch(date(2026, 12, 6)).decisions == [decision.code]


def test_a_price_that_rests_on_a_discount_can_be_approved_no_longer_than_the_discount_holds():
    make_assumptions()
    make_quote(valid_until=date(2027, 1, 31))
    make_discount(valid_until=date(2026, 12, 31))
    make_workload()
    work_off()
    decision = proposed(run_latest_finished())

    on(date(2027, 1, 1))
    with pytest.raises(ProcurementError, match="2026-12-31"):
        decision_approve(by=actor("finance"), decision=decision, version=1)


def test_a_watch_is_made_once_however_often_it_runs():
    make_assumptions()
    make_quote(valid_until=AS_OF - timedelta(days=1))
    watch(AS_OF)
    Job.objects.filter(kind="price_watch").delete()

    assert watch(AS_OF).expired
    assert PriceWatch.objects.count() == 1
