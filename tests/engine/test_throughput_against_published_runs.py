"""The model of a step against published training runs kept here, each with its source."""

import csv
from pathlib import Path
from statistics import mean, median

import pytest

from tests.engine.scaling import Run, misses


@pytest.fixture(scope="module")
def runs():
    with (Path(__file__).parent / "samples" / "scaling_points.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [
        Run(
            family=row["family"], kind=row["kind"], params_b=float(row["params_b"]), fabric=row["fabric"],
            gbps=float(row["network_gbps_per_accelerator"]), node=int(row["node_accelerators"]),
            accelerators=int(row["accelerators"]), batch=float(row["batch"]), step_s=float(row["step_s"]),
        )
        for row in rows
    ]  # fmt: skip


def test_the_median_error_over_published_runs_is_below_five_percent(runs):
    assert median(miss.error for miss in misses(runs)) < 0.05


def test_the_mean_error_of_language_model_pretraining_is_below_three_percent(runs):
    errors = [miss.error for miss in misses(runs) if miss.run.kind == "llm_pretrain" and miss.run.step_s >= 1.0]

    assert len(errors) >= 6
    assert mean(errors) < 0.03
