"""Pages of discounts, prices over time, comparisons and sources: what a price is, and where it comes from."""

from datetime import date, timedelta

import pytest
from django.urls import reverse

from procurement.models import ContractDiscount, PriceSheet, SheetState
from procurement.selectors.runs import run_latest_finished
from procurement.services.quotes import quote_supersede
from tests.factories import (
    AS_OF,
    SYSTEM,
    actor,
    make_assumptions,
    make_discount,
    make_provider,
    make_quote,
    make_workload,
)
from tests.procurement.api_tools import make_sheet
from tests.procurement.page_tools import signed_in, typed
from tests.procurement.test_runs import work_off

pytestmark = pytest.mark.django_db
EUR = {"base": "EUR", "counter": "USD", "rate": "1.16", "on": date(2026, 11, 27), "source": "ECB"}


@pytest.fixture(autouse=True)
def _day_is_fixed():
    make_assumptions(fx=[EUR], time_zone="Europe/Berlin")


def shown(page, *args, query=""):
    return signed_in("viewer").get(reverse(f"procurement:{page}", args=args) + query).content.decode()


def words(html):
    """Return the text of a page with single spaces."""
    return " ".join(html.split())


def test_a_discount_is_entered_and_its_page_shows_the_offers_with_both_prices():
    quote = make_quote(price="3.00")
    client = signed_in("finance")
    address = reverse("procurement:discount_new")
    form = client.get(address).context["form"]
    assert form.typed("time_zone") == "Europe/Berlin"

    answer = client.post(
        address,
        typed(
            form, code="frame", provider=make_provider().pk, discount_percent="12,5", source="contract 7",
            valid_until="2026-12-31", reason="agreed with sales",
        ),
        follow=True,
    )  # fmt: skip

    page = answer.content.decode()
    assert ContractDiscount.objects.get().created_by.username == "finance"
    assert quote.code in page
    assert "USD 3.0000" in page
    assert "USD 2.6250" in page  # 3 x 0.875
    assert "agreed with sales" in page


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"discount_percent": "", "discount_per_accelerator_hour": ""}, "either a share or an amount"),
        ({"discount_percent": "10", "discount_per_accelerator_hour": "1"}, "either a share or an amount"),
        ({"discount_percent": "", "discount_per_accelerator_hour": "1"}, "currency of the amount"),
        ({"discount_percent": "120"}, "above 0 and below 100"),
        ({"time_zone": "Berlin"}, "no time zone"),
        ({"reason": ""}, "This field is required"),
    ],
)
def test_a_refused_discount_keeps_what_was_typed_and_says_what_would_be_right(changes, message):
    client = signed_in("analyst")
    address = reverse("procurement:discount_new")
    filled = {"code": "frame", "provider": make_provider().pk, "discount_percent": "10", "source": "kept words"}

    answer = client.post(address, typed(client.get(address).context["form"], **{**filled, **changes}))

    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert "kept words" in answer.content.decode()


def test_a_discount_that_meets_another_is_refused_beside_its_days():
    make_discount("acme-frame")
    client = signed_in("analyst")
    address = reverse("procurement:discount_new")
    filled = {"code": "second", "provider": make_provider().pk, "discount_percent": "10", "source": "letter"}

    answer = client.post(address, typed(client.get(address).context["form"], **filled))

    assert "`second` and `acme-frame` would both hold" in answer.content.decode()


def test_two_people_change_a_discount_and_the_second_sees_both_values():
    discount = make_discount()
    client = signed_in("analyst")
    address = reverse("procurement:discount_edit", args=[discount.code])
    form = client.get(address).context["form"]
    signed_in("finance").post(address, typed(form, discount_percent="15"))

    answer = client.post(address, typed(form, discount_percent="20"))

    assert answer.status_code == 409
    assert "15" in answer.content.decode()
    assert "20" in answer.content.decode()


def test_an_archived_discount_can_be_brought_back():
    discount = make_discount()
    client = signed_in("finance")

    client.post(reverse("procurement:discount_archive", args=[discount.code]), {"version": 1})
    assert discount.code not in shown("discounts")
    client.post(reverse("procurement:discount_restore", args=[discount.code]))

    assert discount.code in shown("discounts")


def test_the_list_shows_list_price_discount_derivation_base_currency_rate_and_zone():
    quote = make_quote(price="24", price_basis="per_instance_hour", accelerators_per_instance=8, currency="EUR")
    make_discount()

    page = words(shown("quotes"))

    assert "EUR 2.7000" in page  # 24 / 8 x 0.9
    assert "less acme-frame" in page
    assert "<li>/ 8 accelerators</li>" in page
    assert "USD 3.1320" in page  # 2.7 x 1.16
    assert "1 EUR = " in page
    assert "ECB" in page
    assert quote.currency == "EUR"


def test_a_missing_rate_is_said_and_nothing_is_compared():
    quote = make_quote(currency="GBP")

    for page in (shown("quotes"), shown("quote", quote.pk), shown("quotes_compare", query=f"?code={quote.code}")):
        assert "no rate GBP to USD on or before 2026-11-30" in page


