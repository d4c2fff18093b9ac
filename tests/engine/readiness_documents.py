"""Small scenario documents about builds and quotes, and what the engine says of them."""

from functools import cached_property
from typing import Any

from procurement.engine.bookability import Booking, Bookings, bookability
from procurement.engine.codes import GATES
from procurement.engine.forecast import Forecast, scenario_forecasts
from procurement.engine.readiness import Readiness
from procurement.engine.readiness_sites import scenario_readiness
from procurement.engine.scenario import parse_scenario
from procurement.engine.tables import Scenario

AS_OF = "2026-11-30"
PLANNED = 1024
KW_PER_NODE = 12.4


class Judged:
    """A scenario with what the engine says of it, each stage when it is asked for."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.scenario: Scenario = parse_scenario(document)

    @cached_property
    def readiness(self) -> dict[str, Readiness]:
        return scenario_readiness(self.scenario)

    @cached_property
    def forecasts(self) -> dict[str, Forecast]:
        return scenario_forecasts(self.scenario, self.readiness)

    @cached_property
    def bookings(self) -> Bookings:
        return bookability(self.scenario, self.readiness, self.forecasts)


def judged(document: dict[str, Any]) -> Judged:
    return Judged(document)


def proof(gate: str, qty: float = PLANNED, grade: str = "C", observed_on: str = "2026-11-28", **more: Any) -> dict:
    """Return one statement; a loss or a node list may go without quantity."""
    return {"gate": gate, "qty": qty, "grade": grade, "observed_on": observed_on, **more}


def power(kw: float, grade: str = "B", observed_on: str = "2026-10-05", **more: Any) -> dict:
    return proof("powered", kw, grade, observed_on, **{"unit": "kw_it", **more})


def all_gates(
    qty: float = PLANNED, grade: str = "C", observed_on: str = "2026-11-28", *, without=(), **more: Any
) -> list:
    """Return statements that verify every gate but some."""
    return [proof(gate, qty, grade, observed_on, **more) for gate in GATES if gate not in without]


def promise(gate: str, date: str, stated_on: str = "2026-06-01", **more: Any) -> dict:
    return {"gate": gate, "date": date, "stated_on": stated_on, **more}


def build(evidence=(), promises=(), **more: Any) -> dict:
    """Return a build of 128 air-cooled nodes of 8."""
    base = {
        "id": "b", "accelerator": "H100", "accelerators_per_node": 8, "it_kw_per_node": KW_PER_NODE,
        "cooling_kw_per_node": {"air": KW_PER_NODE}, "rdma_ports_per_node": 8, "design_class": "multi_node",
        "tranches": [{"id": "T1", "planned_accelerators": PLANNED}],
        "evidence": list(evidence), "promises": list(promises),
    }  # fmt: skip
    return base | more


def document(*builds: dict, as_of: str = AS_OF, **more: Any) -> dict:
    return {"schema": "scenario/1", "as_of": as_of, "builds": list(builds), **more}


def ready(evidence=(), promises=(), *, as_of: str = AS_OF, assumptions=None, **more: Any) -> Readiness:
    """Return the readiness of one build."""
    text = document(build(evidence, promises, **more), as_of=as_of, assumptions=assumptions or {})
    return judged(text).readiness["b"]


def forecast(evidence=(), promises=(), *, as_of: str = AS_OF, assumptions=None, **more: Any) -> Forecast:
    """Return the forecast of one build."""
    text = document(build(evidence, promises, **more), as_of=as_of, assumptions=assumptions or {})
    return judged(text).forecasts["b"]


def quote(**more: Any) -> dict:
    """Return a reservation offer of 512 H100 in one fabric."""
    base = {
        "id": "q", "provider": "Example", "quoted_on": "2026-11-20", "accelerator": "H100", "accelerators_per_node": 8,
        "capacity_class": "reservation_offer", "interconnect": "multi_node", "quantity_available": 512,
        "largest_domain_accelerators": 512, "earliest_start": "2026-12-01", "price": "2", "currency": "USD",
    }  # fmt: skip
    return {key: value for key, value in (base | more).items() if value is not None}


def workload(**more: Any) -> dict:
    """Return one job on 128 H100 for 28 days from mid December."""
    base = {
        "id": "w", "accelerators": 128, "start": "2026-12-15", "days": 28, "interconnect": "multi_node",
        "shape": "one_job", "accelerator_types": ["H100"],
    }  # fmt: skip
    return {key: value for key, value in (base | more).items() if value is not None}


def booked(offer: dict, need: dict, *builds: dict, as_of: str = AS_OF, **more: Any) -> Booking:
    """Return what is said of one quote for one workload."""
    text = document(*builds, as_of=as_of, quotes=[offer], workloads=[need], **more)
    return judged(text).bookings.offer("w", "q")
