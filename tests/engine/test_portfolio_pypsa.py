"""The portfolio against PyPSA: the same divisible instance, modelled by a library for power systems."""

import logging
import warnings

import pytest

from procurement.engine.pipeline import portfolio
from procurement.engine.scenario import parse_scenario
from tests.engine.pypsa_model import made, network_of, optimum_of, scenario_of


@pytest.mark.parametrize("seed", [1, 2])  # one signs a commitment, one does not
def test_pypsa_finds_the_same_cost_within_a_thousandth(seed):
    instance = made(seed, workloads=12, quotes=8, months=12)
    logging.getLogger("linopy").setLevel(logging.ERROR)
    logging.getLogger("pypsa").setLevel(logging.ERROR)

    ours = portfolio(parse_scenario(scenario_of(instance)), gap=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library's own dependencies
        theirs = optimum_of(network_of(instance))

    assert ours["state"] == "optimal"
    assert float(ours["npv"]) == pytest.approx(theirs, rel=1e-3)
