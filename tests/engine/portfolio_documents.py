"""Random scenario documents for portfolios: small ones with every kind of place, and the large one of the benchmark."""

import numpy as np

from tests.engine.cost_documents import build, document, evidence, quote, reserved, workload


def knotty(seed, gangs=4, loose=3):
    """Return gangs and divisible workloads before an own build, on-demand quotes and two commitments."""
    random = np.random.default_rng(seed)
    jobs = [_gang(random, index, (8, 16, 32), 6) for index in range(gangs)]
    jobs += [_divisible(random, index, (8, 24), 6) for index in range(loose)]
    quotes = [
        quote(price=price(random, 2, 4), quantity_available=64),
        quote(id="more", price="6.00", provider="B"),
        reserved(price=price(random, 1, 2), term_months=3, quantity_available=48, setup_fee="500"),
        reserved(id="six", price="1.10", term_months=6, min_accelerators=16, quantity_available=32, provider="C"),
    ]
    policy = {"max_share_per_supplier": 0.8, "yearly_budget": 4_000_000}
    return document(quotes=quotes, builds=[build(32)], workloads=jobs, policy=policy, discount_rate="0.08")


def price(random, low, high):
    """Return a price between two bounds as text."""
    return f"{random.uniform(low, high):.2f}"


def _start(random, months):
    month = int(random.integers(0, months))
    return f"{2027 + month // 12}-{month % 12 + 1:02d}-01"


def _gang(random, index, sizes, longest, within=1):
    start = "2026-12-01" if within == 1 else _start(random, within)
    return workload(
        id=f"gang{index}", shape="one_job", accelerators=int(random.choice(sizes)), start=start, need_by=start,
        months=int(random.integers(1, longest + 1)),
    )  # fmt: skip


def _divisible(random, index, sizes, longest, within=3):
    return workload(
        id=f"loose{index}", accelerators=int(random.choice(sizes)), start=_start(random, within),
        months=int(random.integers(2, longest + 1)), demand={"utilisation": f"{random.uniform(0.3, 1):.2f}"},
    )  # fmt: skip


def bench_document(seed=0, workloads=200, gangs=60):
    """Return the instance of the benchmark: 24 quotes of which 4 are commitments, 6 builds, 36 months."""
    random = np.random.default_rng(seed)
    jobs = [_gang(random, index, (16, 32, 64, 128), 12, within=24) for index in range(gangs)]
    jobs += [_divisible(random, index, (8, 16, 32, 64), 24, within=12) for index in range(workloads - gangs)]
    return document(
        quotes=[*_metered(random, 20), *_committed(random, 4)],
        builds=[_own(random, index) for index in range(6)],
        workloads=jobs,
        policy={"max_share_per_supplier": 0.4, "capital_budget": 60_000_000},
        discount_rate="0.08",
        horizon_months=36,
    )


def _metered(random, count):
    limited = [
        quote(
            id=f"od{index}", provider=f"P{index % 8}", price=price(random, 1.8, 4.5), valid_until="2027-02-28",
            quantity_available=int(random.choice([128, 256, 512, 1024])), largest_domain_accelerators=256,
            lead_time_days=int(random.choice([0, 14, 60])),
        )
        for index in range(count - 1)
    ]  # fmt: skip
    return [*limited, quote(id="open", provider="P9", price="5.50", quantity_available=100_000)]


def _committed(random, count):
    return [
        reserved(
            id=f"rsv{index}", provider=f"P{index}", price=price(random, 1.1, 1.9), valid_until="2027-02-28",
            quantity_available=512, largest_domain_accelerators=512, term_months=(6, 12, 12, 24)[index],
            min_accelerators=(None, 64, None, 128)[index],
        )
        for index in range(count)
    ]  # fmt: skip


def _own(random, index):
    """Return an own build of two tranches of 128 each, one third of them with the second one promised."""
    parts = ["A", "B"]
    later = index % 3 == 2
    proven = [
        {**one, "tranche": part, **({"qty": 0} if later and part == "B" and one["gate"] == "powered" else {})}
        for part in parts
        for one in evidence(128, 160)
    ]
    promises = [{"gate": "powered", "tranche": "B", "date": "2027-09-01", "stated_on": "2026-10-01"}] if later else []
    capital = float(random.uniform(22_000, 38_000)) * 256
    return build(
        256,
        id=f"own{index}",
        tranches=[{"id": part, "planned_accelerators": 128} for part in parts],
        evidence=proven,
        promises=promises,
        costs=[
            {"component": "hardware", "amount": f"{capital:.0f}", "currency": "USD", "basis": "once",
             "life_months": 60, "residual_fraction": 0.1},
            {"component": "power", "it_kw": 320, "pue": 1.3, "price_per_kwh": "0.09", "currency": "USD",
             "idle_fraction": 0.3},
            {"component": "staff", "amount": "180000", "fte": 2, "currency": "USD", "basis": "per_year"},
        ],
    )  # fmt: skip
