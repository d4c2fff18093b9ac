"""Small records for readiness worked by hand, and what an answer to them is held to."""

import pytest

from procurement.engine.codes import GATES
from tests.engine.readiness_documents import power, proof, ready

NAMES = {
    "usable": "usable_accelerators", "power": "energization_status", "status": "availability_status",
    "gates": "gate_accelerators", "binding": "binding_gates", "last_known": "last_known_usable",
}  # fmt: skip


def std(without=()):
    """Return fresh records of every gate but some, with 1,600 kW: 129 nodes."""
    records = [
        proof("installed", observed_on="2026-10-01"),
        power(1600),
        proof("cooled", 1600, "B", "2026-10-06", unit="kw", medium="air"),
        proof("networked", observed_on="2026-10-12", unit="rdma_ports", scope="rdma"),
        proof("scheduled", grade="A"),
        proof("accessible", observed_on="2026-11-15"),
    ]
    return [one for one in records if one["gate"] not in without]


T2 = [{"id": "T1", "planned_accelerators": 512}, {"id": "T2", "planned_accelerators": 512}]


def two(over=None):
    """Return records of two tranches of 512, some gates of some tranche with another figure."""
    known = over or {}
    return [proof(g, known.get((t, g), 512), "A", tranche=t) for t in ("T1", "T2") for g in GATES]


def lost(grade, day):
    return proof("powered", 0, grade, day, unit="kw_it", event="lost")


def listed(gate, first, last):
    return {"gate": gate, "nodes": [first, last], "grade": "C", "observed_on": "2026-11-01"}


def said(**answers):
    return answers


def case(name, evidence=(), promises=(), want=None, **more):
    return pytest.param(evidence, promises, more, want, id=name)


POOL = [one for one in two() if one["gate"] != "powered"]
BASE = [*std(("scheduled",)), proof("scheduled", grade="A", observed_on="2026-11-30")]


def hold(evidence, promises, more, want):
    """Assert that a record gives the answers worked for it; lists are compared as sets."""
    answer = ready(evidence, promises, **more).answer()
    for name, value in want.items():
        found = answer[NAMES.get(name, name)]
        found = {gate: found[gate] for gate in value} if isinstance(value, dict) else found
        assert (name, flat(found)) == (name, flat(value))


def flat(value):
    return sorted(value) if isinstance(value, list | tuple) else value
