"""Which change of the inputs makes which workload's answer a new one."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine.answer_digests import RULED_OUT, answer_digests
from tests.engine.cost_documents import answered, build, document, quote, workload

TABLES = ("options", "excluded", "recommendation", "need", "throughput", "bridge")


def asked():
    """Return two workloads that accept different types, with one offer for each of them."""
    right = quote(id="right", accelerator="H100-SXM-80")
    wrong = quote(id="wrong", accelerator="A100-SXM-80", quoted_on="2026-11-20", valid_until="2027-02-28")
    needs = [
        workload(id="hopper", accelerator_types=["H100-SXM-80"]),
        workload(id="ampere", accelerator_types=["A100-SXM-80"]),
    ]
    return document(quotes=[right, wrong], builds=[build()], workloads=needs) | {"policy": {}}


def changed(name, **values):
    """Return what is asked with other values in one quote."""
    other = asked()
    entry = next(entry for entry in other["quotes"] if entry["id"] == name)
    entry.update(values)
    return other


def touched(other):
    """Return the workloads whose digest differs from that of the question unchanged."""
    before, after = answer_digests(asked()), answer_digests(other)
    return {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize(
    "values", [{"price": "9.99"}, {"upfront": "1000"}, {"quoted_on": "2026-11-29"}, {"valid_until": "2027-03-31"}]
)
def test_the_price_of_a_wrong_type_touches_only_who_can_use_it(values):
    assert touched(changed("wrong", **values)) == {"ampere"}


@pytest.mark.parametrize("values", [{"region": "mars-1"}, {"valid_until": "2026-11-29"}, {"quantity_available": 3}])
def test_what_the_reasons_of_a_wrong_type_are_made_of_touches_everybody(values):
    assert touched(changed("wrong", **values)) == {"hopper", "ampere"}


def test_a_provider_who_is_not_allowed_is_ruled_out_like_a_wrong_type():
    before = asked()
    before["workloads"][0]["accelerator_types"] = []
    before["workloads"][0]["allowed_providers"] = ["nobody"]
    after = copy.deepcopy(before)
    after["quotes"][0]["price"] = "7.77"

    assert answer_digests(before)["hopper"] == answer_digests(after)["hopper"]


def test_a_quote_that_the_assumptions_want_to_see_is_never_ruled_out():
    before, after = asked(), changed("wrong", price="9.99")
    for one in (before, after):
        one["assumptions"]["keep_options"] = ["cloud:wrong"]

    assert answer_digests(before)["hopper"] != answer_digests(after)["hopper"]


@pytest.mark.parametrize("part", ["assumptions", "policy"])
def test_assumptions_and_policy_touch_everybody(part):
    other = asked()
    other[part] = other[part] | {"note": 1}

    assert touched(other) == {"hopper", "ampere"}


def test_another_workload_touches_nobody_else():
    other = asked()
    other["workloads"][1]["accelerators"] = 24

    assert touched(other) == {"ampere"}


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "price": st.sampled_from(["0.01", "2", "77"]),
        "upfront": st.sampled_from(["0", "5000"]),
        "egress_per_gb": st.sampled_from(["0", "0.09"]),
        "quoted_on": st.sampled_from(["2026-11-01", "2026-11-29", "2026-12-24"]),
        "valid_until": st.sampled_from(["2026-11-29", "2026-12-24", "2027-12-24"]),
        "accelerator": st.sampled_from(["H100-SXM-80", "A100-SXM-80", "L4"]),
        "provider": st.sampled_from(["acme", "other"]),
        "capacity_class": st.sampled_from(["confirmed", "on_demand", "spot"]),
    },
)


@settings(max_examples=25, deadline=None)
@given(name=st.sampled_from(["right", "wrong"]), values=CHANGES)
def test_an_answer_with_the_same_digest_is_the_same_answer(name, values):
    before, after = asked(), changed(name, **values)
    for one in (before, after):  # the order of days is checked before anything is answered
        for entry in one["quotes"]:
            entry["valid_until"] = max(entry["valid_until"], entry.get("quoted_on", ""))
    same = {key for key, digest in answer_digests(before).items() if answer_digests(after)[key] == digest}
    first, second = answered(before), answered(after)

    for key in same:
        assert {part: first[part][key] for part in TABLES} == {part: second[part][key] for part in TABLES}
        assert shown(first["bookability"][key]) == shown(second["bookability"][key])


def shown(offers):
    """Return what is stored of offers: nobody signs what the filter rules out, so its last day is not kept."""
    return {
        name: offer | ({"sign_by": None} if set(offer["reasons"]) & set(RULED_OUT) else {})
        for name, offer in offers.items()
    }
