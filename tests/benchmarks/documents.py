"""Large scenarios for the benchmarks, made up from a seed: records, as the engine gets them from frozen inputs."""

import random
from datetime import date, timedelta

from procurement.engine.tables import Assumptions, Demand, FxRate, Quote, Scenario, Workload

AS_OF = date(2026, 11, 30)
TYPES = (
    ("H100", 8), ("H200", 8), ("B200", 8), ("A100-80GB", 8), ("L40S", 4), ("MI300X", 8), ("GB200", 4), ("A100-40GB", 8),
    ("L4", 1), ("H100", 4),
)  # fmt: skip
REGIONS = ("us-east-1", "us-west-2", "eu-central-1", "eu-west-1", "ap-northeast-1", "eu-north-1", None)
LIST_MODELS = ("on_demand", "on_demand", "spot", "reserved", "savings_plan")


def large_scenario(*, workloads: int, quotes: int, seed: int = 7) -> Scenario:
    """Return a market of list prices and firm offers, and workloads that differ in size, window, place and policy."""
    pick = random.Random(seed)
    return Scenario(
        as_of=AS_OF,
        assumptions=Assumptions(
            discount_rate=0.08, fx=(FxRate(base="EUR", counter="USD", rate=1.1, on=date(2026, 11, 1)),)
        ),
        quotes=tuple(_list_price(pick, index) if index % 3 else _offer(pick, index) for index in range(quotes)),
        workloads=tuple(_workload(pick, index) for index in range(workloads)),
    )


def _common(pick: random.Random, index: int) -> dict[str, object]:
    name, node = pick.choice(TYPES)
    return {
        "id": f"q{index:05d}", "provider": f"provider {pick.randrange(60)}", "accelerator": name,
        "accelerators_per_node": node, "accelerators_per_instance": float(node),
        "price": round(pick.uniform(0.8, 6.0), 4), "currency": pick.choice(("USD", "USD", "EUR")),
        "region": pick.choice(REGIONS), "quoted_on": AS_OF - timedelta(days=pick.randrange(34)),
        "includes": ("storage", "egress", "support"),
    }  # fmt: skip


def _list_price(pick: random.Random, index: int) -> Quote:
    model = pick.choice(LIST_MODELS)
    term = pick.choice((12, 36)) if model in ("reserved", "savings_plan") else None
    return Quote(**_common(pick, index), purchase_model=model, term_months=term)  # type: ignore[arg-type]


def _offer(pick: random.Random, index: int) -> Quote:
    held = pick.choice((64, 128, 256, 512, 1024, 2048))
    start = AS_OF + timedelta(days=pick.choice((0, 14, 30, 60, 90)))
    return Quote(
        **_common(pick, index),  # type: ignore[arg-type]
        purchase_model=pick.choice(("contract", "reserved", "capacity_block", "on_demand")),
        term_months=pick.choice((1, 3, 6, 12, 24)),
        capacity_class=pick.choice(("reservation_offer", "reservation_offer", "confirmed", "on_demand")),
        quantity_available=held, largest_domain_accelerators=held // pick.choice((1, 1, 2)),
        interconnect=pick.choice(("multi_node", "multi_node", "cluster_scale", "single_node")),
        fabric=pick.choice(("infiniband", "roce", None)), earliest_start=start,
        lead_time_days=pick.choice((None, 7, 14, 30)), booking_horizon_days=pick.choice((None, None, 180)),
        min_accelerators=pick.choice((None, 64)), valid_until=AS_OF + timedelta(days=pick.randrange(-5, 60)),
        max_days=pick.choice((None, None, 365)),
    )  # fmt: skip


def _workload(pick: random.Random, index: int) -> Workload:
    start = AS_OF + timedelta(days=pick.randrange(10, 150))
    accepted = pick.choice((("H100", "H200"), ("H100", "B200", "H200"), ("A100-80GB", "H100"), (), ("L40S", "L4")))
    return Workload(
        id=f"w{index:04d}",
        kind=pick.choice(("batch_inference", "llm_inference", "experimentation", "simulation_scientific")),
        shape=pick.choice(("one_job", "one_job", "replicas", "independent_jobs")),
        accelerators=pick.choice((4, 8, 16, 32, 64, 128, 256)), accelerator_types=accepted, start=start,
        need_by=start + timedelta(days=pick.randrange(45)) if index % 2 else None,
        months=float(pick.choice((1, 3, 6, 9, 12, 18, 24, 36))),
        deadline_policy=pick.choice((None, "soft")), min_memory_gb=pick.choice((None, None, 40.0, 80.0)),
        demand=Demand(utilisation=round(pick.uniform(0.2, 1.0), 2)) if index % 3 else None,
        residency=pick.choice(((), (), ("EU",), ("US",))), interruptible=pick.random() < 0.3,
        allowed_providers=() if index % 5 else tuple(f"provider {number}" for number in range(0, 60, 2)),
    )  # fmt: skip
