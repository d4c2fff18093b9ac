"""Worked verdicts on own builds, and windows too short to mean anything (semantics 1, 7, 39)."""

import pytest

from procurement.engine.errors import ScenarioError
from procurement.engine.scenario import parse_scenario
from tests.engine.cost_documents import answered, build, document, option, quote, workload


def test_a_build_of_a_wrong_type_is_that_alone_and_not_too_small_as_well():
    found = option(answered(document(builds=[build(accelerator="A100")])), "on_prem:own")

    assert found["reasons"] == ["wrong_accelerator"]


def test_one_job_needs_a_domain_for_its_size_in_the_builds_own_type():
    """One B200 does the training of more than two H100: 32 H100 fit into 16 B200 of one domain."""
    need = workload(accelerators=32, shape="one_job", accelerator_types=["H100", "B200"], kind="llm_training")
    found = option(answered(document(builds=[build(16, accelerator="B200")], workloads=[need])), "on_prem:own")

    assert found["reasons"] == []


@pytest.mark.parametrize(
    ("pointer", "asked"),
    [
        ("/workloads/0/months", document(workloads=[workload(months=1e-9)])),
        ("/quotes/0/accelerators_per_instance", document(quotes=[quote(accelerators_per_instance=1e-9)])),
    ],
)
def test_a_number_too_small_to_mean_anything_is_a_fault(pointer, asked):
    with pytest.raises(ScenarioError) as error:
        parse_scenario(asked)

    assert [fault.pointer for fault in error.value.faults] == [pointer]


def test_a_demand_far_beyond_the_accelerators_asked_for_is_answered():
    """A billion tokens a second at one a second each: a billion accelerators, of which 8 are asked for."""
    need = workload(
        accelerators=8, shape="replicas", kind="llm_inference", months=1,
        demand={"tokens_per_second": 1e12, "peak_to_mean": 2}, inference={"tokens_per_second_per_accelerator": 1e-3},
    )  # fmt: skip

    answer = answered(document(quotes=[quote()], workloads=[need]))

    assert answer["need"]["w"]["best_n"] > 1e12
