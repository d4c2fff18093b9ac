"""The milestones of a build: one row each, with how it is proven, how long that holds and how late it tends to be."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

POWER_UNITS = ("kw", "kw_it", "kw_facility", "kw_nameplate")
COUNT_UNITS = ("accelerators", "nodes")
PORT_UNITS = ("rdma_ports", "ports")
NO_LIMIT = 36_525  # days; longer than anything that is judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Milestone:
    """One kind of milestone.

    ``days_valid`` is the age limit of its evidence [days]; ``slip_class`` the default class of a promise; ``after`` the
    milestones that cannot be reached later than it (order of dates).
    """

    key: str
    meaning: str
    is_gate: bool
    units: tuple[str, ...]
    days_valid: int
    slip_class: str
    after: tuple[str, ...] = ()
    proof: str
    source: str


_JUDGEMENT = "judgement, anchored on ClusterMAX weekly active checks, ComputeTape's 30-day cap, EIA-860M monthly status"
_ROWS = (
    Milestone(
        key="ordered", meaning="bought", is_gate=False, units=COUNT_UNITS, days_valid=180,
        slip_class="equipment_delivery", proof="purchase order or contract", source=_JUDGEMENT,
    ),
    Milestone(
        key="delivered", meaning="arrived", is_gate=False, units=COUNT_UNITS, days_valid=180,
        slip_class="equipment_delivery", proof="bill of lading, receiving inspection", source=_JUDGEMENT,
    ),
    Milestone(
        key="service_agreement", meaning="power agreed with the utility", is_gate=False,
        units=(*COUNT_UNITS, *POWER_UNITS), days_valid=NO_LIMIT, slip_class="construction_power",
        proof="executed service agreement", source="an agreement holds until it is ended",
    ),
    Milestone(
        key="utility_energized", meaning="power at the site's boundary", is_gate=False,
        units=(*COUNT_UNITS, *POWER_UNITS), days_valid=180, slip_class="construction_power",
        proof="utility energization letter, approval to energize", source=_JUDGEMENT,
    ),
    Milestone(
        key="installed", meaning="racked and enumerating", is_gate=True, units=COUNT_UNITS, days_valid=180,
        slip_class="equipment_delivery", after=("delivered",),
        proof="rack or serial list with a node baseline", source=_JUDGEMENT,
    ),
    Milestone(
        key="powered", meaning="power at the rack under load", is_gate=True, units=(*COUNT_UNITS, *POWER_UNITS),
        days_valid=90, slip_class="construction_power", after=("utility_energized",),
        proof="sign-off at rack level, meter or PDU telemetry under load", source=_JUDGEMENT,
    ),
    Milestone(
        key="cooled", meaning="heat removed by every medium the nodes need", is_gate=True,
        units=(*COUNT_UNITS, *POWER_UNITS), days_valid=90, slip_class="construction_power",
        proof="CDU acceptance; for liquid a soak with real or liquid load", source=_JUDGEMENT,
    ),
    Milestone(
        key="networked", meaning="links accepted at rated speed", is_gate=True, units=(*COUNT_UNITS, *PORT_UNITS),
        days_valid=90, slip_class="equipment_delivery",
        proof="link report, clean counters, all-reduce result", source=_JUDGEMENT,
    ),
    Milestone(
        key="scheduled", meaning="offered by the scheduler", is_gate=True, units=COUNT_UNITS, days_valid=7,
        slip_class="bringup", after=("installed", "powered", "cooled"),
        proof="scheduler snapshot without drained, down, reserved and maintenance nodes", source=_JUDGEMENT,
    ),
    Milestone(
        key="accessible", meaning="open to this buyer", is_gate=True, units=COUNT_UNITS, days_valid=30,
        slip_class="bringup", proof="executed contract, quota grant or own launch", source=_JUDGEMENT,
    ),
    Milestone(
        key="job_run", meaning="own job ran", is_gate=False, units=COUNT_UNITS, days_valid=NO_LIMIT,
        slip_class="bringup", proof="own job on so many accelerators",
        source="a job proves each gate within that gate's own limit",
    ),
)  # fmt: skip
MILESTONES: Mapping[str, Milestone] = MappingProxyType({row.key: row for row in _ROWS})
GATE_KEYS = tuple(row.key for row in _ROWS if row.is_gate)
PHYSICAL_GATES = ("installed", "powered", "cooled", "networked")  # parallel tracks that join before bring-up
JOINED_GATES = ("scheduled", "accessible")  # what bring-up ends with


def evidence_limit_days(gate: str, stated: Mapping[str, int] | None = None) -> int:
    """Return how many days evidence of a milestone counts: as stated by the assumptions, else by default.

    Parameters
    ----------
    gate
        Key of the milestone.
    stated
        Limits by milestone that replace the defaults [days].
    """
    return (stated or {}).get(gate, MILESTONES[gate].days_valid)
