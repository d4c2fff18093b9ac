"""Improve: what the present fleet gives at its best measured month, and where its money goes."""

import pytest

from tests.engine.cost_documents import advice, answered, document, option, quote, workload

MONTHS = [
    {"month": "2026-08-01", "utilisation": 0.5, "efficiency": 0.9, "goodput": 0.95, "feed": 1.0},
    {"month": "2026-09-01", "utilisation": 0.8, "efficiency": 0.9, "goodput": 0.95, "feed": 0.9},
    {"month": "2026-10-01", "utilisation": 0.6, "efficiency": 0.8, "goodput": 0.90, "feed": 1.0},
]


def asked(measured=MONTHS, **changes):
    current = {"place": "old hall", "cost_per_month": 10000, **({"measured": measured} if measured else {})}
    return answered(document(quotes=[quote()], workloads=[workload(current=current, **changes)]))


def test_the_best_month_is_the_one_with_most_useful_work_not_with_most_use():
    found = option(asked(), "improve")["improvement"]

    # useful: 0.5 x 0.9 x 0.95 = 0.4275; 0.8 x 0.9 x 0.95 x 0.9 = 0.6156; 0.6 x 0.8 x 0.9 = 0.432; mean 0.4917
    assert (found["best_month"], found["best_useful_share"]) == ("2026-09-01", 0.6156)
    assert found["mean_useful_share"] == pytest.approx(0.4917)
    assert found["more_useful_hours_per_month"] == pytest.approx((0.6156 - 0.4917) * 16 * 730)
    assert found["basis"] == "measured"


def test_the_money_lost_each_month_adds_up_to_what_the_fleet_costs():
    found = option(asked(), "improve")["improvement"]
    lost = {name: float(amount) for name, amount in found["lost_per_month"].items()}

    # communication: (0.5 x 0.1 + 0.8 x 0.1 + 0.6 x 0.2) / 3; failures: (0.45 x 0.05 + 0.72 x 0.05 + 0.48 x 0.1) / 3
    assert lost["communication"] == pytest.approx(10000 * 0.25 / 3, abs=0.01)
    assert lost["failures"] == pytest.approx(10000 * 0.1065 / 3, abs=0.01)
    assert lost["feed"] == pytest.approx(10000 * 0.0684 / 3, abs=0.01)  # 0.684 x 0.1 of one month
    assert lost["idle"] == pytest.approx(10000 * 1.1 / 3, abs=0.01)
    assert sum(lost.values()) + float(found["useful_per_month"]) == pytest.approx(float(found["cost_per_month"]))


def test_improving_stands_beside_the_options_and_never_wins():
    answer = asked()
    found = option(answer, "improve")

    assert found["npv"] == option(answer, "current")["npv"] == "120000.00"
    assert not found["ranks"]
    assert advice(answer)["option"] == "current"
    # 120,000 over 12 months of 16 x 730 hours, 61.56 % of them useful
    assert float(found["cost_per_useful_accelerator_hour"]) == pytest.approx(
        120000 / (12 * 16 * 730 * 0.6156), abs=1e-5
    )


def test_without_measured_months_the_planned_use_is_named_as_a_plan():
    found = option(asked(measured=None, demand={"monthly": [300, 500, 400]}, months=3), "improve")["improvement"]

    assert found["basis"] == "planned"
    assert found["best_useful_share"] == pytest.approx(500 / 730, abs=1e-6)
    assert found["not_measured"] == ["efficiency", "goodput", "feed"]  # the place is not on record


def test_a_fleet_of_which_nothing_is_known_is_not_improved_on_paper():
    answer = answered(document(quotes=[quote()], workloads=[workload(current={"place": "old hall"})]))
    busy = asked(measured=None)  # planned around the clock, and no loss is known

    assert [entry for entry in busy["options"]["w"] if entry["option"] == "improve"] == []
    assert [entry for entry in answer["options"]["w"] if entry["option"] == "improve"] == []
