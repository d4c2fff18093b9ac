"""Discounts and prices over the interface: what the pages show, with codes and decimal strings."""

from datetime import date, timedelta

import pytest

from procurement.models import AuditEntry, PriceSheet, PriceWatch, SheetState
from procurement.services.quotes import quote_supersede
from tests.factories import AS_OF, actor, make_assumptions, make_discount, make_provider, make_quote
from tests.procurement.api_tools import client_of, make_sheet

pytestmark = pytest.mark.django_db
EUR = {"base": "EUR", "counter": "USD", "rate": "1.16", "on": date(2026, 11, 27), "source": "ECB"}
DISCOUNT = {
    "code": "acme-frame", "provider": "acme", "discount_percent": "10", "valid_from": "2026-11-01",
    "time_zone": "UTC", "source": "framework agreement 7", "reason": "agreed with sales",
}  # fmt: skip


def test_a_discount_is_made_changed_archived_and_restored_on_its_version():
    make_provider()
    client = client_of("finance")

    made = client.post("discounts/", DISCOUNT)
    assert (made.status_code, made["ETag"], made.json()["discount_percent"]) == (201, '"1"', "10")
    without = client.patch("discounts/acme-frame/", {"discount_percent": "15", "reason": "x"})
    assert without.status_code == 428
    changed = client.patch("discounts/acme-frame/", {"discount_percent": "15", "reason": "renewed"}, If_Match='"1"')
    assert (changed.json()["discount_percent"], changed["ETag"]) == ("15", '"2"')
    late = client.patch("discounts/acme-frame/", {"discount_percent": "20", "reason": "late"}, If_Match='"1"')
    assert late.status_code == 412
    gone = client.delete("discounts/acme-frame/", If_Match='"2"')
    assert gone.json()["is_archived"] is True
    assert client.get("discounts/").json()["results"] == []
    assert client.post("discounts/acme-frame/restore/", {}, If_Match='"3"').status_code == 200
    actions = list(AuditEntry.objects.filter(record_type="contractdiscount").values_list("action", flat=True))
    assert sorted(actions) == ["discount.archive", "discount.archive", "discount.create", "discount.update"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"discount_percent": "100"}, "discount_percent"),
        ({"time_zone": "Berlin"}, "time_zone"),
        ({"reason": ""}, "reason"),
        ({"discount": "10"}, "discount"),
    ],
)
def test_a_discount_that_cannot_be_is_refused_with_the_field(changes, field):
    make_provider()

    reply = client_of("analyst").post("discounts/", {**DISCOUNT, **changes})

    assert reply.status_code in (400, 422)
    assert field in str(reply.json()["errors"])


def test_two_discounts_for_one_offer_are_refused_by_both_names():
    make_discount("acme-frame")

    reply = client_of("analyst").post("discounts/", {**DISCOUNT, "code": "second"})

    assert (reply.status_code, reply.json()["code"]) == (409, "discount_overlap")
    assert "`second` and `acme-frame`" in reply.json()["detail"]


def test_a_price_comes_with_list_price_steps_base_amount_rate_and_last_day():
    make_assumptions(fx=[EUR], time_zone="Europe/Berlin")
    quote = make_quote(price="24", price_basis="per_instance_hour", accelerators_per_instance=8, currency="EUR")
    make_discount()

    price = client_of("viewer").get(f"quotes/{quote.code}/price/").json()

    assert (price["list_price"], price["price"]) == ("24.00", "21.60")  # less 10 %
    assert (price["list_price_per_accelerator_hour"], price["price_per_accelerator_hour"]) == ("3", "2.7")
    assert price["steps"][0] == "list price 24 EUR per instance-hour"
    assert price["base"]["price_per_accelerator_hour"] == "3.132"  # 2.7 x 1.16
    told = {name: price["base"][name] for name in ("currency", "fx_rate", "fx_date", "fx_source", "is_fx_stale")}
    assert told == {
        "currency": "USD", "fx_rate": "1.16", "fx_date": "2026-11-27", "fx_source": "ECB", "is_fx_stale": False,
    }  # fmt: skip
    # the discount ends on 15 January in UTC, an hour into 16 January in Berlin
    assert (price["expires_on"], price["time_zone"], price["discounts"]) == (
        "2027-01-15",
        "Europe/Berlin",
        [DISCOUNT["code"]],
    )
    assert client_of("viewer").get(f"quotes/{quote.code}/").json()["price"] == "24.00"


