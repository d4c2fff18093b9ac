"""How many accelerators a workload needs by memory and by deadline."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from procurement.engine.demand import demand_hours
from procurement.engine.need import need, node_size, reference_share
from procurement.engine.tables import Assumptions, Demand, Inference, Training, Workload
from tests.engine.cost_documents import answered, document, quote, workload

JOB = Workload(
    id="job", accelerators=64, accelerator_types=("H100",), start=date(2027, 1, 1), months=1,
    training=Training(params_b=8, tokens_per_step=4_194_304, mfu_node=0.48), demand=Demand(hours_per_month=100),
)  # fmt: skip


def need_of(**changes):
    workload = replace(JOB, **changes)
    return need(workload, demand_hours(workload, Assumptions(discount_rate=0.0)), 730)


@pytest.mark.parametrize(
    ("params_b", "asked", "fewest", "note"),
    [
        (8, 64, 2, None),  # 8e9 x 16 / 80e9 = 1.6
        (70, 16, 14, None),  # 14.0; with comfort 18 x 70 / 80 = 15.75
        (70, 14, 14, "memory_tight"),
        (70, 13, 14, "memory_too_small"),
        (405, 64, 81, "memory_too_small"),
        (405, 256, 81, None),
    ],
)
def test_a_model_in_training_takes_sixteen_bytes_a_parameter(params_b, asked, fewest, note):
    training = replace(JOB.training, params_b=params_b)

    found = need_of(training=training, accelerators=asked)

    assert found.fewest_by_memory == fewest
    assert {"memory_too_small", "memory_tight"} & set(found.notes) == ({note} if note else set())
    assert found.is_memory_too_small is (note == "memory_too_small")


@pytest.mark.parametrize(("model", "fewest"), [("llama3.1-405b", 6), ("llama2-70b", 1), (None, None)])
def test_a_model_that_serves_takes_one_byte_a_parameter(model, fewest):
    found = need_of(training=None, shape="replicas", inference=Inference(model=model))

    assert found.fewest_by_memory == fewest


def test_a_small_job_is_told_that_one_node_is_enough():
    # 64 x 100 useful hours in 730: 8.8 accelerators at share 1; with efficiency and goodput 9
    found = need_of()

    assert found.fewest_by_deadline == 9
    assert found.single_node_sufficient is False
    assert found.best_n == 16
    assert need_of(demand=Demand(hours_per_month=80)).single_node_sufficient is True  # 7.01


def test_the_fewest_by_deadline_just_finishes_in_time():
    found = need_of(demand=Demand(hours_per_month=650))
    sizes = np.array([found.fewest_by_deadline - 1.0, found.fewest_by_deadline])

    done = sizes * reference_share(JOB, JOB.training, sizes) * 730

    assert done[0] < 64 * 650 <= done[1]


def test_work_that_no_size_finishes_is_said():
    fine_tune = Training(params_b=8, tokens_per_step=262_144, mfu_node=0.48)

    found = need_of(training=fine_tune, accelerators=4096, demand=Demand(utilisation=1.0))

    assert found.fewest_by_deadline is None
    assert {"wrong_size_for_batch", "no_size_finishes_in_time"} <= set(found.notes)


def test_asking_fewer_than_the_deadline_needs_is_noted():
    assert "fewer_than_deadline" in need_of(accelerators=8, demand=Demand(utilisation=1.0)).notes


@pytest.mark.parametrize(
    ("_case", "changes", "fewest"),
    [
        ("independent jobs spread", {"shape": "independent_jobs", "training": None}, 9),  # 6,400 / 730 = 8.8
        ("one job of unknown scaling", {"training": None}, None),
        ("a curve needs its peak", {"training": None, "demand": Demand(base=2, peak=21.5, curve="chat")}, 22),
    ],
)
def test_other_shapes(_case, changes, fewest):
    assert need_of(**changes).fewest_by_deadline == fewest


def test_what_is_not_known_is_not_guessed():
    found = need_of(training=None, accelerator_types=())

    assert (found.fewest_by_memory, found.best_n, found.single_node_sufficient) == (None, None, None)


def test_memory_may_be_stated_instead_of_a_type():
    assert need_of(accelerator_types=(), min_memory_gb=40).fewest_by_memory == 4  # 128 / 40
    assert "missing:accelerator_types" in need_of(accelerator_types=()).notes


@pytest.mark.parametrize(("kind", "size"), [("H100", 8), ("T4", 4), ("Trainium2", 16), ("GB200", 8), (None, 8)])
def test_a_rack_is_not_a_node(kind, size):
    assert node_size(kind) == size


def test_the_size_of_a_service_is_made_up_of_rate_queue_spare_and_whole_nodes():
    # 100,000 tokens/s, twice that at the peak, 85 % of a published 3,820 of an H100 planned on: 61.6, replicas of 2;
    # 3 requests/s at the peak x 10 s keep 30 busy; with 39 servers 4.5 % wait over a second: 78, 80 in whole nodes
    service = {
        "model": "llama2-70b",
        "slo": "server",
        "redundancy": "n_plus_1_node",
        "requests_per_second": 1.5,
        "service_seconds": 10,
    }
    asked = workload(
        kind="llm_inference",
        shape="replicas",
        accelerators=88,
        inference=service,
        demand={"tokens_per_second": 100000, "peak_to_mean": 2},
    )
    found = answered(document(quotes=[quote()], workloads=[asked]))["need"]["w"]

    assert (found["fleet"]["for_mean"], found["fleet"]["for_peak"]) == (32, 62)
    assert (found["fleet"]["for_queue"], found["fleet"]["redundant"], found["fleet"]["total"]) == (78, 8, 88)
    assert (found["best_n"], found["single_node_sufficient"]) == (88, False)
    assert found["cluster"] == {"answer": "no", "because": "parts_work_alone", "accelerators": 2, "node": 8}


def test_one_spare_node_does_not_make_a_cluster_of_a_service_that_fits_one():
    service = {"model": "llama3.1-8b", "slo": "server", "redundancy": "two_sites"}
    asked = workload(
        kind="llm_inference", shape="replicas", inference=service, demand={"tokens_per_second": 4000, "peak_to_mean": 2}
    )
    found = answered(document(quotes=[quote()], workloads=[asked]))["need"]["w"]

    assert (found["single_node_sufficient"], found["best_n"]) == (True, 16)
    assert found["cluster"]["answer"] == "no"


def test_whether_a_cluster_is_needed_is_answered_for_every_workload():
    inside = workload(shape="one_job", accelerators=8)
    beyond = workload(id="x", shape="one_job", accelerators=16)
    wide = workload(id="y", shape="one_job", accelerators=64, training={"params_b": 70, "tokens_per_step": 4e6})
    found = answered(document(quotes=[quote()], workloads=[inside, beyond, wide]))["need"]

    assert [found[name]["cluster"]["answer"] for name in ("w", "x", "y")] == ["no", "yes", "yes"]
    assert [found[name]["cluster"]["because"] for name in ("w", "x")] == ["stated_size", "stated_size"]
