"""Inference: accelerators for a rate of tokens or requests, queueing head-room, cost per token."""

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammaln

from procurement.engine.errors import EngineError
from procurement.engine.tables import Workload
from providers.reference import accelerator_of, inference_rate

Numbers = NDArray[np.float64]

HEAD_ROOM = 0.85  # share of the usable rate that is planned on
INTERACTIVE_FACTOR = 0.55  # of the offline rate; published range 0.31 to 0.65
SERVER_FACTOR = 0.93  # of the offline rate, models up to 70 billion parameters; 0.82 to 0.98
SERVER_FACTOR_LARGE = 0.72  # larger models; 0.54 to 0.76 for 405 billion
SERVER_FACTOR_REASONING = 0.5  # reasoning models
LARGEST_SMALL_MODEL_B = 70.0  # billions of parameters
REASONING_MODELS = ("deepseek-r1", "reason", "-r1")
REPLICA_BYTES = 1.2  # bytes per parameter: 8-bit weights, as in the published rounds, and a fifth for the cache
DEFAULT_MAX_WAIT_S = 1.0  # s
DEFAULT_TAIL = 0.05  # share of requests that may wait longer
KNOWN_SIZES_B = {"deepseek-r1": 671.0, "deepseek-v3": 671.0, "gptj": 6.0}  # billions; their names state none
SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class UsableRate:
    """Tokens per second that one accelerator serves at a service level, and where the figure comes from."""

    tokens_per_second: float
    basis: str  # published | published_offline | stated
    slo_factor: float


@dataclass(frozen=True, slots=True)
class FleetSize:
    """Accelerators that an inference service needs, with the parts that make it up; None where nothing is stated."""

    for_mean: int | None  # for the mean rate of tokens
    for_peak: int | None  # for the peak rate of tokens
    for_queue: int | None  # so that few requests wait
    redundant: int  # spare on top
    total: int | None  # whole nodes
    mean_utilisation: float | None  # of the total, at the mean rate of tokens
    rate: UsableRate | None
    notes: tuple[str, ...]


def model_size_b(model: str) -> float | None:
    """Return the parameters [billions] of a model: known, or stated in its name as in `llama3.1-405b`; else None."""
    if model.strip().lower() in KNOWN_SIZES_B:
        return KNOWN_SIZES_B[model.strip().lower()]
    found = re.findall(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z0-9])", model.lower())
    return max((float(times or 1) * float(size) for times, size in found), default=None)


def slo_factor(model: str | None, slo: str) -> float:
    """Return usable over offline throughput of a model at a service level [fraction]."""
    if slo == "offline":
        return 1.0
    if slo == "interactive":
        return INTERACTIVE_FACTOR
    name = (model or "").lower()
    if any(word in name for word in REASONING_MODELS):
        return SERVER_FACTOR_REASONING
    size = model_size_b(name)
    return SERVER_FACTOR_LARGE if size is not None and size > LARGEST_SMALL_MODEL_B else SERVER_FACTOR


def usable_rate(workload: Workload, accelerator: str | None) -> UsableRate | None:
    """Return what one accelerator serves: stated, else published for the service level, else published offline.

    A stated rate is an offline rate and is multiplied by the factor of the service level; a workload that states none
    is taken as it stands. None where neither is known.
    """
    inference = workload.inference
    if inference is None:
        return None
    slo = inference.slo or "offline"
    factor = slo_factor(inference.model, slo)
    stated = inference.tokens_per_second_per_accelerator
    if stated is not None:
        return UsableRate(float(stated) * factor, "stated", factor)
    if inference.model is None or accelerator is None:
        return None
    published = inference_rate(inference.model, accelerator, slo)
    if published is not None:
        return UsableRate(published, "published", 1.0)
    offline = inference_rate(inference.model, accelerator, "offline")
    return None if offline is None else UsableRate(offline * factor, "published_offline", factor)


