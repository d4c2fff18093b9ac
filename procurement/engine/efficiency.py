"""Efficiency of one job over many accelerators: compute, tax and toll of a step (METHOD.md, Efficiency)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Values = float | Numbers  # one number, or an array that broadcasts

PARAMETERS_VERSION = "2026-11"  # of the constants below; shown beside every table
TOLL_S = 0.013  # s, k: a model of 1 billion parameters on 16 accelerators over 400 Gbit/s InfiniBand
TOLL_MODEL_EXPONENT = 0.40  # p: the toll grows with the model
TOLL_NETWORK_EXPONENT = 0.60  # q: the toll grows as the network gets slower
TOLL_GROWTH = 0.15  # g: per doubling beyond 16 accelerators
TAX = 0.009  # e: proportional loss per doubling beyond one node (stragglers, bubbles)
REFERENCE_GBPS = 400.0  # Gbit/s per accelerator
NODE = 8  # accelerators of the node that mfu_node is measured on
LARGEST_NODE = 16  # accelerators; a larger scale-up domain is a rack
RACK = 72  # accelerators in one NVLink rack
MFU_PRESET = 0.48  # fraction, where neither mfu_node nor an anchor is stated
PESSIMISM = 1.75  # the loss is multiplied by this at the pessimistic edge; held 86 % of the rows tried
LEAST_EFFICIENCY = 0.3  # below it a cluster has the wrong size for the batch and no number is given


@dataclass(frozen=True, slots=True)
class Fabric:
    """How dear a toll is on a fabric, against InfiniBand, with the range to show."""

    multiplier: float
    low: float
    high: float


FABRICS: Mapping[str, Fabric] = {
    "nvlink_rack": Fabric(0.7, 0.4, 1.5),  # inside the rack; 7 points, weak
    "infiniband": Fabric(1.0, 0.6, 1.7),  # reference
    "roce": Fabric(1.1, 0.6, 2.5),  # tuned RoCE or Ethernet with RDMA
    "tpu_ici": Fabric(1.5, 1.0, 2.1),  # few points; bandwidth fixed at 400 Gbit/s
    "ethernet": Fabric(13.0, 5.0, 35.0),  # plain TCP: judgement, tuned 5 to untuned 35
}


def doublings(accelerators: Values, base: float) -> Numbers:
    """Return max(0, log2(accelerators / base))."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(0.0, np.log2(np.asarray(accelerators, dtype=np.float64) / base))


def tax_factor(accelerators: Values) -> Numbers:
    """Return 1 + e x D, the proportional loss beyond one node."""
    return np.asarray(1.0 + TAX * doublings(accelerators, NODE))


def toll_seconds(params_b: Values, accelerators: Values, multiplier: Values, network_gbps: Values) -> Numbers:
    """Return the exposed communication time of every step [s], k P^p m (400 / b)^q (1 + g D16).

    Parameters
    ----------
    params_b : float or Numbers
        All parameters, also those that are not active [billions].
    accelerators : float or Numbers
        Accelerators that work on one job.
    multiplier : float or Numbers
        Fabric multiplier, times the site multiplier where one was fitted.
    network_gbps : float or Numbers
        Bandwidth of one accelerator: measured all-reduce bus bandwidth, else nominal [Gbit/s].

    Returns
    -------
    Numbers
        Broadcast shape [s].
    """
    with np.errstate(divide="ignore"):
        slowness = (REFERENCE_GBPS / np.asarray(network_gbps, dtype=np.float64)) ** TOLL_NETWORK_EXPONENT
    size = np.asarray(params_b, dtype=np.float64) ** TOLL_MODEL_EXPONENT
    growth = 1.0 + TOLL_GROWTH * doublings(accelerators, 2 * NODE)
    return np.asarray(TOLL_S * size * np.asarray(multiplier) * slowness * growth)


def compute_seconds(
    active_params_b: Values, tokens_per_step: Values, accelerators: Values, rate_tflops: Values
) -> Numbers:
    """Return the computing time of a step [s], 6 x parameters x tokens / (accelerators x achieved rate).

    Parameters
    ----------
    active_params_b : float or Numbers
        Parameters active per token [billions].
    tokens_per_step : float or Numbers
        Tokens of one optimiser step.
    accelerators : float or Numbers
        Accelerators that share the step.
    rate_tflops : float or Numbers
        Dense 16-bit peak times the utilisation reached inside one node [TFLOPS].
    """
    work = 6.0 * np.asarray(active_params_b, dtype=np.float64) * 1e9 * np.asarray(tokens_per_step, dtype=np.float64)
    return np.asarray(work / (np.asarray(accelerators, dtype=np.float64) * np.asarray(rate_tflops) * 1e12))


def anchored_compute_seconds(
    step_s: Values, anchor_accelerators: Values, anchor_toll_s: Values, accelerators: Values
) -> Numbers:
    """Return the computing time of a step at another size, from a measured run with the same batch [s] (semantics 24).

    (t0 - toll(N0)) / (1 + e D0) x N0 / N; scale by the ratio of batches where they differ.
    """
    at_anchor = (np.asarray(step_s, dtype=np.float64) - anchor_toll_s) / tax_factor(anchor_accelerators)
    return np.asarray(at_anchor * np.asarray(anchor_accelerators) / np.asarray(accelerators, dtype=np.float64))


def step_seconds(compute_s: Values, toll_s: Values, accelerators: Values) -> Numbers:
    """Return the time of a step [s]: compute x (1 + e D) + toll."""
    return np.asarray(np.asarray(compute_s) * tax_factor(accelerators) + toll_s)


def pessimistic_efficiency(efficiency: Values) -> Numbers:
    """Return the efficiency with its loss times 1.75, at least 0."""
    return np.maximum(0.0, 1.0 - PESSIMISM * (1.0 - np.asarray(efficiency, dtype=np.float64)))


def fit_site_multiplier(measured_step_s: Values, compute_s: Values, toll_s: Values, accelerators: Values) -> float:
    """Return the one number that calibrates the toll to a site's own measured points.

    The median over the points of (measured - compute x (1 + e D)) / toll, at least 0; points inside one node, which
    pay no toll, say nothing and are left out. NaN where no point is left.
    """
    toll = np.asarray(toll_s, dtype=np.float64)
    exposed = np.asarray(measured_step_s) - np.asarray(compute_s) * tax_factor(accelerators)
    ratios = (exposed / np.where(toll > 0.0, toll, np.nan))[toll > 0.0]
    return max(0.0, float(np.median(ratios))) if ratios.size else math.nan
