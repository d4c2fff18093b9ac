"""Small scenario documents for cost tests: one owned build that is ready, quotes and workloads, each with changes."""

from procurement.engine.pipeline import evaluate
from procurement.engine.scenario import parse_scenario

TODAY = "2026-11-30"
START = "2026-12-01"


def quote(**changes):
    """Return an on-demand quote of H100 at 2.00 an accelerator-hour, certain and large."""
    return {
        "id": "od", "provider": "Cloud", "accelerator": "H100", "accelerators_per_node": 8, "price": "2.00",
        "price_basis": "per_accelerator_hour", "currency": "USD", "purchase_model": "on_demand",
        "interconnect": "multi_node", "fabric": "infiniband", "network_gbps_per_accelerator": 400,
        "quantity_available": 4096, "largest_domain_accelerators": 4096, "quoted_on": "2026-11-20",
        "valid_until": "2027-06-30", "earliest_start": START, "lead_time_days": 0,
        "capacity_class": "reservation_offer", **changes,
    }  # fmt: skip


def reserved(**changes):
    """Return a one-year commitment at 1.20 an accelerator-hour."""
    return quote(**{"id": "rsv", "price": "1.20", "purchase_model": "reserved", "term_months": 12, **changes})


def evidence(accelerators, kw):
    """Return what proves that so many accelerators are usable today."""
    common = {"grade": "A", "observed_on": "2026-11-20"}
    return [
        {"gate": "installed", "qty": accelerators, **common},
        {"gate": "powered", "qty": kw, "unit": "kw_it", **common},
        {"gate": "cooled", "qty": kw, "unit": "kw", "medium": "air", **common},
        {"gate": "networked", "qty": accelerators, "unit": "rdma_ports", "scope": "rdma", **common},
        {"gate": "scheduled", "qty": accelerators, "grade": "A", "observed_on": "2026-11-28"},
        {"gate": "accessible", "qty": accelerators, **common},
    ]


def build(accelerators=16, **changes):
    """Return an own build that is ready today: hardware 200,000 and 1.00 per running hour of the whole."""
    nodes = accelerators // 8
    return {
        "id": "own", "accelerator": "H100", "accelerators_per_node": 8, "it_kw_per_node": 10,
        "cooling_kw_per_node": {"air": 10}, "rdma_ports_per_node": 8, "design_class": "multi_node",
        "fabric": "infiniband", "network_gbps_per_accelerator": 400, "committed": False,
        "tranches": [{"id": "T1", "planned_accelerators": accelerators}],
        "evidence": evidence(accelerators, nodes * 10), "promises": [],
        "costs": [
            {"component": "hardware", "amount": "200000", "currency": "USD", "basis": "once", "life_months": 60},
            {"component": "operations", "amount": "1.00", "currency": "USD", "basis": "per_running_hour"},
        ],
        **changes,
    }  # fmt: skip


def late_build(promised="2027-06-01", **changes):
    """Return an own build that is complete but for power, which is promised."""
    ready = build(**changes)
    return {
        **ready,
        "evidence": [entry for entry in ready["evidence"] if entry["gate"] not in ("powered", "scheduled")],
        "promises": [
            {"gate": "powered", "date": promised, "stated_on": "2026-10-01"},
            {"gate": "scheduled", "date": promised, "stated_on": "2026-10-01", "class": "construction_power"},
        ],
    }


def workload(**changes):
    """Return a need for 16 H100 around the clock for 12 months, as independent jobs."""
    return {
        "id": "w", "shape": "independent_jobs", "accelerators": 16, "accelerator_types": ["H100"], "start": START,
        "months": 12, "demand": {"utilisation": 1.0}, **changes,
    }  # fmt: skip


def document(*, quotes=(), builds=(), workloads=None, policy=None, **assumptions):
    """Return a scenario document; without a rate in the arguments nothing is discounted."""
    return {
        "schema": "scenario/1",
        "as_of": TODAY,
        "assumptions": {"currency": "USD", "discount_rate": 0, **assumptions},
        "quotes": list(quotes),
        "builds": list(builds),
        "workloads": [workload()] if workloads is None else list(workloads),
        **({"policy": policy} if policy else {}),
    }


def answered(asked):
    """Return the whole answer to a document."""
    return evaluate(parse_scenario(asked))


def option(answer, name, workload_id="w"):
    """Return one option of an answer."""
    return next(entry for entry in answer["options"][workload_id] if entry["option"] == name)


def advice(answer, workload_id="w"):
    """Return the recommendation of an answer."""
    return answer["recommendation"][workload_id]