def test_several_offers_are_compared_and_each_says_what_is_wrong():
    make_assumptions(fx=[EUR])
    one = make_quote()
    other = make_quote(sku="other", currency="GBP", valid_until=None, quoted_on=AS_OF - timedelta(days=40))

    found = client_of("viewer").get(f"quote-prices/?code={one.code}&code={other.code}").json()["results"]

    assert [row["code"] for row in found] == [one.code, other.code]
    assert found[0]["problems"] == []
    assert found[1]["problems"] == ["no rate GBP to USD on or before 2026-11-30; finance adds one to the assumptions"]
    assert (found[1]["is_expired"], found[1]["too_old_since"]) == (True, "2026-11-21")  # 21 Oct + 30 days + 1


def test_a_version_says_what_it_changed_who_made_it_and_why():
    quote = make_quote(price="3.00")
    quote_supersede(by=actor("analyst", reason="called"), quote=quote, version=1, values={"price": "2.80"})

    told = client_of("viewer").get(f"quotes/{quote.code}/versions/2/changes/").json()

    assert (told["previous_version"], told["created_by"], told["reason"]) == (1, "analyst", "called")
    assert {change["field"]: (change["before"], change["after"]) for change in told["changes"]} == {
        "price": ("3.00000000", "2.80000000"), "price_per_accelerator_hour": ("3.00000000", "2.80000000"),
    }  # fmt: skip
    assert client_of("viewer").get(f"quotes/{quote.code}/versions/1/changes/").json()["changes"] == []


def test_the_history_of_an_offer_names_its_gaps():
    make_assumptions()
    quote = make_quote(price="3.00", quoted_on=date(2026, 9, 1), valid_until=date(2026, 9, 30))
    quote_supersede(
        by=actor(), quote=quote, version=1,
        values={"price": "2.50", "quoted_on": date(2026, 11, 1), "valid_until": date(2027, 1, 31)},
    )  # fmt: skip
    client = client_of("viewer")

    rows = client.get(f"quotes/{quote.code}/price-history/").json()["results"]
    file = client.get(f"quotes/{quote.code}/price-history.csv", Accept="text/csv")

    assert [(row["from_on"], row["until_on"], row["state"], row["price_per_accelerator_hour"]) for row in rows] == [
        ("2026-09-01", "2026-09-30", "held", "3"),
        ("2026-10-01", "2026-10-31", "gap", None),
        ("2026-11-01", "2026-11-30", "held", "2.5"),
    ]
    assert rows[1]["why"] == "expired: valid until 2026-09-30"
    assert file["X-Row-Count"] == "3"
    assert len(file.content.decode().splitlines()) == 4


def test_sources_say_which_sheet_is_in_force_and_why_the_newest_is_not():
    make_assumptions()
    good = make_sheet()
    PriceSheet.objects.filter(pk=good.pk).update(format_key="own_csv", observed_on=AS_OF - timedelta(days=12))
    bad = make_sheet(state=SheetState.REFUSED)
    PriceSheet.objects.filter(pk=bad.pk).update(message="line 7: no price", content_sha256="1" * 64)

    source = client_of("viewer").get("price-sources/").json()["results"][0]

    assert (source["newest_sheet"], source["is_failing"], source["why"]) == (bad.pk, True, "line 7: no price")
    assert (source["sheet_in_force"], source["age_days"], source["failures"]) == (good.pk, 12, 1)


def test_nights_are_listed():
    PriceWatch.objects.create(day=AS_OF, time_zone="UTC", since=AS_OF - timedelta(days=1), expired=["acme-1"])

    night = client_of("viewer").get("price-nights/").json()["results"][0]

    assert (night["day"], night["time_zone"], night["expired"]) == ("2026-11-30", "UTC", ["acme-1"])
