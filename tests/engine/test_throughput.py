"""Golden values and laws of useful throughput; the working is in METHOD.md, Throughput."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine import efficiency as eff
from procurement.engine.tables import Anchor, Build, Quote, Training, Tranche, Workload
from procurement.engine.throughput import throughput_table, useful_share

JOB = Workload(
    id="pretrain", accelerators=512, accelerator_types=("H100",), start=date(2027, 1, 1),
    training=Training(params_b=70, tokens_per_step=4_194_304, mfu_node=0.48),
)  # fmt: skip
INFINIBAND = Quote(
    id="ib", accelerator="H100", accelerators_per_node=8, fabric="infiniband", network_gbps_per_accelerator=400
)
ROCE = replace(INFINIBAND, id="roce", fabric="roce")
ETHERNET = replace(INFINIBAND, id="tcp", fabric="ethernet", network_gbps_per_accelerator=25)


def test_a_70b_job_on_512_h100_over_infiniband_gives_the_golden_values():
    result = useful_share(JOB, INFINIBAND, 512)

    assert result.compute_s == pytest.approx(7.248, abs=5e-4)  # 6 x 70e9 x 4194304 / (512 x 989e12 x 0.48)
    assert float(eff.tax_factor(512.0)) == pytest.approx(1.054)  # 1 + 0.009 x log2(512 / 8)
    assert result.toll_s == pytest.approx(0.124457, abs=5e-7)
    assert result.efficiency == pytest.approx(0.933557, abs=5e-7)
    assert result.mtbf_h == pytest.approx(57.6923, abs=5e-5)  # 24000 / (6.5 x 64)
    assert result.checkpoint_interval_min == pytest.approx(58.8348, abs=5e-5)
    assert result.goodput == pytest.approx(0.978857, abs=5e-7)
    assert result.useful_share == pytest.approx(0.913819, abs=5e-7)
    assert result.notes == ("feed_not_stated",)


@pytest.mark.parametrize(
    ("_case", "place", "price", "share", "useful_price"),
    [
        ("InfiniBand", INFINIBAND, 3.20, 0.914, 3.50),
        ("RoCE", ROCE, 2.90, 0.912, 3.18),
        ("plain TCP", ETHERNET, 2.20, 0.439, 5.02),
    ],
)
def test_the_cheapest_raw_price_is_the_dearest_useful_hour(_case, place, price, share, useful_price):
    result = useful_share(JOB, place, 512)

    assert result.useful_share == pytest.approx(share, abs=5e-4)
    assert price / result.useful_share == pytest.approx(useful_price, abs=5e-3)


def test_plain_ethernet_shows_its_range_and_asks_for_a_measured_all_reduce():
    result = useful_share(JOB, ETHERNET, 512)

    low, high = result.useful_share_range
    assert 2.20 / high == pytest.approx(3.39, abs=5e-3)  # multiplier 5, well tuned
    assert 2.20 / low == pytest.approx(9.50, abs=5e-3)  # multiplier 35, untuned
    assert "measure_allreduce" in result.notes
    assert "fabric_range:0.232-0.649" in result.notes
    assert "communication_bound" in result.notes  # 8.54 s of toll on 7.25 s of compute


@pytest.mark.parametrize(
    ("params_b", "tokens", "row"),
    [
        (8, 262_144, [".97/.95/.45", ".89/.79/.13", ".66/.45/.03", ".31/.15/.01"]),
        (8, 4_194_304, [".99/.99/.92", ".97/.96/.70", ".93/.89/.33", ".83/.71/.10", ".58/.37/.02"]),
        (70, 524_288, [".99/.99/.85", ".96/.94/.53", ".90/.83/.19", ".73/.55/.05", ".41/.22/.01"]),
        (70, 8_388_608, [".99/.99/.98", ".97/.97/.92", ".95/.95/.76", ".92/.90/.43", ".86/.77/.14", ".67/.48/.04"]),
        (405, 16_777_216, [None, None, ".96/.96/.92", ".94/.93/.78", ".91/.89/.47", ".86/.79/.17"]),
    ],
)
def test_the_look_up_table_of_efficiencies_is_reproduced(params_b, tokens, row):
    sizes = [16, 64, 256, 1024, 4096, 16384][: len(row)]
    job = replace(JOB, training=Training(params_b=params_b, tokens_per_step=tokens, mfu_node=0.48))
    places = [INFINIBAND, replace(ROCE, network_gbps_per_accelerator=100), ETHERNET]

    for size, expected in zip(sizes, row, strict=True):
        if expected is None:
            continue
        table = throughput_table([job], places, size)
        share = table.compute_s / table.step_s
        assert "/".join(f"{value:.2f}".lstrip("0") for value in share[0]) == expected


def test_an_efficiency_below_a_third_is_said_not_numbered():
    job = replace(JOB, training=Training(params_b=8, tokens_per_step=262_144, mfu_node=0.48))

    result = useful_share(job, INFINIBAND, 4096)

    assert "wrong_size_for_batch" in result.notes
    assert result.efficiency is None
    assert result.useful_share is None
    assert result.step_s > result.compute_s  # the seconds stay, so that the reader sees why


def test_a_job_inside_one_node_pays_no_toll_whatever_the_fabric():
    result = useful_share(JOB, replace(ETHERNET, fabric=None, network_gbps_per_accelerator=None), 8)

    assert result.efficiency == 1.0
    assert result.toll_s == 0.0
    assert result.step_s == result.compute_s


@pytest.mark.parametrize(
    ("_case", "accelerators", "multiplier"),
    [("in the rack", 72, 0.7), ("over several racks", 144, 1.0)],
)
def test_an_nvlink_rack_has_its_own_toll_and_several_racks_that_of_infiniband(_case, accelerators, multiplier):
    rack = replace(INFINIBAND, accelerator="GB200", fabric="nvlink_rack", accelerators_per_node=72)

    result = useful_share(JOB, rack, accelerators)

    assert result.toll_s == pytest.approx(float(eff.toll_seconds(70.0, float(accelerators), multiplier, 400.0)))


def test_measured_all_reduce_replaces_nominal_bandwidth():
    measured = replace(ROCE, measured_allreduce_gbps=100)

    slow = useful_share(JOB, measured, 512)

    assert slow.toll_s == pytest.approx(useful_share(JOB, ROCE, 512).toll_s * 4**0.6)  # (400 / 100)^0.6


def test_a_measured_bandwidth_above_nominal_is_doubted():
    whole_node = replace(ROCE, measured_allreduce_gbps=3200)  # the figure of a node, not of one accelerator

    assert "measured_above_nominal" in useful_share(JOB, whole_node, 512).notes


def test_the_pessimistic_share_changes_efficiency_only():
    result = useful_share(JOB, INFINIBAND, 512)

    assert result.pessimistic_useful_share == pytest.approx((1 - 1.75 * (1 - result.efficiency)) * result.goodput)


def test_an_anchor_predicts_its_own_step_and_other_sizes():
    anchored = replace(JOB, training=Training(params_b=70, anchor=Anchor(accelerators=64, step_s=14.61)))

    at_anchor = useful_share(anchored, INFINIBAND, 64)
    larger = useful_share(anchored, INFINIBAND, 128)

    assert at_anchor.step_s == pytest.approx(14.61)
    # toll(64) = 0.013 x 70^0.4 x 1.3 = 0.09245; compute_1 = (14.61 - 0.09245) / 1.027 x 64; halved at twice the size
    assert larger.compute_s == pytest.approx((14.61 - 0.09245) / 1.027 / 2, abs=1e-4)
    assert larger.step_s == pytest.approx(larger.compute_s * 1.036 + larger.toll_s)


def test_an_anchor_faster_than_the_fabric_allows_was_measured_elsewhere():
    anchored = replace(JOB, training=Training(params_b=70, anchor=Anchor(accelerators=512, step_s=7.76)))

    result = useful_share(anchored, ETHERNET, 512)  # its toll alone is 8.54 s

    assert "anchor_on_other_fabric" in result.notes
    assert result.compute_s == pytest.approx((7.76 - 0.124457) / 1.054, abs=1e-4)


def test_an_anchor_scales_by_the_published_rates_of_another_accelerator():
    anchored = replace(JOB, training=Training(params_b=70, anchor=Anchor(accelerators=64, step_s=14.61)))

    h100 = useful_share(anchored, INFINIBAND, 64)
    h200 = useful_share(anchored, replace(INFINIBAND, accelerator="H200"), 64)

    assert h100.compute_s / h200.compute_s == pytest.approx(0.318 / 0.2685)  # Llama 2 70B LoRA samples/s


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"fabric": None}, "missing:fabric"),
        ({"fabric": "none"}, "no_fabric"),
        ({"network_gbps_per_accelerator": None}, "missing:network_gbps_per_accelerator"),
        ({"accelerator": "RTX 5090"}, "no_rate:RTX 5090"),
    ],
)
def test_a_missing_figure_is_named_and_never_replaced(changes, note):
    result = useful_share(JOB, replace(INFINIBAND, **changes), 512)

    assert note in result.notes
    assert result.efficiency is None


def test_missing_tokens_per_step_and_a_preset_are_named():
    vague = replace(JOB, training=Training(params_b=70))

    result = useful_share(vague, INFINIBAND, 512)

    assert {"missing:tokens_per_step", "mfu_preset"} <= set(result.notes)
    assert result.useful_share is None


def test_without_a_training_block_efficiency_and_goodput_are_one_and_the_note_says_so():
    result = useful_share(replace(JOB, training=None), INFINIBAND, 512)

    assert (result.efficiency, result.goodput, result.compute_s) == (1.0, 1.0, None)
    assert "efficiency_not_modelled" in result.notes


def test_replicas_are_not_taxed():
    result = useful_share(replace(JOB, shape="replicas"), ETHERNET, 512)

    assert result.useful_share == 1.0


def test_feed_is_the_storage_rate_over_the_need():
    hungry = replace(JOB, feed_gb_s_per_accelerator=0.5)

    assert useful_share(hungry, replace(INFINIBAND, storage_read_gb_s=128), 512).feed == 0.5  # 128 / (512 x 0.5)


def test_a_feed_need_without_a_storage_figure_is_not_ranked():
    result = useful_share(replace(JOB, feed_gb_s_per_accelerator=0.5), INFINIBAND, 512)

    assert result.feed is None
    assert result.useful_share is None
    assert "missing:storage_read_gb_s" in result.notes


def test_a_build_without_a_year_of_runs_has_first_year_failures():
    build = Build(
        id="own", accelerator="H100", accelerators_per_node=8, fabric="infiniband", network_gbps_per_accelerator=400,
        tranches=(Tranche(planned_accelerators=512),),
    )  # fmt: skip

    result = useful_share(JOB, build, 512)

    assert result.mtbf_h == pytest.approx(25.0)  # 24000 / (15 x 64)


def test_the_audit_table_has_four_rows_with_the_seconds_behind_them():
    rows = useful_share(JOB, INFINIBAND, 512).audit

    assert [row.factor for row in rows] == ["efficiency", "goodput", "feed", "useful_share"]
    assert rows[0].numbers["toll_s"] == pytest.approx(0.124457, abs=5e-7)
    assert rows[0].numbers["parameters"] == eff.PARAMETERS_VERSION


def test_one_broadcast_gives_what_every_pair_gives_alone():
    jobs = [JOB, replace(JOB, training=None), replace(JOB, feed_gb_s_per_accelerator=0.1)]
    places = [INFINIBAND, ROCE, ETHERNET, replace(INFINIBAND, accelerator="A100", storage_read_gb_s=20)]
    sizes = np.array([[512, 512, 512, 1536], [64, 64, 64, 192], [8, 16, 32, 24]], dtype=float)

    table = throughput_table(jobs, places, sizes)

    for row, job in enumerate(jobs):
        for column, place in enumerate(places):
            assert table.at(row, column) == useful_share(job, place, sizes[row, column])


def test_a_site_multiplier_fitted_to_measured_points_reproduces_them():
    compute = np.array([7.0, 3.5, 1.75])
    sizes = np.array([128.0, 256.0, 512.0])
    toll = eff.toll_seconds(70.0, sizes, 1.1, 400.0)
    measured = eff.step_seconds(compute, 2.5 * toll, sizes)

    assert eff.fit_site_multiplier(measured, compute, toll, sizes) == pytest.approx(2.5)
    calm = useful_share(JOB, ROCE, 512)
    assert useful_share(JOB, replace(ROCE, toll_multiplier=2.5), 512).toll_s == pytest.approx(2.5 * calm.toll_s)


places = st.builds(
    lambda fabric, gbps: replace(INFINIBAND, fabric=fabric, network_gbps_per_accelerator=gbps),
    st.sampled_from(["infiniband", "roce", "ethernet", "tpu_ici", "nvlink_rack"]),
    st.floats(1, 1600),
)
jobs = st.builds(
    lambda params_b, tokens: replace(JOB, training=Training(params_b=params_b, tokens_per_step=tokens, mfu_node=0.4)),
    st.floats(0.1, 1000),
    st.floats(1e4, 1e8),
)


@settings(max_examples=60, deadline=None)
@given(jobs, places, st.integers(1, 32768))
def test_a_useful_share_is_a_positive_fraction_or_is_not_given(job, place, accelerators):
    result = useful_share(job, place, accelerators)

    assert result.useful_share is None or 0.0 < result.useful_share <= 1.0


@settings(max_examples=60, deadline=None)
@given(jobs, places, st.integers(1, 16384))
def test_efficiency_never_rises_with_the_number_of_accelerators(job, place, accelerators):
    table = throughput_table([job, job], [place], np.array([[accelerators], [2 * accelerators]]))
    small, large = (table.compute_s / table.step_s)[:, 0]

    assert large <= small + 1e-12


@settings(max_examples=60, deadline=None)
@given(jobs, places, st.integers(9, 16384), st.floats(1.0, 10.0))
def test_more_bandwidth_never_hurts(job, place, accelerators, times):
    faster = replace(place, network_gbps_per_accelerator=place.network_gbps_per_accelerator * times)
    table = throughput_table([job], [place, faster], accelerators)

    assert table.step_s[0, 1] <= table.step_s[0, 0] * (1 + 1e-12)
