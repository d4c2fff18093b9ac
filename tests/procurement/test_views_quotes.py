"""Pages of quotes: list and filters, versions, refusals that keep what was typed, two editors, export."""

from datetime import date
from decimal import Decimal

import pytest
from django.urls import reverse

from procurement.models import Job, Quote
from tests.factories import make_assumptions, make_provider, make_quote
from tests.procurement.page_tools import signed_in, typed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _day_is_fixed():
    make_assumptions()


def new_quote(**changes):
    """Return the fields of a new quote as a browser sends them."""
    return {
        "provider": make_provider().pk, "source": "mail of 20 Nov", "quoted_on": "2026-11-20",
        "accelerator": "H100-SXM", "price": "2,39", "currency": "usd", "price_basis": "per_accelerator_hour",
        "purchase_model": "contract", "payment_option": "none", "upfront": "0", "setup_fee": "0", "exit_fee": "0",
        **changes,
    }  # fmt: skip


def test_a_quote_is_entered_and_its_number_echoed_as_it_was_read():
    client = signed_in("analyst")

    answer = client.post(reverse("procurement:quote_new"), new_quote(), follow=True)

    quote = Quote.objects.get()
    assert (quote.price, quote.currency, quote.created_by.username) == (Decimal("2.39"), "USD", "analyst")
    assert b"Price: `2,39` was read as 2.39" in answer.content
    assert Job.objects.filter(kind="recompute").count() == 1


def test_an_estimate_is_stored_as_likely_value_and_range():
    signed_in("analyst").post(reverse("procurement:quote_new"), new_quote(price="2 / 2.4 / 3"))

    quote = Quote.objects.get()
    assert quote.price == Decimal("2.4")
    assert quote.ranges == {"price": {"min": 2, "max": 3}}


def test_a_refused_quote_keeps_what_was_typed_and_says_what_would_be_right():
    client = signed_in("analyst")

    answer = client.post(reverse("procurement:quote_new"), new_quote(price="1,234", source="kept words"))

    page = answer.content.decode()
    assert answer.status_code == 422
    assert "<title>Error: New quote" in page
    assert "can be read as 1234 or as 1.234" in page
    assert "kept words" in page
    assert 'id="faults" data-focus' in page
    assert not Quote.objects.exists()


def test_a_quote_that_ends_before_it_was_made_is_refused_beside_its_field():
    answer = signed_in("analyst").post(reverse("procurement:quote_new"), new_quote(valid_until="2026-11-01"))

    assert answer.status_code == 422
    assert not Quote.objects.exists()


def test_a_change_makes_a_new_version_and_the_old_one_stays_readable():
    quote = make_quote(price="3.00")
    client = signed_in("analyst")
    address = reverse("procurement:quote_edit", args=[quote.pk])

    client.post(address, typed(client.get(address).context["form"], price="2.80"))

    versions = list(
        Quote.objects.filter(code=quote.code).order_by("version").values_list("version", "price", "is_current")
    )
    assert versions == [(1, Decimal("3.00"), False), (2, Decimal("2.80"), True)]
    assert client.get(reverse("procurement:quote", args=[quote.pk])).status_code == 200


def test_the_second_of_two_editors_sees_both_values_and_loses_nothing():
    quote = make_quote(price="3.00", region="us-east-1")
    first, second = signed_in("analyst", "first"), signed_in("analyst", "second")
    address = reverse("procurement:quote_edit", args=[quote.pk])
    their_form, my_form = first.get(address).context["form"], second.get(address).context["form"]
    first.post(address, typed(their_form, price="2.80", region="eu-west-1", reason="new offer"))

    conflict = second.post(address, typed(my_form, price="2.90", quantity_available="128", reason="mine"))

    page = conflict.content.decode()
    assert conflict.status_code == 409
    assert "2.8" in page
    assert "2.90" in page
    assert "new offer" in page
    merged = conflict.context["form"]
    assert merged.data["region"] == "eu-west-1"  # only they changed it
    assert merged.data["quantity_available"] == "128"  # only I changed it
    assert [row.label for row in conflict.context["differences"]] == ["Price"]

    second.post(address, merged.data.dict())
    newest = Quote.objects.get(code=quote.code, is_current=True)
    assert (newest.version, newest.price, newest.region, newest.quantity_available) == (
        3,
        Decimal("2.90"),
        "eu-west-1",
        128,
    )


