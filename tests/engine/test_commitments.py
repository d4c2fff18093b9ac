"""Commit now, later or shorter: only quotes bind, every later price is an assumption."""

import pytest

from tests.engine.cost_documents import answered, document, option, quote, reserved, workload

YEAR = 16 * 8760


def timing(quotes, name="cloud:rsv", needs=None, **assumptions):
    answer = answered(document(quotes=quotes, workloads=[workload(**(needs or {}))], **assumptions))
    return option(answer, name)["commitment"]


def way(found, kind, months=None):
    return next(entry for entry in found["alternatives"] if (entry["kind"], entry["months"]) == (kind, months))


def test_waiting_a_year_pays_below_a_path_that_makes_up_for_a_year_on_demand():
    # two years: 1.20 now, renewed at 1.20 (1 + g); or 2.00 for a year, then 1.20 (1 + g): always 0.80 dearer a year
    found = timing([quote(), reserved()], needs={"months": 24})

    assert float(found["npv"]) == pytest.approx(2 * 1.2 * YEAR)
    assert float(way(found, "later", 12)["difference"]) == pytest.approx(0.8 * YEAR)
    assert way(found, "later", 12)["pays_at_price_path"] is None
    assert way(found, "later", 12)["reason"] == "none in range"


def test_waiting_pays_where_a_long_term_only_moves_the_dear_year():
    # now: 24 months at 1.80 and the tail on demand at 2.00 x^2; later: 12 months at 2.00, then 24 at 1.80 x, x = 1 + g
    long = reserved(price="1.80", term_months=24)
    found = timing([quote(), long], needs={"months": 36}, price_change_per_year={"cloud": -0.3})
    later = way(found, "later", 12)

    # 2 x^2 - 3.6 x + 1.6 = 0 at x = 0.8 and at x = 1
    assert later["pays_at_price_path"] == pytest.approx(-0.2, abs=1e-6)
    assert float(later["difference"]) == pytest.approx((2 + 3.6 * 0.7 - 3.6 - 2 * 0.49) * YEAR)


def test_the_path_at_which_a_shorter_term_pays_is_a_root():
    # 24 months at 1.60, or 12 at 1.80 renewed at 1.80 (1 + g): equal where 1.8 (2 + g) = 3.2, g = -0.2222
    quotes = [quote(), reserved(price="1.60", term_months=24), reserved(id="short", price="1.80", term_months=12)]
    found = timing(quotes, needs={"months": 24})
    shorter = way(found, "shorter", 12)

    assert shorter["quote"] == "short"
    assert shorter["pays_at_price_path"] == pytest.approx(3.2 / 1.8 - 2, abs=1e-6)
    assert float(shorter["difference"]) == pytest.approx(0.4 * YEAR)


def test_on_demand_pays_where_prices_fall_fast_enough():
    # 1.60 twice, or 2.00 and 2.00 (1 + g): equal at g = -0.4
    found = timing([quote(), reserved(price="1.60", term_months=24)], needs={"months": 24})

    assert way(found, "on_demand")["pays_at_price_path"] == pytest.approx(-0.4, abs=1e-6)


def test_the_assumption_is_named_and_the_quote_says_until_when_it_binds():
    found = timing(
        [quote(), reserved(valid_until="2026-12-15")], needs={"months": 24}, price_change_per_year={"cloud": -0.1}
    )

    assert found["assumed"] == ["later_prices_follow_price_path"]
    assert found["price_path"] == -0.1
    assert found["sign_by"] == "2026-12-01"


def test_a_shorter_term_of_another_provider_is_no_renewal():
    quotes = [quote(), reserved(term_months=24), reserved(id="short", term_months=12, provider="Other")]
    found = timing(quotes, needs={"months": 24})

    assert {entry["kind"] for entry in found["alternatives"]} == {"later", "on_demand"}


def test_on_demand_has_nothing_to_sign():
    answer = answered(document(quotes=[quote()]))

    assert "commitment" not in option(answer, "cloud:od")


def test_a_shorter_term_in_a_currency_without_a_rate_is_left_out():
    short = reserved(id="short", term_months=6, currency="EUR")
    answer = answered(document(quotes=[reserved(), short, quote(price="4.00")], workloads=[workload(months=12)]))

    ways = option(answer, "cloud:rsv")["commitment"]["alternatives"]

    assert ways
    assert "short" not in {way["quote"] for way in ways}
    assert "NaN" not in {way["npv"] for way in ways}
