"""Cloud costs worked by hand, 16 H100 for 12 months unless a case says otherwise (semantics 1 to 9, 22, 23)."""

import pytest

from tests.engine.cost_documents import document, quote, reserved, workload
from tests.engine.rules_costs import asked, case, cents, hold, present, rates, window

CLOUD = [
    case("on demand: 16 x 2.00 x 8,760", asked(), "cloud:od", nominal_cost="280320.00", npv="280320.00"),
    case("half the hours", asked(w=workload(demand={"utilisation": 0.5})), "cloud:od", nominal_cost="140160.00"),
    case(
        "100 hours a month",
        asked(w=workload(demand={"hours_per_month": 100})),
        "cloud:od",
        nominal_cost=cents(16 * 2 * 100 * 12),
    ),
    case(
        "800 hours a month are 730",
        asked(w=workload(demand={"hours_per_month": 800})),
        "cloud:od",
        nominal_cost="280320.00",
    ),
    case(
        "hours by month",
        asked(w=workload(demand={"monthly": [100, 200, 300]}, months=3)),
        "cloud:od",
        nominal_cost=cents(32 * 600),
    ),
    case("a month of 720 hours", asked(hours_per_month=720), "cloud:od", nominal_cost=cents(32 * 720 * 12)),
    case("18 are three nodes", asked(w=workload(accelerators=18)), "cloud:od", nominal_cost=cents(24 * 2 * 730 * 12)),
    case(
        "18 are five instances of four",
        asked(quote(accelerators_per_instance=4), workload(accelerators=18)),
        "cloud:od",
        nominal_cost=cents(20 * 2 * 730 * 12),
    ),
    case("at least 64", asked(quote(min_accelerators=64)), "cloud:od", nominal_cost=cents(64 * 2 * 730 * 12)),
    case(
        "price per instance of eight",
        asked(quote(price=20, price_basis="per_instance_hour", accelerators_per_instance=8)),
        "cloud:od",
        nominal_cost=cents(2 * 20 * 730 * 12),
    ),
    case(
        "price per instance that is a node",
        asked(quote(price=20, price_basis="per_instance_hour")),
        "cloud:od",
        nominal_cost=cents(2 * 20 * 730 * 12),
    ),
    case("30 days are 720 hours", asked(w=window(days=30)), "cloud:od", nominal_cost=cents(32 * 720)),
    case("45.5 days", asked(w=window(days=45.5)), "cloud:od", nominal_cost=cents(32 * 24 * 45.5)),
    case(
        "February of a leap year by days",
        asked(w=window(start="2028-02-01", end="2028-03-01"), q=quote(valid_until="2028-06-30")),
        "cloud:od",
        nominal_cost=cents(32 * 24 * 29),
    ),
    case(
        "365 days of 720-hour months",
        asked(w=window(days=365), hours_per_month=720),
        "cloud:od",
        nominal_cost=cents(32 * 720 * 12),
    ),
    case("cut at the horizon", asked(horizon_months=6), "cloud:od", nominal_cost=cents(32 * 730 * 6)),
    case(
        "five days pay the minimum of thirty",
        asked(quote(min_days=30), window(days=5)),
        "cloud:od",
        nominal_cost=cents(32 * 720),
    ),
    case(
        "fewer hours used than the minimum",
        asked(quote(min_days=30), window(days=60, demand={"utilisation": 0.25})),
        "cloud:od",
        nominal_cost=cents(32 * 720),
    ),
    case(
        "a commitment bills unused hours",
        asked(reserved(), workload(demand={"utilisation": 0.5})),
        "cloud:rsv",
        nominal_cost=cents(16 * 1.2 * 8760),
        components={"compute": cents(16 * 1.2 * 4380), "unused_commitment": cents(16 * 1.2 * 4380)},
    ),
    case(
        "18 months begin a second term",
        asked(reserved(), workload(months=18)),
        "cloud:rsv",
        nominal_cost=cents(16 * 1.2 * 8760 * 2),
        components={"compute": cents(16 * 1.2 * 8760 * 1.5), "unused_commitment": cents(16 * 1.2 * 4380)},
    ),
    case(
        "the tail is cheaper on demand",
        document(quotes=[reserved(), quote()], workloads=[workload(months=18)]),
        "cloud:rsv",
        nominal_cost=cents(16 * 1.2 * 8760 + 140160),
    ),
    case(
        "no tail at another provider",
        document(quotes=[reserved(), quote(provider="Other")], workloads=[workload(months=18)]),
        "cloud:rsv",
        nominal_cost=cents(16 * 1.2 * 8760 * 2),
    ),
    case(
        "a second block begins",
        asked(quote(id="cb", purchase_model="capacity_block", min_days=14, max_days=182), window(days=20)),
        "cloud:cb",
        nominal_cost=cents(32 * 24 * 28),
    ),
    case(
        "one block",
        asked(quote(id="cb", purchase_model="capacity_block", min_days=14), window(days=14)),
        "cloud:cb",
        nominal_cost=cents(32 * 24 * 14),
    ),
    case(
        "price of a month of 744 hours",
        asked(quote(price=14600, price_basis="per_month", price_hours_per_month=744)),
        "cloud:od",
        nominal_cost=cents(2 * 14600 / 744 * 730 * 12),
    ),
    case(
        "price of a month",
        asked(quote(price=14600, price_basis="per_month")),
        "cloud:od",
        nominal_cost=cents(2 * 14600 * 12),
    ),
    case(
        "committed price of a month of 720 hours",
        asked(reserved(price=7200, price_basis="per_month", price_hours_per_month=720)),
        "cloud:rsv",
        nominal_cost=cents(2 * 7200 / 720 * 730 * 12),
    ),
    case(
        "price of a term",
        asked(reserved(price=120000, price_basis="term_total")),
        "cloud:rsv",
        nominal_cost=cents(240000),
    ),
    case(
        "the 13th month begins a term",
        asked(reserved(price=120000, price_basis="term_total"), workload(months=13)),
        "cloud:rsv",
        nominal_cost=cents(480000),
    ),
    case(
        "upfront per accelerator",
        asked(reserved(price=0.6, upfront=5000)),
        "cloud:rsv",
        nominal_cost=cents(16 * 0.6 * 8760 + 16 * 5000),
    ),
    case(
        "upfront per instance",
        asked(reserved(price=4.8, price_basis="per_instance_hour", upfront=5000)),
        "cloud:rsv",
        nominal_cost=cents(2 * 4.8 * 8760 + 2 * 5000),
    ),
    case(
        "upfront at each term",
        asked(reserved(price=0.6, upfront=5000), workload(months=24)),
        "cloud:rsv",
        nominal_cost=cents(2 * (16 * 0.6 * 8760 + 16 * 5000)),
    ),
    case(
        "set-up and exit fee",
        asked(reserved(setup_fee=1000, exit_fee=500)),
        "cloud:rsv",
        nominal_cost=cents(16 * 1.2 * 8760 + 1500),
    ),
    case(
        "support on metered rows",
        asked(quote(support_fraction=0.1)),
        "cloud:od",
        nominal_cost=cents(280320 * 1.1),
        components={"support": cents(28032)},
    ),
    case(
        "no support on upfront",
        asked(reserved(support_fraction=0.1, upfront=1000)),
        "cloud:rsv",
        nominal_cost=cents(16 * 1.2 * 8760 * 1.1 + 16000),
    ),
    case(
        "support on storage and egress too",
        asked(
            quote(support_fraction=0.1, egress_per_gb=0.05, storage_per_gb_month=0.02),
            workload(egress_gb_per_month=1000, storage_gb=5000),
        ),
        "cloud:od",
        nominal_cost=cents((280320 + 50 * 12 + 100 * 12) * 1.1),
        components={"egress": "600.00", "storage": "1200.00"},
        not_modelled=[],
    ),
    case(
        "storage and egress without price",
        asked(w=workload(egress_gb_per_month=1000, storage_gb=5000)),
        "cloud:od",
        nominal_cost="280320.00",
        not_modelled=["storage", "egress"],
    ),
    case(
        "a price path steps each year",
        asked(w=workload(months=24), price_change_per_year={"cloud": -0.2}),
        "cloud:od",
        nominal_cost=cents(280320 * 1.8),
    ),
    case(
        "renewals follow the path",
        asked(reserved(), workload(months=24), price_change_per_year={"cloud": -0.2}),
        "cloud:rsv",
        nominal_cost=cents(16 * 1.2 * 8760 * 1.8),
    ),
    case(
        "a term is fixed inside",
        asked(reserved(term_months=36), workload(months=36), price_change_per_year={"cloud": -0.2}),
        "cloud:rsv",
        nominal_cost=cents(16 * 1.2 * 8760 * 3),
    ),
    case(
        "demand grows each year",
        asked(w=workload(months=24, demand={"utilisation": 0.5}, growth_per_year=0.1)),
        "cloud:od",
        nominal_cost=cents(140160 * 2.1),
    ),
    case("metered rows mid month", asked(discount_rate=0.08), "cloud:od", npv=present(0.5)),
    case("all recurring rows at begin", asked(discount_rate=0.08, discount_timing="begin"), "cloud:od", npv=present(0)),
    case("all recurring rows at end", asked(discount_rate=0.08, discount_timing="end"), "cloud:od", npv=present(1)),
    case(
        "committed rows at begin",
        asked(reserved(), discount_rate=0.08),
        "cloud:rsv",
        npv=present(0, each=16 * 1.2 * 730),
    ),
    case(
        "the switch leaves one-off rows",
        asked(reserved(upfront=1000), discount_rate=0.08, discount_timing="mid"),
        "cloud:rsv",
        npv=present(0.5, each=16 * 1.2 * 730) + 16000,
    ),
    case(
        "half a last month",
        asked(w=window(days=45.625), discount_rate=0.08),
        "cloud:od",
        npv=23360 * 1.08 ** (-0.5 / 12) + 11680 * 1.08 ** (-1.5 / 12),
    ),
    case(
        "EUR at the rate",
        asked(quote(currency="EUR"), fx=rates(("EUR", "USD", 1.1, "2026-11-01"))),
        "cloud:od",
        nominal_cost=cents(280320 * 1.1),
    ),
    case(
        "EUR at the inverse",
        asked(quote(currency="EUR"), fx=rates(("USD", "EUR", 0.8, "2026-11-01"))),
        "cloud:od",
        nominal_cost=cents(280320 / 0.8),
    ),
    case(
        "latest rate that is not later",
        asked(
            quote(currency="EUR"),
            fx=rates(
                ("EUR", "USD", 1.1, "2026-11-01"), ("EUR", "USD", 1.2, "2026-11-30"), ("EUR", "USD", 1.5, "2026-12-01")
            ),
        ),
        "cloud:od",
        nominal_cost=cents(280320 * 1.2),
    ),
    case(
        "yen have no minor unit",
        asked(quote(price="100.37", currency="JPY"), workload(accelerators=8, months=1), currency="JPY"),
        "cloud:od",
        nominal_cost=str(round(8 * 100.37 * 730)),
    ),
    case(
        "dinars have three digits",
        asked(quote(price="0.6543217", currency="KWD"), workload(accelerators=8, months=1), currency="KWD"),
        "cloud:od",
        nominal_cost=f"{8 * 0.6543217 * 730:.3f}",
    ),
    case(
        "hours of one node and of two",
        asked(w=workload(shape="replicas", demand={"hourly": [8] * 12 + [16] * 12})),
        "cloud:od",
        nominal_cost=cents(12 * 2 * 8760),
    ),
    case(
        "spot for what can be interrupted",
        asked(quote(id="s", purchase_model="spot", capacity_class="spot"), workload(interruptible=True)),
        "cloud:s",
        nominal_cost="280320.00",
        feasible=True,
    ),
    case(
        "three days pay a minimum of seven",
        asked(quote(id="s", purchase_model="dws", capacity_class="queue", min_days=7), window(days=3)),
        "cloud:s",
        nominal_cost=cents(32 * 168),
    ),
    case(
        "month 25 begins a contract of 24",
        asked(quote(id="s", purchase_model="contract", term_months=24), workload(months=25)),
        "cloud:s",
        nominal_cost=cents(32 * 730 * 48),
    ),
]


@pytest.mark.parametrize(("document", "place", "want"), CLOUD)
def test_a_quote_costs_what_was_worked_by_hand(document, place, want):
    hold(document, place, want)
