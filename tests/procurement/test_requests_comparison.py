"""Bids side by side: rates with their derivation and dated rate, differences marked, apart with reasons, as files."""

import io
from datetime import date, timedelta
from decimal import Decimal

import openpyxl
import pytest

from procurement.models import QuoteRequest
from procurement.selectors.requests_comparison import request_comparison
from procurement.selectors.requests_files import comparison_csv, comparison_workbook
from procurement.services.requests_awards import request_award
from procurement.services.requests_bids import bid_reject
from tests.factories import actor, make_assumptions
from tests.procurement.requests_tools import DUE, make_bid, make_request, moved_clock, opened

pytestmark = pytest.mark.django_db

FX = [
    {"base": "EUR", "counter": "USD", "rate": "1.08", "on": "2026-11-27", "source": "ECB"},
    {"base": "EUR", "counter": "USD", "rate": "9.99", "on": "2027-06-01", "source": "a day to come"},
]


@pytest.fixture(autouse=True)
def moved(monkeypatch):
    return moved_clock(monkeypatch)


def _compared(quote_request, moved):
    opened(quote_request, moved)
    return request_comparison(QuoteRequest.objects.get(pk=quote_request.pk))


def _row(matrix, key):
    return next(row for row in matrix.rows if row.key == key)


def test_prices_are_derived_and_compared_in_our_currency_with_the_rate_and_its_day(moved):
    make_assumptions(fx=FX)
    quote_request = make_request("acme", "neptune", "orion")
    # 16.80 an hour for a node of 8 is 2.10; 2.00 EUR x 1.08 = 2.16 USD; 1,752 a month of 730 hours for 1 is 2.40
    make_bid(quote_request, "acme", price="16.80", price_basis="per_instance_hour", accelerators_per_instance=8)
    make_bid(quote_request, "neptune", price="2.00", currency="EUR")
    make_bid(
        quote_request, "orion", price="1752", price_basis="per_month", price_hours_per_month=730,
        accelerators_per_instance=1,
    )  # fmt: skip

    compared = _compared(quote_request, moved).compared

    rates = [(option.name, option.rate, option.base_rate) for option in compared.options]
    assert rates == [
        ("Acme", Decimal("2.1"), Decimal("2.1")),
        ("Neptune", Decimal("2"), Decimal("2.16")),
        ("Orion", Decimal("2.4"), Decimal("2.4")),
    ]
    assert compared.options[0].steps == ("16.8 USD per instance-hour", "/ 8 accelerators")
    assert compared.options[1].fx_words == "1 EUR = 1.08 USD on 2026-11-27, ECB"
    assert [cell.is_best for cell in _row(compared, "base_rate").cells] == [True, False, False]


def test_without_a_dated_rate_there_is_no_price_in_our_currency_and_it_says_why(moved):
    make_assumptions()
    quote_request = make_request()
    make_bid(quote_request, currency="EUR")

    option = _compared(quote_request, moved).compared.options[0]

    assert (option.rate, option.base_rate) == (Decimal("2.35"), None)
    assert option.fx_words == "no dated rate between EUR and USD"


def test_only_what_differs_is_marked(moved):
    make_assumptions(fx=FX)
    quote_request = make_request()
    make_bid(quote_request, "acme", termination="Ninety days")
    make_bid(quote_request, "neptune", termination="ninety days ", fabric="roce", currency="EUR")

    compared = _compared(quote_request, moved).compared

    marked = {row.key for row in compared.rows if row.differs}
    # nothing up front is the same in any currency; letters and blanks make no other answer
    assert marked == {"base_rate", "rate", "price", "fabric"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"accelerator": "A100-SXM-80GB"}, "offers A100-SXM-80GB; asked were H100-SXM"),
        ({"quantity_available": 63}, "offers 63 accelerators; 64 are needed together"),
        ({"region": "us-east"}, "stands in us-east; asked was eu-north"),
        ({"region": ""}, "stands in no stated region; asked was eu-north"),
        ({"interconnect": "single_node"}, "scale single node; at least multi node is needed"),
        ({"interconnect": ""}, "scale not stated; at least multi node is needed"),
        ({"largest_domain_accelerators": 32}, "largest domain 32; 64 are needed in one"),
        ({"fabric": "ethernet"}, "fabric ethernet; accepted: InfiniBand, RoCE"),
        ({"measured_allreduce_gbps": "299.5"}, "measured all-reduce 299.5; 300 Gbit/s are needed"),
        ({"measured_allreduce_gbps": None}, "measured all-reduce not stated; 300 Gbit/s are needed"),
        ({"power_status": "temporary"}, "power temporary; accepted: firm"),
        ({"earliest_start": date(2027, 3, 2)}, "delivery 2027-03-02; needed by 2027-03-01"),
        ({"earliest_start": None}, "delivery not stated; needed by 2027-03-01"),
        ({"term_months": 37}, "term of 37 months; at most 36 are accepted"),
        ({"access_terms": ""}, "access not answered"),
        ({"valid_until": date(2026, 12, 3)}, "expired: could be signed until the end of 2026-12-03 Europe/Berlin"),
    ],
)
def test_what_breaks_a_must_have_stands_apart_with_both_values(moved, changes, reason):
    quote_request = make_request(
        region="eu-north", accepted_fabrics=["infiniband", "roce"], least_allreduce_gbps="300",
        latest_delivery_on=date(2027, 3, 1), longest_term_months=36, must_answer=["access_terms"],
    )  # fmt: skip
    good = {
        "region": "EU-North", "measured_allreduce_gbps": "300", "earliest_start": date(2027, 3, 1),
        "term_months": 36, "access_terms": "own Slurm partition",
    }  # fmt: skip
    make_bid(quote_request, "acme", **good)
    make_bid(quote_request, "neptune", **{**good, **changes})

    comparison = _compared(quote_request, moved)

    assert [option.name for option in comparison.compared.options] == ["Acme"]
    assert [option.reasons for option in comparison.apart.options] == [(reason,)]