def test_filters_and_order_stand_in_the_address_and_are_shown_as_chips():
    make_quote(sku="cheap", price="2.00", valid_until=date(2026, 12, 5))
    make_quote(sku="dear", price="9.00", valid_until=date(2027, 5, 5))
    client = signed_in("viewer")

    page = client.get(reverse("procurement:quotes"), {"validity": "soon", "q": "cheap", "sort": "-price"})

    assert [row.quote.sku for row in page.context["rows"]] == ["cheap"]
    assert [chip["name"] for chip in page.context["chips"]] == ["Search", "Validity"]
    assert (page.context["count"], page.context["count_all"]) == (1, 2)


@pytest.mark.parametrize(
    "query",
    [
        "page=99999", "page=x", "size=7", "sort=password", "validity=nonsense", "provider=nobody", "q=%00", "state=x",
        "accelerator=%F0",
    ],
)  # fmt: skip
def test_no_address_however_odd_breaks_the_list(query):
    make_quote()

    assert signed_in("viewer").get(f"{reverse('procurement:quotes')}?{query}").status_code == 200


def test_an_ended_quote_is_told_apart_from_one_by_age_limit():
    make_quote(sku="ended", valid_until=date(2026, 11, 25))
    make_quote(sku="aged", purchase_model="spot", valid_until=None, quoted_on=date(2026, 1, 5))
    make_quote(sku="open")
    client = signed_in("viewer")

    ended = client.get(reverse("procurement:quotes"), {"validity": "ended"})

    assert {row.quote.sku for row in ended.context["rows"]} == {"ended", "aged"}


def test_the_export_holds_the_chosen_rows_and_says_how_many():
    make_quote(sku="kept", price="2.00")
    make_quote(sku="=cmd()", price="9.00")

    answer = signed_in("viewer").get(reverse("procurement:quotes_export"), {"q": "kept"})
    everything = signed_in("viewer").get(reverse("procurement:quotes_export"))

    assert answer["X-Row-Count"] == "1"
    assert b"kept" in answer.content
    assert b",=cmd()" not in everything.content


def test_an_offer_is_archived_and_undone():
    quote = make_quote()
    client = signed_in("analyst")

    page = client.post(reverse("procurement:quote_archive", args=[quote.pk]), {"version": 1}, follow=True)
    assert reverse("procurement:quote_restore", args=[quote.pk]).encode() in page.content
    client.post(reverse("procurement:quote_restore", args=[quote.pk]))

    assert Quote.objects.get(code=quote.code, is_current=True).is_archived is False


def test_the_history_says_who_when_why_and_what():
    quote = make_quote(price="3.00")
    client = signed_in("analyst")
    address = reverse("procurement:quote_edit", args=[quote.pk])
    client.post(address, typed(client.get(address).context["form"], price="2.80", reason="discount agreed"))
    newest = Quote.objects.get(is_current=True)

    page = client.get(reverse("procurement:quote_history", args=[newest.pk])).content.decode()

    assert "analyst" in page
    assert "discount agreed" in page
    assert '<del class="diff__was">3</del>' in page
    assert '<ins class="diff__now">2.8</ins>' in page


def test_the_expiry_list_shows_quotes_soonest_first():
    make_quote(sku="later", valid_until=date(2026, 12, 20))
    make_quote(sku="sooner", valid_until=date(2026, 12, 2))

    page = signed_in("viewer").get(reverse("procurement:expiries"))

    assert [row.quote.sku for row in page.context["quotes"]] == ["sooner", "later"]


def test_the_list_asks_the_database_the_same_however_long_it_is(django_assert_max_num_queries):
    for number in range(12):
        make_quote(sku=f"offer-{number}")
    client = signed_in("viewer")

    with django_assert_max_num_queries(14):
        client.get(reverse("procurement:quotes"))
