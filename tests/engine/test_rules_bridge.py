"""Bridges at list prices, and the working of a dearer shortage (R13, semantics 38)."""

import pytest

from tests.engine.cost_documents import answered, document, option, quote
from tests.engine.readiness_documents import PLANNED, all_gates, build, promise


def waiting(shape, shortage):
    """Return the bridge of 512 accelerators needed on 2027-04-01, power promised for 2027-03-31 a year before."""
    late = build(all_gates(without=("powered",)), [promise("powered", "2027-03-31", "2026-03-31")])
    price = {"provider": "E", "accelerator": "H100", "currency": "USD", "accelerators_per_node": 8}
    quotes = [
        {**price, "id": "r", "purchase_model": "reserved", "price": 2.4},
        {**price, "id": "o", "price": shortage},
    ]
    need = {"id": "w", "accelerators": PLANNED, "accelerator_types": ["H100"], "start": "2027-04-01", "shape": shape}
    return answered(document(builds=[late], quotes=quotes, workloads=[need]))["bridge"]["w"]["b"]


@pytest.mark.parametrize("shape", ["one_job", "independent_jobs"])
@pytest.mark.parametrize(("shortage", "days"), [(4.0, 88), (12.0, 206)])
def test_a_reservation_is_extended_while_being_late_is_likelier_than_the_ratio_of_prices(shape, shortage, days):
    """2.4 / 4.0: 88 days, 2.4 / 12: 206 days; a list price that does not say its fabric still is a price."""
    found = waiting(shape, shortage)

    assert (found["expected_wait_days"], found["reserve_days"]) == (pytest.approx(127.1, abs=0.05), days)
    assert float(found["expected_bridge_cost_on_demand"]) == pytest.approx(127.0889 * PLANNED * 24 * shortage, rel=1e-5)


def test_an_option_without_a_rate_says_so_once():
    asked = document(quotes=[quote(accelerator="V100")], keep_options=["cloud:od"])
    asked["workloads"][0] |= {"accelerator_types": ["H100", "V100"], "kind": "llm_training"}

    assert option(answered(asked), "cloud:od")["reasons"] == ["no_rate:V100"]