def test_answers_to_further_questions_stand_in_their_rows(moved):
    quote_request = make_request(questions=["Which tier?", "Own images?"])
    make_bid(quote_request, "acme", further_answers=["III", "yes"])
    make_bid(quote_request, "neptune", further_answers=["III"])

    compared = _compared(quote_request, moved).compared

    assert [cell.value for cell in _row(compared, "further:0").cells] == ["III", "III"]
    assert [cell.value for cell in _row(compared, "further:1").cells] == ["yes", None]
    assert (_row(compared, "further:0").differs, _row(compared, "further:1").differs) == (False, True)


def test_late_replaced_and_rejected_bids_are_named_and_not_compared(moved):
    quote_request = make_request()
    make_bid(quote_request, price="3.00")
    rejected = make_bid(quote_request)
    moved.now = DUE + timedelta(minutes=1)
    make_bid(quote_request, "neptune")
    opened(quote_request, moved)
    bid_reject(by=actor("analyst", reason="the site is not theirs"), bid=rejected)

    comparison = request_comparison(QuoteRequest.objects.get())

    assert comparison.compared.options == ()
    assert comparison.apart.options[0].reasons == ("rejected: the site is not theirs",)
    assert {bid.state for bid in comparison.unopened} == {"late", "replaced"}


def test_an_awarded_bid_does_not_expire_out_of_its_comparison(moved):
    quote_request = make_request()
    bid = make_bid(quote_request)
    make_bid(quote_request, "neptune")
    quote_request = opened(quote_request, moved)
    request_award(
        by=actor("analyst", reason="cheapest"), quote_request=quote_request, version=quote_request.version,
        bids=[bid.pk],
    )  # fmt: skip
    moved.now = DUE + timedelta(days=400)

    assert [option.name for option in request_comparison(quote_request).compared.options] == ["Acme", "Neptune"]


def test_before_the_opening_there_is_nothing_to_compare():
    quote_request = make_request()
    make_bid(quote_request)

    comparison = request_comparison(quote_request)

    assert (comparison.compared.options, comparison.apart.options) == ((), ())


def test_the_files_hold_what_the_page_shows(moved):
    make_assumptions(fx=FX)
    quote_request = make_request()
    make_bid(quote_request, "acme", site="=1+1")
    make_bid(quote_request, "neptune", power_status="temporary", currency="EUR")
    comparison = _compared(quote_request, moved)

    lines = comparison_csv(comparison).decode("utf-8-sig").split("\r\n")
    sheet = openpyxl.load_workbook(io.BytesIO(comparison_workbook(comparison))).active

    assert lines[0] == "item,unit,differs,Acme,Neptune"
    assert lines[1] == "standing,,,compared,apart"
    assert '"Price, in our currency",USD per accelerator-hour,,2.35,2.538' in lines
    assert "Can be signed until,,,2027-01-31,2027-01-31" in lines
    cells = {row[0].value: list(row[3:]) for row in sheet.iter_rows()}
    assert [cell.value for cell in cells["Price"]] == [2.35, 2.35]
    assert (cells["Site"][0].value, cells["Site"][0].data_type) == ("=1+1", "s")
    assert cells["Can be signed until"][0].value.date() == date(2027, 1, 31)
    assert cells["exchange rate"][1].value == "1 EUR = 1.08 USD on 2026-11-27, ECB"
