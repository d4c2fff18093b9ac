"""Readiness worked by hand: how much each record proves (R2, R5 to R7, sections 2 and 5.5).

128 nodes of 8 H100 at 12.4 kW; unless a case says otherwise every gate is verified for all 1,024 on 2026-11-30.
"""

import pytest

from tests.engine.readiness_documents import power, proof
from tests.engine.rules_records import BASE, POOL, T2, case, hold, listed, lost, said, std, two

FIGURES = [
    case(
        "the second tranche half installed",
        two({("T2", "installed"): 256}),
        tranches=T2,
        want=said(
            usable=768,
            largest_multi_node_job=512,
            status="partial",
            gates={"installed": 768, "powered": 1024},
            binding=["installed"],
        ),
    ),
    case(
        "both tranches in one fabric",
        two({("T2", "installed"): 256}),
        tranches=[dict(t, fabric_domain="f") for t in T2],
        want=said(usable=768, largest_multi_node_job=768),
    ),
    case(
        "power in one tranche, hardware in the other",
        two({("T1", "installed"): 0, ("T2", "powered"): 0}),
        tranches=T2,
        want=said(usable=0),
    ),
    case(
        "one feed of 1,000 kW for two tranches: 80 nodes",
        POOL + [power(1000, tranche="*")],
        tranches=T2,
        want=said(
            usable=640,
            gates={"powered": 640},
            binding=["powered"],
            power="partially_energized",
            largest_multi_node_job=512,
        ),
    ),
    case(
        "one feed that is enough",
        POOL + [power(5000, tranche="*")],
        tranches=T2,
        want=said(usable=1024, power="energized", status="available"),
    ),
    case(
        "the feed record is aged",
        POOL + [power(5000, tranche="*", observed_on="2026-07-01")],
        tranches=T2,
        want=said(usable=0, power="stale", flags=["stale:powered"], last_known=1024, status="unverified"),
    ),
    case(
        "node lists that do not meet",
        std(("installed", "powered")) + [listed("installed", 0, 63), listed("powered", 64, 127)],
        node_ids_known=True,
        want=said(usable=0, gates={"installed": 512, "powered": 512}),
    ),
    case(
        "node lists that meet in 32 nodes",
        std(("installed", "powered")) + [listed("installed", 0, 63), listed("powered", 32, 95)],
        want=said(usable=256),
    ),
    case(
        "four feeds of 500 kW in N+1: 2,000 x 0.8 x 3/4 = 1,200 kW",
        std(("powered",)) + [power(2000, basis="nameplate", redundancy="N+1", feeds=4)],
        want=said(usable=768, binding=["powered"]),
    ),
    case(
        "nameplate N: 1,600 kW",
        std(("powered",)) + [power(2000, basis="nameplate", redundancy="N")],
        want=said(usable=1024),
    ),
    case(
        "nameplate 1,000 kW x 0.8: 64 nodes",
        std(("powered",)) + [power(1000, basis="nameplate")],
        want=said(usable=512),
    ),
    case(
        "nameplate 1,000 kW at factor 1: 80 nodes",
        std(("powered",)) + [power(1000, basis="nameplate", continuous_factor=1.0)],
        want=said(usable=640),
    ),
    case(
        "1,300 kW at the meter, PUE 1.3: 80 nodes",
        std(("powered",)) + [power(1300, unit="kw_facility", pue=1.3)],
        want=said(usable=640),
    ),
    case(
        "5,200 kW nameplate 2N at the meter: 1,600 kW",
        std(("powered",)) + [power(5200, unit="kw_facility", pue=1.3, basis="nameplate", redundancy="2N")],
        want=said(usable=1024),
    ),
    case("100 nodes", std(("installed",)) + [proof("installed", 100, unit="nodes")], want=said(usable=800)),
    case(
        "front end only, multi-node design",
        std(("networked",)) + [proof("networked", 1024, observed_on="2026-10-12", scope="frontend")],
        want=said(
            usable=0,
            usable_single_node=1024,
            usable_multi_node=0,
            largest_multi_node_job=0,
            status="blocked",
            gates={"networked": 0},
            binding=["networked"],
        ),
    ),
    case(
        "a job over the front end, multi-node design",
        [proof("job_run", 512, "A", "2026-11-29", scope="frontend")],
        want=said(usable_single_node=512, usable_multi_node=0),
    ),
    case(
        "a job over the front end, single-node design",
        [proof("job_run", 512, "A", "2026-11-29", scope="frontend")],
        design_class="single_node",
        want=said(usable=512, status="partial"),
    ),
    case("a job that is not ours", [proof("job_run", 512, "B", "2026-11-29", scope="rdma")], want=said(usable=0)),
    case(
        "a job smaller than the record",
        std() + [proof("job_run", 512, "A", "2026-11-29", scope="rdma")],
        want=said(usable=1024, flags=[]),
    ),
    case("a job on 508: 63 nodes", [proof("job_run", 508, "A", "2026-11-29", scope="rdma")], want=said(usable=504)),
    case(
        "lost C, back C after 4 days",
        BASE + [lost("C", "2026-11-18"), power(1600, "C", "2026-11-22")],
        want=said(usable=1024, power="energized", flags=[]),
    ),
    case(
        "lost B, back C after 4 days",
        BASE + [lost("B", "2026-11-18"), power(1600, "C", "2026-11-22")],
        want=said(usable=0, power="de_energized"),
    ),
    case(
        "lost B, back C after 7 days",
        BASE + [lost("B", "2026-11-18"), power(1600, "C", "2026-11-25")],
        want=said(usable=0, power="de_energized"),
    ),
    case(
        "lost B, back C after 8 days",
        BASE + [lost("B", "2026-11-18"), power(1600, "C", "2026-11-26")],
        want=said(usable=1024, power="energized"),
    ),
    case(
        "lost B, back A the next day",
        BASE + [lost("B", "2026-11-18"), power(1600, "A", "2026-11-19")],
        want=said(usable=1024),
    ),
    case(
        "lost C, a press note says it is back",
        BASE + [lost("C", "2026-11-18"), power(1600, "D", "2026-11-28")],
        want=said(usable=0, power="de_energized"),
    ),
    case(
        "a job after the loss",
        [proof("job_run", 512, "A", "2026-11-29", scope="rdma"), lost("C", "2026-11-18")],
        want=said(usable=512),
    ),
    case(
        "silent fall within the week",
        std(("powered",)) + [power(1600), power(800, "B", "2026-10-08")],
        want=said(usable=512, power="partially_energized", status="partial"),
    ),
    case(
        "two figures on one day",
        std(("powered",)) + [power(1600), power(800)],
        want=said(usable=512, disputed_gates=["powered"]),
    ),
    case(
        "reduced on record",
        std(("powered",)) + [power(1600), power(800, "B", "2026-10-08", event="reduced")],
        want=said(usable=512, disputed_gates=[]),
    ),
    case(
        "a lower figure of a lower grade within the week",
        std(("powered",)) + [power(1600), power(800, "C", "2026-10-08")],
        want=said(usable=1024),
    ),
    case(
        "a rise needs no comment",
        std(("powered",)) + [power(800), power(1600, "B", "2026-10-08")],
        want=said(usable=1024, disputed_gates=[]),
    ),
    case(
        "reduced on record by a lower grade",
        std(("powered",)) + [power(1600, "A", "2026-10-01"), power(1000, "C", "2026-10-20", event="reduced")],
        want=said(usable=640),
    ),
    case(
        "silent fall to nothing",
        std(("powered",)) + [power(1600), power(0, "B", "2026-10-08")],
        want=said(usable=0, power="disputed", status="disputed"),
    ),
    case(
        "silent fall a month later",
        std(("powered",)) + [power(1600, "B", "2026-09-10"), power(800, "B", "2026-10-08")],
        want=said(usable=512, disputed_gates=["powered"]),
    ),
]


@pytest.mark.parametrize(("evidence", "promises", "more", "want"), FIGURES)
def test_a_small_record_proves_what_was_worked_by_hand(evidence, promises, more, want):
    hold(evidence, promises, more, want)
