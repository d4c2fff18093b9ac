"""Laws of the answer over many shapes of questions: work that splits or not, commitments, builds ready or late."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.cost_documents import advice, answered, build, document, late_build, option, quote, workload

FEW = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
EUR = [{"base": "EUR", "counter": "USD", "rate": "1.25", "on": "2026-11-01", "source": "test"}]


def amounts(least, most):
    return st.floats(least, most).map(lambda value: f"{value:.4f}")


DEMANDS = st.one_of(
    st.floats(0.05, 1.0).map(lambda share: {"utilisation": round(share, 3)}),
    st.builds(
        lambda base, more, curve: {"base": base, "peak": min(base + more, 16), "curve": curve},
        st.integers(0, 12), st.integers(1, 16), st.sampled_from(["linear", "chat", "code"]),
    ),
    st.lists(st.floats(0, 730).map(lambda hours: round(hours, 1)), min_size=6, max_size=24).map(
        lambda hours: {"monthly": hours}
    ),
)  # fmt: skip
NEEDS = st.builds(
    lambda shape, demand, months, growth, overhead: workload(
        shape=shape, demand=demand, months=months, growth_per_year=growth, need_by="2027-02-01",
        deadline_policy="soft", **({"second_place_overhead_per_month": overhead} if overhead else {}),
    ),
    st.sampled_from(["one_job", "replicas", "independent_jobs"]), DEMANDS, st.integers(6, 36),
    st.sampled_from([0, 0, 0.1]), st.sampled_from([None, None, 500]),
)  # fmt: skip
OFFERS = st.builds(
    lambda index, price, model, term, upfront, fees: quote(
        id=f"q{index}", price=price, purchase_model=model,
        **({} if model == "on_demand" else {"term_months": term, "upfront": upfront}),
        setup_fee=fees, egress_per_gb="0.05", support_fraction="0.03", accelerators_per_instance=2,
    ),
    st.integers(0, 9), amounts(0.3, 6.0), st.sampled_from(["on_demand", "reserved", "contract"]),
    st.sampled_from([6, 12, 24]), st.sampled_from(["0", "200"]), st.sampled_from(["0", "1000"]),
)  # fmt: skip


@st.composite
def questions(draw, makes=(build, late_build)):
    """Return a document with one need, some offers and one own build, ready or late, committed or not."""
    lines = [
        {"component": "hardware", "amount": draw(amounts(1e4, 8e5)), "currency": "USD", "basis": "once",
         "life_months": draw(st.sampled_from([36, 60])), "residual_fraction": draw(st.sampled_from(["0", "0.1"]))},
        {"component": "power", "currency": "USD", "it_kw": "20", "pue": "1.3", "price_per_kwh": "0.1",
         "idle_fraction": "0.3"},
        {"component": "colocation", "amount": "100", "currency": "USD", "basis": "per_kw_month", "kw": "20"},
        {"component": "operations", "amount": "1.00", "currency": "USD", "basis": "per_running_hour"},
    ]  # fmt: skip
    make = draw(st.sampled_from(makes))
    own = make(costs=lines, committed=draw(st.booleans()))
    offers = {offer["id"]: offer for offer in draw(st.lists(OFFERS, min_size=1, max_size=4))}
    path = {"cloud": draw(st.sampled_from([0, 0, -0.2, 0.1]))}
    return document(
        quotes=offers.values(), builds=[own], workloads=[draw(NEEDS)], draws=200, materiality=0,
        discount_rate=draw(st.sampled_from(["0", "0.08"])), price_change_per_year=path,
    )  # fmt: skip


def rented_share(answer):
    """Return the share of the work that runs at quotes; None where nothing is recommended."""
    split = advice(answer)["split"]
    return None if not split else sum(share for place, share in split.items() if place != "own")


@FEW
@given(questions())
def test_components_months_and_kinds_sum_to_totals(asked):
    for found in answered(asked)["options"]["w"]:
        if found["nominal_cost"] is None:
            continue
        assert sum(map(Decimal, found["components"].values())) == Decimal(found["nominal_cost"])
        assert sum(map(Decimal, found["components_npv"].values())) == Decimal(found["npv"])
        assert sum(Decimal(row["amount"]) for row in found["by_month"]) == Decimal(found["nominal_cost"])
        assert Decimal(found["capital"]) + Decimal(found["operating"]) == Decimal(found["nominal_cost"])


@FEW
@given(questions(), st.floats(0.2, 5.0))
def test_scaling_every_price_scales_every_cost_and_changes_no_choice(asked, factor):
    def scaled(record):
        names = ("price", "upfront", "setup_fee", "egress_per_gb", "amount", "price_per_kwh")
        return {**record, **{name: f"{float(record[name]) * factor:.12f}" for name in names if name in record}}

    need = asked["workloads"][0]
    overhead = need.get("second_place_overhead_per_month")
    own = asked["builds"][0]
    other = {
        **asked,
        "quotes": [scaled(offer) for offer in asked["quotes"]],
        "builds": [{**own, "costs": [scaled(line) for line in own["costs"]]}],
        "workloads": [{**need, **({"second_place_overhead_per_month": overhead * factor} if overhead else {})}],
    }
    plain, dearer = answered(asked), answered(other)

    assert advice(dearer)["option"] == advice(plain)["option"]
    for found in plain["options"]["w"]:
        if found["npv"] is not None:
            twin = option(dearer, found["option"])
            assert float(twin["npv"]) == pytest.approx(factor * float(found["npv"]), rel=1e-6, abs=0.1)


@FEW
@given(questions(), st.floats(1.01, 4.0))
def test_dearer_cloud_never_moves_the_choice_towards_cloud(asked, factor):
    names = ("price", "upfront", "setup_fee")
    dear = {
        **asked,
        "quotes": [
            {**offer, **{name: f"{float(offer[name]) * factor:.9f}" for name in names if name in offer}}
            for offer in asked["quotes"]
        ],
    }
    before, after = (rented_share(answered(one)) for one in (asked, dear))

    assert before is None or after is None or after <= before + 1e-9


@FEW
@given(questions(makes=(late_build,)), st.integers(0, 14), st.integers(1, 12))
def test_later_energization_never_moves_the_choice_towards_on_prem(asked, month, more):
    def with_promise(months):
        day = date(2027 + months // 12, months % 12 + 1, 15).isoformat()
        own = asked["builds"][0]
        return {**asked, "builds": [{**own, "promises": [{**entry, "date": day} for entry in own["promises"]]}]}

    early, late = (rented_share(answered(with_promise(months))) for months in (month, month + more))

    assert early is None or late is None or late >= early - 1e-9


@FEW
@given(questions())
def test_an_offer_worse_in_every_draw_changes_no_other_figure(asked):
    # no on-demand offer: the only one there is would be what a late build rents its hours at
    worse = quote(id="zzz", price={"min": "50", "likely": "60", "max": "90"}, purchase_model="contract")
    plain, more = answered(asked), answered({**asked, "quotes": [*asked["quotes"], worse]})

    for found in plain["options"]["w"]:
        twin = option(more, found["option"])
        # these three hold an option against the others on offer, whichever they are
        same = {key: value for key, value in found.items() if not key.startswith(("breakeven", "prob", "commitment"))}
        assert {key: twin[key] for key in same} == same
    if advice(plain)["verdict"] != "none_feasible":
        assert advice(more)["option"] == advice(plain)["option"]


@FEW
@given(questions())
def test_the_order_of_records_changes_nothing(asked):
    turned = {**asked, "quotes": asked["quotes"][::-1]}
    own = asked["builds"][0]
    turned["builds"] = [{**own, "costs": own["costs"][::-1], "evidence": own["evidence"][::-1]}]
    plain, other = answered(asked), answered(turned)

    assert advice(other)["option"] == advice(plain)["option"]
    for found in plain["options"]["w"]:
        twin = option(other, found["option"])
        assert (twin["npv"], twin["reasons"]) == (found["npv"], found["reasons"])


@FEW
@given(questions())
def test_prices_in_another_currency_or_unit_of_the_same_worth_change_nothing(asked):
    def in_euro(offer):
        hourly = float(offer["price"]) / 1.25 * 2
        fees = {name: f"{float(offer[name]) / 1.25:.10f}" for name in ("setup_fee", "egress_per_gb")}
        upfront = {"upfront": f"{float(offer['upfront']) * 2 / 1.25:.10f}"} if "upfront" in offer else {}
        return {**offer, "price": f"{hourly:.12f}", "price_basis": "per_instance_hour", "currency": "EUR", **fees,
                **upfront}  # fmt: skip

    asked = {**asked, "assumptions": {**asked["assumptions"], "fx": EUR}}
    plain, other = answered(asked), answered({**asked, "quotes": [in_euro(offer) for offer in asked["quotes"]]})

    assert advice(other)["option"] == advice(plain)["option"]
    for found in plain["options"]["w"]:
        if found["npv"] is not None:
            assert float(option(other, found["option"])["npv"]) == pytest.approx(float(found["npv"]), abs=0.05)