def accelerators_for_tokens(tokens_per_second: float, rate: float, replica: int = 1) -> int:
    """Return whole replicas, in accelerators, for a rate of tokens with head-room 0.85.

    Parameters
    ----------
    tokens_per_second : float
        Rate to serve [tokens/s].
    rate : float
        Usable rate of one accelerator [tokens/s].
    replica : int
        Accelerators that hold one copy of the model.
    """
    if rate <= 0.0:
        raise EngineError(f"Rate of an accelerator is {rate}; a number above 0 tokens/s would be right.")
    return whole(tokens_per_second / (rate * HEAD_ROOM), replica)


def whole(accelerators: float, unit: int) -> int:
    """Return accelerators rounded up to whole units, free of the noise of binary fractions."""
    return math.ceil(accelerators / unit - 1e-9) * unit


def waiting_probability(servers: Numbers | float, load: Numbers | float) -> Numbers:
    """Return the Erlang C probability that a request has to wait [fraction].

    Parameters
    ----------
    servers : float or Numbers
        Servers in parallel.
    load : float or Numbers
        Arrival rate x service time, in servers kept busy; below `servers`, else every request waits.

    Notes
    -----
    Erlang B is the Poisson probability of exactly c over that of at most c, both from the incomplete gamma function in
    logarithms, so that thousands of servers neither overflow nor lose digits.

    References
    ----------
    A. K. Erlang, Solution of some problems in the theory of probabilities, 1917; R. B. Cooper, Introduction to Queueing
    Theory, 1981, section 3.
    """
    count, busy = np.broadcast_arrays(np.asarray(servers, dtype=np.float64), np.asarray(load, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        exactly = np.exp(count * np.log(busy) - busy - gammaln(count + 1.0))
        blocked = exactly / gammaincc(count + 1.0, busy)
        waits = blocked / (1.0 - (busy / count) * (1.0 - blocked))
    return np.where(busy <= 0.0, 0.0, np.where(count <= busy, 1.0, np.clip(waits, 0.0, 1.0)))


def waiting_longer(servers: Numbers | float, load: Numbers | float, wait_s: float, service_s: float) -> Numbers:
    """Return the probability that a request waits longer than `wait_s`: C(c, a) exp(-(c - a) wait / service)."""
    spare = np.maximum(0.0, np.asarray(servers, dtype=np.float64) - load)
    return np.asarray(waiting_probability(servers, load) * np.exp(-spare * wait_s / service_s))


def servers_for_wait(
    requests_per_second: float,
    service_s: float,
    *,
    max_wait_s: float = DEFAULT_MAX_WAIT_S,
    tail: float = DEFAULT_TAIL,
) -> int:
    """Return the fewest servers with which at most `tail` of the requests wait longer than `max_wait_s`.

    Found by bisection, since the probability falls with every further server.
    """
    load = requests_per_second * service_s
    if load <= 0.0:
        return 0
    if not 0.0 < tail < 1.0:
        raise EngineError(f"Tail of the waiting time is {tail}; a fraction between 0 and 1 would be right.")
    low = math.floor(load)  # too few: the queue grows without end
    step = max(1, math.ceil(math.sqrt(load)))
    high = low + step
    while float(waiting_longer(float(high), load, max_wait_s, service_s)) > tail:
        step *= 2
        low, high = high, high + step
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = middle > load and float(waiting_longer(float(middle), load, max_wait_s, service_s)) <= tail
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def peak_tokens_per_second(workload: Workload) -> float | None:
    """Return the peak rate of tokens, mean x peak_to_mean (semantics 5); the mean where no ratio is stated."""
    demand = workload.demand
    if demand is None or demand.tokens_per_second is None:
        return None
    return float(demand.tokens_per_second) * float(demand.peak_to_mean or 1.0)


def replica_size(workload: Workload, accelerator: str | None) -> int:
    """Return the accelerators that hold one copy of the model and its cache, as a power of two; 1 where not known."""
    model = workload.inference.model if workload.inference else None
    size = model_size_b(model) if model else None
    entry = accelerator_of(accelerator) if accelerator else None
    if size is None or entry is None:
        return 1
    return int(2 ** math.ceil(math.log2(max(1.0, size * REPLICA_BYTES / entry.memory_gb))))


def fleet_size(workload: Workload, accelerator: str | None, accelerators_per_node: int) -> FleetSize:
    """Return the accelerators an inference service needs at a place: throughput, queue, redundancy, whole nodes.

    Parameters
    ----------
    workload : Workload
        With an inference block.
    accelerator : str or None
        Accelerator of the place.
    accelerators_per_node : int
        Node size of the place [accelerators].
    """
    inference = workload.inference
    if inference is None:
        raise EngineError(f"Workload {workload.id} has no inference block; one with model and slo would be right.")
    rate = usable_rate(workload, accelerator)
    replica = replica_size(workload, accelerator)
    mean = None if workload.demand is None else workload.demand.tokens_per_second
    peak = peak_tokens_per_second(workload)
    sizes = [
        None if rate is None or tokens is None else accelerators_for_tokens(tokens, rate.tokens_per_second, replica)
        for tokens in (mean, peak)
    ]
    queue = _servers_for_queue(workload)
    for_queue = None if queue is None else queue * replica
    needed = max((size for size in (sizes[1], for_queue) if size is not None), default=None)
    total = None if needed is None else whole(needed, accelerators_per_node)
    spare = _spare(inference.redundancy, total, accelerators_per_node)
    total = None if total is None else total + spare
    used = mean / (rate.tokens_per_second * total) if mean and rate and total else None
    return FleetSize(
        for_mean=sizes[0], for_peak=sizes[1], for_queue=for_queue, redundant=spare, total=total, mean_utilisation=used,
        rate=rate, notes=_size_notes(workload, rate, mean, queue),
    )  # fmt: skip


def _servers_for_queue(workload: Workload) -> int | None:
    inference = workload.inference
    if inference is None or inference.requests_per_second is None or inference.service_seconds is None:
        return None
    ratio = workload.demand.peak_to_mean if workload.demand and workload.demand.peak_to_mean else 1.0
    return servers_for_wait(
        float(inference.requests_per_second) * float(ratio),
        float(inference.service_seconds),
        max_wait_s=DEFAULT_MAX_WAIT_S if inference.max_wait_seconds is None else float(inference.max_wait_seconds),
        tail=DEFAULT_TAIL if inference.tail is None else float(inference.tail),
    )


def _spare(redundancy: str, total: int | None, accelerators_per_node: int) -> int:
    if total is None or redundancy == "none":
        return 0
    return accelerators_per_node if redundancy == "n_plus_1_node" else total


def _size_notes(workload: Workload, rate: UsableRate | None, mean: float | None, queue: int | None) -> tuple[str, ...]:
    notes = []
    if mean is not None and rate is None:
        notes.append("no_inference_rate")
    if mean is not None and workload.demand is not None and workload.demand.peak_to_mean is None:
        notes.append("peak_to_mean_not_stated")
    if rate is not None and rate.slo_factor != 1.0:
        notes.append(f"slo_factor:{rate.slo_factor:g}")
    if queue is None:
        notes.append("queue_not_stated")
    return tuple(notes)


def cost_per_million_tokens(price_per_accelerator_hour: float, accelerators: float, tokens_per_second: float) -> float:
    """Return what a million served tokens cost when so many accelerators are paid for.

    Parameters
    ----------
    price_per_accelerator_hour : float
        Price [currency per accelerator-hour].
    accelerators : float
        Accelerators provisioned, used or not.
    tokens_per_second : float
        Rate actually served [tokens/s].
    """
    if tokens_per_second <= 0.0:
        raise EngineError(f"Served rate is {tokens_per_second}; a number above 0 tokens/s would be right.")
    return price_per_accelerator_hour * accelerators * 1e6 / (SECONDS_PER_HOUR * tokens_per_second)