def test_an_old_rate_is_flagged_by_its_age():
    make_assumptions(fx=[{**EUR, "on": AS_OF - timedelta(days=31)}])
    make_quote(currency="EUR")

    assert "Rate too old" in shown("quotes")


def test_a_price_past_its_age_limit_says_since_when():
    quote = make_quote(valid_until=None, quoted_on=AS_OF - timedelta(days=31))  # on demand counts for 30 days

    assert "too old since" in words(shown("quotes"))
    page = words(shown("quote", quote.pk))
    assert '<time datetime="2026-11-30">30 Nov 2026</time>: no end is stated' in page


def test_a_later_version_shows_when_it_begins():
    quote = make_quote()
    later = quote_supersede(by=SYSTEM, quote=quote, version=1, values={"valid_from": date(2027, 1, 1)})

    assert "it holds from <time" in words(shown("quote", later.pk))
    assert "Waits for its first day" in shown("quote", later.pk)


def test_versions_show_what_changed_who_changed_it_and_why():
    quote = make_quote(price="3.00", region="us-east-1")
    by = actor("analyst", reason="supplier called")
    quote_supersede(by=by, quote=quote, version=1, values={"price": "2.80", "region": "us-west-2"})

    page = words(shown("quote_versions", quote.pk))

    assert "What version 2 changed" in page
    assert '<del class="diff__was">3</del>' in page
    assert '<ins class="diff__now">2.8</ins>' in page
    assert "us-west-2" in page
    assert "supplier called" in page
    assert "analyst" in page


def test_prices_over_time_are_a_chart_a_table_and_a_file():
    quote = make_quote(price="3.00", quoted_on=date(2026, 9, 1), valid_until=date(2026, 9, 30))
    quote_supersede(
        by=SYSTEM, quote=quote, version=1,
        values={"price": "2.50", "quoted_on": date(2026, 11, 1), "valid_until": date(2027, 1, 31)},
    )  # fmt: skip
    make_discount(time_zone="Europe/Berlin")

    page = shown("quote_prices", quote.pk)
    file = signed_in("viewer").get(reverse("procurement:quote_prices_file", args=[quote.pk]))

    assert "<svg" in page
    assert "After discount" in page
    assert "expired: valid until 2026-09-30" in page
    assert file["X-Row-Count"] == "3"
    assert file.content.decode().splitlines()[1].startswith(f"{quote.code},1,2026-09-01,2026-09-30,held,,USD,3,")


def test_offers_side_by_side_mark_what_differs_and_name_what_is_not_there():
    one, other = make_quote(price="3.00"), make_quote(sku="b200-8", accelerator="B200", price="4.00")

    page = words(shown("quotes_compare", query=f"?code={one.code}&code={other.code}&code=gone"))

    assert "No offer is named gone" in page
    assert page.index(one.code) < page.index(other.code)
    assert 'Accelerator<span class="compare__dot"' in page
    assert "stated per accelerator-hour" not in page
    assert "<li>3 USD per accelerator-hour</li>" in page


def test_a_failed_refresh_leaves_the_last_good_sheet_in_force_and_every_page_says_so():
    good = make_sheet()
    PriceSheet.objects.filter(pk=good.pk).update(format_key="own_csv", observed_on=AS_OF - timedelta(days=12))
    bad = make_sheet(state=SheetState.REFUSED)
    PriceSheet.objects.filter(pk=bad.pk).update(message="line 7: no price", content_sha256="1" * 64)
    quote = make_quote(sheet=PriceSheet.objects.get(pk=good.pk))

    source = signed_in("viewer").get(reverse("procurement:price_sources")).context["sources"][0]

    assert (source.in_force.pk, source.newest.pk, source.age_days, source.failures) == (good.pk, bad.pk, 12, 1)
    for page in (shown("price_sources"), shown("quotes"), shown("quote", quote.pk)):
        assert "line 7: no price" in page
    assert "stays in force" in shown("quotes")


def test_a_recommendation_shows_the_discount_its_run_froze_and_the_source_that_was_not_refreshed():
    good = make_sheet()
    PriceSheet.objects.filter(pk=good.pk).update(format_key="own_csv", observed_on=AS_OF - timedelta(days=12))
    bad = make_sheet(state=SheetState.REFUSED)
    PriceSheet.objects.filter(pk=bad.pk).update(message="line 7: no price", content_sha256="1" * 64)
    make_quote(price="3.00", sheet=PriceSheet.objects.get(pk=good.pk))
    make_discount(time_zone="Europe/Berlin")
    make_workload()
    work_off()

    run = run_latest_finished()
    page = words(signed_in("viewer").get(reverse("reports:recommendation", args=[run.pk, "serve"])).content.decode())

    assert "Contract discounts in these figures" in page
    assert "<li>= 2.7 USD per accelerator-hour</li>" in page
    assert "<dt>Not refreshed</dt>" in page
    assert "line 7: no price" in page
