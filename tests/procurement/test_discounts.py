"""Contract discounts: when and for what they hold, never two at once, frozen with their steps, the list price kept."""

from datetime import date
from decimal import Decimal

import pytest

from procurement.errors import PermissionRefused, ProcurementError, VersionConflict
from procurement.models import AuditEntry, ContractDiscount, Job, Quote
from procurement.selectors.discounts import (
    discounted_price,
    discounts_in_use,
    holds_on,
    patterns_meet,
    quotes_covered,
)
from procurement.selectors.frames import scenario_document
from procurement.services.discounts import discount_archive, discount_create, discount_update
from tests.factories import AS_OF, SYSTEM, actor, make_assumptions, make_discount, make_provider, make_quote

pytestmark = pytest.mark.django_db
AMOUNT = "discount_per_accelerator_hour"


def paid_for(quote, day=AS_OF, zone="UTC"):
    return discounted_price(Quote.objects.get(pk=quote.pk), discounts_in_use(), day, zone)


def frozen(quote, **changes):
    assumption_set = make_assumptions(**changes)
    document = scenario_document(assumption_set=assumption_set, as_of=AS_OF)
    return next(entry for entry in document["quotes"] if entry["id"] == quote.code)


def test_the_list_price_stays_and_the_steps_lead_to_what_is_paid():
    quote = make_quote(price="24", price_basis="per_instance_hour", accelerators_per_instance=8)
    make_discount(discount_percent="12.5")

    paid = paid_for(quote)

    assert (paid.list_price, paid.price, paid.price_per_accelerator_hour) == (24, 21, Decimal("2.625"))  # 21 / 8
    assert paid.steps == (
        "list price 24 USD per instance-hour",
        "- 12.5 % of the price by contract discount acme-frame version 1 (framework agreement 7), until 2027-01-15 UTC",
        "= 21 USD per instance-hour",
        "/ 8 accelerators",
        "= 2.625 USD per accelerator-hour",
    )
    assert Quote.objects.get().price == 24


def test_a_run_freezes_what_is_paid_with_list_price_steps_and_the_day_it_ends():
    quote = make_quote(price="3.00", valid_until=date(2027, 1, 31))
    make_discount(valid_until=date(2027, 1, 15))

    entry = frozen(quote)

    assert (entry["price"], entry["list_price"], entry["valid_until"]) == ("2.7", "3", "2027-01-15")
    assert entry["price_steps"][-1] == "= 2.7 USD per accelerator-hour"


def test_a_quote_without_discount_is_frozen_as_it_was_before_discounts_were_known():
    entry = frozen(make_quote())

    assert "list_price" not in entry
    assert "price_steps" not in entry


def test_an_estimated_price_is_discounted_at_its_ends_too():
    quote = make_quote(price="3", ranges={"price": {"min": 2, "max": 4}})
    make_discount(discount_percent=None, discount_per_accelerator_hour="1.5", currency="USD")

    assert frozen(quote)["price"] == {"min": "0.5", "likely": "1.5", "max": "2.5"}


@pytest.mark.parametrize(
    ("scope", "is_for_it"),
    [
        ({}, True),
        ({"accelerator": "H100"}, True),
        ({"accelerator": "H200"}, False),
        ({"purchase_model": "on_demand"}, True),
        ({"purchase_model": "reserved"}, False),
        ({"region": "US-EAST-1"}, True),
        ({"region": "eu-west-1"}, False),
        ({"sku_pattern": "h100-*"}, True),
        ({"sku_pattern": "H100-?"}, True),
        ({"sku_pattern": "h100"}, False),
        ({"sku_pattern": "[h]100-8"}, False),
    ],
)
def test_a_discount_is_for_what_its_scope_says_and_nothing_else(scope, is_for_it):
    quote = make_quote()
    discount = make_discount(**scope)

    assert quotes_covered(discount) == ([quote] if is_for_it else [])
    assert paid_for(quote).is_discounted == is_for_it


def test_a_discount_of_another_supplier_is_for_none_of_its_offers():
    quote = make_quote()
    make_discount(provider=make_provider("other"))

    assert not paid_for(quote).is_discounted


@pytest.mark.parametrize(
    ("zone", "day", "holds"),
    [
        ("UTC", date(2026, 12, 1), True),
        ("UTC", date(2026, 11, 30), False),
        ("UTC", date(2026, 12, 31), True),
        ("UTC", date(2027, 1, 1), False),
        ("America/Los_Angeles", date(2026, 12, 31), False),  # ends there 8 hours after it ended in UTC
        ("America/Los_Angeles", date(2026, 12, 30), True),
        ("Asia/Tokyo", date(2026, 12, 1), False),  # began there 9 hours before it began in UTC
    ],
)
def test_a_discount_counts_on_a_day_that_it_holds_through_to_its_end(zone, day, holds):
    discount = make_discount(valid_from=date(2026, 12, 1), valid_until=date(2026, 12, 31), time_zone="UTC")

    assert holds_on(discount, day, zone) == holds


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("*", "p5.48xlarge", True), ("p5*", "p5.48xlarge", True), ("p5*", "p4d*", False), ("*xlarge", "p5*", True),
        ("a*b", "b*a", False), ("a?c", "abc", True), ("a?c", "ac", False), ("P5*", "p5*", True), ("a*b*c", "*x*", True),
        ("", "", True), ("", "a*", False), ("**", "", True),
    ],
)  # fmt: skip
def test_two_patterns_meet_where_some_text_fits_both(one, other, meet):
    assert patterns_meet(one, other) == patterns_meet(other, one) == meet


