"""The recommendation: decision tables for order, ties and verdicts; what never wins; what is said when nothing fits."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from procurement.engine.confidence import Confidence
from procurement.engine.ledger import Flow, Ledger, Terms
from procurement.engine.options_base import Option, Priced
from procurement.engine.recommend import REASON_CODES, Ranked, chosen, commitment, worthwhile
from procurement.engine.tables import Workload
from tests.engine.cost_documents import advice, answered, build, document, option, quote, reserved

NEED = Workload(id="w", accelerators=8, start=date(2026, 12, 1))


def entry(name, value, kind="cloud", owed=0.0, draws=None, **changes):
    flow = Flow("hardware", owed, np.array([1.0]), is_recurring=False)
    priced = Priced(Ledger((flow,), Terms("USD", 0.0)), np.ones(1), np.ones(1), 1.0)
    return Ranked(Option(name, kind, NEED, (name,), priced=priced, **changes), value, draws)


def decided(*entries, materiality=0.0):
    ordered = sorted(entries, key=lambda one: (one.value, one.option.name))
    candidates, _ = worthwhile(ordered, materiality)
    return chosen(candidates, materiality)


@pytest.mark.parametrize(
    ("_case", "entries", "materiality", "best", "is_tie"),
    [
        ("clearly cheaper", [entry("a", 100), entry("b", 103)], 0, "a", False),
        ("within 2 % of the cheaper", [entry("a", 100, owed=9), entry("b", 101, owed=1)], 0, "b", True),
        ("exactly 2 % is no tie", [entry("a", 100, owed=9), entry("b", 102, owed=1)], 0, "a", False),
        ("below what matters", [entry("a", 100, owed=9), entry("b", 109, owed=1)], 10, "b", True),
        ("a tie of equal commitments goes to the cheaper", [entry("a", 101), entry("b", 100)], 0, "b", True),
        ("then to the name", [entry("b", 100), entry("a", 100)], 0, "a", True),
        ("unproven loses a tie", [entry("a", 100, unproven=("powered",)), entry("b", 101, owed=9)], 0, "b", True),
        ("unproven wins beyond a tie", [entry("a", 100, unproven=("powered",)), entry("b", 110)], 0, "a", False),
        ("alone", [entry("a", 100)], 0, "a", False),
        ("a third one in the gap changes nothing", [entry("a", 100), entry("b", 110), entry("c", 111)], 0, "a", False),
    ],
)
def test_who_wins_and_whether_it_is_a_tie(_case, entries, materiality, best, is_tie):
    choice = decided(*entries, materiality=materiality)

    assert (choice.best.option.name, choice.is_tie) == (best, is_tie)


@pytest.mark.parametrize(("won", "is_tie"), [(0.69, True), (0.70, False), (1.0, False)])
def test_winning_fewer_than_seven_draws_in_ten_is_a_tie(won, is_tie):
    cheap = np.full(100, 100.0)
    dear = np.where(np.arange(100) < round(won * 100), 200.0, 50.0)
    choice = decided(entry("a", 100, owed=1, draws=cheap), entry("b", float(dear.mean()), owed=9, draws=dear))

    assert choice.is_tie == is_tie
    assert choice.won == pytest.approx(won)


@pytest.mark.parametrize(
    ("_case", "hybrid", "materiality", "best"),
    [
        ("cheaper", 90, 0, "hybrid"),
        ("not cheaper", 100, 0, "single"),
        ("cheaper by less than matters", 95, 10, "single"),
        ("cheaper by more than matters", 80, 10, "hybrid"),
    ],
)
def test_two_places_must_be_worth_it(_case, hybrid, materiality, best):
    choice = decided(entry("hybrid", hybrid, "hybrid"), entry("single", 100), materiality=materiality)

    assert choice.best.option.name == best


def test_nothing_is_chosen_from_nothing():
    assert chosen([], 0.0) is None


def test_commitment_is_what_stays_owed_after_the_first_month():
    term = Flow("compute", 1.0, np.full(12, 10.0), is_committed=True)
    metered = Flow("compute", 1.0, np.full(12, 10.0))
    purchase = Flow("hardware", 500.0, np.array([1.0]), is_recurring=False)
    credit = Flow("residual", -300.0, np.array([1.0]), is_recurring=False)

    def owed(*flows):
        one = entry("a", 0).option
        return commitment(replace(one, priced=replace(one.priced, ledger=Ledger(flows, Terms("USD", 0.0)))))

    assert owed(metered) == 0.0
    assert owed(term) == 110.0
    assert owed(purchase, credit) == 500.0


# --- verdicts through the front door ----------------------------------------------------------------------------------
def test_a_cheaper_quote_wins_and_says_why():
    answer = answered(document(quotes=[quote(), reserved()]))
    found = advice(answer)
    codes = {reason["code"]: reason for reason in found["reasons"]}

    assert (found["verdict"], found["option"], found["runner_up"]) == ("cloud", "cloud:rsv", "cloud:od")
    assert codes["cheaper_than_runner_up"]["difference"] == "112128.00"  # 16 x 8,760 x 0.80
    assert codes["runner_up_dearer"]["component"] == "compute"
    assert found["premium_over_cheapest"] == "0.00"
    assert found["approval_amount"] == "168192.00"
    assert found["split"] == {"rsv": 1.0}


def test_a_tie_names_the_premium_and_the_measurement():
    answer = answered(document(quotes=[quote(price="1.21"), reserved()]))
    found = advice(answer)
    codes = {reason["code"]: reason for reason in found["reasons"]}

    # 169,593.60 on demand against 168,192.00 committed: 0.8 % apart, and on demand commits to nothing
    assert (found["option"], found["tie"]) == ("cloud:od", True)
    assert codes["tie"]["difference"] == found["premium_over_cheapest"] == "1401.60"
    assert codes["tie_smaller_commitment"]["commitment"] == "0.00"
    assert codes["tie_settled_by"]["measurement"]


def test_every_reason_is_a_listed_code():
    documents = [
        document(quotes=[quote(), reserved()], builds=[build()]),
        document(quotes=[quote(price="1.21"), reserved()]),
        document(quotes=[]),
        document(quotes=[quote()], discount_rate=None),
    ]

    for asked in documents:
        for reason in advice(answered(asked))["reasons"]:
            assert reason["code"].partition(":")[0] in REASON_CODES


@pytest.mark.parametrize(
    ("_case", "changes", "reason"),
    [
        ("expired", {"valid_until": "2026-11-29"}, "quote_expired"),
        ("no price", {"price": None}, "missing:price"),
        ("a missing fact", {"quantity_available": None}, "missing:quantity_available"),
        ("another currency without a rate", {"currency": "EUR"}, "missing:fx:EUR>USD"),
    ],
)
def test_what_is_not_known_never_wins(_case, changes, reason):
    answer = answered(document(quotes=[quote(**changes), quote(id="dear", price="9.00")]))

    assert advice(answer)["option"] == "cloud:dear"
    assert answer["excluded"]["w"][reason] == 1


def test_nothing_fits_is_explained_by_constraint_and_count():
    quotes = [quote(id=f"small{index}", quantity_available=8) for index in range(3)]
    old = quote(id="old", quoted_on="2026-10-01", valid_until="2026-11-01")
    answer = answered(document(quotes=[*quotes, old], builds=[build(8)]))
    found = advice(answer)

    assert (found["verdict"], found["option"]) == ("none_feasible", None)
    assert found["reasons"][0] == {"code": "nothing_fits", "offers": 4}
    constraints = {entry["constraint"]: entry["offers"] for entry in found["reasons"] if entry["code"] == "constraint"}
    assert constraints["quantity_too_small"] == 3
    assert constraints["quote_expired"] == 1
    assert found["reasons"][-1]["because"] == ["quantity_too_small"]


def test_without_a_discount_rate_there_is_no_recommendation():
    answer = answered(document(quotes=[quote()], discount_rate=None))
    found = option(answer, "cloud:od")

    assert advice(answer)["verdict"] is None
    assert advice(answer)["reasons"] == [{"code": "missing:discount_rate"}]
    assert (found["npv"], found["npv_reason"]) == (None, "missing:discount_rate")
    assert found["nominal_cost"] == "280320.00"


def test_a_quote_above_one_node_asks_for_evidence_before_prepayment():
    assert "evidence_before_prepayment" in advice(answered(document(quotes=[quote()])))["conditions"]


def test_an_approval_that_takes_too_long_is_a_condition():
    policy = {"approval_days": [{"up_to": 100000, "days": 1}, {"days": 45}]}
    answer = answered(document(quotes=[quote()], policy=policy))

    assert "approval_too_slow" in advice(answer)["conditions"]


@pytest.mark.parametrize(
    ("_case", "changes", "margin", "word"),
    [
        ("complete, new, proven", {}, 0.5, "high"),
        ("partial total", {"incomplete": ("staff",)}, 0.5, "low"),
        ("a narrow margin", {}, 0.05, "medium"),
        ("old and narrow", {"oldest_on": date(2026, 1, 1)}, 0.05, "low"),
        ("unproven", {"unproven": ("powered",)}, 0.5, "medium"),
        ("only claimed", {"worst_grade": "D"}, 0.5, "medium"),
        ("undated", {"oldest_on": None}, 0.5, "medium"),
        ("the only option", {}, None, "high"),
    ],
)
def test_how_sure_is_said_in_words(_case, changes, margin, word):
    stated = {"as_of": date(2026, 11, 30), "oldest_on": date(2026, 11, 20), "worst_grade": "A", "incomplete": (),
              "unproven": (), "assumed": ()}  # fmt: skip

    assert Confidence(**{**stated, **changes}).word(margin) == word
    assert Confidence(**stated).answer(margin)["probability_cheapest"] is None
