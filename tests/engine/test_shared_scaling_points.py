"""The bars of the throughput method on every published run of the shared set."""

import csv
from statistics import mean, median

import pytest

from tests.engine.scaling import Run, misses

FABRICS = {"ib": "infiniband", "roce": "roce", "tcp": "ethernet", "tpu": "tpu_ici", "tpu-multislice-dcn": "tpu_ici"}


@pytest.fixture
def runs(shared_folder):
    with (shared_folder / "cases" / "scaling_points.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["step_s"] and row["batch"]]  # others state an MFU only
    return [
        Run(
            family=row["family"], kind=row["workload_class"], params_b=float(row["params_b"]),
            fabric=FABRICS[row["fabric"]], gbps=float(row["net_gbps_per_gpu"]) if row["net_gbps_per_gpu"] else None,
            node=max(1, int(row["nvlink_domain"] or 8)), accelerators=int(row["n_gpus"]), batch=float(row["batch"]),
            step_s=float(row["step_s"]),
        )
        for row in rows
    ]  # fmt: skip


@pytest.mark.shared
def test_the_median_error_is_below_five_percent(runs):
    found = misses(runs)

    assert len(found) > 250
    assert median(miss.error for miss in found) < 0.05


@pytest.mark.shared
def test_the_mean_error_of_language_model_pretraining_is_below_three_percent(runs):
    errors = [miss.error for miss in misses(runs) if miss.run.kind == "llm_pretrain" and miss.run.step_s >= 1.0]

    assert len(errors) > 100
    assert mean(errors) < 0.03