def test_a_second_discount_for_the_same_offer_and_day_is_refused_by_the_names_of_both():
    make_discount("acme-frame", sku_pattern="h100-*")

    with pytest.raises(ProcurementError, match="`acme-promo` and `acme-frame`") as refusal:
        make_discount("acme-promo", accelerator="H100-SXM", valid_from=date(2027, 1, 15), valid_until=None)

    assert refusal.value.code == "discount_overlap"
    assert make_discount("acme-later", accelerator="H100-SXM", valid_from=date(2027, 1, 16), valid_until=None)
    assert make_discount("acme-h200", accelerator="H200", sku_pattern="h200-*")


def test_days_of_different_zones_meet_by_their_instants():
    make_discount("acme-utc", valid_until=date(2026, 12, 31), time_zone="UTC")

    with pytest.raises(ProcurementError, match="acme-utc"):
        make_discount("acme-tokyo", valid_from=date(2027, 1, 1), valid_until=None, time_zone="Asia/Tokyo")


def test_two_discounts_that_met_all_the_same_are_both_left_off_and_said():
    quote = make_quote()
    make_discount("one", sku_pattern="h100-*")
    make_discount("two", sku_pattern="other")
    ContractDiscount.objects.filter(code="two").update(sku_pattern="")

    paid = paid_for(quote)

    assert (paid.price, paid.is_discounted) == (3, False)
    assert "`one` and `two`" in paid.fault
    assert frozen(quote)["price_steps"] == [paid.fault]


def test_an_amount_in_another_currency_than_an_offer_is_refused_with_the_offer():
    quote = make_quote(currency="USD")

    with pytest.raises(ProcurementError, match=f"{quote.code}: an amount in EUR") as refusal:
        make_discount(discount_percent=None, discount_per_accelerator_hour="0.5", currency="EUR")

    assert "discount_per_accelerator_hour" in refusal.value.fields


def test_a_discount_that_leaves_nothing_is_refused_and_later_offers_keep_their_list_price():
    make_quote(price="3")
    with pytest.raises(ProcurementError, match="leaves no price above 0"):
        make_discount(discount_percent=None, discount_per_accelerator_hour="3", currency="USD")
    make_discount(discount_percent=None, discount_per_accelerator_hour="2", currency="USD")

    cheap = make_quote(price="1.50", sku="h100-1", quantity_available=8)

    paid = paid_for(cheap)
    assert paid.price == Decimal("1.5")
    assert "was not taken off" in paid.fault
    assert "list_price" not in frozen(cheap)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"discount_percent": None}, "discount_percent"),
        ({"discount_per_accelerator_hour": "1", "currency": "USD"}, "discount_percent"),
        ({"discount_percent": "100"}, "discount_percent"),
        ({"discount_percent": None, "discount_per_accelerator_hour": "0", "currency": "USD"}, AMOUNT),
        ({"discount_percent": None, "discount_per_accelerator_hour": "1"}, "currency"),
        ({"currency": "USD"}, "currency"),
        ({"valid_until": date(2026, 10, 1)}, "valid_until"),
        ({"time_zone": "Berlin"}, "time_zone"),
        ({"accelerator": "H1000000"}, "accelerator"),
        ({"discount_percent": None, "discount_per_accelerator_hour": "1", "currency": "XXQ"}, "currency"),
    ],
)
def test_a_discount_that_says_nothing_clear_is_refused_beside_its_field(changes, field):
    with pytest.raises(ProcurementError) as refusal:
        make_discount(**changes)

    assert field in refusal.value.fields


def test_a_discount_is_for_analysts_and_finance_who_say_why():
    values = {
        "code": "frame", "provider": make_provider(), "discount_percent": "10", "valid_from": AS_OF, "time_zone": "UTC",
        "source": "letter",
    }  # fmt: skip

    for role in ("viewer", "facilities"):
        with pytest.raises(PermissionRefused):
            discount_create(by=actor(role), values=values)
    with pytest.raises(ProcurementError, match="Say why"):
        discount_create(by=actor("finance", reason=" "), values=values)
    assert discount_create(by=actor("finance"), values=values).reason == "test"
    assert Job.objects.filter(kind="recompute").exists()


def test_a_change_makes_a_version_keeps_the_one_before_in_history_and_refuses_the_second_editor():
    discount = make_discount()

    changed = discount_update(by=actor("analyst"), discount=discount, version=1, values={"discount_percent": "15"})

    assert (changed.version, changed.discount_percent) == (2, 15)
    entry = AuditEntry.objects.get(action="discount.update")
    assert entry.changes["discount_percent"] == ["10.00000000", "15"]
    with pytest.raises(VersionConflict):
        discount_update(by=actor("finance"), discount=discount, version=1, values={"discount_percent": "20"})


def test_an_archived_discount_counts_no_more_and_comes_back_only_where_its_place_is_free():
    quote = make_quote()
    discount = make_discount()

    archived = discount_archive(by=SYSTEM, discount=discount, version=1)
    assert not paid_for(quote).is_discounted

    make_discount("next")
    with pytest.raises(ProcurementError, match="next"):
        discount_archive(by=SYSTEM, discount=archived, version=2, is_archived=False)
