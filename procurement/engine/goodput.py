"""Goodput and feed: what failures, restarts, checkpoints and storage leave of an hour (METHOD.md, Goodput)."""

import math
from collections.abc import Iterable
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from procurement.engine.tables import Build, Evidence, Quote

Numbers = NDArray[np.float64]
Values = float | Numbers  # one number, or an array that broadcasts

GOODPUT_NODE = 8  # accelerators; the node that failure rates are published for
FAILURES_PER_1000_NODE_DAYS = 6.5  # per 1,000 node-days, published range 2.3 to 15
RESTART_MINUTES = 15.0  # min: detect, reschedule, reload; published range 5 to 60
FIRST_YEAR_FAILURES_PER_1000_NODE_DAYS = 15.0  # per 1,000 node-days, a build that is not yet run in
FIRST_YEAR_RESTART_MINUTES = 60.0  # min, the same
CHECKPOINT_BLOCKING_S = 30.0  # s that a job stands still per checkpoint, published range 5 to 120
RUN_IN = timedelta(days=365)  # job_run evidence over this span replaces the first-year defaults
ACCEPTED_GRADES = ("A", "B", "C")  # a plan or a press release is no run
SECONDS_PER_HOUR = 3600.0


def mean_time_between_failures_h(failures_per_1000_node_days: Values, accelerators: Values) -> Numbers:
    """Return the hours between failures of a job: 24,000 / (failures x nodes), a node being 8 accelerators.

    Parameters
    ----------
    failures_per_1000_node_days : float or Numbers
        Failures [per 1,000 node-days]; 0 gives infinity.
    accelerators : float or Numbers
        Accelerators that work together; broadcasts with the failures.

    Returns
    -------
    Numbers
        Broadcast shape [h].
    """
    nodes = np.ceil(np.asarray(accelerators, dtype=np.float64) / GOODPUT_NODE)
    with np.errstate(divide="ignore"):
        return np.asarray(24_000.0 / (np.asarray(failures_per_1000_node_days, dtype=np.float64) * nodes))


def checkpoint_interval_s(blocking_s: Values, mtbf_h: Values) -> Numbers:
    """Return the best time between checkpoints [s], sqrt(2 x blocking x time between failures).

    References
    ----------
    J. W. Young, A first order approximation to the optimum checkpoint interval, CACM 17(9), 1974.
    """
    mtbf_s = np.asarray(mtbf_h, dtype=np.float64) * SECONDS_PER_HOUR
    blocking = np.asarray(blocking_s, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        return np.where(blocking == 0.0, 0.0, np.sqrt(2.0 * blocking * mtbf_s))


def goodput_share(mtbf_h: Values, blocking_s: Values, restart_minutes: Values) -> Numbers:
    """Return the share of a job's hours that moves it forward [fraction].

    Parameters
    ----------
    mtbf_h : float or Numbers
        Hours between failures of the whole job [h].
    blocking_s : float or Numbers
        Seconds the job stands still per checkpoint [s]; checkpoints are taken at Young's interval.
    restart_minutes : float or Numbers
        Time to detect, reschedule and reload [min].

    Returns
    -------
    Numbers
        Broadcast shape, in (0, 1] [fraction].
    """
    between, blocking, restart = np.broadcast_arrays(
        np.asarray(mtbf_h, dtype=np.float64) * SECONDS_PER_HOUR,
        np.asarray(blocking_s, dtype=np.float64),
        np.asarray(restart_minutes, dtype=np.float64) * 60.0,
    )
    interval = checkpoint_interval_s(blocking, between / SECONDS_PER_HOUR)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        cycle = (between + restart) * np.expm1((interval + blocking) / between)
        share = np.where(blocking == 0.0, between / (between + restart), interval / cycle)
    return np.where(np.isinf(between), 1.0, np.minimum(share, 1.0))


def first_order_goodput(mtbf_h: Values, blocking_s: Values, restart_minutes: Values) -> Numbers:
    """Return the short form 1 - blocking / interval - (interval / 2 + restart) / time between failures, for checks."""
    between = np.asarray(mtbf_h, dtype=np.float64) * SECONDS_PER_HOUR
    interval = checkpoint_interval_s(blocking_s, mtbf_h)
    restart = np.asarray(restart_minutes, dtype=np.float64) * 60.0
    return np.asarray(1.0 - np.asarray(blocking_s) / interval - (interval / 2.0 + restart) / between)


def feed_share(storage_read_gb_s: Values, accelerators: Values, need_gb_s: Values) -> Numbers:
    """Return min(1, storage read / (accelerators x need)); NaN where a need is stated and no storage figure is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.asarray(storage_read_gb_s, dtype=np.float64) / (np.asarray(accelerators) * np.asarray(need_gb_s))
    return np.where(np.asarray(need_gb_s) == 0.0, 1.0, np.minimum(1.0, share))


def is_run_in(evidence: Iterable[Evidence]) -> bool:
    """Return whether accepted job_run evidence spans a year, so that first-year failure rates no longer apply."""
    days = [
        entry.achieved_on or entry.observed_on
        for entry in evidence
        if entry.gate == "job_run" and entry.event is None and entry.grade in ACCEPTED_GRADES
    ]
    newest = [entry.observed_on for entry in evidence if entry.gate == "job_run" and entry.event is None]
    return bool(days) and max(newest) - min(days) >= RUN_IN


def failures_of(place: Quote | Build) -> float:
    """Return the failures [per 1,000 node-days] of a place: as stated, else the default of its kind."""
    if place.failures_per_1000_node_days is not None:
        return float(place.failures_per_1000_node_days)
    if isinstance(place, Build) and not is_run_in(place.evidence):
        return FIRST_YEAR_FAILURES_PER_1000_NODE_DAYS
    return FAILURES_PER_1000_NODE_DAYS


def restart_minutes_of(place: Quote | Build) -> float:
    """Return the restart time [min] of a place: as stated, else the default of its kind."""
    if place.restart_minutes is not None:
        return float(place.restart_minutes)
    if isinstance(place, Build) and not is_run_in(place.evidence):
        return FIRST_YEAR_RESTART_MINUTES
    return RESTART_MINUTES


def blocking_s(checkpoint_gb: Values, storage_write_gb_s: Values) -> Numbers:
    """Return the seconds a checkpoint blocks: its size over the write rate, the default where either is unknown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        seconds = np.asarray(checkpoint_gb, dtype=np.float64) / np.asarray(storage_write_gb_s, dtype=np.float64)
    return np.where(np.isfinite(seconds), seconds, CHECKPOINT_BLOCKING_S)


def or_nan(value: float | None) -> float:
    """Return a number for a column: NaN stands for missing inside arrays, never 0."""
    return math.nan if value is None else float(value)
