"""The last day of an offer ends at midnight in the time zone that was stated with it, not in ours."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.models import Quote
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.selectors.frames import scenario_document
from procurement.selectors.prices import price_book
from procurement.selectors.quotes import quotes_valid_on
from procurement.selectors.runs import answers_of
from procurement.services.decisions import decision_approve, decision_prepare
from procurement.services.quotes import quote_create
from procurement.services.runs import run_request
from tests.factories import SYSTEM, actor, make_assumptions, make_provider, make_quote, make_workload
from tests.procurement.page_tools import signed_in
from tests.procurement.sheet_tools import confirmed, receive_bytes
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
LAST_DAY = date(2026, 11, 30)
TOKYO_ENDS = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)  # midnight in Tokyo, nine hours before ours
ANGELES_ENDS = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)  # midnight in Los Angeles, eight hours after ours


@pytest.fixture
def at(monkeypatch):
    """Return a function that sets what time it is; the assumptions pin no day and have the zone UTC."""
    make_assumptions(evaluated_on=None, time_zone="UTC")

    def set_time(moment):
        monkeypatch.setattr(timezone, "now", lambda: moment)

    set_time(TOKYO_ENDS - SECOND)
    return set_time


@pytest.mark.parametrize(
    ("zone", "moment", "is_expired", "last_day_of_ours"),
    [
        ("Asia/Tokyo", TOKYO_ENDS - SECOND, False, LAST_DAY),
        ("Asia/Tokyo", TOKYO_ENDS, True, LAST_DAY - timedelta(days=1)),
        ("America/Los_Angeles", ANGELES_ENDS - SECOND, False, date(2026, 12, 1)),
        ("America/Los_Angeles", ANGELES_ENDS, True, LAST_DAY),
        ("", datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), False, LAST_DAY),
        ("", datetime(2026, 12, 1, tzinfo=UTC), True, LAST_DAY),
    ],
)
def test_an_offer_ends_at_midnight_of_its_own_zone(at, zone, moment, is_expired, last_day_of_ours):
    quote = make_quote(valid_until=LAST_DAY, time_zone=zone, quoted_on=date(2026, 11, 20))

    at(moment)

    priced = price_book().priced(quote)
    assert (priced.is_expired, priced.expires_on) == (is_expired, last_day_of_ours)
    page = signed_in("viewer").get(reverse("procurement:quotes"), {"validity": "ended"})
    assert (quote.code in page.content.decode()) is is_expired


def test_a_run_freezes_the_last_day_of_ours_and_not_one_that_has_ended(at):
    make_quote(valid_until=LAST_DAY, time_zone="America/Los_Angeles", quoted_on=date(2026, 11, 20))
    make_quote(sku="b", valid_until=LAST_DAY, time_zone="Asia/Tokyo", quoted_on=date(2026, 11, 20))
    make_quote(sku="c", valid_until=LAST_DAY, time_zone="Asia/Tokyo", quoted_on=LAST_DAY)

    def frozen():
        document = scenario_document(assumption_set=assumption_set_in_force(), as_of=LAST_DAY)
        return {quote["sku"]: quote["valid_until"] for quote in document["quotes"]}

    before = frozen()
    at(TOKYO_ENDS)
    after = frozen()

    assert before == {"h100-8": "2026-12-01", "b": "2026-11-30", "c": "2026-11-30"}
    assert after == {"h100-8": "2026-12-01", "b": "2026-11-29"}  # the third was quoted on its only day


def test_a_decision_on_it_is_approved_one_second_before_midnight_there_and_refused_at_midnight(at):
    quote = make_quote(valid_until=LAST_DAY, time_zone="Asia/Tokyo", quoted_on=date(2026, 11, 20))
    make_workload()
    run, _ = run_request(by=SYSTEM)
    work_off()
    run.refresh_from_db()
    option = next(option for option in answers_of(run).get().options.all() if quote.code in option.option).option
    values = {"option": option, "amount": Decimal(1000), "valid_until": date(2027, 12, 31)}

    decision = decision_prepare(by=actor("analyst"), run=run, workload_code="serve", values=values)
    at(TOKYO_ENDS)

    with pytest.raises(ProcurementError, match=r"until the end of 2026-11-30 \(Asia/Tokyo\)"):
        decision_approve(by=actor("finance"), decision=decision, version=decision.version)


def test_the_zone_of_a_draft_reaches_its_offers_and_a_row_may_name_its_own(at):
    header = "id,provider,sku,accelerator,price,price_basis,currency,purchase_model,valid_until,time_zone\n"
    rows = (
        "a,Acme,hgx,H100 SXM,2.50,per_accelerator_hour,USD,on_demand,2026-12-15,\n",
        "b,Acme,hgx-2,H100 SXM,2.60,per_accelerator_hour,USD,on_demand,2026-12-15,Europe/Berlin\n",
        "c,Acme,hgx-3,H100 SXM,2.70,per_accelerator_hour,USD,on_demand,,\n",
        "d,Acme,hgx-4,H100 SXM,2.80,per_accelerator_hour,USD,on_demand,2026-12-15,Mars/Base\n",
    )
    content = (header + "".join(rows)).encode()
    sheet = receive_bytes(content, is_draft=True, is_skipping_faulty=True, zone="Asia/Tokyo")

    confirmed(sheet)

    assert [fault["rule"] for fault in sheet.reports.get(kind="validation").content["faults"]] == ["not_a_time_zone"]
    zones = dict(Quote.objects.values_list("code", "time_zone"))
    assert zones == {"a": "Asia/Tokyo", "b": "Europe/Berlin", "c": ""}


def test_the_page_says_where_the_last_day_ends(at):
    quote = make_quote(valid_until=LAST_DAY, time_zone="Asia/Tokyo", quoted_on=date(2026, 11, 20))

    page = signed_in("viewer").get(reverse("procurement:quote", args=[quote.pk])).content.decode()

    assert "to the end of the day in Asia/Tokyo" in page
    assert "30 Nov 2026, 15:00 UTC" in page


def test_what_is_no_zone_is_refused_beside_its_field():
    with pytest.raises(ProcurementError) as refused:
        quote_create(
            by=actor("analyst"),
            values={
                "provider": make_provider("acme"), "accelerator": "H100-SXM", "price": Decimal(2), "currency": "USD",
                "quoted_on": LAST_DAY, "source": "mail", "time_zone": "Mars/Base",
            },
        )  # fmt: skip

    assert list(refused.value.fields) == ["time_zone"]
    assert quotes_valid_on(LAST_DAY) == []
