"""One divisible, deterministic instance twice: as a scenario document, and as a network for PyPSA.

Every place is a bus with a generator, every workload a bus with a load by month, and a link from a place to a workload
that may use it carries the price of a month there. A commitment is a generator whose size is bought for all months.
The network knows nothing of the engine: present values and accelerators are worked out here again.
"""

from dataclasses import dataclass

import numpy as np
import pypsa

from tests.engine.cost_documents import build, document, evidence, quote, reserved, workload

HOURS = 730.0
AS_OF_DAYS = 1  # from 30 November to the start on 1 December
BUILD_SHARE_OF_YEAR = 365.0


@dataclass(frozen=True)
class Instance:
    """Workloads with accelerators, use and months; metered quotes, commitments for the horizon, one own build."""

    months: int
    rate: float
    needs: list  # (name, accelerators, utilisation, first month, months, allowed providers)
    metered: list  # (name, provider, price, quantity)
    committed: list  # (name, provider, price, quantity)
    own: tuple  # (accelerators, price of a running hour of one accelerator)


def made(seed, *, workloads, quotes, months):
    """Return a random instance; a quote without limit keeps it feasible."""
    random = np.random.default_rng(seed)
    providers = [f"P{index}" for index in range(max(quotes // 3, 2))]
    metered = [
        (f"od{index}", str(random.choice(providers)), round(float(random.uniform(1.5, 4.0)), 2),
         int(random.choice([16, 32, 64, 128])))
        for index in range(quotes)
    ]  # fmt: skip
    metered.append(("open", "Open", 6.0, 1_000_000))
    committed = [
        (f"rsv{index}", provider, round(float(random.uniform(0.9, 1.6)), 2), 64)
        for index, provider in enumerate(providers[:3])
    ]
    needs = []
    for index in range(workloads):
        length = int(random.integers(3, months + 1))
        first = int(random.integers(0, months - length + 1))
        chosen = random.choice(providers, size=min(3, len(providers)), replace=False)
        needs.append(
            (f"w{index}", int(random.integers(4, 40)), round(float(random.uniform(0.3, 1.0)), 2), first, length,
             (*(str(name) for name in chosen), "Open", "own"))
        )  # fmt: skip
    return Instance(months, 0.08, needs, metered, committed, (96, 0.40))


def scenario_of(instance):
    """Return the instance as a scenario document: nodes of one accelerator, so that everything divides."""
    single = {"accelerators_per_node": 1, "accelerators_per_instance": 1}
    quotes = [
        quote(id=name, provider=provider, price=str(price), quantity_available=count, **single)
        for name, provider, price, count in instance.metered
    ]
    quotes += [
        reserved(id=name, provider=provider, price=str(price), quantity_available=count,
                 term_months=instance.months, **single)
        for name, provider, price, count in instance.committed
    ]  # fmt: skip
    size, hourly = instance.own
    own = build(
        size, accelerators_per_node=1, it_kw_per_node=10, rdma_ports_per_node=1, committed=True,
        evidence=[{**one, "tranche": "*"} for one in evidence(size, size * 10)],
        costs=[
            {"component": "operations", "amount": hourly * size, "currency": "USD", "basis": "per_running_hour"},
        ],
    )  # fmt: skip
    needs = [
        workload(id=name, accelerators=count, demand={"utilisation": str(use)}, months=length,
                 allowed_providers=[one for one in allowed if one != "own"], start=_day(first))
        for name, count, use, first, length, allowed in instance.needs
    ]  # fmt: skip
    return document(quotes=quotes, builds=[own], workloads=needs, discount_rate=str(instance.rate),
                    horizon_months=instance.months)  # fmt: skip


def _day(month):
    return f"{2026 + (11 + month) // 12}-{(11 + month) % 12 + 1:02d}-01"


def _discount(instance, first, month):
    """Return the worth today of one unit in the middle of a month of a workload that starts in a month."""
    start = (np.datetime64(_day(first)) - np.datetime64(_day(0))).astype(int) + AS_OF_DAYS
    return (1.0 + instance.rate) ** -(start / BUILD_SHARE_OF_YEAR + (month + 0.5) / 12.0)


def network_of(instance):
    """Return the instance as a network whose snapshots are months."""
    network = pypsa.Network()
    months = list(range(instance.months))
    network.set_snapshots(months)
    places = {}
    for name, provider, price, count in instance.metered:
        places[name] = (provider, price * HOURS, {"p_nom": count})
    for name, provider, price, count in instance.committed:
        worth = sum(_discount(instance, 0, month - 0.5) for month in months)  # rent of a term is due in advance
        bought = {"p_nom_extendable": True, "p_nom_max": count, "capital_cost": price * HOURS * worth}
        places[name] = (provider, 0.0, bought)
    size, hourly = instance.own
    places["own"] = ("own", hourly * HOURS, {"p_nom": size})
    network.add("Bus", list(places))
    for name, (_, _, capacity) in places.items():
        network.add("Generator", name, bus=name, **capacity)
    network.add("Bus", [name for name, *_ in instance.needs])
    links, starts, ends, costs = [], [], [], {}
    for name, count, use, first, length, allowed in instance.needs:
        asked = np.zeros(instance.months)
        asked[first : first + length] = count
        network.add("Load", name, bus=name, p_set=asked)
        worth = np.array([_discount(instance, first, month - first) for month in months])
        for place, (provider, monthly, _) in places.items():
            if provider in allowed:
                link = f"{place}>{name}"
                links.append(link)
                starts.append(place)
                ends.append(name)
                costs[link] = monthly * use * worth
    marginal = {"marginal_cost": np.array([costs[link] for link in links]).T}
    network.add("Link", links, bus0=starts, bus1=ends, p_nom=1e6, **marginal)
    return network


def optimum_of(network):
    """Return the least cost that PyPSA finds with HiGHS."""
    status, condition = network.optimize(solver_name="highs", progress=False, log_to_console=False, threads=1)
    assert (status, condition) == ("ok", "optimal")
    return float(network.objective) + float(getattr(network, "objective_constant", 0.0) or 0.0)
