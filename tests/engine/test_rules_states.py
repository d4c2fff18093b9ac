"""Readiness worked by hand: age, challenges, order of dates, and what it is called (R1, R3, R4, R8 to R11).

128 nodes of 8 H100 at 12.4 kW; unless a case says otherwise every gate is verified for all 1,024 on 2026-11-30.
"""

import pytest

from procurement.engine.codes import GATES
from tests.engine.readiness_documents import power, promise, proof
from tests.engine.rules_records import case, hold, lost, said, std

STATES = [
    case(
        "valid until today",
        std(("powered",)) + [power(1600, observed_on="2026-07-01", valid_until="2026-11-30")],
        want=said(usable=1024),
    ),
    case(
        "valid until yesterday",
        std(("powered",)) + [power(1600, observed_on="2026-07-01", valid_until="2026-11-29")],
        want=said(usable=0, power="stale"),
    ),
    case(
        "its own validity is over before the limit",
        std(("powered",)) + [power(1600, observed_on="2026-10-05", valid_until="2026-11-01")],
        want=said(usable=0, power="stale"),
    ),
    case(
        "limit of 152 days, 152 days old",
        std(("powered",)) + [power(1600, observed_on="2026-07-01")],
        assumptions={"evidence_days": {"powered": 152}},
        want=said(usable=1024),
    ),
    case(
        "limit of 151 days, 152 days old",
        std(("powered",)) + [power(1600, observed_on="2026-07-01")],
        assumptions={"evidence_days": {"powered": 151}},
        want=said(usable=0),
    ),
    case(
        "press report of a loss 8 days ago",
        std() + [lost("D", "2026-11-22")],
        want=said(usable=0, power="stale", status="unverified"),
    ),
    case(
        "press report of a loss 7 days ago",
        std() + [lost("D", "2026-11-23")],
        want=said(usable=1024, power="energized", flags=["challenged:powered"]),
    ),
    case(
        "report answered by a new record",
        std() + [lost("D", "2026-11-22"), power(1600, "B", "2026-11-25")],
        want=said(usable=1024, flags=[]),
    ),
    case("an announcement is no challenge", std() + [lost("E", "2026-11-27")], want=said(usable=1024)),
    case(
        "powered before the utility",
        std(("powered",))
        + [
            power(1600, achieved_on="2026-10-01"),
            proof("utility_energized", 1600, unit="kw", observed_on="2026-10-12", achieved_on="2026-10-10"),
        ],
        want=said(usable=0, flags=["date_conflict:powered<utility_energized"], power="disputed", status="disputed"),
    ),
    case(
        "powered before the utility, power made on site",
        std(("powered",))
        + [
            power(1600, achieved_on="2026-10-01", power_basis="onsite_permanent"),
            proof("utility_energized", 1600, unit="kw", observed_on="2026-10-12", achieved_on="2026-10-10"),
        ],
        want=said(usable=1024, flags=[]),
    ),
    case(
        "scheduled before powered",
        std(("powered", "scheduled"))
        + [
            power(1600, achieved_on="2026-10-05"),
            proof("scheduled", 1024, "A", "2026-11-28", achieved_on="2026-10-01"),
        ],
        want=said(usable=0, flags=["date_conflict:scheduled<powered"]),
    ),
    case(
        "scheduled before powered, settled by a job",
        std(("powered", "scheduled"))
        + [
            power(1600, achieved_on="2026-10-05"),
            proof("scheduled", 1024, "A", "2026-11-28", achieved_on="2026-10-01"),
            proof("job_run", 1024, "A", "2026-11-29", scope="rdma"),
        ],
        want=said(usable=1024),
    ),
    case(
        "scheduled on the day of power",
        std(("powered", "scheduled"))
        + [
            power(1600, achieved_on="2026-10-05"),
            proof("scheduled", 1024, "A", "2026-11-28", achieved_on="2026-10-05"),
        ],
        want=said(usable=1024, flags=[]),
    ),
    case(
        "no access",
        std(("accessible",)),
        want=said(status="not_open_to_buyer", usable=0, flags=["missing_date:accessible"]),
    ),
    case("no power", std(("powered", "scheduled")), want=said(status="awaiting_power", usable=0)),
    case("cancelled today", std(), cancelled_on="2026-11-30", want=said(status="cancelled")),
    case("to be cancelled tomorrow", std(), cancelled_on="2026-12-01", want=said(status="available")),
    case("delivered alone", [proof("delivered", 100)], want=said(status="building")),
    case(
        "nothing known",
        want=said(status="unknown", power="no_date", usable=0, flags=[f"missing_date:{g}" for g in GATES]),
    ),
    case("a promise alone", [], [promise("powered", "2027-01-01")], want=said(status="announced", power="scheduled")),
    case("delivered long ago", [proof("delivered", 100, observed_on="2026-01-01")], want=said(status="building")),
    case(
        "interruptible power",
        std(("powered",)) + [power(1600, power_basis="utility_interruptible")],
        want=said(usable=1024, usable_firm=0),
    ),
    case(
        "firm power",
        std(("powered",)) + [power(1600, power_basis="utility_firm")],
        want=said(usable=1024, usable_firm=1024),
    ),
    case(
        "grade B asked above the spend",
        std(("powered",)) + [power(1600, "C")],
        assumptions={"powered_grade": {"above": 0, "grade": "B"}},
        costs=[{"component": "hardware", "amount": 1000, "currency": "USD"}],
        want=said(usable=0),
    ),
    case(
        "spend below the threshold",
        std(("powered",)) + [power(1600, "C")],
        assumptions={"powered_grade": {"above": 5000, "grade": "B"}},
        costs=[{"component": "hardware", "amount": 1000, "currency": "USD"}],
        want=said(usable=1024),
    ),
    case(
        "half powered, promise passed",
        std(("powered",)) + [power(800)],
        [promise("powered", "2026-11-29")],
        want=said(usable=512, flags=["overdue_remainder:powered"], power="partially_energized"),
    ),
    case(
        "half powered, promise today",
        std(("powered",)) + [power(800)],
        [promise("powered", "2026-11-30")],
        want=said(flags=[]),
    ),
    case(
        "promise today", std(("powered",)), [promise("powered", "2026-11-30")], want=said(power="scheduled", flags=[])
    ),
    case(
        "promise yesterday",
        std(("powered",)),
        [promise("powered", "2026-11-29")],
        want=said(power="overdue", flags=["overdue:powered"]),
    ),
    case("cooling without medium, in accelerators", std(("cooled",)) + [proof("cooled", 600)], want=said(usable=600)),
    case(
        "liquid for an air-cooled node",
        std(("cooled",)) + [proof("cooled", 1600, "B", "2026-10-06", unit="kw", medium="liquid")],
        want=said(usable=0),
    ),
    case(
        "recorded tomorrow",
        std(("powered",)) + [power(1600, recorded_on="2026-12-01")],
        [promise("powered", "2027-01-01")],
        want=said(usable=0, flags=["future_evidence:powered"], power="scheduled"),
    ),
    case(
        "scheduler read on the day of the loss",
        std(("scheduled",))
        + [proof("scheduled", 1024, "A", "2026-11-25"), lost("C", "2026-11-25"), power(1600, "B", "2026-11-26")],
        want=said(usable=0, flags=["recheck_after_loss:scheduled"], gates={"scheduled": 0, "powered": 1024}),
    ),
    case(
        "scheduler read after the loss",
        std(("scheduled",))
        + [proof("scheduled", 1024, "A", "2026-11-26"), lost("C", "2026-11-25"), power(1600, "B", "2026-11-26")],
        want=said(usable=1024, flags=[]),
    ),
    case(
        "cooling lost",
        std() + [proof("cooled", 0, "B", "2026-11-29", unit="kw", medium="air", event="lost")],
        want=said(
            usable=0,
            status="suspended",
            power="energized",
            flags=["recheck_after_loss:scheduled"],
            binding=["cooled", "scheduled"],
        ),
    ),
    case(
        "reduced to 620 kW",
        std() + [power(620, "B", "2026-11-20", event="reduced")],
        want=said(usable=400, power="partially_energized", status="partial"),
    ),
    case(
        "two readings of the scheduler",
        std(("scheduled",)) + [proof("scheduled", 1024, "A", "2026-11-28"), proof("scheduled", 960, "A", "2026-11-29")],
        want=said(usable=960),
    ),
    case(
        "a plan says powered",
        [proof("powered", 1600, "E", "2026-11-10", unit="kw_it")],
        want=said(power="claimed", status="announced"),
    ),
    case(
        "a claim and a passed promise",
        [proof("powered", 1600, "D", "2026-11-10", unit="kw_it")],
        [promise("powered", "2026-11-20")],
        want=said(power="claimed"),
    ),
]


@pytest.mark.parametrize(("evidence", "promises", "more", "want"), STATES)
def test_a_small_record_is_called_what_was_worked_by_hand(evidence, promises, more, want):
    hold(evidence, promises, more, want)
