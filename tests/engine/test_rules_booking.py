"""Worked verdicts on quotes (R14, semantics 7 and 10)."""

import pytest

from tests.engine.readiness_documents import booked, quote, workload


def asked(offer=None, **need):
    """Return what is said of an offer of 512 H100 for one job on as many."""
    wanted = {"accelerators": 512, "accelerator_types": ["H100", "H200"]} | need
    return booked(quote(**(offer or {})), workload(**wanted))


@pytest.mark.parametrize("accelerator", ["A100", "L40S", "TPU v5e"])
def test_a_wrong_accelerator_is_that_alone_and_not_too_few_of_it_as_well(accelerator):
    """N is stated for what is accepted; of another type there is no number that would do."""
    found = asked({"accelerator": accelerator})

    assert (found.verdict, found.reasons) == ("not_usable", ("wrong_accelerator",))


@pytest.mark.parametrize(
    "field",
    ["accelerator", "interconnect", "quantity_available", "largest_domain_accelerators", "capacity_class",
     "earliest_start"],
)  # fmt: skip
def test_an_offer_that_lacks_one_fact_is_unverified_for_it(field):
    found = asked({field: None})

    assert (found.verdict, found.reasons) == ("unverified", (f"missing:{field}",))


def test_a_list_price_without_quantity_domain_and_start_is_as_firm_as_on_demand():
    bare = dict.fromkeys(("quantity_available", "largest_domain_accelerators", "earliest_start", "capacity_class"))

    found = asked(bare, shape="replicas", interconnect="single_node")

    assert (found.verdict, found.reasons) == ("best_effort", ())
    assert set(found.assumed) == set(bare)
