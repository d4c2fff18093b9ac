"""Sizing of inference: rates, queueing head-room, redundancy, cost per token."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine.errors import EngineError
from procurement.engine.inference import (
    accelerators_for_tokens,
    cost_per_million_tokens,
    fleet_size,
    model_size_b,
    servers_for_wait,
    slo_factor,
    usable_rate,
    waiting_longer,
    waiting_probability,
)
from procurement.engine.tables import Demand, Inference, Workload

SERVICE = Workload(
    id="chat", kind="llm_inference", shape="replicas", accelerators=16, accelerator_types=("H100",),
    start=date(2027, 1, 1), months=12, inference=Inference(model="llama2-70b", slo="server"),
    demand=Demand(tokens_per_second=20_000, peak_to_mean=1.92),
)  # fmt: skip


@pytest.mark.parametrize(
    ("requests", "servers", "busy"),
    [(0.5, 10, 0.50), (2, 27, 0.74), (10, 113, 0.88), (50, 519, 0.96), (200, 2023, 0.99)],
)
def test_small_fleets_need_more_head_room(requests, servers, busy):
    found = servers_for_wait(requests, 10.0, max_wait_s=1.0, tail=0.05)

    assert found == servers
    assert requests * 10 / found == pytest.approx(busy, abs=0.005)


def test_the_waiting_probability_equals_the_recurrence():
    load = 37.5
    blocked = 1.0
    for servers in range(1, 61):
        blocked = load * blocked / (servers + load * blocked)  # Erlang B, one server more
        if servers > load:
            expected = blocked / (1 - load / servers * (1 - blocked))
            assert float(waiting_probability(servers, load)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("servers", "load", "expected"), [(2, 1, 1 / 3), (1, 0.4, 0.4), (4, 4, 1.0), (3, 0, 0.0), (3, 5, 1.0)]
)
def test_the_waiting_probability_of_small_queues(servers, load, expected):
    assert float(waiting_probability(float(servers), float(load))) == pytest.approx(expected)


def test_tens_of_thousands_of_servers_neither_overflow_nor_lose_digits():
    waits = waiting_probability(np.array([200_030.0, 201_000.0]), 200_000.0)

    assert np.isfinite(waits).all()
    assert 0.0 < waits[1] < waits[0] < 1.0


@settings(max_examples=60)
@given(st.floats(0.01, 500), st.floats(0.1, 60))
def test_one_server_fewer_would_not_do(requests, service):
    servers = servers_for_wait(requests, service)
    load = requests * service

    assert float(waiting_longer(float(servers), load, 1.0, service)) <= 0.05
    assert servers - 1 <= load or float(waiting_longer(float(servers - 1), load, 1.0, service)) > 0.05


@pytest.mark.parametrize(
    ("model", "slo", "expected"),
    [
        ("llama2-70b", "server", 0.93), ("llama3.1-8b", "server", 0.93), ("Llama 3.1 405B", "server", 0.72),
        ("deepseek-r1", "server", 0.5), ("llama2-70b", "interactive", 0.55), ("llama3.1-405b", "offline", 1.0),
        (None, "server", 0.93),
    ],
)  # fmt: skip
def test_a_service_level_costs_throughput(model, slo, expected):
    assert slo_factor(model, slo) == expected


@pytest.mark.parametrize(
    ("_case", "changes", "accelerator", "tokens", "basis"),
    [
        ("published for the level", {}, "H100", 3819.95, "published"),
        ("published offline only", {"slo": "interactive"}, "H100", 3899.72 * 0.55, "published_offline"),
        ("stated", {"tokens_per_second_per_accelerator": 3000}, "H100", 3000 * 0.93, "stated"),
        ("stated without a level", {"tokens_per_second_per_accelerator": 3000, "slo": None}, "H100", 3000, "stated"),
    ],
)
def test_the_usable_rate_says_where_it_comes_from(_case, changes, accelerator, tokens, basis):
    rate = usable_rate(replace(SERVICE, inference=replace(SERVICE.inference, **changes)), accelerator)

    assert rate.tokens_per_second == pytest.approx(tokens)
    assert rate.basis == basis


def test_an_accelerator_without_a_round_has_no_rate():
    assert usable_rate(SERVICE, "A100") is None


def test_accelerators_are_rounded_up_to_replicas():
    # 20,000 / (3,820 x 0.85) = 6.16
    assert accelerators_for_tokens(20_000, 3820) == 7
    assert accelerators_for_tokens(20_000, 3820, replica=4) == 8


@pytest.mark.parametrize(
    ("redundancy", "spare", "total"), [("none", 0, 16), ("n_plus_1_node", 8, 24), ("two_sites", 16, 32)]
)
def test_a_fleet_carries_the_peak_in_whole_nodes_with_its_spare(redundancy, spare, total):
    workload = replace(SERVICE, inference=replace(SERVICE.inference, redundancy=redundancy))

    size = fleet_size(workload, "H100", 8)

    # peak 38,400 / (3,819.95 x 0.85) = 11.83, in replicas of two 80 GB accelerators 12, in nodes of 8: 16
    assert (size.for_mean, size.for_peak, size.redundant, size.total) == (8, 12, spare, total)
    assert size.mean_utilisation == pytest.approx(20_000 / (3819.95 * total))


def test_requests_that_may_not_wait_can_ask_for_more_than_the_tokens_do():
    busy = replace(SERVICE.inference, model="llama3.1-8b", requests_per_second=2, service_seconds=10)
    workload = replace(SERVICE, inference=busy, demand=Demand(tokens_per_second=1000, peak_to_mean=1.0))

    size = fleet_size(workload, "H100", 8)

    assert (size.for_peak, size.for_queue, size.total) == (1, 27, 32)


def test_an_unknown_rate_and_ratio_are_named():
    size = fleet_size(replace(SERVICE, demand=Demand(tokens_per_second=100)), "A100", 8)

    assert size.total is None
    assert set(size.notes) == {"no_inference_rate", "peak_to_mean_not_stated", "queue_not_stated"}


def test_cost_per_million_tokens_counts_what_is_provisioned():
    # 3.00 x 16 x 1e6 / (3600 x 20,000)
    assert cost_per_million_tokens(3.0, 16, 20_000) == pytest.approx(0.666667, abs=1e-6)


def test_tokens_that_nobody_serves_have_no_cost():
    with pytest.raises(EngineError, match="above 0"):
        cost_per_million_tokens(3.0, 16, 0.0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("llama3.1-405b", 405), ("Llama 2 70B", 70), ("mixtral-8x7b", 56), ("deepseek-r1", 671), ("bert", None)],
)
def test_a_model_name_may_state_its_size(name, expected):
    assert model_size_b(name) == expected
